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
          const [values] = blocks(names[name]);
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
