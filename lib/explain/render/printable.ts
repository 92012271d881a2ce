/**
 * Control characters, what reorders or hides text (bidi controls, zero-width characters), line separators, and halves of
 * surrogate pairs, which no encoding can write.
 */
const CONTROL =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text as one line, in which control characters from other people's files are escaped. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The same for text of several lines: JSON, whose strings contain no line break. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** A document as JSON of several lines, in which control characters are escaped. */
export function printableJson(document: unknown): string {
  return printableLines(JSON.stringify(document, undefined, 2));
}

/** A replacer of JSON that makes every text printable. */
export function printableText(_: string, value: unknown): unknown {
  return typeof value === "string" ? printable(value) : value;
}

/** Any text as HTML without markup, for elements and quoted attributes alike. */
export function htmlText(text: string): string {
  return printable(text).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
