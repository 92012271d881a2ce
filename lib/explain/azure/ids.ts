/*
 * Azure resource ids: how to compose those known only after apply, and which id contains which. Azure ignores letter
 * case. Source: learn.microsoft.com, "Understand scope for Azure RBAC".
 */

import {
  type Known,
  Reference,
  type Ternary,
  afterPrefix,
  allOf,
  is,
  joined,
  joinedAll,
  known,
  match,
  orElse,
  partsOf,
  same,
  textOf,
} from "../../model/known";
import { remembered } from "../../model/once";
import { Resource } from "../read/block";
import { lowered } from "../shared/references";
import { unstated } from "../shared/unstated";

/** A resource id, in lower case. */
export interface ResourceId {
  readonly text: Known<string>;
  /** The texts between its slashes; `undefined` if they are not known. */
  readonly segments: readonly Known<string>[] | undefined;
}

/** The part after the resource group in the ids of these types. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azurerm_container_registry: "microsoft.containerregistry/registries",
  azurerm_kubernetes_cluster: "microsoft.containerservice/managedclusters",
  azurerm_storage_account: "microsoft.storage/storageaccounts",
  azurerm_user_assigned_identity: "microsoft.managedidentity/userassignedidentities",
};

/** Reads an id; references in it become the ids that they will have, as far as names are known. */
export function resourceId(text: Known<string>): ResourceId {
  const parts = partsOf(text);
  if (parts === undefined) return { text, segments: undefined };
  const whole = textOf(
    parts.flatMap((part) => (typeof part === "string" ? part.toLowerCase() : expanded(part))),
  );
  return { text: whole, segments: segmentsOf(whole) };
}

/** The id of a resource: from a state, or composed of its names. */
export function idOf(resource: Resource): ResourceId {
  return remembered(ids, resource, () => resourceId(resource.attribute("id")));
}

const ids = new WeakMap<Resource, ResourceId>();

function expanded(reference: Reference): readonly (string | Reference)[] {
  const { target, attribute } = reference;
  const before = target instanceof Resource && attribute === "id" ? ids.get(target)?.text : undefined;
  return partsOf(before ?? composedOf(reference) ?? textOf([reference])) ?? [reference];
}

/** The id with the segments at the given positions replaced, as far as it has them. */
export function withSegments(
  id: ResourceId,
  changed: Readonly<Record<number, Known<string>>>,
  length: number = Infinity,
): ResourceId {
  if (id.segments === undefined) return id;
  const segments = id.segments.slice(0, length).map((segment, place) => changed[place] ?? segment);
  return { text: joinedAll(segments.flatMap((segment) => ["/", segment])), segments };
}

/** The subscription of a resource's Terraform provider: as stated, else one reference per provider configuration. */
export function subscriptionOf(resource: Resource): Known<string> {
  const own = (): Known<string> => unstated(resource.scope, `subscription of ${resource.providerKey}`);
  return match(
    lowered(resource.provider.text("subscription_id")),
    (stated) => (stated === undefined ? own() : known(stated)),
    (why) => (why.kind === "apply" ? textOf(why.parts) : own()),
  );
}

/** The value that a reference to an id or a subscription will have; `undefined` if names in it are not known. */
function composedOf({ target, attribute }: Reference): Known<string> | undefined {
  if (!(target instanceof Resource)) return undefined;
  if (attribute === "subscription_id" && /^azurerm_(?:client_config|subscription)$/.test(target.type))
    return isOfProvider(target) ? subscriptionOf(target) : undefined;
  if (attribute !== "id") return undefined;
  if (target.type === "azurerm_subscription")
    return isOfProvider(target) ? joined("/subscriptions/", subscriptionOf(target)) : undefined;
  const name = lowered(target.stated("name"));
  const subscription = joined("/subscriptions/", subscriptionOf(target), "/resourcegroups/");
  if (target.type === "azurerm_resource_group") return joined(subscription, name);
  const provider = PROVIDERS[target.type];
  const group = lowered(target.stated("resource_group_name"));
  return provider === undefined ? undefined : joined(subscription, group, "/providers/", provider, "/", name);
}

/** True for a data source that names no subscription: it is in its Terraform provider's. */
function isOfProvider(target: Resource): boolean {
  return target.adopted && target.certain && !target.names.includes("subscription_id");
}

function segmentsOf(text: Known<string>): readonly Known<string>[] | undefined {
  const parts = partsOf(text) ?? [];
  const [first = ""] = parts;
  // What begins with a reference may be a whole id; a plain literal that is not an id matches no id.
  if (typeof first !== "string" || (parts.length > 1 && !first.startsWith("/")) || first === "")
    return undefined;
  const segments: (string | Reference)[][] = [[]];
  for (const part of parts) {
    const [piece, ...more] = typeof part === "string" ? part.split("/") : [part];
    if (piece !== undefined) segments.at(-1)?.push(piece);
    for (const each of more) segments.push([each]);
  }
  const [start, ...texts] = segments.map(textOf);
  const isEmpty = (text: Known<string> | undefined): boolean => text !== undefined && is(text, "") === "yes";
  // Azure refuses an id without its first slash, and names between slashes that are empty.
  if (!isEmpty(start)) return [text];
  return isEmpty(texts.at(-1)) ? texts.slice(0, -1) : texts;
}

function beginsWith(segments: readonly Known<string>[], start: readonly Known<string>[]): Ternary {
  if (start.length > segments.length) return "no";
  return allOf(start.map((segment, place) => same(segment, segments[place] ?? segment)));
}

export function sameId(one: ResourceId, other: ResourceId): Ternary {
  if (!one.segments || !other.segments) return same(one.text, other.text);
  return one.segments.length === other.segments.length ? beginsWith(one.segments, other.segments) : "no";
}

/** Whether an id is at or below a scope. The subscriptions of a management group are not read. */
export function holds(scope: ResourceId, id: ResourceId): Ternary {
  const [above, inner] = [scope.segments, id.segments];
  if (above === undefined || inner === undefined) {
    const isHeld = sameId(scope, id) === "yes" || afterPrefix(id.text, joined(scope.text, "/")) !== undefined;
    return isHeld ? "yes" : "unknown";
  }
  const isOfMany = above.length === 0 || is(above[2] ?? known(""), "managementgroups") === "yes";
  return isOfMany ? "unknown" : beginsWith(inner, above);
}

/** Finds the values whose id may equal a given one; ids that end with another name need no comparison. */
export class IdIndex<T> {
  readonly #all: (readonly [id: ResourceId, value: T])[] = [];
  /** By the last segment; `undefined` if it is not known. */
  readonly #named = new Map<string | undefined, (readonly [id: ResourceId, value: T])[]>();

  add(id: ResourceId, value: T): void {
    this.#all.push([id, value]);
    remembered(this.#named, nameOf(id), () => []).push([id, value]);
  }

  near(id: ResourceId): readonly (readonly [id: ResourceId, value: T])[] {
    const name = nameOf(id);
    if (name === undefined) return this.#all;
    return [name, undefined].flatMap((each) => this.#named.get(each) ?? []);
  }
}

function nameOf({ segments = [] }: ResourceId): string | undefined {
  return orElse(segments.at(-1) ?? known(undefined), () => undefined);
}
