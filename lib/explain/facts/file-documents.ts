import { parseJson, parseYaml } from "./read-documents";
import { readUtf8 } from "./read-text";
import type { Source } from "./source";

/** A document of a file, of whatever kind. */
export interface PlainDocument {
  /** The parsed document. */
  readonly value: unknown;
  /** Where it stands. */
  readonly source: Source;
}

/**
 * The documents of a file, JSON by its name or YAML.
 *
 * Throws `explain-file-unreadable`, `explain-file-too-large` or `explain-file-invalid`.
 */
export function fileDocuments(file: string): readonly PlainDocument[] {
  const text = readUtf8(file);
  if (file.endsWith(".json")) return [{ value: parseJson(text, file), source: { file, path: "" } }];
  return parseYaml(text, file).map(({ value, index }) => ({
    value,
    source: index === undefined ? { file, path: "" } : { file, document: index, path: "" },
  }));
}
