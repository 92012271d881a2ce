/*
 * Would STS let the holder of a service account token assume a role? From the role's trust policy alone.
 */

import { isRecord } from "../../../model/record";
import { isLate } from "../../../model/late";
import type { ContextValue, RequestContext } from "./context";
import { conditionsHold } from "./conditions";
import { type AwsDecision, decide } from "./decide";
import { type Match, cannotTell, quoted } from "./match";
import { coversProvider } from "./principal";
import { coversAction } from "./selection";
import { texts } from "./statements";

/** Whose token is shown. */
export interface AwsTrustRequest {
  /** ARN of the OIDC provider that the token's issuer is registered as. */
  readonly providerArn: string;
  /** The decoded token, with all its claims: one that is not here counts as one that the token does not have. */
  readonly claims: Readonly<Record<string, unknown>>;
}

const ACTION = "sts:AssumeRoleWithWebIdentity";
const PROVIDER = /^arn:[a-z-]+:iam::\d{12}:oidc-provider\/(.+)$/s;

/**
 * Evaluates an assume-role policy, given as JSON text or parsed, for a web identity token.
 *
 * Never throws. `unknown` where the policy holds a Terraform reference, or an operator or condition key that
 * cannot be judged from the token. Says nothing about the client ID list of the OIDC provider, the signature or
 * the lifetime of the token. The condition key `:aud` holds `azp` where the token has one; AWS documents `:sub`, `:aud`,
 * `:amr`, `:email` and `:oaud` for every provider, and more for a few public ones ("Available keys for AWS OIDC
 * federation" in the IAM user guide). The key of a claim that the token does not have is absent from the request.
 */
export function evaluateAwsTrust(policy: unknown, request: AwsTrustRequest): AwsDecision {
  const { providerArn, claims } = isRecord(request) ? request : { providerArn: undefined, claims: undefined };
  const hostPath =
    typeof providerArn === "string" && !isLate(providerArn) ? PROVIDER.exec(providerArn)?.[1] : undefined;
  if (typeof providerArn !== "string" || hostPath === undefined || hostPath.includes("${"))
    return { outcome: "unknown", reason: "the ARN of the OIDC provider is not known" };
  if (!isRecord(claims)) return { outcome: "unknown", reason: "the claims of the token are not known" };
  const foreign = foreignIssuer(claims["iss"], hostPath);
  if (foreign) return foreign;
  const context = tokenContext(hostPath, claims);
  return decide(
    [policy],
    (statement) => [
      coversProvider(statement, providerArn),
      coversAction(statement.actions, ACTION),
      withoutResource(statement.resources === undefined),
      conditionsHold(statement, context),
    ],
    "the trust policy has no statement that allows anything",
  );
}

function withoutResource(absent: boolean): Match {
  return absent
    ? { holds: true, reason: "a trust policy speaks of its own role" }
    : cannotTell("it has a Resource, which AWS refuses in a trust policy");
}

function foreignIssuer(issuer: unknown, hostPath: string): AwsDecision | undefined {
  if (issuer === undefined || issuer === `https://${hostPath}`) return undefined;
  if (typeof issuer !== "string" || isLate(issuer) || issuer.includes("${"))
    return { outcome: "unknown", reason: "the issuer of the token is not known" };
  return {
    outcome: "denied",
    reason: `the token is of the issuer ${quoted(issuer)}, the OIDC provider of ${quoted(`https://${hostPath}`)}; AWS compares them to the letter`,
  };
}

function tokenContext(hostPath: string, claims: Readonly<Record<string, unknown>>): RequestContext {
  const prefix = `${hostPath}:`.toLowerCase();
  return {
    bearer: "token",
    lookup(key: string): ContextValue {
      const name = key.toLowerCase();
      if (name === `${prefix}sub`) return claim(claims["sub"], "sub");
      if (name === `${prefix}aud`)
        return claims["azp"] === undefined ? claim(claims["aud"], "aud") : claim(claims["azp"], "azp");
      if (!name.startsWith(prefix) && isIdentityProviderKey(name))
        return {
          known: true,
          values: [],
          absent: `the condition key is not of this OIDC provider, whose keys begin with ${quoted(`${hostPath}:`)}`,
        };
      const other = name.startsWith(prefix) ? otherClaim(name.slice(prefix.length), claims) : undefined;
      return (
        other ?? {
          known: false,
          reason: `the value of the condition key ${quoted(key)} cannot be known from the token`,
        }
      );
    },
  };
}

/** What a key of the provider other than `sub` and `aud` holds; `undefined` where that cannot be known. */
function otherClaim(name: string, claims: Readonly<Record<string, unknown>>): ContextValue | undefined {
  if (name === "amr" || name === "email") return claim(claims[name], name);
  // Of Google's tokens it holds `aud`; whether others have it at all is not documented.
  const sources = name === "oaud" ? ["oaud", "aud"] : [name];
  const held = Object.entries(claims).filter(([, value]) => value !== undefined);
  const isHeld = held.some(([each]) => sources.includes(each.toLowerCase()));
  // AWS takes few claims over, and which of them is not documented for every provider.
  return isHeld || name.includes("${") ? undefined : claim(undefined, name);
}

/** Keys of identity providers begin with a host name, AWS's own (`aws:`, `sts:`) never hold a dot there. */
function isIdentityProviderKey(name: string): boolean {
  const head = name.slice(0, name.indexOf(":"));
  return !name.includes("${") && (head.includes(".") || head === "https" || head === "http");
}

function claim(value: unknown, name: string): ContextValue {
  if (value === undefined || value === null)
    return { known: true, values: [], absent: `the token has no ${name}` };
  const values = texts(value);
  return values && !isLate(values)
    ? { known: true, values, absent: `the token's ${name} is empty` }
    : { known: false, reason: `the claim ${name} of the token is not known` };
}
