/*
 * Placeholders in manifests, turned into what they stand for: the same {@link Reference} objects that the Terraform
 * configuration beside them has, so that both sides can be compared.
 */

import { PLACEHOLDER_START, placeholderPieces } from "../../artefact/placeholder";
import type { WorkloadIdentityFile } from "../../artefact/workload-identity-file";
import { type Known, Reference, joined, known, match, textOf, unread } from "../../model/known";
import { isRecord } from "../../model/record";
import { type Tree, plainOf, treeOf } from "../../model/tree";
import type { Scope } from "./scope";
import type { Terraform } from "./terraform";

/** Turns a text of a manifest into its value; one without placeholders is known, and costs nothing. */
export type LateReader = (text: string) => Known<string>;

/** How every placeholder ends. */
const END = ")@";
const OUTPUT = "output.";
/** Address of the resource in a reference, modules before it. */
const ADDRESS = /^(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:data\.)?[\w-]+\.[\w-]+/;
const ENCODED = /^@late\((?:base64|data-url)\.[0-9a-f]+\)@$/;

/** True for the placeholder of a text that stands encoded: a {@link LateReader} gives the text itself. */
export function isEncodedPlaceholder(text: string): boolean {
  return ENCODED.test(text);
}

/** Reads the pieces of a text by what a placeholder means, alone in its text or not. */
function readerBy(meaning: (placeholder: string, isAlone: boolean) => Known<string>): LateReader {
  const meanings = new Map<string, Known<string>>();
  const meaningOf = (placeholder: string, isAlone: boolean): Known<string> => {
    const key = isAlone ? placeholder : `${placeholder} within a text`;
    const found = meanings.get(key) ?? meaning(placeholder, isAlone);
    meanings.set(key, found);
    return found;
  };
  return (text) => {
    if (!text.includes(PLACEHOLDER_START)) return known(text);
    const pieces = placeholderPieces(text);
    const isAlone = pieces.join("") === pieces[1];
    return joined(...pieces.map((piece, place) => (place % 2 === 1 ? meaningOf(piece, isAlone) : piece)));
  };
}

/** A placeholder of which nothing says what it stands for: one value, wherever it is. */
function nameless(placeholder: string): Known<string> {
  return textOf([new Reference(placeholder)]);
}

/** The reader for the manifests of a stack; a placeholder that the record does not have equals nothing but itself. */
export function stackLateReader(
  placeholders: WorkloadIdentityFile["placeholders"],
  scope: Scope | undefined,
): LateReader {
  const late = (placeholder: string): Known<string> => {
    const entry = Object.hasOwn(placeholders, placeholder) ? placeholders[placeholder] : undefined;
    if (entry === undefined || !("expression" in entry) || typeof entry.expression !== "string")
      return nameless(placeholder);
    return scope ? scope.text(entry.expression) : textOf([new Reference(entry.expression)]);
  };
  const inside = readerBy(late);
  return readerBy((placeholder, isAlone) => {
    const entry = Object.hasOwn(placeholders, placeholder) ? placeholders[placeholder] : undefined;
    // Within another text it stands encoded, as what is not known.
    if (entry && "encoding" in entry) return isAlone ? inside(entry.text) : nameless(placeholder);
    return inside(placeholder);
  });
}

/**
 * The reader for manifests that no record was read with: a placeholder names the reference that it stands for. One whose
 * resource is not in exactly one of the configurations that were read equals nothing but itself.
 */
export function plainLateReader(terraform: Terraform): LateReader {
  return readerBy((placeholder) => {
    const name = placeholder.slice(PLACEHOLDER_START.length, -END.length);
    const isOutput = name.startsWith(OUTPUT);
    const key = isOutput ? name.slice(OUTPUT.length) : (ADDRESS.exec(name)?.[0] ?? "");
    const [scope, ...others] = terraform.scopes.filter(({ outputs, resources }) =>
      (isOutput ? outputs : resources).has(key),
    );
    if (!scope || others.length > 0) return nameless(placeholder);
    return (isOutput ? scope.output(key) : scope.text(`\${${name}}`)) ?? nameless(placeholder);
  });
}

/** A parsed value with its late texts as references; where it has none, the value itself. */
export function lateTree(value: unknown, late: LateReader): Tree {
  return treeOf(followed(value, late));
}

function followed(value: unknown, late: LateReader): unknown {
  if (typeof value === "string") return value.includes(PLACEHOLDER_START) ? late(value) : value;
  if (Array.isArray(value)) {
    const items = value.map((item) => followed(item, late));
    return items.every((item, place) => item === value[place]) ? value : items;
  }
  if (!isRecord(value)) return value;
  let changed = false;
  const entries = Object.keys(value).map((key): [string, unknown] => {
    const child = value[key];
    const after = key.includes(PLACEHOLDER_START) ? undefined : followed(child, late);
    changed ||= after !== child;
    return [key, after];
  });
  if (!changed) return value;
  if (Object.keys(value).some((key) => key.includes(PLACEHOLDER_START)))
    return unread("an object has a key that only apply tells");
  return Object.fromEntries(entries);
}

/** Brackets of the name of a late value in a text for rules that know plain texts alone. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];
const NAMES = /\ue000\d+:([^\ue001]*)\ue001/g;
const NAME = /(\ue000\d+:[^\ue001]*\ue001)/;
const numbers = new WeakMap<Reference, number>();
/** Those that were named; weak, so that names keep no document alive. */
const named = new Map<number, WeakRef<Reference>>();
let count = 0;

/**
 * A plain text for a value, for rules that know no late ones: itself where it is known, else one that is equal to that
 * of another value exactly where both are the same for certain, and to no literal text.
 */
export function lateName(text: Known<string>): string {
  const name = (part: string | Reference): string => {
    if (typeof part === "string") return part;
    let number = numbers.get(part);
    if (number === undefined) {
      numbers.set(part, (number = ++count));
      named.set(number, new WeakRef(part));
    }
    return `${OPEN}${number}:${part.expression}${CLOSE}`;
  };
  return match(
    text,
    (value) => value,
    (why) => (why.kind === "apply" ? why.parts.map(name).join("") : `${OPEN}${++count}:${why.what}${CLOSE}`),
  );
}

/** The value of a text that a rule made of {@link lateName}s: the same references again. */
export function namedText(text: string): Known<string> {
  if (!hasLateName(text)) return known(text);
  return joined(
    ...text.split(NAME).map((piece) => {
      const [, number, what = ""] = /^\ue000(\d+):([^\ue001]*)\ue001$/.exec(piece) ?? [];
      if (number === undefined) return piece;
      const reference = named.get(Number(number))?.deref();
      return reference ? textOf([reference]) : unread(what);
    }),
  );
}

/** A tree as plain JSON, with {@link lateName} in the place of late texts. */
export function namedTree(tree: Tree): unknown {
  return plainOf(tree, lateName);
}

/** True for a text with the name of a late value in it. */
export function hasLateName(text: string): boolean {
  return text.includes(OPEN);
}

/** What a rule says of such texts, for people. */
export function shownNames(text: string): string {
  return text.replace(NAMES, "<$1>");
}
