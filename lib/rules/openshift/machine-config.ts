/*
 * MachineConfig objects as plain data: names that the Machine Config Operator does not use itself, and Ignition files.
 *
 * Rules: coreos/ignition, config/v3_2/types and config/validate; the operator's tighter ones (data URLs only, mode
 * at most 0777, no special files) from openshift/machine-config-operator, pkg/controller/common/helpers.go.
 */

import { fail } from "../../errors";
import { isDnsSubdomain } from "../../model/kubernetes-name";
import { literal, LateEncoding, encode } from "../../model/late";
import { type NodeFile, nodeFile } from "../../model/node-file";
import { nameTaken } from "../../model/problems";

export interface MachineConfigContent {
  /** Name of the object; if two write the same file, the later name in byte order wins. */
  readonly name: string;
  /** The pool: value of the label `machineconfiguration.openshift.io/role`. */
  readonly machineRole: string;
  readonly files: readonly NodeFile[];
}

export interface MachineConfigManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly labels: Readonly<Record<string, string>>; readonly name: string };
  readonly spec: { readonly config: IgnitionConfig };
}

/** Part of a name pattern that is replaced by the pool's name. */
const POOL = "<pool>";

/** Pools for which the operator itself can write a credential provider file. */
const BUILT_IN_POOLS: readonly string[] = ["master", "worker", "arbiter"];

/** Names that the operator or the installer writes; openshift/machine-config-operator, pkg/controller. */
const TAKEN: readonly (readonly [RegExp, string])[] = [
  [/-generated-/, "belongs to the operator (-generated-), which overwrites it"],
  [/^rendered-/, "belongs to the operator (rendered-), which overwrites it"],
  [/^99-.*-ssh$/, "belongs to the installer, and overwriting it removes the nodes' ssh keys"],
];

/** Returns the name if it is usable; throws otherwise. */
export function machineConfigName(name: string): string {
  literal(name, "name of a MachineConfig");
  const reason = !isDnsSubdomain(name)
    ? "is not a DNS subdomain"
    : name < "02"
      ? "sorts before or among the operator's own templates 00- and 01-, which would win or be overwritten"
      : TAKEN.find(([pattern]) => pattern.test(name))?.[1];
  if (reason === undefined) return name;
  return fail("openshift-invalid", {
    problem: `the name of a MachineConfig ${reason}`,
    value: name,
    allowed:
      "a DNS subdomain that sorts from 02 on, without -generated-, not rendered-… and not 99-<pool>-ssh",
    remedy:
      "use a name such as 99-<pool>-kubelet-credential-provider; the label, not the name, selects the pool",
  });
}

/** Returns the pool names if they are valid and unique; throws otherwise. */
export function checkedPools(what: string, pools: readonly string[]): readonly string[] {
  literal(pools, `names of a ${what}`);
  if (pools.length === 0)
    return fail("openshift-missing", {
      problem: `no ${what} is named, so the files would not reach any node`,
      allowed: 'at least one, each once, for example ["worker"]',
      remedy: "name the pools whose nodes pull images",
    });
  const bad = pools.find((pool, index) => !isDnsSubdomain(pool) || pools.indexOf(pool) !== index);
  if (bad === undefined) return pools;
  return fail("openshift-invalid", {
    problem: `a name of a ${what} is not a DNS subdomain, or occurs twice`,
    value: bad,
    allowed: "1 to 253 of a-z, 0-9, - and ., each part starting and ending with a letter or digit",
    remedy: "use the names as `oc get` prints them, each once",
  });
}

/** The name of each pool's MachineConfig; `<pool>` in the pattern is replaced by the pool's name. */
export function machineConfigNames(pattern: string, pools: readonly string[]): ReadonlyMap<string, string> {
  literal(pattern, "name of a MachineConfig");
  const [first = ""] = pools;
  if (pools.length > 1 && !pattern.includes(POOL))
    return fail(
      "property-conflict",
      nameTaken("name of a MachineConfig", pattern, `the pool ${first}; write ${POOL} into it`),
    );
  return new Map(pools.map((pool) => [pool, machineConfigName(pattern.replaceAll(POOL, pool))]));
}

/**
 * The operator's own MachineConfig for the same file that would win over this one, if there is one.
 *
 * From 4.22 on a CRIOCredentialProviderConfig creates `97-<pool>-generated-credentialproviderconfig` for the built-in
 * pools. A custom pool's own MachineConfigs always win over those of worker.
 */
export function winningGeneratedName(name: string, pool: string): string | undefined {
  const generated = `97-${pool}-generated-credentialproviderconfig`;
  return BUILT_IN_POOLS.includes(pool) && name < generated ? generated : undefined;
}

export function machineConfigManifest(content: MachineConfigContent): MachineConfigManifest {
  const name = machineConfigName(content.name);
  checkedPools("MachineConfigPool", [content.machineRole]);
  if (content.files.length === 0)
    return fail("openshift-missing", {
      problem: "a MachineConfig without files changes nothing",
      value: name,
      allowed: "at least one file",
      remedy: "pass files, or remove the MachineConfig",
    });
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { labels: { "machineconfiguration.openshift.io/role": content.machineRole }, name },
    spec: { config: ignitionConfig(content.files) },
  };
}

export interface IgnitionFile {
  readonly path: string;
  /** Permission bits in decimal: 420 is 0644. */
  readonly mode: number;
  /** Always true: the file replaces that of an earlier MachineConfig. */
  readonly overwrite: boolean;
  /** The content as a data URL; `compression` is always empty. */
  readonly contents: { readonly compression: string; readonly source: string | LateEncoding };
}

/** An Ignition configuration of version 3.2.0, which every supported OpenShift accepts. */
export interface IgnitionConfig {
  readonly ignition: { readonly version: string };
  readonly storage: { readonly files: readonly IgnitionFile[] };
}

const VERSION = "3.2.0";

/** If this file exists, the operator takes it as a command. Source: pkg/daemon/constants. */
const FORCE_FILE = "/run/machine-config-daemon-force";

/**
 * Writes node files.
 *
 * `compression` is written although it is empty: before 4.20 the operator's merge let the gzip setting of the
 * overridden file leak into the new one (OCPBUGS-55327).
 */
export function ignitionConfig(files: readonly NodeFile[]): IgnitionConfig {
  const sorted = files.map(nodeFile).sort((a, b) => (a.path < b.path ? -1 : 1));
  assertPathsDiffer(sorted.map(({ path }) => path));
  return {
    ignition: { version: VERSION },
    storage: {
      files: sorted.map(({ path, mode, content }) => ({
        path,
        mode,
        overwrite: true,
        contents: { compression: "", source: encode("data-url", content) },
      })),
    },
  };
}

function assertPathsDiffer(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of paths) {
    if (path === FORCE_FILE)
      fail("openshift-invalid", {
        problem: "the Machine Config Operator refuses this path",
        value: path,
        allowed: "any path but this one",
        remedy: "remove the file",
      });
    const taken = [path, ...ancestors(path)].find((each) => seen.has(each));
    if (taken !== undefined)
      fail("openshift-conflict", {
        problem: `Ignition refuses the file, since ${taken === path ? "another file has the same path" : `${taken} is a file`}`,
        value: path,
        allowed: "each path once, and no file below another file",
        remedy: "keep one of the files",
      });
    seen.add(path);
  }
}

function ancestors(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(2).map((_, index) => parts.slice(0, index + 2).join("/"));
}
