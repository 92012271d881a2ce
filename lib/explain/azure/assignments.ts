/*
 * Who is assigned which role at which scope: role assignments as Terraform declares them, including those of a
 * principal's groups. Those whose principal is known only after apply may be anyone's.
 */

import {
  type Known,
  Reference,
  andThen,
  isBlank,
  isKnown,
  known,
  map,
  match,
  orElse,
  referenceOf,
  shown,
  unread,
  whether,
} from "../../model/known";
import { remembered } from "../../model/once";
import {
  type BuiltInRole,
  type RolePermissions,
  builtInRole,
  builtInRoleOfId,
} from "../../rules/azure/roles";
import { type RepositoryLimit, readRepositoryCondition } from "../../rules/azure/permission";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { keyOf } from "../shared/references";
import { type ResourceId, holds, resourceId } from "./ids";

export interface Assignment extends NamedRole {
  /** Who holds it, for display. */
  readonly principal: string;
  readonly scope: ResourceId;
  /** The repositories to which its condition limits it; `undefined` without a condition. */
  readonly limit: RepositoryLimit | undefined;
  /** The condition as written. */
  readonly condition: Known<string | undefined>;
  readonly source: Source;
}

export interface HeldRoles {
  readonly held: readonly Assignment[];
  readonly possible: readonly Assignment[];
}

/** An id: a literal in lower case, or a reference to the attribute that holds it. */
export type PrincipalKey = string | Reference;

export class Assignments {
  readonly #byPrincipal = new Map<PrincipalKey, Resource[]>();
  /** Assignments that may belong to any principal, or whose form does not say if they are active. */
  readonly #possible: (readonly [principal: PrincipalKey | undefined, assignment: Resource])[] = [];
  readonly #facts = new Map<Resource, Assignment>();
  readonly #groups: Groups;
  readonly #roles: Roles;

  constructor(terraform: Terraform) {
    this.#roles = new Roles(terraform);
    this.#groups = new Groups(terraform);
    for (const resource of terraform.ofType("azurerm_role_assignment")) {
      const key = certainKey(resource.stated("principal_id"), resource);
      if (key === undefined) this.#possible.push([undefined, resource]);
      else remembered(this.#byPrincipal, key, () => []).push(resource);
    }
    for (const resource of terraform.ofType("azurerm_pim_active_role_assignment"))
      this.#possible.push([certainKey(resource.stated("principal_id"), resource), resource]);
  }

  of(ids: readonly Known<string>[]): HeldRoles {
    const principals = new Set(ids.flatMap((id) => keyOf(id) ?? []));
    const groups = this.#groups.of(principals);
    const others = [...this.#groups.open].filter((key) => !groups.has(key));
    const assigned = (keys: Iterable<PrincipalKey>): readonly Resource[] =>
      [...keys].flatMap((key) => this.#byPrincipal.get(key) ?? []);
    const isTaken = (kind: string, each: Resource): boolean =>
      isOf(kind, each) && !isRefused(this.#fact(each));
    const held = [
      ...assigned(principals).filter((each) => isTaken("serviceprincipal", each)),
      ...assigned(groups).filter((each) => isTaken("group", each)),
    ];
    const all = [...assigned(principals), ...assigned(groups), ...assigned(others)];
    const open = this.#possible.filter(
      ([key]) => key === undefined || principals.has(key) || groups.has(key),
    );
    const possible = [...all.filter((each) => !held.includes(each)), ...open.map(([, each]) => each)];
    const facts = (some: readonly Resource[]): readonly Assignment[] => some.map((each) => this.#fact(each));
    return { held: facts(held), possible: facts(possible) };
  }

  /** The assignments of principals other than these identities; the principal of some is not known. */
  others(identities: readonly HeldRoles[]): HeldRoles {
    const shared = new Set(identities.flatMap(({ held }) => held));
    const certain = [...this.#byPrincipal.values()].flat().map((each) => this.#fact(each));
    const possible = this.#possible.map(([, each]) => this.#fact(each));
    return { held: certain.filter((each) => !shared.has(each)), possible };
  }

  #fact(resource: Resource): Assignment {
    return remembered(this.#facts, resource, () => ({
      principal: shown(resource.stated("principal_id")),
      ...this.#roles.named(resource.text("role_definition_id"), resource.text("role_definition_name")),
      scope: resourceId(resource.stated("scope")),
      limit: limitOf(resource.text("condition")),
      condition: resource.text("condition"),
      source: resource.source,
    }));
  }
}

function limitOf(condition: Known<string | undefined>): RepositoryLimit | undefined {
  return match(
    condition,
    (text = "") => (text === "" ? undefined : readRepositoryCondition(text)),
    () => "unknown",
  );
}

/** Azure refuses an assignment that states a different type of principal (`UnmatchedPrincipalType`). */
function isOf(kind: string, assignment: Resource): boolean {
  return (
    whether(assignment.text("principal_type"), (stated = kind) => stated.toLowerCase() === kind) !== "no"
  );
}

/** Azure refuses to assign a role outside its assignable scopes; an empty scope is none. */
function isRefused({ definition, scope }: Assignment): boolean {
  const assignable = definition?.assignableScopes ?? [];
  if (isBlank(scope.text)) return true;
  return assignable.length > 0 && assignable.every((each) => holds(each, scope) === "no");
}

const PRINCIPALS =
  /^(?:azurerm_user_assigned_identity|azuread_(?:application|group|service_principal|user))\./;

/**
 * Whether an id may be that of any principal: it is known only after apply, and is not an attribute of a resource that
 * is or has a principal. A plan shows a value that it does not know as an attribute of the assignment itself.
 */
export function mayBeAnyones(id: Known<string>, of: Resource): boolean {
  if (isKnown(id)) return false;
  const { target, attribute = "", expression = "" } = referenceOf(id) ?? {};
  if (!(target instanceof Resource)) return !PRINCIPALS.test(expression);
  if (target === of) return true;
  if (PRINCIPALS.test(`${target.type}.`) || attribute.startsWith("identity[0].principal_id")) return false;
  if (!attribute.startsWith("kubelet_identity[0].object_id")) return true;
  // AKS creates an identity for its kubelets unless it is given one.
  return orElse(target.blocks("kubelet_identity"), () => [target]).length > 0;
}

/** The key of an id; `undefined` if it may be any principal's. */
function certainKey(id: Known<string>, of: Resource): PrincipalKey | undefined {
  return mayBeAnyones(id, of) ? undefined : keyOf(id);
}

class Groups {
  /** The ids of the groups that a member is in. */
  readonly #of = new Map<PrincipalKey, PrincipalKey[]>();
  /** Ids of groups that may have members that were not read. */
  readonly open = new Set<PrincipalKey>();

  constructor(terraform: Terraform) {
    const groups = new Map<PrincipalKey, readonly PrincipalKey[]>();
    for (const resource of terraform.ofType("azuread_group")) {
      // Depending on the version of azuread, either attribute names a group.
      const ids = ["object_id", "id"].flatMap((attribute) => keyOf(resource.attribute(attribute)) ?? []);
      for (const id of ids) groups.set(id, ids);
      const members = orElse(resource.list("members"), () => undefined);
      const isWhole = members?.map((member) => this.#add(member, ids, resource)).every(Boolean);
      const rules = orElse(resource.blocks("dynamic_membership"), () => [resource]);
      if (resource.adopted || rules.length > 0 || !isWhole) ids.forEach((id) => this.open.add(id));
    }
    for (const resource of terraform.ofType("azuread_group_member")) {
      const key = certainKey(resource.stated("group_object_id"), resource);
      const ids = key === undefined ? [...groups.keys()] : (groups.get(key) ?? [key]);
      const isAdded = key !== undefined && this.#add(resource.stated("member_object_id"), ids, resource);
      if (!isAdded) ids.forEach((id) => this.open.add(id));
    }
  }

  /** The ids of all groups that contain one of these ids, at any depth. */
  of(members: ReadonlySet<PrincipalKey>): ReadonlySet<PrincipalKey> {
    const groups = new Set([...members].flatMap((member) => this.#of.get(member) ?? []));
    for (const group of groups) for (const outer of this.#of.get(group) ?? []) groups.add(outer);
    return groups;
  }

  /** False if the member is not known. */
  #add(member: Known<string>, groups: readonly PrincipalKey[], of: Resource): boolean {
    const key = certainKey(member, of);
    if (key === undefined) return false;
    const all = remembered(this.#of, key, () => []);
    for (const group of groups) all.push(group);
    return true;
  }
}

/** A role definition that is declared or looked up. */
interface RoleDefinition {
  readonly name: Known<string | undefined>;
  /** What it permits; unknown if it is only looked up. */
  readonly permissions: Known<readonly RolePermissions[]>;
  /** The scopes at or below which it may be assigned; empty if none are stated. */
  readonly assignableScopes: readonly ResourceId[];
  /** True for a definition that is only looked up; it may be a built-in role. */
  readonly isLookedUp: boolean;
}

interface NamedRole {
  /** The built-in role; `undefined` for any other role, and if it is not known. */
  readonly builtIn: BuiltInRole | undefined;
  readonly definition: RoleDefinition | undefined;
  /** Its name; `undefined` if nothing that was read states it. */
  readonly name: Known<string | undefined>;
  /** Id of its definition as written; `undefined` if the assignment names the role instead. */
  readonly id: Known<string | undefined>;
}

/** Attributes by which an assignment can name a role. */
const REFERENCES: readonly string[] = ["role_definition_resource_id", "id", "role_definition_id"];
const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

class Roles {
  /** By id and by name; a declared definition takes precedence over a looked-up one with the same name. */
  readonly #all = new Map<PrincipalKey | undefined, RoleDefinition>();

  constructor(terraform: Terraform) {
    for (const resource of terraform.ofType("azurerm_role_definition")) {
      const definition = definitionOf(resource);
      for (const key of [
        keyOf(definition.name),
        ...REFERENCES.map((attribute) => idKey(resource.attribute(attribute))),
      ])
        if (key !== undefined && !(definition.isLookedUp && this.#all.has(key)))
          this.#all.set(key, definition);
    }
  }

  named(id: Known<string | undefined>, stated: Known<string | undefined>): NamedRole {
    const principal = this.#all.get(idKey(id)) ?? this.#all.get(keyOf(stated));
    const lookedUp = principal?.isLookedUp ? keyOf(principal.name) : undefined;
    const text = keyOf(stated) ?? lookedUp ?? "";
    const builtIn =
      typeof text === "string" && text !== ""
        ? builtInRole(text)
        : builtInRoleOfId(orElse(id, () => undefined) ?? "");
    const name = keyOf(stated) === undefined && principal ? principal.name : stated;
    return {
      builtIn,
      definition: this.#all.get(lookedUp) ?? principal,
      name: builtIn ? known(builtIn.name) : name,
      id,
    };
  }
}

/** The last part of an id identifies the role, whatever scope the id begins with. */
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
        ? unread("the permissions of a role that is only looked up are declared elsewhere")
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

/** As stated, or by default the role's scope (azurerm, role_definition_resource.go); empty if it is only looked up. */
function assignableScopes(resource: Resource): Known<readonly Known<string>[]> {
  return map(resource.list("assignable_scopes"), (stated) =>
    stated.length > 0 || resource.adopted ? stated : [resource.stated("scope")],
  );
}

export function roleLabel({ builtIn, name }: Pick<NamedRole, "builtIn" | "name">): string {
  return builtIn?.name ?? orElse(name, () => undefined) ?? "a custom role";
}
