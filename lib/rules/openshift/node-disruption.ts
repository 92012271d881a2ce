/*
 * What the Machine Config Operator does to a node when a file changes: by default it drains and reboots, unless a
 * node disruption policy names the path or a directory above it (longest wins).
 *
 * Source: openshift/api, operator/v1/types_machineconfiguration.go; openshift/machine-config-operator,
 * pkg/apihelpers/apihelpers.go (the defaults of each release).
 */

import { CREDENTIAL_PROVIDERS, type OpenShiftRelease } from "./versions";

/** One entry of `spec.nodeDisruptionPolicy.files`. */
export interface NodeDisruptionEntry {
  /** A file, or a directory for all below it. */
  readonly path: string;
  /** Done in this order instead of a reboot. */
  readonly actions: readonly object[];
}

/**
 * Directories and files that need an entry so that a change of the given files reboots no node, sorted.
 *
 * Not those that the release's own defaults name. A file outside of the credential providers' directory (an
 * `acr-azure.json`, say) needs its own entry on every release: one unlisted path reboots the node.
 */
export function unlistedPaths(paths: readonly string[], release: OpenShiftRelease): readonly string[] {
  const open = paths.filter((path) => !release.restartPaths.some((listed) => isAtOrBelow(path, listed)));
  const entries = open.map((path) => (isAtOrBelow(path, CREDENTIAL_PROVIDERS) ? CREDENTIAL_PROVIDERS : path));
  return [...new Set(entries)].sort();
}

/**
 * Restarts the kubelet when something at the path changes, without drain or reboot.
 *
 * The kubelet reads its credential provider file only at start. A file that only a plugin reads would need no
 * restart, but the restart also drops credentials that were cached under the old file.
 */
export function kubeletRestart(path: string): NodeDisruptionEntry {
  return { path, actions: [{ type: "Restart", restart: { serviceName: "kubelet.service" } }] };
}

function isAtOrBelow(path: string, listed: string): boolean {
  return path === listed || path.startsWith(`${listed}/`);
}
