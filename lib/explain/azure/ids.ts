/*
 * Resource ids of Azure: what they are of resources whose ids are known only after apply, and what lies below what. Azure compares
 * them without regard to letter case. Source: learn.microsoft.com, "Understand scope for Azure RBAC".
 */

import {
  type Known,
  Reference,
  type Ternary,
  afterPrefix,
  and,
  is,
  joined,
  known,
  map,
  match,
  orElse,
  partsOf,
  same,
  textOf,
} from "../../model/known";
import { type Configuration, Resource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { isAbsent, lowered, mentionsType, remembered, whether } from "../shared/references";

/** A resource id, in small letters. */
export interface ResourceId {
  readonly text: Known<string>;
  /** What stands between its slashes; `undefined` where that is not known. */
  readonly segments: readonly Known<string>[] | undefined;
}

/** What follows the resource group in the ids of these types. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azurerm_container_registry: "microsoft.containerregistry/registries",
  azurerm_kubernetes_cluster: "microsoft.containerservice/managedclusters",
  azurerm_storage_account: "microsoft.storage/storageaccounts",
  azurerm_user_assigned_identity: "microsoft.managedidentity/userassignedidentities",
};
const AZAPI = "azapi_resource";

/** Reads an id, references to ids in it as what these will be, as far as names are known. */
export function resourceId(text: Known<string>): ResourceId {
  const parts = partsOf(text);
  if (parts === undefined) return { text, segments: undefined };
  const whole = textOf(
    parts.flatMap((part) => (typeof part === "string" ? part.toLowerCase() : expanded(part))),
  );
  return { text: whole, segments: segmentsOf(whole) };
}

/** The id of a resource: as a state has it, or composed of its names. */
export function idOf(resource: Resource): ResourceId {
  return remembered(ids, resource, () => resourceId(resource.attribute("id")));
}

const ids = new WeakMap<Resource, ResourceId>();

function expanded(reference: Reference): readonly (string | Reference)[] {
  const { target, attribute } = reference;
  const before = target instanceof Resource && attribute === "id" ? ids.get(target)?.text : undefined;
  return partsOf(before ?? composedOf(reference) ?? textOf([reference])) ?? [reference];
}

/** The id with other segments, by their numbers, or as far as it has so many. */
export function withSegments(
  id: ResourceId,
  changed: Readonly<Record<number, Known<string>>>,
  length: number = Infinity,
): ResourceId {
  if (id.segments === undefined) return id;
  const segments = id.segments.slice(0, length).map((segment, place) => changed[place] ?? segment);
  return { text: joined(...segments.flatMap((segment) => ["/", segment])), segments };
}

/** The subscription of a resource's provider: as stated, else a reference that is one for each provider. */
export function subscriptionOf(resource: Resource): Known<string> {
  return match(
    lowered(resource.provider.text("subscription_id")),
    (stated) => textOf([stated ?? ownSubscription(resource)]),
    (why) => textOf(why.kind === "apply" ? why.parts : [ownSubscription(resource)]),
  );
}

const subscriptions = new WeakMap<Configuration, Map<string, Reference>>();

function ownSubscription({ scope, providerKey }: Resource): Reference {
  const ofScope = remembered(subscriptions, scope, () => new Map<string, Reference>());
  return remembered(ofScope, providerKey, () => new Reference(`subscription of ${providerKey}`));
}

/** What a reference to an id or a subscription will be; `undefined` where names that it needs are not known. */
function composedOf({ target, attribute }: Reference): Known<string> | undefined {
  if (!(target instanceof Resource)) return undefined;
  if (attribute === "subscription_id" && /^azurerm_(?:client_config|subscription)$/.test(target.type))
    return isOfProvider(target) ? subscriptionOf(target) : undefined;
  if (attribute !== "id") return undefined;
  if (target.type === "azurerm_subscription")
    return isOfProvider(target) ? joined("/subscriptions/", subscriptionOf(target)) : undefined;
  const name = lowered(target.stated("name"));
  if (target.type === AZAPI) {
    const parent = target.stated("parent_id");
    const type = map(lowered(target.stated("type")), (text) => text.replace(/@.*/, ""));
    if (mentionsType(parent, AZAPI)) return undefined;
    return joined(resourceId(parent).text, "/providers/", type, "/", name);
  }
  const subscription = joined("/subscriptions/", subscriptionOf(target), "/resourcegroups/");
  if (target.type === "azurerm_resource_group") return joined(subscription, name);
  const provider = PROVIDERS[target.type];
  const group = lowered(target.stated("resource_group_name"));
  return provider === undefined ? undefined : joined(subscription, group, "/providers/", provider, "/", name);
}

/** A data source that names no subscription is of its provider's. */
function isOfProvider(target: Resource): boolean {
  return target.adopted && target.certain && !target.names.includes("subscription_id");
}

function segmentsOf(text: Known<string>): readonly Known<string>[] | undefined {
  const parts = partsOf(text) ?? [];
  const [first = ""] = parts;
  // What begins with a reference may be a whole id; a literal that is none is nothing else either.
  if (typeof first !== "string" || (parts.length > 1 && !first.startsWith("/")) || first === "")
    return undefined;
  const segments: (string | Reference)[][] = [[]];
  for (const part of parts) {
    const [piece, ...more] = typeof part === "string" ? part.split("/") : [part];
    if (piece !== undefined) segments.at(-1)?.push(piece);
    segments.push(...more.map((each) => [each]));
  }
  return segments.map(textOf).filter((segment) => is(segment, "") !== "yes");
}

function beginsWith(segments: readonly Known<string>[], start: readonly Known<string>[]): Ternary {
  if (start.length > segments.length) return "no";
  return and(...start.map((segment, place) => same(segment, segments[place] ?? segment)));
}

export function sameId(one: ResourceId, other: ResourceId): Ternary {
  if (!one.segments || !other.segments) return same(one.text, other.text);
  return one.segments.length === other.segments.length ? beginsWith(one.segments, other.segments) : "no";
}

/** Whether something is at a scope or below it. Which subscriptions a management group has is not read. */
export function holds(scope: ResourceId, id: ResourceId): Ternary {
  const [above, inner] = [scope.segments, id.segments];
  if (above === undefined || inner === undefined) {
    const isHeld = sameId(scope, id) === "yes" || afterPrefix(id.text, joined(scope.text, "/")) !== undefined;
    return isHeld ? "yes" : "unknown";
  }
  const isOfMany = above.length === 0 || is(above[2] ?? known(""), "managementgroups") === "yes";
  return isOfMany ? "unknown" : beginsWith(inner, above);
}

/** Finds what an id may be that of without asking each: ids that end with another name are others. */
export class IdIndex<T> {
  readonly #all: (readonly [id: ResourceId, value: T])[] = [];
  /** By the last segment; `undefined` for those of which it is not known. */
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

/** Resources of the azapi provider that are of a type of Azure, given in small letters, or may be. */
export function azapiResources(terraform: Terraform, kind: string, type: string): readonly Resource[] {
  const isOfType = (text = ""): boolean => text.toLowerCase().startsWith(`${type}@`);
  return terraform.ofType(kind).filter((each) => whether(each.text("type"), isOfType) !== "no");
}

/** The id of what a resource of azapi changes: its own, or that of a child by its parent. */
export function changedId(resource: Resource): ResourceId {
  return resourceId(resource.stated(isAbsent(resource.text("resource_id")) ? "parent_id" : "resource_id"));
}
