/*
 * One Terraform configuration, plan or state, and the values of its expressions.
 *
 * A reference known only after apply stays a {@link Reference}, one object for each expression, so that equal
 * references are one value.
 */

import {
  type Known,
  Reference,
  hidden,
  isAbsent,
  isKnown,
  known,
  match,
  orElse,
  textOf,
  unread,
} from "../../model/known";
import { remembered } from "../../model/once";
import type { Json } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { type Tree, objectOf, treeOf } from "../../model/tree";
import { Block, type Configuration, type Instance, NOT_YET, type Resource } from "./block";
import { type Expression, SPLAT, type Step, isTemplate, parseTemplate, pathsOf } from "./expression";
import { FUNCTIONS, asText, canonical, operated } from "./functions";
import { Growth, TEXT_MAX, VALUE_MAX } from "./growth";
import { Hidden, hiddenTree } from "./sensitive";
import { type Path, type PlainStep, addressOf, addressesOf, followed } from "./paths";
import type { Source } from "./source";

/** A part of a configuration that was not read, although Terraform applies it. */
export interface NotRead {
  readonly source: Source;
  /** Why, as a clause: "modules are not followed". */
  readonly reason: string;
  readonly mentions: ReadonlySet<object>;
  readonly texts: ReadonlySet<string>;
  /** All of it, to be compared and never shown. */
  readonly whole: string;
}

/** Sources of attributes from outside a configuration: other documents, and the clouds' rules. */
export interface Surroundings {
  /** The computed value of an attribute that Terraform knows only after apply. */
  computed(resource: Resource, attribute: string): Known<string> | undefined;
  /** The output of another configuration to which an attribute refers. */
  remoteOutput(resource: Resource, path: readonly (string | number)[]): Known<string> | undefined;
}

/** Limit for following references, which stops at a cycle. */
const HOPS = 32;
/** Limit for the locals that one expression uses. */
const FOLLOWED_MAX = 1000;
/** Values below this size need not be remembered. */
const SMALL = 64 * 1024;
/** Limit for the characters in which resources are looked for; beyond it, every resource may be named. */
const SEARCHED_MAX = 64 * 1024 * 1024;

/** An expression in a plan; other texts of plans are literal. */
export class Expressed {
  /** As a template, `${aws_iam_role.web.name}`. */
  readonly template: string;

  constructor(template: string) {
    this.template = template;
  }
}

/** Evaluated values by template, or by the list or object as written. */
type Values = Map<unknown, Tree>;

export class Scope implements Configuration {
  readonly place: string;
  /** True for plans and states, whose texts are no longer templates. */
  readonly isLiteral: boolean;
  /** Resources and data sources by address. */
  readonly resources: Map<string, Resource> = new Map();
  /** Arguments of the Terraform providers' configurations, by `aws` or `aws.<alias>`. */
  readonly providers: Map<string, Json> = new Map();
  /** Locals and variables as written, by `local.<name>` and `var.<name>`; a variable may be unknown. */
  readonly named: Map<string, unknown> = new Map();
  readonly outputs: Map<string, unknown> = new Map();
  /** The addresses at which resources, or all instances of one, were before, by where they are now. */
  readonly moves: Map<string, string> = new Map();
  /** The sensitive values that were asked for, by name. */
  readonly asked: Map<string, Tree> = new Map();
  /** What Terraform applies with it but was not read. */
  readonly notRead: NotRead[] = [];
  /** Where it keeps its state: type and arguments of the backend. */
  backend: { readonly type: string; readonly settings: Json } | undefined;
  readonly #surroundings: Surroundings;
  readonly #references = new Map<string, Reference>();
  readonly #values: Values = new Map();
  readonly #instances = new WeakMap<Instance, Values>();
  readonly growth: Growth = new Growth();
  readonly #paths = new Map<string, ReturnType<typeof pathsOf>>();
  #everything: readonly Resource[] | undefined;
  #all: ReadonlySet<object> | undefined;
  #hops = 0;
  /** Characters of all values that took the place of expressions. */
  #filled = 0;
  #searched = 0;

  constructor(surroundings: Surroundings, place: string, isLiteral: boolean) {
    this.#surroundings = surroundings;
    this.place = place;
    this.isLiteral = isLiteral;
  }

  provider(key: string): Block {
    return new Block(this, this.providers.get(key) ?? {});
  }

  /** An output; `undefined` if there is none with the name. */
  output(name: string): Known<string> | undefined {
    return this.outputs.has(name) ? asText(this.evaluated(this.outputs.get(name))) : undefined;
  }

  /** As {@link targets}, as a set; one set for all that may name every resource. */
  mentions(value: unknown): ReadonlySet<object> {
    const targets = this.targets(value);
    if (targets !== this.#everything) return new Set(targets);
    return (this.#all ??= new Set(targets));
  }

  targets(value: unknown): readonly Resource[] {
    if (this.#searched > SEARCHED_MAX) return (this.#everything ??= [...this.resources.values()]);
    return this.#targetsIn(value, new Set());
  }

  #targetsIn(value: unknown, followed: Set<string>): readonly Resource[] {
    if (value instanceof Expressed) return this.#targetsOf(value.template, followed);
    if (value instanceof Hidden) return value.read((written) => this.#targetsIn(written, followed));
    if (typeof value === "string")
      return !this.isLiteral && isTemplate(value) ? this.#targetsOf(value, followed) : [];
    return typeof value === "object" && value !== null
      ? Object.values(value).flatMap((each) => this.#targetsIn(each, followed))
      : [];
  }

  /** Locals and variables are followed, each once. */
  #targetsOf(template: string, followed: Set<string>): readonly Resource[] {
    this.#searched += template.length;
    const paths = remembered(this.#paths, template, () => pathsOf(parseTemplate(template)));
    return paths.flatMap((path) => {
      const place = this.#found(path);
      if (place) return [place.resource];
      const name = path.slice(0, 2).join(".");
      if (!this.named.has(name) || followed.has(name) || followed.size > FOLLOWED_MAX) return [];
      followed.add(name);
      return this.#targetsIn(this.named.get(name), followed);
    });
  }

  text(template: string): Known<string> {
    return isTemplate(template) ? asText(this.#template(template, undefined)) : known(template);
  }

  evaluated(value: unknown, instance?: Instance): Tree {
    if (typeof value === "string")
      return !this.isLiteral && isTemplate(value) ? this.#template(value, instance) : treeOf(value);
    if (value instanceof Expressed) return this.#template(value.template, instance);
    if (value instanceof Hidden) return this.#hidden(value, instance);
    if (value === NOT_YET) return unread("it is known only after apply");
    if (typeof value !== "object" || value === null) return treeOf(value);
    const values = this.#valuesOf(instance);
    if (values.has(value)) return values.get(value) ?? known(undefined);
    const before = this.#filled;
    const tree = this.#structure(value, instance);
    if (this.#filled - before <= SMALL) return tree;
    const bounded = this.growth.bounded(tree, VALUE_MAX);
    values.set(value, bounded);
    return bounded;
  }

  #structure(value: object, instance: Instance | undefined): Tree {
    if (Array.isArray(value)) return treeOf(value.map((item) => this.evaluated(item, instance)));
    if (!isRecord(value)) return treeOf(value);
    const entries = Object.entries(value).map(([key, child]) => [key, this.evaluated(child, instance)]);
    return treeOf(Object.fromEntries(entries));
  }

  /** Evaluated like any value, and remembered under its name: comparisons ask whether it is the same elsewhere. */
  #hidden(value: Hidden, instance: Instance | undefined): Tree {
    const hidden = value.read((written) => hiddenTree(this.evaluated(written, instance)));
    this.asked.set(value.name, hidden);
    return hidden;
  }

  shared(value: unknown, instance?: Instance): Tree {
    const tree = this.evaluated(value, instance);
    if (typeof value === "object" && value !== null) this.#valuesOf(instance).set(value, tree);
    return tree;
  }

  #valuesOf(instance: Instance | undefined): Values {
    if (instance === undefined) return this.#values;
    return remembered(this.#instances, instance, () => new Map() as Values);
  }

  attribute(resource: Resource, path: readonly (string | number)[]): Tree {
    const elsewhere = this.#surroundings.remoteOutput(resource, path);
    if (elsewhere !== undefined) return elsewhere;
    const written = resource.certain ? resource.written(path) : undefined;
    if (written !== undefined && written !== null && written !== NOT_YET) return resource.evaluate(written);
    const [name = "", ...inner] = path;
    const computed = inner.length === 0 ? this.#surroundings.computed(resource, String(name)) : undefined;
    const attribute = addressOf(path);
    return computed ?? this.#kept(`${resource.address}.${attribute}`, resource, attribute);
  }

  #template(text: string, instance: Instance | undefined): Tree {
    const values = this.#valuesOf(instance);
    if (!values.has(text)) this.#compute(text, instance, values);
    const value = values.get(text) ?? known(undefined);
    this.#filled += this.growth.sizeOf(value);
    return value;
  }

  #compute(text: string, instance: Instance | undefined, values: Values): void {
    // A cycle ends where it began.
    values.set(text, this.#kept(text));
    const result = this.#guarded(() => this.#value(parseTemplate(text), instance));
    this.growth.allowFor(text);
    values.set(text, this.growth.bounded(result, TEXT_MAX));
  }

  #guarded(follow: () => Tree): Tree {
    if (this.#hops > HOPS) return unread("references form a cycle");
    this.#hops++;
    try {
      return follow();
    } finally {
      this.#hops--;
    }
  }

  #value(expression: Expression, instance: Instance | undefined): Tree {
    switch (expression.kind) {
      case "template":
        return this.#joined(expression.parts, instance);
      case "value":
        return known(expression.value);
      case "list":
        return known(expression.items.map((item) => this.#value(item, instance)));
      case "path":
        return this.#path(expression, instance);
      case "call": {
        const args = expression.args.map((arg) => this.#value(arg, instance));
        const result = FUNCTIONS.get(expression.name)?.(...args);
        return result ?? this.#unevaluated(canonical(expression.name, args) ?? expression.text);
      }
      case "object":
        return this.#object(expression, instance);
      case "operation": {
        const operands = expression.operands.map((each) => this.#value(each, instance));
        return operated(expression.operator, operands) ?? this.#unevaluated(expression.text);
      }
      case "part": {
        const steps = this.#steps(expression.steps, instance);
        const part = steps ? followed(this.#value(expression.of, instance), steps) : known(undefined);
        return isAbsent(part) ? this.#unevaluated(expression.text) : part;
      }
      case "condition": {
        const { test, yes, no, text } = expression;
        const isTrue = orElse(this.#value(test, instance), () => undefined);
        if (isTrue === true || isTrue === "true") return this.#value(yes, instance);
        if (isTrue === false || isTrue === "false") return this.#value(no, instance);
        return this.#unevaluated(text);
      }
      case "other":
        return this.#unevaluated(expression.text);
    }
  }

  #object({ entries }: Expression & { readonly kind: "object" }, instance: Instance | undefined): Tree {
    const values = entries.map(
      ([key, value]) => [asText(this.#value(key, instance)), this.#value(value, instance)] as const,
    );
    return objectOf(values);
  }

  #joined(parts: readonly (string | Expression)[], instance: Instance | undefined): Tree {
    const [only] = parts;
    if (parts.length === 1 && only !== undefined && typeof only !== "string")
      return this.#value(only, instance);
    const pieces = parts.map((part) =>
      typeof part === "string" ? known(part) : asText(this.#value(part, instance)),
    );
    const size = pieces.reduce((sum, piece) => sum + this.growth.sizeOf(piece), 0);
    if (size > VALUE_MAX) return this.growth.bounded(known(pieces), VALUE_MAX);
    return textOf(
      pieces.flatMap((text) =>
        match(
          text,
          (value) => [value],
          (why) => ("parts" in why ? why.parts : [this.#reference(why.what)]),
        ),
      ),
    );
  }

  #path(expression: Expression & { readonly kind: "path" }, instance: Instance | undefined): Tree {
    const { root, text } = expression;
    const steps = this.#steps(expression.steps, instance);
    const value = (steps && this.#valueAt(root, steps, instance)) ?? known(undefined);
    return isAbsent(value) ? this.#kept(text) : value;
  }

  #valueAt(root: string, steps: readonly PlainStep[], instance: Instance | undefined): Tree | undefined {
    const [first = "", ...rest] = steps;
    if (root === "each" || root === "count")
      return instance && followed(instanceValue(root, String(first), instance), rest);
    if (root !== "local" && root !== "var") return this.#resourcePath([root, ...steps]);
    const name = `${root}.${String(first)}`;
    const value = this.named.get(name);
    // A variable whose value is in a file that was not read.
    if (!isKnown(value as Known<unknown>)) return value as Known<never>;
    return this.named.has(name) ? followed(this.shared(value), rest) : undefined;
  }

  /** The steps with index expressions evaluated; `undefined` if one is not known. */
  #steps(steps: readonly Step[], instance: Instance | undefined): readonly PlainStep[] | undefined {
    const plain = steps.map((step) =>
      typeof step === "object" ? orElse(this.#value(step, instance), () => undefined) : step,
    );
    return plain.every((step) => ["string", "number", "symbol"].includes(typeof step))
      ? (plain as readonly PlainStep[])
      : undefined;
  }

  /** The resource at the beginning of a path, and the rest; a key names an instance. */
  #found(
    path: readonly (string | number)[],
  ): { readonly resource: Resource; readonly rest: readonly (string | number)[] } | undefined {
    for (const { address, end } of addressesOf(path)) {
      const [key, ...inner] = path.slice(end);
      const instance =
        key === undefined ? undefined : this.resources.get(`${address}[${JSON.stringify(key)}]`);
      if (instance) return { resource: instance, rest: inner };
      const resource = this.resources.get(address);
      if (resource) return { resource, rest: typeof key === "number" ? inner : path.slice(end) };
    }
    return undefined;
  }

  #resourcePath(steps: readonly PlainStep[]): Tree | undefined {
    const splat = steps.indexOf(SPLAT);
    const path = (splat < 0 ? steps : steps.slice(0, splat)) as Path;
    const place = this.#found(path);
    if (splat < 0)
      return place && place.rest.length > 0 ? this.attribute(place.resource, place.rest) : undefined;
    if (place && place.rest.length > 0)
      return followed(this.attribute(place.resource, place.rest), steps.slice(splat));
    const all = place ? [place.resource] : this.#instancesOf(addressOf(path));
    const [name, ...rest] = steps.slice(splat + 1);
    if (typeof name !== "string" || all.length === 0) return undefined;
    return known(all.map((each) => followed(this.attribute(each, [name]), rest)));
  }

  #instancesOf(address: string): readonly Resource[] {
    return [...this.resources].flatMap(([key, each]) => (key.startsWith(`${address}[`) ? [each] : []));
  }

  /** An expression that is not evaluated; what `sensitive` is given may be a literal in it. */
  #unevaluated(expression: string): Tree {
    const kept = this.#kept(expression);
    return /\bsensitive\s*\(/.test(expression) ? hidden(kept) : kept;
  }

  /** An expression known only after apply. */
  #kept(expression: string, target?: object, attribute?: string): Tree {
    return textOf([this.#reference(expression, target, attribute)]);
  }

  #reference(expression: string, target?: object, attribute = ""): Reference {
    return remembered(this.#references, expression, () => new Reference(expression, target, attribute));
  }
}

function instanceValue(root: string, first: string, { key, value }: Instance): Tree {
  if (root === "count") return known(first === "index" ? key : undefined);
  return first === "key" ? known(key) : treeOf(value);
}
