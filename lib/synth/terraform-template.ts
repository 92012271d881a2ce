/*
 * Texts with placeholders in Terraform's syntax: in its JSON syntax every string is a template, and encoded texts are
 * quoted templates inside an expression. Literal text is escaped for Terraform exactly once.
 */

import { mappedTexts } from "./bind/filled-text";
import { placeholderPieces } from "../artefact/placeholder";
import type { EncodedPlaceholder, OutputPlaceholder } from "../artefact/workload-identity-file";
import { fail } from "../errors";
import { encodeNow } from "../model/late";

export type FillingOf = (placeholder: string) => OutputPlaceholder | EncodedPlaceholder;

/** The text as a string in Terraform's JSON syntax. */
export function jsonTemplate(text: string, fillingOf: FillingOf): string {
  return template(text, fillingOf, (piece) => piece);
}

/** The value as an expression in Terraform's native syntax; keys are literal. */
export function expression(value: unknown, fillingOf: FillingOf): string {
  if (typeof value === "string") return `"${template(value, fillingOf, escaped)}"`;
  if (Array.isArray(value)) return `[${value.map((item) => expression(item, fillingOf)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${expression(key, fillingOf)} = ${expression(item, fillingOf)}`,
  );
  return `{ ${entries.join(", ")} }`;
}

/** A copy of a document whose strings are templates in the JSON syntax. */
export function jsonTemplates(value: unknown, fillingOf: FillingOf): unknown {
  const change = (text: string): string => jsonTemplate(text, fillingOf);
  return mappedTexts(value, change, change);
}

function template(text: string, fillingOf: FillingOf, written: (literal: string) => string): string {
  return placeholderPieces(text)
    .map((piece, place, { length }) =>
      place % 2 === 1 ? filled(fillingOf(piece), fillingOf) : literal(piece, written, place < length - 1),
    )
    .join("");
}

function filled(filling: OutputPlaceholder | EncodedPlaceholder, fillingOf: FillingOf): string {
  if ("output" in filling) return interpolation(filling.expression);
  const prefix = encodeNow(filling.encoding, "");
  return `${prefix}\${base64encode(${expression(filling.text, fillingOf)})}`;
}

/** A late value must be a single interpolation; between several, the text would need escapes. */
function interpolation(text: string): string {
  return /^\$\{[^]*\}$/.test(text)
    ? text
    : fail("manifest-unsupported", {
        problem: "a late value consists of more than one Terraform expression",
        value: text,
        allowed: "one expression, such as ${aws_iam_role.web.arn}",
        remedy: "join the texts with Fn.join or Fn.format",
      });
}

const MARKS = /(?<![$%])([$%]+)(?=\{|$)/;

/**
 * `${` and `%{` are special in a template and are escaped by doubling their first character. A longer run of these
 * characters, or one before an interpolation, becomes a separate text, because `$$${` is ambiguous.
 */
function literal(text: string, written: (literal: string) => string, isFollowed: boolean): string {
  const pieces = text.split(MARKS);
  return pieces
    .map((piece, place) => {
      if (place % 2 === 0) return written(piece);
      const atEnd = pieces[place + 1] === "";
      if (atEnd && !isFollowed) return piece;
      return piece.length === 1 && !atEnd ? `${piece}${piece}` : `\${"${piece}"}`;
    })
    .join("");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  '"': '\\"',
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Escapes for quoted templates (Terraform's language, "Strings and Templates"). */
function escaped(text: string): string {
  return text.replace(
    /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => ESCAPES[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
