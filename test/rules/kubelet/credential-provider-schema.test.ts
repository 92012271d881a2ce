/*
 * Types and kinds that the kubelet's decoder knows, whole, by minor. Sources: kubernetes/kubelet:config/v1, v1beta1 and
 * v1alpha1 (types.go); kubernetes:pkg/kubelet/apis/config and pkg/credentialprovider (registered kinds); apimachinery
 * (pkg/apis/meta/v1/register.go, unversioned kinds).
 */

import { describe, expect, it } from "vitest";
import {
  type Shape,
  credentialProviderConfigShape,
  isOtherKnownKind,
} from "../../../lib/rules/kubelet/decode-credential-provider-config";
import { knownKubernetesMinors } from "../../../lib/rules/kubelet/feature-gates";

const CONFIG = "kubelet.config.k8s.io";
const PROTOCOL = "credentialprovider.kubelet.k8s.io";

/** Paths of all fields with their Go types. */
function fieldsOf(shape: Shape | undefined, path: string = ""): readonly string[] {
  if (shape === undefined) return [];
  if (shape.kind === "list") return [`${path}: ${shape.goType}`, ...fieldsOf(shape.of, `${path}[]`)];
  if (shape.kind !== "struct") return [`${path}: ${shape.kind} ${shape.goType}`];
  return [
    `${path}: struct ${shape.goType} ${shape.name}`,
    ...Object.entries(shape.fields).flatMap(([name, field]) => fieldsOf(field, `${path}.${name}`)),
  ];
}

const texts = (path: string): readonly string[] => [`${path}: []string`, `${path}[]: string string`];

function expected(version: string, tokens: readonly string[]): readonly string[] {
  const provider = ".providers[]";
  return [
    `: struct ${version}.CredentialProviderConfig CredentialProviderConfig`,
    ".apiVersion: string string",
    ".kind: string string",
    `.providers: []${version}.CredentialProvider`,
    `${provider}: struct ${version}.CredentialProvider CredentialProvider`,
    `${provider}.name: string string`,
    ...texts(`${provider}.matchImages`),
    `${provider}.defaultCacheDuration: duration string`,
    `${provider}.apiVersion: string string`,
    ...texts(`${provider}.args`),
    `${provider}.env: []${version}.ExecEnvVar`,
    `${provider}.env[]: struct ${version}.ExecEnvVar ExecEnvVar`,
    `${provider}.env[].name: string string`,
    `${provider}.env[].value: string string`,
    ...tokens,
  ];
}

const ATTRIBUTES = ".providers[].tokenAttributes";
const TOKENS: readonly string[] = [
  `${ATTRIBUTES}: struct v1.ServiceAccountTokenAttributes ServiceAccountTokenAttributes`,
  `${ATTRIBUTES}.serviceAccountTokenAudience: string string`,
  `${ATTRIBUTES}.requireServiceAccount: boolean bool`,
  ...texts(`${ATTRIBUTES}.requiredServiceAccountAnnotationKeys`),
  ...texts(`${ATTRIBUTES}.optionalServiceAccountAnnotationKeys`),
];
const CACHE_TYPE = `${ATTRIBUTES}.cacheType: string v1.ServiceAccountTokenCacheType`;

describe("the types of a CredentialProviderConfig", () => {
  it.each(knownKubernetesMinors)("%s", (minor) => {
    const tokens = minor < "1.33" ? [] : minor < "1.34" ? TOKENS : [...TOKENS, CACHE_TYPE];
    const fields = (version: string): readonly string[] =>
      fieldsOf(credentialProviderConfigShape(`${CONFIG}/${version}`, minor));
    expect(fields("v1")).toEqual(expected("v1", tokens));
    expect(fields("v1beta1")).toEqual(expected("v1beta1", []));
    expect(fields("v1alpha1")).toEqual(expected("v1alpha1", []));
  });

  it("are of these versions alone", () => {
    for (const apiVersion of [`${CONFIG}/v2`, "v1", `${PROTOCOL}/v1`])
      expect(credentialProviderConfigShape(apiVersion, "1.36")).toBeUndefined();
  });
});

/** The minor from which on a kind is known; `undefined` for never. */
const KINDS: readonly (readonly [apiVersion: string, kind: string, since: string | undefined])[] = [
  ...["APIGroup", "APIGroupList", "APIResourceList", "APIVersions", "Status"].map(
    (kind) => ["any/v9", kind, "1.31"] as const,
  ),
  ...["v1", "v1beta1", "v1alpha1"].flatMap((version) =>
    ["CredentialProviderRequest", "CredentialProviderResponse"].map(
      (kind) => [`${PROTOCOL}/${version}`, kind, "1.31"] as const,
    ),
  ),
  ...["KubeletConfiguration", "SerializedNodeConfigSource"].flatMap(
    (kind) =>
      [
        [`${CONFIG}/v1beta1`, kind, "1.31"],
        [`${CONFIG}/v1`, kind, undefined],
      ] as const,
  ),
  ...["ImagePullIntent", "ImagePulledRecord"].flatMap(
    (kind) =>
      [
        [`${CONFIG}/v1alpha1`, kind, "1.33"],
        [`${CONFIG}/v1beta1`, kind, "1.35"],
        [`${CONFIG}/v1`, kind, undefined],
      ] as const,
  ),
  [`${CONFIG}/v1`, "CredentialProviderConfig", undefined],
  ["v1", "Pod", undefined],
];

it.each(KINDS)("%s %s is another kind that the decoder knows since %s", (apiVersion, kind, since) => {
  const known = knownKubernetesMinors.filter((minor) => isOtherKnownKind(apiVersion, kind, minor));
  expect(known).toEqual(since === undefined ? [] : knownKubernetesMinors.filter((minor) => minor >= since));
});
