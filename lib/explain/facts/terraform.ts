/*
 * Terraform resources of all documents that were read, and the references between them.
 *
 * A reference to what only apply will tell stays a reference, made unique per document: two equal ones are one
 * value, and a rule that meets one answers `unknown`.
 */

import type { Json } from "./access";
import { at, own, record } from "./access";
import { type StateBackend, remoteOutput } from "./remote-state";
import type { Source } from "./source";
import { keptReference, plainText } from "./terraform-values";

/** One resource or data source. */
export interface TerraformResource {
  /** `aws_iam_role.web`, `data.aws_iam_role.web`, with the module's address before it. */
  readonly address: string;
  /** `aws_iam_role`. */
  readonly type: string;
  /** True for a data source: the object exists, and this configuration does not own it. */
  readonly adopted: boolean;
  /** The arguments, and after apply the attributes. */
  readonly values: Json;
  /**
   * The arguments as written, where `count` or `for_each` decides whether the resource is there.
   *
   * @defaultValue - `values`
   */
  readonly written?: Json;
  /** The provider's configuration, `aws` or `aws.<alias>`. */
  readonly provider: string;
  /** The document that it stands in. */
  readonly scope: TerraformScope;
  /** Where it stands. */
  readonly source: Source;
}

/** One Terraform configuration, plan or state. */
export interface TerraformScope {
  /** Number of the document; part of references that stay. */
  readonly id: number;
  /** Resources and data sources by address. */
  readonly resources: ReadonlyMap<string, TerraformResource>;
  /** Arguments of the providers' configurations, by `aws` or `aws.<alias>`. */
  readonly providers: ReadonlyMap<string, Json>;
  /**
   * The provider configuration that a caller hands to a module, by the module's own name for it, references followed.
   *
   * @defaultValue - none does
   */
  readonly inherited?: (key: string) => Json | undefined;
  /** Locals and defaults of variables, by `local.<name>` and `var.<name>`. */
  readonly named: ReadonlyMap<string, unknown>;
  /** Values of the outputs. */
  readonly outputs: ReadonlyMap<string, unknown>;
  /** Where it keeps its state; `undefined` where it states nothing. */
  readonly backend: StateBackend | undefined;
}

/** The argument of a module's call: its references are those of the configuration that calls it. */
export class CallerValue {
  /** As written. */
  readonly value: unknown;
  readonly #callers: () => readonly TerraformScope[];

  constructor(value: unknown, callers: () => readonly TerraformScope[]) {
    this.value = value;
    this.#callers = callers;
  }

  /** The configuration that calls; `undefined` where it is applied several times, each perhaps with another value. */
  scope(): TerraformScope | undefined {
    const [only, ...others] = this.#callers();
    return others.length === 0 ? only : undefined;
  }

  /** All that may call. */
  callers(): readonly TerraformScope[] {
    return this.#callers();
  }
}

/** An attribute that a cloud can compute although Terraform would know it only after apply. */
export interface ComputedAttribute {
  /** Type of the resource, `aws_iam_policy_document`. */
  readonly type: string;
  /** The attribute. */
  readonly attribute: string;
  /** Its text, `undefined` where it cannot be computed. */
  readonly value: (resource: TerraformResource, terraform: Terraform) => string | undefined;
}

const EXPRESSION = /\$\$\{|%%\{|\$\{([^{}]*)\}|%\{([^{}]*)\}?/g;
/** With keys of instances, which only plans and states have: `aws_iam_role.web[0].name`. */
const ATTRIBUTE =
  /^((?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:data\.)?[a-z][\w-]*\.[\w-]+(?:\[[^\]]*\])?)\.([\w-]+(?:(?:\.[\w-]+)|\[\d+\])*)$/;
const NAMED = /^(?:local|var)\.[\w-]+$/;
/** An attribute without a path. */
const NAME = /^[\w-]+$/;
const KEPT = /^\d+#(.+)$/;

/** Following a chain of references ends somewhere; a circle does not. */
const HOPS = 32;

/** No argument of the clouds takes a text of a mebibyte. */
const LONGEST = 1024 * 1024;

/** True for a text that holds a value that only apply will tell. */
export function isLateText(value: string): boolean {
  return value.includes("${");
}

/** Whether an expression or a directive is in it, escaped or not. */
function isTemplate(value: string): boolean {
  return value.includes("${") || value.includes("%{");
}

/** Whether two resolved texts are the same value; two late ones are where they are the same reference. */
export function sameText(one: string, other: string): "same" | "different" | "unknown" {
  if (one === other) return "same";
  return isLateText(one) || isLateText(other) ? "unknown" : "different";
}

/** The resources of all documents. */
export class Terraform {
  /** All documents, in the order in which they were read. */
  readonly scopes: readonly TerraformScope[];
  readonly #byType = new Map<string, TerraformResource[]>();
  readonly #computed: ReadonlyMap<string, ComputedAttribute["value"]>;
  /** What expressions became, so that none is followed twice. */
  readonly #followed = new WeakMap<TerraformScope, Map<string, string>>();

  constructor(scopes: readonly TerraformScope[], computed: readonly ComputedAttribute[]) {
    this.scopes = scopes;
    this.#computed = new Map(computed.map((row) => [`${row.type}.${row.attribute}`, row.value]));
    for (const { resources } of scopes) {
      for (const resource of resources.values()) {
        const same = this.#byType.get(resource.type);
        if (same) same.push(resource);
        else this.#byType.set(resource.type, [resource]);
      }
    }
  }

  /** The resources and data sources of a type. */
  ofType(type: string): readonly TerraformResource[] {
    return this.#byType.get(type) ?? [];
  }

  /** An argument or attribute as resolved text; empty where it is absent, late where it is a list or an object. */
  text(resource: TerraformResource, attribute: string): string {
    const value = own(resource.values, attribute);
    if (typeof value === "string") return this.resolve(value, resource.scope);
    if (value === undefined || value === null) return "";
    return plainText(value) ?? keptReference(resource.scope.id, resource.address, attribute);
  }

  /** An attribute as resolved text, as a reference where only apply will tell it. */
  attribute(resource: TerraformResource, attribute: string): string {
    return this.#attribute(resource, attribute, 0);
  }

  /** The text with every reference followed as far as it goes. */
  resolve(value: string, scope: TerraformScope): string {
    return this.#resolve(value, scope, 0);
  }

  /** The resource that a resolved text refers to with this attribute and nothing else. */
  referred(resolved: string, attribute: string): TerraformResource | undefined {
    if (!resolved.startsWith("${")) return undefined;
    const [, id, address] = /^\$\{(\d+)#(.+)\.[\w-]+\}$/.exec(resolved) ?? [];
    if (id === undefined || address === undefined || !resolved.endsWith(`.${attribute}}`)) return undefined;
    return this.scopes[Number(id)]?.resources.get(address);
  }

  #resolve(value: string, scope: TerraformScope, hops: number): string {
    if (!isTemplate(value)) return value;
    return value.replace(EXPRESSION, (whole: string, expression?: string, directive?: string) => {
      // What `if` and `for` make of a text is judged nowhere: it counts as known after apply.
      if (directive !== undefined) return `\${${scope.id}#directive ${directive.trim()}}`;
      // A doubled dollar or percent sign is Terraform's escape for a literal one; IAM's policy variables are written so.
      if (expression === undefined) return whole.slice(1);
      return this.#expression(expression.trim(), scope, hops) ?? whole;
    });
  }

  #expression(expression: string, scope: TerraformScope, hops: number): string | undefined {
    const kept = `\${${scope.id}#${expression}}`;
    if (KEPT.test(expression)) return undefined;
    if (hops > HOPS) return kept;
    const known = this.#followed.get(scope) ?? new Map<string, string>();
    this.#followed.set(scope, known);
    const before = known.get(expression);
    if (before !== undefined) return before;
    // A circle ends where it began, and a text that doubles at each step before it fills the memory.
    known.set(expression, kept);
    const value = this.#follow(expression, scope, hops, kept);
    const followed = value.length > LONGEST ? kept : value;
    known.set(expression, followed);
    return followed;
  }

  #follow(expression: string, scope: TerraformScope, hops: number, kept: string): string {
    if (NAMED.test(expression)) {
      const named = scope.named.get(expression);
      const [given, from] = named instanceof CallerValue ? [named.value, named.scope()] : [named, scope];
      const value = plainText(given);
      if (value === undefined) return kept;
      return from ? this.#resolve(value, from, hops + 1) : isTemplate(value) ? kept : value;
    }
    const [, address = "", attribute = ""] = ATTRIBUTE.exec(expression) ?? [];
    const resource = scope.resources.get(address);
    return resource ? this.#attribute(resource, attribute, hops) : kept;
  }

  #attribute(resource: TerraformResource, attribute: string, hops: number): string {
    const elsewhere = remoteOutput(resource, attribute, this.scopes);
    if (elsewhere) return this.#resolve(elsewhere.value, elsewhere.scope, hops + 1);
    const value = NAME.test(attribute)
      ? own(resource.values, attribute)
      : inner(
          resource.values,
          attribute.split(/[.[\]]+/).filter((part) => part !== ""),
        );
    const plain = plainText(value);
    const kept = (): string => keptReference(resource.scope.id, resource.address, attribute);
    // A plan says of what it does not know only that it is not known.
    if (plain !== undefined && !(plain.startsWith("${") && plain === kept()))
      return this.#resolve(plain, resource.scope, hops + 1);
    return this.#computed.get(`${resource.type}.${attribute}`)?.(resource, this) ?? kept();
  }
}

function inner(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (outer, key) => (Array.isArray(outer) ? (outer as readonly unknown[])[Number(key)] : at(outer, key)),
    value,
  );
}

/** The arguments of the provider's configuration that a resource is declared with. */
export function providerOf(resource: TerraformResource): Json {
  const { provider, scope } = resource;
  return record(scope.providers.get(provider) ?? scope.inherited?.(provider));
}
