/*
 * Definitions of roles: built-in ones by name or id, custom ones as Terraform declares them.
 */

import { type Known, Reference, all, andThen, known, map, orElse, shown, unread } from "../../model/known";
import { type BuiltInRole, builtInRole, builtInRoleOfId } from "../../rules/azure/built-in-roles";
import type { RolePermissions } from "../../rules/azure/role-permissions";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { keyOf } from "../shared/references";
import { type ResourceId, type Scopes, resourceId } from "./ids";

/** A role that is declared, or looked up. */
export interface RoleDefinition {
  readonly name: Known<string | undefined>;
  /** What it permits; not known of one that is only looked up. */
  readonly permissions: Known<readonly RolePermissions[]>;
  /** Where it may be assigned, there or below; none where nothing says it. */
  readonly assignableScopes: readonly ResourceId[];
  /** Those for people. */
  readonly scopeNames: string;
  /** True for one that is only looked up, which may be built in. */
  readonly isLookedUp: boolean;
}

/** What an assignment says of its role. */
export interface NamedRole {
  /** The built-in role; `undefined` for any other, and where it is not known. */
  readonly builtIn: BuiltInRole | undefined;
  /** The definition that was read; `undefined` where none was. */
  readonly definition: RoleDefinition | undefined;
  /** Its name as written; `undefined` where it is named by its id. */
  readonly name: Known<string | undefined>;
  /** Id of its definition as written; `undefined` where it is named. */
  readonly id: Known<string | undefined>;
}

/** Attributes by which an assignment can name a role. */
const REFERENCES: readonly string[] = ["role_definition_resource_id", "id", "role_definition_id"];
const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The roles that were read. */
export class Roles {
  readonly #byId = new Map<string | Reference | undefined, RoleDefinition>();
  readonly #byName = new Map<string | Reference | undefined, RoleDefinition>();

  constructor(terraform: Terraform) {
    for (const resource of terraform.ofType("azurerm_role_definition")) {
      const definition = definitionOf(resource);
      const name = keyOf(definition.name);
      // One that is declared says more than one of the same name that is looked up.
      if (!definition.isLookedUp || !this.#byName.has(name)) this.#byName.set(name, definition);
      for (const attribute of REFERENCES) this.#byId.set(idKey(resource.attribute(attribute)), definition);
    }
    for (const each of [this.#byId, this.#byName]) each.delete(undefined);
  }

  /** The role of an id or a name. */
  named(id: Known<string | undefined>, name: Known<string | undefined>): NamedRole {
    const byName = keyOf(name);
    const found = this.#byId.get(idKey(id)) ?? this.#byName.get(byName);
    const other = found?.isLookedUp ? keyOf(found.name) : undefined;
    const text = byName ?? other ?? "";
    const builtIn =
      typeof text === "string" && text !== ""
        ? builtInRole(text)
        : builtInRoleOfId(orElse(id, () => undefined) ?? "");
    return {
      builtIn,
      definition: this.#byName.get(other) ?? found,
      name: builtIn ? known(builtIn.name) : byName === undefined && found?.isLookedUp ? found.name : name,
      id,
    };
  }
}

/** Whatever scope an id begins with, its last part says which role it is. */
function idKey(id: Known<string | undefined>): string | Reference | undefined {
  const key = keyOf(id);
  return typeof key === "string" ? (GUID.exec(key)?.[0] ?? key) : key;
}

function definitionOf(resource: Resource): RoleDefinition {
  const isLookedUp = resource.adopted;
  const scopes = assignableScopes(resource);
  return {
    name: andThen(resource.text("name"), (text) =>
      text === undefined
        ? map(resource.text("role_definition_id"), (id = "") => builtInRoleOfId(id)?.name)
        : known(text),
    ),
    isLookedUp,
    permissions: andThen(resource.blocks("permissions"), (blocks) =>
      isLookedUp && blocks.length === 0
        ? unread("what a role permits that is looked up stands elsewhere")
        : known(
            blocks.map((block) => ({
              actions: block.list("actions"),
              notActions: block.list("not_actions"),
              dataActions: block.list("data_actions"),
              notDataActions: block.list("not_data_actions"),
            })),
          ),
    ),
    assignableScopes: orElse(scopes, () => []).map(resourceId),
    scopeNames: orElse(
      map(scopes, (each) => each.map(shown).join(", ")),
      () => "",
    ),
  };
}

/** The role's scope where nothing is stated (azurerm, role_definition_resource.go); of one that is looked up nothing. */
function assignableScopes(resource: Resource): Known<readonly Known<string>[]> {
  return andThen(resource.list("assignable_scopes"), (stated) => {
    if (stated.length > 0) return known(stated);
    return resource.adopted
      ? known([])
      : map(all([resource.stated("scope")]), () => [resource.stated("scope")]);
  });
}

/**
 * Whether Azure certainly refuses the role's assignment at a scope: one neither at nor below an assignable one.
 *
 * Source: learn.microsoft.com, "Understand Azure role definitions", AssignableScopes.
 */
export function isRefusedAt(
  definition: RoleDefinition | undefined,
  scope: ResourceId,
  scopes: Scopes,
): boolean {
  const { assignableScopes: assignable = [] } = definition ?? {};
  return assignable.length > 0 && assignable.every((each) => scopes.holds(each, scope) === "no");
}

/** A role for people. */
export function roleLabel({ builtIn, name }: Pick<NamedRole, "builtIn" | "name">): string {
  return builtIn?.name ?? orElse(name, () => undefined) ?? "a custom role";
}
