/*
 * Would the pool that GKE and fleets bring along take the service account's token?
 */

import { parseManagedIdentityProvider } from "../../../rules/google/managed-identity-provider";
import { type Answer, broken, pass, unknown } from "../../answer";
import { isLateText, sameText } from "../../facts/terraform";
import { EMPTY, type Exchange } from "./exchange";
import type { Token } from "./token";

/** What is said of issuer, audience and subject. */
export type TrustAnswers = readonly [issuer: Answer, audience: Answer, subject: Answer];

type ManagedExchange = Extract<Exchange, { kind: "managed" }>;

/** The pool of a fleet is that of its host project. */
function poolKnows(
  pool: string,
  host: string,
  { project, identityProvider }: Pick<ManagedExchange, "project" | "identityProvider">,
): Answer {
  if (host === project) return pass(`the pool ${pool} knows the cluster by ${identityProvider}`);
  if (/^\d+$/.test(host) || isLateText(host) || isLateText(project))
    return unknown(
      `whether ${host}, the project of the fleet membership, is the project ${project} of the pool cannot be told`,
      "write the id of the fleet host project into --identity-provider",
    );
  return broken(
    `the membership ${identityProvider} is of the fleet of project ${host}, the pool ${pool} is of ${project}`,
    "give the fleet host project as --project-id",
    `${EMPTY} (invalid_target)`,
  );
}

/** The answers for issuer, audience and subject. */
export function managedTrust(
  { project, identityProvider }: ManagedExchange,
  issuer: string,
  { audience, claims }: Pick<Token, "audience" | "claims">,
): TrustAnswers {
  const pool = `${project}.svc.id.goog`;
  const read = parseManagedIdentityProvider(identityProvider);
  const fleet = read?.kind === "membership";
  return [
    read && (fleet || identityProvider === issuer)
      ? poolKnows(pool, fleet ? read.project : project, { project, identityProvider })
      : broken(
          `${identityProvider} is not the cluster whose tokens are of ${issuer}`,
          "give the URL of the GKE cluster or fleet membership as --identity-provider; other clusters need a pool of their own",
          `${EMPTY} (invalid_target)`,
        ),
    sameText(audience, pool) === "same"
      ? pass(`the pool accepts its own id as audience`)
      : broken(
          `the pool accepts ${pool}, the token is for ${audience}`,
          "write it as serviceAccountTokenAudience",
          "STS token exchange failed with status 400: invalid_grant",
        ),
    pass(
      `the pool admits every service account of its clusters, ${claims.namespace}/${claims.name} among them`,
    ),
  ];
}
