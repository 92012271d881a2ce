/*
 * The output of `terraform show -json` for a state or a plan. A value that a plan does not know yet becomes the
 * reference in the plan's configuration, or is unknown if there is none.
 *
 * Source: developer.hashicorp.com/terraform/internals/json-format, format version 1: "Plan Representation",
 * "Configuration Representation", "Values Representation".
 */

import { type Json, at, list, record, texts } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { words } from "../coverage/coverage";
import { NOT_YET, Resource } from "./block";
import { Expressed, type Scope } from "./scope";
import { withoutMarked, withoutSecrets } from "./sensitive";
import type { Source } from "./source";
import type { Terraform } from "./terraform";

export function isTerraformShow(document: unknown): document is Json {
  return (
    isRecord(document) &&
    typeof document["format_version"] === "string" &&
    ("values" in document || "planned_values" in document)
  );
}

export function isPlan(document: unknown): boolean {
  return isTerraformShow(document) && "planned_values" in document;
}

/** The state before a plan, in the form of a state; a first plan has an empty one. */
export function priorState(plan: Json): Json {
  const { format_version, configuration, prior_state: state } = plan;
  const values = at(state, "values") ?? {};
  return { format_version, values, configuration: { provider_config: at(configuration, "provider_config") } };
}

/** Reads a state, or the planned values of a plan. */
export function readTerraformShow(terraform: Terraform, document: Json, source: Source): Scope {
  const scope = terraform.scope(source.file, true);
  const section = document["planned_values"] === undefined ? "values" : "planned_values";
  const configured = new Map(configuredIn(at(document, "configuration", "root_module"), ""));
  const changes = new Map<unknown, unknown>();
  for (const each of list(document["resource_changes"]).filter(isRecord)) {
    const { address, change, previous_address: from } = each;
    changes.set(address, change);
    if (typeof address === "string" && typeof from === "string") scope.moves.set(address, from);
  }
  // From the state before a plan only data sources are used: resources may be about to be destroyed.
  const lookedUp = resourcesIn(at(document, "prior_state", "values", "root_module")).filter(
    ({ mode }) => mode === "data",
  );
  for (const resource of [...lookedUp, ...resourcesIn(at(document, section, "root_module"))]) {
    const { address, type, mode } = resource;
    if (typeof address !== "string" || typeof type !== "string") continue;
    const known = configured.get(withoutKeys(address));
    const change = changes.get(address);
    const written = withoutNulls(record(resource["values"]));
    const values = complete(address, written, known, record(at(change, "after_unknown")));
    const place = {
      type,
      address,
      adopted: mode === "data",
      certain: true,
      provider: known?.provider,
      configured: known && new Set(Object.keys(known.expressions)),
      source: () => ({ ...source, path: `${section} ${address}` }),
    };
    const marks = [resource["sensitive_values"], at(change, "after_sensitive")];
    const shown = marks.reduce<unknown>((each, mark) => withoutMarked(address, each, mark), values);
    scope.resources.set(address, new Resource(scope, withoutSecrets(type, address, record(shown)), place));
  }
  for (const [key, each] of Object.entries(record(at(document, "configuration", "provider_config"))))
    scope.providers.set(key, withoutSecrets("", key, constantsOf(record(at(each, "expressions")))));
  for (const [name, output] of Object.entries(record(at(document, "values", "outputs"))))
    scope.outputs.set(name, withoutMarked(`output.${name}`, at(output, "value"), at(output, "sensitive")));
  return scope;
}

/** Every resource of a module and of the modules in it. */
function resourcesIn(module: unknown): readonly Json[] {
  return [
    ...list(at(module, "resources")).filter(isRecord),
    ...list(at(module, "child_modules")).flatMap(resourcesIn),
  ];
}

/** The values without nulls, which a plan writes for unknown ones. */
function withoutNulls(values: Json): Json {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}

interface Configured {
  readonly expressions: Json;
  /** What `for_each` refers to. */
  readonly forEach: readonly string[];
  readonly provider: string | undefined;
}

/** The values, with the configured reference in place of each unknown one. */
function complete(address: string, values: Json, configured: Configured | undefined, notKnown: Json): Json {
  const named = configured ? references(configured, MODULE.exec(address)?.[0] ?? "") : {};
  const unknown = Object.entries(notKnown).filter(([, each]) => isUnknown(each));
  const late = unknown.flatMap(([key, each]): (readonly [string, unknown])[] => {
    if (each !== true) return [[key, overlaid(values[key], each, named[key] ?? NOT_YET)]];
    // A value that is only computed is not an argument, for example a role's list of attached policies.
    const counts = !configured || BLOCKS.includes(key) || Object.hasOwn(configured.expressions, key);
    return counts && values[key] === undefined ? [[key, NOT_YET]] : [];
  });
  const lacking = Object.entries(named).filter(([key]) => values[key] === undefined);
  return { ...values, ...Object.fromEntries(late), ...Object.fromEntries(lacking) };
}

/**
 * Arguments that, if they are expressions, consist of a single reference, which is then their value while a plan does
 * not know it.
 */
const IDENTIFIERS: readonly string[] = words(`
  assume_role_policy parent_id policy_arn principal_id repository role role_arn roles scope target_role_arn
  user_assigned_identity_id workload_identity_pool_id`);

/** Blocks that no Terraform provider adds itself; the configuration in a plan omits `dynamic` ones. */
const BLOCKS: readonly string[] = ["binding", "condition", "deny_rule", "oidc", "rules", "statement"];

/** `true` anywhere in it. */
function isUnknown(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === true;
  return Object.values(value).some(isUnknown);
}

/** The value with `late` in place of every unknown part. */
function overlaid(value: unknown, unknown: unknown, late: unknown): unknown {
  if (unknown === true) return value ?? late;
  if (Array.isArray(unknown)) {
    const items = list(value);
    const length = Math.max(items.length, unknown.length);
    return Array.from({ length }, (_, place) => overlaid(items[place], unknown[place], late));
  }
  if (!isRecord(unknown)) return value;
  const open = Object.entries(unknown).map(([key, each]) => [key, overlaid(at(value, key), each, late)]);
  return { ...record(value), ...Object.fromEntries(open.filter(([, each]) => each !== undefined)) };
}

function configuredIn(module: unknown, prefix: string): readonly (readonly [string, Configured])[] {
  const resources = list(at(module, "resources")).map((resource) => {
    const provider = at(resource, "provider_config_key");
    const configured: Configured = {
      expressions: record(at(resource, "expressions")),
      forEach: texts(at(resource, "for_each_expression", "references")),
      provider: typeof provider === "string" ? provider : undefined,
    };
    return [prefix + String(at(resource, "address")), configured] as const;
  });
  const calls = Object.entries(record(at(module, "module_calls")));
  return [
    ...resources,
    ...calls.flatMap(([name, call]) => configuredIn(at(call, "module"), `${prefix}module.${name}.`)),
  ];
}

function constantsOf(expressions: Json): Json {
  return Object.fromEntries(
    Object.entries(expressions).map(([name, each]) => [name, at(each, "constant_value") ?? NOT_YET]),
  );
}

const KEY = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g;

function withoutKeys(address: string): string {
  return address.includes("[") ? address.replace(KEY, "") : address;
}

/** The leading `module.<name>.` parts of an address, with keys. */
const MODULE = /^(?:module\.[\w-]+(?:\[(?:\d+|"(?:[^"\\]|\\.)*")\])?\.)+/;

/** First words of references other than resource types. */
const NO_RESOURCE = /^(?:var|local|each|count|path|self|terraform)\./;
/** Arguments for which possible targets matter, even if they are not certain. */
const ROLES: readonly string[] = ["role", "roles"];

/** The expressions of identifiers: one reference, or a list if any of several may be meant. */
function references(
  { expressions, forEach }: Configured,
  module: string,
): Readonly<Record<string, Expressed>> {
  return Object.fromEntries(
    IDENTIFIERS.flatMap((attribute): (readonly [string, Expressed])[] => {
      const mentioned = texts(at(expressions, attribute, "references"));
      const [reference, ...parents] = mentioned;
      if (reference === undefined) return [];
      const named = (each: string): string => `${NO_RESOURCE.test(each) ? "" : module}${each}`;
      // For `cond ? a.arn : b.arn` the choice is not known, and for a list the other items are not.
      const isOne = attribute !== "roles" && parents.every((parent) => reference.startsWith(parent));
      const isEach = mentioned.some((each) => each.startsWith("each."));
      const through = ROLES.includes(attribute) && isEach ? forEach : [];
      if (isOne && through.length === 0) return [[attribute, new Expressed(`\${${named(reference)}}`)]];
      if (!ROLES.includes(attribute)) return [];
      // Written as a call of a function that is not evaluated, it stays one value that mentions all of them.
      return [[attribute, new Expressed(`\${one(${[...mentioned, ...through].map(named).join(", ")})}`)]];
    }),
  );
}
