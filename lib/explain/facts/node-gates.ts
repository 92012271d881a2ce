/*
 * Feature gates of kubelets that were read: from flags, KubeletConfigurations on nodes, and OpenShift's objects.
 */

import { at, list, own, record, text } from "./access";
import { firstYamlDocument } from "./embedded";
import type { NodeFact } from "./node-facts";
import { kubeletCommand } from "./node-kubelet-command";
import { type Source, below } from "./source";

/** Somebody sets feature gates. */
export interface GateStatement {
  /** What sets them, for people. */
  readonly title: string;
  /** The gates; a value is `undefined` where it is neither on nor off. */
  readonly gates: Readonly<Record<string, boolean | undefined>>;
  /** False where it is not known whether the kubelets in question read it. */
  readonly isCertain: boolean;
  /**
   * The one pool whose kubelets may read it.
   *
   * @defaultValue - those of any
   */
  readonly pool?: string;
  /** Where it stands. */
  readonly source: Source;
}

/**
 * What an object of a cluster sets: OpenShift's FeatureGate for all nodes, a KubeletConfig for those of the pools that it
 * selects, a KubeletConfiguration that stands alone for nodes that nobody names. `undefined` for every other object, and
 * where no gate is set.
 *
 * Source: openshift/api, config/v1 FeatureGate (lists count for the set `CustomNoUpgrade` alone) and
 * machineconfiguration/v1 KubeletConfig.
 */
export function gateStatement(object: unknown, source: Source): GateStatement | undefined {
  const title = `${text(own(object, "kind"))} ${text(at(object, "metadata", "name"))}`;
  if (own(object, "kind") === "FeatureGate") {
    if (at(object, "spec", "featureSet") !== "CustomNoUpgrade") return undefined;
    const custom = at(object, "spec", "customNoUpgrade");
    const rows = [
      ...list(own(custom, "enabled")).map((name) => [text(name), true] as const),
      ...list(own(custom, "disabled")).map((name) => [text(name), false] as const),
    ];
    const place = below(source, "spec.customNoUpgrade");
    return stated({ title, gates: Object.fromEntries(rows), isCertain: true, source: place });
  }
  if (own(object, "kind") === "KubeletConfiguration") {
    const gates = gatesOf(own(object, "featureGates"));
    const named = `a KubeletConfiguration that stands alone`;
    return stated({ title: named, gates, isCertain: false, source: below(source, "featureGates") });
  }
  if (own(object, "kind") !== "KubeletConfig") return undefined;
  const gates = gatesOf(at(object, "spec", "kubeletConfig", "featureGates"));
  const pool = poolOf(at(object, "spec", "machineConfigPoolSelector", "matchLabels"));
  const place = below(source, "spec.kubeletConfig.featureGates");
  return stated({ title, gates, isCertain: false, ...(pool !== undefined && { pool }), source: place });
}

const POOL_LABEL = /^pools\.operator\.machineconfiguration\.openshift\.io\/(.+)$/;

/** The pool that one of the labels is of; the operator puts it on its own pools. */
function poolOf(labels: unknown): string | undefined {
  const [pool] = Object.keys(record(labels)).flatMap((label) => POOL_LABEL.exec(label)?.[1] ?? []);
  return pool;
}

/** The pools that the operator makes and labels; those that people make may have labels of others. */
const LABELLED: readonly string[] = ["master", "worker"];

/** Whether the kubelets of a pool may read what sets the gates. */
export function mayReach({ pool }: GateStatement, node: string): boolean {
  return pool === undefined || pool === node || !LABELLED.includes(node);
}

/** OpenShift's kubelets read this one, whatever else is on the node. Source: templates of the machine-config-operator. */
const OPENSHIFT_CONFIG = "/etc/kubernetes/kubelet.conf";

/** What the files and flags of a node set; a later one wins over those before. */
export function nodeGateStatements(node: NodeFact): readonly GateStatement[] {
  const command = kubeletCommand(node);
  const flags = node.flags ?? command?.flags ?? {};
  const isRead = (path: string): boolean =>
    flags["config"] === undefined ? path === OPENSHIFT_CONFIG : path === flags["config"];
  const files = [...node.files].flatMap(
    ([path, { content, source }]): readonly (GateStatement | undefined)[] => {
      if (content?.includes("KubeletConfiguration") !== true || !content.includes("featureGates")) return [];
      const { value } = firstYamlDocument(content);
      if (own(value, "kind") !== "KubeletConfiguration") return [];
      const gates = gatesOf(own(value, "featureGates"));
      return [stated({ title: `the KubeletConfiguration ${path}`, gates, isCertain: isRead(path), source })];
    },
  );
  const flag = flags["feature-gates"];
  const ofFlag =
    flag === undefined
      ? undefined
      : stated({
          title: "the kubelet flag --feature-gates",
          gates: flagGates(flag),
          isCertain: true,
          source: (command && node.files.get(command.path)?.source) ?? node.source,
        });
  return [...files, ofFlag].filter((statement) => statement !== undefined);
}

function stated(statement: GateStatement): GateStatement | undefined {
  return Object.keys(statement.gates).length > 0 ? statement : undefined;
}

function gatesOf(value: unknown): GateStatement["gates"] {
  return Object.fromEntries(
    Object.entries(record(value)).map(([gate, on]) => [gate, typeof on === "boolean" ? on : undefined]),
  );
}

const ON: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"];
const OFF: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"];

/** `A=true,B=false`, with the words of Go's `strconv.ParseBool`. */
function flagGates(flag: string): GateStatement["gates"] {
  const rows = flag
    .split(",")
    .filter((part) => part !== "")
    .map((part): readonly [string, boolean | undefined] => {
      const [name = "", value = ""] = part.split("=", 2);
      return [name.trim(), switchOf(value.trim())];
    });
  return Object.fromEntries(rows);
}

/** A switch written as text; `undefined` where it is neither on nor off. */
export function switchOf(value: string): boolean | undefined {
  if (ON.includes(value)) return true;
  return OFF.includes(value) ? false : undefined;
}
