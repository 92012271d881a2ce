/*
 * The keys of the kubelet's cache of credential providers' answers (kubernetes:pkg/credentialprovider/plugin/plugin.go,
 * `getCachedCredentials`, `generateCacheKey`, `generateServiceAccountCacheKey`; 1.34 to 1.36).
 */

import { createHash } from "node:crypto";
import { isRecord } from "../../model/record";
import { compareBytes } from "./go-text";

/** The images for which a plugin's answer is valid, as the answer states. */
export type CacheKeyType = "Image" | "Registry" | "Global";

/** The service account for which the kubelet ran a provider in token mode. */
export interface CachedServiceAccount {
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
  /** UID of the service account, so that one that is deleted and created again gets another key. */
  readonly uid: string;
  /** The annotations that the plugin received: those whose keys the entry lists. */
  readonly annotations: Readonly<Record<string, string>>;
  /** `tokenAttributes.cacheType` of the entry. */
  readonly cacheType: "ServiceAccount" | "Token";
  /** The token. Only its hash is part of the key, and only for the cache type `Token`. */
  readonly token: string;
}

const GLOBAL = "<global>";
const LENGTH_MAX = 0xffff;

/**
 * The cache key of an answer of the given type for a repository (as `lookupRepository` returns it), as hexadecimal
 * digits of the kubelet's bytes. Two pulls share a provider's answer exactly if the keys are equal: neither the pod's
 * nor the node's name is part of the key.
 *
 * `undefined` if a part exceeds the 65,535 bytes that can be encoded, in which case the provider yields nothing, if a
 * part is not a string, or if the type or cache type is unknown. Omit the service account for a provider that is not in
 * token mode or a pod without one. Never throws.
 */
export function credentialCacheKey(
  type: CacheKeyType,
  repository: string,
  serviceAccount?: CachedServiceAccount,
): string | undefined {
  return keyOf(baseOf(type, repository), accountPart(serviceAccount));
}

/**
 * The keys under which the kubelet looks for a cached answer, in order: the image, its registry, all images. The first
 * unexpired answer is used. Elements are as {@link credentialCacheKey} returns them.
 */
export function credentialCacheLookups(
  repository: string,
  serviceAccount?: CachedServiceAccount,
): readonly (string | undefined)[] {
  const part = accountPart(serviceAccount);
  return (["Image", "Registry", "Global"] as const).map((type) => keyOf(baseOf(type, repository), part));
}

// Callers without types may pass other types than declared.
function baseOf(type: unknown, repository: unknown): string | undefined {
  if (typeof repository !== "string") return undefined;
  if (type === "Global") return GLOBAL;
  if (type === "Registry") return repository.split("/", 1)[0];
  return type === "Image" ? repository : undefined;
}

function keyOf(base: string | undefined, account: Buffer | undefined): string | undefined {
  return account && joined([textPart(base), prefixed(account)])?.toString("hex");
}

/** Empty if there is no service account. */
function accountPart(account: unknown): Buffer | undefined {
  if (account === undefined || account === null) return Buffer.alloc(0);
  if (!isRecord(account)) return undefined;
  const { namespace, name, uid, annotations, cacheType, token } = account;
  if (!isRecord(annotations) || typeof token !== "string") return undefined;
  if (cacheType !== "ServiceAccount" && cacheType !== "Token") return undefined;
  const rows = Object.entries(annotations).sort(([one], [other]) => compareBytes(one, other));
  const count = Buffer.alloc(4);
  count.writeUInt32BE(rows.length);
  return joined([
    ...[namespace, name, uid].map(textPart),
    count,
    ...rows.flat().map(textPart),
    ...(cacheType === "Token" ? ["token", hashOf(token)].map(textPart) : []),
  ]);
}

function hashOf(token: string): string {
  return token === "" ? "" : `sha256:${createHash("sha256").update(token, "utf8").digest("hex")}`;
}

function textPart(text: unknown): Buffer | undefined {
  return typeof text === "string" ? prefixed(Buffer.from(text, "utf8")) : undefined;
}

/** Prepends the length, 16 bit, big-endian. */
function prefixed(bytes: Buffer): Buffer | undefined {
  if (bytes.length > LENGTH_MAX) return undefined;
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function joined(parts: readonly (Buffer | undefined)[]): Buffer | undefined {
  const whole = parts.filter((part) => part !== undefined);
  return whole.length === parts.length ? Buffer.concat(whole) : undefined;
}
