/*
 * Resources of the azapi provider: their types are in any letter case, and their bodies are objects or, in releases
 * before 2.0, JSON as text.
 */

import { type Known, andThen, match } from "../../model/known";
import { type Tree, childOf, parsedTree } from "../../model/tree";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";

/** Those of a type of Azure, `microsoft.authorization/roleassignments` in small letters, or that may be. */
export function azapiResources(
  terraform: Terraform,
  kind: "azapi_resource" | "azapi_update_resource" | "azapi_resource_action",
  type: string,
): readonly Resource[] {
  return terraform.ofType(kind).filter((resource) =>
    match(
      resource.text("type"),
      (text = "") => text.toLowerCase().startsWith(`${type}@`),
      () => true,
    ),
  );
}

/** A property of the body. */
export function propertyOf(resource: Resource, name: string): Tree {
  const body = resource.tree("body");
  const parsed = match(
    body,
    (value) => (typeof value === "string" ? parsedTree(body as Known<string>) : body),
    (why) => (why.kind === "apply" ? parsedTree(body as Known<string>) : body),
  );
  return childOf(parsed, "properties", name);
}

/** What a resource changes: the id of another, or that of a child by its parent. */
export function changedId(resource: Resource): Known<string | undefined> {
  return andThen(resource.text("resource_id"), (id) =>
    id === undefined ? resource.text("parent_id") : resource.text("resource_id"),
  );
}
