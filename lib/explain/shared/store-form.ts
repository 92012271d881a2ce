/*
 * Stores of objects that Terraform declares, and the one form of them that is judged: each argument that a model of
 * other forms left out would be a closed bucket that it takes for an open one.
 */

import { grouped } from "../../model/grouped";
import { type Known, type Ternary, is, known, match, orElse, same } from "../../model/known";
import { isTreeList } from "../../model/tree";
import { seen } from "../answer";
import type { Rows } from "../coverage/coverage";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { Doubt, ObjectStore, StoreDoor, StoredObject } from "./object-store";

/** A store and what belongs to it, apart from objects. */
export interface StoreParts {
  readonly parts: readonly Resource[];
  /** About a resource that may belong to it. */
  readonly doubt: Doubt | undefined;
}

/** Where a store is: equal keys for equal places, and the name that its URLs have. */
interface Place {
  readonly key: unknown;
  readonly name: Known<string>;
}

/** How a cloud writes stores. */
interface StoreKind<P extends Place> extends Pick<ObjectStore, "isServedElsewhere"> {
  readonly partsOf: (place: P) => StoreParts;
  readonly doorsOf: (place: P, store: StoreParts) => readonly StoreDoor[];
  /** The type that Terraform must declare for the store to hold only declared objects. */
  readonly owner: (place: P) => string;
  readonly rows: Rows;
  /** The argument with the text of an object. */
  readonly content: string;
}

/** The stores of objects, whose place may not be known. */
export function storesOf<P extends Place>(
  objects: readonly { resource: Resource; place: P | undefined; name: Known<string> }[],
  { partsOf, doorsOf, owner, rows, content, isServedElsewhere }: StoreKind<P>,
): readonly ObjectStore[] {
  const placed = objects.flatMap(({ resource, place, name }) => {
    const text = orElse(name, () => "").replace(/^\//, "");
    return place === undefined || text === ""
      ? []
      : [{ place, text, object: storedObject(resource, content, rows) }];
  });
  return [...grouped(placed, ({ place }) => place.key).values()].flatMap((own) =>
    own.slice(0, 1).map(({ place }) => {
      const store = partsOf(place);
      const texts = [...grouped(own, ({ text }) => text)];
      return {
        name: place.name,
        objects: new Map(texts.map(([text, all]) => [text, all.map(({ object }) => object)])),
        isWhole: placed.length === objects.length && store.parts.some(({ type }) => type === owner(place)),
        doors: doorsOf(place, store),
        isServedElsewhere,
      };
    }),
  );
}

function storedObject(resource: Resource, content: string, rows: Rows): StoredObject {
  const [lifecycle] = orElse(resource.blocks("lifecycle"), () => []);
  const isKept = match(
    lifecycle ? lifecycle.tree("ignore_changes") : known(undefined),
    (value) =>
      value === "all" ||
      (isTreeList(value) && value.some((each) => is(each as Known<string>, content) === "yes")),
    () => true,
  );
  const text = resource.stated(content);
  return { text, isKept, doubt: beyondRow(resource, rows), source: resource.source };
}

/** Sorts out what belongs to a store of the resources whose types begin so; data sources change nothing. */
export function storeParts(
  terraform: Terraform,
  prefix: string,
  isPart: (resource: Resource) => Ternary,
): StoreParts {
  const judged = terraform.types
    .filter((type) => type.startsWith(prefix))
    .flatMap((type) => terraform.ofType(type))
    .filter(({ adopted }) => !adopted)
    .map((resource) => ({ resource, answer: isPart(resource) }));
  const perhaps = judged.find(({ answer }) => answer === "unknown")?.resource;
  return {
    parts: judged.filter(({ answer }) => answer === "yes").map(({ resource }) => resource),
    doubt:
      perhaps && doubtAbout(perhaps, `${perhaps.address} may belong to what serves the issuer's documents`),
  };
}

/** Whether a resource is, or belongs to, the thing of a type and a name to which an argument refers. */
export function isPartOf(
  resource: Resource,
  argument: string,
  [type, attribute, name]: readonly [type: string, attribute: string, name: Known<string>],
): Ternary {
  const isSame = (thing: Resource): Ternary =>
    same(thing.attribute(attribute), name) === "yes" ? "yes" : "no";
  if (resource.type === type) return isSame(resource);
  if (!resource.names.includes(argument)) return "no";
  const target = resource.mentioned(argument).find((each) => each.type === type);
  return target ? isSame(target) : same(resource.stated(argument), name);
}

/** A doubt about a resource. */
export function doubtAbout(resource: Resource, reason: string): Doubt {
  return { reason, evidence: [seen(resource.type, resource.source)] };
}

function beyondRow(resource: Resource, rows: Rows): Doubt | undefined {
  const { type, address } = resource;
  const row = Object.hasOwn(rows, type) ? rows[type] : undefined;
  const [path] = row ? resource.notUnderstood(row) : [""];
  if (path === undefined) return undefined;
  const what = path === "" ? address : `${path} of ${address}`;
  return doubtAbout(
    resource,
    `explain does not judge how ${what} affects requests for the issuer's documents`,
  );
}

/**
 * What sets a store apart from the form: in each configuration, plan or state there is exactly one resource of each
 * needed type, and nothing beyond the rows.
 */
export function beyondForm(
  { parts, doubt }: StoreParts,
  rows: Rows,
  needed: readonly string[],
): Doubt | undefined {
  const beyond = doubt ?? parts.map((each) => beyondRow(each, rows)).find((each) => each !== undefined);
  if (beyond) return beyond;
  const scopes = grouped(parts, ({ scope }) => scope);
  for (const all of scopes.size > 0 ? scopes.values() : [[]])
    for (const type of needed) {
      const count = all.filter((each) => each.type === type).length;
      const reason = `${count === 0 ? "no" : "more than one"} ${type} of what serves the issuer's documents was read`;
      if (count !== 1) return all[0] ? doubtAbout(all[0], reason) : { reason, evidence: [] };
    }
  return undefined;
}
