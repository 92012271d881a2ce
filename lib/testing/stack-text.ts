/*
 * A stack as text for snapshots: encoded texts are decoded, and what changes with versions and machines is left out.
 */

import { parsedJson } from "../model/parsed";
import { isRecord } from "../model/record";
import { basename, isAbsolute } from "node:path";
import { type Scalar, isScalar, parseAllDocuments, parseDocument, stringify, visit } from "yaml";
import { WORKLOAD_IDENTITY_FILE } from "../artefact/workload-identity-file";
import { YAML_RULES } from "../artefact/yaml-rules";
import { STACK_FILE } from "../explain/read/input-files";
import type { SynthesizedStack } from "./synth-stack";

const OPTIONS = { ...YAML_RULES, lineWidth: 0, aliasDuplicateObjects: false } as const;
const DATA_URL = /^data:text\/plain;charset=utf-8;base64,([A-Za-z0-9+/]+=*)$/;

/**
 * The stack's files as one YAML text, a comment with the name before each.
 *
 * Ignition data URLs are decoded under the tag `!data-url`, JSON texts such as policies are indented and sorted under
 * `!json`, and manifests in ConfigMaps are under `!yaml`. Left out are construct paths and versions that cdktf notes,
 * provider versions, the folder of a local state, and comments. Keys of Terraform JSON are sorted.
 */
export function stackText(stack: SynthesizedStack): string {
  const identity = stack.identity;
  const parts: readonly (readonly [string, string])[] = [
    [STACK_FILE, jsonText(withoutNoise(stack.terraform))],
    ...stack.manifestFiles.map((file) => [file, yamlText(stack.text(file))] as const),
    ...(identity === undefined ? [] : [[WORKLOAD_IDENTITY_FILE, jsonText(identity)] as const]),
  ];
  return parts.map(([file, text]) => `# ${file}\n${text}`).join("---\n");
}

function jsonText(value: unknown): string {
  return readable(stringify(sorted(value), OPTIONS));
}

function yamlText(text: string): string {
  return parseAllDocuments(text, { ...YAML_RULES, logLevel: "silent" })
    .map((document) => readable(document.toString({ lineWidth: 0 })))
    .join("---\n");
}

/** One YAML document with its encoded texts decoded, without comments. */
function readable(text: string): string {
  const document = parseDocument(text, YAML_RULES);
  document.commentBefore = null;
  document.comment = null;
  // `stackText` joins the parts with `---`.
  document.directives.docStart = null;
  visit(document, {
    Node: (key, node) => {
      node.commentBefore = null;
      node.comment = null;
      if (key !== "key" && isScalar(node)) decode(node);
    },
  });
  return document.toString({ lineWidth: 0 });
}

function decode(scalar: Scalar): void {
  const [tag, text] = typeof scalar.value === "string" ? (decoded(scalar.value) ?? []) : [];
  if (tag === undefined || text === undefined) return;
  scalar.value = text;
  scalar.tag = tag;
  scalar.type = "BLOCK_LITERAL";
}

function decoded(text: string): readonly [tag: string, text: string] | undefined {
  const [, base64] = DATA_URL.exec(text) ?? [];
  if (base64 !== undefined) {
    const content = Buffer.from(base64, "base64").toString("utf8");
    const exact = Buffer.from(content, "utf8").toString("base64") === base64;
    return exact ? ["!data-url", content] : undefined;
  }
  if (text.includes("base64,") && /^apiVersion:/m.test(text)) return ["!yaml", yamlText(text)];
  // A text that only begins like JSON stays as it is.
  const json = /^\s*[[{]/.test(text) ? parsedJson(text) : undefined;
  return json === undefined ? undefined : ["!json", `${JSON.stringify(sorted(json), undefined, 2)}\n`];
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}

function withoutNoise(terraform: Readonly<Record<string, unknown>>): unknown {
  const { terraform: settings, ...rest } = withoutNotes(terraform) as Record<string, unknown>;
  if (!isRecord(settings)) return rest;
  const { backend, required_providers: providers, ...others } = settings;
  return {
    ...rest,
    terraform: {
      ...others,
      ...(backend === undefined ? {} : { backend: withoutFolders(backend) }),
      ...(isRecord(providers) ? { required_providers: mapped(providers, withoutVersion) } : {}),
    },
  };
}

/** `//` is cdktf's own note beside each block. */
function withoutNotes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNotes);
  if (!isRecord(value)) return value;
  const { "//": _, ...rest } = value;
  return mapped(rest, withoutNotes);
}

function withoutVersion(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { version: _, ...rest } = value;
  return rest;
}

function withoutFolders(value: unknown): unknown {
  if (typeof value === "string") return isAbsolute(value) ? basename(value) : value;
  return isRecord(value) ? mapped(value, withoutFolders) : value;
}

function mapped(
  value: Readonly<Record<string, unknown>>,
  change: (inner: unknown) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner)]));
}
