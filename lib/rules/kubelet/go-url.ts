/*
 * Go's url.Parse for "https://" + text, as far as the kubelet uses the result: authority and path
 * (go/src/net/url/url.go of Go 1.26). All texts here are byte strings.
 *
 * Brackets that do not enclose an IPv6 address at the start of the host are refused for every kubelet: the newest
 * patch releases of 1.31 to 1.35 are built with Go 1.24.9 to 1.25.11, which also refuse `a[0-9].io`, with another text
 * (`invalid port ".io" after host` before Go 1.25.8). Only older patch releases read it as a character class.
 */

import { goQuote } from "./go-text";

/** Differences of an older kubelet's Go version. */
export interface GoUrlOptions {
  /**
   * Refuses a second colon in the host, as Go 1.26 does for programs written for it: kubelets from 1.36 on.
   * Older kubelets check only the text after the last colon.
   *
   * @defaultValue true
   */
  readonly strictColons?: boolean;
}

/** The parts of a parsed URL that matter for matching. */
export interface GoUrl {
  /** Host with port and brackets, percent-decoded; Go's `URL.Host`. */
  readonly host: string;
  /** Path, percent-decoded; Go's `URL.Path`. */
  readonly path: string;
}

/** Why a text is not a URL. */
export interface GoUrlError {
  /** Go's text: `parse "https://…": <cause>`. */
  readonly error: string;
}

const SCHEME = "https://";

/** The result of the kubelet's ParseSchemelessURL (kubernetes:pkg/credentialprovider/keyring.go). Never throws. */
export function parseSchemelessUrl(bytes: string, options: GoUrlOptions = {}): GoUrl | GoUrlError {
  const { before, after: fragment } = cut(SCHEME + bytes, "#");
  // Callers without types may pass something other than an object.
  const parsed = parseWithoutFragment(before, options?.strictColons ?? true);
  if (typeof parsed === "string") return { error: `parse ${goQuote(before)}: ${parsed}` };
  const { error } = unescape(fragment, "other");
  return error === undefined ? parsed : { error: `parse ${goQuote(SCHEME + bytes)}: ${error}` };
}

/** The URL, or the reason why it does not parse. */
function parseWithoutFragment(url: string, strictColons: boolean): GoUrl | string {
  if (/[\x00-\x1f\x7f]/.test(url)) return "net/url: invalid control character in URL";
  const rest = cut(url.slice(SCHEME.length), "?").before;
  const slash = rest.indexOf("/");
  const authority = slash < 0 ? rest : rest.slice(0, slash);
  const host = parseAuthority(authority, strictColons);
  if (host.error !== undefined) return host.error;
  const path = unescape(slash < 0 ? "" : rest.slice(slash), "other");
  return path.error ?? { host: host.text, path: path.text };
}

type Part =
  | { readonly text: string; readonly error?: undefined }
  | { readonly text?: undefined; readonly error: string };

function parseAuthority(authority: string, strictColons: boolean): Part {
  const at = authority.lastIndexOf("@");
  const host = parseHost(authority.slice(at + 1), strictColons);
  if (at < 0 || host.error !== undefined) return host;
  const userinfo = authority.slice(0, at);
  if (/[^A-Za-z0-9\-._:~!$&'()*+,;=%@]/.test(userinfo)) return { error: "net/url: invalid userinfo" };
  const { before: user, after: password } = cut(userinfo, ":");
  const error = unescape(user, "other").error ?? unescape(password, "other").error;
  return error === undefined ? host : { error };
}

function parseHost(host: string, strictColons: boolean): Part {
  const bracket = host.lastIndexOf("[");
  if (bracket > 0) return { error: "invalid IP-literal" };
  if (bracket === 0) return parseBracketed(host);
  const colon = strictColons ? host.indexOf(":") : host.lastIndexOf(":");
  const error = colon < 0 ? undefined : portProblem(host.slice(colon));
  return error === undefined ? unescape(host, "host") : { error };
}

function parseBracketed(host: string): Part {
  const close = host.lastIndexOf("]");
  if (close < 0) return { error: "missing ']' in host" };
  const port = host.slice(close + 1);
  const badPort = portProblem(port);
  if (badPort !== undefined) return { error: badPort };
  const address = unescapeAddress(host.slice(1, close));
  if (address.error !== undefined) return address;
  const error = ipv6Problem(address.text);
  return error === undefined ? { text: `[${address.text}]${port}` } : { error };
}

/** `%25` introduces the zone (RFC 6874), which may contain more escapes than a host. */
function unescapeAddress(address: string): Part {
  const zone = address.indexOf("%25");
  const host = unescape(zone < 0 ? address : address.slice(0, zone), "host");
  if (zone < 0 || host.error !== undefined) return host;
  const rest = unescape(address.slice(zone), "zone");
  return rest.error === undefined ? { text: host.text + rest.text } : rest;
}

function portProblem(port: string): string | undefined {
  const valid = port === "" || (port.startsWith(":") && !/[^0-9]/.test(port.slice(1)));
  return valid ? undefined : `invalid port ${goQuote(port)} after host`;
}

function cut(text: string, separator: string): { readonly before: string; readonly after: string } {
  const at = text.indexOf(separator);
  return at < 0 ? { before: text, after: "" } : { before: text.slice(0, at), after: text.slice(at + 1) };
}

/** The part of a URL to which a text belongs: Go is strict in a host and an IPv6 zone, lenient elsewhere. */
export type UrlPart = "host" | "zone" | "other";

/** ASCII characters that Go refuses in a host and in a zone (net/url `shouldEscape`). */
const REFUSED_IN_HOST = /[\x00-\x20#%/?@\\^`{|}\x7f]/;

/** Percent-decodes a byte string as Go's net/url does, or returns Go's error text. Never throws. */
export function unescape(text: string, part: UrlPart): Part {
  const strict = part !== "other";
  if (!strict && !text.includes("%")) return { text };
  const pattern = strict ? /%|[\x00-\x20#/?@\\^`{|}\x7f]/g : /%/g;
  const parts: string[] = [];
  let done = 0;
  for (let hit = pattern.exec(text); hit; hit = pattern.exec(text)) {
    if (hit[0] !== "%") return { error: `invalid character ${goQuote(hit[0])} in host name` };
    const escape = text.slice(hit.index, hit.index + 3);
    const byte = decode(escape, part);
    if (byte === undefined) return { error: `invalid URL escape ${goQuote(escape)}` };
    parts.push(text.slice(done, hit.index), byte);
    done = hit.index + 3;
    pattern.lastIndex = done;
  }
  return { text: done === 0 ? text : parts.join("") + text.slice(done) };
}

/** The byte of `%41`; `undefined` if the escape is malformed or not allowed in this part of a URL. */
function decode(escape: string, part: UrlPart): string | undefined {
  if (!/^%[0-9A-Fa-f]{2}$/.test(escape)) return undefined;
  const byte = String.fromCharCode(parseInt(escape.slice(1), 16));
  if (part === "other" || escape === "%25") return byte;
  // A host may escape only bytes outside ASCII; a zone only blanks and what a host may contain unescaped.
  if (part === "host") return byte < "\x80" ? undefined : byte;
  return byte === " " || (byte < "\x80" && !REFUSED_IN_HOST.test(byte)) ? byte : undefined;
}

/*
 * Go's netip.ParseAddr for the text between the brackets of a URL (go/src/net/netip/netip.go): which texts are IPv6
 * addresses, and Go's exact complaint about the others. The value of the address does not matter here.
 */

const FIELDS = 8;

/** Go's complaint about a bracketed host, or `undefined` if it is an IPv6 address, with or without a zone. */
export function ipv6Problem(text: string): string | undefined {
  const first = /[.:%]/.exec(text)?.[0];
  if (first === ".") {
    const problem = ipv4Problem(text);
    return problem ? invalid(text, problem) : "invalid IP-literal";
  }
  const problem =
    first === undefined
      ? { message: "unable to parse IP" }
      : first === "%"
        ? { message: "missing IPv6 address" }
        : addressProblem(text);
  return problem && invalid(text, problem);
}

interface Problem {
  readonly message: string;
  readonly at?: string;
}

function invalid(text: string, { message, at }: Problem): string {
  const where = at === undefined || at === "" ? "" : ` (at ${goQuote(at)})`;
  return `invalid host: ParseAddr(${goQuote(text)}): ${message}${where}`;
}

function addressProblem(text: string): Problem | undefined {
  const percent = text.indexOf("%");
  const address = percent < 0 ? text : text.slice(0, percent);
  if (percent === text.length - 1) return { message: "zone must be a non-empty string" };
  const leading = address.startsWith("::");
  if (leading && address.length === 2) return undefined;
  return fieldsProblem(leading ? address.slice(2) : address, leading);
}

/** Reads the fields one by one, as Go does, so that the first complaint is Go's. */
function fieldsProblem(address: string, leadingEllipsis: boolean): Problem | undefined {
  let rest = address;
  let ellipsis = leadingEllipsis;
  let count = 0;
  while (count < FIELDS) {
    const digits = /^[0-9a-fA-F]{0,5}/.exec(rest)?.[0] ?? "";
    // Go checks the length before the value, so five digits are too long even with leading zeros.
    if (digits.length > 4) return { message: "each group must have 4 or less digits", at: rest };
    if (digits === "")
      return { message: "each colon-separated field must have at least one digit", at: rest };
    if (rest[digits.length] === ".") {
      const problem = embeddedProblem(rest, ellipsis, count);
      if (problem) return problem;
      rest = "";
      count += 2;
      break;
    }
    count++;
    rest = rest.slice(digits.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) return { message: "unexpected character, want colon", at: rest };
    if (rest.length === 1) return { message: "colon must be followed by more characters", at: rest };
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (ellipsis) return { message: "multiple :: in address", at: rest };
      ellipsis = true;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  return endProblem(rest, count, ellipsis);
}

function endProblem(rest: string, count: number, ellipsis: boolean): Problem | undefined {
  if (rest !== "") return { message: "trailing garbage after address", at: rest };
  if (count < FIELDS && !ellipsis) return { message: "address string too short" };
  return count >= FIELDS && ellipsis
    ? { message: "the :: must expand to at least one field of zeros" }
    : undefined;
}

function embeddedProblem(rest: string, ellipsis: boolean, count: number): Problem | undefined {
  if (!ellipsis && count !== FIELDS - 2)
    return {
      message: "embedded IPv4 address must replace the final 2 fields of the address",
      at: rest,
    };
  if (count + 2 > FIELDS)
    return {
      message: "too many hex fields to fit an embedded IPv4 at the end of the address",
      at: rest,
    };
  return ipv4Problem(rest);
}

function ipv4Problem(text: string): Problem | undefined {
  let value = 0;
  let digits = 0;
  let fields = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c >= "0" && c <= "9") {
      if (digits === 1 && value === 0) return { message: "IPv4 field has octet with leading zero" };
      value = value * 10 + Number(c);
      digits++;
      if (value > 255) return { message: "IPv4 field has value >255" };
    } else if (c === ".") {
      if (digits === 0 || i === text.length - 1)
        return { message: "IPv4 field must have at least one digit", at: text.slice(i) };
      if (fields === 3) return { message: "IPv4 address too long" };
      fields++;
      value = 0;
      digits = 0;
    } else {
      return { message: "unexpected character", at: text.slice(i) };
    }
  }
  return fields < 3 ? { message: "IPv4 address too short" } : undefined;
}
