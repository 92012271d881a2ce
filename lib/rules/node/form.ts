/*
 * The forms in which files and kubelet flags reach nodes. Each form is one file that writes and reads it, and one row
 * of the table in `forms.ts`.
 */

import type { NodeDocument } from "../../model/node-document";
import type { NodeExecutable, NodeFile } from "../../model/node-file";
import { type Json, list, record, text } from "../../model/parsed";

/** A file as a document contains it. */
export interface CarriedFile {
  /** Path of the file on the node. */
  readonly path: string;
  /** The text as written, with placeholders for late values; `undefined` if it is not text. */
  readonly content: string | undefined;
  /** How the text is encoded; with `other`, the content is unknown. */
  readonly encoding: "plain" | "base64" | "gzip+base64" | "data-url" | "other";
  /** Position of the text in the document. */
  readonly at: readonly (string | number)[];
  /** Index of the document that contains it; the first by default. */
  readonly document?: number;
  /** For a data URL in Ignition: its `compression` and `verification`. */
  readonly contents?: Json;
}

/** What a document puts on nodes. */
export interface CarriedSetup {
  readonly files: readonly CarriedFile[];
  /** Flags that the document passes to the kubelet, without dashes; `undefined` if files set them. */
  readonly flags: Readonly<Record<string, unknown>> | undefined;
  /** Fields of a KubeletConfiguration that the document passes to the kubelet. */
  readonly configuration?: unknown;
  /** Whether the flags are for nodes whose files come from other documents. */
  readonly ofOthers?: boolean;
  /** Why the program that reads the document refuses it and so writes nothing to the nodes; a clause. */
  readonly problem?: string | undefined;
  /** Why the effect of the document is unknown; a clause. */
  readonly doubt?: string | undefined;
}

/** One way of writing files and flags for nodes. */
export interface NodeForm {
  readonly id: string;
  /** Whether all documents of this form in a file belong together; by default each is for different nodes. */
  readonly joins?: boolean;
  /** Whether a document has this form: parsed YAML or JSON, or the text of another kind of file. */
  is(document: unknown): boolean;
  /** What the documents put on nodes; exactly one document, unless this form `joins`. */
  read(documents: readonly unknown[]): CarriedSetup;
}

/** A way to bring files to nodes, and possibly executables. */
export interface NodeTransport {
  /** Name of the form. */
  readonly form: string;
  /** The document that contains them. */
  document(files: readonly NodeFile[], executables: readonly NodeExecutable[]): NodeDocument;
}

/** Permission bits as four octal digits. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** The files in a document's list; the path and the text of each are under the given keys. */
export function carriedFiles(
  listed: unknown,
  at: readonly (string | number)[],
  keys: { readonly path: string; readonly content: string },
  encodingOf: (file: Readonly<Record<string, unknown>>) => CarriedFile["encoding"] = () => "plain",
): readonly CarriedFile[] {
  if (!Array.isArray(listed)) return [];
  return listed.map((each: unknown, index) => {
    const file = record(each);
    const content = file[keys.content];
    return {
      path: text(file[keys.path]),
      content: typeof content === "string" ? content : undefined,
      encoding: encodingOf(file),
      at: [...at, index, keys.content],
    };
  });
}

/**
 * Flags in the order in which a program passes them to the kubelet: the last value of each takes effect, but feature gates
 * of several flags add up. Source: kubernetes:staging/src/k8s.io/component-base/cli/flag/map_string_bool.go.
 */
export function flagsInTurn(
  rows: readonly (readonly [flag: string, value: unknown])[],
): Readonly<Record<string, unknown>> {
  const flags = new Map<string, unknown>();
  for (const [flag, value] of rows) {
    const before = flag === "feature-gates" ? flags.get(flag) : undefined;
    flags.set(flag, before === undefined ? value : `${String(before)},${String(value)}`);
  }
  return Object.fromEntries(flags);
}

/** Flags of the kubelet that decide about credential providers. */
const FLAG_WORDS: readonly string[] = ["--image-credential-provider-", "feature-gates"];

/** The doubt that arises if a command that runs beside the files names one of them, or a flag that matters. */
export function commandDoubt(
  commands: readonly unknown[],
  files: readonly CarriedFile[],
): Pick<CarriedSetup, "doubt"> {
  const words = [...files.map(({ path }) => path), ...FLAG_WORDS].filter((word) => word.length > 1);
  const texts = commands
    .flatMap(list)
    .map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  const named = words.find((word) => texts.some((each) => each.includes(word)));
  return named === undefined ? {} : { doubt: `a command names ${named}, and its effect is unknown` };
}

/** The doubt that arises if a program appends to one of the listed files. */
export function appendedDoubt(listed: unknown, by: string): Pick<CarriedSetup, "doubt"> {
  const file = list(listed).find(
    (each) => ![undefined, null, false].includes(record(each)["append"] as null),
  );
  return file === undefined
    ? {}
    : { doubt: `${by} appends to ${text(record(file)["path"])}, whose earlier content is unknown` };
}
