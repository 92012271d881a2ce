import type { FinishedRule, FinishedRuleName } from "../artefact/finished-rule";
import { isLate } from "../model/late";
import type { PlannedSpoke } from "./fleet-planned-spoke";

/** What `bind` must check of a spoke, since it is not known before. */
export function lateRules({ name, access, proxyUrl }: PlannedSpoke): readonly FinishedRule[] {
  const { server, certificateAuthorityData } = access.endpoint;
  const texts: readonly (readonly [of: string, rule: FinishedRuleName, text: string | undefined])[] = [
    ["server", "server", server],
    ["certificate authority", "certificate-authority", certificateAuthorityData],
    ["proxy", "proxy", proxyUrl],
  ];
  return texts.flatMap(([of, rule, text]) =>
    text !== undefined && isLate(text) ? [{ of: `${of} of spoke ${name}`, rule, text }] : [],
  );
}
