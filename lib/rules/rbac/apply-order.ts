/*
 * Roles and bindings of several folders: each is applied in order, in which order they are applied nobody says.
 */

import { type RbacPolicy, readRbac } from "./evaluate";
import { readBinding, readRole } from "./rbac-objects";

/** A parsed object, and the folder that it is applied with. */
export interface PlacedObject {
  /** The parsed object. */
  readonly value: unknown;
  /** Path of the folder. */
  readonly folder: string;
}

/**
 * What holds, by the order in which folders are applied; first that of the objects. One, unless folders declare one
 * object differently: then each of those comes last once.
 */
export function readRbacInAnyOrder(objects: readonly PlacedObject[]): readonly [RbacPolicy, ...RbacPolicy[]] {
  const contested = contestedFolders(objects);
  const policy = readRbac(objects.map(({ value }) => value));
  if (contested.size === 0) return [policy];
  const folders = [...new Set(objects.map(({ folder }) => folder))];
  const given = folders.join("\n");
  const orders = new Map(
    [...contested].flatMap((last) => {
      const others = folders.filter((folder) => folder !== last);
      return [others, others.toReversed()].map((first) => [[...first, last].join("\n"), [...first, last]]);
    }),
  );
  orders.delete(given);
  return [policy, ...[...orders.values()].map((order) => readRbac(inOrder(objects, order)))];
}

function inOrder(objects: readonly PlacedObject[], folders: readonly string[]): readonly unknown[] {
  const byFolder = new Map<string, unknown[]>(folders.map((folder) => [folder, []]));
  for (const { value, folder } of objects) byFolder.get(folder)?.push(value);
  return [...byFolder.values()].flat();
}

/** The folders that declare an object which another one declares differently. */
function contestedFolders(objects: readonly PlacedObject[]): ReadonlySet<string> {
  const first = new Map<string, PlacedObject>();
  const contested = new Set<string>();
  for (const object of objects) {
    const named = readRole(object.value) ?? readBinding(object.value);
    if (!named || named.name === "") continue;
    const key = JSON.stringify([named.kind, named.namespace, named.name]);
    const other = first.get(key) ?? object;
    first.set(key, other);
    if (other.folder === object.folder || isAlike(other, object)) continue;
    contested.add(other.folder).add(object.folder);
  }
  return contested;
}

function isAlike(one: PlacedObject, other: PlacedObject): boolean {
  return JSON.stringify(one.value) === JSON.stringify(other.value);
}
