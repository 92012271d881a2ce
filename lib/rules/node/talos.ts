/*
 * Talos' machine configuration. If it contains a credential provider configuration, Talos itself passes both flags to
 * the kubelet, with fixed paths; plugins are system extensions.
 *
 * Sources: siderolabs/talos, pkg/machinery/config/types/v1alpha1/v1alpha1_types.go
 * (machine.kubelet.credentialProviderConfig, since 1.6) and types/k8s/credential_provider.go (the document
 * KubeCredentialProviderConfig, since 1.14, which refuses machine.kubelet next to it);
 * internal/app/machined/pkg/controllers/k8s/kubelet_service.go (writeKubeletCredentialProviderConfig: Talos decodes the
 * configuration with the types of its own Kubernetes release, silently drops unknown fields and writes the rest anew);
 * kubelet_spec.go (the flags); runtime/v1alpha1/v1alpha1_sequencer_tasks.go (WriteUserFiles: creates files only below
 * /var); pkg/machinery/constants/constants.go (paths).
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import type { NodePlaces } from "../../model/node-carrier";
import type { NodeFile, NodeSetup } from "../../model/node-file";
import { type Json, at, list, record, text } from "../../model/parsed";
import { parsedYaml } from "../../model/parsed-yaml";
import { isRecord } from "../../model/record";
import { compareVersions, minorOf } from "../../model/version";
import { type CarriedFile, type CarriedSetup, type NodeForm, carriedFiles, flagsInTurn } from "./form";
import { BIN_FLAG, CONFIG_FLAG } from "./host";

/** Talos' paths of the file and the plugins; they cannot be changed, and the directory is read-only. */
export const TALOS_PLACES: NodePlaces = {
  configPath: "/etc/kubernetes/kubelet-credentialproviderconfig.yaml",
  pluginDirectory: "/usr/local/lib/kubelet/credentialproviders",
  pluginDirectoryWritable: false,
};

/** The newest kubelet that each Talos minor runs, and whose configuration its types can express. */
const RELEASES: Readonly<Record<string, string>> = {
  "1.10": "1.33",
  "1.11": "1.34",
  "1.12": "1.35",
  "1.13": "1.36",
  "1.14": "1.37",
};
const DOCUMENT_SINCE = "1.14";
/** The last kubelet minor that refuses `cacheType`. */
const WITHOUT_CACHE_TYPE = "1.33";

/** Throws for an unknown version of Talos, and for a kubelet that it does not run. */
export function checkTalos(version: string, kubelet: string): void {
  const minor = minorOf("version of Talos", version);
  const known = Object.keys(RELEASES);
  const newest = Object.hasOwn(RELEASES, minor) ? RELEASES[minor] : undefined;
  if (newest === undefined)
    return fail("version-unsupported", {
      problem:
        compareVersions(minor, known[0] ?? "") < 0
          ? `Talos ${minor} silently drops tokenAttributes from the configuration, so the plugin would use the node's identity`
          : `Talos ${minor} is not a known version`,
      value: version,
      allowed: known.join(", "),
      remedy: `upgrade Talos; kubelet 1.34 needs 1.11 or newer`,
    });
  // With k8s.io/kubelet 0.34 and newer, `cacheType` is written even if it is empty.
  if (compareVersions(kubelet, WITHOUT_CACHE_TYPE) <= 0 && compareVersions(newest, kubelet) > 0)
    return fail("version-unsupported", {
      problem: `Talos ${minor} adds an empty cacheType to the configuration, with which kubelet ${kubelet} does not start`,
      value: version,
      allowed: `Talos 1.10 for kubelet ${kubelet}, or kubelet 1.34 and newer for Talos ${minor}`,
      remedy: "upgrade Kubernetes too",
    });
  if (compareVersions(kubelet, newest) > 0)
    fail("version-unsupported", {
      problem: `Talos ${minor} does not run kubelet ${kubelet}, and would drop the parts of the configuration that its own Kubernetes ${newest} does not know`,
      value: version,
      allowed: `kubelet ${newest} and older, or Talos ${known.filter((each) => compareVersions(RELEASES[each] ?? "", kubelet) >= 0).join(", ")}`,
      remedy: "upgrade Talos before Kubernetes",
    });
}

/** A patch of the machine configuration: documents for `talosctl machineconfig patch` or `config_patches` of Terraform. */
export function talosPatch(setup: NodeSetup, version: string): readonly object[] {
  const { configPath } = TALOS_PLACES;
  assertPlaces(setup);
  const config = setup.files.find(({ path }) => path === configPath);
  const others = setup.files.filter((file) => file !== config);
  const configuration = config && parsedConfig(config);
  const files = others.length > 0 ? { files: others.map(machineFile) } : {};
  if (compareVersions(minorOf("version of Talos", version), DOCUMENT_SINCE) < 0)
    return [
      {
        machine: { ...(configuration && { kubelet: { credentialProviderConfig: configuration } }), ...files },
      },
    ];
  const document = { apiVersion: "v1alpha1", kind: DOCUMENT, configuration };
  return [...(others.length > 0 ? [{ machine: files }] : []), ...(configuration ? [document] : [])];
}

const DOCUMENT = "KubeCredentialProviderConfig";

function assertPlaces({ kubeletFlags, executables = [] }: NodeSetup): void {
  for (const [flag, value] of Object.entries(kubeletFlags)) {
    const fixed = Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : undefined;
    if (value !== fixed)
      fail("node-unsupported", {
        problem: `Talos sets the kubelet flag ${flag} itself, and the value cannot be changed`,
        value,
        allowed: fixed ?? `${CONFIG_FLAG} and ${BIN_FLAG}`,
        remedy: "remove `configPath` and `pluginDirectory`",
      });
  }
  const [plugin] = executables;
  if (plugin)
    fail("node-unsupported", {
      problem:
        "Talos nodes cannot download a plugin: the plugin directory is read-only, and only system extensions put files there",
      value: plugin.url,
      allowed: "a plugin without `source`",
      remedy:
        "build an installer image with the extension, siderolabs/ecr-credential-provider of v1.34.0 or newer for ECR",
    });
}

/** The kubelet's file as the object that Talos expects; its comments are lost. */
function parsedConfig({ path, content }: NodeFile): Json {
  const [document] = isLate(content) ? [] : parsedYaml(content, { version: "1.1" });
  const value: unknown = document?.toJS();
  return isRecord(value)
    ? value
    : fail("node-unsupported", {
        problem: `${path} cannot be written into the machine configuration`,
        value: "a value known only after apply",
        allowed: "a CredentialProviderConfig that is known at synth",
        remedy: "use literal values in it",
      });
}

export function machineFile({ path, mode, content }: NodeFile): object {
  if (!path.startsWith("/var/"))
    fail("node-unsupported", {
      problem: "Talos creates files only below /var",
      value: path,
      allowed: "paths below /var, of which the kubelet sees only /var/lib/kubelet",
      remedy: "choose a path below /var/lib/kubelet",
    });
  return { path, permissions: mode, op: "create", content };
}

export const TALOS_FORM: NodeForm = {
  id: "talos",
  joins: true,
  is: (document) => isMachine(document) || isDocument(document) || isOther(document),
  read: (documents) => {
    const machines = documents
      .map((each, document) => ({ each, document, kubelet: at(each, "machine", "kubelet") }))
      .filter(({ each }) => isMachine(each));
    const files = machines.flatMap(({ each, document }) =>
      [...carriedFiles(at(each, "machine", "files"), ["machine", "files"], KEYS), ...otherFiles(each)].map(
        (file) => ({ ...file, document }),
      ),
    );
    const kubelets = machines.filter(({ kubelet }) => kubelet !== undefined);
    const named = documents.findIndex(isDocument);
    const [first] = kubelets;
    const kubelet = first?.kubelet;
    const written = at(kubelet, "credentialProviderConfig");
    const config: CarriedFile | undefined =
      named >= 0
        ? configFile(at(documents[named], "configuration"), named, ["configuration"])
        : written === undefined
          ? undefined
          : configFile(written, first?.document ?? 0, ["machine", "kubelet", "credentialProviderConfig"]);
    return {
      files: [...files, ...(config ? [config] : [])],
      flags: { ...extraArgs(at(kubelet, "extraArgs")), ...(config && FLAGS) },
      configuration: at(kubelet, "extraConfig"),
      kubelet: /:v([\d.]+)$/.exec(text(at(kubelet, "image")))?.[1],
      parts: kubelets.map((each) => ["KubeletConfiguration", at(each.kubelet, "extraConfig")]),
      doubt:
        argumentDoubt(config, kubelets.length, at(kubelet, "extraArgs")) ??
        otherDoubt(documents) ??
        cacheDoubt(config),
      ...problemOf(documents, named >= 0 && kubelets.length > 0),
    };
  },
};

const KEYS = { path: "path", content: "content", mode: "permissions" } as const;

/** What is mounted into the kubelet's container, and the registries, which Talos writes for containerd. */
function otherFiles(machine: unknown): readonly CarriedFile[] {
  const registries = at(machine, "machine", "registries");
  const mounts = list(at(machine, "machine", "kubelet", "extraMounts")).map((each): CarriedFile => {
    return { path: text(at(each, "destination")), content: undefined, encoding: "other", at: [] };
  });
  const content = JSON.stringify(registries);
  return registries === undefined
    ? mounts
    : [...mounts, { path: "/etc/containerd/registries.toml", content, encoding: "plain", at: [] }];
}

const FLAGS: Readonly<Record<string, string>> = {
  [CONFIG_FLAG]: TALOS_PLACES.configPath,
  [BIN_FLAG]: TALOS_PLACES.pluginDirectory,
};

function isMachine(document: unknown): boolean {
  const machine = at(document, "machine");
  if (!isRecord(machine) || at(document, "kind") !== undefined) return false;
  return at(document, "version") === "v1alpha1" || "kubelet" in machine || "files" in machine;
}

function isDocument(document: unknown): boolean {
  return at(document, "apiVersion") === "v1alpha1" && at(document, "kind") === DOCUMENT;
}

/** Documents beside these that may change the kubelet, its runtime or what they see. Source: siderolabs/talos, config/types. */
const OTHERS =
  /^(?:CRI\w+|Container|Environment|EtcFile|ExtensionService|Image\w+|KubeStaticPod|Kubelet|PCIDriverRebind|Registry\w+|SecurityProfile|UdevRules)Config$/;

function isOther(document: unknown): boolean {
  return at(document, "apiVersion") === "v1alpha1" && OTHERS.test(text(at(document, "kind")));
}

/** Talos writes the file itself, from the object; JSON is valid YAML. */
function configFile(written: unknown, document: number, place: readonly string[]): CarriedFile {
  const content = isRecord(written) ? JSON.stringify(written) : undefined;
  return { path: TALOS_PLACES.configPath, content, encoding: "plain", at: place, document };
}

/** If cacheType is missing, which only kubelet 1.33 accepts, what Talos writes depends on its version. */
function cacheDoubt(config: CarriedFile | undefined): string | undefined {
  const { providers } = record(
    config?.content === undefined ? undefined : (JSON.parse(config.content) as unknown),
  );
  const isOpen = list(providers).some(
    (each) => isRecord(at(each, "tokenAttributes")) && at(each, "tokenAttributes", "cacheType") === undefined,
  );
  return isOpen
    ? "Talos from 1.11 on adds an empty cacheType, with which kubelet 1.33 does not start, but the version of Talos is unknown"
    : undefined;
}

function otherDoubt(documents: readonly unknown[]): string | undefined {
  const other = documents.find(isOther);
  return other === undefined
    ? undefined
    : `what ${text(at(other, "kind"))} does to the kubelet or its runtime is not known`;
}

/** The doubt that arises if several documents configure the kubelet, or arguments differ from what Talos sets itself. */
function argumentDoubt(
  config: CarriedFile | undefined,
  kubelets: number,
  extra: unknown,
): string | undefined {
  if (kubelets > 1) return "several documents configure the kubelet, and how Talos joins them is not known";
  const flags = Object.entries(extraArgs(extra));
  const other = flags.find(([flag, value]) => Object.hasOwn(FLAGS, flag) && value !== FLAGS[flag]);
  return config && other && `Talos sets the kubelet flag ${other[0]} itself, and extraArgs has another value`;
}

/** A value is a text or, since 1.12, a list; each element is passed as a flag of its own. */
function extraArgs(written: unknown): Json {
  return flagsInTurn(
    Object.entries(record(written)).flatMap(([flag, value]) =>
      (Array.isArray(value) ? value : [value]).map((each: unknown) => [flag, each] as const),
    ),
  );
}

function problemOf(documents: readonly unknown[], isBoth: boolean): Partial<CarriedSetup> {
  if (isBoth)
    return {
      problem:
        "Talos refuses KubeCredentialProviderConfig with legacy kubelet configuration (.machine.kubelet)",
    };
  const image = documents
    .map((each) => text(at(each, "machine", "kubelet", "image")))
    .find((each) => each !== "");
  if (image !== undefined && !/^ghcr\.io\/siderolabs\/kubelet:v[\d.]+$/.test(image))
    return { doubt: `what the kubelet of the image ${image} does is not known` };
  const files = documents.flatMap((each) => list(at(each, "machine", "files")));
  const outside = files.find(
    (file) => at(file, "op") === "create" && !text(at(file, "path")).startsWith("/var/"),
  );
  if (outside !== undefined)
    return { problem: `Talos creates files only below /var, and ${text(at(outside, "path"))} is elsewhere` };
  const other = files.find((file) => at(file, "op") !== "create");
  return other === undefined
    ? {}
    : { doubt: `${text(at(other, "path"))} is changed, but its earlier content is not known` };
}
