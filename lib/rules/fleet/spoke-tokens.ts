/*
 * Service account tokens for spokes that trust the hub's issuer themselves: one projected volume, one file per spoke,
 * each with the audience of its spoke alone. Whoever runs a spoke sees the tokens that are sent to it; an audience that
 * something else takes lets them be used there, as the hub's controller.
 */

import { type WorkloadIdentityError, fail, refusal } from "../../errors";
import { validateAudience } from "../../model/audience";
import { Duration } from "../../model/duration";
import type { Issuer } from "../../model/issuer";
import { at, list } from "../../model/parsed";
import type { PodFragment } from "../../model/workloads";

/** A spoke and the audience that it takes. */
export interface SpokeToken {
  /** Name of the spoke; the token's file is named after it. */
  readonly spoke: string;
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

/** Returns an audience that nothing else is known to take. */
export function spokeAudience(audience: string, issuer: Issuer): string {
  const valid = validateAudience(audience);
  const plain = (url: string): string => url.replace(/\/+$/, "");
  if (plain(valid) === plain(issuer.url))
    throw foreignAudience(valid, "the hub's own API server (its issuer)");
  const taken = TAKEN.find(([pattern]) => pattern.test(valid));
  if (taken) throw foreignAudience(valid, taken[1]);
  return valid;
}

function foreignAudience(audience: string, owner: string): WorkloadIdentityError {
  return refusal("fleet-unsafe", {
    problem: `the audience is that of ${owner}, where whoever runs the spoke could use the hub's token`,
    value: audience,
    allowed: "an audience of the spoke's own, for example the URL of its API server",
    remedy: "give the spoke an audience that nothing else takes",
  });
}

/** Refuses an audience that two spokes, or a spoke and a cloud's token in the volumes, have in common. */
export function assertOwnAudiences(
  tokens: readonly SpokeToken[],
  volumes: readonly Readonly<Record<string, unknown>>[],
): void {
  const used = new Map<string, string>();
  for (const { spoke, audience } of tokens) {
    const first = used.get(audience);
    if (first !== undefined)
      fail("fleet-conflict", {
        problem: `spokes ${first} and ${spoke} take one audience, so that each could use the other one's token`,
        value: audience,
        allowed: "one audience per spoke",
        remedy: "give each spoke an audience of its own, for example the URL of its API server",
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

/** What pods need to have the tokens. */
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
