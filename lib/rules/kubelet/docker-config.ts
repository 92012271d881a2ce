/*
 * Docker configs in pull secrets, as the kubelet decodes them (kubernetes:pkg/credentialprovider/config.go,
 * `DockerConfigJSON`, `DockerConfigEntry`; secrets/secrets.go). One that it cannot decode fails the pull, whatever
 * else could bring credentials.
 */

import { isRecord } from "../../model/record";
import { quoted } from "./go-text";
import { jsonKind } from "./json-value";

/** The types of pull secrets, each with the key that the kubelet reads; other types it passes over. */
export const DOCKER_CONFIG_KEYS: Readonly<Record<string, string>> = {
  "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
  "kubernetes.io/dockercfg": ".dockercfg",
};

/** What a docker config says. */
export interface DockerConfig {
  /** The registries for which it has credentials, as written. */
  readonly registries: readonly string[];
  /** Why the kubelet cannot decode it; `undefined` where it can. */
  readonly problem: string | undefined;
}

/** Reads the decoded text under the key of a Secret of one of {@link DOCKER_CONFIG_KEYS}; never throws. */
export function readDockerConfig(type: string, content: string): DockerConfig {
  // The kubelet passes over what is empty.
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
  return `${where} is no ${wanted} but ${jsonKind(value)}`;
}

/** Go's decoder ignores the case of a field's name; of several spellings the last counts. */
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

/** Go's decoders of base64 pass over line breaks, and over no other blank. */
function authProblem(auth: string, where: string): string | undefined {
  const base64 = auth.replace(/[\r\n]/g, "");
  const valid = (auth.trim().endsWith("=") ? PADDED : UNPADDED).test(base64);
  if (!valid) return `auth of ${where} is no base64`;
  return Buffer.from(base64, "base64").includes(":")
    ? undefined
    : `auth of ${where} is no base64 of username:password`;
}
