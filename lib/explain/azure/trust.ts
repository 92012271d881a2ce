/*
 * Would Entra exchange the service account's token for the identity's? Each link is judged on its own.
 */

import { type Known, type Ternary, isAbsent, known, orElse, same, shown, whyNot } from "../../model/known";
import { Issuer } from "../../model/issuer";
import { ACCEPTED_ALGORITHMS } from "../../rules/azure/issuer";
import { isWorkloadIdentityError } from "../../errors";
import { serviceAccountUser } from "../../model/namespaced-name";
import { type Answer, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { TokenQuestion, TrustAnswer } from "../cloud";
import { difference, regenerated } from "../shared/near-miss";
import type { Issuers } from "../shared/object-store";
import { sameAnswers } from "../shared/same-answers";
import { ASK_AGAIN, NAME_CLUSTER } from "../shared/words";
import type { Credential, CredentialSet } from "./credentials";
import type { Identity } from "./identity";

/** The parts of a token that Entra compares. */
export interface EntraToken extends Pick<TokenQuestion, "issuer" | "audience"> {
  readonly subject: string;
}

export function tokenOf(question: TokenQuestion): EntraToken {
  const { issuer, audience } = question;
  return { issuer, audience, subject: serviceAccountUser(question) };
}

const CLAIMS = ["issuer", "audience", "subject"] as const;
type Claim = (typeof CLAIMS)[number];

/** Codes: learn.microsoft.com, Microsoft Entra authentication error codes. */
const CODES: Readonly<Record<Claim, string>> = {
  issuer: "AADSTS700211",
  audience: "AADSTS700212",
  subject: "AADSTS700213",
};
const OTHER_LETTERS = "AADSTS7002138";
const NO_RECORD = "AADSTS70021: No matching federated identity record found for presented assertion";
/** The answer of Entra for an issuer whose documents it cannot use. */
const NO_KEYS = "AADSTS50166: Request to External OIDC endpoint failed";

const REMEDIES: Readonly<Record<Claim, string>> = {
  issuer:
    "write exactly the cluster's issuer, trailing slash included, into the federated identity credential",
  audience: "write the audience of the tokens into the federated identity credential",
  subject: "add a federated identity credential for exactly this service account; Azure has no wildcards",
};

/** `identity` is the answer if it was not read. */
export function entraTrust(identity: Identity | Answer, token: EntraToken, issuers: Issuers): TrustAnswer {
  if ("status" in identity) return sameAnswers(identity);
  const { given, label, trusts } = identity;
  const { issuer, audience, subject } = credentialsTrust(trusts, label, token);
  const unlessGiven = (answer: Answer): Answer => (given && answer.status === "fail" ? given : answer);
  const trusted = reachable(unlessGiven(issuer), token.issuer);
  return {
    issuer: issuers.judged(trusted, token.issuer, NO_KEYS, ACCEPTED_ALGORITHMS),
    audience: unlessGiven(audience),
    subject: given ?? subject,
  };
}

/**
 * Whether one of the credentials matches a token; each answer considers only those that match in the ones before, as far
 * as any does.
 */
export function credentialsTrust(trusts: CredentialSet, label: string, token: EntraToken): TrustAnswer {
  const claims = { ...token, subject: known(token.subject) };
  const isFor = (each: Credential, claim: Claim): Ternary =>
    same<string | undefined>(each[claim], claims[claim]);
  const refusals: Partial<Record<Claim, Answer>> = {};
  const matched: Claim[] = [];
  let kept = trusts.credentials;
  for (const claim of CLAIMS) {
    const next = kept.filter((each) => isFor(each, claim) !== "no");
    if (next.length === 0) refusals[claim] = refused(claim, claims, label, trusts, kept, matched);
    else kept = next;
    if (next.length > 0) matched.push(claim);
  }
  const isWhole = (each: Credential): boolean =>
    each.isCertain && CLAIMS.every((claim) => isFor(each, claim) === "yes");
  const best = kept.find(isWhole) ?? kept.find(({ isCertain }) => isCertain) ?? kept[0];
  const answer = (claim: Claim): Answer => {
    const refusal = refusals[claim];
    // Without credentials every claim is refused.
    if (refusal || !best) return refusal ?? refused(claim, claims, label, trusts, kept, matched);
    if (!best.isCertain) return unowned(label, [best]);
    if (isFor(best, claim) !== "yes") return open(claim, best, claims[claim]);
    const reason = `a federated identity credential has the ${claim} ${shown(claims[claim])}`;
    return pass(reason, seen(claim, best.source));
  };
  const subject = answer("subject");
  return {
    issuer: answer("issuer"),
    audience: answer("audience"),
    subject: matched.length < CLAIMS.length ? subject : taken(subject, trusts, label, kept),
  };
}

/** A credential that admits the token must also belong to the identity, and Azure must accept it at apply. */
function taken(
  admitted: Answer,
  { doubt }: CredentialSet,
  label: string,
  kept: readonly Credential[],
): Answer {
  const [first] = kept;
  if (first && kept.every(({ problem }) => problem !== undefined))
    return broken(
      `the federated identity credential of ${label} ${first.problem}: Azure refuses it`,
      "write a credential that Azure accepts",
      NO_RECORD,
      seen("credential", first.source),
    );
  if (admitted.status !== "pass") return admitted;
  if (kept.every(({ isCertain, problem }) => !isCertain || problem !== undefined))
    return unowned(label, kept);
  return doubt === undefined
    ? admitted
    : unknown(
        `Azure refuses some of the federated identity credentials of ${label}: ${doubt}`,
        "remove one of them, or use another identity",
        places("credential", kept),
      );
}

function unowned(label: string, credentials: readonly Credential[]): Answer {
  return unknown(
    `whether a federated identity credential belongs to ${label} is not known: its identity is known only after apply, or azurerm may add it to another one, in the subscription of its provider and, before 4.60, in its resource_group_name`,
    "declare it with the identity's Terraform provider, and without resource_group_name or with the identity's",
    places("credential", credentials),
  );
}

function open(claim: Claim, { [claim]: written, source }: Credential, wanted: Known<string>): Answer {
  const unread = whyNot(wanted);
  if (unread && unread.kind !== "apply" && claim === "issuer")
    return unknown("the issuer of the cluster's tokens is not known", NAME_CLUSTER);
  const why = whyNot(written) ?? unread;
  const late = why?.kind === "apply" ? "is known only after apply" : `is not known: ${shown(written)}`;
  return unknown(`the ${claim} of a federated identity credential ${late}`, ASK_AGAIN, seen(claim, source));
}

type Wanted = Readonly<Record<Claim, Known<string>>>;

/** `left` are the credentials that match in the claims before; the nearest of all is that of the subject. */
function refused(
  claim: Claim,
  claims: Wanted,
  label: string,
  { credentials, isOpen }: CredentialSet,
  kept: readonly Credential[],
  matched: readonly Claim[],
): Answer {
  if (isOpen)
    return unknown(
      `not every federated identity credential of ${label} is known: the identity is only looked up, or the owner of a credential is known only after apply`,
      "also give explain the Terraform that declares them",
    );
  if (credentials.length === 0)
    return broken(`${label} has no federated identity credential`, REMEDIES[claim], NO_RECORD);
  const values = [...new Set(kept.map((each) => shown(each[claim])))];
  const near = difference(claims[claim], values);
  const again = claim === "subject" ? regenerated(claims.subject, values) : undefined;
  const before = kept.length < credentials.length ? matched : [];
  const others = before.length > 0 ? ` with the ${before.join(" and ")} of the token` : "";
  const ofSubject =
    credentials.length > 1
      ? credentials.find(({ subject }) => same<string | undefined>(subject, claims.subject) === "yes")
      : undefined;
  const wrong =
    ofSubject && CLAIMS.find((each) => same<string | undefined>(ofSubject[each], claims[each]) === "no");
  const reason = `no federated identity credential of ${label}${others} has the ${claim} ${shown(claims[claim])}; found ${values.join(", ") || "none"}`;
  const log = near !== "" && claim === "subject" ? OTHER_LETTERS : CODES[claim];
  if (!ofSubject || !wrong)
    return broken(reason + (again?.near ?? near), again?.remedy ?? REMEDIES[claim], log, places(claim, kept));
  return broken(
    `${reason}; the one of ${shown(claims.subject)} has the ${wrong} ${shown(ofSubject[wrong])}${difference(claims[wrong], [ofSubject[wrong]])}`,
    REMEDIES[wrong],
    log,
    places(wrong, [ofSubject]),
    places(
      claim,
      kept.filter((each) => each !== ofSubject),
    ),
  );
}

function places(what: string, credentials: readonly Credential[]): readonly Evidence[] {
  return credentials.map(({ source }) => seen(what, source));
}

/** Entra fetches the issuer's keys over the internet. */
function reachable(answer: Answer, issuer: Known<string>): Answer {
  const url = orElse(issuer, () => "");
  if (answer.status !== "pass" || !url.startsWith("https://") || !isInternal(url)) return answer;
  return broken(
    `Microsoft Entra cannot reach ${url}, which is known only inside the cluster`,
    "publish the issuer's documents, and give the cluster that issuer",
    NO_KEYS,
    answer.evidence,
  );
}

function isInternal(url: string): boolean {
  try {
    return Issuer.exactly(url).clusterInternal;
  } catch (error) {
    if (isWorkloadIdentityError(error)) return false;
    throw error;
  }
}

/** The issuers that credentials name; `undefined` if there may be others. */
export function issuersOf(set: CredentialSet): readonly Known<string>[] | undefined {
  return set.isOpen || set.doubt !== undefined ? undefined : statedIn(set.credentials, "issuer");
}

/** The values of a claim in credentials that state it. */
export function statedIn(all: readonly Credential[], claim: Claim): readonly Known<string>[] {
  return all.flatMap(({ [claim]: text }) => (isAbsent(text) ? [] : [text as Known<string>]));
}
