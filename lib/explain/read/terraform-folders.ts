/*
 * Terraform by folder: the files of one folder are one configuration. A folder that another configuration calls, or that
 * stands below one without being one of its own, is a module, which is not read; nor are files in Terraform's own
 * syntax, override files and values of variables. Each is listed, and what it names is not known.
 */

import { basename, dirname, join, resolve } from "node:path";
import { isWorkloadIdentityError } from "../../errors";
import { grouped } from "../../model/grouped";
import type { Json } from "../../model/parsed";
import { isRecord } from "../../model/record";
import { listOf } from "./block";
import { type FileDocument, parseJson, readText } from "./documents";
import { STACK_FILE, isBelow, namesIn } from "./input-files";
import type { NotRead, Scope } from "./scope";
import type { SkippedDocument } from "./skipped";
import type { Source } from "./source";
import type { Terraform } from "./terraform";
import {
  type ConfigurationFile,
  isTerraformConfiguration,
  readConfiguration,
} from "./terraform-configuration";
import { isTerraformShow, readTerraformShow } from "./terraform-show";

/** Files of variables that Terraform reads of itself. */
const DEFINITIONS = /^(?:terraform|.*\.auto)\.tfvars(?:\.json)?$/;
const OVERRIDE = /^(?:override|.*_override)\.tf(?:\.json)?$/;
const OWN_SYNTAX = /\.tf$/;
/** Terraform writes it to the folder that it is run in. Source: developer.hashicorp.com/terraform/language/files/dependency-lock. */
const LOCK_FILE = ".terraform.lock.hcl";

/** True for a file that holds nothing but values of variables. */
export function isVariablesFile(file: string): boolean {
  return file.endsWith(".tfvars") || file.endsWith(".tfvars.json");
}

/** True for a configuration; by its name also where it holds only variables or locals, which other files have as well. */
export function isConfiguration({ value, source: { file } }: FileDocument): boolean {
  if (isTerraformShow(value) || isVariablesFile(file)) return false;
  return isTerraformConfiguration(value) || (file.endsWith(".tf.json") && isRecord(value));
}

/**
 * Reads the configuration of a stack's folder; `undefined` where there is none. `JSON.stringify` wrote the main file, so
 * that no key is there twice; it may have hundreds of megabytes, in which none is looked for.
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

function isFile(document: FileDocument): document is ConfigurationFile {
  return isRecord(document.value);
}

/** Reads plans, states and configurations of any folders; `paths` were named to be read. Returns what is a module. */
export function readPlainTerraform(
  terraform: Terraform,
  documents: readonly FileDocument[],
  paths: readonly string[],
): readonly SkippedDocument[] {
  for (const { value, source } of documents)
    if (isTerraformShow(value)) readTerraformShow(terraform, value, source);
  const files = documents.filter(isConfiguration).filter(isFile);
  const folders = grouped(files, ({ source }) => dirname(source.file));
  const called = new Set(files.flatMap((file) => calledFrom(dirname(file.source.file), file)));
  const isBelowOne = belowConfigurations(paths);
  return [...folders].flatMap(([folder, all]): readonly SkippedDocument[] => {
    const isModule = called.has(resolve(folder)) || (!isRoot(folder, all) && isBelowOne(folder));
    if (!isModule) readFolder(terraform, folder, all);
    return isModule ? all.map(({ source }) => ({ source, reason: MODULE })) : [];
  });
}

const MODULE =
  "a module by its place or by a call, which is not followed; terraform show -json of the plan or state has what it makes";

/** Folders of modules that a file calls by a path. */
function calledFrom(folder: string, { value }: ConfigurationFile): readonly string[] {
  return listOf(value["module"])
    .filter(isRecord)
    .flatMap(Object.values<unknown>)
    .flatMap(listOf)
    .flatMap((call) => {
      const source = isRecord(call) ? call["source"] : undefined;
      return typeof source === "string" && /^\.\.?\//.test(source) ? [resolve(folder, source)] : [];
    });
}

/** Modules have none of these, those of long ago aside. */
function isRoot(folder: string, files: readonly ConfigurationFile[]): boolean {
  const states = files.some(({ value }) => {
    const settings = listOf(value["terraform"]).filter(isRecord);
    return (
      value["provider"] !== undefined || settings.some((block) => "backend" in block || "cloud" in block)
    );
  });
  return states || namesIn(folder).includes(LOCK_FILE);
}

/** True for a folder with a configuration in a folder above it, as far up as one of the paths; in whatever syntax. */
function belowConfigurations(paths: readonly string[]): (folder: string) => boolean {
  const tops = paths.map((path) => resolve(path));
  const known = new Map<string, boolean>();
  const isBelowOne = (folder: string): boolean => {
    const above = dirname(resolve(folder));
    if (above === resolve(folder) || !isBelow(above, tops)) return false;
    const found =
      known.get(above) ?? (namesIn(above).some((name) => /\.tf(?:\.json)?$/.test(name)) || isBelowOne(above));
    known.set(above, found);
    return found;
  };
  return isBelowOne;
}

function readFolder(terraform: Terraform, folder: string, files: readonly ConfigurationFile[]): Scope {
  const names = namesIn(folder);
  const variables = names.find((name) => DEFINITIONS.test(name));
  const isOverride = ({ source }: ConfigurationFile): boolean => OVERRIDE.test(basename(source.file));
  const scope = readConfiguration(
    terraform,
    folder,
    files.filter((file) => !isOverride(file)),
    variables === undefined ? undefined : { file: join(folder, variables), path: "" },
  );
  const byAddress = addresses(scope);
  for (const { value, source } of files.filter(isOverride))
    scope.notRead.push(
      notRead(source, REASONS.override, JSON.stringify(value), byAddress, declaredIn(value)),
    );
  for (const name of names.filter((each) => OWN_SYNTAX.test(each))) {
    const source = { file: join(folder, name), path: "" };
    const reason = OVERRIDE.test(name) ? REASONS.override : REASONS.ownSyntax;
    scope.notRead.push(notRead(source, reason, textIfReadable(source.file), byAddress, []));
  }
  return scope;
}

const REASONS = {
  override: "an override file, which is not read: what it changes is not known",
  ownSyntax: "Terraform in its own syntax is not read; what it declares counts nowhere",
  variables: "values of variables are not read; terraform show -json of the plan or state has what they make",
} as const;

/** A file that stands beside and cannot be read names nothing that could be found. */
function textIfReadable(file: string): string {
  try {
    return readText(file);
  } catch (error) {
    if (!isWorkloadIdentityError(error)) throw error;
    return "";
  }
}

/** Resources by address, those of `count` and `for_each` by that of all of them. */
function addresses({ resources }: Scope): ReadonlyMap<string, readonly object[]> {
  return grouped(resources.values(), ({ address }) => address.replace(/\[.*$/, ""));
}

const NAMED = /\b(?:data\.)?[A-Za-z_][\w-]*\.[A-Za-z_][\w-]*/g;
const QUOTED = /"((?:[^"\\\n]|\\.)*)"/g;

function notRead(
  source: Source,
  reason: string,
  text: string,
  byAddress: ReadonlyMap<string, readonly object[]>,
  declared: readonly string[],
): NotRead {
  const named = [...(text.match(NAMED) ?? []), ...declared];
  const mentions = new Set(
    declared.includes(EVERYTHING)
      ? [...byAddress.values()].flat()
      : named.flatMap((address) => byAddress.get(address) ?? []),
  );
  return { source, reason, mentions, texts: [...text.matchAll(QUOTED)].map(([, each = ""]) => each) };
}

/** What an override file changes with locals, variables or providers. */
const EVERYTHING = "*";

/** The addresses of the resources that a file declares. */
function declaredIn(value: Json): readonly string[] {
  return Object.entries(value).flatMap(([section, types]) => {
    if (section === "//" || section === "output") return [];
    if (section !== "resource" && section !== "data") return [EVERYTHING];
    const prefix = section === "data" ? "data." : "";
    return listOf(types)
      .filter(isRecord)
      .flatMap(Object.entries<unknown>)
      .flatMap(([type, names]) =>
        listOf(names)
          .filter(isRecord)
          .flatMap((each) => Object.keys(each).map((name) => `${prefix}${type}.${name}`)),
      );
  });
}

/** What Terraform applies and is not read: calls of modules, override files, files in its own syntax, variables. */
export function unreadTerraform(
  terraform: Terraform,
  files: readonly string[],
): { readonly skipped: readonly SkippedDocument[]; readonly others: readonly string[] } {
  const inScopes = terraform.scopes.flatMap(({ notRead: each }) => each);
  const listed = new Set(inScopes.map(({ source }) => source.file));
  const rows = files.map((file): readonly [string, string | undefined] => [file, reasonFor(file)]);
  return {
    skipped: [
      ...inScopes.map(({ source, reason }) => ({ source, reason })),
      ...rows.flatMap(([file, reason]) =>
        reason === undefined || listed.has(file) ? [] : [{ source: { file, path: "" }, reason }],
      ),
    ],
    others: rows.flatMap(([file, reason]) => (reason === undefined && !listed.has(file) ? [file] : [])),
  };
}

function reasonFor(file: string): string | undefined {
  if (isVariablesFile(file)) return REASONS.variables;
  return OWN_SYNTAX.test(file) ? REASONS.ownSyntax : undefined;
}
