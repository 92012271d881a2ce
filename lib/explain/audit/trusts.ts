/*
 * Whom the declared identities trust, whatever service accounts and clusters were read: all of it shows in a state alone.
 */

import { grouped } from "../../model/grouped";
import { type Known, orElse, partsOf, same, shown } from "../../model/known";
import { serviceAccountText, serviceAccountUser, namespacedName } from "../../model/namespaced-name";
import { seen } from "../answer";
import type { DeclaredIdentity } from "../cloud";
import type { Finding } from "../findings";
import { sourceText } from "../read/source";
import { named } from "../shared/words";
import type { AuditFacts } from "./rows";

type Found = Omit<Finding, "id" | "severity">;

/** Issuers that are no recorded cluster's, with the identities that admit their tokens. */
export function foreignIssuers({ clusters, clouds }: AuditFacts): readonly Found[] {
  const recorded = clusters.flatMap(({ issuer, cluster }) => [
    ...(partsOf(issuer) === undefined ? [] : [issuer]),
    ...(cluster.additionalIssuers ?? []),
  ]);
  const trusting = clouds.flatMap(({ identities }) =>
    identities.flatMap((identity) =>
      identity.terms.issuers.flatMap((issuer) => {
        const isForeign = recorded.every((each) => same(each, issuer) === "no");
        return isForeign ? [{ identity, issuer: shown(issuer) }] : [];
      }),
    ),
  );
  return [...grouped(trusting, ({ issuer }) => issuer)].map(([issuer, all]) => ({
    stack: "",
    subject: issuer,
    target: "",
    reason: `tokens of this issuer, which is not recorded as a cluster's, are trusted by ${named([...new Set(all.map(({ identity }) => nameOf(identity)))])}`,
    evidence: all.map(({ identity }) => seen("identity", identity.source)),
    remedy: "check that it is meant to act as these identities, or record it as the issuer of a cluster",
  }));
}

/** Subjects in a trust beside those of the service accounts that hold the identity; if none does, several subjects. */
export function subjectsBeside({ clouds, holders }: AuditFacts): readonly Found[] {
  const held = grouped(holders, ({ source }) => (source ? sourceText(source) : ""));
  return clouds.flatMap(({ identities }) =>
    identities.flatMap((identity): readonly Found[] => {
      const keys = (held.get(sourceText(identity.source)) ?? []).map(({ key }) => key);
      const own = keys.map((key) => serviceAccountUser(namespacedName(key)));
      const subjects = new Set(identity.terms.subjects.flatMap((each) => orElse(each, () => [])));
      const beside = [...subjects].filter((each) => !own.includes(each) && !/[*?$]/.test(each)).sort();
      // What turns tokens into principals is made for many.
      if (identity.terms.maps || beside.length === 0 || (own.length === 0 && subjects.size < 2)) return [];
      const who = named(beside.map(serviceAccountText));
      return [
        {
          ...about(identity),
          reason:
            own.length === 0
              ? `the trust names several subjects: ${who}`
              : `the trust names ${who} beside ${named(keys)}, whose identity it is`,
          remedy: "create an identity for each of them, or remove the one that is not meant",
        },
      ];
    }),
  );
}

/** Identities that take tokens for several audiences (or for any, which `isAny` asks), and that nothing holds. */
export function audiencesOf({ clouds, holders }: AuditFacts, isAny: boolean): readonly Found[] {
  const held = new Set(holders.map(({ source }) => (source ? sourceText(source) : "")));
  const all = clouds.flatMap(({ identities }) => identities);
  return all.flatMap((identity): readonly Found[] => {
    const accepted = acceptedBy(identity);
    const isFound = isAny
      ? accepted === "any" && !held.has(sourceText(identity.source))
      : accepted.length > 1;
    if (!isFound || (!isAny && accepted === "any")) return [];
    return [
      {
        ...about(identity),
        reason:
          accepted === "any"
            ? "the trust does not compare the audience: a token for any audience of the OIDC provider is accepted"
            : `the trust accepts tokens for several audiences: ${named(accepted)}`,
        remedy: "compare the audience in the trust with the one of the tokens",
      },
    ];
  });
}

function acceptedBy({ terms, trust, admitsAnyAudience }: DeclaredIdentity): "any" | readonly string[] {
  const texts = (all: readonly Known<string>[]): readonly string[] =>
    all.flatMap((each) => orElse(each, () => []));
  const subjects = terms.subjects.length > 0 ? texts(terms.subjects) : ["a"];
  // Any subject that is admitted will do.
  const tokens = terms.issuers.flatMap((issuer) =>
    subjects.map((subject) => ({ issuer, subject: subject.replace(/[*?]/g, "a"), audience: "a" })),
  );
  if (tokens.some((token) => admitsAnyAudience?.(token) === true)) return "any";
  const isAccepted = (audience: string): boolean =>
    tokens.some((token) =>
      Object.values(trust({ ...token, audience })).every(({ status }) => status === "pass"),
    );
  return [...new Set(texts(terms.audiences))].filter(isAccepted).sort();
}

function about(identity: DeclaredIdentity): Pick<Found, "stack" | "subject" | "target" | "evidence"> {
  return { stack: "", subject: nameOf(identity), target: "", evidence: [seen("identity", identity.source)] };
}

function nameOf({ names, address }: DeclaredIdentity): string {
  return names[1] ?? address;
}
