/*
 * The fleet's part of Kueue's configuration. Kueue has no policies for a profile's variables, so none are written.
 */

import { type Document, YAMLMap, isMap } from "yaml";
import { type WorkloadIdentityError, refusal } from "../../errors";
import { literal } from "../../model/late";
import { parsedYaml } from "../../model/parsed-yaml";
import { type AccessProvider, accessProviderDocument } from "./provider-list";
import { secretIssues } from "./secret-material";

/** Older versions of the configuration do not have `clusterProfile`, and Kueue refuses unknown fields. */
export const KUEUE_API_VERSION = "config.kueue.x-k8s.io/v1beta2";

/** Name and key of the ConfigMap in which Kueue's own manifests keep its configuration. */
export const KUEUE_CONFIG_MAP = "kueue-manager-config";
export const KUEUE_KEY = "controller_manager_config.yaml";

/** Gate of MultiKueue's ClusterProfiles. */
export const KUEUE_GATE = "MultiKueueClusterProfile";

/**
 * Gates that must be on, each with its group, which applies unless the gate itself is stated, and its default: that of
 * ClusterProfiles is alpha and off since 0.15, MultiKueue beta and on (kubernetes-sigs/kueue:pkg/features). Both can be
 * switched; groups are those of k8s.io/component-base/featuregate.
 */
const NEEDED: readonly (readonly [gate: string, group: string, on: boolean])[] = [
  [KUEUE_GATE, "AllAlpha", false],
  ["MultiKueue", "AllBeta", true],
];

/** The first required gate that is off with the stated gates; `undefined` if all are on. */
export function kueueGateOff(stated: Readonly<Record<string, unknown>>): string | undefined {
  const gates = new Map(Object.entries(stated));
  return NEEDED.find(([gate, group, on]) => (gates.get(gate) ?? gates.get(group) ?? on) !== true)?.[0];
}

export function badKueue(reason: string): WorkloadIdentityError {
  return refusal("fleet-invalid", {
    problem: `the configuration of Kueue ${reason}`,
    allowed: `${KUEUE_KEY} of the ConfigMap ${KUEUE_CONFIG_MAP}, without multiKueue.clusterProfile`,
    remedy: "pass the configuration of the installed release; this library adds the fleet's part",
  });
}

/**
 * Kueue's own configuration with the fleet's part added; keeps comments and order of the given text.
 *
 * With `gateByFlag` the feature gate is left to `--feature-gates` on the manager's command line: Kueue does not start
 * if both the flag and the configuration contain gates (kubernetes-sigs/kueue:pkg/config/validation.go).
 */
export function kueueConfiguration(
  text: string,
  field: string,
  providers: readonly AccessProvider[],
  gateByFlag: boolean = false,
): string {
  if (typeof literal(text, "configuration of Kueue") !== "string") throw badKueue("is not a string");
  const [document, another] = parsedYaml(text, { version: "1.1" });
  if (document === undefined || another || document.errors.length > 0 || !isMap(document.contents))
    throw badKueue("is not a YAML object");
  if (document.get("kind") !== "Configuration" || document.get("apiVersion") !== KUEUE_API_VERSION)
    throw badKueue(`is not of kind Configuration of ${KUEUE_API_VERSION}`);
  const [secret] = secretIssues("the configuration of Kueue", document.toJS());
  if (secret) throw secret;
  if (gateByFlag && document.has("featureGates"))
    throw badKueue("has featureGates, which Kueue refuses together with --feature-gates");
  for (const key of [...(gateByFlag ? [] : ["featureGates"]), "multiKueue"]) completeMap(document, key);
  if (document.hasIn(["multiKueue", "clusterProfile"]))
    throw badKueue("already has multiKueue.clusterProfile");
  if (!gateByFlag) turnOn(document);
  const entries = providers.map(({ name, execConfig }) => accessProviderDocument({ name, execConfig }));
  document.setIn(["multiKueue", "clusterProfile"], document.createNode({ [field]: entries }));
  return document.toString({ lineWidth: 0 });
}

/** Other stated gates are kept, since they may be intended; only the fleet's own gate is set. */
function turnOn(document: Document): void {
  document.setIn(["featureGates", KUEUE_GATE], true);
  const { featureGates } = document.toJS() as { readonly featureGates: Readonly<Record<string, unknown>> };
  const off = kueueGateOff(featureGates);
  if (off !== undefined) throw badKueue(`leaves the feature gate ${off} off`);
}

/** Ensures that there is an object under the key, so that entries can be added. */
function completeMap(document: Document, key: string): void {
  const part: unknown = document.get(key);
  if (isMap(part)) return;
  if (part !== undefined && part !== null) throw badKueue(`has a ${key} that is not an object`);
  document.set(key, new YAMLMap());
}
