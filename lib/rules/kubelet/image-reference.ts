/*
 * Container image names as the kubelet reads them: distribution/reference v0.6.0 (normalize.go, regexp.go,
 * reference.go) and the digest rules of opencontainers/go-digest. Scanned by hand instead of with one regular
 * expression, so that hostile input takes linear time.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";
import { goLower, quoted, wellFormed } from "./go-text";

const DEFAULT_DOMAIN = "docker.io";
const LEGACY_DOMAIN = "index.docker.io";
const OFFICIAL = "library/";
const PATH_MAX = 255;
const TAG_MAX = 128;
const SHOWN = 300;
const BAD_FORMAT = "invalid reference format";

/** Hexadecimal digits per digest algorithm; every other algorithm is refused. */
const DIGEST_LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/**
 * The name by which the kubelet looks up a container image: `<registry>/<path>` without tag and digest, for example
 * `docker.io/library/nginx` for `nginx:1.27`. Keeps the registry's case. Throws if the kubelet refuses the name.
 *
 * Source: `ParseImageName` in kubernetes:pkg/util/parsers/parsers.go, for kubelets from 1.32 on; 1.31 includes the
 * registry in the limit of 255 characters.
 */
export function lookupRepository(podImage: string): string {
  // The message does not show a value that is not text: it may not be printable.
  if (typeof literal(podImage, "image") !== "string") return refuse(typeof podImage, BAD_FORMAT);
  const image = wellFormed(podImage);
  const { name, error } = parse(image);
  if (error === undefined) return name;
  const reason = `couldn't parse image name ${quoted(short(image))}: ${error}`;
  return refuse(podImage, reason);
}

function refuse(value: string, reason: string): never {
  return fail("image-invalid", {
    problem: `the kubelet refuses this image name (InvalidImageName): ${reason}`,
    value,
    allowed: "[registry[:port]/]path[:tag][@digest], the path in lower case",
    remedy: "write the image in a form that `podman pull` or `docker pull` accepts",
  });
}

type Parsed =
  | { readonly name: string; readonly error?: undefined }
  | { readonly name?: undefined; readonly error: string };

function parse(image: string): Parsed {
  if (/^[a-f0-9]{64}$/.test(image))
    return { error: `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings` };
  const { domain, remainder } = splitDomain(image);
  const remote = remainder.split(":", 1)[0] ?? "";
  if (goLower(remote) !== remote)
    return { error: `${BAD_FORMAT}: repository name (${short(remote)}) must be lowercase` };
  const whole = `${domain}/${remainder}`;
  const reference = scan(whole);
  if (!reference) return { error: scan(goLower(whole)) ? "repository name must be lowercase" : BAD_FORMAT };
  if (reference.pathLength > PATH_MAX)
    return { error: `repository name must not be more than ${PATH_MAX} characters` };
  const error = reference.digest === undefined ? undefined : digestProblem(reference.digest);
  return error === undefined ? { name: reference.name } : { error };
}

function splitDomain(image: string): { readonly domain: string; readonly remainder: string } {
  const slash = image.indexOf("/");
  if (slash < 0) return { domain: DEFAULT_DOMAIN, remainder: OFFICIAL + image };
  const first = image.slice(0, slash);
  const registry = first === "localhost" || /[.:]/.test(first) || goLower(first) !== first;
  const domain = !registry || first === LEGACY_DOMAIN ? DEFAULT_DOMAIN : first;
  const remainder = registry ? image.slice(slash + 1) : image;
  const official = domain === DEFAULT_DOMAIN && !remainder.includes("/");
  return { domain, remainder: official ? OFFICIAL + remainder : remainder };
}

interface Reference {
  readonly name: string;
  readonly pathLength: number;
  readonly digest: string | undefined;
}

/** Applies the reference grammar; `undefined` if it fails. A tag follows the last slash, a digest the only `@`. */
function scan(reference: string): Reference | undefined {
  const at = reference.indexOf("@");
  const digest = at < 0 ? undefined : reference.slice(at + 1);
  const tagged = at < 0 ? reference : reference.slice(0, at);
  const colon = tagged.indexOf(":", tagged.lastIndexOf("/") + 1);
  const tag = colon < 0 ? undefined : tagged.slice(colon + 1);
  const name = colon < 0 ? tagged : tagged.slice(0, colon);
  if ((digest !== undefined && !isDigest(digest)) || (tag !== undefined && !isTag(tag))) return undefined;
  const slash = name.indexOf("/");
  const components = name.split("/");
  if (slash >= 0 && isDomain(components[0] ?? "") && components.slice(1).every(isPathComponent))
    return { name, pathLength: name.length - slash - 1, digest };
  return components.every(isPathComponent) ? { name, pathLength: name.length, digest } : undefined;
}

function isTag(tag: string): boolean {
  return tag.length <= TAG_MAX && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(tag);
}

/** Lower-case letters and digits, separated by one period, one or two underscores, or any number of dashes. */
function isPathComponent(component: string): boolean {
  return (
    component !== "" &&
    !/[^a-z0-9._-]|^[._-]|[._-]$/.test(component) &&
    !/\.[._-]|-[._]|_[.-]|___/.test(component)
  );
}

/** A host name or a bracketed IPv6 address, with an optional port of at least one digit. */
function isDomain(domain: string): boolean {
  const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(domain) ?? [];
  if (host === undefined || (port !== undefined && (port === "" || /[^0-9]/.test(port)))) return false;
  if (host.startsWith("[")) return /^\[[a-fA-F0-9:]+\]$/.test(host);
  return host !== "" && !/[^a-zA-Z0-9.-]|^[.-]|[.-]$|\.[.-]|-\./.test(host);
}

/** The grammar of a digest: algorithm parts joined by `-`, `_`, `+` or `.`, a colon, 32 or more hexadecimal digits. */
function isDigest(digest: string): boolean {
  const colon = digest.indexOf(":");
  const encoded = digest.slice(colon + 1);
  return (
    colon > 0 &&
    encoded.length >= 32 &&
    !/[^0-9A-Fa-f]/.test(encoded) &&
    digest
      .slice(0, colon)
      .split(/[-_+.]/)
      .every((part) => /^[A-Za-z]/.test(part) && !/[^A-Za-z0-9]/.test(part))
  );
}

/** The stricter rules of go-digest for a digest that matches the grammar. */
function digestProblem(digest: string): string | undefined {
  const [algorithm = "", encoded = ""] = digest.split(":");
  const length = DIGEST_LENGTHS[algorithm];
  if (length === undefined || !Object.hasOwn(DIGEST_LENGTHS, algorithm))
    return /[^a-z0-9.+_-]/.test(algorithm)
      ? "invalid checksum digest format"
      : "unsupported digest algorithm";
  if (encoded.length !== length) return "invalid checksum digest length";
  return /[^a-f0-9]/.test(encoded) ? "invalid checksum digest format" : undefined;
}

function short(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}
