/*
 * Which arguments of a block, or keys of a document, are judged, and what the others mean. Whatever is in neither list
 * is not understood, and what depends on the block is then `unknown`.
 */

import { once } from "../../model/once";

/** The rows of a type, of a nested block or of an object in a document. */
export interface Coverage {
  /** Judged, whatever the value. A name with a whole block or object in it covers everything below. */
  readonly read?: string;
  /** No value adds or takes a right, stops what is judged, or changes who is meant. */
  readonly harmless?: string;
  /** Attributes that the Terraform provider computes. States hold them; a configuration cannot set them. */
  readonly computed?: string;
  /** Matters unless it has one of these values. */
  readonly only?: Readonly<Record<string, readonly unknown[]>>;
  readonly blocks?: Readonly<Record<string, Coverage>>;
}

export type Rows = Readonly<Record<string, Coverage>>;

/** Where values are from, which decides what counts as absent. */
export type Origin =
  /** Terraform as written, or a document: an explicit `false` says something. */
  | "written"
  /** A state or data source, which holds every argument, set or not. */
  | "complete";

/** The names that a row lists as read, harmless or computed. */
const listed = once(
  (row: Coverage): ReadonlySet<string> => new Set([row.read, row.harmless, row.computed].flatMap(words)),
);

/** The names in one column of a row, which are separated by spaces. */
export function words(column: string | undefined): readonly string[] {
  return column?.match(/\S+/g) ?? [];
}

/** Paths of what a row does not understand in a block or object: `rule.0.filter`. */
export function notUnderstood(values: object, row: Coverage, origin: Origin): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) => beyondRow(name, value, row, origin));
}

/** As {@link notUnderstood} for one argument. */
export function beyondRow(name: string, value: unknown, row: Coverage, origin: Origin): readonly string[] {
  const known = listed(row);
  if (known.has(name) || isAbsent(value, origin)) return NOTHING;
  const allowed = own(row.only, name);
  if (allowed?.some((each) => isEqual(value, each))) return NOTHING;
  const nested = own(row.blocks, name);
  if (nested) return within(value, nested, origin).map((path) => `${name}${path}`);
  if (name === "dynamic") return dynamicBlocks(value).filter((each) => !known.has(each));
  return [name];
}

const NOTHING: readonly string[] = [];

/** As {@link notUnderstood} for one block or a list of them; the whole value if it is neither. */
function within(value: unknown, row: Coverage, origin: Origin): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((item, place) => within(item, row, origin).map((path) => `[${place}]${path}`));
  if (isAbsent(value, origin)) return [];
  return isObject(value) ? notUnderstood(value, row, origin).map((path) => `.${path}`) : [""];
}

function own<T>(rows: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return rows && Object.hasOwn(rows, name) ? rows[name] : undefined;
}

/** Only what has no prototype of its own, so that a value that must not be shown is not looked into. */
function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function isAbsent(value: unknown, origin: Origin): boolean {
  if (value === null || value === undefined) return true;
  if (origin === "written") return false;
  if (value === "" || value === false || value === 0) return true;
  if (Array.isArray(value)) return value.every((each) => isAbsent(each, origin));
  return isObject(value) && Object.values(value).every((each) => isAbsent(each, origin));
}

/** Terraform takes `"true"` for `true`, and a list of one block for the block. */
function isEqual(value: unknown, allowed: unknown): boolean {
  if (Array.isArray(value) || Array.isArray(allowed))
    return JSON.stringify(value) === JSON.stringify(allowed);
  return typeof value === typeof allowed ? value === allowed : String(value) === String(allowed);
}

/** Names of the blocks that `dynamic` creates. */
function dynamicBlocks(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  return all.flatMap((each) => (isObject(each) ? Object.keys(each) : ["dynamic"]));
}

/** In `usedBy`, for all grants of the cloud. */
export const GRANTS = "grants";

/** A Terraform type that is read, or one that is not but may change what is. */
export interface TypeRow extends Coverage {
  /** Arguments that name what it belongs to: what is true of it bears on that, too. */
  readonly owner?: string;
  /** Types that take part of what they say from it, and name it. */
  readonly usedBy?: string;
  /** True if all other arguments say what it is on. */
  readonly anyTarget?: true;
  /** True for a cluster, which is a part of every chain of its service accounts. */
  readonly isCluster?: true;
  /** Attributes by which others name it in full, apart from references: an ARN, an id, an e-mail address. */
  readonly names?: string;
}

export interface CloudCoverage {
  /** Rows by type; a data source's begins with `data.`. */
  readonly rows: Readonly<Record<string, TypeRow>>;
  /** Types of identities, and of what bears on nothing but identities: those that it names as owners, or that name it. */
  readonly ofIdentities: string;
  /** Beginnings of the names of types with one API, through which alone what it manages is changed. */
  readonly families: readonly (readonly string[])[];
  /** Types of the families that name what is read, and never change it. */
  readonly harmless: string;
  /** Types that can change anything that they name, by running programs or templates. */
  readonly changers: string;
  /** Of a type among the changers, the rows of what is read, by `type` without the version of the API, in lower case. */
  readonly api?: Readonly<Record<string, Readonly<Record<string, Coverage>>>>;
  /** The row of grants, whatever they are on. */
  readonly grants?: { readonly pattern: RegExp; readonly rowOf: (type: string) => TypeRow };
}
