/*
 * The first stage of reading a CredentialProviderConfig: what the kubelet's strict decoder says to a parsed JSON or
 * YAML document (apimachinery:pkg/runtime/serializer/json, sigs.k8s.io/json). The texts are the decoder's own; the
 * kubelet puts `error decoding config "<path>": ` before them.
 */

import { isRecord } from "../../model/record";
import type { ConfigIssue } from "./config-issue";
import {
  credentialProviderConfigShape,
  isOtherKnownKind,
  type Shape,
  type StructShape,
} from "./credential-provider-schema";
import { isAtLeast } from "./feature-gates";
import { parseGoDuration } from "./go-duration";
import { quoted } from "./go-text";
import { compactJson, jsonKind } from "./json-value";

const KIND = "CredentialProviderConfig";
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Where the decoder's scheme was made: kubernetes:pkg/credentialprovider/plugin/plugin.go, part of a text. */
const SCHEME_LINES: readonly (readonly [since: string, line: number])[] = [
  ["1.31", 58],
  ["1.33", 66],
  ["1.34", 69],
];

/** The decoder's refusal, or `undefined` when a kubelet of that known minor decodes the document. */
export function decodeProblem(document: unknown, minor: string): ConfigIssue | undefined {
  const meta = typeMeta(document);
  if (meta.error !== undefined)
    return issue("", `couldn't get version/kind; json parse error: ${meta.error}`);
  const { apiVersion, kind } = meta;
  const parts = apiVersion.split("/");
  if (parts.length > 2) return issue("apiVersion", `unexpected GroupVersion string: ${apiVersion}`);
  if (kind === "") return issue("kind", `Object 'Kind' is missing in '${compactJson(document)}'`);
  const version = parts.at(-1) ?? "";
  if (version === "")
    return issue("apiVersion", `Object 'apiVersion' is missing in '${compactJson(document)}'`);
  const groupVersion = parts[0] === "" ? version : apiVersion;
  const shape = kind === KIND ? credentialProviderConfigShape(groupVersion, minor) : undefined;
  return shape ? bodyProblem(document, shape, minor) : kindProblem(document, groupVersion, kind, minor);
}

function kindProblem(document: unknown, apiVersion: string, kind: string, minor: string): ConfigIssue {
  if (isOtherKnownKind(apiVersion, kind, minor)) {
    const strict = isAtLeast(minor, "1.32") && isRecord(document) && Object.hasOwn(document, "providers");
    return strict ? unknownFields(["providers"]) : issue("kind", `failed to decode "${kind}" (wrong Kind)`);
  }
  const line = SCHEME_LINES.filter(([since]) => isAtLeast(minor, since)).at(-1)?.[1];
  const scheme = `k8s.io/kubernetes/pkg/credentialprovider/plugin/plugin.go:${line}`;
  return issue(
    kind === KIND ? "apiVersion" : "kind",
    `no kind "${kind}" is registered for version "${apiVersion}" in scheme "${scheme}"`,
  );
}

type TypeMeta =
  | { readonly apiVersion: string; readonly kind: string; readonly error?: undefined }
  | { readonly error: string };

/** Go's encoding/json ignores the case of field names here; the strict decoder afterwards does not. */
function typeMeta(document: unknown): TypeMeta {
  const found = { apiVersion: "", kind: "" };
  if (document === null || document === undefined) return found;
  if (!isRecord(document))
    return { error: `json: cannot unmarshal ${jsonKind(document)} into Go value of type ${TYPE_META}` };
  let error: string | undefined;
  for (const [key, value] of Object.entries(document)) {
    const name = (["apiVersion", "kind"] as const).find((field) => fold(field) === fold(key));
    if (name === undefined || value === null || value === undefined) continue;
    if (typeof value === "string") found[name] = value;
    else error ??= `json: cannot unmarshal ${jsonKind(value)} into Go struct field .${name} of type string`;
  }
  return error === undefined ? found : { error };
}

/** Unicode's simple folding adds two characters to ASCII's: the Kelvin sign and the long s. */
function fold(name: string): string {
  return name.replaceAll("\u212a", "k").replaceAll("\u017f", "s").toLowerCase();
}

/** What one walk over the document finds. The decoder stops at a bad duration, and goes on after the others. */
interface Findings {
  readonly unknown: string[];
  badType: ConfigIssue | undefined;
  badDuration: ConfigIssue | undefined;
}

/** The decoder keeps no more. */
const UNKNOWN_MAX = 100;

function bodyProblem(document: unknown, shape: StructShape, minor: string): ConfigIssue | undefined {
  const findings: Findings = { unknown: [], badType: undefined, badDuration: undefined };
  walk(document, shape, { path: "", field: shape.name }, findings);
  if (findings.badDuration ?? findings.badType) return findings.badDuration ?? findings.badType;
  const strict = isAtLeast(minor, "1.32") && findings.unknown.length > 0;
  return strict ? unknownFields(findings.unknown.slice(0, UNKNOWN_MAX)) : undefined;
}

/** Where the walk stands: `providers[0].name`, and the form of type errors, `CredentialProvider.providers.name`. */
interface Place {
  readonly path: string;
  readonly field: string;
}

function walk(value: unknown, shape: Shape, place: Place, findings: Findings): void {
  if (value === null || value === undefined || findings.badDuration) return;
  if (shape.kind === "list" && Array.isArray(value))
    value.forEach((item, index) =>
      walk(item, shape.of, { ...place, path: `${place.path}[${index}]` }, findings),
    );
  else if (shape.kind === "struct" && isRecord(value)) walkStruct(value, shape, place, findings);
  else if (shape.kind === "duration") findings.badDuration = durationProblem(value, place);
  else if (typeof value !== shape.kind) findings.badType ??= typeProblem(value, shape.goType, place);
}

function walkStruct(
  value: Readonly<Record<string, unknown>>,
  shape: StructShape,
  place: Place,
  findings: Findings,
): void {
  // Type errors name the innermost struct and then all fields from the top: ExecEnvVar.providers.env.name.
  const fields = place.path === "" ? "" : place.field.slice(place.field.indexOf(".") + 1);
  for (const [key, item] of Object.entries(value)) {
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if (findings.badDuration) return;
    if (field)
      walk(item, field, { path, field: [shape.name, fields, key].filter(Boolean).join(".") }, findings);
    else if (item !== undefined) findings.unknown.push(path);
  }
}

function durationProblem(value: unknown, place: Place): ConfigIssue | undefined {
  if (typeof value !== "string") return typeProblem(value, "string", place);
  const { error } = parseGoDuration(value);
  return error === undefined ? undefined : issue(place.path, error);
}

function typeProblem(value: unknown, goType: string, place: Place): ConfigIssue {
  return issue(
    place.path,
    `json: cannot unmarshal ${jsonKind(value)} into Go struct field ${place.field} of type ${goType}`,
  );
}

function unknownFields(paths: readonly string[]): ConfigIssue {
  const list = paths.map((path) => `unknown field ${quoted(path)}`).join(", ");
  return issue(paths[0] ?? "", `strict decoding error: ${list}`);
}

function issue(field: string, message: string): ConfigIssue {
  return { field, message };
}
