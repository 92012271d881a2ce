import type { FinishedRule } from "../artefact/finished-rule";
import { PLACEHOLDER_START, placeholder } from "../artefact/placeholder";
import type { EncodedPlaceholder, OutputPlaceholder } from "../artefact/workload-identity-file";
import { fail } from "../errors";
import { LateEncoding, LateText, encodeNow, isLate } from "../model/late";
import { stableHash } from "../rules/names";
import { refuseAfterSynth, refuseLateKind } from "./problems";
import type { IResolver, ResolutionContext } from "cdk8s";
import {
  App,
  DefaultTokenResolver,
  type IResolvable,
  StringConcat,
  TerraformOutput,
  TerraformStack,
  Token,
  Tokenization,
} from "cdktf";
import type { Construct } from "constructs";
import { createHash } from "node:crypto";

const RESOLVER = new DefaultTokenResolver(new StringConcat());

// How cdktf writes a late text inside text (cdktf, lib/tokens/private/encoding.ts). Odd pieces of a split are late.
const LATE_TEXT = /(\$\{TfToken\[[\w:.-]+\]\})/;

// How cdktf's late numbers print: the doubles from 0xfdff0000… to 0xfdffffff… (same file, createTokenDouble).
const LATE_NUMBER_TEXT = /-8\.[123]\d*e\+298/;

/** A single reference without other text. */
const REFERENCE = /^\$\{([A-Za-z_][\w-]*(?:\.[\w-]+|\[\d+\])+)\}$/;

/** The first reference inside an expression; only to give an output a readable name. */
const FIRST_REFERENCE = /(?<![\w-])[A-Za-z_][\w-]*(?:\.[\w-]+)+/;

/** Names that Terraform defines only inside a block. */
const BLOCK_SCOPES: readonly string[] = ["count", "each", "self"];

const OUTPUT_DESCRIPTION = "Fills a placeholder in the Kubernetes manifests.";
const TEMPLATE_HASH_CHARACTERS = 16;

/**
 * The late values of one stack, each with a placeholder and a Terraform output.
 *
 * A value has one placeholder and one output, however often it is used and however many tokens cdktf made for it. The
 * outputs are not marked sensitive, so Terraform refuses to plan a sensitive value: a manifest cannot keep a secret.
 */
export class LateValues {
  readonly #scope: Construct;
  readonly #stack: TerraformStack;
  /** Placeholder or literal for each late text of cdktf. */
  readonly #known = new Map<string, string>();
  readonly #outputs = new Map<string, OutputPlaceholder>();
  /** What each output holds, by the output's name. */
  readonly #expressions = new Map<string, string>();
  readonly #encoded = new Map<string, EncodedPlaceholder>();
  readonly #rules: FinishedRule[] = [];
  readonly #withOutputs: boolean;
  #sealed: boolean;

  /**
   * Outputs become children of the scope. With `withOutputs` false no outputs are made: the values serve only as
   * expressions for resources of the scope's stack.
   */
  constructor(scope: Construct, withOutputs: boolean = true) {
    this.#scope = scope;
    this.#withOutputs = withOutputs;
    this.#stack = TerraformStack.of(scope);
    this.#sealed = isWritten(this.#stack);
  }

  /** Refuses new late values from now on, because the stack's files are written. */
  seal(): void {
    this.#sealed = true;
  }

  /** Accepts new late values again, because the stack's files will be written once more. */
  unseal(): void {
    this.#sealed = false;
  }

  /** Adds a rule for a late text: `bind` refuses a value that breaks it, before it writes anything. */
  requireFinished(rule: FinishedRule): void {
    this.#rules.push(rule);
  }

  /** The rules in the order in which they were added, each text with its placeholders. */
  get rules(): readonly FinishedRule[] {
    return this.#rules.map((rule) => ({ ...rule, text: this.text(rule.text, () => rule.of) }));
  }

  /** What fills each placeholder, sorted by placeholder. */
  get placeholders(): Readonly<Record<string, OutputPlaceholder | EncodedPlaceholder>> {
    const all = [...this.#outputs, ...this.#encoded].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(all);
  }

  fillingOf(placeholder: string): OutputPlaceholder | EncodedPlaceholder {
    const filling = this.#outputs.get(placeholder) ?? this.#encoded.get(placeholder);
    return filling ?? refuseAfterSynth("a placeholder", placeholder);
  }

  /**
   * Returns the text with each late value replaced by its placeholder.
   *
   * `where` names the property in errors.
   */
  text(value: string | LateEncoding | LateText, where: () => string): string {
    if (value instanceof LateEncoding) return this.encoding(value, where);
    if (value instanceof LateText) return value.parts.map((part) => this.text(part, where)).join("");
    if (!mayBeLate(value)) return value;
    return value
      .split(LATE_TEXT)
      .map((piece, place) => (place % 2 === 1 ? this.late(piece, where) : literalPiece(piece, where)))
      .join("");
  }

  private encoding({ encoding, text }: LateEncoding, where: () => string): string {
    const template = this.text(text, where);
    if (!template.includes(PLACEHOLDER_START)) return encodeNow(encoding, template);
    // The template has references instead of cdktf's tokens, so it is the same text in every run.
    const hash = createHash("sha256").update(template).digest("hex").slice(0, TEMPLATE_HASH_CHARACTERS);
    const name = placeholder(`${encoding}.${hash}`);
    if (this.#sealed && !this.#encoded.has(name)) return refuseAfterSynth(where(), name);
    this.#encoded.set(name, { encoding, text: template });
    return name;
  }

  private late(token: string, where: () => string): string {
    const known = this.#known.get(token);
    if (known !== undefined) return known;
    // `preparing` makes cdktf declare what a value of another stack needs: its output there, remote state here.
    const resolved: unknown = Tokenization.resolve(token, {
      scope: this.#scope,
      preparing: true,
      resolver: RESOLVER,
    });
    if (typeof resolved !== "string") return refuseLateKind(where(), kindOf(resolved));
    const text = /[$%]\{/.test(resolved)
      ? this.output(token, resolved, where)
      : literalPiece(resolved, where);
    this.#known.set(token, text);
    return text;
  }

  private output(token: string, expression: string, where: () => string): string {
    const reference = REFERENCE.exec(expression)?.[1];
    if (reference !== undefined && BLOCK_SCOPES.includes(reference.split(".")[0] ?? ""))
      return fail("manifest-unsupported", {
        problem: `${where()} refers to a value that exists only inside a Terraform block`,
        value: reference,
        allowed: "attributes of resources and data sources, variables, locals, module outputs",
        remedy: "use an attribute of the resource outside the block",
      });
    const id = this.outputId(reference, expression);
    const name = placeholder(reference ?? `output.${id}`);
    if (!this.#outputs.has(name)) {
      if (this.#sealed) return refuseAfterSynth(where(), expression);
      this.#expressions.set(id, expression);
      this.#outputs.set(name, { output: id, path: this.#outputPath(id, token), expression });
    }
    return name;
  }

  #outputPath(id: string, value: string): readonly string[] {
    if (!this.#withOutputs) return [];
    const output = new TerraformOutput(this.#scope, id, {
      value,
      description: OUTPUT_DESCRIPTION,
      staticId: true,
    });
    return output.node.path.split("/");
  }

  /** For example `azurerm_user_assigned_identity_pulls_client_id`; with a hash if that name would not be unique. */
  private outputId(reference: string | undefined, expression: string): string {
    const readable = reference ?? FIRST_REFERENCE.exec(expression)?.[0] ?? "expression";
    const plain = readable.replace(/[^\w-]+/g, "_").replace(/_$/, "");
    const taken = this.#expressions.get(plain) ?? expression;
    return reference !== undefined && taken === expression ? plain : `${plain}_${stableHash([expression])}`;
  }

  checkOutputNames(): void {
    if (this.#outputs.size === 0) return;
    for (const construct of this.#stack.node.findAll()) {
      if (!TerraformOutput.isTerraformOutput(construct) || construct.node.scope === this.#scope) continue;
      if (TerraformStack.of(construct) === this.#stack && this.#expressions.has(construct.friendlyUniqueId))
        fail("manifest-conflict", {
          problem: `a Terraform output for a late value would replace the output at ${construct.node.path}`,
          value: construct.friendlyUniqueId,
          remedy: "rename the other output",
        });
    }
  }
}

/** Whether cdktf has begun to write the stack, in this synth of the app or an earlier one. */
function isWritten(stack: TerraformStack): boolean {
  const { root } = stack.node;
  return App.isApp(root) && Object.hasOwn(root.manifest.stacks, stack.node.id);
}

/** A fast test that is true for every text with a late value or the start of a placeholder. */
function mayBeLate(text: string): boolean {
  return text.includes("TfToken[") || text.includes(PLACEHOLDER_START) || text.includes("e+298");
}

/** Returns a piece without late text; refuses the start of a placeholder, and late values other than text. */
function literalPiece(piece: string, where: () => string): string {
  if (piece.includes(PLACEHOLDER_START))
    return fail("manifest-invalid", {
      problem: `${where()} contains the text @late(, which marks placeholders for late values`,
      value: piece,
      allowed: "any text without @late(",
      remedy: "change the text; `bind` would take it for a placeholder",
    });
  if (LATE_NUMBER_TEXT.test(piece)) return refuseLateKind(where(), "number");
  return isLate(piece) ? refuseLateKind(where(), "list or map") : piece;
}

function kindOf(resolved: unknown): string {
  if (Array.isArray(resolved)) return "list";
  return typeof resolved === "object" ? "map" : typeof resolved;
}

const MARKER_START = "${TfToken[workload-identity.";

/**
 * Passes late objects through cdk8s as marker texts, so that placeholders can be made from its result.
 *
 * cdk8s passes a replaced value to the resolvers again, twice for metadata, and wraps their errors. Replacing in its
 * result keeps our errors intact and never confuses a literal text with a placeholder.
 */
export class LateMarkers implements IResolver {
  readonly #markers = new Map<LateEncoding | LateText, string>();
  readonly #objects = new Map<string, LateEncoding | LateText>();

  resolve(context: ResolutionContext): void {
    const value: unknown = context.value;
    if (typeof value !== "object" || value === null) return;
    if (isLateObject(value)) context.replaceValue(this.marker(value));
    else if (isLateResolvable(value)) context.replaceValue(Token.asString(value));
  }

  /** Returns the late object that a marker stands for, or the text itself. */
  objectOf(text: string): string | LateEncoding | LateText {
    return text.startsWith(MARKER_START) ? (this.#objects.get(text) ?? text) : text;
  }

  private marker(object: LateEncoding | LateText): string {
    const known = this.#markers.get(object);
    if (known !== undefined) return known;
    const marker = `${MARKER_START}${this.#objects.size}]}`;
    this.#markers.set(object, marker);
    this.#objects.set(marker, object);
    return marker;
  }
}

export function isLateObject(value: unknown): value is LateEncoding | LateText {
  return value instanceof LateEncoding || value instanceof LateText;
}

/** True for a late object of cdktf. Objects of cdk8s have a `resolve` too, but not a `creationStack`. */
export function isLateResolvable(value: object): value is IResolvable {
  return "creationStack" in value && Tokenization.isResolvable(value);
}
