/*
 * Terraform configurations in JSON syntax, as cdktf writes them: the files of one folder are one configuration. A
 * folder that another configuration calls, or that is below one and not a configuration of its own, is a module.
 * Modules, files in HCL, override files and values of variables are not read. Each is listed, and the resources that it
 * names are unknown.
 *
 * Source: developer.hashicorp.com/terraform/language/syntax/json.
 */

import { basename, dirname, join, resolve } from "node:path";
import { propertyPath } from "../../model/property-path";
import { grouped } from "../../model/grouped";
import { orElse, unread } from "../../model/known";
import type { Json } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { isTreeList, isTreeObject } from "../../model/tree";
import { words } from "../coverage/coverage";
import { type Instance, Resource, listOf, textsIn } from "./block";
import { type FileDocument, parseJson, readText, textIfReadable } from "./documents";
import { STACK_FILE, isBelow, namesIn } from "./input-files";
import type { Scope } from "./scope";
import { withoutMarked, withoutSecrets } from "./sensitive";
import type { SkippedDocument, Source } from "./source";
import type { Terraform } from "./terraform";
import { isPlan, isTerraformShow, priorState, readTerraformShow } from "./terraform-show";
import type { UnreadFiles } from "./unread-files";

export interface ConfigurationFile extends FileDocument {
  readonly value: Json;
}

const SECTIONS: readonly string[] = words("resource data provider terraform module output locals variable");
/** Files of variables that Terraform loads automatically. */
const DEFINITIONS = /^(?:terraform|.*\.auto)\.tfvars(?:\.json)?$/;
const OVERRIDE = /^(?:override|.*_override)\.tf(?:\.json)?$/;
const OWN_SYNTAX = /\.tf$/;
/** Terraform writes it to the folder that it is run in. Source: developer.hashicorp.com/terraform/language/files/dependency-lock. */
const LOCK_FILE = ".terraform.lock.hcl";

const REASONS = {
  module:
    "it is a module by its place or by a call, and modules are not followed; `terraform show -json` of the plan or state has its resources",
  override: "it is an override file, which is not read, so what it changes is not known",
  ownSyntax:
    "Terraform in HCL is not read, so what it declares is not counted; `terraform show -json` prints it as JSON",
  broken: "it is not valid JSON, so what it declares is not counted",
  variables: "values of variables are not read; `terraform show -json` of the plan or state has the results",
} as const;

/** True for an object that has a section of a Terraform configuration and is not a Kubernetes object. */
export function isTerraformConfiguration(document: unknown): document is Json {
  return (
    isRecord(document) &&
    !("kind" in document) &&
    !("format_version" in document) &&
    SECTIONS.some((section) => typeof document[section] === "object" && document[section] !== null)
  );
}

/** True for a file that holds only values of variables. */
export function isVariablesFile(file: string): boolean {
  return file.endsWith(".tfvars") || file.endsWith(".tfvars.json");
}

/** True for a configuration; if it holds only variables or locals, as other JSON files may, its name decides. */
export function isConfiguration({ value, source: { file } }: FileDocument): boolean {
  if (isTerraformShow(value) || isVariablesFile(file)) return false;
  return isTerraformConfiguration(value) || (file.endsWith(".tf.json") && isRecord(value));
}

function isFile(document: FileDocument): document is ConfigurationFile {
  return isRecord(document.value);
}

/**
 * Reads the configuration of a stack's folder; `undefined` if there is none. The main file may have hundreds of
 * megabytes, and is not searched for repeated keys, since `JSON.stringify` wrote it.
 */
export function readStackConfiguration(terraform: Terraform, folder: string): Scope | undefined {
  const files = namesIn(folder)
    .filter((name) => name.endsWith(".tf.json"))
    .map((name): FileDocument => {
      const file = join(folder, name);
      return { value: parseJson(readText(file), file, name === STACK_FILE), source: { file, path: "" } };
    });
  return files.length === 0 ? undefined : readFolder(terraform, folder, files.filter(isFile));
}

/**
 * Reads plans, states and configurations of any folders; `paths` are the given ones, and `isBefore` means the state
 * before each plan. Returns the modules.
 */
export function readPlainTerraform(
  terraform: Terraform,
  documents: readonly FileDocument[],
  paths: readonly string[],
  unread: UnreadFiles,
  isBefore: boolean,
): readonly SkippedDocument[] {
  for (const { value, source } of documents)
    if (isTerraformShow(value))
      readTerraformShow(terraform, isBefore && isPlan(value) ? priorState(value) : value, source);
  const files = documents.filter(isConfiguration).filter(isFile);
  const called = new Set(files.flatMap(calledFrom));
  const tops = paths.map((path) => resolve(path));
  const folders = grouped(files, ({ source }) => dirname(source.file));
  return [...folders].flatMap(([folder, all]): readonly SkippedDocument[] => {
    const isModule =
      called.has(resolve(folder)) || (!isRoot(folder, all) && isBelowOne(resolve(folder), tops));
    if (!isModule) readFolder(terraform, folder, all, unread);
    return isModule ? all.map(({ source }) => ({ source, reason: REASONS.module })) : [];
  });
}

/** Folders of modules that a file calls by a path. */
function calledFrom({ value, source }: ConfigurationFile): readonly string[] {
  return entriesOf(value["module"]).flatMap(([, { source: path }]) =>
    typeof path === "string" && /^\.\.?\//.test(path) ? [resolve(dirname(source.file), path)] : [],
  );
}

/** True for blocks that modules, apart from very old ones, do not have. */
function isRoot(folder: string, files: readonly ConfigurationFile[]): boolean {
  const settings = files.flatMap(({ value }) => listOf(value["terraform"])).filter(isRecord);
  return (
    files.some(({ value }) => value["provider"] !== undefined) ||
    settings.some((block) => "backend" in block || "cloud" in block) ||
    namesIn(folder).includes(LOCK_FILE)
  );
}

/** True if a folder above, up to one of the paths, has a configuration in JSON or HCL. */
function isBelowOne(folder: string, tops: readonly string[]): boolean {
  const above = dirname(folder);
  if (above === folder || !isBelow(above, tops)) return false;
  return namesIn(above).some((name) => /\.tf(?:\.json)?$/.test(name)) || isBelowOne(above, tops);
}

function readFolder(
  terraform: Terraform,
  folder: string,
  files: readonly ConfigurationFile[],
  unread?: UnreadFiles,
): Scope {
  const names = namesIn(folder);
  const variables = names.find((name) => DEFINITIONS.test(name));
  const overrides = files.filter(({ source }) => OVERRIDE.test(basename(source.file)));
  const scope = readConfiguration(
    terraform,
    folder,
    files.filter((file) => !overrides.includes(file)),
    variables === undefined ? undefined : { file: join(folder, variables), path: "" },
  );
  for (const { value, source } of overrides)
    addUnread(scope, source, REASONS.override, JSON.stringify(value), true);
  for (const name of names) {
    const source = { file: join(folder, name), path: "" };
    const isBroken = name.endsWith(".tf.json") && unread?.has(source.file) === true;
    if (!isBroken && !OWN_SYNTAX.test(name)) continue;
    const isOverride = OVERRIDE.test(name);
    const reason = isBroken ? REASONS.broken : isOverride ? REASONS.override : REASONS.ownSyntax;
    // A file that cannot be read names no resource.
    addUnread(scope, source, reason, textIfReadable(source.file) ?? "", isOverride);
  }
  return scope;
}

/** An identifier may contain a minus sign; what precedes its first letter is a number and an operator. */
const NAMED = /(?<![\w-])[\d-]*((?:data\.)?[A-Za-z_][\w-]*\.[A-Za-z_][\w-]*)/g;
/** What is between two quotes of a line, inside and outside of texts: a comment may hold one quote. */
const QUOTED = /(?:[^"\\\n]|\\.)+/g;

/** Records a file that may change the resources that it names; an override file may change any. */
function addUnread(scope: Scope, source: Source, reason: string, text: string, overrides: boolean): void {
  const named = new Set([...text.matchAll(NAMED)].map(([, name]) => name));
  const all = [...scope.resources.values()];
  // Expressions name instances of `count` and `for_each` without their keys.
  const mentions = all.filter(({ address }) => overrides || named.has(address.replace(/\[[^]*$/, "")));
  const texts = new Set(text.match(QUOTED));
  scope.notRead.push({ source, reason, mentions: new Set(mentions), texts, whole: text });
}

/** What Terraform applies but explain does not read: module calls, override files, HCL, variables. */
export function unreadTerraform(
  terraform: Terraform,
  files: readonly string[],
): { readonly skipped: readonly SkippedDocument[]; readonly others: readonly string[] } {
  const skipped: SkippedDocument[] = terraform.scopes.flatMap(({ notRead }) =>
    notRead.map(({ source, reason }) => ({ source, reason })),
  );
  const listed = new Set(skipped.map(({ source }) => source.file));
  const others: string[] = [];
  for (const file of files.filter((each) => !listed.has(each))) {
    const source = { file, path: "" };
    if (isVariablesFile(file)) skipped.push({ source, reason: REASONS.variables });
    else if (OWN_SYNTAX.test(file)) skipped.push({ source, reason: REASONS.ownSyntax });
    else others.push(file);
  }
  return { skipped, others };
}

/** Reads the files of a folder; `variables` is a file with values of variables, which is not read. */
export function readConfiguration(
  terraform: Terraform,
  folder: string,
  files: readonly ConfigurationFile[],
  variables: Source | undefined,
): Scope {
  const scope = terraform.scope(folder);
  for (const { value } of files) {
    for (const [name, configuration] of entriesOf(value["provider"])) {
      const { alias } = configuration;
      const key = typeof alias === "string" && alias !== "" ? `${name}.${alias}` : name;
      scope.providers.set(key, withoutSecrets("", key, configuration));
    }
    addNamed(scope, value, variables);
    for (const { from, to } of listOf(value["moved"]).filter(isRecord))
      if (typeof from === "string" && typeof to === "string") scope.moves.set(to, from);
    for (const { backend } of listOf(value["terraform"]).filter(isRecord))
      for (const [type, settings] of entriesOf(backend)) scope.backend ??= { type, settings };
    for (const [name, output] of entriesOf(value["output"]))
      scope.outputs.set(name, withoutMarked(`output.${name}`, output["value"], output["sensitive"]));
  }
  // Counts and keys may refer to locals of any file.
  for (const { value, source } of files)
    for (const section of ["resource", "data"] as const)
      for (const [type, names] of entriesOf(value[section]))
        for (const [name, values] of entriesOf(names))
          addResource(scope, [section, type, name], values, source);
  for (const { value, source } of files) addModules(scope, value, source);
  return scope;
}

function addNamed(scope: Scope, value: Json, variables: Source | undefined): void {
  for (const block of listOf(value["locals"]).filter(isRecord))
    for (const [name, local] of Object.entries(block)) scope.named.set(`local.${name}`, local);
  for (const [name, variable] of entriesOf(value["variable"])) {
    const override =
      variables && unread(`${variables.file}, which is not read, may give the variable ${name} a value`);
    const meaning = override ?? withoutMarked(`var.${name}`, variable["default"], variable["sensitive"]);
    if (meaning !== undefined) scope.named.set(`var.${name}`, meaning);
  }
}

function addResource(
  scope: Scope,
  path: readonly [section: "resource" | "data", type: string, name: string],
  written: Json,
  file: Source,
): void {
  const [section, type, name] = path;
  const address = section === "data" ? `data.${type}.${name}` : `${type}.${name}`;
  const values = withoutSecrets(type, address, written);
  const source = (): Source => ({ ...file, path: propertyPath(path) });
  const add = (key: string, certain: boolean, instance?: Instance): void => {
    const place = { type, address: key, adopted: section === "data", certain, source, instance };
    scope.resources.set(key, new Resource(scope, values, place));
  };
  // Terraform refuses two blocks with one address, so neither of them is certain.
  const isRepeated = scope.resources.has(address);
  if (isRepeated || (values["count"] === undefined && values["for_each"] === undefined)) {
    add(address, !isRepeated);
    return;
  }
  const all = instances(scope, values);
  if (all === undefined || !scope.growth.allows(all.length, values)) add(address, false);
  else for (const instance of all) add(`${address}[${JSON.stringify(instance.key)}]`, true, instance);
}

/** More of one resource would be a mistake; Terraform itself is slow with thousands. */
const INSTANCES_MAX = 1000;

/** The instances that `count` and `for_each` create; `undefined` if they are not known. */
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

/** Records module calls and what they are given; what the modules do with it is not read. */
function addModules(scope: Scope, value: Json, file: Source): void {
  for (const [name, block] of entriesOf(value["module"])) {
    const source: Source = { ...file, path: propertyPath(["module", name]) };
    const reason = "a module, which explain does not follow";
    const whole = JSON.stringify(block);
    scope.notRead.push({
      source,
      reason,
      mentions: scope.mentions(block),
      texts: new Set(textsIn(block)),
      whole,
    });
  }
}

/** The blocks of a section that is keyed by name. */
function entriesOf(section: unknown): readonly (readonly [string, Json])[] {
  return listOf(section)
    .filter(isRecord)
    .flatMap((block) => Object.entries(block))
    .filter(([name]) => name !== "//")
    .flatMap(([name, blocks]) =>
      listOf(blocks)
        .filter(isRecord)
        .map((inner) => [name, inner] as const),
    );
}
