/*
 * The one form of a store that is judged. No other form is modelled, since each argument that a model leaves out is a
 * closed bucket that it takes for an open one.
 */

import { grouped } from "../../model/grouped";
import { type Known, type Ternary, is, known, match, orElse, same } from "../../model/known";
import { isTreeList } from "../../model/tree";
import { seen } from "../answer";
import type { Rows } from "../coverage/coverage";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { Doubt, StoredObject } from "./object-store";

/** A doubt about a resource. */
export function doubtAbout(resource: Resource, reason: string): Doubt {
  return { reason, evidence: [seen(resource.type, resource.source)] };
}

/** What a resource has beyond its row. */
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

/** A store and what belongs to it, apart from objects. */
export interface StoreParts {
  readonly parts: readonly Resource[];
  /** About a resource that may belong to it. */
  readonly doubt: Doubt | undefined;
}

/** Sorts out what belongs to a store; data sources change nothing. */
export function storeParts(all: readonly Resource[], isPart: (resource: Resource) => Ternary): StoreParts {
  const judged = all.map((resource) => ({ resource, answer: isPart(resource) }));
  const perhaps = judged.find(({ answer }) => answer === "unknown")?.resource;
  return {
    parts: judged.filter(({ answer }) => answer === "yes").map(({ resource }) => resource),
    doubt:
      perhaps && doubtAbout(perhaps, `${perhaps.address} may belong to what serves the issuer's documents`),
  };
}

/** The resources of the types with a beginning that Terraform declares. */
export function declaredOf(
  { scopes }: Terraform,
  prefix: string,
  without: readonly string[],
): readonly Resource[] {
  return scopes.flatMap(({ resources }) =>
    [...resources.values()].filter(
      ({ adopted, type }) => !adopted && type.startsWith(prefix) && !without.includes(type),
    ),
  );
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

/**
 * What sets a store apart from the one form that is judged: in each configuration, plan or state there is exactly one
 * resource of each needed type, and nothing beyond the rows.
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
      const found = all.filter((each) => each.type === type);
      const reason = `${found.length === 0 ? "no" : "more than one"} ${type} of what serves the issuer's documents was read`;
      const evidence = (found.length > 0 ? found : all.slice(0, 1)).map((each) =>
        seen(each.type, each.source),
      );
      if (found.length !== 1) return { reason, evidence };
    }
  return undefined;
}

/** An object whose text is in an argument. */
export function storedObject(resource: Resource, content: string, rows: Rows): StoredObject {
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
