/*
 * MicroShift runs the kubelet in its process, with two keys below `kubelet:` for the two flags. Its configuration is
 * /etc/microshift/config.yaml, then config.d/*.yaml by name, merged key by key (JSON merge patch: null removes a key).
 *
 * Source: openshift/enhancements, enhancements/microshift/microshift-kubelet-image-credential-provider.md (pull request
 * 2089): both keys or neither, absolute paths, each path component owned by root and not writable by others; SELinux
 * lets the kubelet execute files only below /usr/libexec and /usr/local/bin. openshift/microshift 7337 implements it.
 */

import { fail } from "../../errors";
import type { NodePlaces } from "../../model/node-carrier";
import type { NodeFile, NodeSetup } from "../../model/node-file";
import { type Json, at, record } from "../../model/parsed";
import { compareVersions, minorOf } from "../../model/version";
import { BIN_FLAG, CONFIG_FLAG, type KubeletHost, type NodeVersions, type VersionObstacle } from "./host";

const PLACES: NodePlaces = {
  configPath: "/etc/microshift/credential-providers.yaml",
  pluginDirectory: "/usr/libexec/microshift/credential-providers",
};

const KEYS: Readonly<Record<string, string>> = {
  [CONFIG_FLAG]: "imageCredentialProviderConfigPath",
  [BIN_FLAG]: "imageCredentialProviderBinDir",
};

/** The last minor that only copies both keys to the kubelet's configuration, where they have no effect. */
const LAST_WITHOUT = "4.22";
/** The kubelet of that minor. */
const KUBELET_OF_LAST = "1.35";
const EXECUTABLE_BELOW = /^\/usr\/(?:libexec|local\/bin)(?:\/|$)/;
const MODE = 0o600;
const WRITABLE_BY_OTHERS = 0o022;

export function microShiftHost(version: string): KubeletHost {
  if (compareVersions(minorOf("MicroShift version", version), LAST_WITHOUT) <= 0)
    fail("version-unsupported", {
      problem: `MicroShift ${version} has no setting for image credential providers: its kubelet would ignore the keys with a warning`,
      value: version,
      allowed: "releases that contain openshift/microshift pull request 7337 (4.22 and older do not)",
      remedy: "upgrade MicroShift first, then add the keys",
    });
  return {
    id: "microshift",
    recorded: { microShift: version },
    checkKubelet: (kubelet) => checkKubelet(version, kubelet),
    places: PLACES,
    files: (setup) => {
      for (const file of setup.files) assertTrusted(file);
      return [...setup.files, configFile(setup)];
    },
    comment: [
      "A change takes effect when microshift.service is restarted. MicroShift does not start if the plugin directory is",
      "missing, or if anyone but root may write to it or to a directory above it.",
    ],
  };
}

function checkKubelet(version: string, kubelet: string): void {
  if (compareVersions(kubelet, KUBELET_OF_LAST) <= 0)
    fail("version-unsupported", {
      problem: `MicroShift ${version} has a newer kubelet than ${kubelet}, which belongs to ${LAST_WITHOUT} or older`,
      value: kubelet,
      allowed: `newer than ${KUBELET_OF_LAST}`,
      remedy: "state the versions that the devices will run; 4.22 and older have no such setting",
    });
}

/** Whether a MicroShift version ignores the two keys. */
export function microShiftObstacle({ kubelet, microShift }: NodeVersions): VersionObstacle | undefined {
  const isOld =
    microShift === undefined
      ? kubelet !== undefined && compareVersions(kubelet, KUBELET_OF_LAST) <= 0
      : compareVersions(minorOf("MicroShift version", microShift), LAST_WITHOUT) <= 0;
  if (isOld)
    return {
      isCertain: true,
      reason: `MicroShift up to ${LAST_WITHOUT} ignores the keys with a warning`,
    };
  return microShift === undefined
    ? {
        isCertain: false,
        reason:
          "whether this MicroShift has settings for credential providers is not known; state its version as cluster.microShift",
      }
    : undefined;
}

/** As {@link microShiftHost} refuses it, for what was read. */
export function microShiftRefusal(
  modes: ReadonlyMap<string, number | undefined>,
  directory: string,
): string | undefined {
  const [path] = [...modes].find(([, mode = 0]) => (mode & WRITABLE_BY_OTHERS) !== 0) ?? [];
  if (path !== undefined) return `MicroShift may not start, because ${path} is writable by group or others`;
  return EXECUTABLE_BELOW.test(directory)
    ? undefined
    : `SELinux lets MicroShift run no plugins in ${directory}`;
}

function assertTrusted({ path, mode }: NodeFile): void {
  if ((mode & WRITABLE_BY_OTHERS) !== 0)
    fail("node-unsupported", {
      problem: `${path} would be writable by group or others, with which MicroShift does not start`,
      value: `0${mode.toString(8)}`,
      allowed: "modes without write permission for group and others",
      remedy: "use mode 0644",
    });
}

function configFile({ kubeletFlags }: NodeSetup): NodeFile {
  const directory = kubeletFlags[BIN_FLAG] ?? "";
  if (!EXECUTABLE_BELOW.test(directory))
    fail("node-unsupported", {
      problem: "SELinux does not allow MicroShift's kubelet to execute plugins in this directory",
      value: directory,
      allowed: "/usr/libexec and /usr/local/bin, and directories below them",
      remedy: "remove `pluginDirectory`, or choose one of those directories",
    });
  const lines = Object.entries(kubeletFlags)
    .sort(([a], [b]) => (a < b ? 1 : -1))
    .map(([flag, value]) => `  ${KEYS[flag] ?? refuseFlag(flag)}: ${value}\n`);
  return {
    path: "/etc/microshift/config.d/50-credential-provider.yaml",
    mode: MODE,
    content: `kubelet:\n${lines.join("")}`,
  };
}

function refuseFlag(flag: string): never {
  return fail("node-unsupported", {
    problem: "MicroShift has no setting for this kubelet flag",
    value: flag,
    allowed: Object.keys(KEYS).join(" and "),
    remedy: "set anything else through fields of KubeletConfiguration below `kubelet:`",
  });
}

const FILE = /^\/etc\/microshift\/config(?:\.yaml|\.d\/[^/]+\.yaml)$/;

export function isMicroShiftConfig(path: string): boolean {
  return FILE.test(path);
}

/** The kubelet's flags from the parsed files, in the order of their paths. */
export function microShiftFlags(documents: readonly unknown[]): Readonly<Record<string, unknown>> {
  const rows = Object.entries(KEYS).map(([flag, key]): [string, unknown] => {
    const last = documents.map((each) => at(each, "kubelet", key)).findLast((each) => each !== undefined);
    return [flag, last ?? ""];
  });
  const merged = Object.assign(
    {},
    ...documents.map((each) => record(at(each, "kubelet", "featureGates"))),
  ) as Json;
  const gates = Object.entries(merged).filter(([, on]) => on !== null);
  return {
    ...Object.fromEntries(rows),
    ...(gates.length > 0 && {
      "feature-gates": gates.map(([gate, on]) => `${gate}=${String(on)}`).join(","),
    }),
  };
}
