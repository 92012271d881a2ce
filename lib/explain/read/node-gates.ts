/*
 * Feature gates of kubelets that were read: from flags, KubeletConfigurations on nodes, and OpenShift's objects.
 */

import { type Known, known, notKnown, orElse } from "../../model/known";
import { at, list, record, text } from "../../model/parsed";
import { plainOf } from "../../model/tree";
import { firstDocument } from "./documents";
import { type NodeFact, kubeletCommand, mayHold } from "./node-files";
import { type Objects, titleOf } from "./objects";
import { type Source, below } from "./source";

/** A setting of feature gates. */
export interface GateStatement {
  readonly title: string;
  /** The gates; a value that is neither on nor off is unknown. */
  readonly gates: ReadonlyMap<string, Known<boolean>>;
  /** False if it is not known whether the kubelets in question read it. */
  readonly isCertain: boolean;
  readonly source: Source;
}

/**
 * The gates in the objects of a cluster: OpenShift's FeatureGate for all nodes, a KubeletConfig for some pools, a
 * standalone KubeletConfiguration for nodes that nothing names.
 *
 * Source: openshift/api, config/v1 FeatureGate (the lists apply only in the set `CustomNoUpgrade`) and
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
      return { title: titleOf(value, kind), gates, isCertain: true, source: place };
    });
  const alone = objects.of("KubeletConfiguration").map(({ value, source }) => ({
    title: "a standalone KubeletConfiguration",
    gates: gatesOf(value["featureGates"]),
    isCertain: false,
    source: below(source, "featureGates"),
  }));
  const selecting = objects.of("KubeletConfig").map(({ value, kind, source }) => {
    const gates = gatesOf(at(value, "spec", "kubeletConfig", "featureGates"));
    const place = below(source, "spec.kubeletConfig.featureGates");
    return { title: titleOf(value, kind), gates, isCertain: false, source: place };
  });
  return [...custom, ...alone, ...selecting].filter(({ gates }) => gates.size > 0);
}

/** OpenShift's kubelets read this file, whatever else is on the node. Source: machine-config-operator's templates. */
const OPENSHIFT_CONFIG = "/etc/kubernetes/kubelet.conf";

/** The gates in a node's files and flags; later ones override earlier ones. */
export function nodeGateStatements(node: NodeFact): readonly GateStatement[] {
  const stated = orElse(node.flags ?? known(undefined), () => undefined);
  const command = stated ? undefined : kubeletCommand(node);
  const flags = stated ?? command?.flags ?? new Map<string, Known<string>>();
  const path = orElse(flags.get("config") ?? known(OPENSHIFT_CONFIG), () => undefined);
  const files = [...node.files].flatMap(([file, { content, source }]): readonly GateStatement[] => {
    if (!mayHold(content, "KubeletConfiguration") || !mayHold(content, "featureGates")) return [];
    const value = plainOf(firstDocument(content).value, "");
    if (at(value, "kind") !== "KubeletConfiguration") return [];
    const gates = gatesOf(at(value, "featureGates"));
    return [{ title: `the KubeletConfiguration ${file}`, gates, isCertain: file === path, source }];
  });
  const inline = {
    title: "the kubelet configuration in the document",
    gates: gatesOf(at(node.configuration, "featureGates")),
    isCertain: true,
    source: node.source,
  };
  const source = (command && node.files.get(command.path)?.source) ?? node.source;
  const written = orElse(flags.get("feature-gates") ?? known(""), () => "");
  const gates = flagGates(written);
  const ofFlag = { title: "the kubelet flag --feature-gates", gates, isCertain: true, source };
  return [...files, inline, ofFlag].filter(({ gates }) => gates.size > 0);
}

const UNCLEAR: Known<never> = notKnown({ kind: "malformed", what: "it is neither on nor off" });

function gatesOf(value: unknown): GateStatement["gates"] {
  return new Map(
    Object.entries(record(value)).map(([gate, on]) => [gate, typeof on === "boolean" ? known(on) : UNCLEAR]),
  );
}

/** The gates with which kubelets take tokens for plugins, and API servers let them ask. */
export const TOKEN_GATE = "KubeletServiceAccountTokenForCredentialProviders";
export const TOKEN_GATES: readonly string[] = [TOKEN_GATE, "AllAlpha", "AllBeta"];

/** `A=true,B=false`, with the words of Go's `strconv.ParseBool`. */
export function flagGates(flag: string): GateStatement["gates"] {
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

/** A switch written as text; `undefined` if it is neither on nor off. */
export function switchOf(value: string): boolean | undefined {
  if (ON.includes(value)) return true;
  return OFF.includes(value) ? false : undefined;
}
