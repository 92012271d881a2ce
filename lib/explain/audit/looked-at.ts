import { type Explainer, insideOf } from "../explainer";

/** What the audit looked at, for the sentence that nothing was found: `12 service accounts, 9 identities and 14 grants`. */
export function lookedAtBy(explainer: Explainer): string {
  const { facts, clouds } = insideOf(explainer);
  const count = (all: readonly number[]): number => all.reduce((sum, each) => sum + each, 0);
  const accounts = count(facts.clusters.map(({ serviceAccounts }) => serviceAccounts.size));
  const identities = count(clouds.map((cloud) => cloud.identities.length));
  const holders = new Set(clouds.flatMap(({ granted }) => granted.map(({ to }) => to)));
  return `${accounts} service accounts, the trust of ${identities} identities, what ${holders.size} identities and principals are granted`;
}
