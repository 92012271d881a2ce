/*
 * What lies below a scope. Source: learn.microsoft.com, "Understand scope for Azure RBAC".
 */

import { type Ternary, afterPrefix, and, is, joined, known, orElse, same } from "../../model/known";
import type { Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { type ResourceId, idOf, isOfAnotherKind, resourceId, sameId, withSegments } from "./ids";

/** What scopes hold. */
export class Scopes {
  /** Parents of subscriptions and management groups, as far as they are written. */
  readonly #parents: (readonly [child: ResourceId, parent: ResourceId])[] = [];

  /** Reads management groups. */
  constructor(terraform: Terraform) {
    for (const group of terraform.ofType("azurerm_management_group")) {
      const id = idOf(group);
      for (const each of orElse(group.list("subscription_ids"), () => []))
        this.#parents.push([resourceId(joined("/subscriptions/", each)), id]);
      this.#parents.push([id, statedId(group, "parent_management_group_id")]);
    }
    for (const each of terraform.ofType("azurerm_management_group_subscription_association"))
      this.#parents.push([statedId(each, "subscription_id"), statedId(each, "management_group_id")]);
  }

  /** Whether something is at a scope or below it. */
  holds(scope: ResourceId, id: ResourceId): Ternary {
    const [above, inner] = [scope.segments, id.segments];
    if (above === undefined || inner === undefined) {
      if (sameId(scope, id) === "yes" || afterPrefix(id.text, joined(scope.text, "/"))) return "yes";
      return isOfAnotherKind(scope, id) ? "no" : "unknown";
    }
    // The root and management groups hold subscriptions, which of them only the tenant knows.
    if (above.length === 0) return "unknown";
    if (isManagementGroup(scope)) return this.#groupHolds(scope, id);
    if (above.length > inner.length) return "no";
    return and(...above.map((segment, place) => same(segment, inner[place] ?? segment)));
  }

  #groupHolds(group: ResourceId, id: ResourceId): Ternary {
    const pending = [withSegments(id, {}, 2)];
    const seen = new Set<ResourceId>();
    for (let child = pending.pop(); child !== undefined; child = pending.pop()) {
      if (sameId(child, group) === "yes") return "yes";
      for (const [inner, outer] of this.#parents)
        if (!seen.has(outer) && sameId(inner, child) === "yes") {
          seen.add(outer);
          pending.push(outer);
        }
    }
    return "unknown";
  }
}

function statedId(resource: Resource, argument: string): ResourceId {
  return resourceId(resource.stated(argument));
}

/** True for a management group. */
function isManagementGroup({ segments = [] }: ResourceId): boolean {
  return is(segments[2] ?? known(""), "managementgroups") === "yes";
}
