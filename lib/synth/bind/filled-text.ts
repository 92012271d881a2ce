import { PLACEHOLDER_START, placeholderPieces } from "../../artefact/placeholder";
import { syntaxOf } from "../../model/node-document";
import { refuseBrokenText } from "./problems";
import { boundYaml } from "./yaml";

/** Fills a text; `where` is its position, for errors. */
export type Fill = (text: string, where: string) => string;

/** Texts that do not need an escape in any configuration format. */
const PLAIN = /^[\x20\x21\x23\x28-\x5b\x5d-\x5f\x61-\x7e]*$/;

/**
 * Fills the placeholders of a file according to its extension: scalars of YAML and strings of JSON with any value,
 * other texts only with values that do not need an escape.
 */
export function filledText(text: string, file: string, fill: Fill): string {
  if (!text.includes(PLACEHOLDER_START)) return text;
  const syntax = syntaxOf(file);
  if (syntax === "yaml") return boundYaml(text, file, fill);
  if (syntax === "json") {
    const filled = (each: string): string => (each.includes(PLACEHOLDER_START) ? fill(each, file) : each);
    return `${JSON.stringify(mappedTexts(JSON.parse(text), filled), null, 2)}\n`;
  }
  return placeholderPieces(text)
    .map((piece, place) => {
      if (place % 2 === 0) return piece;
      const value = fill(piece, file);
      return PLAIN.test(value)
        ? value
        : refuseBrokenText(file, "text", "a value has characters that would need an escape");
    })
    .join("");
}

/** A copy of a document with other texts, and with other keys if `changeKey` is given. */
export function mappedTexts(
  value: unknown,
  change: (text: string) => string,
  changeKey: (key: string) => string = (key) => key,
): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mappedTexts(item, change, changeKey));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    changeKey(key),
    mappedTexts(item, change, changeKey),
  ]);
  return Object.fromEntries(entries);
}
