/*
 * What `terraform show -json` prints for a state or a plan.
 * Source: developer.hashicorp.com/terraform/internals/json-format, format version 1.
 */

import { type Json, at, list, own, record, text, texts } from "./access";
import type { Source } from "./source";
import { type TerraformResource, type TerraformScope, defaultProvider } from "./terraform";

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
  "scope",
  "user_assigned_identity_id",
  "workload_identity_pool_id",
];

/** True for the output of `terraform show -json`. */
export function isTerraformShow(document: unknown): boolean {
  const json = record(document);
  return typeof json["format_version"] === "string" && ("values" in json || "planned_values" in json);
}

/** Reads a state, or the planned values of a plan. */
export function readTerraformShow(id: number, value: unknown, source: Source): TerraformScope {
  const resources = new Map<string, TerraformResource>();
  const providers = new Map<string, Json>();
  const scope: TerraformScope = { id, resources, providers, named: new Map() };
  const section = own(value, "planned_values") === undefined ? "values" : "planned_values";
  const expressions = configuredReferences(at(value, "configuration", "root_module"));
  // Of the state before a plan only what was looked up counts: the rest may be about to go.
  const lookedUp = [...modules(at(value, "prior_state", "values", "root_module"))].filter(
    (resource) => own(resource, "mode") === "data",
  );
  for (const resource of [...lookedUp, ...modules(at(value, section, "root_module"))]) {
    const read = resourceOf(resource, expressions, scope, { ...source, path: section });
    if (read !== undefined) resources.set(read.address, read);
  }
  for (const configuration of Object.values(record(at(value, "configuration", "provider_config")))) {
    const alias = text(own(configuration, "alias"));
    const name = text(own(configuration, "name"));
    const constants = Object.entries(record(own(configuration, "expressions"))).map(([key, expression]) => [
      key,
      own(expression, "constant_value"),
    ]);
    providers.set(alias === "" ? name : `${name}.${alias}`, record(Object.fromEntries(constants)));
  }
  return scope;
}

function* modules(module: unknown): Generator<unknown> {
  yield* list(own(module, "resources"));
  for (const child of list(own(module, "child_modules"))) yield* modules(child);
}

function resourceOf(
  resource: unknown,
  expressions: ReadonlyMap<string, Json>,
  scope: TerraformScope,
  source: Source,
): TerraformResource | undefined {
  const address = text(own(resource, "address"));
  const type = text(own(resource, "type"));
  if (address === "" || type === "") return undefined;
  const configured = expressions.get(address) ?? {};
  const provider = text(own(configured, "provider"));
  return {
    address,
    type,
    adopted: own(resource, "mode") === "data",
    values: { ...references(own(configured, "expressions")), ...known(own(resource, "values")) },
    provider: provider === "" ? defaultProvider(type) : provider,
    scope,
    source: { ...source, path: `${source.path} ${address}` },
  };
}

/** What a plan does not know is absent or null there. */
function known(values: unknown): Json {
  return Object.fromEntries(Object.entries(record(values)).filter(([, value]) => value !== null));
}

function configuredReferences(module: unknown): ReadonlyMap<string, Json> {
  return new Map(
    list(own(module, "resources")).map((resource) => [
      text(own(resource, "address")),
      {
        expressions: own(resource, "expressions"),
        provider: text(own(resource, "provider_config_key")),
      },
    ]),
  );
}

function references(expressions: unknown): Json {
  return Object.fromEntries(
    IDENTIFIERS.flatMap((attribute): (readonly [string, string])[] => {
      const [reference] = texts(at(expressions, attribute, "references"));
      return reference === undefined ? [] : [[attribute, `\${${reference}}`]];
    }),
  );
}
