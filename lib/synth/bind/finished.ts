/*
 * Checks of texts whose placeholders are filled. Values are inserted as they are, so a quote or a line break in one
 * would corrupt a JSON or YAML file, which only the program on the node would notice.
 */

import type { FinishedRule, FinishedRuleName } from "../../artefact/finished-rule";
import { placeholderPieces, placeholdersIn } from "../../artefact/placeholder";
import type { WorkloadIdentityError } from "../../errors";
import { parsedYaml } from "../../model/parsed-yaml";
import { certificateAuthorityIssues, proxyIssues, serverIssues } from "../../rules/fleet/endpoint";
import { knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../rules/kubelet/validate-credential-provider-config";
import { refuseBrokenText, refuseValue } from "./problems";

interface FinishedText {
  readonly template: string;
  readonly text: string;
  /** Fills another text with the same values. */
  readonly fill: (template: string) => string;
  readonly where: string;
  /** The recorded facts of the stack's clusters; the kubelet's version decides which rules apply. */
  readonly clusters: readonly Readonly<Record<string, unknown>>[];
}

const KIND = "CredentialProviderConfig";
/** Only at the start of a line: user data has an indented copy among other programs' documents. */
const OWN_KIND = /^["']?kind["']?\s*:\s*["']?CredentialProviderConfig/m;
const JSON_START = /^\s*[[{]/;

/**
 * Refuses JSON that no longer parses to the template with its values, and a CredentialProviderConfig with which a
 * kubelet of the stack's clusters would not start.
 */
export function assertFinished(finished: FinishedText): void {
  if (JSON_START.test(finished.template)) assertJson(finished);
  const { text } = finished;
  if (text.includes(KIND) && (JSON_START.test(text) || OWN_KIND.test(text))) assertConfig(finished);
}

function assertJson({ template, text, fill, where }: FinishedText): void {
  // If a placeholder is a whole JSON value, the template itself is not JSON, and the value may be of any type.
  const [quoted, bare] = [read(template), read(withNumbers(template))];
  if (bare === undefined) return;
  const value = read(text) ?? refuseBrokenText(where, "JSON", "it cannot be read");
  if (quoted !== undefined && JSON.stringify(value) !== JSON.stringify(filled(quoted, fill)))
    refuseBrokenText(where, "JSON", "a value reaches beyond its quotes");
}

/** The parsed text in a box that is never undefined, or `undefined`. */
function read(text: string): readonly [unknown] | undefined {
  try {
    return [JSON.parse(text)];
  } catch {
    return undefined;
  }
}

function withNumbers(template: string): string {
  return placeholderPieces(template)
    .map((piece, place) => (place % 2 === 1 ? "0" : piece))
    .join("");
}

function filled(value: unknown, fill: (template: string) => string): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((item) => filled(item, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key), filled(item, fill)]));
}

function assertConfig({ text, where, clusters }: FinishedText): void {
  // The kubelet reads YAML 1.1.
  const [document] = parsedYaml(text, { version: "1.1" });
  if (document === undefined) return;
  const [error] = document.errors;
  if (error) return refuseBrokenText(where, KIND, `it is not YAML: ${error.message.split("\n")[0]}`);
  const config: unknown = document.toJS();
  if (typeof config !== "object" || config === null || !("kind" in config) || config.kind !== KIND) return;
  for (const { kubelet, featureGates } of clusters) {
    if (typeof kubelet !== "string" || !knownKubernetesMinors.includes(kubelet)) continue;
    const gates = (featureGates ?? {}) as Readonly<Record<string, boolean>>;
    const [issue] = validateCredentialProviderConfig(config, { kubelet, featureGates: gates });
    if (issue) refuseBrokenText(where, KIND, issue.message);
  }
}

const RULES: Readonly<Record<FinishedRuleName, (text: string) => readonly WorkloadIdentityError[]>> = {
  "certificate-authority": certificateAuthorityIssues,
  proxy: proxyIssues,
  server: serverIssues,
};

/**
 * Refuses a filled text that breaks its rule. The text may hold a secret, so the error names its placeholders instead.
 * `fill` gets the text and its position.
 */
export function assertRules(
  rules: readonly FinishedRule[],
  fill: (text: string, where: string) => string,
): void {
  for (const { of, rule, text } of rules) {
    const [issue] = RULES[rule](fill(text, of));
    if (issue) refuseValue(of, [...new Set(placeholdersIn(text))], issue.problem);
  }
}
