/*
 * Service account tokens for spokes that trust the hub's issuer themselves: one projected volume, one file per spoke,
 * each with the audience of its spoke alone.
 */

import { validateAudience } from "../../model/audience";
import { Duration } from "../../model/duration";
import type { PodFragment } from "../../model/workloads";
import type { SpokeToken } from "./spoke-audience";

const VOLUME = "spoke-tokens";
const DIRECTORY = "/var/run/secrets/spoke-tokens";
const LIFETIME = Duration.hours(1);

/** Path of the token for a spoke in the controller's container. */
export function spokeTokenFile(spoke: string): string {
  return `${DIRECTORY}/${spoke}`;
}

/** What pods need to have the tokens; throws `audience-invalid` or `late-value`. */
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
  if (sources.length === 0) return { labels: {}, env: [], volumeMounts: [], volumes: [] };
  return {
    labels: {},
    env: [],
    volumeMounts: [{ name: VOLUME, mountPath: DIRECTORY, readOnly: true }],
    volumes: [{ name: VOLUME, projected: { sources } }],
  };
}
