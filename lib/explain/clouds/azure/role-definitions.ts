/*
 * Custom roles as Terraform declares them.
 */

import { isManagementGroup } from "../../../rules/azure/role-scope";
import { own } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { globMatches } from "../../glob";
import { knownBlocks, listed } from "../../facts/terraform-values";

/** What a role permits. */
export interface RoleDefinitionFact {
  /** Its name; empty where only apply tells it. */
  readonly name: string;
  /** True for one that is only looked up, which may be built in. */
  readonly isLookedUp: boolean;
  /** Its permissions; `undefined` where only apply tells them. */
  readonly permissions: readonly RolePermissionsFact[] | undefined;
  /** Where it may be assigned, there or below; late where only apply tells one. */
  readonly assignableScopes: readonly string[];
}

/** One block of permissions: the lists, less those of `not`. */
export interface RolePermissionsFact {
  /** Actions, `*` for any text. */
  readonly actions: readonly string[];
  /** Actions taken away again. */
  readonly notActions: readonly string[];
  /** Data actions. */
  readonly dataActions: readonly string[];
  /** Data actions taken away again. */
  readonly notDataActions: readonly string[];
}

/** Ids of built-in roles. Source: learn.microsoft.com, "Azure built-in roles for Containers". */
const BUILT_IN: Readonly<Record<string, string>> = {
  "7f951dda-4ed3-4680-a7ca-43fe172d538d": "AcrPull",
  "8311e382-0749-4cb8-b61a-304f252e45ec": "AcrPush",
  "b93aa761-3e63-49ed-ac28-beffa264f7ac": "Container Registry Repository Reader",
  "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b": "Azure Kubernetes Service RBAC Cluster Admin",
  "3498e952-d568-435e-9b2c-8d77e338d7f7": "Azure Kubernetes Service RBAC Admin",
  "7f6c6a51-bcf8-42ba-9220-52d62157d7db": "Azure Kubernetes Service RBAC Reader",
  "a7ffa36f-339b-4b5c-8bdf-e2c188b2c0eb": "Azure Kubernetes Service RBAC Writer",
};
const GUID_LENGTH = 36;

/** The name of the built-in role of an id in lower case; empty where it is of none that is known here. */
export function builtInRole(id: string): string {
  const guid = id.slice(-GUID_LENGTH);
  return Object.hasOwn(BUILT_IN, guid) ? (BUILT_IN[guid] ?? "") : "";
}

/**
 * Whether permissions hold an operation: `actions` less `notActions`, or the same of data; `undefined` where only apply
 * tells it.
 */
export function permits(
  permissions: readonly RolePermissionsFact[],
  operation: string,
  list: "actions" | "dataActions",
): boolean | undefined {
  const without = list === "actions" ? "notActions" : "notDataActions";
  const matches = (pattern: string): boolean => globMatches(pattern.toLowerCase(), operation.toLowerCase());
  if (permissions.some((each) => [...each[list], ...each[without]].some(isLateText))) return undefined;
  return permissions.some((each) => each[list].some(matches) && !each[without].some(matches));
}

/** Attributes by which an assignment can name a role. */
const REFERENCES: readonly string[] = ["role_definition_resource_id", "id", "role_definition_id"];

/** Every custom role, by what assignments name it by, in lower case: a reference, or its name. */
export function roleDefinitions(terraform: Terraform): ReadonlyMap<string, RoleDefinitionFact> {
  const found = new Map<string, RoleDefinitionFact>();
  for (const resource of terraform.ofType("azurerm_role_definition")) {
    const fact = definitionOf(resource, terraform);
    const named = nameKey(fact.name);
    // One that is declared says more than one of the same name that is looked up.
    if (fact.name !== "" && !found.get(named)?.permissions) found.set(named, fact);
    for (const attribute of REFERENCES)
      found.set(terraform.attribute(resource, attribute).toLowerCase(), fact);
  }
  return found;
}

/** The key of a role's name, which no id is like. */
export function nameKey(name: string): string {
  return `name ${name.toLowerCase()}`;
}

function definitionOf(resource: TerraformResource, terraform: Terraform): RoleDefinitionFact {
  const written = own(resource.values, "permissions");
  const name =
    terraform.text(resource, "name") ||
    builtInRole(terraform.text(resource, "role_definition_id").toLowerCase());
  // Of a role that is only looked up, or made by an expression, the permissions stand elsewhere.
  const operations = (value: unknown): readonly string[] =>
    listed(value).map((each) => terraform.resolve(each, resource.scope));
  const known = resource.adopted ? undefined : knownBlocks(written);
  return {
    name: isLateText(name) ? "" : name,
    isLookedUp: resource.adopted,
    assignableScopes: assignableScopes(resource, terraform),
    permissions: known?.map((block) => ({
      actions: operations(block["actions"]),
      notActions: operations(block["not_actions"]),
      dataActions: operations(block["data_actions"]),
      notDataActions: operations(block["not_data_actions"]),
    })),
  };
}

/** The role's scope where nothing is stated (azurerm, role_definition_resource.go); of one that is looked up nothing. */
function assignableScopes(resource: TerraformResource, terraform: Terraform): readonly string[] {
  const stated = listed(own(resource.values, "assignable_scopes"));
  if (stated.length > 0) return stated.map((scope) => terraform.resolve(scope, resource.scope));
  return resource.adopted ? [] : [terraform.text(resource, "scope")];
}

/**
 * Whether Azure certainly refuses the role's assignment at a scope: one neither at nor below an assignable one. Which
 * scopes a management group holds only the tenant tells.
 *
 * Source: learn.microsoft.com, "Understand Azure role definitions", AssignableScopes.
 */
export function isRefusedAt({ assignableScopes: scopes }: RoleDefinitionFact, scope: string): boolean {
  if (scopes.length === 0 || scope === "" || isLateText(scope)) return false;
  return scopes.every(
    (each) => each !== "" && !isLateText(each) && !isManagementGroup(each) && !isAtOrBelow(scope, each),
  );
}

/** Whether a scope is another one or below it, without regard to letter case. */
export function isAtOrBelow(scope: string, above: string): boolean {
  const base = above.toLowerCase().replace(/\/$/, "");
  return `${scope.toLowerCase().replace(/\/$/, "")}/`.startsWith(`${base}/`);
}
