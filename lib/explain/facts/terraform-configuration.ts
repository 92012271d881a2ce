/*
 * Terraform configurations in JSON syntax: what cdktf writes, and what people write by hand.
 * Source: developer.hashicorp.com/terraform/language/syntax/json.
 */

import { type Json, blocks, own, record, text } from "./access";
import type { Source } from "./source";
import { propertyPath } from "../../artefact/property-path";
import { type TerraformResource, type TerraformScope, defaultProvider } from "./terraform";

const SECTIONS: readonly string[] = ["resource", "data", "provider", "terraform", "module", "output"];

/** True for an object that has a section of a Terraform configuration and is no Kubernetes object. */
export function isTerraformConfiguration(document: unknown): boolean {
  const json = record(document);
  return !("kind" in json) && SECTIONS.some((section) => typeof own(json, section) === "object");
}

/** Several files of one folder are one configuration. */
export function readTerraformConfiguration(
  id: number,
  documents: readonly { readonly source: Source; readonly value: unknown }[],
): TerraformScope {
  const resources = new Map<string, TerraformResource>();
  const providers = new Map<string, Json>();
  const named = new Map<string, unknown>();
  const scope: TerraformScope = { id, resources, providers, named };
  for (const { source, value } of documents) {
    for (const section of ["resource", "data"] as const)
      for (const resource of resourcesOf(section, value, source, scope))
        resources.set(resource.address, resource);
    for (const [name, configuration] of entriesOf(own(value, "provider")))
      providers.set(providerKey(name, configuration), configuration);
    for (const block of blocks(own(value, "locals")))
      for (const [name, local] of Object.entries(block)) named.set(`local.${name}`, local);
    for (const [name, variable] of entriesOf(own(value, "variable")))
      named.set(`var.${name}`, own(variable, "default"));
  }
  return scope;
}

function resourcesOf(
  section: "resource" | "data",
  document: unknown,
  source: Source,
  scope: TerraformScope,
): TerraformResource[] {
  return blocks(own(document, section)).flatMap((types) =>
    Object.keys(types).flatMap((type) =>
      blocks(types[type]).flatMap((names) =>
        Object.keys(names).flatMap((name) => {
          const [written] = blocks(names[name]);
          const values = written && certainValues(written);
          if (values === undefined || type === "//") return [];
          const provider = text(values["provider"]).replace(/^\$\{(.*)\}$/, "$1");
          return {
            address: `${section === "data" ? "data." : ""}${type}.${name}`,
            type,
            adopted: section === "data",
            values,
            provider: provider === "" ? defaultProvider(type) : provider,
            scope,
            source: { ...source, path: propertyPath([section, type, name]) },
          };
        }),
      ),
    ),
  );
}

/** Arguments that say whose a resource is; without them nobody would know what else may be there. */
const OWNERS: readonly string[] = [
  "member",
  "members",
  "parent_id",
  "principal_id",
  "provider",
  "repository",
  "role",
  "user_assigned_identity_id",
];

const COUNTED_NONE = /^0+$/;
const COUNTED = /^\d+$/;

/**
 * The arguments of a resource that is certainly there; `undefined` for one that certainly is not (`count` 0).
 *
 * Where `count` or `for_each` decides it, the arguments count as known after apply, so that nothing rests on them.
 */
function certainValues(values: Json): Json | undefined {
  const count = String(values["count"] ?? 1);
  if (COUNTED_NONE.test(count)) return undefined;
  if (COUNTED.test(count) && values["for_each"] === undefined) return values;
  const open = Object.entries(values).map(([key, value]) => [
    key,
    OWNERS.includes(key) ? value : "${perhaps.there}",
  ]);
  return record(Object.fromEntries(open));
}

/** The blocks of a section that is keyed by name once. */
function entriesOf(section: unknown): readonly (readonly [string, Json])[] {
  return blocks(section).flatMap((block) =>
    Object.keys(block).flatMap((name) => blocks(block[name]).map((inner) => [name, inner] as const)),
  );
}

function providerKey(name: string, configuration: Json): string {
  const alias = text(configuration["alias"]);
  return alias === "" ? name : `${name}.${alias}`;
}
