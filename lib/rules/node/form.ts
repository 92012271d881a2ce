/*
 * What the forms have in common in which files and kubelet flags get to nodes: each is one file that writes the form and
 * reads it back, and one row of the table in `forms.ts`.
 */

import type { NodeDocument } from "../../model/node-document";
import type { NodeExecutable, NodeFile } from "../../model/node-file";
import { type Json, list, record, text } from "../../model/parsed";

/** A file as a document has it. */
export interface CarriedFile {
  /** Its path on the node. */
  readonly path: string;
  /** Its text as it is written, placeholders of late values in it; `undefined` where it is none. */
  readonly content: string | undefined;
  /** How the text is written; of an encoding that is not known here, the content is not known. */
  readonly encoding: "plain" | "base64" | "gzip+base64" | "data-url" | "other";
  /** Where the text is in the document. */
  readonly at: readonly (string | number)[];
  /** Which of the documents it is in; the first where it is left out. */
  readonly document?: number;
  /** Of a data URL in Ignition: its `compression` and `verification`. */
  readonly contents?: Json;
}

/** What a document puts on nodes. */
export interface CarriedSetup {
  readonly files: readonly CarriedFile[];
  /** Flags that the document gives to the kubelet, without dashes; `undefined` where it leaves them to files. */
  readonly flags: Readonly<Record<string, unknown>> | undefined;
  /** Whether the flags are for nodes whose files other documents bring. */
  readonly ofOthers?: boolean;
  /** Why the program that reads the document refuses it, a clause, and then brings nothing to the nodes. */
  readonly problem?: string | undefined;
  /** Why it is not known what the document does, a clause. */
  readonly doubt?: string | undefined;
}

/** One way of writing files and flags for nodes. */
export interface NodeForm {
  readonly id: string;
  /** Whether all documents of a file that have this form belong together; each is for other nodes where it is left out. */
  readonly joins?: boolean;
  /** Whether a document is of this form: parsed YAML or JSON, or the text of a file of another kind. */
  is(document: unknown): boolean;
  /** What the documents put on nodes; exactly one, unless this form `joins`. */
  read(documents: readonly unknown[]): CarriedSetup;
}

/** A way of bringing files to nodes, and perhaps executables. */
export interface NodeTransport {
  /** Name of the form. */
  readonly form: string;
  /** The document that brings them. */
  document(files: readonly NodeFile[], executables: readonly NodeExecutable[]): NodeDocument;
}

/** Permission bits as four octal digits. */
export function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}

/** The files in the list of a document, each with its path and text under the given keys. */
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

/** The doubt where a program appends to one of the listed files. */
export function appendedDoubt(listed: unknown, by: string): Pick<CarriedSetup, "doubt"> {
  const file = list(listed).find(
    (each) => ![undefined, null, false].includes(record(each)["append"] as null),
  );
  return file === undefined
    ? {}
    : { doubt: `${by} appends to ${text(record(file)["path"])}, and what it holds before is not known` };
}
