import type { PoolProviderFact } from "./workload-identity";

/** What the plugin logs of every exchange that fails. */
export const EMPTY = "Workload Identity exchange failed for opted-in KSA …. Failing fast without fallback.";

/** Where the plugin exchanges tokens, by its arguments. */
export type Exchange =
  | {
      /** A pool of one's own. */
      readonly kind: "custom";
      /** Number of the pool's project, or a reference. */
      readonly projectNumber: string;
      /** Id of the pool. */
      readonly poolId: string;
      /** Id of the pool provider. */
      readonly providerId: string;
    }
  | {
      /** The pool of GKE and fleet. */
      readonly kind: "managed";
      /** Id of the project. */
      readonly project: string;
      /** URL of the cluster or membership. */
      readonly identityProvider: string;
    };

const STS_AUDIENCE =
  /^\/\/iam\.googleapis\.com\/projects\/([^/]+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;

/** An exchange at a pool of one's own. */
export type CustomExchange = Extract<Exchange, { kind: "custom" }>;

/** The exchange of an audience `//iam.googleapis.com/projects/…/providers/<id>`; `undefined` for another text. */
export function customExchange(audience: string): CustomExchange | undefined {
  const [, projectNumber, poolId, providerId] = STS_AUDIENCE.exec(audience) ?? [];
  return projectNumber === undefined || poolId === undefined || providerId === undefined
    ? undefined
    : { kind: "custom", projectNumber, poolId, providerId };
}

/** The pool provider of an exchange; `undefined` where it was not read, or cannot be told from another. */
export function poolProviderOf(
  { poolId, providerId }: CustomExchange,
  poolProviders: readonly PoolProviderFact[],
): PoolProviderFact | undefined {
  const named = poolProviders.filter((each) => each.poolId === poolId && each.providerId === providerId);
  // The audience has the project's number, the resource its id: of two projects' pools of one name neither is known.
  return named.length === 1 ? named[0] : undefined;
}
