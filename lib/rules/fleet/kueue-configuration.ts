import { YAMLMap, isMap, parseDocument } from "yaml";
import { fail } from "../../errors";
import { literal } from "../../model/late";
import { type AccessProvider, accessProviderDocument } from "./provider-file";

/** Gate of MultiKueue's ClusterProfiles: alpha and off since 0.15 (kubernetes-sigs/kueue:pkg/features). */
const GATE = "MultiKueueClusterProfile";

/** The fleet's part of Kueue's configuration. */
export interface KueueFragment {
  /** The gate, which is off by default. */
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** The list of providers, under the name that the version knows. */
  readonly multiKueue: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The fleet's part of Kueue's configuration as a document. Kueue has no policies, so none is written. */
export function kueueFragment(field: string, providers: readonly AccessProvider[]): KueueFragment {
  const entries = providers.map(({ name, execConfig }) => accessProviderDocument({ name, execConfig }));
  return { featureGates: { [GATE]: true }, multiKueue: { clusterProfile: { [field]: entries } } };
}

/**
 * Kueue's own configuration with the fleet's part in it; comments and order of the given text stay.
 *
 * Throws `kueue-configuration-invalid` or `late-value`.
 */
export function kueueConfiguration(
  text: string,
  field: string,
  providers: readonly AccessProvider[],
): string {
  if (typeof literal(text, "configuration of Kueue") !== "string")
    return fail("kueue-configuration-invalid", "is no text");
  const document = parseDocument(text, { version: "1.1" });
  if (document.errors.length > 0 || !isMap(document.contents))
    return fail("kueue-configuration-invalid", "is no YAML object");
  const apiVersion = String(document.get("apiVersion"));
  if (document.get("kind") !== "Configuration" || !apiVersion.startsWith("config.kueue.x-k8s.io/"))
    return fail("kueue-configuration-invalid", "is not of kind Configuration of config.kueue.x-k8s.io");
  for (const key of ["featureGates", "multiKueue"]) {
    const part: unknown = document.get(key);
    if (part !== undefined && part !== null && !isMap(part))
      return fail("kueue-configuration-invalid", `has a ${key} that is no object`);
    if (!isMap(part)) document.set(key, new YAMLMap());
  }
  if (document.hasIn(["multiKueue", "clusterProfile"]))
    return fail("kueue-configuration-invalid", "has multiKueue.clusterProfile already");
  const fragment = kueueFragment(field, providers);
  document.setIn(["featureGates", GATE], true);
  document.setIn(
    ["multiKueue", "clusterProfile"],
    document.createNode(fragment.multiKueue["clusterProfile"]),
  );
  return document.toString({ lineWidth: 0 });
}
