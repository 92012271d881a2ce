/*
 * Damage to one value of what a synth has written, or what people have written by hand.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Artefacts } from "../fixtures/explain/artefacts";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";

/** Keys of objects and indices of lists, from the outside in. */
export type Keys = readonly (string | number)[];

/** A value of one document of a file. */
export interface Place {
  readonly file: string;
  /** Which document of the file, from 0. */
  readonly document: number;
  readonly keys: Keys;
}

/** `file keys`, a document after the first with its index. */
export function shownPlace({ file, document, keys }: Place): string {
  return `${file}${document === 0 ? "" : `#${document}`} ${keys.join(".")}`;
}

const GONE = Symbol("gone");

/** What a damage makes of a value; `undefined` where it does not apply. */
const DAMAGES = {
  gone: () => GONE,
  "another text": (value: unknown) => (typeof value === "string" ? `${value}-x` : undefined),
  "not known": (value: unknown, isTerraform: boolean) =>
    isTerraform && typeof value !== "object" ? "${var.other}" : undefined,
  "of another type": (value: unknown) => (typeof value === "object" ? undefined : []),
  "in capitals": (value: unknown) =>
    typeof value === "string" && value !== value.toUpperCase() && !value.includes("${")
      ? value.toUpperCase()
      : undefined,
  any: (value: unknown) => (typeof value === "string" ? "*" : undefined),
  twice: (value: unknown) => (Array.isArray(value) && value.length > 0 ? [...value, value[0]] : undefined),
  "null first": (value: unknown) => (Array.isArray(value) ? [null, ...value] : undefined),
  "in a list": (value: unknown, isTerraform: boolean) =>
    isTerraform && typeof value === "object" && !Array.isArray(value) ? [value] : undefined,
  opposite: (value: unknown) => (typeof value === "boolean" ? !value : undefined),
} as const satisfies Readonly<Record<string, (value: unknown, isTerraform: boolean) => unknown>>;

/** What is done to a value. */
export type Damage = keyof typeof DAMAGES;

/** All of them. */
export const damages = Object.keys(DAMAGES) as readonly Damage[];

function changed(value: unknown, [key, ...rest]: Keys, to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(value))
    return value.flatMap((item: unknown, place) => {
      const next = place === key ? changed(item, rest, to) : item;
      return next === GONE ? [] : [next];
    });
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, inner]) => {
      const next: unknown = name === key ? changed(inner, rest, to) : inner;
      return next === GONE ? [] : [[name, next]];
    }),
  );
}

function keysIn(value: unknown, keys: Keys = []): readonly Keys[] {
  if (typeof value !== "object" || value === null) return [keys];
  const children = Object.entries(value).flatMap(([key, inner]) =>
    keysIn(inner, [...keys, Array.isArray(value) ? Number(key) : key]),
  );
  return keys.length === 0 ? children : [keys, ...children];
}

function documentsOf(file: string, text: string): readonly unknown[] {
  return file.endsWith(".json")
    ? [JSON.parse(text) as unknown]
    : parseAllDocuments(text).map((document) => document.toJS() as unknown);
}

const textOf = (documents: readonly unknown[]): string =>
  documents.map((each) => JSON.stringify(each)).join("\n---\n");

/** Artefacts in a folder, of which one value at a time is damaged. */
export class Damaged<T> {
  /** What is said of the artefacts as they are. */
  readonly intact: T;
  /** Every value of the files that are damaged. */
  readonly places: readonly Place[];
  readonly #documents: ReadonlyMap<string, readonly unknown[]>;
  readonly #artefacts: Artefacts;
  readonly #folder = temporaryFolder();
  readonly #said: (folder: string) => T;

  constructor(artefacts: Artefacts, isDamaged: (file: string) => boolean, said: (folder: string) => T) {
    this.#artefacts = artefacts;
    this.#said = said;
    const files = [...artefacts.keys()].filter(isDamaged);
    this.#documents = new Map(files.map((file) => [file, documentsOf(file, artefacts.get(file) ?? "")]));
    this.places = files.flatMap((file) =>
      (this.#documents.get(file) ?? []).flatMap((document, place) =>
        keysIn(document).map((keys) => ({ file, document: place, keys })),
      ),
    );
    for (const [file, text] of artefacts) this.#write(file, text);
    this.intact = said(this.#folder);
  }

  /** What is said after the damage; `undefined` where it does not apply to the value. */
  after({ file, document, keys }: Place, damage: Damage): T | undefined {
    const documents = this.#documents.get(file) ?? [];
    const value = keys.reduce<unknown>(
      (inner, key) => (inner as Record<string, unknown>)[key],
      documents[document],
    );
    const to: unknown = DAMAGES[damage](value, file.endsWith(".json"));
    if (to === undefined) return undefined;
    const after = documents.map((each, place) => (place === document ? changed(each, keys, to) : each));
    this.#write(file, textOf(after));
    try {
      return this.#said(this.#folder);
    } finally {
      this.#write(file, this.#artefacts.get(file) ?? "");
    }
  }

  #write(file: string, text: string): void {
    const path = join(this.#folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
