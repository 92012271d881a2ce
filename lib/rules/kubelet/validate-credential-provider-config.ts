import { isRecord } from "../../model/record";
import { type ConfigIssue, complaint, decodeProblem, required } from "./decode-credential-provider-config";
import { featureGateOn, isAtLeast, knownMinor } from "./feature-gates";
import { quoted, textOf, toBytes, textsOf, compareBytes, goLower, goJsonString } from "./go-text";
import { type ObjectKind, boolean, checkGiven, object, optional, record, text } from "../../model/shape";
import { formatGoDuration, parseGoDuration } from "./go-duration";
import { parseSchemelessUrl } from "./go-url";
import { qualifiedNameProblems } from "./qualified-name";

const GATE = "KubeletServiceAccountTokenForCredentialProviders";

/** Version and feature gates of the kubelet that reads the file. */
export interface ValidateCredentialProviderConfigOptions {
  /** Kubelet minor, `1.34`; a patch level is accepted and ignored. */
  readonly kubelet: string;
  /**
   * The kubelet's feature gates; only `KubeletServiceAccountTokenForCredentialProviders`, `AllAlpha` and
   * `AllBeta` matter here.
   *
   * @defaultValue - the defaults of that minor: off in 1.33, on from 1.34 on
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
}

const VALIDATE_CREDENTIAL_PROVIDER_CONFIG_OPTIONS: ObjectKind<ValidateCredentialProviderConfigOptions> =
  object({
    kubelet: text,
    featureGates: optional(record(boolean)),
  });

/**
 * The complaints of a kubelet of that minor about a CredentialProviderConfig when it starts; empty if the file does not
 * keep it from starting. `document` is parsed JSON or YAML.
 *
 * The stages follow each other as in the kubelet: decoding, merging (from 1.34 on), validation. A stage runs only if
 * the one before found nothing. The messages are the kubelet's own texts, without duplicates, as in the kubelet.
 *
 * Never throws on the document. Source: kubernetes:pkg/credentialprovider/plugin/config.go and plugin.go of 1.31 to
 * 1.36.
 */
export function validateCredentialProviderConfig(
  document: unknown,
  options: ValidateCredentialProviderConfigOptions,
): readonly ConfigIssue[] {
  checkGiven(
    "validateCredentialProviderConfig()",
    VALIDATE_CREDENTIAL_PROVIDER_CONFIG_OPTIONS,
    options,
    "options",
  );
  // Callers without types may omit the options, which then state no version.
  const { kubelet, featureGates } = options ?? { kubelet: "" };
  const minor = knownMinor("the kubelet", kubelet);
  try {
    return problemsOf(document, minor, featureGates);
  } catch {
    // No parsed document has a property that throws, so the value is something else.
    return [{ field: "", message: "the given value cannot be read as a parsed document" }];
  }
}

function problemsOf(
  document: unknown,
  minor: string,
  featureGates: Readonly<Record<string, boolean>> = {},
): readonly ConfigIssue[] {
  const undecodable = decodeProblem(document, minor);
  if (undecodable) return [undecodable];
  const providers = providersOf(document);
  const repeated = firstRepeated(providers.map((provider) => textOf(provider["name"])));
  if (repeated !== undefined && isAtLeast(minor, "1.34"))
    return [mergeProblem(`duplicate provider name ${quoted(repeated)} found in configuration file(s)`)];
  const tokensEnabled = featureGateOn(GATE, minor, featureGates);
  const problems = distinct(ruleProblems(providers, { minor, tokensEnabled }));
  // Kubelets up to 1.32 detect this last, when they register the providers.
  return problems.length === 0 && repeated !== undefined
    ? [mergeProblem(`Credential provider ${quoted(repeated)} was registered twice`)]
    : problems;
}

function providersOf(document: unknown): readonly Readonly<Record<string, unknown>>[] {
  const list = isRecord(document) ? document["providers"] : undefined;
  return Array.isArray(list) ? list.map((provider) => (isRecord(provider) ? provider : {})) : [];
}

function firstRepeated(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

function mergeProblem(message: string): ConfigIssue {
  return { field: "providers.name", message };
}

function ruleProblems(
  providers: readonly Readonly<Record<string, unknown>>[],
  context: RuleContext,
): readonly ConfigIssue[] {
  if (providers.length === 0)
    return [complaint("providers", "Required value: at least 1 item in plugins is required")];
  const seen = new Set<string>();
  return providers.flatMap((provider) => {
    const name = textOf(provider["name"]);
    const repeated = seen.has(name) && isAtLeast(context.minor, "1.33");
    seen.add(name);
    return [
      ...nameRule(provider, context),
      ...(repeated ? [complaint("providers.name", `Duplicate value: ${quoted(name)}`)] : []),
      ...RULES.flatMap((rule) => rule(provider, context)),
    ];
  });
}

function distinct(issues: readonly ConfigIssue[]): readonly ConfigIssue[] {
  return [...new Map(issues.map((issue) => [issue.message, issue])).values()];
}

/*
 * The kubelet's validation of one provider entry, rule by rule in its order
 * (kubernetes:pkg/credentialprovider/plugin/config.go, `validateCredentialProviderConfig`, 1.31 to 1.36).
 */

/** What the rules need to know apart from the entry. */
export interface RuleContext {
  readonly minor: string;
  readonly tokensEnabled: boolean;
}

/** One rule: takes a decoded provider entry, returns the kubelet's complaints. */
export type ProviderRule = (
  provider: Readonly<Record<string, unknown>>,
  context: RuleContext,
) => readonly ConfigIssue[];

/** The only plugin protocol that supports service account tokens. */
export const TOKEN_PROTOCOL = "credentialprovider.kubelet.k8s.io/v1";

const PROTOCOLS: readonly string[] = [TOKEN_PROTOCOL, `${TOKEN_PROTOCOL}alpha1`, `${TOKEN_PROTOCOL}beta1`];

const NAME_RULES: readonly (readonly [refused: (name: string) => boolean, text: string])[] = [
  [(name) => name.includes("/"), "provider name cannot contain '/'"],
  [(name) => name.includes(" "), "provider name cannot contain spaces"],
  [(name) => name === ".", "provider name cannot be '.'"],
  [(name) => name === "..", "provider name cannot be '..'"],
];

/** Accepts an empty name, as the kubelet does. */
export const nameRule: ProviderRule = (provider) => {
  const name = textOf(provider["name"]);
  return NAME_RULES.filter(([refused]) => refused(name)).map(([, text]) =>
    complaint("providers.name", `Invalid value: ${quoted(name)}: ${text}`),
  );
};

/** The plugin protocol, independent of the version of the file. */
export const protocolRule: ProviderRule = (provider, context) => {
  const version = textOf(provider["apiVersion"]);
  const field = "providers.apiVersion";
  if (version === "") return [required(field, context.minor)];
  if (PROTOCOLS.includes(version)) return [];
  const known = PROTOCOLS.map(quoted).join(", ");
  return [complaint(field, `Unsupported value: ${quoted(version)}: supported values: ${known}`)];
};

/** Each entry must parse as `https://<entry>`; whether it can ever match is not checked. */
export const matchImagesRule: ProviderRule = (provider, { minor }) => {
  const field = "providers.matchImages";
  const images = textsOf(provider["matchImages"]);
  if (images.length === 0)
    return [complaint(field, "Required value: at least 1 item in matchImages is required")];
  const strictColons = isAtLeast(minor, "1.36");
  return images.flatMap((image) => {
    const url = parseSchemelessUrl(toBytes(image), { strictColons });
    const text = "error" in url ? `match image is invalid: ${url.error}` : undefined;
    return text ? [complaint(field, `Invalid value: ${quoted(image)}: ${text}`)] : [];
  });
};

/** Required, Go syntax, not negative; 0 is allowed. */
export const durationRule: ProviderRule = (provider, context) => {
  const field = "providers.defaultCacheDuration";
  const { nanoseconds } = parseGoDuration(textOf(provider["defaultCacheDuration"]));
  if (nanoseconds === undefined) return [required(field, context.minor)];
  if (nanoseconds >= 0n) return [];
  const value = formatGoDuration(nanoseconds);
  const text = "must be greater than or equal to 0";
  const line = isAtLeast(context.minor, "1.34")
    ? `"${value}": ${text}`
    : `${value}: defaultCacheDuration ${text}`;
  return [complaint(field, `Invalid value: ${line}`)];
};

const FIELD = "providers.tokenAttributes";
const CACHE_TYPES: readonly string[] = ["ServiceAccount", "Token"];
const GATE_OFF =
  "Forbidden: tokenAttributes is not supported when KubeletServiceAccountTokenForCredentialProviders feature gate is disabled";

/** The block that opts a provider in to service account tokens; complaints are in the kubelet's order. */
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

/** Checks the format of the keys in lower case, but their equality as written. */
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

const RULES: readonly ProviderRule[] = [protocolRule, matchImagesRule, durationRule, tokenAttributesRule];
