import { isRecord } from "../../model/record";
import { complaint, type ConfigIssue } from "./config-issue";
import {
  durationRule,
  matchImagesRule,
  nameRule,
  protocolRule,
  type ProviderRule,
  type RuleContext,
} from "./credential-provider-rules";
import { decodeProblem } from "./decode-credential-provider-config";
import { featureGateOn, isAtLeast, knownMinor } from "./feature-gates";
import { quoted } from "./go-text";
import { textOf } from "./json-value";
import { tokenAttributesRule } from "./token-attributes-rule";
import { type ObjectKind, boolean, checkGiven, object, optional, record, text } from "../../model/shape";

const GATE = "KubeletServiceAccountTokenForCredentialProviders";

/** Which kubelet reads the file. */
export interface ValidateCredentialProviderConfigOptions {
  /** Kubelet minor, `1.34`; a patch level is accepted and ignored. */
  readonly kubelet: string;
  /**
   * The kubelet's feature gates; only `KubeletServiceAccountTokenForCredentialProviders`, `AllAlpha` and
   * `AllBeta` count here.
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
 * What a kubelet of that minor says to a CredentialProviderConfig at start; empty when it would start, as far as the
 * file decides. `document` is parsed JSON or YAML.
 *
 * The stages follow each other as in the kubelet: decoding, merging (from 1.34 on), validation. Each reports only
 * when the one before is content. The messages are the kubelet's own texts; equal ones are given once, as it does.
 *
 * Never throws on the document. Throws `version-invalid`, or `version-unknown` for a minor whose rules are not known.
 * Source: kubernetes:pkg/credentialprovider/plugin/config.go and plugin.go of 1.31 to 1.36.
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
  const { kubelet, featureGates } = asked(options);
  const minor = knownMinor("the kubelet", kubelet);
  try {
    return problemsOf(document, minor, featureGates);
  } catch {
    // No parsed document has a property that throws; what was handed over is something else.
    return [{ field: "", message: "what is given cannot be read as a parsed document" }];
  }
}

/** A caller without types may leave them out, which says no version. */
function asked(options: ValidateCredentialProviderConfigOptions): ValidateCredentialProviderConfigOptions {
  return options ?? { kubelet: "" };
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
  const found = distinct(ruleProblems(providers, { minor, tokensEnabled }));
  // Up to 1.32 the kubelet finds this out last, when it registers the providers.
  return found.length === 0 && repeated !== undefined
    ? [mergeProblem(`Credential provider ${quoted(repeated)} was registered twice`)]
    : found;
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

const RULES: readonly ProviderRule[] = [protocolRule, matchImagesRule, durationRule, tokenAttributesRule];

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
