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
      addResources(section, value, source, scope, resources);
    for (const [name, configuration] of entriesOf(own(value, "provider")))
      providers.set(providerKey(name, configuration), configuration);
    for (const block of blocks(own(value, "locals")))
      for (const [name, local] of Object.entries(block)) named.set(`local.${name}`, local);
    for (const [name, variable] of entriesOf(own(value, "variable")))
      named.set(`var.${name}`, own(variable, "default"));
  }
  return scope;
}

/** Adds the resources of one section; there may be tens of thousands, so that nothing is made which may not be read. */
function addResources(
  section: "resource" | "data",
  document: unknown,
  source: Source,
  scope: TerraformScope,
  resources: Map<string, TerraformResource>,
): void {
  for (const types of blocks(own(document, section)))
    for (const type of Object.keys(types)) {
      const place: Place = { section, type, scope, document: source, provider: defaultProvider(type) };
      for (const names of blocks(types[type]))
        for (const name of Object.keys(names)) {
          const resource = type === "//" ? undefined : writtenResource(place, name, names[name]);
          if (resource) resources.set(resource.address, resource);
        }
    }
}

/** What the resources of one type have in common. */
interface Place {
  readonly section: "resource" | "data";
  readonly type: string;
  readonly scope: TerraformScope;
  readonly document: Source;
  readonly provider: string;
}

function writtenResource(place: Place, name: string, value: unknown): TerraformResource | undefined {
  const written = Array.isArray(value) ? blocks(value)[0] : record(value);
  if (value === null || written === undefined) return undefined;
  const values = certainValues(written);
  return values && new WrittenResource(place, name, values, values === written ? undefined : written);
}

/** Its place is put together when it is read. */
class WrittenResource implements TerraformResource {
  readonly address: string;
  readonly type: string;
  readonly adopted: boolean;
  readonly values: Json;
  readonly written?: Json;
  readonly provider: string;
  readonly scope: TerraformScope;
  readonly #place: Place;
  readonly #name: string;
  #source: Source | undefined;

  constructor(place: Place, name: string, values: Json, written: Json | undefined) {
    const { section, type, scope } = place;
    const provider = values["provider"];
    this.address = section === "data" ? `data.${type}.${name}` : `${type}.${name}`;
    this.type = type;
    this.adopted = section === "data";
    this.values = values;
    if (written) this.written = written;
    this.provider =
      typeof provider === "string" && provider !== "" ? provider.replace(REFERENCE, "$1") : place.provider;
    this.scope = scope;
    this.#place = place;
    this.#name = name;
  }

  get source(): Source {
    const { section, type, document } = this.#place;
    return (this.#source ??= { ...document, path: propertyPath([section, type, this.#name]) });
  }
}

const REFERENCE = /^\$\{(.*)\}$/;

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
  if (values["count"] === undefined && values["for_each"] === undefined) return values;
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
