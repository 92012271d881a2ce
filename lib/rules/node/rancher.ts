/*
 * K3s and RKE2 read flags from a configuration file: /etc/rancher/<name>/config.yaml, then config.yaml.d/*.yaml by
 * name. A later value replaces an earlier one, and a key that ends with + extends it.
 *
 * Sources: k3s-io/k3s, pkg/configfilearg/parser.go (drop-ins, `+`), pkg/daemons/agent/agent_linux.go
 * (kubeletArgsAndConfig: the two flags are passed if both paths exist; kubelet-arg wins), pkg/cli/cmds/agent.go (their
 * defaults); rancher/rke2, pkg/cli/cmds/agent.go (both flags are copied from K3s) and pkg/bootstrap/bootstrap.go;
 * rancher/wharfie v0.7.1, pkg/credentialprovider/plugin (no tokens: RKE2 pulls its own images without credentials if
 * the plugin serves only annotated service accounts).
 */

import { fail } from "../../errors";
import type { NodePlaces } from "../../model/node-carrier";
import type { NodeFile, NodeSetup } from "../../model/node-file";
import { record } from "../../model/parsed";
import { compareVersions } from "../../model/version";
import { flagsInTurn } from "./form";
import { BIN_FLAG, CONFIG_FLAG, type KubeletHost, type NodeVersions, type VersionObstacle } from "./host";

const ROOT = "/var/lib/rancher/credentialprovider";

export const RANCHER_PLACES: NodePlaces = {
  configPath: `${ROOT}/config.yaml`,
  pluginDirectory: `${ROOT}/bin`,
};

const MODE = 0o600;
const GATE_ON_SINCE = "1.34";

const SERVICES = { k3s: "k3s or k3s-agent", rke2: "rke2-server or rke2-agent" } as const;

export function rancherHost(name: keyof typeof SERVICES): KubeletHost {
  return {
    id: name,
    places: RANCHER_PLACES,
    files: (setup) => [...setup.files, configFile(name, setup)],
    ...(name === "rke2" && { checkKubelet: checkRke2 }),
    comment: [
      `A change takes effect when the service ${SERVICES[name]} is restarted. If the configuration or the plugin directory`,
      "is missing, the kubelet silently starts without credential providers.",
    ],
  };
}

/** RKE2 itself pulls its runtime image with the same file, before the kubelet runs and with default feature gates. */
function checkRke2(kubelet: string): void {
  if (compareVersions(kubelet, GATE_ON_SINCE) < 0)
    fail("version-unsupported", {
      problem: `RKE2 ${kubelet} itself reads the CredentialProviderConfig, with the feature gate for tokens off, and does not start with it`,
      value: kubelet,
      allowed: `${GATE_ON_SINCE} and newer`,
      remedy: "upgrade RKE2 first",
    });
}

function configFile(name: string, { kubeletFlags }: NodeSetup): NodeFile {
  const lines = Object.entries(kubeletFlags)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([flag, value]) =>
      flag === CONFIG_FLAG || flag === BIN_FLAG ? `${flag}: ${value}\n` : refuseFlag(flag),
    );
  return {
    path: `/etc/rancher/${name}/config.yaml.d/50-credential-provider.yaml`,
    mode: MODE,
    content: lines.join(""),
  };
}

function refuseFlag(flag: string): never {
  return fail("node-unsupported", {
    problem: "this kubelet flag does not configure credential providers",
    value: flag,
    allowed: `${BIN_FLAG} and ${CONFIG_FLAG}`,
    remedy: "set other flags with kubelet-arg in your own configuration file",
  });
}

/** What RKE2 does with the file before its kubelet runs. */
export function rke2Obstacle({ kubelet }: NodeVersions): VersionObstacle | undefined {
  return kubelet !== undefined && compareVersions(kubelet, GATE_ON_SINCE) < 0
    ? { isCertain: true, reason: `RKE2 ${kubelet} itself reads the file, and does not start with it` }
    : undefined;
}

export function isRke2Config(path: string): boolean {
  return isRancherConfig(path) && path.startsWith("/etc/rancher/rke2/");
}

const FILE = /^\/etc\/rancher\/(?:k3s|rke2)\/config\.yaml(?:\.d\/[^/]+\.ya?ml)?$/i;

/** True for a file from which K3s or RKE2 reads flags. */
export function isRancherConfig(path: string): boolean {
  return FILE.test(path);
}

/** True for such a file, and for the CredentialProviderConfig that both read even without flags. */
export function isRancherFile(path: string): boolean {
  return isRancherConfig(path) || path === RANCHER_PLACES.configPath;
}

/** The kubelet's flags from the parsed files, in the order of their paths; missing ones have their defaults. */
export function rancherFlags(documents: readonly unknown[]): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>();
  for (const [written, value] of documents.flatMap((each) => Object.entries(record(each)))) {
    const key = written.replace(/\+$/, "");
    const isAdded = written !== key && values.has(key);
    values.set(key, isAdded ? [...asList(values.get(key)), ...asList(value)] : value);
  }
  const flags = asList(values.get("kubelet-arg")).map((each) => splitArgument(String(each)));
  return {
    [CONFIG_FLAG]: lastOf(values.get(CONFIG_FLAG)) ?? RANCHER_PLACES.configPath,
    [BIN_FLAG]: lastOf(values.get(BIN_FLAG)) ?? RANCHER_PLACES.pluginDirectory,
    ...flagsInTurn(flags),
  };
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
}

/** If a flag is given several times, its last value wins. */
function lastOf(value: unknown): unknown {
  return asList(value).at(-1);
}

/** With + or - at its end, a flag extends what K3s passes itself, which is not known here; gates add up anyway. */
function splitArgument(argument: string): readonly [flag: string, value: unknown] {
  const [written = "", ...value] = argument.replace(/^-+/, "").split("=");
  const flag = written.replace(/[+-]$/, "");
  return [flag, flag === written || flag === "feature-gates" ? value.join("=") : undefined];
}
