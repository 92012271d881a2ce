/*
 * Stores of objects that Terraform declares, and the one form of them that is judged: each argument that a model of
 * other forms left out would be a closed bucket that it takes for an open one.
 */

import { grouped } from "../../model/grouped";
import { type Known, type Ternary, and, is, known, match, orElse, same, whether } from "../../model/known";
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
  const ignored = whether(
    lifecycle ? lifecycle.tree("ignore_changes") : known(undefined),
    (value) =>
      value === "all" ||
      (isTreeList(value) && value.some((each) => is(each as Known<string>, content) === "yes")),
  );
  const [text, isKept] = [resource.stated(content), ignored !== "no"];
  return { text, isKept, doubt: beyondRow(resource, rows), resource, source: resource.source };
}

/** A resource and the name of the store, or of its account, that it is or belongs to. */
interface Owned {
  readonly resource: Resource;
  readonly owner: Known<string>;
  /** True if it refers to the resource of the store, so that it does not belong to another one. */
  readonly isReferred: boolean;
}

/** What an argument refers to: the thing of a type, or a name; `undefined` for a resource without the argument. */
export function ownerOf(
  resource: Resource,
  argument: string,
  [type, attribute]: readonly [type: string, attribute: string],
): Owned | undefined {
  const isThing = resource.type === type;
  if (!isThing && !resource.names.includes(argument)) return undefined;
  const referred = isThing ? resource : resource.referred(argument, ["id", "name", attribute]);
  const thing = referred?.type === type ? referred : undefined;
  const owner = thing ? thing.attribute(attribute) : resource.stated(argument);
  return { resource, owner, isReferred: thing !== undefined };
}

/** What stores consist of, by their names. Data sources change nothing. */
export class StoreIndex {
  readonly #all: readonly Owned[];
  readonly #byText: ReadonlyMap<string | undefined, readonly Owned[]>;

  constructor(terraform: Terraform, prefix: string, ownedBy: (resource: Resource) => Owned | undefined) {
    this.#all = terraform.types
      .filter((type) => type.startsWith(prefix))
      .flatMap((type) => terraform.ofType(type))
      .flatMap((each) => (each.adopted ? [] : (ownedBy(each) ?? [])));
    this.#byText = grouped(this.#all, ({ owner }) => orElse(owner, () => undefined));
  }

  of(name: Known<string>, isPart: (resource: Resource) => Ternary = () => "yes"): StoreParts {
    const own = match(
      name,
      (text) => [text, undefined].flatMap((each) => this.#byText.get(each) ?? []),
      () => this.#all,
    );
    const judged = own.map(({ resource, owner, isReferred }) => {
      const isSame = same(owner, name);
      return { resource, answer: and(isReferred && isSame === "unknown" ? "no" : isSame, isPart(resource)) };
    });
    const perhaps = judged.find(({ answer }) => answer === "unknown")?.resource;
    return {
      parts: judged.filter(({ answer }) => answer === "yes").map(({ resource }) => resource),
      doubt:
        perhaps && doubtAbout(perhaps, `${perhaps.address} may belong to what serves the issuer's documents`),
    };
  }
}

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
