/*
 * Whom the declared identities trust, whatever service accounts and clusters were read: all of it shows in a state alone.
 */

import { grouped } from "../../model/grouped";
import { type Known, orElse, partsOf, same, shown } from "../../model/known";
import { serviceAccountText, serviceAccountUser, namespacedName } from "../../model/namespaced-name";
import { seen } from "../answer";
import type { Cloud, DeclaredIdentity, ShownClaims } from "../cloud";
import type { ClusterArtefacts } from "../read/clusters";
import type { Found } from "../findings";
import { sourceText } from "../read/source";
import { named } from "../shared/words";
import type { Holder } from "./holders";

interface Facts {
  readonly clusters: readonly ClusterArtefacts[];
  readonly clouds: readonly Cloud[];
  readonly holders: readonly Holder[];
}

/** Issuers that are no recorded cluster's, with the identities that admit their tokens. */
export function foreignIssuers({ clusters, clouds }: Facts): readonly Found[] {
  const recorded = clusters.flatMap(({ issuer, cluster }) => [
    ...(partsOf(issuer) === undefined ? [] : [issuer]),
    ...(cluster.additionalIssuers ?? []),
  ]);
  const trusting = clouds.flatMap(({ identities }) =>
    identities.flatMap((identity) => identity.terms.issuers.map((issuer) => ({ identity, issuer }))),
  );
  const foreign = trusting.filter(({ issuer }) => recorded.every((each) => same(each, issuer) === "no"));
  return [...grouped(foreign, ({ issuer }) => shown(issuer))].map(([issuer, all]) => {
    const names = named([...new Set(all.map(({ identity }) => nameOf(identity)))]);
    return {
      stack: "",
      subject: issuer,
      target: "",
      reason: `tokens of this issuer, which is not recorded as a cluster's, are trusted by ${names}`,
      evidence: all.map(({ identity }) => seen("identity", identity.source)),
      remedy: "check that it is meant to act as these identities, or record it as the issuer of a cluster",
    };
  });
}

/** Subjects in a trust beside those of the service accounts that hold the identity; if none does, several subjects. */
export function subjectsBeside({ clouds, holders }: Facts): readonly Found[] {
  const held = grouped(holders, ({ source }) => (source ? sourceText(source) : ""));
  return identitiesOf(clouds).flatMap((identity) => {
    const keys = (held.get(sourceText(identity.source)) ?? []).map(({ key }) => key);
    const holderSubjects = keys.map((key) => serviceAccountUser(namespacedName(key)));
    const subjects = [...new Set(literals(identity.terms.subjects))];
    const beside = subjects.filter((each) => !holderSubjects.includes(each) && !/[*?$]/.test(each)).sort();
    // What turns tokens into principals is made for many.
    if (identity.terms.maps || beside.length === 0 || (holderSubjects.length === 0 && subjects.length < 2))
      return [];
    const who = named(beside.map(serviceAccountText));
    const reason =
      holderSubjects.length === 0
        ? `the trust names several subjects: ${who}`
        : `the trust names ${who} beside ${named(keys)}, whose identity it is`;
    return found(
      identity,
      reason,
      "create an identity for each of them, or remove the one that is not meant",
    );
  });
}

const AUDIENCE = "compare the audience in the trust with the one of the tokens";
/** Why a trust that takes every audience is a finding. */
export const ANY_AUDIENCE =
  "the trust does not compare the audience: a token for any audience of the OIDC provider is accepted";

/** Trusts that take tokens for any audience, apart from those of holders, which are asked for their own tokens. */
export function withoutAudience({ clouds, holders }: Facts): readonly Found[] {
  const held = new Set(holders.map(({ source }) => (source ? sourceText(source) : "")));
  return identitiesOf(clouds)
    .filter((each) => !held.has(sourceText(each.source)) && takesAnyAudience(each))
    .flatMap((each) => found(each, ANY_AUDIENCE, AUDIENCE));
}

/** Trusts that name several audiences, and take tokens for each. */
export function severalAudiences({ clouds }: Facts): readonly Found[] {
  return identitiesOf(clouds).flatMap((identity) => {
    const audiences = new Set(literals(identity.terms.audiences));
    if (audiences.size < 2) return [];
    const isAccepted = (audience: string): boolean =>
      tokensOf(identity, audience).some((token) =>
        Object.values(identity.trust(token)).every(({ status }) => status === "pass"),
      );
    const accepted = [...audiences].filter(isAccepted).sort();
    if (accepted.length < 2 || takesAnyAudience(identity)) return [];
    return found(identity, `the trust accepts tokens for several audiences: ${named(accepted)}`, AUDIENCE);
  });
}

function takesAnyAudience(identity: DeclaredIdentity): boolean {
  return tokensOf(identity, "a").some((token) => identity.admitsAnyAudience?.(token) === true);
}

/** A token of each subject that a trust names, whatever the issuer; where it names none, of any. */
function tokensOf(
  { terms: { issuers, subjects } }: DeclaredIdentity,
  audience: string,
): readonly ShownClaims[] {
  const all = subjects.length > 0 ? literals(subjects) : ["a"];
  return issuers.flatMap((issuer) =>
    all.map((subject) => ({ issuer, subject: subject.replace(/[*?]/g, "a"), audience })),
  );
}

function literals(all: readonly Known<string>[]): readonly string[] {
  return all.flatMap((each) => orElse(each, () => []));
}

function identitiesOf(clouds: readonly Cloud[]): readonly DeclaredIdentity[] {
  return clouds.flatMap(({ identities }) => identities);
}

function found(identity: DeclaredIdentity, reason: string, remedy: string): readonly Found[] {
  const evidence = [seen("identity", identity.source)];
  return [{ stack: "", subject: nameOf(identity), target: "", reason, evidence, remedy }];
}

function nameOf({ names, address }: DeclaredIdentity): string {
  return names[1] ?? address;
}
