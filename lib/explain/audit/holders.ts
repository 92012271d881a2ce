/*
 * Which service accounts hold which identities, as the audit looks at them: not whether the one that is meant gets in,
 * but who else would.
 */

import type { Known } from "../../model/known";
import type { TokenQuestion, TrustAnswer } from "../cloud";
import { type Accesses, tokenOf } from "../jobs/access";
import type { Fleets } from "../jobs/fleet";
import type { Pulls } from "../jobs/pull";
import { pullerOf } from "../jobs/pull-questions";
import type { ClusterArtefacts } from "../read/facts";
import type { Source } from "../read/source";

/** A service account with an identity that it names. */
export interface Holder {
  readonly artefacts: ClusterArtefacts;
  /** `namespace/name`. */
  readonly key: string;
  /** The identity, for people. */
  readonly label: string;
  /** Where the identity stands, else the service account; `undefined` where neither was read. */
  readonly source: Source | undefined;
  /** Whether the cloud certainly takes the token of a service account of that name, and lets it do something. */
  readonly admits: (namespace: string, name: string) => boolean;
  /** True where the trust takes a token for any audience of the OIDC provider. */
  readonly takesAnyAudience: boolean;
}

/** What puts questions to the clouds. */
export interface HolderJobs {
  readonly pulls: Pulls;
  readonly access: Accesses;
  readonly fleets: Fleets;
}

/** The holders of every identity that service accounts name, each identity of an account once. */
export function holdersOf(clusters: readonly ClusterArtefacts[], jobs: HolderJobs): readonly Holder[] {
  return clusters.flatMap((artefacts) => {
    const keys = new Set([
      ...artefacts.serviceAccounts.keys(),
      ...(artefacts.cluster.pulls ?? []).map(({ serviceAccount }) => serviceAccount),
    ]);
    const all = [...[...keys].flatMap((key) => pulling(artefacts, key, jobs)), ...acting(artefacts, jobs)];
    return [...new Map(all.map((each) => [`${each.key} ${each.label}`, each])).values()];
  });
}

function pulling(artefacts: ClusterArtefacts, key: string, { pulls }: HolderJobs): readonly Holder[] {
  const puller = pullerOf(artefacts, key, "asked");
  return pulls.identities(artefacts, puller).flatMap(({ label, source, trust, admitsAnyAudience }, place) => {
    if (label === undefined || trust.subject.status === "fail") return [];
    const admits = (namespace: string, name: string): boolean => {
      const other = pulls.identities(artefacts, { ...puller, key: `${namespace}/${name}` })[place];
      return other !== undefined && isAdmitted(other.trust) && other.rights.reach().length > 0;
    };
    const takesAnyAudience = admitsAnyAudience?.() ?? false;
    return [{ artefacts, key, label, source: source ?? puller.account?.source, admits, takesAnyAudience }];
  });
}

function acting(artefacts: ClusterArtefacts, { access, fleets }: HolderJobs): readonly Holder[] {
  const entering = fleets.controllers(artefacts);
  return [...access.identities(artefacts, entering)].flatMap(
    ({ key, identity, audiences }): readonly Holder[] => {
      const tokens =
        audiences.length === 0 ? [] : audiences.map((audience) => tokenFor(artefacts, key, audience));
      if (tokens.every((token) => identity.trust(token).subject.status === "fail")) return [];
      const admits = (namespace: string, name: string): boolean =>
        tokens.some((each) => {
          const token = { ...each, namespace, name };
          return (
            isAdmitted(identity.trust(token)) && identity.permissions(undefined, token).status === "pass"
          );
        });
      const [first] = tokens;
      const takesAnyAudience = (first && identity.admitsAnyAudience?.(first)) ?? false;
      const source = identity.found.evidence[0]?.source ?? artefacts.serviceAccounts.get(key)?.source;
      return [{ artefacts, key, label: identity.label, source, admits, takesAnyAudience }];
    },
  );
}

function tokenFor(artefacts: ClusterArtefacts, key: string, audience: Known<string>): TokenQuestion {
  return tokenOf(artefacts, key, [audience]);
}

function isAdmitted({ issuer, audience, subject }: TrustAnswer): boolean {
  return issuer.status !== "fail" && audience.status !== "fail" && subject.status === "pass";
}
