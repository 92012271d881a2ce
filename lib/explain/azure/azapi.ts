/*
 * Resources of the azapi provider: their types are in any letter case, and their bodies are objects or, in releases
 * before 2.0, JSON as text.
 */

import { type Known, whyNot } from "../../model/known";
import { type Tree, childOf, parsedTree } from "../../model/tree";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { isAbsent, whether } from "../shared/references";

/** Those of a type of Azure, `microsoft.authorization/roleassignments` in small letters, or that may be. */
export function azapiResources(
  terraform: Terraform,
  kind: "azapi_resource" | "azapi_update_resource" | "azapi_resource_action",
  type: string,
): readonly Resource[] {
  const isOfType = (text = ""): boolean => text.toLowerCase().startsWith(`${type}@`);
  return terraform.ofType(kind).filter((each) => whether(each.text("type"), isOfType) !== "no");
}

/** A property of the body. */
export function propertyOf(resource: Resource, name: string): Tree {
  const body = resource.tree("body");
  const isText =
    whyNot(body)?.kind === "apply" || whether(body, (value) => typeof value === "string") === "yes";
  return childOf(isText ? parsedTree(body as Known<string>) : body, "properties", name);
}

/** What a resource changes: the id of another, or that of a child by its parent. */
export function changedId(resource: Resource): Known<string> {
  return resource.stated(isAbsent(resource.text("resource_id")) ? "parent_id" : "resource_id");
}
