import { fail, type WorkloadIdentityError } from "../../errors";
import { encodeNow } from "../../model/late";
import type { Json } from "../../model/parsed";
import { holdsPrivateKey } from "../../model/private-key";
import { missedForm } from "../../rules/late-forms";
import { filledText, mappedTexts } from "./filled-text";
import { PLACEHOLDER_START, placeholderPieces, placeholdersIn } from "../../artefact/placeholder";
import type { TerraformOutputs } from "./outputs";
import type { FinishedRule, FinishedRuleName } from "../../artefact/finished-rule";
import type { OutputPlaceholder, WorkloadIdentityFile } from "../../artefact/workload-identity-file";
import {
  refuseGrowth,
  refuseMissingOutput,
  refusePlaceholder,
  refuseValue,
  refuseBrokenText,
} from "./problems";
import { parsedYaml, yamlProblem } from "../../model/parsed-yaml";
import { certificateAuthorityIssues, proxyIssues, serverIssues } from "../../rules/fleet/endpoint";
import { knownKubernetesMinors } from "../../rules/kubelet/feature-gates";
import { validateCredentialProviderConfig } from "../../rules/kubelet/validate-credential-provider-config";

/** The first line of a file with placeholders; `bind` removes it. */
export const UNBOUND_COMMENT =
  "# Holds values that Terraform knows only after apply: `cdktf-workload-identity bind` writes the finished file.\n";

export interface BoundFilesInput {
  /** Id of the stack whose outputs fill them. */
  readonly stack: string;
  readonly placeholders: WorkloadIdentityFile["placeholders"];
  /** Facts of the stack's clusters from `workload-identity.json`. */
  readonly clusters: WorkloadIdentityFile["clusters"];
  /** Rules that filled texts must satisfy. */
  readonly rules?: readonly FinishedRule[] | undefined;
  /** Texts of the files, by the name to use in errors. */
  readonly files: ReadonlyMap<string, string>;
  readonly outputs: TerraformOutputs;
  /** The resources of the stack's Terraform configuration, by type and name; without them values are not compared. */
  readonly resources?: Json;
}

/** How long the filled texts may be, all together: more does not fit into memory. */
const CHARACTERS_MAX = 128 * 1024 * 1024;

export class Growth {
  #all = 0;

  add(text: string, where: string): void {
    this.#all += text.length;
    if (this.#all > CHARACTERS_MAX) refuseGrowth(where, CHARACTERS_MAX);
  }

  /** Refuses before the text exists. */
  joined(pieces: readonly string[], where: string): string {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    return length > CHARACTERS_MAX ? refuseGrowth(where, CHARACTERS_MAX) : pieces.join("");
  }
}

/** Returns the files with every placeholder filled, encoded texts encoded last; does not touch the file system. */
export function boundFiles(input: BoundFilesInput, growth: Growth = new Growth()): Map<string, string> {
  const texts = new BoundTexts(input, growth);
  assertRules(input.rules ?? [], (text, where) => texts.filled(text, where));
  return new Map(
    [...input.files].map(([file, text]) => [
      file,
      filledText(withoutUnboundComment(text), file, (scalar, where) => texts.finished(scalar, where)),
    ]),
  );
}

class BoundTexts {
  readonly #input: BoundFilesInput;
  readonly #growth: Growth;
  readonly #encoded = new Map<string, string>();

  constructor(input: BoundFilesInput, growth: Growth) {
    this.#input = input;
    this.#growth = growth;
  }

  /** A template without placeholders; `isInside` for what is encoded afterwards. */
  filled(template: string, where: string, isInside = false): string {
    const pieces = placeholderPieces(template).map((piece, place) => {
      if (place % 2 === 1) return this.#valueOf(piece, where, isInside);
      return piece.includes(PLACEHOLDER_START) ? refusePlaceholder(where, piece) : piece;
    });
    return this.#growth.joined(pieces, where);
  }

  /** A filled template, checked as a whole. */
  finished(template: string, where: string, isInside = false): string {
    const text = this.filled(template, where, isInside);
    if (!isInside) this.#growth.add(text, where);
    const { clusters } = this.#input;
    assertFinished({ template, text, where, clusters, fill: (part) => this.filled(part, where, isInside) });
    return text;
  }

  #valueOf(placeholder: string, where: string, isInside: boolean): string {
    const { placeholders } = this.#input;
    const entry = Object.hasOwn(placeholders, placeholder) ? placeholders[placeholder] : undefined;
    // A template never has an encoded placeholder; one that has was not written by this library and could recurse
    // forever.
    if (entry === undefined || ("encoding" in entry && isInside))
      return refusePlaceholder(where, placeholder);
    if (!("encoding" in entry)) return outputText(this.#input, entry, where);
    const before = this.#encoded.get(placeholder);
    if (before !== undefined) return before;
    const text = encodeNow(entry.encoding, this.finished(entry.text, where, true));
    this.#encoded.set(placeholder, text);
    return text;
  }
}

// Only at the start of a line: inside a node file's content the same words are part of the content.
export function withoutUnboundComment(text: string): string {
  if (text.startsWith(UNBOUND_COMMENT)) return text.slice(UNBOUND_COMMENT.length);
  return text.replace(`\n${UNBOUND_COMMENT}`, "\n");
}

const SENSITIVE = "<sensitive>";

function outputText(
  { outputs, stack, resources }: BoundFilesInput,
  placeholder: OutputPlaceholder,
  where: string,
): string {
  const value = outputs.valueOf(placeholder, stack);
  if (value === undefined) return refuseMissingOutput(where, placeholder.output);
  // An empty id would be one more link that fails silently in the cluster.
  if (typeof value !== "string" || value === "")
    return fail("bind-mismatch", {
      problem: `${where} needs a text, but the Terraform output ${placeholder.output} is ${kindOf(value)}`,
      allowed: "a text that is not empty",
      remedy: "check that the resource has the attribute after apply",
    });
  const seen = outputs.isSensitive(placeholder) ? SENSITIVE : value;
  const form = missedForm(placeholder.expression, value, resources);
  if (form !== undefined)
    return fail("bind-mismatch", {
      problem: `${where} needs the Terraform output ${placeholder.output}, which cannot be the value of ${placeholder.expression.slice(2, -1)}`,
      value: seen,
      allowed: form,
      remedy: "write the outputs again after apply, and do not edit the file",
    });
  // What `bind` writes is kept in repositories. The value is not shown.
  if (holdsPrivateKey(value)) return refuseValue(where, [placeholder.output], "it holds a private key");
  return value.includes(PLACEHOLDER_START)
    ? fail("bind-unsafe", {
        problem: `${where} needs the Terraform output ${placeholder.output}, whose value contains the text of a placeholder`,
        value: seen,
        allowed: "the value after apply, without @late(",
        remedy: "write the outputs of the applied configuration again",
      })
    : value;
}

function kindOf(value: unknown): string {
  if (value === "") return "an empty text";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Where an output is needed (`file: Kind ns/name: path`), and its name. */
type Need = readonly [where: string, output: string];

export function assertOutputs(inputs: readonly BoundFilesInput[]): void {
  const [first, ...others] = inputs.flatMap(missingOutputs);
  if (first) refuseMissingOutput(...first, others);
}

function missingOutputs(input: BoundFilesInput): readonly Need[] {
  const missing = absentOutputs(input);
  if (missing.size === 0) return [];
  const needs = new Map<string, Need>();
  const visit = (text: string, where: string, inside: boolean): void => {
    for (const placeholder of placeholdersIn(text)) {
      const output = missing.get(placeholder);
      if (output !== undefined && !needs.has(output)) needs.set(output, [where, output]);
      const template = inside ? undefined : templateOf(input, placeholder);
      if (template !== undefined) visit(template, where, true);
    }
  };
  for (const [file, text] of input.files) {
    filledText(text, file, (scalar, where) => {
      visit(scalar, where, false);
      // A word that does not need an escape in any format.
      return placeholdersIn(scalar).length > 0 ? "filled" : scalar;
    });
  }
  return [...needs.values()];
}

function absentOutputs({ placeholders, outputs, stack }: BoundFilesInput): ReadonlyMap<string, string> {
  const absent = new Map<string, string>();
  for (const [placeholder, entry] of Object.entries(placeholders)) {
    if ("output" in entry && outputs.valueOf(entry, stack) === undefined)
      absent.set(placeholder, entry.output);
  }
  return absent;
}

function templateOf({ placeholders }: BoundFilesInput, placeholder: string): string | undefined {
  const entry = Object.hasOwn(placeholders, placeholder) ? placeholders[placeholder] : undefined;
  return entry !== undefined && "encoding" in entry ? entry.text : undefined;
}

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
 * kubelet of the stack's clusters would not start. Values are inserted as they are, so a quote or a line break in one
 * would corrupt the file, which only the program on the node would notice.
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
  if (quoted !== undefined && JSON.stringify(value) !== JSON.stringify(mappedTexts(quoted, fill, fill)))
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

function assertConfig({ text, where, clusters }: FinishedText): void {
  // The kubelet reads YAML 1.1.
  const [document] = parsedYaml(text, { version: "1.1" });
  if (document === undefined) return;
  const [error] = document.errors;
  if (error) return refuseBrokenText(where, KIND, `it is not YAML: ${yamlProblem(error)}`);
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
