/*
 * Which service accounts hold which identities, as the audit looks at them: not whether the intended one is admitted,
 * but who else would be.
 */

import { type Known, orElse } from "../../model/known";
import type { Cloud, HeldRight, TokenQuestion, TrustAnswer, TrustTerms } from "../cloud";
import { type Accesses, tokenOf } from "../jobs/access";
import type { Fleets } from "../jobs/fleet";
import type { Pulls } from "../jobs/pull";
import { pullerOf } from "../jobs/pull-questions";
import type { ClusterArtefacts } from "../read/clusters";
import { type Source, sourceText } from "../read/source";
import { step } from "../progress";

/** A service account with an identity that it names. */
export interface Holder {
  readonly artefacts: ClusterArtefacts;
  /** `namespace/name`. */
  readonly key: string;
  readonly label: string;
  /** What tells the identity from all others: equal Terraform addresses of two stacks are two identities. */
  readonly identity: string;
  /** Where the identity is declared, or else the service account; `undefined` if neither was read. */
  readonly source: Source | undefined;
  /** False if the cloud certainly refuses its tokens. */
  readonly isAdmitted: boolean;
  /** Whether the cloud certainly accepts a token of the service account, and does not deny it everything. */
  readonly admits: (namespace: string, name: string) => boolean;
  /** What it may do by the identity as it pulls; nothing of identities for other jobs. */
  readonly held: () => readonly HeldRight[];
  /** True if the trust accepts a token for any audience of the OIDC provider. */
  readonly takesAnyAudience: boolean;
}

/** What puts questions to the clouds. */
export interface HolderJobs {
  readonly pulls: Pulls;
  readonly access: Accesses;
  readonly fleets: Fleets;
}

/** The holders of every identity that service accounts name, once for each service account and identity. */
export function holdersOf(clusters: readonly ClusterArtefacts[], jobs: HolderJobs): readonly Holder[] {
  return clusters.flatMap((artefacts) => {
    const keys = new Set([
      ...artefacts.serviceAccounts.keys(),
      ...(artefacts.cluster.pulls ?? []).map(({ serviceAccount }) => serviceAccount),
    ]);
    const pulls = [...keys].flatMap((key) => {
      step("service accounts audited");
      return pulling(artefacts, key, jobs);
    });
    const all = [...pulls, ...acting(artefacts, jobs)];
    return [...new Map(all.map((each) => [`${each.key} ${each.identity}`, each])).values()];
  });
}

function pulling(artefacts: ClusterArtefacts, key: string, { pulls }: HolderJobs): readonly Holder[] {
  const puller = pullerOf(artefacts, key, "asked");
  return pulls
    .identities(artefacts, puller)
    .flatMap(({ label, id, source, trust, rights, admitsAnyAudience }, place) => {
      if (label === undefined) return [];
      const admits = (namespace: string, name: string): boolean => {
        const other = pulls.identities(artefacts, { ...puller, key: `${namespace}/${name}` })[place];
        return other !== undefined && letsIn(other.trust) && other.rights.reach().length > 0;
      };
      const takesAnyAudience = admitsAnyAudience?.() ?? false;
      const isAdmitted = trust.subject.status !== "fail";
      const where = source ?? puller.account?.source;
      const identity = identityOf(label, id, where);
      const held = (): readonly HeldRight[] => rights.held();
      return [{ artefacts, key, label, identity, source: where, isAdmitted, admits, held, takesAnyAudience }];
    });
}

function identityOf(label: string, id: Known<string> | undefined, source: Source | undefined): string {
  return id === undefined ? label : orElse(id, () => `${label} ${source ? sourceText(source) : ""}`);
}

function acting(artefacts: ClusterArtefacts, { access, fleets }: HolderJobs): readonly Holder[] {
  const entering = fleets.controllers(artefacts);
  return [...access.identities(artefacts, entering)].map(({ key, identity, audiences }): Holder => {
    const tokens = audiences.map((audience) => tokenOf(artefacts, key, [audience]));
    const isLetIn = (token: TokenQuestion): boolean =>
      letsIn(identity.trust(token)) && identity.permissions(undefined, token).status !== "fail";
    const source = identity.found.evidence[0]?.source ?? artefacts.serviceAccounts.get(key)?.source;
    return {
      artefacts,
      key,
      label: identity.label,
      identity: identityOf(identity.label, identity.id, source),
      source,
      isAdmitted: tokens.some((token) => identity.trust(token).subject.status !== "fail"),
      admits: (namespace, name) => tokens.some((token) => isLetIn({ ...token, namespace, name })),
      held: () => [],
      takesAnyAudience: tokens.some((token) => identity.admitsAnyAudience?.(token) === true),
    };
  });
}

/** Where identities are declared whose trust compares subjects only with whole names. */
export function namedOneByOne(clouds: readonly Cloud[]): ReadonlySet<string> {
  const all = clouds.flatMap(({ identities }) => identities);
  return new Set(all.flatMap(({ source, terms }) => (isExact(terms) ? [sourceText(source)] : [])));
}

/** Wildcards and IAM's policy variables match more than the written text. */
function isExact({ subjects, maps, beyond }: TrustTerms): boolean {
  const isWhole = (text: Known<string>): boolean => orElse(text, () => "*").search(/[*?$]/) < 0;
  return maps === undefined && beyond.length === 0 && subjects.every(isWhole);
}

function letsIn({ issuer, audience, subject }: TrustAnswer): boolean {
  return issuer.status !== "fail" && audience.status !== "fail" && subject.status === "pass";
}
