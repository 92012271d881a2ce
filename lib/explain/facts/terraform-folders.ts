/*
 * Terraform configurations by folder: the files of one folder are one configuration, which is applied by itself, or as
 * a module that another one calls.
 */

import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "../../artefact/synth-folder";
import { fail } from "../../errors";
import { type Json, own, text } from "./access";
import { parseJson } from "./read-documents";
import { readUtf8 } from "./read-text";
import type { Source } from "./source";
import type { TerraformScope } from "./terraform";
import {
  type AppliedAs,
  type ConfigurationFile,
  entriesOf,
  presence,
  readTerraformConfiguration,
} from "./terraform-configuration";
import { variablesIn } from "./terraform-variables";

/** Adds the configurations of files that stand in any folders. */
export function addConfigurations(all: readonly ConfigurationFile[], scopes: TerraformScope[]): void {
  const folders = new Map<string, ConfigurationFile[]>();
  for (const file of all) {
    const folder = resolve(dirname(file.source.file));
    const same = folders.get(folder);
    if (same) same.push(file);
    else folders.set(folder, [file]);
  }
  const calls = [...folders].flatMap(([folder, here]) => callsIn(folder, here));
  for (const [folder, files] of folders) {
    const here = calls.filter((call) => call.folder === folder);
    for (const applied of here.length === 0
      ? [asRoot(dirname(files[0]?.source.file ?? folder))]
      : modulesOf(here, calls))
      scopes.push(readTerraformConfiguration(scopes.length, files, applied));
  }
}

/**
 * Reads the configuration of a stack's folder: the file of that name, and all others of Terraform in JSON beside it;
 * `undefined` where there is none. `JSON.stringify` wrote `main`, so that no key is there twice; it may have hundreds of
 * megabytes, in which none is looked for.
 */
export function stackConfiguration(folder: string, main: string, id: number): TerraformScope | undefined {
  const names = namesIn(folder).filter((name) => name.endsWith(".tf.json"));
  const files = names.map((name): ConfigurationFile => {
    const file = join(folder, name);
    const written = readUtf8(file);
    const value = parseJson(written, file, name === main);
    return { value, source: { file, path: "" }, hasDynamic: mayHaveKey(written, "dynamic") };
  });
  return files.length === 0 ? undefined : readTerraformConfiguration(id, files, asRoot(folder));
}

/** The files in Terraform's own syntax that stand in the folders; they are not read. */
export function unreadConfigurations(folders: Iterable<string>): readonly Source[] {
  return [...new Set(folders)].flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.endsWith(".tf"))
      .map((name) => ({ file: join(folder, name), path: "" })),
  );
}

/** Looking through a text takes no time beside looking through what was made of it. */
function mayHaveKey(json: string, key: string): boolean {
  return json.includes(`"${key}"`) || json.includes("\\u");
}

function asRoot(folder: string): AppliedAs {
  return { certain: true, variable: variablesIn(folder, namesIn(folder)) };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    return fail("explain-file-unreadable", folder, errorCode(error));
  }
}

/** A call of a module that stands in a folder of its own. */
interface ModuleCall {
  /** The module's folder. */
  readonly folder: string;
  /** The folder of the configuration that calls it. */
  readonly caller: string;
  readonly block: Json;
}

/** Source: developer.hashicorp.com/terraform/language/modules/sources, "Local Paths". */
function callsIn(caller: string, files: readonly ConfigurationFile[]): readonly ModuleCall[] {
  return files
    .flatMap(({ value }) => entriesOf(own(value, "module")))
    .map(([, block]) => ({ block, source: text(block["source"]) }))
    .filter(({ source }) => /^\.\.?\//.test(source))
    .map(({ block, source }) => ({ block, caller, folder: resolve(caller, source) }));
}

/** A module is applied once for each call that can count. */
function modulesOf(here: readonly ModuleCall[], calls: readonly ModuleCall[]): readonly AppliedAs[] {
  return here
    .filter(({ block }) => presence(block) !== "no")
    .map((call) => ({
      certain: isCertain(call, calls, new Set()),
      variable: (name, byDefault) => {
        const given = own(call.block, name);
        return given === undefined ? byDefault : literal(given);
      },
    }));
}

/** An expression speaks of what the caller knows, and is followed nowhere. */
function literal(value: unknown): unknown {
  return typeof value === "object" || (typeof value === "string" && /[$%]\{/.test(value)) ? undefined : value;
}

/** A module that perhaps is not there calls none for certain, and neither do modules in a circle. */
function isCertain(
  { block, caller }: ModuleCall,
  calls: readonly ModuleCall[],
  seen: ReadonlySet<string>,
): boolean {
  if (presence(block) !== "yes" || seen.has(caller)) return false;
  const above = calls.filter(({ folder }) => folder === caller);
  return above.every((call) => isCertain(call, calls, new Set([...seen, caller])));
}
