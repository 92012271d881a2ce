/*
 * The Go types that the kubelet decodes a CredentialProviderConfig into (kubernetes/kubelet:config/v1,
 * config/v1beta1, config/v1alpha1), as data.
 */

import { isAtLeast } from "./feature-gates";

/** What a JSON value must be to fit a Go type. */
export type Shape =
  | { readonly kind: "string" | "boolean"; readonly goType: string }
  | { readonly kind: "duration"; readonly goType: "string" }
  | { readonly kind: "list"; readonly goType: string; readonly of: Shape }
  | StructShape;

/** A Go struct: its name as error texts show it, and its JSON fields. */
export interface StructShape {
  /** Discriminates the shapes. */
  readonly kind: "struct";
  /** With the package, `v1.CredentialProvider`. */
  readonly goType: string;
  /** Without the package; the prefix of a field in error texts. */
  readonly name: string;
  /** By JSON name; case-sensitive. */
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

/** The type of a `kubelet.config.k8s.io` version in a known kubelet minor; `undefined` where it is not registered. */
export function credentialProviderConfigShape(apiVersion: string, minor: string): StructShape | undefined {
  const version = VERSIONS.find((candidate) => apiVersion === `${GROUP}/${candidate}`);
  return version === undefined ? undefined : configShape(version, minor);
}

const PLUGIN_KINDS: readonly string[] = ["CredentialProviderRequest", "CredentialProviderResponse"];
const PULL_RECORD_KINDS: readonly string[] = ["ImagePullIntent", "ImagePulledRecord"];

/** Kinds that Kubernetes' decoders take in every group and version. */
const UNVERSIONED_KINDS: readonly string[] = [
  "APIGroup",
  "APIGroupList",
  "APIResourceList",
  "APIVersions",
  "Status",
];

/** Other kinds that the kubelet's decoder knows: it decodes them first and refuses the kind afterwards. */
const OTHER_KINDS: readonly (readonly [apiVersion: string, since: string, kinds: readonly string[]])[] = [
  [`${GROUP}/v1alpha1`, "1.33", PULL_RECORD_KINDS],
  [`${GROUP}/v1beta1`, "1.35", PULL_RECORD_KINDS],
  [`${GROUP}/v1beta1`, "1.31", ["KubeletConfiguration", "SerializedNodeConfigSource"]],
  ...VERSIONS.map((version) => [`${PROTOCOL_GROUP}/${version}`, "1.31", PLUGIN_KINDS] as const),
];

/** True for a kind that the decoder of a known kubelet minor knows besides CredentialProviderConfig. */
export function isOtherKnownKind(apiVersion: string, kind: string, minor: string): boolean {
  const isRegistered = OTHER_KINDS.some(
    ([group, since, kinds]) => group === apiVersion && isAtLeast(minor, since) && kinds.includes(kind),
  );
  return isRegistered || UNVERSIONED_KINDS.includes(kind);
}
