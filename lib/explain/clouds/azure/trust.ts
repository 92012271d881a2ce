/*
 * Would Entra exchange the service account's token for the identity? Each link is judged alone.
 */

import { admits } from "../../../rules/azure/admits";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { ASK_AGAIN } from "../ask-again";
import { isLateText, sameText } from "../../facts/terraform";
import type { CredentialFact, IdentityFact } from "./entra";

/** Whose token is shown to Entra. */
export interface EntraQuestion {
  /** The identity; `undefined` where it was not read. */
  readonly identity: IdentityFact | undefined;
  /** `iss` of the token; `undefined` where it is not known. */
  readonly issuer: string | undefined;
  /** `sub` of the token. */
  readonly subject: string;
  /** `aud` of the token. */
  readonly audience: string;
}

/** What Entra says of an issuer whose documents it cannot use. */
export const NO_KEYS = "AADSTS50166: Request to External OIDC endpoint failed";

type Claim = "issuer" | "audience" | "subject";

/** Codes: learn.microsoft.com, Microsoft Entra authentication error codes. */
const CODES: Readonly<Record<Claim, string>> = {
  issuer: "AADSTS700211",
  audience: "AADSTS700212",
  subject: "AADSTS700213",
};

const REMEDIES: Readonly<Record<Claim, string>> = {
  issuer:
    "write the cluster's issuer to the letter, trailing slash included, into the federated identity credential",
  audience: "write the audience of the tokens into the federated identity credential",
  subject: "add a federated identity credential for exactly this service account; Azure knows no wildcards",
};

const NO_IDENTITY = unknown(
  "the identity of the client id is not among what was read",
  "name the Terraform that declares it as well",
);

/** The answers for issuer, audience and subject; each looks only at credentials that pass the ones before. */
export function entraTrust(question: EntraQuestion): readonly [Answer, Answer, Answer] {
  const { identity, issuer, subject, audience } = question;
  if (identity === undefined) return [NO_IDENTITY, NO_IDENTITY, NO_IDENTITY];
  if (issuer === undefined) {
    const answer = unknown(
      "the issuer of the cluster's tokens is not known",
      "record it in workload-identity.json",
    );
    return [answer, answer, answer];
  }
  const [issuerAnswer, ofIssuer] = compared("issuer", issuer, identity, identity.credentials);
  const [audienceAnswer, ofAudience] = compared("audience", audience, identity, ofIssuer);
  const [subjectAnswer, left] = compared("subject", subject, identity, ofAudience);
  const refused =
    left.length > 0 &&
    left.every((each) => admits(each, { iss: issuer, sub: subject, aud: audience }).outcome === "denied");
  return [
    issuerAnswer,
    audienceAnswer,
    refused
      ? broken("no credential admits the token", REMEDIES.subject, CODES.subject)
      : taken(subjectAnswer, identity, left),
  ];
}

/** What admits the token must also be what Azure takes at apply. */
function taken(admitted: Answer, identity: IdentityFact, left: readonly CredentialFact[]): Answer {
  if (admitted.status !== "pass") return admitted;
  const [first] = left;
  if (first && left.every(({ problem }) => problem !== undefined))
    return broken(
      `the federated identity credential of ${identity.label} ${first.problem ?? ""}: Azure refuses it`,
      "write a credential that Azure takes",
      "AADSTS70021: No matching federated identity record found for presented assertion",
      seen("credential", first.source),
    );
  return identity.credentialDoubt === undefined
    ? admitted
    : unknown(
        `Azure refuses some of the federated identity credentials of ${identity.label}: ${identity.credentialDoubt}`,
        "leave one of them out, or use another identity",
        ...left.map((each) => seen("credential", each.source)),
      );
}

function compared(
  claim: Claim,
  wanted: string,
  identity: IdentityFact,
  credentials: readonly CredentialFact[],
): readonly [Answer, readonly CredentialFact[]] {
  const same = credentials.filter((each) => sameText(each[claim], wanted) === "same");
  const [first] = same;
  if (first)
    return [
      pass(`a federated identity credential has the ${claim} ${wanted}`, seen(claim, first.source)),
      same,
    ];
  const open = credentials.filter((each) => sameText(each[claim], wanted) === "unknown");
  const [late] = open;
  if (late)
    return [
      unknown(
        `the ${claim} of a federated identity credential is known only after apply`,
        ASK_AGAIN,
        seen(claim, late.source),
      ),
      open,
    ];
  if (identity.hasOpenCredentials)
    return [
      unknown(
        `not every federated identity credential of ${identity.label} is known: it is only looked up, the owner of one is known only after apply, or one has a form that is not read`,
        "name the Terraform that declares them as well",
      ),
      [],
    ];
  return [differs(claim, wanted, identity, credentials), []];
}

function differs(
  claim: Claim,
  wanted: string,
  identity: IdentityFact,
  credentials: readonly CredentialFact[],
): Answer {
  if (identity.credentials.length === 0)
    return broken(
      `${identity.label} has no federated identity credential`,
      REMEDIES[claim],
      "AADSTS70021: No matching federated identity record found for presented assertion",
      seen("identity", identity.source),
    );
  const values = [...new Set(credentials.map((each) => each[claim]))];
  const near = values.find((value) => !isLateText(value) && plain(value) === plain(wanted));
  const difference = near === undefined ? "" : "; they differ in letter case or a trailing slash";
  return broken(
    `no federated identity credential of ${identity.label} has the ${claim} ${wanted}; there is ${values.join(", ") || "none"}${difference}`,
    REMEDIES[claim],
    near !== undefined && claim === "subject" ? "AADSTS7002138" : CODES[claim],
    ...credentials.map((each) => seen(claim, each.source)),
  );
}

function plain(value: string): string {
  return value.replace(/\/+$/, "").toLowerCase();
}
