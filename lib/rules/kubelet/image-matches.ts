import { goMatch } from "./go-match";
import { toBytes } from "./go-text";
import { type GoUrl, type GoUrlOptions, parseSchemelessUrl } from "./go-url";

/**
 * True if a kubelet uses a `matchImages` entry for a repository as {@link lookupRepository} returns it. Also applies to
 * the keys of a plugin's answer and of a docker config file, which the kubelet matches in the same way.
 *
 * The number of host parts must be equal, each part must match (`*` stays within one part), ports must be equal as
 * text, and the pattern's path must be a plain prefix of the repository's. Anything that does not parse matches
 * nothing. Never throws, and takes time linear in its input.
 *
 * Source: `URLsMatchStr` in kubernetes:pkg/credentialprovider/keyring.go.
 */
export function imageMatches(pattern: string, repository: string, options: GoUrlOptions = {}): boolean {
  // Callers without types may pass something other than strings.
  if (typeof pattern !== "string" || typeof repository !== "string") return false;
  return bytesMatch(toBytes(pattern), toBytes(repository), options);
}

/**
 * The prefix that the path must have, slash included, if the pattern matches the host; empty for any path, `undefined`
 * if the pattern does not match the host.
 */
export function matchedPath(pattern: string, host: string): string | undefined {
  const glob = parseSchemelessUrl(toBytes(pattern));
  const target = parseSchemelessUrl(toBytes(`${host}/x`));
  if ("error" in glob || "error" in target) return undefined;
  return urlsMatch({ ...glob, path: "" }, target) ? glob.path : undefined;
}

/** Like {@link imageMatches}, for byte strings. */
export function bytesMatch(pattern: string, repository: string, options: GoUrlOptions = {}): boolean {
  const glob = parseSchemelessUrl(pattern, options);
  const target = parseSchemelessUrl(repository, options);
  return !("error" in glob) && !("error" in target) && urlsMatch(glob, target);
}

function urlsMatch(glob: GoUrl, target: GoUrl): boolean {
  const [globHost, targetHost] = [splitHostPort(glob.host), splitHostPort(target.host)];
  if (globHost.port !== targetHost.port || !target.path.startsWith(glob.path)) return false;
  const [globParts, targetParts] = [globHost.host.split("."), targetHost.host.split(".")];
  return (
    globParts.length === targetParts.length &&
    globParts.every((part, index) => goMatch(part, targetParts[index] ?? ""))
  );
}

/**
 * Go's net.SplitHostPort as the kubelet uses it: if it fails, everything is the host and the port is empty. So `[::1]`
 * keeps its brackets and is read as a character class, while `[::1]:5000` loses them.
 */
function splitHostPort(host: string): { readonly host: string; readonly port: string } {
  const whole = { host, port: "" };
  const colon = host.lastIndexOf(":");
  if (colon < 0) return whole;
  const port = host.slice(colon + 1);
  if (!host.startsWith("[")) {
    const name = host.slice(0, colon);
    return /[:[\]]/.test(name) || /[[\]]/.test(port) ? whole : { host: name, port };
  }
  const close = host.indexOf("]");
  if (close + 1 !== colon || host.indexOf("[", 1) >= 0 || host.indexOf("]", colon) >= 0) return whole;
  return { host: host.slice(1, close), port };
}

/*
 * Whether two `matchImages` entries overlap, so that the kubelet would run two plugins for an image.
 */

/**
 * True if both patterns match some image: equal ports, overlapping host parts, one path below the other.
 *
 * Applies the rule of {@link imageMatches} to two patterns; `*` is the only glob considered. Never throws; false if
 * either pattern cannot be read.
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

/** Two texts with stars can match the same text if neither their beginnings nor their ends contradict each other. */
function partsOverlap(a: string, b: string): boolean {
  if (!a.includes("*")) return goMatch(b, a);
  if (!b.includes("*")) return goMatch(a, b);
  const [startA, startB] = [a.slice(0, a.indexOf("*")), b.slice(0, b.indexOf("*"))];
  const [endA, endB] = [a.slice(a.lastIndexOf("*") + 1), b.slice(b.lastIndexOf("*") + 1)];
  const starts = startA.startsWith(startB) || startB.startsWith(startA);
  return starts && (endA.endsWith(endB) || endB.endsWith(endA));
}
