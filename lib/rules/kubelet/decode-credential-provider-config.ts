/*
 * The first stage of reading a CredentialProviderConfig: the complaints of the kubelet's strict decoder about a parsed
 * JSON or YAML document (apimachinery:pkg/runtime/serializer/json, sigs.k8s.io/json). The texts are the decoder's own;
 * the kubelet prefixes them with `error decoding config "<path>": `.
 */

import { isRecord } from "../../model/record";
import { isAtLeast } from "./feature-gates";
import { parseGoDuration } from "./go-duration";
import { quoted, compactJson, jsonKind } from "./go-text";

const KIND = "CredentialProviderConfig";
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** Line in kubernetes:pkg/credentialprovider/plugin/plugin.go that creates the decoder's scheme; part of a message. */
const SCHEME_LINES: readonly (readonly [since: string, line: number])[] = [
  ["1.31", 58],
  ["1.33", 66],
  ["1.34", 69],
];

/** The decoder's error, or `undefined` if a kubelet of that known minor decodes the document. */
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

/** Go's encoding/json ignores the case of field names here, unlike the strict decoder that runs afterwards. */
function typeMeta(document: unknown): TypeMeta {
  const meta = { apiVersion: "", kind: "" };
  if (document === null || document === undefined) return meta;
  if (!isRecord(document))
    return { error: `json: cannot unmarshal ${jsonKind(document)} into Go value of type ${TYPE_META}` };
  let error: string | undefined;
  for (const [key, value] of Object.entries(document)) {
    const name = (["apiVersion", "kind"] as const).find((field) => fold(field) === fold(key));
    if (name === undefined || value === null || value === undefined) continue;
    if (typeof value === "string") meta[name] = value;
    else error ??= `json: cannot unmarshal ${jsonKind(value)} into Go struct field .${name} of type string`;
  }
  return error === undefined ? meta : { error };
}

/** Unicode's simple case folding maps two further characters to ASCII: the Kelvin sign and the long s. */
function fold(name: string): string {
  return name.replaceAll("\u212a", "k").replaceAll("\u017f", "s").toLowerCase();
}

/** What one walk over the document finds. The decoder stops at an invalid duration, but goes on after other errors. */
interface Findings {
  readonly unknown: string[];
  badType: ConfigIssue | undefined;
  badDuration: ConfigIssue | undefined;
}

/** The decoder reports no more than this. */
const UNKNOWN_MAX = 100;

function bodyProblem(document: unknown, shape: StructShape, minor: string): ConfigIssue | undefined {
  const findings: Findings = { unknown: [], badType: undefined, badDuration: undefined };
  walk(document, shape, { path: "", field: shape.name }, findings);
  if (findings.badDuration ?? findings.badType) return findings.badDuration ?? findings.badType;
  const strict = isAtLeast(minor, "1.32") && findings.unknown.length > 0;
  return strict ? unknownFields(findings.unknown.slice(0, UNKNOWN_MAX)) : undefined;
}

/** The position of the walk: `providers[0].name`, and its form in type errors, `CredentialProvider.providers.name`. */
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
  // Type errors name the innermost struct, followed by all fields from the top: ExecEnvVar.providers.env.name.
  const fields = place.path === "" ? "" : place.field.slice(place.field.indexOf(".") + 1);
  for (const [key, item] of Object.entries(value)) {
    const path = place.path === "" ? key : `${place.path}.${key}`;
    const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
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

/*
 * The Go types into which the kubelet decodes a CredentialProviderConfig (kubernetes/kubelet:config/v1,
 * config/v1beta1, config/v1alpha1), as data.
 */

/** What a JSON value must be to fit a Go type. */
export type Shape =
  | { readonly kind: "string" | "boolean"; readonly goType: string }
  | { readonly kind: "duration"; readonly goType: "string" }
  | { readonly kind: "list"; readonly goType: string; readonly of: Shape }
  | StructShape;

/** A Go struct: its name as error texts show it, and its JSON fields. */
export interface StructShape {
  readonly kind: "struct";
  /** The type with its package, `v1.CredentialProvider`. */
  readonly goType: string;
  /** The type without its package; the prefix of a field in error texts. */
  readonly name: string;
  /** The fields by JSON name; case-sensitive. */
  readonly fields: Readonly<Record<string, Shape>>;
}

const GROUP = "kubelet.config.k8s.io";
const PROTOCOL_GROUP = "credentialprovider.kubelet.k8s.io";

const text: Shape = { kind: "string", goType: "string" };
const texts: Shape = { kind: "list", goType: "[]string", of: text };
const duration: Shape = { kind: "duration", goType: "string" };

function struct(version: string, name: string, fields: Readonly<Record<string, Shape>>): StructShape {
  return { kind: "struct", goType: `${version}.${name}`, name, fields };
}

function listOf(of: StructShape): Shape {
  return { kind: "list", goType: `[]${of.goType}`, of };
}

function tokenAttributes(minor: string): StructShape {
  return struct("v1", "ServiceAccountTokenAttributes", {
    serviceAccountTokenAudience: text,
    requireServiceAccount: { kind: "boolean", goType: "bool" },
    requiredServiceAccountAnnotationKeys: texts,
    optionalServiceAccountAnnotationKeys: texts,
    ...(isAtLeast(minor, "1.34") && {
      cacheType: { kind: "string", goType: "v1.ServiceAccountTokenCacheType" } as const,
    }),
  });
}

function configShape(version: string, minor: string): StructShape {
  const provider = struct(version, "CredentialProvider", {
    name: text,
    matchImages: texts,
    defaultCacheDuration: duration,
    apiVersion: text,
    args: texts,
    env: listOf(struct(version, "ExecEnvVar", { name: text, value: text })),
    ...(version === "v1" && isAtLeast(minor, "1.33") && { tokenAttributes: tokenAttributes(minor) }),
  });
  return struct(version, "CredentialProviderConfig", {
    apiVersion: text,
    kind: text,
    providers: listOf(provider),
  });
}

const VERSIONS: readonly string[] = ["v1", "v1beta1", "v1alpha1"];

/** The type for a `kubelet.config.k8s.io` version in a known kubelet minor; `undefined` if not registered there. */
export function credentialProviderConfigShape(apiVersion: string, minor: string): StructShape | undefined {
  const version = VERSIONS.find((candidate) => apiVersion === `${GROUP}/${candidate}`);
  return version === undefined ? undefined : configShape(version, minor);
}

const PLUGIN_KINDS: readonly string[] = ["CredentialProviderRequest", "CredentialProviderResponse"];
const PULL_RECORD_KINDS: readonly string[] = ["ImagePullIntent", "ImagePulledRecord"];

/** Kinds that Kubernetes' decoders accept in every group and version. */
const UNVERSIONED_KINDS: readonly string[] = [
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "Status",
];

/** Other kinds that the kubelet's decoder knows: it decodes them first and only then refuses the kind. */
const OTHER_KINDS: readonly (readonly [apiVersion: string, since: string, kinds: readonly string[]])[] = [
  [`${GROUP}/v1alpha1`, "1.33", PULL_RECORD_KINDS],
  [`${GROUP}/v1beta1`, "1.35", PULL_RECORD_KINDS],
  [`${GROUP}/v1beta1`, "1.31", ["KubeletConfiguration", "SerializedNodeConfigSource"]],
  ...VERSIONS.map((version) => [`${PROTOCOL_GROUP}/${version}`, "1.31", PLUGIN_KINDS] as const),
];

/** True for a kind, other than CredentialProviderConfig, that the decoder of a known kubelet minor knows. */
export function isOtherKnownKind(apiVersion: string, kind: string, minor: string): boolean {
  const isRegistered = OTHER_KINDS.some(
    ([group, since, kinds]) => group === apiVersion && isAtLeast(minor, since) && kinds.includes(kind),
  );
  return isRegistered || UNVERSIONED_KINDS.includes(kind);
}

/** Something in a CredentialProviderConfig that a kubelet refuses or a lint warns about. */
export interface ConfigIssue {
  /** The path as the kubelet prints it, without indices for validation errors; empty for the whole file. */
  readonly field: string;
  /** The kubelet's own text, including the field, or the lint's explanation. */
  readonly message: string;
}

/** An issue whose message is the kubelet's whole line, `providers.name: Invalid value: "a b": …`. */
export function complaint(field: string, text: string): ConfigIssue {
  return { field, message: `${field}: ${text}` };
}

/** A missing field: up to 1.33 the text repeats its name, from 1.34 on it ends after `Required value`. */
export function required(field: string, minor: string): ConfigIssue {
  const name = field.slice(field.lastIndexOf(".") + 1);
  return complaint(
    field,
    isAtLeast(minor, "1.34") ? "Required value" : `Required value: ${name} is required`,
  );
}
