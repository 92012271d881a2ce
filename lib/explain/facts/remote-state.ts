/*
 * Values that one configuration takes from the state of another: `data.terraform_remote_state`.
 * Source: developer.hashicorp.com/terraform/language/state/remote-state-data.
 */

import { isDeepStrictEqual } from "node:util";
import { type Json, blocks, own, record, text } from "./access";

/** Where a configuration keeps its state. */
export interface StateBackend {
  /** `local`, `s3` … */
  readonly type: string;
  /** Its arguments. */
  readonly settings: Json;
}

/** What may be a remote state. */
interface LookedUp {
  readonly type: string;
  readonly adopted: boolean;
  readonly values: Json;
}

/** A configuration that keeps a state. */
interface StateHolder {
  readonly outputs: ReadonlyMap<string, unknown>;
  readonly backend: StateBackend | undefined;
}

const TYPE = "terraform_remote_state";
const OUTPUT = /^outputs\.([\w-]+)$/;
/** The workspace of whoever asks, and the one that everybody has. */
const WORKSPACES: readonly string[] = ["", "default", "${terraform.workspace}"];

/** The backend that a file states; `undefined` where it states none. */
export function backendOf(document: unknown): StateBackend | undefined {
  for (const block of blocks(own(document, "terraform")))
    for (const [type, settings] of blocks(own(block, "backend")).flatMap(Object.entries))
      return { type, settings: record(Array.isArray(settings) ? settings[0] : settings) };
  return undefined;
}

/** The output that an attribute of a remote state stands for, and its configuration; `undefined` where it was not read. */
export function remoteOutput<Scope extends StateHolder>(
  { type, adopted, values }: LookedUp,
  attribute: string,
  scopes: readonly Scope[],
): { readonly value: string; readonly scope: Scope } | undefined {
  const [, name] = OUTPUT.exec(attribute) ?? [];
  if (type !== TYPE || !adopted || name === undefined) return undefined;
  if (!WORKSPACES.includes(text(values["workspace"]))) return undefined;
  const [scope, ...others] = scopes.filter(({ backend }) => backend && keeps(backend, values));
  const value = scope?.outputs.get(name);
  return scope && others.length === 0 && typeof value === "string" ? { value, scope } : undefined;
}

/** What is asked for is stated, to the letter; a backend states more, locks say. */
function keeps({ type, settings }: StateBackend, { backend, config }: Json): boolean {
  const asked = Object.entries(record(blocks(config)[0]));
  return (
    type === backend &&
    asked.length > 0 &&
    asked.every(([key, value]) => isDeepStrictEqual(own(settings, key), value))
  );
}
