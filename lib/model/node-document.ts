import type { LateText } from "./late";

/** A document that brings files and kubelet flags to nodes, in the form of the program that reads it. */
export interface NodeDocument {
  /** Name of the form that `explain` reads it as, for example `cloud-init`. */
  readonly form: string;
  /** Extension of the file: `yaml` or `bu` for YAML, `json` or `ign` for JSON, `toml` or `txt` for a finished text. */
  readonly extension: string;
  /** Objects, one YAML document each (for JSON exactly one), or a finished text; both may have late values. */
  readonly content: readonly object[] | string | LateText;
  /**
   * First line of the file, if its reader needs one, for example `#cloud-config`.
   *
   * @defaultValue - none
   */
  readonly head?: string;
  /**
   * Comment lines without `#`; not for JSON.
   *
   * @defaultValue - no comment
   */
  readonly comment?: readonly string[];
}

export type NodeSyntax = "yaml" | "json" | "text";

/** The syntaxes by extension; other extensions are refused. */
export const NODE_SYNTAXES: Readonly<Record<string, NodeSyntax>> = {
  yaml: "yaml",
  yml: "yaml",
  bu: "yaml",
  json: "json",
  ign: "json",
  toml: "text",
  txt: "text",
};

/** Returns the syntax of a file by its extension; YAML for an unknown one. */
export function syntaxOf(file: string): NodeSyntax {
  const ending = /\.([a-z]+)$/.exec(file)?.[1] ?? "";
  return (Object.hasOwn(NODE_SYNTAXES, ending) ? NODE_SYNTAXES[ending] : undefined) ?? "yaml";
}
