/*
 * What a plan says of its resources besides their values: what is not known yet, and how they are configured.
 * Source: developer.hashicorp.com/terraform/internals/json-format, "Plan Representation" and "Configuration
 * Representation".
 */

import { type Json, at, list, own, record, text, texts } from "./access";
import { LATE_TEXT, keptReference } from "./terraform-values";

/**
 * Arguments that hold nothing but one reference wherever they are references at all, so that the reference may stand
 * for a value that a plan does not know yet.
 */
const IDENTIFIERS: readonly string[] = [
  "parent_id",
  "policy_arn",
  "principal_id",
  "repository",
  "role",
  "roles",
  "scope",
  "user_assigned_identity_id",
  "workload_identity_pool_id",
];

/**
 * Blocks that no provider adds of itself. A configuration in a plan does not mention `dynamic` blocks, so that one that
 * is not known may be there although nothing configures it.
 */
const BLOCKS: readonly string[] = ["binding", "condition", "deny_rule", "oidc", "rules", "statement"];

/** How a resource is configured. */
interface Configured {
  readonly expressions: Json;
  /** What `for_each` refers to. */
  readonly forEach: readonly string[];
  /** Key of the provider's configuration; empty where none is named. */
  readonly provider: string;
}

/** The configuration of a plan, and what it does not know. */
export class Plan {
  readonly #configured: ReadonlyMap<string, Configured>;
  readonly #unknown: ReadonlyMap<string, Json>;
  readonly #scope: number;

  /** Reads the output of `terraform show -json`; a state has neither. */
  constructor(document: unknown, scope: number) {
    this.#configured = new Map(configured(at(document, "configuration", "root_module"), ""));
    this.#unknown = new Map(
      list(own(document, "resource_changes")).map((change) => [
        text(own(change, "address")),
        record(at(change, "change", "after_unknown")),
      ]),
    );
    this.#scope = scope;
  }

  /** Key of the provider's configuration; empty where none is named. */
  providerOf(address: string): string {
    return this.#configured.get(withoutKeys(address))?.provider ?? "";
  }

  /** The values, with a late text for everything that is not known. */
  complete(address: string, values: Json): Json {
    const configuration = this.#configured.get(withoutKeys(address));
    const named = configuration ? references(configuration, moduleOf(address)) : {};
    const unknown = Object.entries(this.#unknown.get(address) ?? {}).filter(([, each]) => isUnknown(each));
    const late = unknown.flatMap(([key, each]): (readonly [string, unknown])[] => {
      if (each !== true) return [[key, overlaid(values[key], each, text(named[key]) || LATE_TEXT)]];
      // What nobody configured and a provider computes is no argument: a role's own list of attached policies, say.
      const counts = !configuration || BLOCKS.includes(key) || Object.hasOwn(configuration.expressions, key);
      return counts && values[key] === undefined ? [[key, keptReference(this.#scope, address, key)]] : [];
    });
    return { ...values, ...Object.fromEntries(late), ...lacking(named, values) };
  }
}

function lacking(named: Json, values: Json): Json {
  return Object.fromEntries(Object.entries(named).filter(([key]) => values[key] === undefined));
}

/** `true` anywhere in it. */
function isUnknown(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === true;
  return Object.values(value).some(isUnknown);
}

/** The value with a late text wherever it is not known; what is known stays. */
function overlaid(value: unknown, unknown: unknown, late: string): unknown {
  if (unknown === true) return value ?? late;
  if (Array.isArray(unknown)) {
    const items = list(value);
    return Array.from({ length: Math.max(items.length, unknown.length) }, (_, place) =>
      overlaid(items[place], unknown[place], late),
    );
  }
  if (typeof unknown !== "object" || unknown === null) return value;
  const open = Object.entries(unknown).map(([key, each]) => [key, overlaid(own(value, key), each, late)]);
  return { ...record(value), ...Object.fromEntries(open.filter(([, each]) => each !== undefined)) };
}

function* configured(module: unknown, prefix: string): Generator<readonly [string, Configured]> {
  for (const resource of list(own(module, "resources")))
    yield [
      prefix + text(own(resource, "address")),
      {
        expressions: record(own(resource, "expressions")),
        forEach: texts(at(resource, "for_each_expression", "references")),
        provider: text(own(resource, "provider_config_key")),
      },
    ];
  for (const [name, call] of Object.entries(record(own(module, "module_calls"))))
    yield* configured(own(call, "module"), `${prefix}module.${name}.`);
}

const KEY = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g;

/** The address in the configuration: without the keys of instances. */
function withoutKeys(address: string): string {
  return address.includes("[") ? address.replace(KEY, "") : address;
}

/** `module.<name>.` with keys, as far as an address begins so; empty in the root module. */
function moduleOf(address: string): string {
  return /^(?:module\.[\w-]+(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?\.)+/.exec(address)?.[0] ?? "";
}

/** What other words than types of resources begin references. */
const NO_RESOURCE = /^(?:var|local|each|count|path|self|terraform)\./;

function references({ expressions, forEach }: Configured, module: string): Json {
  return Object.fromEntries(
    IDENTIFIERS.flatMap((attribute): (readonly [string, string])[] => {
      const all = texts(at(expressions, attribute, "references"));
      const [reference, ...parents] = all;
      if (reference === undefined) return [];
      const named = (each: string): string => `${NO_RESOURCE.test(each) ? "" : module}${each}`;
      // Of `cond ? a.arn : b.arn` nobody knows which one it is, and of a list not what else is in it.
      const isOne = attribute !== "roles" && parents.every((parent) => reference.startsWith(parent));
      const through =
        ROLES.includes(attribute) && all.some((each) => each.startsWith("each.")) ? forEach : [];
      if (isOne && through.length === 0) return [[attribute, `\${${named(reference)}}`]];
      const mentioned = [...all, ...through].map(named).join(", ");
      return ROLES.includes(attribute) ? [[attribute, `\${[${mentioned}]}`]] : [];
    }),
  );
}

/** Where it matters who may be meant, also where that is not certain. */
const ROLES: readonly string[] = ["role", "roles"];
