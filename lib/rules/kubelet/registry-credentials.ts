/*
 * The order in which the kubelet tries registry credentials (kubernetes:pkg/credentialprovider/keyring.go,
 * `BasicDockerKeyring` and `UnionDockerKeyring`; pkg/kubelet/images/image_manager.go, `pullImage`).
 */

import { push } from "../../model/grouped";
import { toBytes, quoted, jsonKind } from "./go-text";
import { type GoUrlOptions, parseSchemelessUrl } from "./go-url";
import { bytesMatch } from "./image-matches";
import { isRecord } from "../../model/record";

/** Credentials for a registry, from a docker config or from a plugin's answer. */
export interface RegistryCredential {
  /** The key: a registry, optionally with `https://`, a path, or `*` in parts of the host. */
  readonly registry: string;
}

/** The three places in which the kubelet looks up credentials for each pull. */
export interface CredentialKeyrings<Credential extends RegistryCredential> {
  /**
   * Credentials from the pod's pull secrets, in the order of `imagePullSecrets`.
   *
   * @defaultValue - none
   */
  readonly imagePullSecrets?: readonly Credential[];
  /**
   * Credentials from the node's docker config file.
   *
   * @defaultValue - none
   */
  readonly nodeConfig?: readonly Credential[];
  /**
   * Credentials from the answers of the credential providers, in the order in which the kubelet runs these: that of the
   * configuration from 1.33 on, sorted by name before.
   *
   * @defaultValue - none
   */
  readonly credentialProviders?: readonly Credential[];
}

/**
 * The credentials that the kubelet tries for a repository (as `lookupRepository` returns it), in order. Without any it
 * pulls anonymously, once; with any it never pulls anonymously.
 *
 * Pull secrets come first, then the node's file, then providers. Within each group the kubelet sorts all matching keys
 * in reverse byte order, whichever secret or provider they come from, so that a longer path precedes its prefixes; the
 * order of secrets or providers decides only between equal keys. A key of `index.docker.io` serves images of docker.io
 * if no other key matches. If two keys of one file differ only in spelling (`a.io`, `https://a.io`), the kubelet
 * defines no order; here the first precedes the second.
 *
 * Like the kubelet, skips what does not parse; also skips values that are not lists or credentials. Never throws.
 */
export function credentialsInOrder<Credential extends RegistryCredential>(
  repository: string,
  keyrings: CredentialKeyrings<Credential>,
  options: GoUrlOptions = {},
): readonly Credential[] {
  const { imagePullSecrets, nodeConfig, credentialProviders } = keyrings ?? {};
  if (typeof repository !== "string") return [];
  return [imagePullSecrets, nodeConfig, credentialProviders].flatMap((keyring) =>
    ofKeyring(toBytes(repository), Array.isArray(keyring) ? keyring : [], options),
  );
}

const DEFAULT_REGISTRY = "index.docker.io";

function ofKeyring<Credential extends RegistryCredential>(
  repository: string,
  keyring: readonly Credential[],
  options: GoUrlOptions,
): readonly Credential[] {
  const byKey = new Map<string, Credential[]>();
  for (const credential of keyring) {
    const registry: unknown = credential?.registry;
    const key = typeof registry === "string" ? keyOf(registry, options) : undefined;
    if (key !== undefined) push(byKey, key, credential);
  }
  const matching = [...byKey.keys()].filter((key) => bytesMatch(key, repository, options)).sort(reverse);
  const credentials = matching.flatMap((key) => byKey.get(key) ?? []);
  return credentials.length > 0 || !isDefaultRegistry(repository)
    ? credentials
    : (byKey.get(DEFAULT_REGISTRY) ?? []);
}

function reverse(one: string, other: string): number {
  return one > other ? -1 : Number(one < other);
}

/** A key as the kubelet stores it: without scheme, and without the API version that docker once put after the host. */
function keyOf(registry: string, options: GoUrlOptions): string | undefined {
  const parsed = parseSchemelessUrl(toBytes(registry.replace(/^https?:\/\//, "")), options);
  if ("error" in parsed) return undefined;
  const path = parsed.path.replace(/^\/v[12]\//, "/");
  return path === "/" ? parsed.host : parsed.host + path;
}

/** Source: `isDefaultRegistryMatch`. */
function isDefaultRegistry(repository: string): boolean {
  const [host = "", ...path] = repository.split("/", 2);
  if (host === "") return false;
  return path.length === 0 || host === "docker.io" || host === DEFAULT_REGISTRY || !/[.:]/.test(host);
}

/*
 * Docker configs in pull secrets, as the kubelet decodes them (kubernetes:pkg/credentialprovider/config.go,
 * `DockerConfigJSON`, `DockerConfigEntry`; secrets/secrets.go). If it cannot decode one, the pull fails, even if other
 * sources have credentials.
 */

/** The types of pull secrets, each with the key that the kubelet reads; it ignores other types. */
export const DOCKER_CONFIG_KEYS: Readonly<Record<string, string>> = {
  "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
  "kubernetes.io/dockercfg": ".dockercfg",
};

export interface DockerConfig {
  readonly registries: readonly string[];
  /** Why the kubelet cannot decode it; `undefined` if it can. */
  readonly problem: string | undefined;
}

/** Reads the decoded text under the key of a Secret that has one of {@link DOCKER_CONFIG_KEYS}; never throws. */
export function readDockerConfig(type: string, content: string): DockerConfig {
  // The kubelet ignores empty contents.
  if (content === "") return { registries: [], problem: undefined };
  const parsed = attempted(content);
  if (!("value" in parsed)) return refused("it is not JSON");
  const whole = type.endsWith("json");
  if (parsed.value !== null && !isRecord(parsed.value)) return refused(unlike("object", parsed.value, "it"));
  const auths = whole ? field(parsed.value, "auths") : parsed.value;
  const headers = whole ? headersProblem(field(parsed.value, "HttpHeaders")) : undefined;
  if (auths !== undefined && auths !== null && !isRecord(auths))
    return refused(unlike("object", auths, "auths"));
  const entries = Object.entries(auths ?? {});
  const problem = entries.map(([registry, entry]) => entryProblem(registry, entry)).find(Boolean) ?? headers;
  return { registries: entries.map(([registry]) => registry), problem };
}

function attempted(content: string): { readonly value: unknown } | { readonly error: unknown } {
  try {
    return { value: JSON.parse(content) as unknown };
  } catch (error) {
    return { error };
  }
}

function refused(problem: string): DockerConfig {
  return { registries: [], problem };
}

function unlike(wanted: string, value: unknown, where: string): string {
  return `${where} is ${jsonKind(value)}, but must be ${wanted}`;
}

/** Go's decoder ignores the case of a field's name; of several spellings the last wins. */
function field(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined;
  return Object.entries(value).findLast(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

function headersProblem(headers: unknown): string | undefined {
  if (headers === undefined || headers === null) return undefined;
  if (!isRecord(headers)) return unlike("object", headers, "HttpHeaders");
  const wrong = Object.values(headers).find((value) => value !== null && typeof value !== "string");
  return wrong === undefined ? undefined : unlike("string", wrong, "a value of HttpHeaders");
}

const TEXTS: readonly string[] = ["username", "password", "email", "auth"];

function entryProblem(registry: string, entry: unknown): string | undefined {
  const where = `the entry ${quoted(registry)}`;
  if (entry === null) return undefined;
  if (!isRecord(entry)) return unlike("object", entry, where);
  const wrong = TEXTS.find(
    (name) => !["string", "undefined"].includes(typeof (field(entry, name) ?? undefined)),
  );
  if (wrong !== undefined) return unlike("string", field(entry, wrong), `${wrong} of ${where}`);
  const auth = field(entry, "auth");
  return typeof auth === "string" && auth !== "" ? authProblem(auth, where) : undefined;
}

const PADDED = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UNPADDED = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2,3})?$/;

/** Go's base64 decoders skip line breaks, but no other white space. */
function authProblem(auth: string, where: string): string | undefined {
  const base64 = auth.replace(/[\r\n]/g, "");
  const valid = (auth.trim().endsWith("=") ? PADDED : UNPADDED).test(base64);
  if (!valid) return `the auth of ${where} is not base64`;
  return Buffer.from(base64, "base64").includes(":")
    ? undefined
    : `the auth of ${where} is not base64 of username:password`;
}
