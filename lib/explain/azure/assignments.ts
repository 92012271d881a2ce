/*
 * Who is assigned which role where: role assignments as Terraform declares them, also those of the groups that a
 * principal is in, and deny assignments. Those in other forms, and those whose principal only apply tells, may be anyone's.
 */

import {
  type Known,
  type Reference,
  type Ternary,
  and,
  known,
  match,
  not,
  or,
  orElse,
  referenceOf,
  whyNot,
} from "../../model/known";
import { type Tree, childOf, itemsOf, listAt, optionalText, textAt } from "../../model/tree";
import { type Condition, conditionOf } from "../../rules/azure/abac-condition";
import { type OperationList, type RolePermissions, permits } from "../../rules/azure/role-permissions";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { keyOf } from "../shared/references";
import { azapiResources, propertyOf } from "./azapi";
import { type ResourceId, resourceId } from "./ids";
import { type Scopes } from "./scopes";
import { type NamedRole, type Roles, isRefusedAt } from "./roles";

/** A role assignment. */
export interface Assignment extends NamedRole {
  /** What it is made on. */
  readonly scope: ResourceId;
  /** Its condition; `undefined` where there is none. */
  readonly condition: Known<string | undefined>;
  /** What the condition limits; `undefined` where there is none. */
  readonly limit: Condition | undefined;
  /** True where Azure refuses it, as the custom role may not be assigned there. */
  readonly isRefused: boolean;
  /** Where it stands. */
  readonly source: Source;
}

/** A deny assignment that is the principal's, or may be. */
export interface Denial {
  /** Whether it denies an operation; `isIn` says whether a scope holds the place in question. */
  readonly denies: (operation: string, list: OperationList, isIn: (scope: ResourceId) => Ternary) => Ternary;
  /** Where it stands. */
  readonly source: Source;
}

/** What a principal may do. */
export interface HeldRoles {
  /** What it is assigned. */
  readonly held: readonly Assignment[];
  /** What it may be assigned. */
  readonly possible: readonly Assignment[];
  /** What is denied to it. */
  readonly denials: readonly Denial[];
}

/** The assignments of all principals. */
export class Assignments {
  readonly #byPrincipal = new Map<PrincipalKey, Resource[]>();
  readonly #possible: (readonly [principal: Known<string>, assignment: Resource])[] = [];
  readonly #denials: readonly Resource[];
  readonly #facts = new Map<Resource, Assignment>();
  readonly #conditions = new Map<string, Condition>();
  readonly #groups: Groups;
  readonly #roles: Roles;
  readonly #scopes: Scopes;

  /** Indexes them. */
  constructor(terraform: Terraform, roles: Roles, scopes: Scopes) {
    this.#roles = roles;
    this.#scopes = scopes;
    this.#groups = new Groups(terraform);
    this.#denials = azapiResources(terraform, "azapi_resource", "microsoft.authorization/denyassignments");
    for (const resource of terraform.ofType("azurerm_role_assignment")) {
      const principal = resource.stated("principal_id");
      const key = keyOf(principal);
      if (key === undefined || mayBeAnyones(principal, resource)) this.#possible.push([principal, resource]);
      else {
        const others = this.#byPrincipal.get(key);
        if (others) others.push(resource);
        else this.#byPrincipal.set(key, [resource]);
      }
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
    const [taken, doubtful]: [Resource[], Resource[]] = [[], []];
    for (const [keys, kind] of [
      [own, "serviceprincipal"],
      [groups, "group"],
    ] as const)
      for (const key of keys)
        for (const each of this.#byPrincipal.get(key) ?? [])
          (isOfKind(each, kind) ? taken : doubtful).push(each);
    for (const key of [...perhaps.flatMap((id) => keyOf(id) ?? []), ...this.#groups.open])
      if (!own.has(key) && !groups.has(key)) doubtful.push(...(this.#byPrincipal.get(key) ?? []));
    const isAnother = ([principal, each]: readonly [Known<string>, Resource]): boolean => {
      const key = keyOf(principal);
      return key !== undefined && !mayBeAnyones(principal, each) && !own.has(key) && !groups.has(key);
    };
    const possible = this.#possible.filter((each) => !isAnother(each)).map(([, each]) => each);
    return {
      held: taken.map((each) => this.#fact(each)),
      possible: [...doubtful, ...possible].map((each) => this.#fact(each)),
      denials: this.#denials.flatMap((each) => this.#denial(each, [...own, ...groups])),
    };
  }

  #fact(resource: Resource): Assignment {
    const before = this.#facts.get(resource);
    if (before) return before;
    const isOfAzapi = resource.type.startsWith("azapi_");
    const scope = resourceId(resource.stated(isOfAzapi ? "parent_id" : "scope"));
    const condition = isOfAzapi
      ? optionalText(propertyOf(resource, "condition"))
      : resource.text("condition");
    const role = isOfAzapi
      ? this.#roles.named(optionalText(propertyOf(resource, "roleDefinitionId")), known(undefined))
      : this.#roles.named(resource.text("role_definition_id"), resource.text("role_definition_name"));
    const fact: Assignment = {
      ...role,
      scope,
      condition,
      limit: this.#limit(condition),
      isRefused: isRefusedAt(role.definition, scope, this.#scopes),
      source: resource.source,
    };
    this.#facts.set(resource, fact);
    return fact;
  }

  #limit(condition: Known<string | undefined>): Condition | undefined {
    const text = orElse(condition, () => undefined);
    if (text === undefined || text === "")
      return whyNot(condition) && conditionOf(condition as Known<string>);
    const limit = this.#conditions.get(text) ?? conditionOf(known(text));
    this.#conditions.set(text, limit);
    return limit;
  }

  #denial(resource: Resource, keys: readonly PrincipalKey[]): readonly Denial[] {
    const named = (property: string): Ternary =>
      match(
        listAt(propertyOf(resource, property)),
        (items) => or(...items.map((item) => isAmong(textAt(childOf(item, "id")), keys))),
        () => "unknown",
      );
    const concerns = and(named("principals"), not(named("excludePrincipals")));
    if (concerns === "no") return [];
    const scope = resourceId(resource.stated("parent_id"));
    const condition = optionalText(propertyOf(resource, "condition"));
    const isLimited = orElse(condition, () => "") !== undefined || !resource.certain;
    const permissions = itemsOf(propertyOf(resource, "permissions")).map(permissionsOf);
    const isRead = whyNot(propertyOf(resource, "permissions")) === undefined;
    return [
      {
        denies: (operation, list, isIn) =>
          and(
            concerns,
            isRead ? permits(permissions, operation, list) : "unknown",
            isIn(scope),
            isLimited ? "unknown" : "yes",
          ),
        source: resource.source,
      },
    ];
  }
}

function permissionsOf(tree: Tree): RolePermissions {
  const list = (name: string): RolePermissions["actions"] =>
    match(
      listAt(childOf(tree, name)),
      (items) => known(items.map(textAt)),
      () => listAt(childOf(tree, name)) as Known<never>,
    );
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
function isOfKind(resource: Resource, kind: string): boolean {
  return match(
    resource.text("principal_type"),
    (stated) => stated === undefined || stated.toLowerCase() === kind,
    () => true,
  );
}

/** An id: a literal in small letters, or the attribute that it is. */
export type PrincipalKey = string | Reference;

/** Attributes of resources that are principals. */
const PRINCIPALS =
  /^(?:azurerm_user_assigned_identity|azuread_(?:application|group|service_principal|user))\./;

/**
 * Whether an id may be that of any principal: only apply tells it, and it is no attribute of a resource that is a
 * principal or has one of its own. What a plan does not know is an attribute of what it belongs to itself.
 */
export function mayBeAnyones(id: Known<string>, of: Resource): boolean {
  if (whyNot(id) === undefined) return false;
  const { target, attribute = "", expression = "" } = referenceOf(id) ?? {};
  if (!(target instanceof Resource)) return !PRINCIPALS.test(expression);
  if (target === of) return true;
  if (PRINCIPALS.test(`${target.type}.`) || attribute.startsWith("identity[0].principal_id")) return false;
  if (!attribute.startsWith("kubelet_identity[0].object_id")) return true;
  // AKS makes an identity for its kubelets where it is given none.
  return orElse(target.blocks("kubelet_identity"), () => [target]).length > 0;
}

/** The versions of azuread name a group by either. */
const IDS: readonly string[] = ["object_id", "id"];

/** The groups that were read. */
export class Groups {
  /** All ids of the groups that a member is in, by the member. */
  readonly #of = new Map<PrincipalKey, PrincipalKey[]>();
  readonly #ids = new Map<PrincipalKey, readonly PrincipalKey[]>();
  /** Ids of groups that others may be in than those that were read. */
  readonly open: ReadonlySet<PrincipalKey>;

  /** Indexes them. */
  constructor(terraform: Terraform) {
    const open = new Set<PrincipalKey>();
    for (const resource of terraform.ofType("azuread_group")) {
      const ids = IDS.flatMap((attribute) => keyOf(resource.attribute(attribute)) ?? []);
      for (const id of ids) this.#ids.set(id, ids);
      const isWhole = match(
        resource.list("members"),
        (members) => members.every((member) => this.#add(member, ids, resource)),
        () => false,
      );
      if (resource.adopted || isDynamic(resource) || !isWhole) ids.forEach((id) => open.add(id));
    }
    for (const resource of terraform.ofType("azuread_group_member")) {
      const group = resource.stated("group_object_id");
      const key = keyOf(group);
      const isAny = key === undefined || mayBeAnyones(group, resource);
      const ids = isAny ? [...this.#ids.keys()] : (this.#ids.get(key) ?? [key]);
      const isAdded = !isAny && this.#add(resource.stated("member_object_id"), ids, resource);
      if (!isAdded) ids.forEach((id) => open.add(id));
    }
    this.open = open;
  }

  /** The ids of all groups that one of these ids is in, at any depth. */
  of(members: ReadonlySet<PrincipalKey>): ReadonlySet<PrincipalKey> {
    const found = new Set<PrincipalKey>();
    const next = this.#of.size === 0 ? [] : [...members];
    for (let member = next.pop(); member !== undefined; member = next.pop())
      for (const group of this.#of.get(member) ?? [])
        if (!found.has(group)) {
          found.add(group);
          next.push(group);
        }
    return found;
  }

  /** False where it is not known who the member is. */
  #add(member: Known<string>, groups: readonly PrincipalKey[], of: Resource): boolean {
    const key = keyOf(member);
    if (key === undefined || mayBeAnyones(member, of)) return false;
    this.#of.set(key, [...(this.#of.get(key) ?? []), ...groups]);
    return true;
  }
}

/** One whose members a rule chooses. */
function isDynamic(resource: Resource): boolean {
  return orElse(resource.blocks("dynamic_membership"), () => [resource]).length > 0;
}
