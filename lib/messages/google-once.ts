import type { Problem } from "./problem";

/** Refusals of the google area: what Google Cloud has once, and what an app must say of it in one voice. */
export const googleOnceMessages = {
  "google-pool-conflict": (pool: string, property: string): Problem => ({
    problem: `workload identity pool is already declared in this stack with another ${property}`,
    value: pool,
    remedy: "declare the pool once and hand the construct to everything that uses it",
  }),
  "google-pool-taken": (pool: string, path: string): Problem => ({
    problem: `workload identity pool is already declared in this app, as ${path}`,
    value: pool,
    allowed: "one declaration of a pool, by project and id",
    remedy:
      "within a stack use WorkloadIdentityPool.forPoolId, which declares a pool once and returns it to every caller; in another stack give that construct as `pool`, or its pool provider as `oidcProvider`, or adopt it with WorkloadIdentityPool.fromPoolId; another cluster of the same name needs a namePrefix or a poolId of its own",
  }),
  "google-oidc-provider-conflict": (issuer: string, property: string): Problem => ({
    problem: `the issuer already has a pool provider in this workload identity pool, with another ${property}`,
    value: issuer,
    remedy: "use the same settings for every use of the issuer, or give each use a pool of its own",
  }),
  "google-oidc-provider-taken": (providerId: string, path: string): Problem => ({
    problem: `pool provider of that id is already declared in the workload identity pool, as ${path}`,
    value: providerId,
    allowed: "one pool provider of an id in a pool",
    remedy:
      "state another providerId; for the same issuer and audience give that construct as `oidcProvider`, in another stack too, or adopt it with OidcProvider.fromProviderId and name the service accounts at the declared one",
  }),
  "google-issuer-keys-differ": (issuer: string, keys: string, others: string, path: string): Problem => ({
    problem: `keys of the issuer (${keys}) differ from those that ${path} trusts (${others}); token exchanges of one of the two would fail`,
    value: issuer,
    allowed: "the same keys, or none, in each pool provider of an issuer",
    remedy:
      "state the same `keys` (or `jwks`) in componentServiceAccounts(), workloadServiceAccounts(), pullPrincipals() and OidcProvider, the next key too while keys are rotated; or leave them out everywhere, where Google can ask the issuer",
  }),
};
