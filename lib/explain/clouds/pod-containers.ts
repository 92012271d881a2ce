/*
 * What the containers of a pod see: variables, and files of projected volumes and ConfigMaps.
 * Source: kubernetes.io/docs/concepts/storage/projected-volumes, and Container v1 core of the API reference.
 */

import { posix } from "node:path";
import { at, list, own, record, text } from "../facts/access";
import type { PodFact } from "../facts/pod-fragments";

/** A token of the service account that the kubelet writes into a file. */
export interface ProjectedToken {
  /** The audience; empty for that of the API server. */
  readonly audience: string;
  /** Lifetime in seconds. */
  readonly expirationSeconds: number;
}

/** A file that a container sees. */
export interface SeenFile {
  /** Its absolute path. */
  readonly path: string;
  /**
   * The token that it holds.
   *
   * @defaultValue - it holds none
   */
  readonly token?: ProjectedToken;
  /**
   * ConfigMap and key of its text.
   *
   * @defaultValue - it is of no ConfigMap
   */
  readonly of?: { readonly configMap: string; readonly key: string };
}

/** A container of a pod. */
export interface ContainerFact {
  /** Its name. */
  readonly name: string;
  /** The text of a variable; `undefined` where none of that name is written, "open" where only the cluster tells it. */
  readonly variable: (name: string) => { readonly text: string } | "open" | undefined;
  /** True where it takes all variables of an object that is not read. */
  readonly hasMore: boolean;
  /** The files that it sees, as far as they are known. */
  readonly files: readonly SeenFile[];
  /** True where a path of a mount is only known in the cluster. */
  readonly isOpen: boolean;
}

/** The lifetime where none is written. Source: `ServiceAccountTokenProjection`. */
const LIFETIME = 3600;
const CONTAINERS: readonly string[] = ["initContainers", "containers"];

/** The containers, those that run first before the others; `keysOf` tells the keys of ConfigMaps that were read. */
export function containersOf(
  spec: unknown,
  keysOf: (configMap: string) => readonly string[] = () => [],
): readonly ContainerFact[] {
  const volumes = new Map(
    list(own(spec, "volumes")).map((volume) => [text(own(volume, "name")), volumeFiles(volume, keysOf)]),
  );
  return CONTAINERS.flatMap((kind) => list(own(spec, kind))).map((container) => {
    const mounts = list(own(container, "volumeMounts"));
    return {
      name: text(own(container, "name")),
      variable: (name) => variableOf(container, name),
      hasMore: list(own(container, "envFrom")).length > 0,
      files: mounts.flatMap((mount) => mounted(mount, volumes.get(text(own(mount, "name"))) ?? [])),
      isOpen: mounts.some((mount) => text(own(mount, "subPathExpr")) !== ""),
    };
  });
}

/** The pods as a program in their containers sees them that is started with variables of its own, above theirs. */
export function startedWith(
  pods: readonly PodFact[],
  variables: ReadonlyMap<string, string> = new Map(),
): readonly PodFact[] {
  if (variables.size === 0) return pods;
  const added = [...variables].map(([name, value]) => ({ name, value }));
  return pods.map((pod) => ({
    ...pod,
    spec: {
      ...pod.spec,
      containers: list(own(pod.spec, "containers")).map((container) => ({
        ...record(container),
        env: [...list(own(container, "env")), ...added],
      })),
    },
  }));
}

/** An item of a ConfigMap volume whose key the ConfigMap does not have: the pod does not start. */
export function missingKey(spec: unknown, configMap: string, keys: readonly string[]): string | undefined {
  const sources = list(own(spec, "volumes")).flatMap((volume) => [
    own(volume, "configMap"),
    ...list(at(volume, "projected", "sources")).map((source) => own(source, "configMap")),
  ]);
  return sources
    .filter((source) => text(own(source, "name")) === configMap && own(source, "optional") !== true)
    .flatMap((source) => list(own(source, "items")).map((item) => text(own(item, "key"))))
    .find((key) => !keys.includes(key));
}

/** Of a variable that is written twice the last counts. */
function variableOf(container: unknown, name: string): ReturnType<ContainerFact["variable"]> {
  const written = list(own(container, "env"))
    .filter((each) => own(each, "name") === name)
    .at(-1);
  if (written === undefined) return undefined;
  const value = own(written, "value");
  if (own(written, "valueFrom") !== undefined) return "open";
  return text(value).includes("$(") ? "open" : { text: text(value) };
}

function volumeFiles(volume: unknown, keysOf: (configMap: string) => readonly string[]): readonly SeenFile[] {
  const sources = [...list(at(volume, "projected", "sources")), { configMap: own(volume, "configMap") }];
  return sources.flatMap((source): readonly SeenFile[] => {
    const token = own(source, "serviceAccountToken");
    if (token !== undefined) return [{ path: text(own(token, "path")), token: tokenOf(token) }];
    const configMap = text(at(source, "configMap", "name"));
    const items = list(at(source, "configMap", "items"));
    if (items.length === 0) return keysOf(configMap).map((key) => ({ path: key, of: { configMap, key } }));
    return items.map((item) => {
      const key = text(own(item, "key"));
      return { path: text(own(item, "path")), of: { configMap, key } };
    });
  });
}

function tokenOf(token: unknown): ProjectedToken {
  const seconds = own(token, "expirationSeconds");
  return {
    audience: text(own(token, "audience")),
    expirationSeconds: typeof seconds === "number" ? seconds : LIFETIME,
  };
}

/** With a `subPath` only that file or directory of the volume is there, at the path of the mount. */
function mounted(mount: unknown, files: readonly SeenFile[]): readonly SeenFile[] {
  const [path, part] = [text(own(mount, "mountPath")), text(own(mount, "subPath"))];
  if (text(own(mount, "subPathExpr")) !== "") return [];
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
