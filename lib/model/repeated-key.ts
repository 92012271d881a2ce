/**
 * Returns the position of the first duplicate key in a JSON text; `undefined` if there is none.
 *
 * RFC 8259 leaves open which of the two values applies, and programs differ. The text must be valid JSON; for other
 * texts the result is meaningless, but nothing is thrown. Runs in linear time.
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

/** Keeps the quotation marks, as in keys without escapes. */
function unescaped(written: string): string {
  try {
    return `"${String(JSON.parse(written))}"`;
  } catch {
    // The text is not valid JSON, so any result is allowed.
    return written;
  }
}

/** Returns the position after the closing quotation mark of the text that begins there. */
export function textEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json[end - escapes - 1] === "\\") escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
}
