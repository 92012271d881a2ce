/*
 * String literals of the Common Expression Language, as attribute conditions and mappings hold them
 * (cel-spec, doc/langdef.md, "String and Bytes Values").
 */

const NAMED: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};
const READ: Readonly<Record<string, string>> = {
  "\\": "\\",
  "'": "'",
  '"': '"',
  "`": "`",
  "?": "?",
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Backslash, quote and control characters; and the two openings that Terraform would take for a template. */
const SPECIAL = /[\\'\u0000-\u001f\u007f]|[$%](?=\{)/g;
const HEX = 16;
const UNICODE_DIGITS = 4;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/gsu;

/**
 * A text as a CEL string literal in single quotes, escaped once for CEL and once for Terraform.
 *
 * `${` and `%{` open a template in Terraform's strings; writing the first character as a CEL escape hides it from
 * Terraform without a second layer of escaping.
 */
export function celString(text: string): string {
  return `'${text.replace(SPECIAL, (character) => NAMED[character] ?? unicode(character))}'`;
}

/** Text of a CEL string literal in single or double quotes; `undefined` when it is not one that this reader knows. */
export function readCelString(literal: string): string | undefined {
  const quote = literal[0];
  if ((quote !== "'" && quote !== '"') || literal.length < 2 || literal.at(-1) !== quote) return undefined;
  const body = literal.slice(1, -1);
  const plain = body.replace(ESCAPE, "");
  if (plain.includes("\\") || plain.includes(quote) || /[\r\n]/.test(plain)) return undefined;
  let known = true;
  const text = body.replace(ESCAPE, (_match, four?: string, two?: string, one?: string) => {
    const digits = four ?? two;
    if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, HEX));
    const character = READ[one ?? ""];
    known &&= character !== undefined;
    return character ?? "";
  });
  return known ? text : undefined;
}

function unicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(HEX).padStart(UNICODE_DIGITS, "0")}`;
}
