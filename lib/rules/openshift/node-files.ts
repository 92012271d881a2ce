/*
 * The kubelet's two credential provider flags on OpenShift: on the clouds fixed in the operator's unit, on-premises a
 * variable that a drop-in file sets.
 */

import { fail } from "../../errors";
import { type NodeFile, type NodeSetup, nodeFile } from "../../model/node-file";
import {
  type PlatformNodes,
  type OpenShiftRelease,
  PLUGIN_DIRECTORY,
  KUBELET_DROP_IN,
  CREDENTIAL_PROVIDERS,
} from "./versions";
import { literal } from "../../model/late";
import { compareVersions } from "../../model/version";
import { matchImagesOverlap } from "../kubelet/image-matches";

const DROP_IN_MODE = 0o644;

/** The files of a setup, flags included: unchanged if the unit contains the flags, otherwise with the drop-in. */
export function filesWithFlags(setup: NodeSetup, nodes: PlatformNodes): readonly NodeFile[] {
  const possible: Readonly<Record<string, string>> = {
    "image-credential-provider-bin-dir": PLUGIN_DIRECTORY,
    "image-credential-provider-config": nodes.configPath,
  };
  for (const [flag, value] of Object.entries(setup.kubeletFlags)) {
    const expected = Object.hasOwn(possible, flag) ? possible[flag] : undefined;
    if (value !== expected)
      fail("openshift-unsupported", {
        problem: `the kubelet flag ${flag} cannot be set: on this platform the operator's kubelet unit sets it`,
        value,
        allowed: expected ?? Object.keys(possible).join(" and "),
        remedy: "use the `configPath` and `pluginDirectory` of the cluster's facts",
      });
  }
  if (nodes.flags === "unit" || Object.keys(setup.kubeletFlags).length === 0) return setup.files;
  const flags = Object.entries(possible)
    .map(([flag, value]) => `--${flag}=${value}`)
    .join(" ");
  // The variable's name is the operator's; its unit uses it unquoted, so that it splits into two arguments. An empty
  // ExecStart clears the unit's own command.
  const setting =
    nodes.kubeletCommand === undefined
      ? `Environment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=${flags}"`
      : `ExecStart=\nExecStart=${nodes.kubeletCommand} ${flags}`;
  const content = `[Service]\n${setting}\n`;
  return [...setup.files, nodeFile({ path: KUBELET_DROP_IN, mode: DROP_IN_MODE, content })];
}

/*
 * What the Machine Config Operator does to a node when a file changes: it drains and reboots the node, unless a
 * node disruption policy names the path or a directory above it (the longest match wins).
 *
 * Source: openshift/api, operator/v1/types_machineconfiguration.go; openshift/machine-config-operator,
 * pkg/apihelpers/apihelpers.go (the defaults of each release).
 */

/** One entry of `spec.nodeDisruptionPolicy.files`. */
export interface NodeDisruptionEntry {
  /** A file, or a directory, which covers everything below it. */
  readonly path: string;
  /** The actions that replace the reboot, in this order. */
  readonly actions: readonly object[];
}

/**
 * The given paths, sorted, for which a change reboots the node unless a policy entry names them.
 *
 * Omits those that the release's own defaults cover. A file outside the credential providers' directory (for example
 * `acr-azure.json`) needs its own entry on every release: one unlisted path reboots the node.
 */
export function unlistedPaths(paths: readonly string[], release: OpenShiftRelease): readonly string[] {
  const open = paths.filter((path) => !release.restartPaths.some((listed) => isAtOrBelow(path, listed)));
  const entries = open.map((path) => (isAtOrBelow(path, CREDENTIAL_PROVIDERS) ? CREDENTIAL_PROVIDERS : path));
  return [...new Set(entries)].sort();
}

/**
 * Restarts the kubelet when something at the path changes, without drain or reboot.
 *
 * The kubelet reads its credential provider file only when it starts. A file that only a plugin reads would need no
 * restart, but the restart also drops credentials that were cached under the old file.
 */
export function kubeletRestart(path: string): NodeDisruptionEntry {
  return { path, actions: [{ type: "Restart", restart: { serviceName: "kubelet.service" } }] };
}

function isAtOrBelow(path: string, listed: string): boolean {
  return path === listed || path.startsWith(`${listed}/`);
}

/*
 * The crio credential provider of OpenShift 4.22 and newer, which gives CRI-O secrets of the pod's namespace for pulls
 * from mirrors. The operator writes its entry into a separate file, so a file of ours must contain it too.
 *
 * Source: openshift/machine-config-operator, pkg/controller/container-runtime-config/helpers.go
 * (updateCredentialProviderConfig); openshift/api, config/v1 CRIOCredentialProviderConfig (the pattern and limits).
 */

const PATTERN =
  /^(?:\*|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.(?:\*|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?))*(?::[0-9]+)?(?:\/[-a-z0-9._/]*)?$/;
const LENGTH_MAX = 512;
const ENTRIES_MAX = 50;

/**
 * The checked patterns. `taken` are those of the file's other entries: the operator drops patterns that overlap with
 * them, which would silently break pulls from mirrors, so this function refuses them.
 */
function checkedCrioPatterns(
  matchImages: readonly string[],
  release: OpenShiftRelease,
  taken: readonly string[],
): readonly string[] {
  if (!release.crioCredentialProvider)
    return fail("openshift-unsupported", {
      problem:
        "the crio credential provider needs permissions that the operator grants only from OpenShift 4.22 on",
      value: release.version,
      allowed: "4.22 and newer, no hosted control plane",
      remedy: "remove `crioCredentialProvider`, or upgrade",
    });
  literal(matchImages, "matchImages of the crio credential provider");
  if (matchImages.length === 0 || matchImages.length > ENTRIES_MAX)
    failPattern(matchImages.length, "has no entry, or too many");
  for (const [index, pattern] of matchImages.entries()) {
    if (matchImages.indexOf(pattern) < index) failPattern(pattern, "contains an entry twice");
    if (pattern === "*") failPattern(pattern, "would match every image");
    if (pattern.length > LENGTH_MAX || !PATTERN.test(pattern))
      failPattern(pattern, "has an entry that the operator refuses");
    const other = taken.find((candidate) => matchImagesOverlap(pattern, candidate));
    if (other !== undefined) failPattern(pattern, `overlaps with ${other} of an earlier entry`);
  }
  return [...matchImages].sort();
}

/** The finished entry, as the operator writes it. */
export function crioCredentialProvider(
  matchImages: readonly string[],
  release: OpenShiftRelease,
  taken: readonly string[],
): Readonly<Record<string, unknown>> {
  const patterns = checkedCrioPatterns(matchImages, release, taken);
  return {
    name: "crio-credential-provider",
    matchImages: patterns,
    defaultCacheDuration: "1s",
    apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    tokenAttributes: {
      serviceAccountTokenAudience: "https://kubernetes.default.svc",
      cacheType: "Token",
      requireServiceAccount: false,
    },
  };
}

/** The release in which the API became stable; earlier ones serve it only with the feature set TechPreviewNoUpgrade. */
const STABLE_SINCE = "4.23";

/** The singleton that makes the operator write the entry into its own files. Source: openshift/api, config/v1. */
export function crioCredentialProviderConfig(
  matchImages: readonly string[],
  release: OpenShiftRelease,
  taken: readonly string[],
): { readonly apiVersion: string; readonly kind: string; readonly metadata: object; readonly spec: object } {
  const isStable = compareVersions(release.version, STABLE_SINCE) >= 0;
  return {
    apiVersion: `config.openshift.io/${isStable ? "v1" : "v1alpha1"}`,
    kind: "CRIOCredentialProviderConfig",
    metadata: { name: "cluster" },
    spec: { matchImages: checkedCrioPatterns(matchImages, release, taken) },
  };
}

function failPattern(value: unknown, reason: string): never {
  return fail("openshift-invalid", {
    problem: `matchImages of the crio credential provider ${reason}`,
    value,
    allowed:
      "1 to 50 patterns in the CRIOCredentialProviderConfig's form: host[:port][/path], `*` for one whole part of the host",
    remedy: "name the registries whose mirrors need secrets of the namespace",
  });
}
