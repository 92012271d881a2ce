import type { LateText } from "./late";

/** A document that brings files and kubelet flags to nodes, in the form of the program that reads it. */
export interface NodeDocument {
  /** Form by which `explain` reads it, `cloud-init` say. */
  readonly form: string;
  /** Ending of the file's name: `yaml` or `bu` for YAML, `json` or `ign` for JSON, `toml` or `txt` for a finished text. */
  readonly extension: string;
  /** Objects, one YAML document each (of JSON exactly one), or a finished text; both may hold late values. */
  readonly content: readonly object[] | string | LateText;
  /**
   * First line of the file, where the program that reads it asks for one: `#cloud-config`.
   *
   * @defaultValue - none
   */
  readonly head?: string;
  /**
   * Lines for the reader, without `#`; JSON has none.
   *
   * @defaultValue - no comment
   */
  readonly comment?: readonly string[];
}

/** How a file is written and read. */
export type NodeSyntax = "yaml" | "json" | "text";

/** By the ending of a file's name; no other is written. */
export const NODE_SYNTAXES: Readonly<Record<string, NodeSyntax>> = {
  yaml: "yaml",
  yml: "yaml",
  bu: "yaml",
  json: "json",
  ign: "json",
  toml: "text",
  txt: "text",
};

/** The syntax of a file by the ending of its name; YAML where it has another. */
export function syntaxOf(file: string): NodeSyntax {
  const ending = /\.([a-z]+)$/.exec(file)?.[1] ?? "";
  return (Object.hasOwn(NODE_SYNTAXES, ending) ? NODE_SYNTAXES[ending] : undefined) ?? "yaml";
}
