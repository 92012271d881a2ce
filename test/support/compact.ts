/*
 * JSON for people to review: what fits on a line stands on one, short members share lines, and JSON in a text, such as a
 * policy, is written out. Nothing is left out: two values that differ are written differently.
 */

const WIDTH = 110;

/** The value in lines of about 110 characters. */
export function compact(value: unknown, indent = "", before = indent.length): string {
  const line = onOneLine(value);
  if (before + line.length < WIDTH) return line;
  if (typeof value === "string") return written(value, indent);
  if (typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([key, item]: [string, unknown]) => {
    const start = isList ? "" : `${JSON.stringify(key)}: `;
    return start + compact(item, inner, inner.length + start.length);
  });
  const [open, close] = isList ? "[]" : "{}";
  return `${open}\n${filled(parts, inner)}\n${indent}${close}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  const rows = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${onOneLine(item)}`);
  return rows.length === 0 ? "{}" : `{ ${rows.join(", ")} }`;
}

/** A long text; as `jsonencode(…)` where it is what that gives. */
function written(text: string, indent: string): string {
  if (!text.startsWith("{")) return JSON.stringify(text);
  try {
    const value: unknown = JSON.parse(text);
    if (JSON.stringify(value) === text) return `jsonencode(${compact(value, indent, WIDTH)})`;
  } catch {
    // Text of another form that begins with a brace.
  }
  return JSON.stringify(text);
}

/** The parts in lines; a part of an object or list has lines of its own. */
function filled(parts: readonly string[], indent: string): string {
  const lines: string[] = [];
  let isOpen = false;
  for (const part of parts) {
    const isSimple = !/[{[\n]/.test(part.replace(/"(?:[^"\\]|\\.)*"/g, ""));
    const last = lines.at(-1) ?? "";
    if (isOpen && isSimple && indent.length + last.length + part.length + 3 < WIDTH)
      lines[lines.length - 1] = `${last}, ${part}`;
    else lines.push(part);
    isOpen = isSimple;
  }
  return lines.map((line) => indent + line).join(",\n");
}
