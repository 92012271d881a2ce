/*
 * Whether two `matchImages` entries share an image, so that the kubelet would ask two plugins for it.
 */

import { goMatch } from "./go-match";
import { toBytes } from "./go-text";
import { type GoUrl, parseSchemelessUrl } from "./go-url";

/**
 * True where some image is matched by both: equal ports, host parts that some name fits, one path below the other.
 *
 * The rule of {@link imageMatches} for two patterns; `*` is the only glob that counts. Never throws; false where one
 * of them cannot be read.
 */
export function matchImagesOverlap(a: string, b: string): boolean {
  const [left, right] = [parseSchemelessUrl(toBytes(a)), parseSchemelessUrl(toBytes(b))];
  return !("error" in left) && !("error" in right) && urlsOverlap(left, right);
}

function urlsOverlap(a: GoUrl, b: GoUrl): boolean {
  const [left, right] = [hostAndPort(a.host), hostAndPort(b.host)];
  return (
    left.port === right.port &&
    left.parts.length === right.parts.length &&
    left.parts.every((part, index) => partsOverlap(part, right.parts[index] ?? "")) &&
    (a.path.startsWith(b.path) || b.path.startsWith(a.path))
  );
}

function hostAndPort(host: string): { readonly parts: readonly string[]; readonly port: string } {
  const [, name = host, port = ""] = /^(.*):(\d*)$/.exec(host) ?? [];
  return { parts: name.split("."), port };
}

/** Two texts with stars share a text when neither their beginnings nor their ends contradict each other. */
function partsOverlap(a: string, b: string): boolean {
  if (!a.includes("*")) return goMatch(b, a);
  if (!b.includes("*")) return goMatch(a, b);
  const [startA, startB] = [a.slice(0, a.indexOf("*")), b.slice(0, b.indexOf("*"))];
  const [endA, endB] = [a.slice(a.lastIndexOf("*") + 1), b.slice(b.lastIndexOf("*") + 1)];
  const starts = startA.startsWith(startB) || startB.startsWith(startA);
  return starts && (endA.endsWith(endB) || endB.endsWith(endA));
}
