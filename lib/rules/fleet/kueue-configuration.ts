import { type Document, YAMLMap, isMap } from "yaml";
import { parsedYaml } from "../../model/parsed-yaml";
import { fail } from "../../errors";
import { literal } from "../../model/late";
import { KUEUE_GATE, kueueGateOff } from "./kueue-gates";
import { type AccessProvider, accessProviderDocument } from "./provider-file";
import { secretIssues } from "./secret-material";

/** Older versions of the configuration do not know `clusterProfile`, and Kueue refuses what it does not know. */
export const KUEUE_API_VERSION = "config.kueue.x-k8s.io/v1beta2";

/** The fleet's part of Kueue's configuration. */
export interface KueueFragment {
  /** The list of providers, under the name that the version knows. */
  readonly multiKueue: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The fleet's part of Kueue's configuration as a document. Kueue has no policies, so none is written. */
export function kueueFragment(field: string, providers: readonly AccessProvider[]): KueueFragment {
  const entries = providers.map(({ name, execConfig }) => accessProviderDocument({ name, execConfig }));
  return { multiKueue: { clusterProfile: { [field]: entries } } };
}

/**
 * Kueue's own configuration with the fleet's part in it; comments and order of the given text stay.
 *
 * `gateByFlag` leaves the feature gate to `--feature-gates` of the manager's command line: Kueue does not start where
 * flag and configuration both have gates (kubernetes-sigs/kueue:pkg/config/validation.go).
 *
 * Throws `kueue-configuration-invalid`, `fleet-secret-material` or `late-value`.
 */
export function kueueConfiguration(
  text: string,
  field: string,
  providers: readonly AccessProvider[],
  gateByFlag: boolean = false,
): string {
  if (typeof literal(text, "configuration of Kueue") !== "string")
    return fail("kueue-configuration-invalid", "is no text");
  const [document, another] = parsedYaml(text, { version: "1.1" });
  if (document === undefined || another || document.errors.length > 0 || !isMap(document.contents))
    return fail("kueue-configuration-invalid", "is no YAML object");
  if (document.get("kind") !== "Configuration" || document.get("apiVersion") !== KUEUE_API_VERSION)
    return fail("kueue-configuration-invalid", `is not of kind Configuration of ${KUEUE_API_VERSION}`);
  const [secret] = secretIssues("the configuration of Kueue", document.toJS());
  if (secret) throw secret;
  if (gateByFlag && document.has("featureGates"))
    return fail(
      "kueue-configuration-invalid",
      "has featureGates, which Kueue refuses beside --feature-gates",
    );
  for (const key of [...(gateByFlag ? [] : ["featureGates"]), "multiKueue"]) completeMap(document, key);
  if (document.hasIn(["multiKueue", "clusterProfile"]))
    return fail("kueue-configuration-invalid", "has multiKueue.clusterProfile already");
  const fragment = kueueFragment(field, providers);
  if (!gateByFlag) turnOn(document);
  document.setIn(
    ["multiKueue", "clusterProfile"],
    document.createNode(fragment.multiKueue["clusterProfile"]),
  );
  return document.toString({ lineWidth: 0 });
}

/** What is stated otherwise was meant so, but for the gate of the fleet itself. */
function turnOn(document: Document): void {
  document.setIn(["featureGates", KUEUE_GATE], true);
  const { featureGates } = document.toJS() as { readonly featureGates: Readonly<Record<string, unknown>> };
  const off = kueueGateOff(featureGates);
  if (off !== undefined) fail("kueue-configuration-invalid", `leaves the feature gate ${off} off`);
}

/** An object under the key, so that something can be put into it. */
function completeMap(document: Document, key: string): void {
  const part: unknown = document.get(key);
  if (part !== undefined && part !== null && !isMap(part))
    return fail("kueue-configuration-invalid", `has a ${key} that is no object`);
  if (!isMap(part)) document.set(key, new YAMLMap());
}
