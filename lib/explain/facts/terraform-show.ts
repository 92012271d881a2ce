/*
 * What `terraform show -json` prints for a state or a plan.
 * Source: developer.hashicorp.com/terraform/internals/json-format, format version 1.
 */

import { type Json, at, list, own, record, text } from "./access";
import type { Source } from "./source";
import { type TerraformResource, type TerraformScope } from "./terraform";
import { Plan } from "./terraform-plan";
import { defaultProvider } from "./terraform-values";

/** True for the output of `terraform show -json`. */
export function isTerraformShow(document: unknown): boolean {
  const json = record(document);
  return typeof json["format_version"] === "string" && ("values" in json || "planned_values" in json);
}

/** Reads a state, or the planned values of a plan. */
export function readTerraformShow(id: number, value: unknown, source: Source): TerraformScope {
  const resources = new Map<string, TerraformResource>();
  const providers = new Map<string, Json>();
  const scope: TerraformScope = {
    id,
    resources,
    providers,
    named: new Map(),
    outputs: new Map(),
    backend: undefined,
  };
  const section = own(value, "planned_values") === undefined ? "values" : "planned_values";
  const plan = new Plan(value, id);
  // Of the state before a plan only what was looked up counts: the rest may be about to go.
  const lookedUp = [...modules(at(value, "prior_state", "values", "root_module"))].filter(
    (resource) => own(resource, "mode") === "data",
  );
  for (const resource of [...lookedUp, ...modules(at(value, section, "root_module"))]) {
    const read = resourceOf(resource, plan, scope, { ...source, path: section });
    if (read !== undefined) resources.set(read.address, read);
  }
  // The key is that by which resources name it: `aws`, `aws.<alias>`, `module.<name>:aws`.
  for (const [key, configuration] of Object.entries(record(at(value, "configuration", "provider_config")))) {
    const constants = Object.entries(record(own(configuration, "expressions"))).map(([name, expression]) => [
      name,
      own(expression, "constant_value"),
    ]);
    providers.set(key, record(Object.fromEntries(constants)));
  }
  return scope;
}

function* modules(module: unknown): Generator<unknown> {
  yield* list(own(module, "resources"));
  for (const child of list(own(module, "child_modules"))) yield* modules(child);
}

function resourceOf(
  resource: unknown,
  plan: Plan,
  scope: TerraformScope,
  source: Source,
): TerraformResource | undefined {
  const address = text(own(resource, "address"));
  const type = text(own(resource, "type"));
  if (address === "" || type === "") return undefined;
  const provider = plan.providerOf(address);
  return {
    address,
    type,
    adopted: own(resource, "mode") === "data",
    values: plan.complete(address, known(own(resource, "values"))),
    provider: provider === "" ? defaultProvider(type) : provider,
    scope,
    source: { ...source, path: `${source.path} ${address}` },
  };
}

/** What a plan does not know is absent or null there. */
function known(values: unknown): Json {
  return Object.fromEntries(Object.entries(record(values)).filter(([, value]) => value !== null));
}
