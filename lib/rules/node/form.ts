/*
 * The forms in which files and kubelet flags reach nodes. Each form is one file that writes and reads it, and one row
 * of the table in `forms.ts`.
 */

import type { NodeDocument } from "../../model/node-document";
import type { NodeExecutable, NodeFile } from "../../model/node-file";
import { type Json, record, text } from "../../model/parsed";

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
  /** Permission bits; `undefined` if the document does not state them as a number. */
  readonly mode?: number | undefined;
  /** Checksum without which a download is not kept; empty for a download that has none. */
  readonly sha256?: string | undefined;
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
  /** Version of the kubelets, if the document states it. */
  readonly kubelet?: string | undefined;
  /** Commands that run on the nodes: texts, or lists of words. */
  readonly commands?: readonly unknown[];
  /** Documents within this one, each with the name of its form. */
  readonly parts?: readonly (readonly [form: string, document: unknown])[];
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

/** Permission bits as documents state them: a number, or a text of octal digits. */
export function modeOf(written: unknown): number | undefined {
  if (typeof written === "number") return written;
  return /^0?o?[0-7]{3,4}$/.test(text(written))
    ? Number.parseInt(text(written).replace("o", ""), 8)
    : undefined;
}

/** The files in a document's list; the path and the text of each are under the given keys. */
export function carriedFiles(
  listed: unknown,
  at: readonly (string | number)[],
  keys: { readonly path: string; readonly content: string; readonly mode: string },
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
      mode: modeOf(file[keys.mode]),
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
