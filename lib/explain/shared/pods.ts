/*
 * What the containers of a pod see: variables, and files of projected volumes and ConfigMaps.
 * Source: kubernetes.io/docs/concepts/storage/projected-volumes, and Container v1 core of the API reference.
 */

import { posix } from "node:path";
import { type Known, andThen, is, isKnown, known, orElse, unread, whether } from "../../model/known";
import { type Tree, childOf, itemsOf, optionalText } from "../../model/tree";
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

/** A text, empty if it is absent or not known; for names that the API server requires to be literal. */
function literal(tree: Tree): string {
  return orElse(optionalText(tree), () => undefined) ?? "";
}

function isNothing(tree: Tree): boolean {
  return whether(tree, (value) => value === undefined || value === null) === "yes";
}

/** The containers, in the order in which they start; `keysOf` returns the keys of ConfigMaps that were read. */
export function containersOf(
  spec: Tree,
  keysOf: (configMap: string) => readonly string[] = () => [],
): readonly ContainerFact[] {
  const volumes = new Map(
    itemsOf(childOf(spec, "volumes")).map((volume) => [
      literal(childOf(volume, "name")),
      volumeFiles(volume, keysOf),
    ]),
  );
  return CONTAINERS.flatMap((kind) => itemsOf(childOf(spec, kind))).map((container) => {
    const mounts = itemsOf(childOf(container, "volumeMounts"));
    return {
      name: literal(childOf(container, "name")),
      variable: (name) => variableOf(container, name),
      hasMore: itemsOf(childOf(container, "envFrom")).length > 0,
      files: mounts.flatMap((mount) => mounted(mount, volumes.get(literal(childOf(mount, "name"))) ?? [])),
      isOpen: mounts.some(
        (mount) =>
          literal(childOf(mount, "subPathExpr")) !== "" ||
          !["mountPath", "subPath"].every((key) => isKnown(childOf(mount, key))),
      ),
    };
  });
}

/** If a variable is written twice, the last one takes effect. */
function variableOf(container: Tree, name: string): Known<string | undefined> {
  const all = itemsOf(childOf(container, "env")).filter((each) => literal(childOf(each, "name")) === name);
  if (all.length === 0) return known(undefined);
  const written = all.at(-1) ?? known(undefined);
  if (!isNothing(childOf(written, "valueFrom")))
    return unread(`the variable ${name} comes from another object`);
  return andThen(optionalText(childOf(written, "value")), (value) =>
    value?.includes("$(") ? unread(`the variable ${name} is made from others`) : known(value ?? ""),
  );
}

function volumeFiles(volume: Tree, keysOf: (configMap: string) => readonly string[]): readonly SeenFile[] {
  const projected = itemsOf(childOf(volume, "projected", "sources"));
  const ofProjections = projected.flatMap((source): readonly SeenFile[] => {
    const token = childOf(source, "serviceAccountToken");
    if (isNothing(token)) return configMapFiles(childOf(source, "configMap"), keysOf);
    return [{ path: literal(childOf(token, "path")), token: tokenOf(token), of: undefined }];
  });
  const files = [...ofProjections, ...configMapFiles(childOf(volume, "configMap"), keysOf)];
  // The kubelet writes them one after the other, so that the last one at a path counts.
  return [...new Map(files.map((file, place) => [file.path || place, file])).values()];
}

function configMapFiles(source: Tree, keysOf: (configMap: string) => readonly string[]): readonly SeenFile[] {
  const configMap = literal(childOf(source, "name"));
  if (configMap === "") return [];
  const items = itemsOf(childOf(source, "items"));
  const rows =
    items.length === 0
      ? keysOf(configMap).map((key) => [key, key] as const)
      : items.map((item) => [literal(childOf(item, "path")), literal(childOf(item, "key"))] as const);
  return rows.map(([path, key]) => ({ path, token: undefined, of: { configMap, key } }));
}

function tokenOf(token: Tree): ProjectedToken {
  const seconds = orElse(childOf(token, "expirationSeconds"), () => undefined);
  return {
    audience: optionalText(childOf(token, "audience")),
    expirationSeconds: typeof seconds === "number" ? seconds : LIFETIME,
  };
}

/** With a `subPath`, only that file or directory of the volume is mounted, at the path of the mount. */
function mounted(mount: Tree, files: readonly SeenFile[]): readonly SeenFile[] {
  const [path, part] = [literal(childOf(mount, "mountPath")), literal(childOf(mount, "subPath"))];
  if (literal(childOf(mount, "subPathExpr")) !== "") return [];
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
  return itemsOf(childOf(spec, "volumes"))
    .flatMap((volume) => [volume, ...itemsOf(childOf(volume, "projected", "sources"))])
    .map((source) => childOf(source, "configMap"))
    .filter((source) => literal(childOf(source, "name")) === configMap)
    .filter((source) => orElse(childOf(source, "optional"), () => undefined) !== true)
    .flatMap((source) => itemsOf(childOf(source, "items")).map((item) => literal(childOf(item, "key"))))
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
    const problem = itemsOf(childOf(spec, "volumes"))
      .flatMap((volume) => itemsOf(childOf(volume, "projected", "sources")))
      .map((projection) => tokenProblem(childOf(projection, "serviceAccountToken")))
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
  const path = literal(childOf(token, "path"));
  if (posix.isAbsolute(path) || path.split("/").includes(".."))
    return `asks for a token at ${path}; Kubernetes accepts only a path within the volume`;
  const seconds = orElse(childOf(token, "expirationSeconds"), () => undefined) ?? SHORTEST;
  const asks = `asks for a token of ${JSON.stringify(seconds)}`;
  if (!Number.isSafeInteger(seconds)) return `${asks}; Kubernetes accepts only whole numbers of seconds`;
  if (Number(seconds) > LONGEST) return `${asks} seconds; Kubernetes issues none over ${LONGEST}`;
  return Number(seconds) < SHORTEST ? `${asks} seconds; Kubernetes issues none under ${SHORTEST}` : undefined;
}

const SYSTEMS: readonly string[] = ["kubernetes.io/os", "beta.kubernetes.io/os"];
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

/** Whether a pod asks for Windows nodes, or for nodes that may run Windows. */
export function mayBeForWindows(spec: Tree): boolean {
  const selected = SYSTEMS.map((label) => childOf(spec, "nodeSelector", label));
  const affine = itemsOf(childOf(spec, "affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms"))
    .flatMap((term) => itemsOf(childOf(term, "matchExpressions")))
    .filter((each) => is(optionalText(childOf(each, "operator")), "In") !== "no")
    .filter((each) => SYSTEMS.some((label) => is(optionalText(childOf(each, "key")), label) !== "no"))
    .flatMap((each) => itemsOf(childOf(each, "values")));
  return [childOf(spec, "os", "name"), ...selected, ...affine].some(
    (each) => is(optionalText(each), "windows") !== "no",
  );
}
