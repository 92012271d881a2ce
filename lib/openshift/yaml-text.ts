/*
 * A manifest as text within another manifest, for example MachineConfigs in a NodePool's ConfigMap.
 */

import { Scalar, stringify } from "yaml";
import { LateEncoding, LateText } from "../model/late";

/**
 * YAML of a document; a late encoding in it makes the whole a {@link LateText}, everything else is written now.
 *
 * YAML 1.1, as Kubernetes reads it: texts such as `yes` or `1e3` are quoted.
 */
export function yamlText(document: unknown): string | LateText {
  const late: LateEncoding[] = [];
  const mark = markFor(document);
  const marked = replaceLate(document, (encoding) => `${mark}${late.push(encoding) - 1}-`);
  const text = stringify(marked, { version: "1.1", lineWidth: 0, aliasDuplicateObjects: false });
  if (late.length === 0) return text;
  const parts = text.split(new RegExp(`${mark}(\\d+)-`));
  return new LateText(parts.map((part, index) => (index % 2 === 0 ? part : encodingAt(late, Number(part)))));
}

/** A text that occurs nowhere in the document; letters and dashes, which YAML writes as they are. */
function markFor(document: unknown): string {
  const text = JSON.stringify(document);
  let mark = "late-encoding-";
  while (text.includes(mark)) mark = `x-${mark}`;
  return mark;
}

/** Marks stand in quotes, so that the text is YAML with any placeholder in their place; no encoding has quotes. */
function replaceLate(value: unknown, mark: (encoding: LateEncoding) => string): unknown {
  if (value instanceof LateEncoding) return quoted(mark(value));
  if (Array.isArray(value)) return value.map((item) => replaceLate(item, mark));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceLate(item, mark)]));
}

function quoted(text: string): Scalar {
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}

function encodingAt(late: readonly LateEncoding[], index: number): string | LateEncoding {
  return late[index] ?? "";
}
