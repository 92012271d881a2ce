/*
 * Who is assigned which role where: role assignments as Terraform declares them, also those of the groups that a
 * principal is in, and deny assignments. Those in other forms, and those whose principal only apply tells, may be anyone's.
 */

import {
  type Known,
  type Ternary,
  Reference,
  and,
  andThen,
  isKnown,
  known,
  map,
  match,
  not,
  or,
  orElse,
  referenceOf,
  unread,
} from "../../model/known";
import { type Tree, childOf, itemsOf, listAt, optionalText, textAt } from "../../model/tree";
import { type Condition, conditionOf } from "../../rules/azure/abac-condition";
import { type BuiltInRole, builtInRole, builtInRoleOfId } from "../../rules/azure/built-in-roles";
import { type OperationList, type RolePermissions, permits } from "../../rules/azure/role-permissions";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { asked, isAbsent, keyOf, remembered, whether } from "../shared/references";
import { azapiResources, propertyOf } from "./azapi";
import { type ResourceId, type Scopes, resourceId } from "./ids";

/** A role assignment. */
export interface Assignment extends NamedRole {
  readonly scope: ResourceId;
  readonly condition: Known<string | undefined>;
  /** What the condition limits; `undefined` where there is none. */
  readonly limit: Condition | undefined;
  /** True where Azure refuses it, as the custom role may not be assigned there. */
  readonly isRefused: boolean;
  readonly source: Source;
}

/** A deny assignment that is the principal's, or may be. */
interface Denial {
  /** `isIn` says whether a scope holds the place in question. */
  readonly denies: (operation: string, list: OperationList, isIn: (scope: ResourceId) => Ternary) => Ternary;
  readonly source: Source;
}

/** What a principal may do. */
export interface HeldRoles {
  readonly held: readonly Assignment[];
  /** What it may be assigned as well. */
  readonly possible: readonly Assignment[];
  readonly denials: readonly Denial[];
}

/** An id: a literal in small letters, or the attribute that it is. */
export type PrincipalKey = string | Reference;

/** The assignments of all principals. */
export class Assignments {
  readonly #byPrincipal = new Map<PrincipalKey, Resource[]>();
  /** Those that may be of any principal, or of a form in which they may not be active. */
  readonly #possible: (readonly [principal: Known<string>, assignment: Resource])[] = [];
  readonly #denials: readonly Resource[];
  readonly #facts = new Map<Resource, Assignment>();
  readonly #conditions = new Map<string, Condition>();
  readonly #groups: Groups;
  readonly #roles: Roles;
  readonly #scopes: Scopes;

  constructor(terraform: Terraform, scopes: Scopes) {
    this.#roles = new Roles(terraform);
    this.#scopes = scopes;
    this.#groups = new Groups(terraform);
    this.#denials = azapiResources(terraform, "azapi_resource", "microsoft.authorization/denyassignments");
    for (const resource of terraform.ofType("azurerm_role_assignment")) {
      const principal = resource.stated("principal_id");
      const key = certainKey(principal, resource);
      if (key === undefined) this.#possible.push([principal, resource]);
      else remembered(this.#byPrincipal, key, () => []).push(resource);
    }
    for (const resource of terraform.ofType("azurerm_pim_active_role_assignment"))
      this.#possible.push([resource.stated("principal_id"), resource]);
    for (const kind of ["azapi_resource", "azapi_update_resource"] as const)
      for (const resource of azapiResources(terraform, kind, "microsoft.authorization/roleassignments"))
        this.#possible.push([textAt(propertyOf(resource, "principalId")), resource]);
  }

  /** Those of a principal, by the ids that it certainly goes by and those that may be its own. */
  of(ids: readonly Known<string>[], perhaps: readonly Known<string>[]): HeldRoles {
    const own = new Set(ids.flatMap((id) => keyOf(id) ?? []));
    const groups = this.#groups.of(own);
    const assigned = (keys: Iterable<PrincipalKey>): readonly Resource[] =>
      [...keys].flatMap((key) => this.#byPrincipal.get(key) ?? []);
    const taken = [
      ...assigned(own).filter(isOf("serviceprincipal")),
      ...assigned(groups).filter(isOf("group")),
    ];
    const others = [...perhaps.flatMap((id) => keyOf(id) ?? []), ...this.#groups.open];
    const doubtful = assigned(new Set([...own, ...groups, ...others])).filter(
      (each) => !taken.includes(each),
    );
    const possible = this.#possible.filter(([principal, each]) => {
      const key = certainKey(principal, each);
      return key === undefined || own.has(key) || groups.has(key);
    });
    return {
      held: taken.map((each) => this.#fact(each)),
      possible: [...doubtful, ...possible.map(([, each]) => each)].map((each) => this.#fact(each)),
      denials: this.#denials.flatMap((each) => denial(each, [...own, ...groups])),
    };
  }

  #fact(resource: Resource): Assignment {
    return remembered(this.#facts, resource, () => {
      const isOfAzapi = resource.type.startsWith("azapi_");
      const text = (argument: string, property: string): Known<string | undefined> =>
        isOfAzapi ? optionalText(propertyOf(resource, property)) : resource.text(argument);
      const scope = resourceId(resource.stated(isOfAzapi ? "parent_id" : "scope"));
      const condition = text("condition", "condition");
      const role = this.#roles.named(
        text("role_definition_id", "roleDefinitionId"),
        isOfAzapi ? known(undefined) : resource.text("role_definition_name"),
      );
      return {
        ...role,
        scope,
        condition,
        limit: this.#limit(condition),
        isRefused: isRefusedAt(role.definition, scope, this.#scopes),
        source: resource.source,
      };
    });
  }

  #limit(condition: Known<string | undefined>): Condition | undefined {
    return match(
      condition,
      (text = "") =>
        text === "" ? undefined : remembered(this.#conditions, text, () => conditionOf(known(text))),
      () => conditionOf(condition as Known<string>),
    );
  }
}

function denial(resource: Resource, keys: readonly PrincipalKey[]): readonly Denial[] {
  const named = (property: string): Ternary =>
    asked(listAt(propertyOf(resource, property)), (items) =>
      or(...items.map((item) => isAmong(textAt(childOf(item, "id")), keys))),
    );
  const concerns = and(named("principals"), not(named("excludePrincipals")));
  if (concerns === "no") return [];
  const scope = resourceId(resource.stated("parent_id"));
  const permissions = propertyOf(resource, "permissions");
  const blocks = itemsOf(permissions).map(permissionsOf);
  const isUnlimited = resource.certain && isAbsent(propertyOf(resource, "condition"));
  return [
    {
      denies: (operation, list, isIn) =>
        and(
          concerns,
          isKnown(permissions) ? permits(blocks, operation, list) : "unknown",
          isIn(scope),
          isUnlimited ? "yes" : "unknown",
        ),
      source: resource.source,
    },
  ];
}

function permissionsOf(tree: Tree): RolePermissions {
  const list = (name: string): RolePermissions["actions"] =>
    map(listAt(childOf(tree, name)), (items) => items.map(textAt));
  return {
    actions: list("actions"),
    notActions: list("notActions"),
    dataActions: list("dataActions"),
    notDataActions: list("notDataActions"),
  };
}

/** In deny assignments this id is that of all principals. */
const EVERYONE = "00000000-0000-0000-0000-000000000000";

function isAmong(id: Known<string>, keys: readonly PrincipalKey[]): Ternary {
  const key = keyOf(id);
  if (key === EVERYONE || (key !== undefined && keys.includes(key))) return "yes";
  return typeof key === "string" && keys.every((each) => typeof each === "string") ? "no" : "unknown";
}

/** Azure refuses an assignment that states another type of principal (`UnmatchedPrincipalType`). */
function isOf(kind: string): (resource: Resource) => boolean {
  return (resource) =>
    whether(resource.text("principal_type"), (stated = kind) => stated.toLowerCase() === kind) !== "no";
}

/** Attributes of resources that are principals. */
const PRINCIPALS =
  /^(?:azurerm_user_assigned_identity|azuread_(?:application|group|service_principal|user))\./;

/**
 * Whether an id may be that of any principal: only apply tells it, and it is no attribute of a resource that is a
 * principal or has one of its own. What a plan does not know is an attribute of what it belongs to itself.
 */
export function mayBeAnyones(id: Known<string>, of: Resource): boolean {
  if (isKnown(id)) return false;
  const { target, attribute = "", expression = "" } = referenceOf(id) ?? {};
  if (!(target instanceof Resource)) return !PRINCIPALS.test(expression);
  if (target === of) return true;
  if (PRINCIPALS.test(`${target.type}.`) || attribute.startsWith("identity[0].principal_id")) return false;
  if (!attribute.startsWith("kubelet_identity[0].object_id")) return true;
  // AKS makes an identity for its kubelets where it is given none.
  return orElse(target.blocks("kubelet_identity"), () => [target]).length > 0;
}

/** The key of an id; `undefined` where it may be any principal's. */
function certainKey(id: Known<string>, of: Resource): PrincipalKey | undefined {
  return mayBeAnyones(id, of) ? undefined : keyOf(id);
}

/** The groups that were read. */
class Groups {
  /** All ids of the groups that a member is in. */
  readonly #of = new Map<PrincipalKey, PrincipalKey[]>();
  /** Ids of groups that others may be in than those that were read. */
  readonly open = new Set<PrincipalKey>();

  constructor(terraform: Terraform) {
    const all = new Map<PrincipalKey, readonly PrincipalKey[]>();
    for (const resource of terraform.ofType("azuread_group")) {
      // The versions of azuread name a group by either.
      const ids = ["object_id", "id"].flatMap((attribute) => keyOf(resource.attribute(attribute)) ?? []);
      for (const id of ids) all.set(id, ids);
      const members = orElse(resource.list("members"), () => undefined);
      const isWhole = members?.map((member) => this.#add(member, ids, resource)).every(Boolean);
      if (resource.adopted || isDynamic(resource) || !isWhole) ids.forEach((id) => this.open.add(id));
    }
    for (const resource of terraform.ofType("azuread_group_member")) {
      const key = certainKey(resource.stated("group_object_id"), resource);
      const ids = key === undefined ? [...all.keys()] : (all.get(key) ?? [key]);
      const isAdded = key !== undefined && this.#add(resource.stated("member_object_id"), ids, resource);
      if (!isAdded) ids.forEach((id) => this.open.add(id));
    }
  }

  /** The ids of all groups that one of these ids is in, at any depth. */
  of(members: ReadonlySet<PrincipalKey>): ReadonlySet<PrincipalKey> {
    const found = new Set([...members].flatMap((member) => this.#of.get(member) ?? []));
    for (const group of found) for (const outer of this.#of.get(group) ?? []) found.add(outer);
    return found;
  }

  /** False where it is not known who the member is. */
  #add(member: Known<string>, groups: readonly PrincipalKey[], of: Resource): boolean {
    const key = certainKey(member, of);
    if (key !== undefined) remembered(this.#of, key, () => []).push(...groups);
    return key !== undefined;
  }
}

/** One whose members a rule chooses. */
function isDynamic(resource: Resource): boolean {
  return orElse(resource.blocks("dynamic_membership"), () => [resource]).length > 0;
}

/** A role that is declared, or looked up. */
interface RoleDefinition {
  readonly name: Known<string | undefined>;
  /** What it permits; not known of one that is only looked up. */
  readonly permissions: Known<readonly RolePermissions[]>;
  /** Where it may be assigned, there or below; none where nothing says it. */
  readonly assignableScopes: readonly ResourceId[];
  /** True for one that is only looked up, which may be built in. */
  readonly isLookedUp: boolean;
}

/** What an assignment says of its role. */
interface NamedRole {
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
class Roles {
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
    assignableScopes: orElse(assignableScopes(resource), () => []).map(resourceId),
  };
}

/** The role's scope where nothing is stated (azurerm, role_definition_resource.go); of one that is looked up nothing. */
function assignableScopes(resource: Resource): Known<readonly Known<string>[]> {
  return map(resource.list("assignable_scopes"), (stated) =>
    stated.length > 0 || resource.adopted ? stated : [resource.stated("scope")],
  );
}

/**
 * Whether Azure certainly refuses the role's assignment at a scope: one neither at nor below an assignable one.
 *
 * Source: learn.microsoft.com, "Understand Azure role definitions", AssignableScopes.
 */
function isRefusedAt(definition: RoleDefinition | undefined, scope: ResourceId, scopes: Scopes): boolean {
  const { assignableScopes: assignable = [] } = definition ?? {};
  return assignable.length > 0 && assignable.every((each) => scopes.holds(each, scope) === "no");
}

/** A role for people. */
export function roleLabel({ builtIn, name }: Pick<NamedRole, "builtIn" | "name">): string {
  return builtIn?.name ?? orElse(name, () => undefined) ?? "a custom role";
}
