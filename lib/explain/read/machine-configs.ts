/*
 * MachineConfigs: which files they write on the nodes of which pool, and what Ignition or the Machine Config Operator
 * refuses. The operator renders nothing for a pool if it refuses one of its MachineConfigs.
 *
 * Sources: coreos/ignition, config/v3_x/types and config/validate; openshift/machine-config-operator,
 * pkg/controller/common/helpers.go (`ValidateMachineConfig`, `MergeMachineConfigs`) and docs/custom-pools.md.
 */

import { posix } from "node:path";
import { type Known, isKnown, known, orElse, unread } from "../../model/known";
import { type Json, at, list, record, text } from "../../model/parsed";
import { selectorMatches } from "../../rules/rbac/rbac-objects";
import { ignitionFiles, kernelArgumentDoubt } from "../../rules/node/ignition";
import { unknownKey } from "../coverage/node-documents";
import { HASH, dataUrlContent } from "./encoded-content";
import type { LateReader } from "./late-text";
import type { NodeFact, NodeFileFact } from "./node-files";
import { carriedFile } from "./node-forms";
import type { KubernetesObject } from "./objects";
import { NOWHERE, type Source, below } from "./source";

export interface MachineConfigFact {
  /** `metadata.name`; if two write the same file, the later name in byte order wins. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly files: ReadonlyMap<string, NodeFileFact>;
  /** Why it is refused, as a clause; `undefined` if it is not; unknown if it is not read or not rolled out. */
  readonly problem: Known<string | undefined>;
  /** What of it is not understood; a clause. */
  readonly doubt: string | undefined;
  readonly source: Source;
}

const ROLE = "machineconfiguration.openshift.io/role";
/** The versions of Ignition's format that explain reads; the operator also translates 2.2. */
const VERSION = /^3\.[0-5]\.0$/;
const OLD_VERSION = /^2\.\d+\.0$/;
/** The operator treats the mere presence of this file as a command. Source: pkg/daemon/constants. */
const FORCE_FILE = "/run/machine-config-daemon-force";
const MODE_MAX = 0o777;
/** Of a unit, or of a drop-in in its folder. */
const UNIT_NAME =
  /^[^/]+\.(?:service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)(?:\.d\/.*\.conf)?$/;
/** Sections that the operator does not roll out to existing nodes. */
const NOT_ROLLED_OUT: readonly string[] = ["directories", "disks", "filesystems", "links", "luks", "raid"];

export function readMachineConfig(value: unknown, source: Source, late: LateReader): MachineConfigFact {
  const name = text(at(value, "metadata", "name"));
  const config = record(at(value, "spec", "config"));
  const place = below(source, "spec.config");
  const files = ignitionFiles(config).map((file): [string, NodeFileFact] => [
    file.path,
    { ...carriedFile(file, place, late), owner: name },
  ]);
  const labels = Object.entries(record(at(value, "metadata", "labels")));
  return {
    name,
    labels: Object.fromEntries(labels.filter((row): row is [string, string] => typeof row[1] === "string")),
    files: new Map(files),
    problem: problemOf(name, config, late),
    doubt: OF_OPERATOR.test(name) ? undefined : doubtOf(name, value),
    source,
  };
}

/** MachineConfigs that the operator and the installer write, and write again if someone changes them. */
export const OF_OPERATOR: RegExp =
  /^(?:0[01]-(?:arbiter|master|worker)(?:-container-runtime|-kubelet)?|9[789]-[a-z0-9-]+-generated-(?:containerruntime|credentialproviderconfig|crio-[a-z-]+|kubelet|registries)(?:-\d+)?|99-[a-z0-9-]+-ssh)$/;

function doubtOf(name: string, value: unknown): string | undefined {
  const key = unknownKey("MachineConfig", value);
  return key === undefined
    ? kernelArgumentDoubt(list(at(value, "spec", "kernelArguments")))
    : `what ${key} of MachineConfig ${name} does to the kubelet is not known`;
}

function problemOf(name: string, config: Json, late: LateReader): Known<string | undefined> {
  if (Object.keys(config).length === 0) return known(undefined);
  const version = at(config, "ignition", "version");
  if (OLD_VERSION.test(text(version)))
    return unread(
      `MachineConfig ${name} is written for Ignition ${text(version)}, which explain does not read; write 3.2.0`,
    );
  if (!VERSION.test(text(version)))
    return known(
      version === undefined || version === null
        ? "ignition.version is missing"
        : `ignition.version ${JSON.stringify(version)} is not known`,
    );
  const odd = oddPart(config, late);
  return odd === undefined
    ? known(undefined)
    : unread(`MachineConfig ${name} has ${odd}, which the operator may refuse, or not roll out`);
}

/** The first part that is not as the operator takes it and rolls it out; it renders nothing if it refuses one. */
function oddPart(config: Json, late: LateReader): string | undefined {
  const section = NOT_ROLLED_OUT.find((field) => list(at(config, "storage", field)).length > 0);
  if (section !== undefined) return `storage.${section}`;
  const [files, units] = [at(config, "storage", "files"), at(config, "systemd", "units")];
  if ([files, units].some((each) => !Array.isArray(each ?? []))) return "files or units that are not a list";
  const names = list(units).flatMap((unit) => [
    text(at(unit, "name")),
    ...list(at(unit, "dropins")).map((each) => `${text(at(unit, "name"))}.d/${text(at(each, "name"))}`),
  ]);
  const name = names.find((each, place) => !UNIT_NAME.test(each) || names.indexOf(each) < place);
  if (name !== undefined) return `the unit ${name} twice, or with an odd name`;
  const paths = ignitionFiles(config).map(({ path }) => path);
  const twice = paths.find((path, place) => paths.indexOf(path) < place);
  if (twice !== undefined) return `the file ${twice} twice`;
  const file = list(files).find((each) => isOdd(record(each), late));
  return file === undefined
    ? undefined
    : `the file ${text(at(file, "path"))} with an odd path, mode or content`;
}

function isOdd({ path, mode, overwrite, append, contents }: Json, late: LateReader): boolean {
  const { source, compression, verification } = record(contents);
  const hash = at(verification, "hash") ?? "";
  const isMode = Number.isInteger(mode ?? 0) && Number(mode ?? 0) >= 0 && Number(mode ?? 0) <= MODE_MAX;
  const isPath = /^\/.*[^/]$/.test(text(path)) && posix.normalize(text(path)) === path;
  return !(
    isPath &&
    path !== FORCE_FILE &&
    isMode &&
    list(append).length === 0 &&
    (overwrite !== true || typeof source === "string") &&
    ["", "gzip"].includes(text(compression ?? "")) &&
    (hash === "" || HASH.test(text(hash))) &&
    (text(source) === "" || dataUrlContent(text(source), record(contents), late) !== undefined)
  );
}

/**
 * The nodes of each pool with the MachineConfigs that its selector selects, those of worker first. For a pool that was
 * not read, the MachineConfigs of its role over those of worker, which every pool except master and arbiter also gets.
 */
export function nodesOfMachineConfigs(
  configs: readonly MachineConfigFact[],
  pools: readonly KubernetesObject[],
): readonly NodeFact[] {
  const read = pools.map(({ value, source }) => {
    const name = text(at(value, "metadata", "name"));
    const selector = at(value, "spec", "machineConfigSelector");
    const isPaused = at(value, "spec", "paused") === true;
    const selected = configs.filter(({ labels }) => selectorMatches(selector, labels));
    const doubt = isPaused ? `MachineConfigPool ${name} is paused: its nodes get no changes` : undefined;
    return { name, own: selected, doubt, source };
  });
  const roles = new Set(configs.map(roleOf).filter((role) => !read.some(({ name }) => name === role)));
  const others = [...roles].map((role) => {
    const inherits = !["", ...BUILT_IN_POOLS].includes(role);
    const ofRole = configs.filter((each) => roleOf(each) === role || (inherits && roleOf(each) === "worker"));
    const first = configs.find((each) => roleOf(each) === role);
    const name = role || (first?.name ?? "");
    const doubt = role === "" ? `nothing says which MachineConfigPool takes ${name}` : undefined;
    return { name, own: ofRole, doubt, source: first?.source ?? NOWHERE };
  });
  return [...read, ...others]
    .filter(({ own }) => own.length > 0)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, own, doubt, source }) => poolNodes(name, own, doubt, source));
}

/** Pools that get only MachineConfigs of their own role. */
export const BUILT_IN_POOLS: readonly string[] = ["master", "worker", "arbiter"];

function roleOf({ labels }: MachineConfigFact): string {
  return (Object.hasOwn(labels, ROLE) ? labels[ROLE] : undefined) ?? "";
}

/** The nodes that get these MachineConfigs, applied in order: those of worker by name, then the others by name. */
export function poolNodes(
  name: string,
  configs: readonly MachineConfigFact[],
  doubt: string | undefined,
  source: Source,
): NodeFact {
  const rank = (config: MachineConfigFact): string => `${roleOf(config) === "worker" ? 0 : 1}${config.name}`;
  const sorted = [...configs].sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
  const refused = sorted.find(({ problem }) => orElse(problem, () => undefined) !== undefined);
  const open = sorted.find(({ problem }) => !isKnown(problem));
  const why = refused && orElse(refused.problem, () => undefined);
  const absence =
    refused && why !== undefined
      ? known(
          `the Machine Config Operator refuses MachineConfig ${refused.name}: ${why}; it renders nothing for the nodes ${name}`,
        )
      : doubt === undefined
        ? (open?.problem ?? known(undefined))
        : unread(doubt);
  const odd = sorted.map((config) => config.doubt).find((each) => each !== undefined);
  return { name, files: layered(sorted), flags: undefined, absence, doubt: odd, source };
}

/** The files after all MachineConfigs: contents are not merged; the last one wins, and records what it overwrites. */
function layered(configs: readonly MachineConfigFact[]): ReadonlyMap<string, NodeFileFact> {
  const files = new Map<string, NodeFileFact>();
  for (const [path, file] of configs.flatMap((config) => [...config.files])) {
    const lost = files.get(path);
    files.set(path, lost ? { ...file, overwrites: [...lost.overwrites, lost] } : file);
  }
  return files;
}
