import { isRecord } from "../../model/record";
import { complaint, type ConfigIssue, required } from "./config-issue";
import { type ProviderRule, type RuleContext, TOKEN_PROTOCOL } from "./credential-provider-rules";
import { isAtLeast } from "./feature-gates";
import { compareBytes, goLower, quoted } from "./go-text";
import { goJsonString, textOf, textsOf } from "./json-value";
import { qualifiedNameProblems } from "./qualified-name";

const FIELD = "providers.tokenAttributes";
const CACHE_TYPES: readonly string[] = ["ServiceAccount", "Token"];
const GATE_OFF =
  "Forbidden: tokenAttributes is not supported when KubeletServiceAccountTokenForCredentialProviders feature gate is disabled";

/** The block that opts a provider in to service account tokens; the kubelet's order of complaints. */
export const tokenAttributesRule: ProviderRule = (provider, context) => {
  const attributes = provider["tokenAttributes"];
  if (!isRecord(attributes) || !isAtLeast(context.minor, "1.33")) return [];
  const protocol = textOf(provider["apiVersion"]);
  const wrongProtocol = `Forbidden: tokenAttributes is only supported for ${TOKEN_PROTOCOL} API version`;
  return [
    ...(context.tokensEnabled ? [] : [complaint(FIELD, GATE_OFF)]),
    ...(textOf(attributes["serviceAccountTokenAudience"]) === ""
      ? [required(`${FIELD}.serviceAccountTokenAudience`, context.minor)]
      : []),
    ...(typeof attributes["requireServiceAccount"] === "boolean"
      ? []
      : [required(`${FIELD}.requireServiceAccount`, context.minor)]),
    ...(protocol === TOKEN_PROTOCOL ? [] : [complaint(FIELD, wrongProtocol)]),
    ...annotationKeyProblems(attributes, context),
    ...cacheTypeProblems(attributes, context),
  ];
};

function annotationKeyProblems(
  attributes: Readonly<Record<string, unknown>>,
  { minor }: RuleContext,
): readonly ConfigIssue[] {
  const [requiredField, optionalField] = [
    "requiredServiceAccountAnnotationKeys",
    "optionalServiceAccountAnnotationKeys",
  ];
  const requiredKeys = textsOf(attributes[requiredField]);
  const optionalKeys = textsOf(attributes[optionalField]);
  const forbidden = attributes["requireServiceAccount"] === false && requiredKeys.length > 0;
  const text = `requireServiceAccount cannot be false when ${requiredField} is set`;
  return [
    ...(forbidden ? [complaint(`${FIELD}.${requiredField}`, `Forbidden: ${text}`)] : []),
    ...keyListProblems(`${FIELD}.${requiredField}`, requiredKeys, minor),
    ...keyListProblems(`${FIELD}.${optionalField}`, optionalKeys, minor),
    ...overlapProblems(requiredKeys, optionalKeys, minor),
  ];
}

/** The format is checked in lower case, equality is not. */
function keyListProblems(field: string, keys: readonly string[], minor: string): readonly ConfigIssue[] {
  const seen = new Set<string>();
  return keys.flatMap((key) => {
    const malformed = qualifiedNameProblems(goLower(key), minor).map((problem) =>
      complaint(field, `Invalid value: ${quoted(key)}: ${problem}`),
    );
    const repeated = seen.has(key);
    seen.add(key);
    return repeated ? [...malformed, complaint(field, `Duplicate value: ${quoted(key)}`)] : malformed;
  });
}

function overlapProblems(
  requiredKeys: readonly string[],
  optionalKeys: readonly string[],
  minor: string,
): readonly ConfigIssue[] {
  const optional = new Set(optionalKeys);
  const both = [...new Set(requiredKeys)].filter((key) => optional.has(key)).sort(compareBytes);
  if (both.length === 0) return [];
  // Go syntax up to 1.33, JSON from 1.34 on.
  const list = isAtLeast(minor, "1.34")
    ? `[${both.map(goJsonString).join(",")}]`
    : `[]string{${both.map(quoted).join(", ")}}`;
  return [complaint(FIELD, `Invalid value: ${list}: annotation keys cannot be both required and optional`)];
}

function cacheTypeProblems(
  attributes: Readonly<Record<string, unknown>>,
  { minor }: RuleContext,
): readonly ConfigIssue[] {
  if (!isAtLeast(minor, "1.34")) return [];
  const field = `${FIELD}.cacheType`;
  const cacheType = textOf(attributes["cacheType"]);
  if (CACHE_TYPES.includes(cacheType)) return [];
  const known = CACHE_TYPES.map(quoted).join(", ");
  const text =
    cacheType === ""
      ? "Required value: cacheType is required to be set when tokenAttributes is specified. " +
        `Supported values are: ${CACHE_TYPES.join(", ")}`
      : `Unsupported value: ${goJsonString(cacheType)}: supported values: ${known}`;
  return [complaint(field, text)];
}
