/*
 * What the containers of a pod see: variables, and files of projected volumes and ConfigMaps.
 * Source: kubernetes.io/docs/concepts/storage/projected-volumes, and Container v1 core of the API reference.
 */

import { posix } from "node:path";
import { type Known, andThen, is, isKnown, known, orElse, unread, whether } from "../../model/known";
import { plainAt } from "../../model/parsed-tree";
import { type Tree, itemsAt, optionalText, treeAt } from "../../model/tree";
import { type Answer, broken, seen } from "../answer";
import type { PodFact } from "../read/pods";

/** A token of the service account that the kubelet writes into a file. */
export interface ProjectedToken {
  /** The audience; `undefined` for that of the API server. */
  readonly audience: Known<string | undefined>;
  readonly expirationSeconds: number;
}

export interface SeenFile {
  readonly path: string;
  readonly token: ProjectedToken | undefined;
  /** ConfigMap and key of its text; `undefined` if it does not come from a ConfigMap. */
  readonly of: { readonly configMap: string; readonly key: string } | undefined;
}

export interface ContainerFact {
  readonly name: string;
  /** A variable: `undefined` if none of that name is written, not known if only the cluster shows its value. */
  readonly variable: (name: string) => Known<string | undefined>;
  /** True if it takes all variables of an object that is not read. */
  readonly hasMore: boolean;
  readonly files: readonly SeenFile[];
  /** True if a path of a mount or a file is known only in the cluster. */
  readonly isOpen: boolean;
}

/** The lifetime if none is written. Source: `ServiceAccountTokenProjection`. */
const LIFETIME = 3600;
const CONTAINERS: readonly string[] = ["initContainers", "containers"];

function isNothing(tree: Tree): boolean {
  return whether(tree, (value) => value === undefined || value === null) === "yes";
}

/** The containers, in the order in which they start; `keysOf` returns the keys of ConfigMaps that were read. */
export function containersOf(
  spec: Tree,
  keysOf: (configMap: string) => readonly string[] = () => [],
): readonly ContainerFact[] {
  const volumes = new Map(
    itemsAt(spec, "volumes").map((volume) => [plainAt(volume, "name"), volumeFiles(volume, keysOf)]),
  );
  return CONTAINERS.flatMap((kind) => itemsAt(spec, kind)).map((container) => {
    const mounts = itemsAt(container, "volumeMounts");
    return {
      name: plainAt(container, "name"),
      variable: (name) => variableOf(container, name),
      hasMore: itemsAt(container, "envFrom").length > 0,
      files: mounts.flatMap((mount) => mounted(mount, volumes.get(plainAt(mount, "name")) ?? [])),
      isOpen: mounts.some(
        (mount) =>
          plainAt(mount, "subPathExpr") !== "" ||
          !["mountPath", "subPath"].every((key) => isKnown(treeAt(mount, key))),
      ),
    };
  });
}

/** If a variable is written twice, the last one takes effect. */
function variableOf(container: Tree, name: string): Known<string | undefined> {
  const all = itemsAt(container, "env").filter((each) => plainAt(each, "name") === name);
  if (all.length === 0) return known(undefined);
  const written = all.at(-1) ?? known(undefined);
  if (!isNothing(treeAt(written, "valueFrom")))
    return unread(`the variable ${name} comes from another object`);
  return andThen(optionalText(treeAt(written, "value")), (value) =>
    value?.includes("$(") ? unread(`the variable ${name} is made from others`) : known(value ?? ""),
  );
}

function volumeFiles(volume: Tree, keysOf: (configMap: string) => readonly string[]): readonly SeenFile[] {
  const projected = itemsAt(volume, "projected", "sources");
  const ofProjections = projected.flatMap((source): readonly SeenFile[] => {
    const token = treeAt(source, "serviceAccountToken");
    if (isNothing(token)) return configMapFiles(treeAt(source, "configMap"), keysOf);
    return [{ path: plainAt(token, "path"), token: tokenOf(token), of: undefined }];
  });
  const files = [...ofProjections, ...configMapFiles(treeAt(volume, "configMap"), keysOf)];
  // The kubelet writes them one after the other, so that the last one at a path counts.
  return [...new Map(files.map((file, place) => [file.path || place, file])).values()];
}

function configMapFiles(source: Tree, keysOf: (configMap: string) => readonly string[]): readonly SeenFile[] {
  const configMap = plainAt(source, "name");
  if (configMap === "") return [];
  const items = itemsAt(source, "items");
  const rows =
    items.length === 0
      ? keysOf(configMap).map((key) => [key, key] as const)
      : items.map((item) => [plainAt(item, "path"), plainAt(item, "key")] as const);
  return rows.map(([path, key]) => ({ path, token: undefined, of: { configMap, key } }));
}

function tokenOf(token: Tree): ProjectedToken {
  const seconds = orElse(treeAt(token, "expirationSeconds"), () => undefined);
  return {
    audience: optionalText(treeAt(token, "audience")),
    expirationSeconds: typeof seconds === "number" ? seconds : LIFETIME,
  };
}

/** With a `subPath`, only that file or directory of the volume is mounted, at the path of the mount. */
function mounted(mount: Tree, files: readonly SeenFile[]): readonly SeenFile[] {
  const [path, part] = [plainAt(mount, "mountPath"), plainAt(mount, "subPath")];
  if (plainAt(mount, "subPathExpr") !== "") return [];
  const below = part === "" ? "" : posix.normalize(part).replace(/\/$/, "");
  return files.flatMap((file) => {
    const inside = posix.normalize(file.path);
    if (below === "") return [{ ...file, path: posix.join(path, inside) }];
    if (inside === below) return [{ ...file, path: posix.normalize(path) }];
    return inside.startsWith(`${below}/`)
      ? [{ ...file, path: posix.join(path, inside.slice(below.length)) }]
      : [];
  });
}

/** An item of a ConfigMap volume whose key the ConfigMap does not have: the pod does not start. */
export function missingKey(spec: Tree, configMap: string, keys: readonly string[]): string | undefined {
  return itemsAt(spec, "volumes")
    .flatMap((volume) => [volume, ...itemsAt(volume, "projected", "sources")])
    .map((source) => treeAt(source, "configMap"))
    .filter((source) => plainAt(source, "name") === configMap)
    .filter((source) => orElse(treeAt(source, "optional"), () => undefined) !== true)
    .flatMap((source) => itemsAt(source, "items").map((item) => plainAt(item, "key")))
    .find((key) => key !== "" && !keys.includes(key));
}

/** Lifetimes of tokens that Kubernetes accepts, in seconds. */
const SHORTEST = 600;
const LONGEST = 2 ** 32;

/**
 * The first pod with a projected token that the API server refuses; `undefined` if there is none. Source:
 * kubernetes/kubernetes, pkg/apis/core/validation/validation.go, `validateProjectionSources`.
 */
export function refusedToken(pods: readonly PodFact[]): Answer | undefined {
  for (const { title, spec, source } of pods) {
    const problem = itemsAt(spec, "volumes")
      .flatMap((volume) => itemsAt(volume, "projected", "sources"))
      .map((projection) => tokenProblem(treeAt(projection, "serviceAccountToken")))
      .find((each) => each !== undefined);
    if (problem !== undefined)
      return broken(
        `${title} ${problem}, so it does not start`,
        "write a lifetime between 600 and 4294967296 seconds, and a path within the volume",
        "Invalid value",
        seen(title, source),
      );
  }
  return undefined;
}

function tokenProblem(token: Tree): string | undefined {
  const path = plainAt(token, "path");
  if (posix.isAbsolute(path) || path.split("/").includes(".."))
    return `asks for a token at ${path}; Kubernetes accepts only a path within the volume`;
  const seconds = orElse(treeAt(token, "expirationSeconds"), () => undefined) ?? SHORTEST;
  const asks = `asks for a token of ${JSON.stringify(seconds)}`;
  if (!Number.isSafeInteger(seconds)) return `${asks}; Kubernetes accepts only whole numbers of seconds`;
  if (Number(seconds) > LONGEST) return `${asks} seconds; Kubernetes issues none over ${LONGEST}`;
  return Number(seconds) < SHORTEST ? `${asks} seconds; Kubernetes issues none under ${SHORTEST}` : undefined;
}

const SYSTEMS: readonly string[] = ["kubernetes.io/os", "beta.kubernetes.io/os"];
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

/** Whether a pod asks for Windows nodes, or for nodes that may run Windows. */
export function mayBeForWindows(spec: Tree): boolean {
  const selected = SYSTEMS.map((label) => treeAt(spec, "nodeSelector", label));
  const affine = itemsAt(spec, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms")
    .flatMap((term) => itemsAt(term, "matchExpressions"))
    .filter((each) => is(optionalText(treeAt(each, "operator")), "In") !== "no")
    .filter((each) => SYSTEMS.some((label) => is(optionalText(treeAt(each, "key")), label) !== "no"))
    .flatMap((each) => itemsAt(each, "values"));
  return [treeAt(spec, "os", "name"), ...selected, ...affine].some(
    (each) => is(optionalText(each), "windows") !== "no",
  );
}
