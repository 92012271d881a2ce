/*
 * Under which keys the kubelet keeps what a credential provider answered (kubernetes:pkg/credentialprovider/plugin/
 * plugin.go, `getCachedCredentials`, `generateCacheKey`, `generateServiceAccountCacheKey`; 1.34 to 1.36).
 */

import { createHash } from "node:crypto";
import { isRecord } from "../../model/record";
import { compareBytes } from "./go-text";

/** For which images a plugin's answer holds, as the answer says. */
export type CacheKeyType = "Image" | "Registry" | "Global";

/** For whom a provider in token mode was asked. */
export interface CachedServiceAccount {
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
  /** Its UID. */
  readonly uid: string;
  /** The annotations that the plugin was handed: those of the keys that the entry lists. */
  readonly annotations: Readonly<Record<string, string>>;
  /** `tokenAttributes.cacheType` of the entry. */
  readonly cacheType: "ServiceAccount" | "Token";
  /** The token; only its hash is in the key, and that only for the cache type `Token`. */
  readonly token: string;
}

const GLOBAL = "<global>";
const LENGTH_MAX = 0xffff;

/**
 * The key of an answer of the given type for a repository (as `lookupRepository` gives it), as hexadecimal digits of the
 * kubelet's bytes. Two pulls share an answer of one provider exactly where the keys are equal: neither the pod nor its
 * node's name is in it.
 *
 * `undefined` where a part is longer than the 65,535 bytes that can be encoded, with which the provider
 * yields nothing; also where a part is not a string, or type or cache type is none of those. Without service account for a
 * provider that is not in token mode, or a pod without one. Never throws.
 */
export function credentialCacheKey(
  type: CacheKeyType,
  repository: string,
  serviceAccount?: CachedServiceAccount,
): string | undefined {
  return keyOf(baseOf(type, repository), accountPart(serviceAccount));
}

/**
 * The keys by which the kubelet looks for a cached answer, first to last: that of the image, of its registry, of all
 * images. The first that is there and has not expired counts. Elements are as {@link credentialCacheKey} gives them.
 */
export function credentialCacheLookups(
  repository: string,
  serviceAccount?: CachedServiceAccount,
): readonly (string | undefined)[] {
  const part = accountPart(serviceAccount);
  return (["Image", "Registry", "Global"] as const).map((type) => keyOf(baseOf(type, repository), part));
}

// What has another type than declared, a caller without types may hand over.
function baseOf(type: unknown, repository: unknown): string | undefined {
  if (typeof repository !== "string") return undefined;
  if (type === "Global") return GLOBAL;
  if (type === "Registry") return repository.split("/", 1)[0];
  return type === "Image" ? repository : undefined;
}

function keyOf(base: string | undefined, account: Buffer | undefined): string | undefined {
  return account && joined([textPart(base), prefixed(account)])?.toString("hex");
}

/** Empty without service account. */
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

/** With its length before it, 16 bit, big-endian. */
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
