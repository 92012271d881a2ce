/*
 * MachineConfig objects as plain data: names that the Machine Config Operator leaves to others, and the manifest.
 */

import { fail } from "../../errors";
import { isDnsSubdomain } from "../../model/kubernetes-name";
import { literal } from "../../model/late";
import type { NodeFile } from "../../model/node-file";
import { type IgnitionConfig, ignitionConfig } from "./ignition";

/** What a MachineConfig says. */
export interface MachineConfigContent {
  /** Name of the object; of two that write one file, the later name in byte order wins. */
  readonly name: string;
  /** The pool: value of the label `machineconfiguration.openshift.io/role`. */
  readonly machineRole: string;
  /** At least one file; contents may be late. */
  readonly files: readonly NodeFile[];
}

/** A MachineConfig manifest. */
export interface MachineConfigManifest {
  /** `machineconfiguration.openshift.io/v1`. */
  readonly apiVersion: string;
  /** `MachineConfig`. */
  readonly kind: string;
  /** Name and role label; the object belongs to no namespace. */
  readonly metadata: { readonly labels: Readonly<Record<string, string>>; readonly name: string };
  /** The Ignition configuration. */
  readonly spec: { readonly config: IgnitionConfig };
}

/** Part of a name pattern that stands for the pool. */
const POOL = "<pool>";

/** Pools for which the operator itself can write a credential provider file. */
const BUILT_IN_POOLS: readonly string[] = ["master", "worker", "arbiter"];

/** Names that the operator or the installer writes; openshift/machine-config-operator, pkg/controller. */
const TAKEN: readonly (readonly [RegExp, string])[] = [
  [/-generated-/, "is the operator's own (-generated-), which rewrites it"],
  [/^rendered-/, "is the operator's own (rendered-), which rewrites it"],
  [/^99-.*-ssh$/, "is the installer's, and overwriting it removes the ssh keys of the nodes"],
];

/** Returns a usable name; throws `machine-config-name-invalid` or `late-value`. */
export function machineConfigName(name: string): string {
  literal(name, "name of a MachineConfig");
  if (!isDnsSubdomain(name)) return fail("machine-config-name-invalid", name, "is not a DNS subdomain");
  if (name < "02")
    return fail(
      "machine-config-name-invalid",
      name,
      "sorts before or among the operator's own templates 00- and 01-, which would win or be rewritten",
    );
  const taken = TAKEN.find(([pattern]) => pattern.test(name));
  return taken ? fail("machine-config-name-invalid", name, taken[1]) : name;
}

/** Returns pool names, each once; throws `pools-missing`, `pool-invalid` or `late-value`. */
export function checkedPools(what: string, pools: readonly string[]): readonly string[] {
  literal(pools, `names of a ${what}`);
  if (pools.length === 0) return fail("pools-missing", what);
  const bad = pools.find((pool, index) => !isDnsSubdomain(pool) || pools.indexOf(pool) !== index);
  return bad === undefined ? pools : fail("pool-invalid", what, bad);
}

/** The name of each pool's MachineConfig; `<pool>` in the pattern stands for the pool. Throws `name-taken` besides. */
export function machineConfigNames(pattern: string, pools: readonly string[]): ReadonlyMap<string, string> {
  literal(pattern, "name of a MachineConfig");
  const [first = ""] = pools;
  if (pools.length > 1 && !pattern.includes(POOL))
    return fail("name-taken", "name of a MachineConfig", pattern, `the pool ${first}; write ${POOL} into it`);
  return new Map(pools.map((pool) => [pool, machineConfigName(pattern.replaceAll(POOL, pool))]));
}

/**
 * The operator's own MachineConfig for the same file that would win over this one, if it exists.
 *
 * From 4.22 on a CRIOCredentialProviderConfig makes `97-<pool>-generated-credentialproviderconfig` for the built-in
 * pools. A custom pool's own MachineConfigs always win over those of worker.
 */
export function winningGeneratedName(name: string, pool: string): string | undefined {
  const generated = `97-${pool}-generated-credentialproviderconfig`;
  return BUILT_IN_POOLS.includes(pool) && name < generated ? generated : undefined;
}

/** The manifest; throws `machine-config-empty`, `pool-invalid` and what name and files throw. */
export function machineConfigManifest(content: MachineConfigContent): MachineConfigManifest {
  const name = machineConfigName(content.name);
  checkedPools("MachineConfigPool", [content.machineRole]);
  if (content.files.length === 0) return fail("machine-config-empty", name);
  return {
    apiVersion: "machineconfiguration.openshift.io/v1",
    kind: "MachineConfig",
    metadata: { labels: { "machineconfiguration.openshift.io/role": content.machineRole }, name },
    spec: { config: ignitionConfig(content.files) },
  };
}
