import { goQuote } from "./go-text";

/** Where in a URL a text stands: the host and an IPv6 zone are strict, path, user and fragment are not. */
export type UrlPart = "host" | "zone" | "other";

/** ASCII characters that Go refuses in a host and in a zone (net/url `shouldEscape`). */
const REFUSED_IN_HOST = /[\x00-\x20#%/?@\\^`{|}\x7f]/;

/** Percent-decodes a byte string as Go's net/url does, or gives Go's text of what is wrong. Never throws. */
export function unescape(
  text: string,
  part: UrlPart,
):
  | { readonly text: string; readonly error?: undefined }
  | { readonly text?: undefined; readonly error: string } {
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

/** The byte of `%41`; `undefined` for a malformed escape and for one that this part of a URL may not have. */
function decode(escape: string, part: UrlPart): string | undefined {
  if (!/^%[0-9A-Fa-f]{2}$/.test(escape)) return undefined;
  const byte = String.fromCharCode(parseInt(escape.slice(1), 16));
  if (part === "other" || escape === "%25") return byte;
  // A host may escape only bytes outside ASCII; a zone only what a host may hold plainly, and blanks.
  if (part === "host") return byte < "\x80" ? undefined : byte;
  return byte === " " || (byte < "\x80" && !REFUSED_IN_HOST.test(byte)) ? byte : undefined;
}
