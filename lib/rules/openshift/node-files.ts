/*
 * The kubelet's two credential provider flags on OpenShift: fixed text of the operator's unit on the clouds, a
 * variable that a drop-in file sets on-premises.
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

/** The files of a setup, flags included: unchanged where the unit has the flags, with the drop-in elsewhere. */
export function filesWithFlags(setup: NodeSetup, nodes: PlatformNodes): readonly NodeFile[] {
  const possible: Readonly<Record<string, string>> = {
    "image-credential-provider-bin-dir": PLUGIN_DIRECTORY,
    "image-credential-provider-config": nodes.configPath,
  };
  for (const [flag, value] of Object.entries(setup.kubeletFlags)) {
    const expected = Object.hasOwn(possible, flag) ? possible[flag] : undefined;
    if (value !== expected)
      fail("openshift-unsupported", {
        problem: `the kubelet flag ${flag} cannot be set: the operator's own kubelet unit decides it on this platform`,
        value,
        allowed: expected ?? Object.keys(possible).join(" and "),
        remedy: "use the `configPath` and `pluginDirectory` of the cluster's facts",
      });
  }
  if (nodes.flags === "unit" || Object.keys(setup.kubeletFlags).length === 0) return setup.files;
  const flags = Object.entries(possible)
    .map(([flag, value]) => `--${flag}=${value}`)
    .join(" ");
  // The variable's name is the operator's; its unit takes it unquoted, so that it splits into two arguments. An empty
  // ExecStart forgets the unit's own command.
  const setting =
    nodes.kubeletCommand === undefined
      ? `Environment="KUBELET_CRIO_IMAGE_CREDENTIAL_PROVIDER_FLAGS=${flags}"`
      : `ExecStart=\nExecStart=${nodes.kubeletCommand} ${flags}`;
  const content = `[Service]\n${setting}\n`;
  return [...setup.files, nodeFile({ path: KUBELET_DROP_IN, mode: DROP_IN_MODE, content })];
}

/*
 * What the Machine Config Operator does to a node when a file changes: by default it drains and reboots, unless a
 * node disruption policy names the path or a directory above it (longest wins).
 *
 * Source: openshift/api, operator/v1/types_machineconfiguration.go; openshift/machine-config-operator,
 * pkg/apihelpers/apihelpers.go (the defaults of each release).
 */

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

/*
 * The crio credential provider of OpenShift 4.22 and newer, which hands pulls from mirrors to CRI-O with secrets of
 * the pod's namespace. The operator writes its entry into a separate file, so a file of ours must carry it.
 *
 * Source: openshift/machine-config-operator, pkg/controller/container-runtime-config/helpers.go
 * (updateCredentialProviderConfig); openshift/api, config/v1 CRIOCredentialProviderConfig (the pattern and limits).
 */

const PATTERN =
  /^(?:\*|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)(?:\.(?:\*|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?))*(?::[0-9]+)?(?:\/[-a-z0-9._/]*)?$/;
const LENGTH_MAX = 512;
const ENTRIES_MAX = 50;

/**
 * The patterns, checked. `taken` are those of the file's other entries: the operator drops what overlaps with them,
 * which would take mirrors away in silence, so it is refused here.
 */
function checkedCrioPatterns(
  matchImages: readonly string[],
  release: OpenShiftRelease,
  taken: readonly string[],
): readonly string[] {
  if (!release.crioCredentialProvider)
    return fail("openshift-unsupported", {
      problem: "the crio credential provider needs what the operator grants it from OpenShift 4.22 on",
      value: release.version,
      allowed: "4.22 and newer, not hosted",
      remedy: "leave `crioCredentialProvider` out, or upgrade",
    });
  literal(matchImages, "matchImages of the crio credential provider");
  if (matchImages.length === 0 || matchImages.length > ENTRIES_MAX)
    failPattern(matchImages.length, "has no entry or too many");
  for (const [index, pattern] of matchImages.entries()) {
    if (matchImages.indexOf(pattern) < index) failPattern(pattern, "has an entry twice");
    if (pattern === "*") failPattern(pattern, "would take every image");
    if (pattern.length > LENGTH_MAX || !PATTERN.test(pattern))
      failPattern(pattern, "has an entry that the operator refuses");
    const other = taken.find((candidate) => matchImagesOverlap(pattern, candidate));
    if (other !== undefined)
      failPattern(pattern, `overlaps with ${other} of another entry, which goes first`);
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

/** Since when the API is stable; before, it is served with the feature set TechPreviewNoUpgrade alone. */
const STABLE_SINCE = "4.23";

/** The singleton that has the operator write the entry into its own files. Source: openshift/api, config/v1. */
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
      "1 to 50 patterns as the CRIOCredentialProviderConfig takes them: host[:port][/path], `*` for one whole part of the host",
    remedy: "name the registries whose mirrors need secrets of the namespace",
  });
}
