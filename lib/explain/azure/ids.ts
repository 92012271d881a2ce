/*
 * Resource ids of Azure: what they are of resources whose ids only apply tells, and what lies below what. Azure compares
 * them without regard to letter case. Source: learn.microsoft.com, "Understand scope for Azure RBAC".
 */

import {
  type Known,
  Reference,
  type Ternary,
  and,
  joined,
  map,
  match,
  orElse,
  partsOf,
  referenceOf,
  same,
  textOf,
} from "../../model/known";
import { type Configuration, Resource } from "../read/block";
import { lowered, mentionsType } from "../shared/references";

/** A resource id. */
export interface ResourceId {
  /** In small letters. */
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
/** Reads an id, references to ids in it as what these will be, as far as names are known. */
export function resourceId(text: Known<string>): ResourceId {
  const parts = partsOf(text);
  if (parts === undefined) return { text, segments: undefined };
  const expanded = parts.flatMap((part) => {
    if (typeof part === "string") return [part.toLowerCase()];
    const { target, attribute } = part;
    if (target instanceof Resource && attribute === "id" && ids.has(target))
      return partsOf(idOf(target).text) ?? [part];
    const composed = composedOf(part);
    return composed === undefined ? [part] : (partsOf(composed) ?? [part]);
  });
  const whole = textOf(expanded);
  return { text: whole, segments: segmentsOf(whole) };
}

/** The id of a resource: as a state has it, or composed of its names. */
export function idOf(resource: Resource): ResourceId {
  const before = ids.get(resource) ?? resourceId(resource.attribute("id"));
  ids.set(resource, before);
  return before;
}

const ids: WeakMap<Resource, ResourceId> = new WeakMap();

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
  const known = subscriptions.get(scope) ?? new Map<string, Reference>();
  subscriptions.set(scope, known);
  const reference = known.get(providerKey) ?? new Reference(`subscription of ${providerKey}`);
  known.set(providerKey, reference);
  return reference;
}

/** What a reference to an id or a subscription stands for; `undefined` where names that it needs are not known. */
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
  if (target.type === "azurerm_management_group")
    return joined("/providers/microsoft.management/managementgroups/", name);
  const subscription = joined("/subscriptions/", subscriptionOf(target), "/resourcegroups/");
  if (target.type === "azurerm_resource_group") return joined(subscription, name);
  const provider = PROVIDERS[target.type];
  if (provider === undefined) return undefined;
  const group = lowered(target.stated("resource_group_name"));
  return joined(subscription, group, "/providers/", provider, "/", name);
}

const AZAPI = "azapi_resource";

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
  return segments.map(textOf).filter((segment) => orElse(segment, () => "late") !== "");
}

/** Whether two ids are one. */
export function sameId(one: ResourceId, other: ResourceId): Ternary {
  if (one.segments && other.segments) {
    const [a, b] = [one.segments, other.segments];
    return a.length === b.length
      ? and(...a.map((segment, place) => same(segment, b[place] ?? segment)))
      : "no";
  }
  const whole = same(one.text, other.text);
  return whole === "unknown" && areApart(one, other) ? "no" : whole;
}

/** The resource that an id is a reference to, where its names are not known. */
function referredBy({ text }: ResourceId): Resource | undefined {
  const reference = referenceOf(text);
  return reference?.target instanceof Resource ? reference.target : undefined;
}

/** Two that one configuration makes are two; what a configuration makes and was not read is none that was. */
function areApart(one: ResourceId, other: ResourceId): boolean {
  const [a, b] = [referredBy(one), referredBy(other)];
  return a && b ? areTwo(a, b) : isUndeclared(one) !== isUndeclared(other);
}

function isUndeclared({ text }: ResourceId): boolean {
  const { target, expression = "" } = referenceOf(text) ?? {};
  return target === undefined && /^azure\w+\.[\w-]+\.id$/.test(expression);
}

/** True for two resources that certainly are not one. */
function areTwo(one: Resource, other: Resource): boolean {
  return one !== other && one.scope === other.scope && !one.adopted && !other.adopted;
}

/** A reference to the id of a resource of another kind is no scope that holds others. */
export function isOfAnotherKind(scope: ResourceId, id: ResourceId): boolean {
  const referred = referredBy(scope);
  if (referred === undefined || referenceOf(scope.text)?.attribute !== "id") return false;
  if (areApart(scope, id)) return true;
  const holds = ["azurerm_management_group", "azurerm_resource_group", "azurerm_subscription"];
  if (!referred.type.startsWith("azurerm_") || holds.includes(referred.type)) return false;
  const kind = id.segments?.slice(-3, -1).map((segment) => orElse(segment, () => ""));
  return (
    PROVIDERS[referred.type] === undefined ||
    (kind !== undefined && PROVIDERS[referred.type] !== kind.join("/"))
  );
}

/** Something, and the id that it is found by. */
type Indexed<T> = readonly [id: ResourceId, value: T];

/** Finds what an id may be that of without asking each: ids that end with another name are others. */
export class IdIndex<T> {
  readonly #all: Indexed<T>[] = [];
  readonly #named = new Map<string, Indexed<T>[]>();
  readonly #others: Indexed<T>[] = [];

  /** Adds one. */
  add(id: ResourceId, value: T): void {
    const entry = [id, value] as const;
    const name = nameOf(id);
    this.#all.push(entry);
    const same = name === undefined ? this.#others : (this.#named.get(name) ?? []);
    same.push(entry);
    if (name !== undefined) this.#named.set(name, same);
  }

  /** Those whose id may be this one. */
  near(id: ResourceId): readonly Indexed<T>[] {
    const name = nameOf(id);
    return name === undefined ? this.#all : [...(this.#named.get(name) ?? []), ...this.#others];
  }
}

function nameOf({ segments = [] }: ResourceId): string | undefined {
  const last = segments.at(-1);
  return last && orElse(last, () => undefined);
}
