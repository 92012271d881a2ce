/*
 * Files that explain found below a folder and does not read: templates, texts that are neither YAML nor JSON, and files
 * that a stack's record does not list. What they hold is not known, so whatever they name may be otherwise than it
 * reads.
 */

import { statSync } from "node:fs";
import type { NamespacedName } from "../../model/namespaced-name";
import { isNamed } from "../shared/words";
import { textIfReadable } from "./documents";
import type { SkippedDocument, Source } from "./source";

/** Something that was not read, and what is known of its text. */
export interface UnreadText {
  readonly source: Source;
  /** In lower case; `undefined` if it may hold any object. */
  readonly text: string | undefined;
  /** @defaultValue false */
  readonly isTemplate?: boolean;
}

/** Texts in which names are looked for. */
export class UnreadFiles {
  readonly skipped: SkippedDocument[] = [];
  readonly #texts = new Map<string, UnreadText>();

  add(source: Source, reason: string, text: string | undefined): void {
    this.skipped.push({ source, reason });
    const isTemplate = text?.includes("{{") === true;
    this.#texts.set(source.file, { source, text: text?.toLowerCase(), isTemplate });
  }

  has(file: string): boolean {
    return this.#texts.has(file);
  }

  get all(): readonly UnreadText[] {
    return [...this.#texts.values()];
  }
}

/** Links are followed for the names in their targets alone. */
export function textOfFile(file: string): string {
  const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  return (isFile ? textIfReadable(file) : undefined) ?? "";
}

/** What was not read and may hold objects of a cluster. */
export class PerhapsObjects {
  readonly #all: readonly UnreadText[];

  constructor(all: readonly UnreadText[]) {
    this.#all = all;
  }

  /** The first that may declare an object of the kind with the name: in a template, any value may be the name. */
  declaring(kind: string, name = ""): Source | undefined {
    const isIt = ({ text, isTemplate = false }: UnreadText): boolean =>
      text === undefined || (text.includes(kind.toLowerCase()) && (isTemplate || isNamedIn(text, name)));
    return this.#all.find(isIt)?.source;
  }

  /** The first that names a service account, and may hold another version of it. */
  naming({ namespace, name }: NamespacedName): Source | undefined {
    const isIt = ({ text = "" }: UnreadText): boolean =>
      text.includes("serviceaccount") &&
      isNamedIn(text, name) &&
      (isNamedIn(text, namespace) || !text.includes("namespace"));
    return this.#all.find(isIt)?.source;
  }
}

function isNamedIn(text: string, name: string): boolean {
  return name === "" || isNamed(text, name.toLowerCase());
}
