/*
 * As whom a self-managed spoke takes a token, and whether it lets that user in: the expressions of its
 * AuthenticationConfiguration. Source: kubernetes:staging/src/k8s.io/apiserver/pkg/authentication/cel, and
 * plugin/pkg/authenticator/token/oidc.
 */

import { type Known, type Ternary, all, andThen, is, known, match, orElse, unread } from "../../model/known";
import { evaluateCel } from "../../rules/google/cel-evaluation";
import { type CelClaims, type CelVariables, UNKNOWN_CLAIM } from "../../rules/google/cel-variables";
import type { TokenQuestion } from "../cloud";
import type { AuthenticatorFact } from "../read/spoke-facts";

const LITERAL = String.raw`(?:'[^'\\]*'|"[^"\\]*")`;
/** The forms that this library and most others write; what has another form is evaluated. */
const ONE = new RegExp(String.raw`^(user\.username|claims\.sub)\s*==\s*(${LITERAL})$`);
const SOME = new RegExp(
  String.raw`^(user\.username|claims\.sub)\s+in\s+\[\s*(${LITERAL}(?:\s*,\s*${LITERAL})*)\s*\]$`,
);
/** Functions of Google's alone, which an API server does not know. */
const FOREIGN = /\.extract\s*\(/;

/** `sub` of the token. */
export function subjectOf({ namespace, name }: TokenQuestion): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** Name of the user; not known where it is made of something that only the token tells. */
export function userName(
  { claim, prefix, expression }: AuthenticatorFact,
  token: TokenQuestion,
): Known<string> {
  return andThen(expression, (made) => {
    if (made !== undefined) {
      const value = evaluated(made, { claims: claimsOf(token) });
      return typeof value === "string" && value !== ""
        ? known(value)
        : unread("the expression is not evaluated");
    }
    if (is<string | undefined>(claim, "sub") !== "yes") return unread("it is made of another claim");
    return andThen(prefix, (start) =>
      start === undefined ? unread("it has no prefix") : known(start + subjectOf(token)),
    );
  });
}

/** Whether a rule for claims or users lets the user in. */
export function ruleOutcome(
  written: Known<string>,
  { hasGroups }: AuthenticatorFact,
  user: Known<string>,
  token: TokenQuestion,
): Ternary {
  return match(
    all([written, user]),
    ([rule = "", username = ""]) => {
      const [, what, names] = ONE.exec(rule.trim()) ?? SOME.exec(rule.trim()) ?? [];
      if (names !== undefined) {
        const listed = [...names.matchAll(new RegExp(LITERAL, "g"))].map(([each]) => each.slice(1, -1));
        return listed.includes(what === "claims.sub" ? subjectOf(token) : username) ? "yes" : "no";
      }
      const groups = hasGroups ? UNKNOWN_CLAIM : [];
      const value = evaluated(rule, {
        claims: claimsOf(token),
        user: { username, groups, uid: UNKNOWN_CLAIM, extra: UNKNOWN_CLAIM },
      });
      return typeof value !== "boolean" ? "unknown" : value ? "yes" : "no";
    },
    () => "unknown" as const,
  );
}

/** False where all rules let another service account of the hub in as well. */
export function namesUsers(entry: AuthenticatorFact, token: TokenQuestion): boolean {
  const other = { ...token, namespace: "other", name: "other" };
  const user = orElse(userName(entry, other), () => "");
  return entry.rules.some((rule) => ruleOutcome(rule, entry, known(user), other) !== "yes");
}

/** The claims of a bound token that kube-apiserver issues for a pod. Source: kubernetes:pkg/serviceaccount/claims.go. */
function claimsOf(token: TokenQuestion): CelClaims {
  const { namespace, name, issuer, audience } = token;
  return {
    aud: match<string, unknown>(
      audience,
      (text) => [text],
      () => UNKNOWN_CLAIM,
    ),
    exp: UNKNOWN_CLAIM,
    iat: UNKNOWN_CLAIM,
    iss: orElse(issuer, () => UNKNOWN_CLAIM),
    jti: UNKNOWN_CLAIM,
    nbf: UNKNOWN_CLAIM,
    sub: subjectOf(token),
    "kubernetes.io": {
      namespace,
      node: UNKNOWN_CLAIM,
      pod: UNKNOWN_CLAIM,
      serviceaccount: { name, uid: UNKNOWN_CLAIM },
      warnafter: UNKNOWN_CLAIM,
    },
  };
}

function evaluated(expression: string, variables: CelVariables): unknown {
  if (FOREIGN.test(expression)) return undefined;
  const answer = evaluateCel(expression, variables);
  return answer.kind === "value" ? answer.value : undefined;
}
