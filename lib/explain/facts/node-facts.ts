/*
 * Files and kubelet flags of nodes, from every form that carries them: plain node setups, MachineConfigs, and the
 * ConfigMaps of HyperShift's NodePools that hold MachineConfigs.
 */

import { propertyPath } from "../../artefact/property-path";
import { at, list, own, record, text } from "./access";
import type { LateReader } from "./late-text";
import { nodeFlags } from "./node-flags";
import { parseYaml } from "./read-documents";
import { type Source, below } from "./source";

/** A file on a node. */
export interface NodeFileFact {
  /** Its text, late values as references; `undefined` where it cannot be read. */
  readonly content: string | undefined;
  /** Where it stands. */
  readonly source: Source;
  /**
   * The MachineConfig that writes it.
   *
   * @defaultValue - none does
   */
  readonly owner?: string;
  /**
   * Why it is not known whether it is on the nodes.
   *
   * @defaultValue - it is
   */
  readonly doubt?: string;
  /**
   * What other MachineConfigs write to the same path, and what is not there therefore, in their order.
   *
   * @defaultValue - none does
   */
  readonly overwrites?: readonly NodeFileFact[];
}

/** The nodes of one pool, or all nodes. */
export interface NodeFact {
  /** The pool, or the file's name. */
  readonly name: string;
  /** How files and flags get to the nodes. */
  readonly carrier: "plain" | "machine-config" | "configuration";
  /** The files by path. */
  readonly files: ReadonlyMap<string, NodeFileFact>;
  /** Kubelet flags; `undefined` where the platform sets them. */
  readonly flags: Readonly<Record<string, string>> | undefined;
  /**
   * Why it is not known what a flag is set to.
   *
   * @defaultValue - it is
   */
  readonly doubt?: string;
  /**
   * Why its files are on no node.
   *
   * @defaultValue - they are on nodes
   */
  readonly absent?: string;
  /** Where it stands. */
  readonly source: Source;
}

/** One MachineConfig. */
export interface MachineConfigFact {
  /** `metadata.name`; of two that write one file the later in byte order wins. */
  readonly name: string;
  /** Value of the role label. */
  readonly role: string;
  /** The files by path. */
  readonly files: ReadonlyMap<string, NodeFileFact>;
  /** Where it stands. */
  readonly source: Source;
}

const ROLE = "machineconfiguration.openshift.io/role";

/** True for a node setup as the plain carrier writes it. */
export function isNodeSetup(document: unknown): boolean {
  const { kind, files, kubeletFlags } = record(document);
  return kind === undefined && Array.isArray(files) && typeof kubeletFlags === "object";
}

/** Reads a plain node setup. */
export function readNodeSetup(document: unknown, source: Source, late: LateReader): NodeFact {
  const files = list(own(document, "files")).map((file, index): readonly [string, NodeFileFact] => [
    text(own(file, "path")),
    {
      content: late(text(own(file, "content"))),
      source: below(source, propertyPath(["files", index, "content"])),
    },
  ]);
  const name = /([^/\\]+)\.ya?ml$/.exec(source.file)?.[1] ?? source.file;
  const flags = nodeFlags(own(document, "kubeletFlags"));
  return { name, carrier: "plain", files: new Map(files), ...flags, source };
}

/** Reads a MachineConfig; `undefined` for every other object. */
export function readMachineConfig(
  object: unknown,
  source: Source,
  late: LateReader,
): MachineConfigFact | undefined {
  if (own(object, "kind") !== "MachineConfig") return undefined;
  const owner = text(at(object, "metadata", "name"));
  const path = ["spec", "config", "storage", "files"];
  const doubt = ignitionDoubt(owner, at(object, "spec", "config", "ignition", "version"));
  const files = list(at(object, ...path)).flatMap((file, index): (readonly [string, NodeFileFact])[] => {
    const url = text(at(file, "contents", "source"));
    // Files are merged field by field: one without contents changes mode or owner of an earlier one.
    if (url === "") return [];
    const plain = text(at(file, "contents", "compression")) === "";
    const place = below(source, propertyPath([...path, index, "contents", "source"]));
    return [
      [
        text(own(file, "path")),
        { content: plain ? dataUrlText(late(url)) : undefined, source: place, owner, ...doubt },
      ],
    ];
  });
  return {
    name: owner,
    role: text(at(object, "metadata", "labels", ROLE)),
    files: new Map([...files, ...unitFiles(object, source, { owner, ...doubt })]),
    source,
  };
}

/** The versions of Ignition's format that the operator takes. Source: Ignition's specifications; MachineConfig API. */
const IGNITION = /^3\.[0-5]\.0$/;

function ignitionDoubt(owner: string, version: unknown): Pick<NodeFileFact, "doubt"> {
  if (version === undefined || IGNITION.test(text(version))) return {};
  const stated = text(version) || "of unknown version";
  return {
    doubt: `MachineConfig ${owner} is written for Ignition ${stated}, whose files are not read here; write 3.2.0`,
  };
}

/** Ignition writes units and drop-ins of them as files. */
function unitFiles(
  object: unknown,
  source: Source,
  of: Pick<NodeFileFact, "owner" | "doubt">,
): readonly (readonly [string, NodeFileFact])[] {
  const path = ["spec", "config", "systemd", "units"];
  return list(at(object, ...path)).flatMap((unit, index) => {
    const place = `/etc/systemd/system/${text(own(unit, "name"))}`;
    const written = (
      file: string,
      from: unknown,
      ...keys: readonly (string | number)[]
    ): [string, NodeFileFact] => [
      file,
      {
        content: text(own(from, "contents")),
        source: below(source, propertyPath([...path, index, ...keys, "contents"])),
        ...of,
      },
    ];
    const dropIns = list(own(unit, "dropins")).map((dropIn, at) =>
      written(`${place}.d/${text(own(dropIn, "name"))}`, dropIn, "dropins", at),
    );
    // A unit without contents is switched on or off, and stays as it is.
    return text(own(unit, "contents")) === "" ? dropIns : [written(place, unit), ...dropIns];
  });
}

/** The MachineConfigs in a ConfigMap of a NodePool's `spec.config`, as nodes of their own. */
export function readNodePoolConfig(object: unknown, source: Source, late: LateReader): NodeFact | undefined {
  const config = at(object, "data", "config");
  if (own(object, "kind") !== "ConfigMap" || typeof config !== "string") return undefined;
  if (!config.includes("MachineConfig")) return undefined;
  const place = below(source, propertyPath(["data", "config"]));
  const read = parseYaml(config, `${source.file} (data.config)`).flatMap(({ value }) => {
    const machineConfig = readMachineConfig(value, place, late);
    return machineConfig ? [machineConfig] : [];
  });
  const name = text(at(object, "metadata", "name"));
  return read.length === 0
    ? undefined
    : { name, carrier: "machine-config", files: layered(byName(read)), flags: undefined, source };
}

/**
 * The nodes of each role: its own MachineConfigs over those of worker, which every pool but master's and arbiter's
 * takes too.
 *
 * Source: openshift/machine-config-operator, docs/custom-pools.md; ctrlcommon.MergeMachineConfigs.
 */
export function nodesOfMachineConfigs(configs: readonly MachineConfigFact[]): readonly NodeFact[] {
  const roles = [...new Set(configs.map(({ role }) => role))].sort();
  return roles.flatMap((role): NodeFact[] => {
    const own = configs.filter((config) => config.role === role);
    const inherits = !["", "master", "worker", "arbiter"].includes(role);
    const inherited = inherits ? configs.filter((config) => config.role === "worker") : [];
    const [first] = own;
    if (first === undefined) return [];
    const files = layered([...byName(inherited), ...byName(own)]);
    return [
      { name: role || first.name, carrier: "machine-config", files, flags: undefined, source: first.source },
    ];
  });
}

function byName(configs: readonly MachineConfigFact[]): readonly MachineConfigFact[] {
  return [...configs].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Contents are not merged: the last ones are there whole, and remember what they overwrite. */
function layered(configs: readonly MachineConfigFact[]): ReadonlyMap<string, NodeFileFact> {
  const files = new Map<string, NodeFileFact>();
  for (const [path, file] of configs.flatMap((config) => [...config.files])) {
    const lost = files.get(path);
    files.set(path, lost ? { ...file, overwrites: [...(lost.overwrites ?? []), lost] } : file);
  }
  return files;
}

const DATA_URL = /^data:([^,]*),([^]*)$/;
/** Standard encoding with padding, which Ignition insists on. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const BASE64_GROUP = 4;
const ESCAPES = /(?:%[0-9a-fA-F]{2})+/g;

/** RFC 2397; `undefined` for what is no data URL. */
function dataUrlText(url: string): string | undefined {
  const [, head, data] = DATA_URL.exec(url) ?? [];
  if (head === undefined || data === undefined) return undefined;
  const plain = data.replace(ESCAPES, (run) => Buffer.from(run.replaceAll("%", ""), "hex").toString("utf8"));
  if (!head.endsWith(";base64")) return plain;
  const valid = BASE64.test(plain) && plain.length % BASE64_GROUP === 0;
  return valid ? Buffer.from(plain, "base64").toString("utf8") : undefined;
}
