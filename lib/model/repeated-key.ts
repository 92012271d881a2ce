/**
 * The place of the first key of a JSON text that its object has already; `undefined` where there is none.
 *
 * RFC 8259 leaves open which of the two counts, and programs differ. The text must be valid JSON; what it says of
 * others is worth nothing, but never throws. Linear in the text.
 */
export function repeatedKey(json: string): number | undefined {
  const open: (Set<string> | undefined)[] = [];
  let keyNext = false;
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    if (sign === '"') {
      const end = textEnd(json, at);
      const keys = keyNext ? open.at(-1) : undefined;
      if (keys && !added(keys, json.slice(at, end))) return at;
      keyNext = false;
      at = end - 1;
    } else if (sign === ",") keyNext = open.at(-1) !== undefined;
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign === "{" || sign === "[") {
      keyNext = sign === "{";
      open.push(keyNext ? new Set() : undefined);
    }
  }
  return undefined;
}

function added(keys: Set<string>, written: string): boolean {
  const before = keys.size;
  keys.add(written.includes("\\") ? unescaped(written) : written);
  return keys.size > before;
}

/** With its quotation marks, as keys without escapes are kept. */
function unescaped(written: string): string {
  try {
    return `"${String(JSON.parse(written))}"`;
  } catch {
    // No JSON text, of which nothing was promised.
    return written;
  }
}

/** The place after the quotation mark that ends the text which begins there. */
function textEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json[end - escapes - 1] === "\\") escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
}
