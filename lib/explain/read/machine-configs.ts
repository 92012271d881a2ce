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
import { type Source, below } from "./source";

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
const UNIT_NAME = /\.(?:service|socket|device|mount|automount|swap|target|path|timer|snapshot|slice|scope)$/;
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
  const refused = versionProblem(version) ?? structureProblem(config) ?? firstProblem(config, late);
  if (refused !== undefined) return known(refused);
  const odd = NOT_ROLLED_OUT.find((field) => list(at(config, "storage", field)).length > 0);
  if (odd === undefined) return known(undefined);
  return unread(
    `MachineConfig ${name} has storage.${odd}, which the operator does not roll out to existing nodes`,
  );
}

function versionProblem(version: unknown): string | undefined {
  if (!isSet(version)) return "ignition.version is missing";
  return VERSION.test(text(version)) ? undefined : `ignition.version ${JSON.stringify(version)} is not known`;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function structureProblem(config: Json): string | undefined {
  const units = at(config, "systemd", "units");
  if ([at(config, "storage", "files"), units].some((each) => isSet(each) && !Array.isArray(each)))
    return "storage.files or systemd.units is not a list";
  const names = list(units).map((unit) => text(at(unit, "name")));
  const odd = names.find((name) => !UNIT_NAME.test(name));
  if (odd !== undefined) return `systemd has a unit of the name ${JSON.stringify(odd)}`;
  const dropIns = list(units).flatMap((unit) =>
    list(at(unit, "dropins")).map((each) => `${text(at(unit, "name"))}.d/${text(at(each, "name"))}`),
  );
  const oddDropIn = dropIns.find((name) => !name.endsWith(".conf"));
  if (oddDropIn !== undefined) return `systemd has a drop-in of the name ${JSON.stringify(oddDropIn)}`;
  const twice = repeated([...names, ...dropIns]);
  return twice === undefined ? undefined : `systemd has ${twice} twice`;
}

function firstProblem(config: Json, late: LateReader): string | undefined {
  const links = list(at(config, "storage", "links")).map((link) => text(at(link, "path")));
  const files = list(at(config, "storage", "files"));
  const problems = files.flatMap((file) => {
    const path = text(at(file, "path"));
    const problem = fileProblem(file, path, links, late);
    return problem === undefined ? [] : [`${path} ${problem}`];
  });
  const twice = repeated(ignitionFiles(config).map(({ path }) => path));
  return problems[0] ?? (twice === undefined ? undefined : `${twice} is written twice`);
}

function repeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.size === seen.add(name).size);
}

function fileProblem(
  file: unknown,
  path: string,
  links: readonly string[],
  late: LateReader,
): string | undefined {
  const { mode, overwrite, append, contents } = record(file);
  const { source, compression, verification } = record(contents);
  const { hash } = record(verification);
  const isMode = Number.isInteger(mode) && Number(mode) >= 0 && Number(mode) <= MODE_MAX;
  if (!path.startsWith("/") || posix.normalize(path) !== path || path.endsWith("/"))
    return "is not an absolute, clean path";
  if (path === FORCE_FILE) return "is a file whose presence the operator treats as a command";
  if (links.some((link) => link === path || path.startsWith(`${link}/`))) return "is at or below a link";
  if (isSet(mode) && !isMode) return `has the mode ${JSON.stringify(mode)}`;
  if (list(append).length > 0) return "has append, which the operator does not accept";
  if (overwrite === true && typeof source !== "string") return "has overwrite without contents";
  if (isSet(compression) && compression !== "" && compression !== "gzip")
    return `has the compression ${JSON.stringify(compression)}`;
  if (isSet(hash) && !HASH.test(text(hash))) return "has a verification.hash that is not a hash";
  const isUrl = text(source) === "" || dataUrlContent(text(source), record(contents), late) !== undefined;
  return isUrl ? undefined : "has contents that are not a data URL";
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

const NOWHERE: Source = { file: "", path: "" };

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
