/*
 * Tokens, and where they are exchanged: at a pool of the user's, or at the one that GKE and fleets bring along, which
 * needs no resource to be judged.
 */

import { type Known, joined, known, match, orElse, same, shown } from "../../model/known";
import { type CelClaims, UNKNOWN_CLAIM } from "../../rules/google/cel-variables";
import { parseManagedIdentityProvider } from "../../rules/google/managed-identity-provider";
import { type MappedAttributes, mapAttributes } from "../../rules/google/mapped-attributes";
import { type Answer, broken, pass, unknown } from "../answer";
import type { TokenQuestion, TrustAnswer } from "../cloud";
import { piecesOf } from "./names";
import type { PoolProvider } from "./pool";

/** What the plugin logs of every exchange that fails. */
export const EMPTY = "Workload Identity exchange failed for opted-in KSA …. Failing fast without fallback.";

/** An exchange at a pool of the user's. */
export interface CustomExchange {
  /** Told from {@link ManagedExchange} by this. */
  readonly kind: "custom";
  /** Number of the pool's project. */
  readonly number: Known<string>;
  /** Id of the pool. */
  readonly poolId: Known<string>;
  /** Id of the pool provider. */
  readonly providerId: Known<string>;
}

/** An exchange at the pool of GKE and fleet. */
export interface ManagedExchange {
  /** Told from {@link CustomExchange} by this. */
  readonly kind: "managed";
  /** Id of the project. */
  readonly project: Known<string>;
  /** URL of the cluster or membership. */
  readonly identityProvider: Known<string>;
}

/** A token as the kubelet hands it over. */
export interface Token {
  /** `iss`. */
  readonly issuer: Known<string>;
  /** The only entry of `aud`. */
  readonly audience: Known<string>;
  /** `sub`. */
  readonly subject: string;
  /** The service account; `undefined` where the subject is none's. */
  readonly account: { readonly namespace: string; readonly name: string } | undefined;
}

/** The token of a service account. */
export function tokenOf({ issuer, audience, namespace, name }: TokenQuestion): Token {
  return {
    issuer,
    audience,
    subject: `system:serviceaccount:${namespace}:${name}`,
    account: { namespace, name },
  };
}

/**
 * The claims of a bound token that kube-apiserver issues for a pod; `aud` is a list, also of one.
 * Source: kubernetes/kubernetes, pkg/serviceaccount/claims.go.
 */
export function claimsOf({ issuer, audience, subject, account }: Token): CelClaims {
  const told = (text: Known<string>): unknown => orElse(text, () => text);
  const open = { exp: UNKNOWN_CLAIM, iat: UNKNOWN_CLAIM, jti: UNKNOWN_CLAIM, nbf: UNKNOWN_CLAIM };
  const bound = account && {
    namespace: account.namespace,
    node: UNKNOWN_CLAIM,
    pod: UNKNOWN_CLAIM,
    serviceaccount: { name: account.name, uid: UNKNOWN_CLAIM },
    warnafter: UNKNOWN_CLAIM,
  };
  return {
    ...open,
    aud: [told(audience)],
    iss: told(issuer),
    sub: subject,
    ...(bound && { "kubernetes.io": bound }),
  };
}

/** The attributes that a pool provider makes of a token; `undefined` where its mapping is not known. */
export function attributesOf(provider: PoolProvider | undefined, token: Token): MappedAttributes | undefined {
  const mapping = provider && orElse(provider.mapping, () => undefined);
  return mapping && mapAttributes(mapping, claimsOf(token));
}

const STS_AUDIENCE =
  /^\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;

/** The exchange of an audience `//iam.googleapis.com/projects/…/providers/<id>`; `undefined` for another text. */
export function customExchange(audience: Known<string>): Known<CustomExchange | undefined> {
  return match(
    piecesOf(audience, STS_AUDIENCE),
    (pieces) => {
      const [number, poolId, providerId] = pieces ?? [];
      return known(
        number && poolId && providerId ? { kind: "custom" as const, number, poolId, providerId } : undefined,
      );
    },
    () => audience as Known<never>,
  );
}

/** Whether the pool that GKE and fleets bring along takes the token. */
export function managedTrust({ project, identityProvider }: ManagedExchange, token: Token): TrustAnswer {
  const pool = joined(project, ".svc.id.goog");
  const accepts = same(token.audience, pool);
  return {
    issuer: clusterKnown(project, identityProvider, token.issuer),
    audience:
      accepts === "yes"
        ? pass("the pool accepts its own id as audience")
        : accepts === "unknown"
          ? unknown("whether the token is for the pool is known only after apply", "state both as literals")
          : broken(
              `the pool accepts ${shown(pool)}, the token is for ${shown(token.audience)}`,
              "write it as serviceAccountTokenAudience",
              "STS token exchange failed with status 400: invalid_grant",
            ),
    subject: pass(`the pool admits every service account of its clusters, ${token.subject} among them`),
  };
}

function clusterKnown(
  project: Known<string>,
  identityProvider: Known<string>,
  issuer: Known<string>,
): Answer {
  const read = orElse(identityProvider, () => undefined);
  if (read === undefined)
    return unknown(
      "the cluster that the plugin names is known only after apply",
      "state --identity-provider as a literal",
    );
  const parsed = parseManagedIdentityProvider(read);
  const isFleet = parsed?.kind === "membership";
  const isCluster = isFleet ? "yes" : parsed ? same(identityProvider, issuer) : "no";
  if (isCluster === "unknown")
    return unknown("the issuer of the cluster's tokens is not known", "record it in workload-identity.json");
  if (parsed === undefined || isCluster === "no")
    return broken(
      `${read} is not the cluster whose tokens are of ${shown(issuer)}`,
      "give the URL of the GKE cluster or fleet membership as --identity-provider; other clusters need a pool of their own",
      `${EMPTY} (invalid_target)`,
    );
  // The pool of a fleet is that of its host project.
  const isHost = isFleet
    ? /^\d+$/.test(parsed.project)
      ? "unknown"
      : same(known(parsed.project), project)
    : "yes";
  if (isHost === "yes") return pass(`the pool ${shown(project)}.svc.id.goog knows the cluster by ${read}`);
  return isHost === "unknown"
    ? unknown(
        `whether ${parsed.project}, the project of the fleet membership, is the project ${shown(project)} of the pool cannot be told`,
        "write the id of the fleet host project into --identity-provider",
      )
    : broken(
        `the membership ${read} is of the fleet of project ${parsed.project}, the pool ${shown(project)}.svc.id.goog is of ${shown(project)}`,
        "give the fleet host project as --project-id",
        `${EMPTY} (invalid_target)`,
      );
}
