/*
 * Terraform configurations in JSON syntax: what cdktf writes, and what people write by hand.
 * Source: developer.hashicorp.com/terraform/language/syntax/json.
 */

import { type Json, blocks, own, record, text } from "./access";
import { backendOf } from "./remote-state";
import type { Source } from "./source";
import { propertyPath } from "../../artefact/property-path";
import { type TerraformResource, type TerraformScope } from "./terraform";
import { defaultProvider, withoutDynamic } from "./terraform-values";

const SECTIONS: readonly string[] = ["resource", "data", "provider", "terraform", "module", "output"];

/** True for an object that has a section of a Terraform configuration and is no Kubernetes object. */
export function isTerraformConfiguration(document: unknown): boolean {
  const json = record(document);
  return !("kind" in json) && SECTIONS.some((section) => typeof own(json, section) === "object");
}

/** One file of a configuration. */
export interface ConfigurationFile {
  /** Where it stands. */
  readonly source: Source;
  /** The parsed file. */
  readonly value: unknown;
  /**
   * False where no `dynamic` block is in it.
   *
   * @defaultValue true
   */
  readonly hasDynamic?: boolean;
}

/** How a configuration is applied. */
export interface AppliedAs {
  /** The value of a variable, given its default; `undefined` for one that cannot be told. */
  readonly variable: (name: string, byDefault: unknown) => unknown;
  /** False for a module of which it is not certain that it is applied. */
  readonly certain: boolean;
  /**
   * The provider configuration that a caller hands to a module.
   *
   * @defaultValue - none does
   */
  readonly inherited?: (key: string) => Json | undefined;
}

/** By itself, with nothing that gives its variables other values. */
const ALONE: AppliedAs = { variable: (_name, byDefault) => byDefault, certain: true };

/**
 * Several files of one folder are one configuration. The blocks of an override file change those of the others,
 * argument by argument.
 *
 * Source: developer.hashicorp.com/terraform/language/files/override.
 */
export function readTerraformConfiguration(
  id: number,
  files: readonly ConfigurationFile[],
  applied: AppliedAs = ALONE,
): TerraformScope {
  const resources = new Map<string, TerraformResource>();
  const providers = new Map<string, Json>();
  const named = new Map<string, unknown>();
  const outputs = new Map<string, unknown>();
  const backend = files.map(({ value }) => backendOf(value)).find((each) => each);
  const { inherited } = applied;
  const rest = { named, outputs, backend, ...(inherited && { inherited }) };
  const scope: TerraformScope = { id, resources, providers, ...rest };
  const defaults = new Map<string, unknown>();
  for (const { source, value, hasDynamic = true } of [...files.filter(isBase), ...overriding(files)]) {
    for (const section of ["resource", "data"] as const)
      addResources({ section, file: source, scope, applied, hasDynamic }, value, resources);
    for (const [name, configuration] of entriesOf(own(value, "provider"))) {
      const key = providerKey(name, configuration);
      providers.set(key, { ...providers.get(key), ...configuration });
    }
    for (const block of blocks(own(value, "locals")))
      for (const [name, local] of Object.entries(block)) named.set(`local.${name}`, local);
    for (const [name, output] of entriesOf(own(value, "output"))) outputs.set(name, output["value"]);
    for (const [name, variable] of entriesOf(own(value, "variable")))
      defaults.set(name, own(variable, "default") ?? defaults.get(name));
  }
  for (const [name, byDefault] of defaults) named.set(`var.${name}`, applied.variable(name, byDefault));
  return scope;
}

const OVERRIDE = /(?:^|[/\\_])override\.tf\.json$/;

function isBase({ source: { file } }: ConfigurationFile): boolean {
  return !OVERRIDE.test(file);
}

function overriding(files: readonly ConfigurationFile[]): readonly ConfigurationFile[] {
  const found = files.filter((file) => !isBase(file));
  return found.sort((one, other) => (one.source.file < other.source.file ? -1 : 1));
}

/** Adds the resources of one section; there may be tens of thousands, so that nothing is made which may not be read. */
function addResources(
  within: Omit<Place, "type" | "provider">,
  document: unknown,
  resources: Map<string, TerraformResource>,
): void {
  for (const types of blocks(own(document, within.section)))
    for (const type of Object.keys(types)) {
      if (type === "//") continue;
      const place: Place = { ...within, type, provider: defaultProvider(type) };
      for (const names of blocks(types[type]))
        for (const name of Object.keys(names)) addResource(place, name, names[name], resources);
    }
}

function addResource(
  place: Place,
  name: string,
  value: unknown,
  resources: Map<string, TerraformResource>,
): void {
  for (const block of blocks(value)) {
    const address = addressOf(place, name);
    const known = resources.get(address);
    const written = known ? merged(known.written ?? known.values, block, place.file) : block;
    const resource = writtenResource(place, name, address, written);
    if (resource) resources.set(address, resource);
    else resources.delete(address);
  }
}

/** Terraform refuses two blocks of one address, unless one of them overrides the other. */
function merged(known: Json, block: Json, file: Source): Json {
  const both = { ...known, ...block };
  return OVERRIDE.test(file.file) ? both : { ...both, count: "${twice.declared}" };
}

function addressOf({ section, type }: Place, name: string): string {
  return section === "data" ? `data.${type}.${name}` : `${type}.${name}`;
}

/** What the resources of one type have in common. */
interface Place {
  readonly section: "resource" | "data";
  readonly type: string;
  readonly scope: TerraformScope;
  readonly file: Source;
  readonly applied: AppliedAs;
  readonly provider: string;
  readonly hasDynamic: boolean;
}

function writtenResource(
  place: Place,
  name: string,
  address: string,
  block: Json,
): TerraformResource | undefined {
  const written = place.hasDynamic ? withoutDynamic(block) : block;
  const values = certainValues(written, place.applied.certain);
  return (
    values && new WrittenResource(place, name, address, values, values === written ? undefined : written)
  );
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

  constructor(place: Place, name: string, address: string, values: Json, written: Json | undefined) {
    const { section, type, scope } = place;
    const provider = values["provider"];
    this.address = address;
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
    const { section, type, file } = this.#place;
    return (this.#source ??= { ...file, path: propertyPath([section, type, this.#name]) });
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
  "roles",
  "user_assigned_identity_id",
];

/** Whether what `count` or `for_each` of a block stands for is there. */
export function presence({ count, for_each: each }: Json): "yes" | "no" | "perhaps" {
  if (count === undefined && each === undefined) return "yes";
  const times = String(count ?? 1);
  if (/^0+$/.test(times)) return "no";
  return each === undefined && /^\d+$/.test(times) ? "yes" : "perhaps";
}

/**
 * The arguments of a resource that is certainly there; `undefined` for one that certainly is not (`count` 0).
 *
 * Where `count` or `for_each` decides it, the arguments count as known after apply, so that nothing rests on them.
 */
function certainValues(values: Json, certain: boolean): Json | undefined {
  const present = presence(values);
  if (present === "no") return undefined;
  if (present === "yes" && certain) return values;
  const open = Object.entries(values).map(([key, value]) => [
    key,
    OWNERS.includes(key) ? value : "${perhaps.there}",
  ]);
  return record(Object.fromEntries(open));
}

/** The blocks of a section that is keyed by name once. */
export function entriesOf(section: unknown): readonly (readonly [string, Json])[] {
  return blocks(section).flatMap((block) =>
    Object.keys(block).flatMap((name) => blocks(block[name]).map((inner) => [name, inner] as const)),
  );
}

function providerKey(name: string, configuration: Json): string {
  const alias = text(configuration["alias"]);
  return alias === "" ? name : `${name}.${alias}`;
}
