import type { Ternary } from "../../model/known";
import { isExtractTemplate } from "./cel-extract";
import { type CelKind, resultKind } from "./cel-kinds";
import type { CelTree } from "./cel-library";
import { callIn, pathIn, pathOfHas, stringIn } from "./cel-tree";
import { type CelVariables, claimAt, isTold } from "./cel-variables";

/** The comparisons that were decided, by the name of their variable. */
export type Outcomes = ReadonlyMap<string, Ternary | "missing">;

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
  readonly #outcomes: Outcomes;

  constructor(tree: CelTree, variables: CelVariables, outcomes: Outcomes) {
    this.#variables = variables;
    this.#outcomes = outcomes;
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
        return scope.get(node.value.name) ?? this.#decided(node.value.name);
      case "listExpr":
        return this.#list(node.value, scope);
      case "callExpr":
        return this.#call(tree, scope);
      case "comprehensionExpr":
        return this.#comprehension(node.value, scope);
      case "selectExpr":
        return node.value.testOnly ? this.#presence(tree) : this.#refuse("a field of a value");
      default:
        return this.#refuse("an object is built");
    }
  }

  #path(tree: CelTree | undefined, scope: Scope): readonly string[] | undefined {
    const path = pathIn(tree);
    const [root = ""] = path ?? [];
    return Object.hasOwn(this.#variables, root) && !scope.has(root) ? path : undefined;
  }

  #decided(name: string): CelKind | undefined {
    const outcome = this.#outcomes.get(name);
    if (outcome === undefined) return this.#refuse(`${name} is not known here`);
    this.doubtful ||= outcome === "unknown";
    return outcome === "yes" || outcome === "no" ? "bool" : "error";
  }

  #kindOfPath(path: readonly string[]): CelKind | undefined {
    const value = claimAt(this.#variables, path);
    this.doubtful ||= !isTold(value);
    if (typeof value === "string") return "string";
    if (typeof value === "boolean") return "bool";
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return "list";
    if (value === undefined || !isTold(value)) return "error";
    return this.#refuse(`${path.join(".")} is neither text nor a list of texts`);
  }

  #presence(tree: CelTree): CelKind | undefined {
    const path = pathOfHas(tree);
    if (path === undefined || !Object.hasOwn(this.#variables, path[0] ?? ""))
      return this.#refuse("has() of a value");
    return isTold(claimAt(this.#variables, path))
      ? "bool"
      : this.#refuse(`${path.join(".")} is known only from the token`);
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

  #call(tree: CelTree, scope: Scope): CelKind | undefined {
    const { name = "", operands = [] } = callIn(tree) ?? {};
    const kinds = operands.map((operand) => this.#kind(operand, scope)).filter((kind) => kind !== undefined);
    if (kinds.length < operands.length) return undefined;
    const argument = stringIn(operands[1]) ?? "";
    if (name === ".matches") this.doubtful = true;
    if (name === ".extract" && !isExtractTemplate(argument))
      return this.#refuse("extract() with a template that is not read here");
    if (name === ".split" && argument === "")
      return this.#refuse("split() by other than a literal separator");
    if (name === "_+_" && operands.every((operand) => this.#isUntyped(operand, scope)))
      return this.#refuse("two claims are joined, whose kinds are not known when it is created");
    return (
      resultKind(name, kinds, scope.size > 0) ??
      this.#refuse(`${name.replace(/^\./, "")} of ${kinds.join(" and ") || "nothing"}`)
    );
  }

  /** True where only the token tells the kind; cel-go takes the sum of two such values for bytes. */
  #isUntyped(tree: CelTree, scope: Scope): boolean {
    if (this.#path(tree, scope) !== undefined) return true;
    const { name, operands: [first, ...others] = [] } = callIn(tree) ?? {};
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
