/*
 * Terraform configurations in JSON syntax, as cdktf writes them: the files of one folder are one configuration.
 *
 * Modules, override files and files of variables are not read; each is listed, and what they could touch is not known.
 * Source: developer.hashicorp.com/terraform/language/syntax/json.
 */

import { propertyPath } from "../../artefact/property-path";
import { orElse, unread } from "../../model/known";
import type { Json } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { isTreeList, isTreeObject } from "../../model/tree";
import { type Instance, Resource, listOf } from "./block";
import type { Scope } from "./scope";
import type { Source } from "./source";
import type { Terraform } from "./terraform";

const SECTIONS: readonly string[] = [
  "resource",
  "data",
  "provider",
  "terraform",
  "module",
  "output",
  "locals",
  "variable",
];

/** True for an object that has a section of a Terraform configuration and is no Kubernetes object. */
export function isTerraformConfiguration(document: unknown): document is Json {
  return (
    isRecord(document) &&
    !("kind" in document) &&
    !("format_version" in document) &&
    SECTIONS.some((section) => typeof document[section] === "object" && document[section] !== null)
  );
}

/** One file of a configuration. */
export interface ConfigurationFile {
  readonly source: Source;
  readonly value: Json;
}

/** Reads the files of a folder; `variables` tells that files beside them give variables values that were not read. */
export function readConfiguration(
  terraform: Terraform,
  folder: string,
  files: readonly ConfigurationFile[],
  variables: Source | undefined,
): Scope {
  const scope = terraform.scope(folder);
  for (const { value } of files) {
    addProviders(scope, value);
    addNamed(scope, value, variables);
    scope.backend ??= backendOf(value);
    for (const [name, output] of entriesOf(value["output"])) scope.outputs.set(name, output["value"]);
  }
  // Counts and keys may refer to locals of any file.
  for (const { value, source } of files) {
    for (const section of ["resource", "data"] as const) addResources(scope, section, value[section], source);
  }
  for (const { value, source } of files) addModules(scope, value, source);
  return scope;
}

function addProviders(scope: Scope, value: Json): void {
  for (const [name, configuration] of entriesOf(value["provider"])) {
    const alias = configuration["alias"];
    const key = typeof alias === "string" && alias !== "" ? `${name}.${alias}` : name;
    scope.providers.set(key, configuration);
  }
}

function addNamed(scope: Scope, value: Json, variables: Source | undefined): void {
  for (const block of listOf(value["locals"]).filter(isRecord))
    for (const [name, local] of Object.entries(block)) scope.named.set(`local.${name}`, local);
  for (const [name, variable] of entriesOf(value["variable"])) {
    if (variables)
      scope.named.set(
        `var.${name}`,
        unread(`${variables.file}, which is not read, may give the variable ${name} a value`),
      );
    else if (variable["default"] !== undefined) scope.named.set(`var.${name}`, variable["default"]);
  }
}

function backendOf(value: Json): Scope["backend"] {
  for (const block of listOf(value["terraform"]).filter(isRecord))
    for (const backend of listOf(block["backend"]).filter(isRecord))
      for (const [type, settings] of Object.entries(backend)) {
        const [first] = listOf(settings);
        return { type, settings: isRecord(first) ? first : {} };
      }
  return undefined;
}

type Section = "resource" | "data";

function addResources(scope: Scope, section: Section, written: unknown, file: Source): void {
  for (const types of listOf(written).filter(isRecord))
    for (const type of Object.keys(types)) {
      if (type === "//") continue;
      for (const names of listOf(types[type]).filter(isRecord))
        for (const name of Object.keys(names)) {
          const blocks = listOf(names[name]).filter(isRecord);
          for (const values of blocks) addResource(scope, section, [type, name], values, file);
        }
    }
}

function addResource(
  scope: Scope,
  section: Section,
  [type, name]: readonly [string, string],
  values: Json,
  file: Source,
): void {
  const address = section === "data" ? `data.${type}.${name}` : `${type}.${name}`;
  const place = {
    type,
    adopted: section === "data",
    source: (): Source => ({ ...file, path: propertyPath([section, type, name]) }),
  };
  // Terraform refuses two blocks of one address, so that neither of them is certain.
  const isRepeated = scope.resources.has(address);
  if (isRepeated || (values["count"] === undefined && values["for_each"] === undefined)) {
    scope.resources.set(address, new Resource(scope, values, { ...place, address, certain: !isRepeated }));
    return;
  }
  const made = instances(scope, values);
  if (made === undefined) {
    scope.resources.set(address, new Resource(scope, values, { ...place, address, certain: false }));
    return;
  }
  for (const instance of made) {
    const key = `${address}[${JSON.stringify(instance.key)}]`;
    scope.resources.set(
      key,
      new Resource(scope, values, { ...place, address: key, certain: true, instance }),
    );
  }
}

/** More would be a mistake; Terraform itself is slow with thousands. */
const INSTANCES_MAX = 1000;

/** What `count` and `for_each` make of a resource; `undefined` where that is not known. */
function instances(scope: Scope, { count, for_each: each }: Json): readonly Instance[] | undefined {
  if (each === undefined) {
    const times = Number(orElse(scope.text(String(count)), () => Number.NaN));
    if (!Number.isSafeInteger(times) || times < 0 || times > INSTANCES_MAX) return undefined;
    return Array.from({ length: times }, (_, key) => ({ key, value: key }));
  }
  const value = orElse(scope.evaluated(each), () => undefined);
  if (isTreeList(value)) {
    const keys = value.map((item) => orElse(item, () => undefined));
    return keys.every((key) => typeof key === "string")
      ? [...new Set(keys)].map((key) => ({ key, value: key }))
      : undefined;
  }
  return isTreeObject(value) ? Object.entries(value).map(([key, item]) => ({ key, value: item })) : undefined;
}

/** A module's call says what it is given; what it makes of that is not read. */
function addModules(scope: Scope, value: Json, file: Source): void {
  for (const [name, block] of entriesOf(value["module"])) {
    const source: Source = { ...file, path: propertyPath(["module", name]) };
    const { mentions, texts } = mentioned(scope, block);
    scope.notRead.push({ source, reason: "the call of a module, which is not followed", mentions, texts });
  }
}

/** The resources that a value refers to, however deep, and the texts in it. */
function mentioned(
  scope: Scope,
  value: unknown,
): { readonly mentions: ReadonlySet<object>; readonly texts: readonly string[] } {
  const texts: string[] = [];
  const visit = (each: unknown): void => {
    if (typeof each === "string") texts.push(each);
    else if (typeof each === "object" && each !== null) Object.values(each).forEach(visit);
  };
  visit(value);
  return { mentions: new Set(scope.targets(value)), texts };
}

/** The blocks of a section that is keyed by name once. */
function entriesOf(section: unknown): readonly (readonly [string, Json])[] {
  return listOf(section)
    .filter(isRecord)
    .flatMap((block) =>
      Object.keys(block).flatMap((name) =>
        listOf(block[name])
          .filter(isRecord)
          .map((inner) => [name, inner] as const),
      ),
    );
}
