/** What opens, closes and separates, and what begins a text; a text's inside is passed over. */
const STRUCTURE = /["{}[\],]/g;

/**
 * The place of the first key of a JSON text that its object has already; `undefined` where there is none.
 *
 * RFC 8259 leaves open which of the two counts, and programs differ. The text must be valid JSON; what it says of
 * others is worth nothing, but never throws. Linear in the text.
 */
export function repeatedKey(json: string): number | undefined {
  const open: (Set<string> | undefined)[] = [];
  let keyNext = false;
  STRUCTURE.lastIndex = 0;
  for (let found = STRUCTURE.exec(json); found; found = STRUCTURE.exec(json)) {
    const [sign] = found;
    if (sign === '"') {
      const end = textEnd(json, found.index);
      const keys = open.at(-1);
      if (keyNext && keys && !added(keys, json.slice(found.index, end))) return found.index;
      keyNext = false;
      STRUCTURE.lastIndex = end;
    } else if (sign === ",") keyNext = open.at(-1) !== undefined;
    else if (sign === "}" || sign === "]") open.pop();
    else {
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
