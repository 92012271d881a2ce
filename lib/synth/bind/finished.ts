/*
 * Checks of a text whose placeholders are filled: a value is put in as it is, so that quotes or line breaks in it
 * would change a JSON or YAML file for good, and first be noticed by the program on the node.
 */

import type { FinishedRule, FinishedRuleName } from "../../artefact/finished-rule";
import { placeholderPieces, placeholdersIn } from "../../artefact/placeholder";
import type { WorkloadIdentityError } from "../../errors";
import { parsedYaml } from "../../model/parsed-yaml";
import { certificateAuthorityIssues, proxyIssues, serverIssues } from "../../rules/fleet/endpoint";
import { knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../rules/kubelet/validate-credential-provider-config";
import { refuseBrokenText, refuseValue } from "./problems";

/** A text before and after its placeholders were filled. */
interface FinishedText {
  /** With placeholders. */
  readonly template: string;
  /** Without. */
  readonly text: string;
  /** Fills one more text with the same values. */
  readonly fill: (template: string) => string;
  /** Where it stands, for errors. */
  readonly where: string;
  /** The clusters of the stack as recorded; the kubelet's version decides the rules. */
  readonly clusters: readonly Readonly<Record<string, unknown>>[];
}

const KIND = "CredentialProviderConfig";
/** A separate document: user data holds one as well, indented, among documents of other programs. */
const OWN_KIND = /^["']?kind["']?\s*:\s*["']?CredentialProviderConfig/m;
const JSON_START = /^\s*[[{]/;

/**
 * Refuses JSON that no longer reads as the template with its values, and a CredentialProviderConfig with which a kubelet
 * of the stack's clusters would not start.
 */
export function assertFinished(finished: FinishedText): void {
  if (JSON_START.test(finished.template)) assertJson(finished);
  const { text } = finished;
  if (text.includes(KIND) && (JSON_START.test(text) || OWN_KIND.test(text))) assertConfig(finished);
}

function assertJson({ template, text, fill, where }: FinishedText): void {
  // Where a placeholder stands for a whole value the template is no JSON before, and its value may be of any kind.
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
  // YAML 1.1, as the kubelet reads it.
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
 * Refuses a filled text that breaks its rule. The text may hold what must not be shown, so that the refusal names its
 * placeholders instead. `fill` gets the text and where it stands.
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
