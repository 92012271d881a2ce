/*
 * What a file with facts of a cluster may hold: a misspelt key would leave a fact unknown, and nobody would see why.
 */

import { propertyPath } from "../../artefact/property-path";
import { isRecord } from "../../model/record";

/** What a value must be: of a type, a list, an object with any keys, or an object with these keys. */
type Shape =
  | "a text"
  | "true or false"
  | "anything"
  | { readonly each: Shape }
  | { readonly byName: Shape }
  | { readonly keys: Readonly<Record<string, Shape>> };

/** A value of another shape. */
export interface Misfit {
  /** Keys and indexes that lead to it. */
  readonly path: readonly (string | number)[];
  /** What is wrong, in words. */
  readonly reason: string;
  /** What is allowed there. */
  readonly allowed: string;
}

const TEXT: Shape = "a text";
const TEXTS: Shape = { each: TEXT };
const GATES: Shape = { byName: "true or false" };
const PLUGIN: Shape = { keys: { version: TEXT, abilities: TEXTS, names: TEXTS, unusable: TEXT } };
const CONTROLLER: Shape = {
  keys: { kind: TEXT, namespace: TEXT, name: TEXT, container: TEXT, serviceAccount: TEXT },
};
const GRANTED: Shape = {
  keys: {
    request: TEXT,
    file: TEXT,
    document: "anything",
    secret: TEXT,
    serviceAccounts: TEXTS,
    tokenPath: TEXT,
    identity: TEXT,
    asks: { byName: "anything" },
    intends: { keys: { rights: { byName: "anything" }, reason: TEXT } },
    places: TEXTS,
  },
};
const SPOKE: Shape = {
  keys: {
    name: TEXT,
    cloud: TEXT,
    server: TEXT,
    project: TEXT,
    projectNumber: TEXT,
    provider: TEXT,
    rights: TEXT,
  },
};
const FLEET: Shape = {
  keys: {
    consumer: {
      keys: {
        title: TEXT,
        form: { keys: { kind: TEXT, configMap: TEXT, key: TEXT, field: TEXT, gateByFlag: "true or false" } },
        isDistroless: "true or false",
        onPath: TEXTS,
      },
    },
    reader: CONTROLLER,
    workloads: { each: CONTROLLER },
    plugins: { each: { keys: { plugin: TEXT, path: TEXT } } },
    statusWriters: TEXTS,
    clusterManager: TEXT,
    namespace: TEXT,
    podIdentityWebhooks: TEXTS,
    identities: { each: { keys: { serviceAccount: TEXT, cloud: TEXT, identity: TEXT } } },
    spokes: { each: SPOKE },
  },
};

/** A cluster as `workload-identity.json` records it, keys that the verifier does not need included. */
const CLUSTER: Shape = {
  keys: {
    name: TEXT,
    distribution: TEXT,
    issuer: TEXT,
    kubelet: TEXT,
    apiServer: TEXT,
    featureGates: GATES,
    kubeletFeatureGates: GATES,
    apiServerFeatureGates: GATES,
    registries: { byName: { byName: TEXT } },
    plugins: { keys: { ecr: PLUGIN, acr: PLUGIN, gcp: PLUGIN } },
    openShift: {
      keys: { version: TEXT, controlPlaneVersion: TEXT, platform: TEXT, pools: TEXTS, nodePools: TEXTS },
    },
    pulls: { each: { keys: { serviceAccount: TEXT, images: TEXTS } } },
    components: {
      keys: { cloud: TEXT, audience: TEXT, granted: { each: GRANTED }, skipped: { each: "anything" } },
    },
    workloads: {
      each: { keys: { serviceAccount: TEXT, cloud: TEXT, identity: TEXT, asks: { byName: "anything" } } },
    },
    fleet: FLEET,
  },
};

/** The first value of a file with facts of a cluster that has another shape. */
export function clusterMisfit(value: unknown): Misfit | undefined {
  return misfit(value, CLUSTER, []);
}

function misfit(value: unknown, shape: Shape, path: Misfit["path"]): Misfit | undefined {
  const wanted = wantedType(shape);
  if (!isOfType(value, wanted)) {
    const where = path.length === 0 ? "is" : `has ${propertyPath(path)} with`;
    return { path, reason: `${where} ${typeName(value)}, not ${wanted}`, allowed: wanted };
  }
  if (typeof shape === "string") return undefined;
  if ("each" in shape)
    return firstOf((value as readonly unknown[]).entries(), (place, item) =>
      misfit(item, shape.each, [...path, place]),
    );
  return firstOf(Object.entries(value as object), (key, item: unknown) => {
    const inner = "byName" in shape ? shape.byName : ownShape(shape.keys, key);
    if (inner !== undefined) return misfit(item, inner, [...path, key]);
    const allowed = "keys" in shape ? Object.keys(shape.keys).join(", ") : "";
    return { path: [...path, key], reason: `has ${propertyPath([...path, key])}, which is unknown`, allowed };
  });
}

function ownShape(keys: Readonly<Record<string, Shape>>, key: string): Shape | undefined {
  return Object.hasOwn(keys, key) ? keys[key] : undefined;
}

function firstOf<Key>(
  rows: Iterable<readonly [Key, unknown]>,
  find: (key: Key, item: unknown) => Misfit | undefined,
): Misfit | undefined {
  for (const [key, item] of rows) {
    const found = find(key, item);
    if (found) return found;
  }
  return undefined;
}

function wantedType(shape: Shape): string {
  if (typeof shape === "string") return shape;
  return "each" in shape ? "a list" : "an object";
}

function isOfType(value: unknown, wanted: string): boolean {
  return wanted === "anything" || typeName(value) === wanted;
}

function typeName(value: unknown): string {
  if (isRecord(value)) return "an object";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "boolean") return "true or false";
  if (value === null || value === undefined) return "null";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
