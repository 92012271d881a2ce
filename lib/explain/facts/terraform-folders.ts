/*
 * Terraform configurations by folder: the files of one folder are one configuration, which is applied by itself, or as
 * a module that another one calls.
 */

import { readdirSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { errorCode } from "../../artefact/synth-folder";
import { fail } from "../../errors";
import { blocks, own } from "./access";
import { parseJson } from "./read-documents";
import { readUtf8 } from "./read-text";
import type { Source } from "./source";
import type { TerraformScope } from "./terraform";
import {
  type AppliedAs,
  type ConfigurationFile,
  readTerraformConfiguration,
} from "./terraform-configuration";
import { callsIn, modulesOf } from "./terraform-modules";
import { variablesIn } from "./terraform-variables";

/** Adds the configurations of files that stand in any folders; `paths` are those that were named to be read. */
export function addConfigurations(
  all: readonly ConfigurationFile[],
  paths: readonly string[],
  scopes: TerraformScope[],
): void {
  const folders = new Map<string, ConfigurationFile[]>();
  for (const file of all) {
    const folder = resolve(dirname(file.source.file));
    const same = folders.get(folder);
    if (same) same.push(file);
    else folders.set(folder, [file]);
  }
  const calls = [...folders].flatMap(([folder, here]) => callsIn(folder, here));
  const made = new Map<string, TerraformScope[]>();
  const isBelow = belowConfigurations(paths);
  for (const [folder, files] of folders) {
    const here = calls.filter((call) => call.folder === folder);
    const applied =
      here.length > 0
        ? modulesOf(here, calls, (caller) => made.get(caller) ?? [])
        : [
            !isRoot(folder, files) && isBelow(folder)
              ? PERHAPS
              : asRoot(dirname(files[0]?.source.file ?? folder)),
          ];
    const read = applied.map((each, place) => readTerraformConfiguration(scopes.length + place, files, each));
    scopes.push(...read);
    made.set(folder, read);
  }
}

/** A module that nobody was seen to call: a caller that was not read gives it values and providers, or none does. */
const PERHAPS: AppliedAs = { certain: false, variable: () => undefined };

/** Terraform writes it to the folder that it is run in. Source: developer.hashicorp.com/terraform/language/files/dependency-lock. */
const LOCK_FILE = ".terraform.lock.hcl";

/** Modules have none of these, those of long ago aside. */
function isRoot(folder: string, files: readonly ConfigurationFile[]): boolean {
  const states = files.some(({ value }) => {
    const settings = blocks(own(value, "terraform"));
    return (
      own(value, "provider") !== undefined || settings.some((block) => "backend" in block || "cloud" in block)
    );
  });
  return states || namesIn(folder).includes(LOCK_FILE);
}

/** True for a folder with a configuration in a folder above it, as far up as one of the paths; in whatever syntax. */
function belowConfigurations(paths: readonly string[]): (folder: string) => boolean {
  const tops = paths.map((path) => resolve(path));
  const known = new Map<string, boolean>();
  const isBelow = (folder: string): boolean => {
    const above = dirname(folder);
    if (!tops.some((top) => above === top || above.startsWith(join(top, sep)))) return false;
    const found =
      known.get(above) ?? (namesIn(above).some((name) => /\.tf(?:\.json)?$/.test(name)) || isBelow(above));
    known.set(above, found);
    return found;
  };
  return isBelow;
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
    return { value, source: { file, path: "" }, hasDynamic: mayHaveKey(written, "dynamic", name === main) };
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

/**
 * Looking through a text takes no time beside looking through what was made of it. Only people write letters as `\u…`,
 * `JSON.stringify` does not.
 */
function mayHaveKey(json: string, key: string, writtenByProgram: boolean): boolean {
  return json.includes(`"${key}"`) || (!writtenByProgram && json.includes("\\u"));
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
