/*
 * Audiences of spokes that trust the hub's issuer themselves. Whoever runs a spoke sees the tokens that are sent to it;
 * an audience that somebody else takes lets him use them there, as the hub's controller.
 */

import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import type { Issuer } from "../../model/issuer";
import { isRecord } from "../../model/record";

/** A spoke and the audience that it takes. */
export interface SpokeToken {
  /** Name of the spoke; the token's file is named after it. */
  readonly spoke: string;
  /** The audience. */
  readonly audience: string;
}

/** Audiences that others take; sources: the clouds' documentation of federation, KEP-1205, kubeadm and OpenShift. */
const TAKEN: readonly (readonly [RegExp, string])[] = [
  [/^(?:https:\/\/)?(?:[a-z0-9-]+\.)*amazonaws\.com(?:\.cn)?\/?$/i, "AWS"],
  [/^api:\/\/AzureADTokenExchange/i, "Azure"],
  [/^(?:https:)?\/\/(?:iam|sts)\.googleapis\.com(?:\/|$)/i, "Google Cloud"],
  [/\.svc\.id\.goog$/i, "Google Cloud"],
  [
    /^(?:https:\/\/)?kubernetes(?:\.default(?:\.svc(?:\.[^/]*)?)?)?(?::\d+)?\/?$/i,
    "the hub's own API server",
  ],
  [/^openshift$/i, "the components of OpenShift"],
];

/**
 * Returns an audience that nobody else is known to take.
 *
 * Throws `spoke-audience-foreign` for one of a cloud, of an API server or the issuer, `audience-invalid` or
 * `late-value`.
 */
export function spokeAudience(audience: string, issuer: Issuer): string {
  const valid = validateAudience(audience);
  const plain = (url: string): string => url.replace(/\/+$/, "");
  if (plain(valid) === plain(issuer.url))
    return fail("spoke-audience-foreign", valid, "the hub's own API server (its issuer)");
  const taken = TAKEN.find(([pattern]) => pattern.test(valid));
  return taken ? fail("spoke-audience-foreign", valid, taken[1]) : valid;
}

/**
 * Spokes and clouds of one hub have audiences of their own each: throws `spoke-audience-twice` for two spokes, and
 * `spoke-audience-foreign` where a token of the volumes has a spoke's audience.
 */
export function assertOwnAudiences(
  tokens: readonly SpokeToken[],
  volumes: readonly Readonly<Record<string, unknown>>[],
): void {
  const used = new Map<string, string>();
  for (const { spoke, audience } of tokens) {
    const first = used.get(audience);
    if (first !== undefined) fail("spoke-audience-twice", audience, first, spoke);
    used.set(audience, spoke);
  }
  const others = new Set(volumes.flatMap(audiencesOf));
  for (const audience of used.keys())
    if (others.has(audience)) fail("spoke-audience-foreign", audience, "a cloud of the hub's controllers");
}

function audiencesOf({ projected }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const sources = isRecord(projected) ? projected["sources"] : undefined;
  if (!Array.isArray(sources)) return [];
  return sources.flatMap((source: unknown) => {
    const token = isRecord(source) ? source["serviceAccountToken"] : undefined;
    return isRecord(token) ? [token["audience"]] : [];
  });
}
