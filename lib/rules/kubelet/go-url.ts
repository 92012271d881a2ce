/*
 * Go's url.Parse for "https://" + text, as far as the kubelet looks at the result: authority and path
 * (go/src/net/url/url.go of Go 1.26). All texts here are byte strings.
 *
 * Brackets that do not enclose an IPv6 address at the start of the host are refused for every kubelet: the newest
 * patch releases of 1.31 to 1.35 are built with Go 1.24.9 to 1.25.11, which refuse `a[0-9].io` too, in other words
 * (`invalid port ".io" after host` before Go 1.25.8). Only older patch releases read it as a character class.
 */

import { ipv6Problem } from "./go-ip";
import { goQuote } from "./go-text";
import { unescape } from "./go-unescape";

/** How an older kubelet's Go differs. */
export interface GoUrlOptions {
  /**
   * Refuse a second colon in the host, as Go 1.26 does for programs that were written for it: kubelets from 1.36 on.
   * An older kubelet checks only what follows the last colon.
   *
   * @defaultValue true
   */
  readonly strictColons?: boolean;
}

/** The parts of a parsed URL that count for matching. */
export interface GoUrl {
  /** Host with port and brackets, percent-decoded; Go's `URL.Host`. */
  readonly host: string;
  /** Path, percent-decoded; Go's `URL.Path`. */
  readonly path: string;
}

/** Why a text is no URL. */
export interface GoUrlError {
  /** Go's text: `parse "https://…": <cause>`. */
  readonly error: string;
}

const SCHEME = "https://";

/** What the kubelet's ParseSchemelessURL gives (kubernetes:pkg/credentialprovider/keyring.go). Never throws. */
export function parseSchemelessUrl(bytes: string, options: GoUrlOptions = {}): GoUrl | GoUrlError {
  const { before, after: fragment } = cut(SCHEME + bytes, "#");
  // What is no object, a caller without types may hand over.
  const parsed = parseWithoutFragment(before, options?.strictColons ?? true);
  if (typeof parsed === "string") return { error: `parse ${goQuote(before)}: ${parsed}` };
  const { error } = unescape(fragment, "other");
  return error === undefined ? parsed : { error: `parse ${goQuote(SCHEME + bytes)}: ${error}` };
}

/** The URL, or the cause why it is none. */
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

/** `%25` introduces the zone (RFC 6874), which may hold more escapes than a host. */
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
