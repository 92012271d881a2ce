/*
 * Whose an id of Entra is: that of an identity, of a group, of groups in groups, or of anyone.
 */

import { type Known, type Reference, match, orElse, referenceOf, whyNot } from "../../model/known";
import { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { keyOf } from "./ids";

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
