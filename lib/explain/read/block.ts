/*
 * Terraform blocks and resources. Their values are {@link Known}; code outside of `read/` never sees an argument as
 * written.
 */

import { type Known, andThen, isAbsent, known, map, referenceOf, unread } from "../../model/known";
import type { Json } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { type Tree, isTreeList, isTreeObject, parsedTree } from "../../model/tree";
import { type Coverage, beyondRow, notUnderstood, words } from "../coverage/coverage";
import { Hidden } from "./sensitive";
import type { Source } from "./source";

export interface Configuration {
  /** The folder of a configuration, or the file of a plan or state. */
  readonly place: string;
  /** True for plans and states. */
  readonly isLiteral: boolean;
  /** The addresses at which resources, or all instances of one, were before, by where they are now. */
  readonly moves: ReadonlyMap<string, string>;
  /** A value as written, references followed as far as they go. */
  evaluated(value: unknown, instance?: Instance): Tree;
  /** As {@link evaluated}, remembered for a value to which many expressions may refer. */
  shared(value: unknown, instance?: Instance): Tree;
  /** The value of a resource's attribute in an expression of this configuration. */
  attribute(resource: Resource, path: readonly (string | number)[]): Tree;
  /** The arguments of a Terraform provider's configuration; empty if there is none. */
  provider(key: string): Block;
  /** The resources that the expressions of a value name, however deep, and whatever they compute from them. */
  targets(value: unknown): readonly Resource[];
}

/** The variables of an instance that `count` or `for_each` creates. */
export interface Instance {
  /** `each.key`, or `count.index`. */
  readonly key: string | number;
  readonly value: unknown;
}

/** Stands for an argument that a plan does not know yet. */
export const NOT_YET: unique symbol = Symbol("known after apply");

export class Block {
  readonly scope: Configuration;
  protected readonly values: Json;
  protected readonly instance: Instance | undefined;

  constructor(scope: Configuration, values: Json, instance?: Instance) {
    this.scope = scope;
    this.values = values;
    this.instance = instance;
  }

  get names(): readonly string[] {
    return Object.keys(this.values);
  }

  /** An argument as text; `undefined` if it is absent. */
  text(name: string): Known<string | undefined> {
    return andThen(this.tree(name), (value) => {
      if (value === undefined || value === null) return known(undefined);
      if (isTreeList(value) || isTreeObject(value)) return unread(`${name} is not a string`);
      return known(String(value));
    });
  }

  /** An argument as text; unknown if it is absent. */
  stated(name: string): Known<string> {
    return andThen(this.text(name), (value) =>
      value === undefined ? unread(`${name} is not stated`) : known(value),
    );
  }

  /** A Boolean argument; `false` if it is absent. */
  flag(name: string): Known<boolean> {
    return andThen(this.text(name), (value = "false") =>
      value === "false" || value === "true"
        ? known(value === "true")
        : unread(`${name} is neither true nor false`),
    );
  }

  /** The items of a list as texts; empty if it is absent. */
  list(name: string): Known<readonly Known<string>[]> {
    const text = (item: Tree): Known<string> =>
      andThen(item, (value) =>
        typeof value === "string" || typeof value === "number"
          ? known(String(value))
          : unread(`${name} has an item that is not a string`),
      );
    return andThen(this.tree(name), (value) => {
      if (value === undefined || value === null) return known([]);
      return isTreeList(value) ? known(value.map(text)) : unread(`${name} is not a list`);
    });
  }

  /** The blocks with a name; unknown if an expression or `dynamic` creates some of them. */
  blocks(name: string): Known<readonly Block[]> {
    const dynamic = listOf(this.raw("dynamic")).some((each) => isRecord(each) && Object.hasOwn(each, name));
    if (dynamic) return unread(`dynamic blocks of ${name} are not expanded`);
    const written = this.raw(name);
    if (typeof written === "string")
      return andThen(this.tree(name), () => unread(`an expression makes the blocks of ${name}`));
    const blocks = listOf(written).filter((each) => each !== null && each !== undefined);
    if (blocks.some((each) => each instanceof Hidden)) return unread(`the blocks of ${name} are sensitive`);
    if (!blocks.every(isRecord)) return unread(`an expression makes blocks of ${name}`);
    return known(blocks.map((each) => new Block(this.scope, each, this.instance)));
  }

  /** The only block with a name; `undefined` if there is none. */
  block(name: string): Known<Block | undefined> {
    return map(this.blocks(name), ([first]) => first);
  }

  /** An argument that holds JSON as text, parsed; `undefined` if it is absent. */
  json(name: string): Tree {
    const text = this.text(name);
    return isAbsent(text) ? known(undefined) : parsedTree(text as Known<string>);
  }

  /** An argument as it is, references followed. */
  tree(name: string): Tree {
    return this.scope.evaluated(this.raw(name), this.instance);
  }

  /** The resource that an argument refers to with one of these attributes and nothing else. */
  referred(name: string, attributes: readonly string[]): Resource | undefined {
    return referredResource(this.text(name), attributes);
  }

  /** The resources that the expressions of an argument name, whatever they compute from them. */
  mentioned(name: string): readonly Resource[] {
    return this.scope.targets(this.raw(name));
  }

  /** Paths of the arguments that a row does not understand. */
  notUnderstood(row: Coverage): readonly string[] {
    return notUnderstood(this.values, row, "written");
  }

  protected raw(name: string): unknown {
    return Object.hasOwn(this.values, name) ? this.values[name] : undefined;
  }

  /** The value of one of its expressions, with its own `each` and `count`; for the configuration's use. */
  evaluate(value: unknown): Tree {
    return this.scope.shared(value, this.instance);
  }
}

/** The resource that a value refers to with one of these attributes and nothing else. */
export function referredResource(value: Known<unknown>, attributes: readonly string[]): Resource | undefined {
  const { target, attribute = "" } = referenceOf(value) ?? {};
  return target instanceof Resource && attributes.includes(attribute) ? target : undefined;
}

/**
 * Arguments that say what a resource belongs to. They are used even if it is not certain that the resource exists;
 * otherwise such a resource would put everything in doubt.
 */
const OWNERS: readonly string[] = words(`
  member members parent_id principal_id provider repository role role_name roles user_assigned_identity_id`);

/** What is known about a resource apart from its arguments. */
export interface ResourcePlace {
  readonly type: string;
  readonly address: string;
  readonly adopted: boolean;
  readonly certain: boolean;
  readonly source: () => Source;
  readonly instance?: Instance | undefined;
  /** Key of the Terraform provider's configuration if the values do not state it. */
  readonly provider?: string | undefined;
  /** In a plan, the arguments that its configuration states; the others are the provider's. */
  readonly configured?: ReadonlySet<string> | undefined;
}

/** Terraform's own arguments, none of which changes the object itself. */
const META: ReadonlySet<string> = new Set(words("// count depends_on for_each lifecycle provider timeouts"));

export class Resource extends Block {
  readonly type: string;
  /** `aws_iam_role.web`, `data.aws_iam_role.web["a"]`, with the module's address before it. */
  readonly address: string;
  /** True for a data source: the object exists, and this configuration does not own it. */
  readonly adopted: boolean;
  /** False if `count` or `for_each` leaves it uncertain whether it exists; its arguments are then unknown. */
  readonly certain: boolean;
  readonly #place: ResourcePlace;
  #source: Source | undefined;

  constructor(scope: Configuration, values: Json, place: ResourcePlace) {
    super(scope, values, place.instance);
    this.type = place.type;
    this.address = place.address;
    this.adopted = place.adopted;
    this.certain = place.certain;
    this.#place = place;
  }

  get source(): Source {
    return (this.#source ??= this.#place.source());
  }

  /** Key of the Terraform provider's configuration: `aws`, or `aws.<alias>`. */
  get providerKey(): string {
    const written = this.values["provider"];
    return typeof written === "string" && written !== ""
      ? written.replace(/^\$\{(.*)\}$/, "$1")
      : (this.#place.provider ?? this.type.split("_")[0] ?? "");
  }

  get provider(): Block {
    return this.scope.provider(this.providerKey);
  }

  /** An attribute as references see it: computed, or the reference itself if it is known only after apply. */
  attribute(...path: readonly [string, ...(string | number)[]]): Known<string> {
    return andThen(this.scope.attribute(this, path), (value) =>
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? known(String(value))
        : unread(`${this.address}.${path.join(".")} is not a string`),
    );
  }

  override tree(name: string): Tree {
    const doubt = this.#doubt(name);
    if (doubt !== undefined) return doubt;
    return this.raw(name) === NOT_YET ? this.scope.attribute(this, [name]) : super.tree(name);
  }

  override blocks(name: string): Known<readonly Block[]> {
    return this.#doubt(name) ?? super.blocks(name);
  }

  /** Paths of the arguments, and of what else may change the object, that a row does not understand. */
  override notUnderstood(row: Coverage): readonly string[] {
    const { isLiteral } = this.scope;
    const { adopted, configured } = this.#place;
    const beyond: string[] = [];
    for (const name of Object.keys(this.values)) {
      if (META.has(name)) continue;
      const value = this.values[name];
      // The blocks of a plan hold all their arguments, as those of a state do.
      const isStated = !adopted && configured?.has(name) === true && typeof value !== "object";
      for (const path of beyondRow(name, value, row, isLiteral && !isStated ? "complete" : "written"))
        beyond.push(path);
    }
    return this.raw("lifecycle") === undefined ? beyond : [...beyond, ...this.#ignoredChanges(row)];
  }

  /** Changes that Terraform leaves as they are, although the row reads what was written. */
  #ignoredChanges(row: Coverage): readonly string[] {
    const harmless = [...words(row.harmless), ...words(row.computed)];
    if (words(row.read).includes("lifecycle")) return [];
    const ignored = listOf(this.raw("lifecycle")).flatMap((each) =>
      isRecord(each) ? listOf(each["ignore_changes"]) : [],
    );
    const isHarmless = (path: unknown): boolean => harmless.includes(/^\w*/.exec(String(path))?.[0] ?? "");
    return ignored.every(isHarmless) ? [] : ["lifecycle.ignore_changes"];
  }

  /** The argument at a path as written; for the configuration's use. */
  written(path: readonly (string | number)[]): unknown {
    return path.reduce<unknown>((value, step) => {
      if (value instanceof Hidden) return value.child(step);
      if (Array.isArray(value)) return (value as readonly unknown[])[Number(step)];
      if (!isRecord(value)) return undefined;
      // A single block need not be in a list, and its first item is the block itself.
      return Object.hasOwn(value, step) ? value[step] : Number(step) === 0 ? value : undefined;
    }, this.values);
  }

  #doubt(name: string): Known<never> | undefined {
    if (this.certain || OWNERS.includes(name)) return undefined;
    return unread(`count or for_each decides whether ${this.address} exists`);
  }
}

/** All texts in a value, however deep. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** A single item, or the items of a list; empty for no value. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}
