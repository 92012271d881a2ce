/*
 * Trust in an issuer whose URL only apply tells, as of an issuer behind CloudFront. Two equal references are one value,
 * so a stand-in takes their place wherever they stand, and the rest is judged as ever.
 */

import type { Answer } from "../../answer";
import { ASK_AGAIN } from "../ask-again";
import { unknown } from "../../answer";
import { isLateText } from "../../facts/terraform";
import { issuerWords } from "../issuer-words";
import { NO_ACCOUNT, type OidcProviderFact } from "./iam";
import { type AwsTrustQuestion, awsTrust } from "./trust";

type Answers = readonly [Answer, Answer, Answer];

/** No host of anybody; RFC 2606. */
const STAND_IN = "known-after-apply.invalid";
const SCHEME = "https://";
/** Keys of conditions that compare a token's claims, and OIDC providers: what must speak of the stand-in. */
const CLAIM_KEY = /"([^"]*):(?:aud|sub|amr)"/g;
const PROVIDER_ARN = /:oidc-provider\/([^"]+)"/g;

/** Judges as `awsTrust` does, also where the issuer is a reference to what apply will tell. */
export function lateTrust(question: AwsTrustQuestion): Answers {
  const { issuer, role } = question;
  if (issuer === undefined || !isLateText(issuer) || !role) return awsTrust(question);
  const own = question.oidcProviders.filter(({ url, arn }) => url === issuer && arn !== "");
  const trustPolicy = replaced(role.trustPolicy, issuer, own);
  if (trustPolicy === role.trustPolicy) return awsTrust(question);
  const answers = awsTrust({
    ...question,
    issuer: SCHEME + STAND_IN,
    // A copy by hand: a spread leaves out what a role's getters tell.
    role: { ...role, source: role.source, adopted: role.adopted, trustPolicy },
    oidcProviders: question.oidcProviders.map((each) =>
      own.includes(each) ? { ...each, url: SCHEME + STAND_IN } : each,
    ),
  });
  const certain = isOfStandIn(trustPolicy);
  const told = (answer: Answer): Answer => worded(answer, issuer, certain);
  return [told(answers[0]), told(answers[1]), told(answers[2])];
}

function replaced(policy: string, issuer: string, own: readonly OidcProviderFact[]): string {
  const trimmed = `\${trimprefix("${issuer}", "${SCHEME}")}`;
  const withHost = policy.replaceAll(trimmed, STAND_IN).replaceAll(issuer.slice(SCHEME.length), STAND_IN);
  return own.reduce(
    (text, { arn, account }) =>
      text.replaceAll(arn, `arn:aws:iam::${account || NO_ACCOUNT}:oidc-provider/${STAND_IN}`),
    withHost,
  );
}

/** A literal host may turn out to be the same one, so that nothing follows from its being another text. */
function isOfStandIn(policy: string): boolean {
  return [CLAIM_KEY, PROVIDER_ARN].every((pattern) =>
    [...policy.matchAll(pattern)].every(([, host]) => host === STAND_IN),
  );
}

function worded({ status, reason, evidence, remedy, log }: Answer, issuer: string, certain: boolean): Answer {
  const name = issuerWords(issuer);
  const words = (text: string): string =>
    text
      .replaceAll(`the issuer ${SCHEME}${STAND_IN}`, name)
      .replaceAll(SCHEME + STAND_IN, name)
      .replaceAll(STAND_IN, `(host of ${name})`);
  const shown = evidence.map((each) => ({ ...each, text: words(each.text) }));
  if (status === "fail" && !certain)
    return unknown(`${words(reason)}; which issuer it is only apply tells`, ASK_AGAIN, ...shown);
  return {
    status,
    reason: words(reason),
    evidence: shown,
    remedy: words(remedy),
    ...(log === undefined ? {} : { log: words(log) }),
  };
}
