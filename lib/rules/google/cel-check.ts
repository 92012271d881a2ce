import { isExtractTemplate } from "./cel-extract";
import { type CelKind, resultKind } from "./cel-kinds";
import type { CelTree } from "./cel-library";
import { type CelVariables, UNKNOWN_CLAIM, claimOf, isClaims } from "./cel-variables";

/** Kinds of the variables that a comprehension brings. */
type Scope = ReadonlyMap<string, CelKind>;

type Node = CelTree["exprKind"];
type Of<Case extends Node["case"]> = Extract<Node, { readonly case: Case }>["value"];

/** Says of an expression whether it is evaluated here, before it is. */
export class CelCheck {
  /** Why it is not; empty where it is. */
  refusal = "";
  /**
   * True where an error of the evaluation need not be one of Google's: an unknown claim is read, or a regular
   * expression may be one that only the evaluator refuses.
   */
  doubtful = false;
  /** Kind of the whole expression; `undefined` where it is refused. */
  readonly kind: CelKind | undefined;
  readonly #variables: CelVariables;

  constructor(tree: CelTree, variables: CelVariables) {
    this.#variables = variables;
    this.kind = this.#kind(tree, new Map());
  }

  #kind(tree: CelTree, scope: Scope): CelKind | undefined {
    const path = this.#path(tree, scope);
    if (path !== undefined) return this.#kindOfPath(path);
    const node = tree.exprKind;
    switch (node.case) {
      case "constExpr":
        return this.#constant(node.value);
      case "identExpr":
        return scope.get(node.value.name) ?? this.#refuse(`${node.value.name} is not known here`);
      case "listExpr":
        return this.#list(node.value, scope);
      case "callExpr":
        return this.#call(node.value, scope);
      case "comprehensionExpr":
        return this.#comprehension(node.value, scope);
      case "selectExpr":
        return node.value.testOnly ? this.#presence(node.value, scope) : this.#refuse("a field of a value");
      default:
        return this.#refuse("an object is built");
    }
  }

  /** `["assertion", "kubernetes.io", "namespace"]` for a claim, however it is written. */
  #path(tree: CelTree | undefined, scope: Scope): readonly string[] | undefined {
    const node = tree?.exprKind;
    if (node?.case === "identExpr")
      return Object.hasOwn(this.#variables, node.value.name) && !scope.has(node.value.name)
        ? [node.value.name]
        : undefined;
    if (node?.case === "selectExpr" && !node.value.testOnly)
      return step(this.#path(node.value.operand, scope), node.value.field);
    if (node?.case !== "callExpr" || node.value.function !== "_[_]") return undefined;
    const [operand, index] = node.value.args;
    return step(this.#path(operand, scope), textOf(index));
  }

  #kindOfPath(path: readonly string[]): CelKind | undefined {
    const value = this.#claim(path);
    if (typeof value === "string") return "string";
    if (typeof value === "boolean") return "bool";
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return "list";
    if (value === undefined || value === UNKNOWN_CLAIM) return "error";
    return this.#refuse(`${path.join(".")} is neither text nor a list of texts`);
  }

  #claim(path: readonly string[]): unknown {
    let value: unknown = this.#variables;
    for (const name of path) {
      value = isClaims(value) ? claimOf(value, name) : undefined;
      this.doubtful ||= value === UNKNOWN_CLAIM;
      if (value === UNKNOWN_CLAIM) return value;
    }
    return value;
  }

  #presence({ operand, field }: Of<"selectExpr">, scope: Scope): CelKind | undefined {
    const path = step(this.#path(operand, scope), field);
    if (path === undefined) return this.#refuse("has() of a value");
    return this.#claim(path) === UNKNOWN_CLAIM
      ? this.#refuse(`${path.join(".")} is known only from the token`)
      : "bool";
  }

  #constant({ constantKind }: Of<"constExpr">): CelKind | undefined {
    if (constantKind.case === "stringValue") return "string";
    if (constantKind.case === "int64Value") return "int";
    return constantKind.case === "boolValue" ? "bool" : this.#refuse("a literal of another kind");
  }

  #list({ elements }: Of<"listExpr">, scope: Scope): CelKind | undefined {
    const kinds = elements.map((element) => this.#kind(element, scope));
    if (kinds.includes(undefined)) return undefined;
    return kinds.every((kind) => kind === "string" || kind === "error")
      ? "list"
      : this.#refuse("a list of other than texts");
  }

  #call({ function: name, target, args }: Of<"callExpr">, scope: Scope): CelKind | undefined {
    const operands = target === undefined ? args : [target, ...args];
    const kinds = operands.map((operand) => this.#kind(operand, scope)).filter((kind) => kind !== undefined);
    if (kinds.length < operands.length) return undefined;
    const written = target === undefined ? name : `.${name}`;
    if (written === ".matches") this.doubtful = true;
    if (written === ".extract" && !isExtractTemplate(textOf(args[0]) ?? "{}"))
      return this.#refuse("extract() with a template that is not read here");
    if (written === ".split" && (textOf(args[0]) ?? "") === "")
      return this.#refuse("split() by other than a literal separator");
    if (written === "_+_" && operands.every((operand) => this.#isUntyped(operand, scope)))
      return this.#refuse("two claims are joined, whose kinds are not known when it is created");
    return (
      resultKind(written, kinds, scope.size > 0) ??
      this.#refuse(`${name} of ${kinds.join(" and ") || "nothing"}`)
    );
  }

  /** True where only the token tells the kind; cel-go takes the sum of two such values for bytes. */
  #isUntyped(tree: CelTree, scope: Scope): boolean {
    if (this.#path(tree, scope) !== undefined) return true;
    const node = tree.exprKind;
    if (node.case !== "callExpr") return false;
    const { function: name, args } = node.value;
    const [first, ...others] = args;
    if (name === "_[_]" && first !== undefined) return this.#isUntyped(first, scope);
    return name === "_?_:_" && others.every((branch) => this.#isUntyped(branch, scope));
  }

  #comprehension(node: Of<"comprehensionExpr">, scope: Scope): CelKind | undefined {
    const { iterRange, accuInit, loopCondition, loopStep, result } = node;
    if (
      scope.size > 0 ||
      node.iterVar2 !== "" ||
      !iterRange ||
      !accuInit ||
      !loopCondition ||
      !loopStep ||
      !result
    )
      return this.#refuse("a comprehension in another one");
    const range = this.#kind(iterRange, scope);
    const start = this.#kind(accuInit, scope);
    if (range === undefined || start === undefined) return undefined;
    if (range !== "list" && range !== "error") return this.#refuse("a comprehension over other than a list");
    const inside = new Map<string, CelKind>([
      [node.iterVar, "string"],
      [node.accuVar, start],
    ]);
    const step = this.#kind(loopStep, inside);
    const condition = this.#kind(loopCondition, inside);
    const end = this.#kind(result, inside);
    if (step === undefined || condition === undefined) return undefined;
    return step === start || step === "error" ? end : this.#refuse("a comprehension of another kind");
  }

  #refuse(reason: string): undefined {
    this.refusal ||= reason;
  }
}

function step(path: readonly string[] | undefined, name: string | undefined): readonly string[] | undefined {
  return path === undefined || name === undefined ? undefined : [...path, name];
}

/** The text of a string literal. */
function textOf(tree: CelTree | undefined): string | undefined {
  const node = tree?.exprKind;
  if (node?.case !== "constExpr" || node.value.constantKind.case !== "stringValue") return undefined;
  return node.value.constantKind.value;
}
