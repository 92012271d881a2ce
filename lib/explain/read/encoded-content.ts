/*
 * Encoded contents of files in documents: Ignition's data URLs, and base64, perhaps compressed.
 */

import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { PLACEHOLDER_START } from "../../artefact/placeholder";
import { type Known, known, unread } from "../../model/known";
import { type Json, at, text } from "../../model/parsed";
import { type LateReader, isEncodedPlaceholder } from "./late-text";

/** The form of hash that Ignition accepts. */
export const HASH: RegExp = /^(?:sha512-[0-9a-f]{128}|sha256-[0-9a-f]{64})$/;
const DATA_URL = /^data:([^,]*),([^]*)$/;
/** Standard encoding with padding, which Ignition insists on. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const BASE64_GROUP = 4;
const ESCAPES = /%[0-9a-fA-F]{2}/g;
const UNPACKED_MAX = 16 * 1024 * 1024;

/** The text in an Ignition file's data URL, decompressed and verified; `undefined` if it is not a data URL. */
export function dataUrlContent(url: string, contents: Json, late: LateReader): Known<string> | undefined {
  if (isEncodedPlaceholder(url)) return late(url);
  if (url.includes(PLACEHOLDER_START)) return unread("a late value stands within encoded contents");
  const packed = dataUrl(url);
  if (packed === undefined) return undefined;
  const bytes = text(contents["compression"]) === "gzip" ? unpacked(packed) : packed;
  if (bytes === undefined) return unread("it is compressed, and cannot be unpacked");
  const [kind = "", hash] = text(at(contents, "verification", "hash")).split("-");
  if (
    hash !== undefined &&
    HASH.test(`${kind}-${hash}`) &&
    createHash(kind).update(bytes).digest("hex") !== hash
  )
    return unread("its verification.hash is that of other contents");
  return known(bytes.toString("utf8"));
}

/** RFC 2397. */
function dataUrl(url: string): Buffer | undefined {
  const [, head, data] = DATA_URL.exec(url) ?? [];
  if (head === undefined || data === undefined) return undefined;
  const raw = Buffer.from(data, "utf8").toString("latin1");
  const plain = raw.replace(ESCAPES, (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)));
  if (!head.endsWith(";base64")) return Buffer.from(plain, "latin1");
  return bytesOfBase64(plain);
}

export function bytesOfBase64(encoded: string): Buffer | undefined {
  const isValid = BASE64.test(encoded) && encoded.length % BASE64_GROUP === 0;
  return isValid ? Buffer.from(encoded, "base64") : undefined;
}

function unpacked(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: UNPACKED_MAX });
  } catch {
    return undefined;
  }
}

/** The text behind base64, perhaps compressed. */
export function base64Content(written: string, isCompressed: boolean, late: LateReader): Known<string> {
  if (isEncodedPlaceholder(written)) return late(written);
  if (written.includes(PLACEHOLDER_START)) return unread("a late value stands within encoded contents");
  const packed = Buffer.from(written, "base64");
  const bytes = isCompressed ? unpacked(packed) : packed;
  return bytes === undefined
    ? unread("it is compressed, and cannot be unpacked")
    : known(bytes.toString("utf8"));
}
