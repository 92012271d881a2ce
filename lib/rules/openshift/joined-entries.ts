import { isRecord } from "../../model/record";

/** JSON with sorted members, so that equal values have one text; `""` for nothing. */
export function textOf(value: unknown): string {
  return (
    JSON.stringify(value, (_, member: unknown) =>
      isRecord(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    ) ?? ""
  );
}

/**
 * The entries of both lists, each once, in their order.
 *
 * Two objects that differ in one list of texts alone are one object with the texts of both: no entry then allows what
 * neither did, which joining a second list would not be true of.
 */
export function joinedEntries(before: readonly unknown[], after: readonly unknown[]): readonly unknown[] {
  const entries = new Map<string, unknown>();
  for (const entry of [...before, ...after]) {
    const list = isRecord(entry) ? onlyList(entry) : undefined;
    if (!isRecord(entry) || list === undefined) {
      entries.set(textOf(entry), entry);
      continue;
    }
    const key = `${list} ${textOf({ ...entry, [list]: [] })}`;
    const known = entries.get(key);
    entries.set(key, { ...entry, [list]: union(isRecord(known) ? known[list] : [], entry[list]) });
  }
  return [...entries.values()];
}

/** Name of the one member that is a list of texts; `undefined` where there are none or several. */
function onlyList(entry: Readonly<Record<string, unknown>>): string | undefined {
  const lists = Object.keys(entry).filter((key) => isTextList(entry[key]));
  return lists.length === 1 ? lists[0] : undefined;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function union(before: unknown, after: unknown): readonly string[] {
  return [...new Set([...(isTextList(before) ? before : []), ...(isTextList(after) ? after : [])])];
}
