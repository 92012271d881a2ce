/*
 * Whom the declared identities trust, whatever service accounts and clusters were read: all of it shows in a state alone.
 */

import { grouped } from "../../model/grouped";
import { type Known, isKnown, orElse, partsOf, same, shown } from "../../model/known";
import {
  SERVICE_ACCOUNT_PREFIX,
  namespacedName,
  serviceAccountText,
  serviceAccountUser,
} from "../../model/namespaced-name";
import { seen } from "../answer";
import type { Cloud, DeclaredIdentity, ShownClaims } from "../cloud";
import type { ClusterArtefacts } from "../read/clusters";
import type { Found } from "../findings";
import { sourceText } from "../read/source";
import { named } from "../shared/words";
import { type Holder, EXACTLY, STRANGER } from "./holders";

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
  // Where only apply tells a cluster's issuer, one that is written is not recorded either.
  const isForeign = (issuer: Known<string>): boolean =>
    recorded.every((each) => same(each, issuer) === "no" || (isKnown(issuer) && !isKnown(each)));
  const foreign = trusting.filter(({ issuer }) => isForeign(issuer));
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

/** Trusts that admit whoever has a token, or service accounts by patterns, apart from what their holders show. */
export function openToStrangers({ clouds, holders }: Facts): readonly Found[] {
  const shownBy = holders.filter(({ strangers }) => strangers !== undefined);
  const said = new Set(shownBy.map(({ source }) => (source ? sourceText(source) : "")));
  return identitiesOf(clouds).flatMap((identity) => {
    const who = said.has(sourceText(identity.source)) ? undefined : strangersOf(identity);
    return who === undefined ? [] : found(identity, `the trust admits ${who}`, EXACTLY);
  });
}

/** What turns tokens into principals admits many, and grants them nothing. */
function strangersOf({ terms, trust }: DeclaredIdentity): string | undefined {
  if (terms.maps) return undefined;
  const named = [...new Set(literals(terms.audiences))];
  const audiences = named.length > 0 ? named : ["a"];
  const admits = (subject: string): boolean =>
    terms.issuers.some((issuer) =>
      audiences.some((audience) =>
        Object.values(trust({ issuer, subject, audience })).every(({ status }) => status === "pass"),
      ),
    );
  if (admits(STRANGER)) return "every subject of an issuer";
  const patterns = literals(terms.subjects).filter((each) => /[*?]/.test(each));
  const pattern = patterns.find((each) =>
    admits(
      each.startsWith(SERVICE_ACCOUNT_PREFIX)
        ? sampleOf(each)
        : `${SERVICE_ACCOUNT_PREFIX}${STRANGER}:${sampleOf(each.replace(/.*:/, ""))}`,
    ),
  );
  return pattern && `every service account that ${serviceAccountText(pattern)} matches`;
}

function sampleOf(pattern: string): string {
  return pattern.replace(/[*?]/g, "a");
}

const AUDIENCE = "compare the audience in the trust with the one of the tokens";
/** Why a trust that takes every audience is a finding. */
export const ANY_AUDIENCE =
  "the trust does not compare the audience: a token for any audience of the OIDC provider is accepted";

/** Trusts that take tokens for any audience, apart from what their holders show. */
export function withoutAudience({ clouds, holders }: Facts): readonly Found[] {
  const wide = holders.filter((each) => each.takesAnyAudience);
  const held = new Set(wide.map(({ source }) => (source ? sourceText(source) : "")));
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
    all.map((subject) => ({ issuer, subject: sampleOf(subject), audience })),
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
