/*
 * Placeholders in manifests, replaced by the {@link Reference} objects of the Terraform configuration to which they
 * refer, so that both sides can be compared.
 */

import { PLACEHOLDER_START, placeholderPieces } from "../../artefact/placeholder";
import type {
  EncodedPlaceholder,
  OutputPlaceholder,
  WorkloadIdentityFile,
} from "../../artefact/workload-identity-file";
import { type Known, Reference, joinedAll, known, match, textOf, unread } from "../../model/known";
import { once, remembered } from "../../model/once";
import { isRecord, withItems } from "../../model/record";
import { type Tree, treeOf } from "../../model/tree";
import type { Scope } from "./scope";
import type { Terraform } from "./terraform";

/** Returns the value of a text in a manifest; a text without placeholders is known, and costs nothing. */
export type LateReader = (text: string) => Known<string>;

/** The end of every placeholder. */
const END = ")@";
const OUTPUT = "output.";
/** Address of the resource in a reference, including modules. */
const ADDRESS = /^(?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:data\.)?[\w-]+\.[\w-]+/;
const ENCODED = /^@late\((?:base64|data-url)\.[0-9a-f]+\)@$/;

/** True for the placeholder of an encoded text: a {@link LateReader} returns the text itself. */
export function isEncodedPlaceholder(text: string): boolean {
  return ENCODED.test(text);
}

/** The value behind a placeholder; `undefined` if nothing tells it. */
type Meaning = (placeholder: string, isAlone: boolean) => Known<string> | undefined;

/** A reader that replaces the placeholders of a text by their values. */
function readerBy(meaning: Meaning): LateReader {
  const meanings = new Map<string, Known<string>>();
  const meaningOf = (placeholder: string, isAlone: boolean): Known<string> => {
    const key = isAlone ? placeholder : `${placeholder} within a text`;
    // A placeholder without a value equals only itself, in whatever text.
    return remembered(meanings, key, () => meaning(placeholder, isAlone) ?? nameless(placeholder));
  };
  const unnamed = new Map<string, Known<string>>();
  const nameless = (placeholder: string): Known<string> =>
    remembered(unnamed, placeholder, () => textOf([new Reference(placeholder)]));
  return (text) => {
    if (!text.includes(PLACEHOLDER_START)) return known(text);
    const pieces = placeholderPieces(text);
    const isAlone = pieces.join("") === pieces[1];
    return joinedAll(pieces.map((piece, place) => (place % 2 === 1 ? meaningOf(piece, isAlone) : piece)));
  };
}

/**
 * A reader for plain placeholders by `plain`, and for those of encoded texts by `encodedText`, the text before
 * encoding, which may itself hold placeholders.
 */
export function lateReader(
  plain: (placeholder: string) => Known<string> | undefined,
  encodedText: (placeholder: string) => string | undefined,
): LateReader {
  const plainReader = readerBy(plain);
  return readerBy((placeholder, isAlone) => {
    const text = encodedText(placeholder);
    if (text === undefined) return plainReader(placeholder);
    // Within another text only its encoded form appears, which is not known.
    return isAlone ? plainReader(text) : undefined;
  });
}

/** The reader for a stack's manifests, using its record. */
export function stackLateReader(
  placeholders: WorkloadIdentityFile["placeholders"],
  scope: Scope | undefined,
): LateReader {
  const entryOf = (placeholder: string): OutputPlaceholder | EncodedPlaceholder | undefined =>
    Object.hasOwn(placeholders, placeholder) ? placeholders[placeholder] : undefined;
  const plain = (placeholder: string): Known<string> | undefined => {
    const entry = entryOf(placeholder);
    if (!entry || !("expression" in entry)) return undefined;
    return scope ? scope.text(entry.expression) : textOf([new Reference(entry.expression)]);
  };
  return lateReader(plain, (placeholder) => {
    const entry = entryOf(placeholder);
    return entry && "encoding" in entry ? entry.text : undefined;
  });
}

/**
 * The reader for manifests without a record: a placeholder names its reference, whose resource must be in exactly one
 * of the configurations that were read.
 */
export function plainLateReader(terraform: Terraform): LateReader {
  return readerBy((placeholder) => {
    const name = placeholder.slice(PLACEHOLDER_START.length, -END.length);
    const isOutput = name.startsWith(OUTPUT);
    const key = isOutput ? name.slice(OUTPUT.length) : (ADDRESS.exec(name)?.[0] ?? "");
    const [scope, ...others] = terraform.scopes.filter(({ outputs, resources }) =>
      (isOutput ? outputs : resources).has(key),
    );
    if (!scope || others.length > 0) return undefined;
    return isOutput ? scope.output(key) : scope.text(`\${${name}}`);
  });
}

/** A parsed value with its late texts as references; the value itself if it has none. */
export function lateTree(value: unknown, late: LateReader): Tree {
  return treeOf(followed(value, late));
}

function followed(value: unknown, late: LateReader): unknown {
  if (typeof value === "string") return value.includes(PLACEHOLDER_START) ? late(value) : value;
  if (isRecord(value) && Object.keys(value).some((key) => key.includes(PLACEHOLDER_START)))
    return unread("an object has a key known only after apply");
  return withItems(value, (item) => followed(item, late));
}

/** Brackets around the name of a late value in a text, for RBAC, which compares plain texts. */
const [OPEN, CLOSE] = ["\ue000", "\ue001"];
const NAME = /\ue000\d+:([^\ue000\ue001]*)\ue001/g;
let count = 0;
const numberOf = once((_: Reference) => ++count);

/**
 * A plain text for a value, for rules that know only plain texts: a known value itself, else a name that equals another
 * value's name exactly if both values are certainly the same, and never equals a literal text.
 */
export function lateName(text: Known<string>): string {
  const name = (part: string | Reference): string =>
    typeof part === "string" ? part : `${OPEN}${numberOf(part)}:${part.expression}${CLOSE}`;
  return match(
    text,
    (value) => value,
    (why) => ("parts" in why ? why.parts.map(name).join("") : `${OPEN}${++count}:${why.what}${CLOSE}`),
  );
}

/** A message with such names in readable form. */
export function shownNames(text: string): string {
  return text.replace(NAME, "<$1>");
}
