/*
 * Resources that only moved: their Terraform addresses differ between the sides, but they have the same names in the same
 * account, or Terraform is told to move them, so the cloud sees one object.
 */

import { grouped } from "../../model/grouped";
import { match, orElse } from "../../model/known";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";

/** A text of the new side as the old side would write it. */
export type Canonical = (text: string) => string;

/** Of a side on which nothing moved. */
export const AS_WRITTEN: Canonical = (text) => text;

/** Arguments that name an object in its cloud, and what the name is unique in. */
const NAMES: readonly string[] = [
  ...["name", "bucket", "url", "account_id", "project", "location", "resource_group_name"],
  ...["parent_id", "resource_group_id", "user_assigned_identity_id", "storage_account_id"],
  ...["workload_identity_pool_id", "workload_identity_pool_provider_id"],
];

/** Writes the old address of each resource that moved. */
export function canonicalTexts(before: Terraform, after: Terraform): Canonical {
  const [olds, news] = [without(before, after), without(after, before)];
  const moved = new Map<string, string>();
  const note = (to: string, from: string): void =>
    void moved.set(to, (moved.get(to) ?? from) === from ? from : to);
  const gone = new Set(addresses(olds));
  for (const { scope, address } of news) {
    const from = movedFrom(scope.moves, address, gone);
    if (from !== undefined) note(address, from);
  }
  const named = grouped(olds, nameOf);
  for (const [name, group] of grouped(news, nameOf)) {
    const [[from, ...others], [to, ...more]] = [addresses(named.get(name)), addresses(group)];
    const isClear = name !== "" && others.length === 0 && more.length === 0;
    if (isClear && from !== undefined && to !== undefined) note(to, from);
  }
  if (moved.size === 0) return AS_WRITTEN;
  const all = new Map([...moved, ...[...moved].map((pair) => pair.map(escaped) as [string, string])]);
  return (text) => text.replace(ADDRESS, (each) => all.get(each) ?? each);
}

/** As in a text within JSON. */
function escaped(address: string): string {
  return JSON.stringify(address).slice(1, -1);
}

/** Where a resource was, by `moved` blocks, which may be several in a row and for all instances, or by a plan. */
function movedFrom(
  moves: ReadonlyMap<string, string>,
  address: string,
  olds: ReadonlySet<string>,
): string | undefined {
  const passed = new Set<string>();
  let at: string | undefined = address;
  while (at !== undefined && !olds.has(at) && !passed.has(at)) {
    passed.add(at);
    const [, block = at, key = ""]: readonly string[] = /^(.*?)(\[.*)$/s.exec(at) ?? [];
    const from = moves.get(block);
    at = moves.get(at) ?? (from === undefined ? undefined : from + key);
  }
  return at !== undefined && olds.has(at) ? at : undefined;
}

/** An index or a key, whose quotes are escaped in a text within JSON. */
const KEY = String.raw`(?:\[(?:\d+|\\*"(?:[^"\\]|\\.)*?\\*")\])?`;
/** Addresses of resources, in expressions and in any other text. */
export const ADDRESS: RegExp = new RegExp(
  String.raw`(?<![\w.-])(?:module\.[\w-]+${KEY}\.)*(?:data\.)?[a-z]\w*\.[\w-]+${KEY}`,
  "g",
);

function addresses(resources: readonly Resource[] = []): readonly string[] {
  return [...new Set(resources.map(({ address }) => address))];
}

/** The resources at addresses that the other side does not have. */
function without({ scopes }: Terraform, other: Terraform): readonly Resource[] {
  const taken = new Set(other.scopes.flatMap(({ resources }) => [...resources.keys()]));
  return scopes.flatMap(({ resources }) =>
    [...resources.values()].filter(({ address }) => !taken.has(address)),
  );
}

/** What tells an object from all others of its cloud; empty if that is not known. */
function nameOf(resource: Resource): string {
  const { type, adopted, provider } = resource;
  const names = NAMES.filter((name) => resource.names.includes(name)).map((name) =>
    match(
      resource.text(name),
      (text) => text ?? "",
      () => owners(resource, name),
    ),
  );
  if (names.length === 0 || names.includes("")) return "";
  const account = provider.names.map((name) => [name, orElse(provider.text(name), () => "")]);
  return JSON.stringify([type, adopted, names, account]);
}

/** The names of the objects that an argument refers to; Terraform has no cycles. */
function owners(resource: Resource, name: string): string {
  const all = resource.mentioned(name).map(nameOf);
  return all.includes("") ? "" : all.join(" ");
}
