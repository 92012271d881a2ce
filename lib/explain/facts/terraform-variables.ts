/*
 * Values that files beside a configuration give its variables. What the environment (`TF_VAR_…`) or the command line
 * (`-var`, `-var-file`) gives them stands in no file, and cannot be seen.
 *
 * Source: developer.hashicorp.com/terraform/language/values/variables, "Variable Definition Precedence".
 */

import { join } from "node:path";
import { own } from "./access";
import { parseJson } from "./read-documents";
import { readUtf8 } from "./read-text";

/** Names of files that Terraform reads of itself. */
const DEFINITIONS = /^(?:terraform|.*\.auto)\.tfvars(?:\.json)?$/;
/** The one in Terraform's own syntax comes before the one in JSON, and both before `*.auto.tfvars`. */
const FIRST: readonly string[] = ["terraform.tfvars", "terraform.tfvars.json"];

/** True for a file that holds nothing but values of variables. */
export function isVariablesFile(file: string): boolean {
  return file.endsWith(".tfvars.json");
}

/**
 * The values of a root module's variables, by name and default; `undefined` where a file in Terraform's own syntax,
 * which is not read here, may say otherwise.
 */
export function variablesIn(
  folder: string,
  names: readonly string[],
): (name: string, byDefault: unknown) => unknown {
  const files = names
    .filter((name) => DEFINITIONS.test(name))
    .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
    .map((name) => definitions(join(folder, name)));
  return (name, byDefault) => files.reduce((value, file) => file(name, value), byDefault);
}

function rank(name: string): number {
  const place = FIRST.indexOf(name);
  return place < 0 ? FIRST.length : place;
}

/** What a file makes of a variable's value. */
function definitions(file: string): (name: string, before: unknown) => unknown {
  const text = readUtf8(file);
  if (!isVariablesFile(file)) return (name, before) => (text.includes(name) ? undefined : before);
  const values = parseJson(text, file);
  return (name, before) => {
    const given = own(values, name);
    // Values are literals: an expression in them would be refused.
    return given === undefined
      ? before
      : typeof given === "string"
        ? given.replaceAll(/[$%](?=\{)/g, "$&$&")
        : given;
  };
}
