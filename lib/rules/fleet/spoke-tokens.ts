/*
 * Service account tokens for spokes that trust the hub's issuer themselves: one projected volume with one file per
 * spoke, each for the audience of its spoke only. Whoever runs a spoke sees the tokens sent to it; if something else
 * accepted the same audience, they could use the tokens there, as the hub's controller.
 */

import { type WorkloadIdentityError, fail, refusal } from "../../errors";
import { validateAudience } from "../../model/audience";
import { Duration } from "../../model/duration";
import type { Issuer } from "../../model/issuer";
import { at, list } from "../../model/parsed";
import type { PodFragment } from "../../model/workloads";

/** A spoke and the audience that it accepts. */
export interface SpokeToken {
  /** Name of the spoke; the token's file is named after it. */
  readonly spoke: string;
  readonly audience: string;
}

/** Audiences that others accept; sources: the clouds' documentation of federation, KEP-1205, kubeadm and OpenShift. */
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

/** Returns the audience unless something else is known to accept it; throws otherwise. */
export function spokeAudience(audience: string, issuer: Issuer): string {
  const valid = validateAudience(audience);
  const plain = (url: string): string => url.replace(/(?<!\/)\/+$/, "");
  if (plain(valid) === plain(issuer.url))
    throw foreignAudience(valid, "the hub's own API server (its issuer)");
  const taken = TAKEN.find(([pattern]) => pattern.test(valid));
  if (taken) throw foreignAudience(valid, taken[1]);
  return valid;
}

function foreignAudience(audience: string, owner: string): WorkloadIdentityError {
  return refusal("fleet-unsafe", {
    problem: `the audience is also accepted by ${owner}, so whoever runs the spoke could use the hub's token there`,
    value: audience,
    allowed: "an audience that only this spoke accepts, for example the URL of its API server",
    remedy: "give the spoke an audience that nothing else accepts",
  });
}

/** Throws if two spokes, or a spoke and a cloud's token in the volumes, have the same audience. */
export function assertOwnAudiences(
  tokens: readonly SpokeToken[],
  volumes: readonly Readonly<Record<string, unknown>>[],
): void {
  const used = new Map<string, string>();
  for (const { spoke, audience } of tokens) {
    const first = used.get(audience);
    if (first !== undefined)
      fail("fleet-conflict", {
        problem: `the spokes ${first} and ${spoke} accept the same audience, so each could use the other's token`,
        value: audience,
        allowed: "one audience per spoke",
        remedy: "give each spoke a different audience, for example the URL of its API server",
      });
    used.set(audience, spoke);
  }
  const others = volumes
    .flatMap((volume) => list(at(volume, "projected", "sources")))
    .map((source) => at(source, "serviceAccountToken", "audience"));
  for (const audience of used.keys())
    if (others.includes(audience)) throw foreignAudience(audience, "a cloud of the hub's controllers");
}

const VOLUME = "spoke-tokens";
const DIRECTORY = "/var/run/secrets/spoke-tokens";
const LIFETIME = Duration.hours(1);

/** Path of the token for a spoke in the controller's container. */
export function spokeTokenFile(spoke: string): string {
  return `${DIRECTORY}/${spoke}`;
}

/** The volume with the tokens, as a fragment of a pod. */
export function spokeTokens(tokens: readonly SpokeToken[]): PodFragment {
  const sources = [...tokens]
    .sort((a, b) => (a.spoke < b.spoke ? -1 : 1))
    .map(({ spoke, audience }) => ({
      serviceAccountToken: {
        audience: validateAudience(audience),
        expirationSeconds: LIFETIME.totalSeconds,
        path: spoke,
      },
    }));
  const hasAny = sources.length > 0;
  return {
    labels: {},
    env: [],
    volumeMounts: hasAny ? [{ name: VOLUME, mountPath: DIRECTORY, readOnly: true }] : [],
    volumes: hasAny ? [{ name: VOLUME, projected: { sources } }] : [],
  };
}
