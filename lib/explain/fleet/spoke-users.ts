/*
 * As whom a self-managed spoke takes a token, and whether it lets that user in: the expressions of its
 * AuthenticationConfiguration. Source: kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/cel, and
 * plugin/pkg/authenticator/token/oidc.
 */

import { evaluateCel } from "../../rules/google/cel-evaluation";
import { type CelVariables, UNKNOWN_CLAIM } from "../../rules/google/cel-variables";
import { type PodToken, podTokenClaims } from "../clouds/pod-token";
import type { AuthenticatorFact } from "../facts/spoke-facts";

const LITERAL = String.raw`(?:'[^'\\]*'|"[^"\\]*")`;
/** The forms that this library and most others write; what has another form is evaluated. */
const ONE = new RegExp(String.raw`^(user\.username|claims\.sub)\s*==\s*(${LITERAL})$`);
const SOME = new RegExp(
  String.raw`^(user\.username|claims\.sub)\s+in\s+\[\s*(${LITERAL}(?:\s*,\s*${LITERAL})*)\s*\]$`,
);
/** Functions of Google's alone, which an API server does not know. */
const FOREIGN = /\.extract\s*\(/;

/** Name of the user; `undefined` where it is made of something that only the token tells. */
export function userName(
  { claim, prefix, expression }: AuthenticatorFact,
  token: PodToken,
): string | undefined {
  if (expression === "") return claim === "sub" && prefix !== undefined ? prefix + token.subject : undefined;
  const value = evaluated(expression, { claims: podTokenClaims(token) });
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a rule for claims or users lets the user in; `undefined` where that cannot be told. */
export function ruleOutcome(
  rule: string,
  { hasGroups }: AuthenticatorFact,
  user: string,
  token: PodToken,
): boolean | undefined {
  const [, what, names] = ONE.exec(rule.trim()) ?? SOME.exec(rule.trim()) ?? [];
  if (names !== undefined) {
    const listed = [...names.matchAll(new RegExp(LITERAL, "g"))].map(([literal]) => literal.slice(1, -1));
    return listed.includes(what === "claims.sub" ? token.subject : user);
  }
  const value = evaluated(rule, {
    claims: podTokenClaims(token),
    user: {
      username: user,
      groups: hasGroups ? UNKNOWN_CLAIM : [],
      uid: UNKNOWN_CLAIM,
      extra: UNKNOWN_CLAIM,
    },
  });
  return typeof value === "boolean" ? value : undefined;
}

/** False where all rules let another service account of the hub in as well. */
export function namesUsers(one: AuthenticatorFact, token: PodToken): boolean {
  const other = { ...token, subject: "system:serviceaccount:other:other", namespace: "other", name: "other" };
  const user = userName(one, other) ?? "";
  return one.rules.some((rule) => ruleOutcome(rule, one, user, other) !== true);
}

function evaluated(expression: string, variables: CelVariables): unknown {
  if (FOREIGN.test(expression)) return undefined;
  const answer = evaluateCel(expression, variables);
  return answer.kind === "value" ? answer.value : undefined;
}
