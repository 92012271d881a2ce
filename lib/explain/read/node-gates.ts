/*
 * Feature gates of kubelets that were read: from flags, KubeletConfigurations on nodes, and OpenShift's objects.
 */

import { type Known, known, map, match, notKnown, orElse } from "../../model/known";
import { at, list, record, text } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import { firstDocument } from "./documents";
import { kubeletCommand } from "./kubelet-command";
import type { NodeFact } from "./node-files";
import { type Objects, titleOf } from "./objects";
import { type Source, below } from "./source";

/** Something sets feature gates. */
export interface GateStatement {
  readonly title: string;
  /** The gates; a value is not known where it is neither on nor off. */
  readonly gates: ReadonlyMap<string, Known<boolean>>;
  /** False where it is not known whether the kubelets in question read it. */
  readonly isCertain: boolean;
  /** The one pool whose kubelets may read it; `undefined` where those of any may. */
  readonly pool: string | undefined;
  readonly source: Source;
}

/**
 * What the objects of a cluster set: OpenShift's FeatureGate for all nodes, a KubeletConfig for those of the pools that
 * it selects, a KubeletConfiguration that stands alone for nodes that nothing names.
 *
 * Source: openshift/api, config/v1 FeatureGate (lists count for the set `CustomNoUpgrade` alone) and
 * machineconfiguration/v1 KubeletConfig.
 */
export function gateStatements(objects: Objects): readonly GateStatement[] {
  const custom = objects
    .of("FeatureGate")
    .filter(({ value }) => at(value, "spec", "featureSet") === "CustomNoUpgrade")
    .map(({ value, kind, source }) => {
      const listed = (key: string, on: boolean): readonly [string, Known<boolean>][] =>
        list(at(value, "spec", "customNoUpgrade", key)).map((name) => [text(name), known(on)]);
      const gates = new Map([...listed("enabled", true), ...listed("disabled", false)]);
      const place = below(source, "spec.customNoUpgrade");
      return { title: titleOf(value, kind), gates, isCertain: true, pool: undefined, source: place };
    });
  const alone = objects.of("KubeletConfiguration").map(({ value, source }) => ({
    title: "a KubeletConfiguration that stands alone",
    gates: gatesOf(value["featureGates"]),
    isCertain: false,
    pool: undefined,
    source: below(source, "featureGates"),
  }));
  const selecting = objects.of("KubeletConfig").map(({ value, kind, source }) => ({
    title: titleOf(value, kind),
    gates: gatesOf(at(value, "spec", "kubeletConfig", "featureGates")),
    isCertain: false,
    pool: poolOf(at(value, "spec", "machineConfigPoolSelector", "matchLabels")),
    source: below(source, "spec.kubeletConfig.featureGates"),
  }));
  return [...custom, ...alone, ...selecting].filter(({ gates }) => gates.size > 0);
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
  const stated = node.flags && orElse(node.flags, () => undefined);
  const flags = stated ?? command?.flags ?? new Map<string, Known<string>>();
  const config = flags.get("config");
  const path = config === undefined ? OPENSHIFT_CONFIG : orElse(config, () => undefined);
  const files = [...node.files].flatMap(([file, { content, source }]): readonly GateStatement[] => {
    const isOne = orElse(
      map(content, (all) => all.includes("KubeletConfiguration") && all.includes("featureGates")),
      (why) => why.kind === "apply",
    );
    const value = isOne ? plainOf(firstDocument(content).value, "") : undefined;
    if (at(value, "kind") !== "KubeletConfiguration") return [];
    const title = `the KubeletConfiguration ${file}`;
    const gates = gatesOf(at(value, "featureGates"));
    return [{ title, gates, isCertain: file === path, pool: undefined, source }];
  });
  const flag = flags.get("feature-gates");
  const source = (command && node.files.get(command.path)?.source) ?? node.source;
  const title = "the kubelet flag --feature-gates";
  const ofFlag = match(
    flag ?? known(""),
    (all) => [{ title, gates: flagGates(all), isCertain: true, pool: undefined, source }],
    () => [],
  );
  return [...files, ...ofFlag].filter(({ gates }) => gates.size > 0);
}

const UNCLEAR: Known<never> = notKnown({ kind: "malformed", what: "it is neither on nor off" });

function gatesOf(value: unknown): GateStatement["gates"] {
  return new Map(
    Object.entries(record(value)).map(([gate, on]) => [gate, typeof on === "boolean" ? known(on) : UNCLEAR]),
  );
}

/** `A=true,B=false`, with the words of Go's `strconv.ParseBool`. */
function flagGates(flag: string): GateStatement["gates"] {
  const parts = flag.split(",").filter((part) => part !== "");
  return new Map(
    parts.map((part): [string, Known<boolean>] => {
      const [name = "", value = ""] = part.split("=", 2);
      const on = switchOf(value.trim());
      return [name.trim(), on === undefined ? UNCLEAR : known(on)];
    }),
  );
}

const ON: readonly string[] = ["1", "t", "T", "TRUE", "true", "True"];
const OFF: readonly string[] = ["0", "f", "F", "FALSE", "false", "False"];

/** A switch written as text; `undefined` where it is neither on nor off. */
export function switchOf(value: string): boolean | undefined {
  if (ON.includes(value)) return true;
  return OFF.includes(value) ? false : undefined;
}
