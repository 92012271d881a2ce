/*
 * Modules in folders of their own, and what the configuration that calls one hands to it: values of its variables, and
 * configurations of providers.
 *
 * Sources: developer.hashicorp.com/terraform/language/modules/sources ("Local Paths") and
 * …/language/modules/develop/providers.
 */

import { isDeepStrictEqual } from "node:util";
import { resolve } from "node:path";
import { type Json, blocks, own, record, text } from "./access";
import { CallerValue, Terraform, type TerraformScope } from "./terraform";
import { type AppliedAs, type ConfigurationFile, entriesOf, presence } from "./terraform-configuration";
import { LATE_TEXT } from "./terraform-values";

/** A call of a module that stands in a folder of its own. */
export interface ModuleCall {
  /** The module's folder. */
  readonly folder: string;
  /** The folder of the configuration that calls it. */
  readonly caller: string;
  /** Its arguments. */
  readonly block: Json;
}

/** The calls of a configuration. */
export function callsIn(caller: string, files: readonly ConfigurationFile[]): readonly ModuleCall[] {
  return files
    .flatMap(({ value }) => entriesOf(own(value, "module")))
    .map(([, block]) => ({ block, source: text(block["source"]) }))
    .filter(({ source }) => /^\.\.?\//.test(source))
    .map(({ block, source }) => ({ block, caller, folder: resolve(caller, source) }));
}

/**
 * A module is applied once for each call that can count. `scopesOf` gives the configurations of a folder, once all are
 * read.
 */
export function modulesOf(
  here: readonly ModuleCall[],
  calls: readonly ModuleCall[],
  scopesOf: (folder: string) => readonly TerraformScope[],
): readonly AppliedAs[] {
  return here
    .filter(({ block }) => presence(block) !== "no")
    .map((call) => {
      const callers = (): readonly TerraformScope[] => scopesOf(call.caller);
      return {
        certain: isCertain(call, calls, new Set()),
        variable: (name, byDefault) => {
          const given = own(call.block, name);
          return given === undefined ? byDefault : new CallerValue(given, callers);
        },
        inherited: inheritance(call.block, callers),
      };
    });
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

/** Finds what a call hands down as the provider configuration of a key: what it names, or the caller's default one. */
function inheritance(
  block: Json,
  callers: () => readonly TerraformScope[],
): (key: string) => Json | undefined {
  const named = new Map(blocks(block["providers"]).flatMap((each) => Object.entries(each)));
  const known = new Map<string, Json | undefined>();
  return (key) => {
    if (known.has(key)) return known.get(key);
    // What modules in a circle hand to each other ends here.
    known.set(key, undefined);
    const given = named.has(key) ? text(named.get(key)).replace(/^\$\{(.*)\}$/, "$1") : key;
    const isHanded = named.has(key) || !key.includes(".");
    const found = (isHanded ? callers() : []).map((caller) => configurationIn(caller, given));
    const isStated = found.some((each) => each !== undefined);
    const common = isStated ? found.map((each) => each ?? {}).reduce(alike) : undefined;
    known.set(key, common);
    return common;
  };
}

function configurationIn(scope: TerraformScope, key: string): Json | undefined {
  const written = scope.providers.get(key);
  return written ? record(resolved(written, scope)) : scope.inherited?.(key);
}

/** Follows what the configuration itself says; whoever reads it where it is handed to cannot do so. */
const FOLLOWER = new Terraform([], []);

function resolved(value: unknown, scope: TerraformScope): unknown {
  if (typeof value === "string") return FOLLOWER.resolve(value, scope);
  if (Array.isArray(value)) return value.map((each) => resolved(each, scope));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolved(each, scope)]));
}

/** What configurations of several callers have in common; late where they differ. */
function alike(one: Json, other: Json): Json {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const late = (value: unknown): unknown => (Array.isArray(value) ? [LATE_TEXT] : LATE_TEXT);
  return Object.fromEntries(
    keys.map((key) => [
      key,
      isDeepStrictEqual(own(one, key), own(other, key))
        ? own(one, key)
        : late(own(one, key) ?? own(other, key)),
    ]),
  );
}
