/*
 * Identities that annotations and Secrets name by their client id: user-assigned identities, and applications of Entra,
 * which act through their service principals.
 */

import {
  type Known,
  andThen,
  known,
  match,
  orElse,
  referenceOf,
  same,
  shown,
  unread,
  type Ternary,
} from "../../model/known";
import { type AzureCloudName, azureClouds } from "../../rules/azure/clouds";
import { type Answer, type Evidence, broken, seen, unknown } from "../answer";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import type { Unread } from "../shared/not-read";
import type { Assignments, HeldRoles } from "./assignments";
import type { CredentialSet, Credentials } from "./credentials";
import { keyOf, lowered } from "../shared/references";
import { IdIndex, type ResourceId, idOf, resourceId, sameId } from "./ids";
import { type PrincipalKey, mayBeAnyones } from "./assignments";

/** An identity. */
export interface Identity {
  /** Terraform address, for people. */
  readonly label: string;
  /** True where it may have role assignments that were not read: others declare it, or its principal. */
  readonly hasMoreRoles: boolean;
  /** The answer where a module is given it that was not read; `undefined` where none is. */
  readonly given: Answer | undefined;
  /** Its tenant; `undefined` where nothing states it. */
  readonly tenant: Known<string | undefined>;
  /** The cloud that it is of; `undefined` where nothing states it. */
  readonly cloud: Known<AzureCloudName | undefined>;
  /** Its object ids. */
  readonly principals: readonly Known<string>[];
  /** Its credentials. */
  readonly trusts: CredentialSet;
  /** What it is assigned. */
  readonly roles: HeldRoles;
  /** Where it stands. */
  readonly source: Source;
}

const IDENTITY = "azurerm_user_assigned_identity";
const APPLICATION = "azuread_application";
/** The names that versions of the azuread provider give to one attribute, the newest first. */
const CLIENT_ID: readonly string[] = ["client_id", "application_id"];

/** The identities that were read. */
export class Identities {
  readonly #found = new Map<PrincipalKey, Identity | undefined>();
  readonly #byClient = new Map<PrincipalKey, Resource[]>();
  readonly #byId = new IdIndex<Resource>();
  readonly #terraform: Terraform;
  readonly #credentials: Credentials;
  readonly #assignments: Assignments;
  readonly #unread: Unread;

  /** Indexes them. */
  constructor(terraform: Terraform, credentials: Credentials, assignments: Assignments, unread: Unread) {
    this.#terraform = terraform;
    this.#credentials = credentials;
    this.#assignments = assignments;
    this.#unread = unread;
    for (const resource of [...terraform.ofType(APPLICATION), ...terraform.ofType(IDENTITY)]) {
      for (const key of clientKeys(resource)) {
        const same = this.#byClient.get(key);
        if (same) same.push(resource);
        else this.#byClient.set(key, [resource]);
      }
      if (resource.type === IDENTITY) this.#byId.add(idOf(resource), resource);
    }
  }

  /** The identity of a client id; `undefined` where it is not among what was read. */
  of(clientId: Known<string | undefined>): Identity | undefined {
    const key = keyOf(clientId);
    if (key === undefined || key === "") return undefined;
    if (!this.#found.has(key)) this.#found.set(key, this.#made(this.#byClient.get(key) ?? []));
    return this.#found.get(key);
  }

  #made(resources: readonly Resource[]): Identity | undefined {
    // What a configuration declares is last, and says more than what another looks up.
    const named = resources.at(-1);
    if (named === undefined) return undefined;
    const { own, perhaps } =
      named.type === IDENTITY ? this.#sameAs(resources) : { own: resources, perhaps: [] };
    const declared = own.find(({ adopted }) => !adopted) ?? named;
    const principals = this.#principals(own);
    const ids = own.flatMap(idsOf);
    const { isOpen, ...trusts } = this.#credentials.of(ids, perhaps.flatMap(idsOf));
    const given = this.#given(named, own, [...ids.map(({ text }) => text), ...principals.ids]);
    return {
      label: named.address,
      hasMoreRoles: declared.adopted || principals.isOpen,
      given,
      tenant: named.type === IDENTITY ? tenantOf(declared) : known(undefined),
      cloud: named.type === IDENTITY ? cloudOf(declared) : known(undefined),
      principals: principals.ids,
      trusts: { ...trusts, isOpen: isOpen || declared.adopted },
      roles: this.#assignments.of(principals.ids, this.#principals(perhaps).ids),
      source: named.source,
    };
  }

  /** One that is declared here and looked up there, or that a state has as well, is one identity. */
  #sameAs(named: readonly Resource[]): {
    readonly own: readonly Resource[];
    readonly perhaps: readonly Resource[];
  } {
    const own = new Set(named);
    const perhaps = new Set<Resource>();
    for (const resource of named)
      for (const [id, value] of this.#byId.near(idOf(resource))) {
        const isSame = own.has(value) ? "no" : sameId(id, idOf(resource));
        if (isSame === "yes") own.add(value);
        else if (isSame === "unknown" && ![...own].some((each) => isBeside(each, value))) perhaps.add(value);
      }
    return { own: [...own], perhaps: [...perhaps].filter((each) => !own.has(each)) };
  }

  /** The object ids of identities, or of the service principals of applications. */
  #principals(resources: readonly Resource[]): {
    readonly ids: readonly Known<string>[];
    readonly isOpen: boolean;
  } {
    const identities = resources.filter(({ type }) => type === IDENTITY);
    const ids = identities.map((each) => each.attribute("principal_id"));
    const clients = resources.filter(({ type }) => type === APPLICATION).flatMap(clientKeys);
    let isOpen = false;
    for (const principal of clients.length === 0 ? [] : this.#terraform.ofType("azuread_service_principal")) {
      const argument = CLIENT_ID.find((name) => principal.names.includes(name)) ?? "";
      const client = principal.stated(argument);
      const key = keyOf(client);
      if (key !== undefined && clients.includes(key))
        ids.push(...["object_id", "id"].map((attribute) => principal.attribute(attribute)));
      else isOpen ||= key === undefined || mayBeAnyones(client, principal);
    }
    return { ids, isOpen };
  }

  #given(
    { address }: Resource,
    resources: readonly Resource[],
    texts: readonly Known<string | undefined>[],
  ): Answer | undefined {
    const clients = resources.flatMap((each) => CLIENT_ID.map((name) => each.text(name)));
    return this.#unread.answer(address, resources, [...texts, ...clients]);
  }
}

function clientKeys(resource: Resource): readonly PrincipalKey[] {
  const names = resource.type === APPLICATION ? CLIENT_ID : CLIENT_ID.slice(0, 1);
  return names.flatMap((name) => keyOf(resource.attribute(name)) ?? []);
}

function idsOf(resource: Resource): readonly ResourceId[] {
  if (resource.type === IDENTITY) return [idOf(resource)];
  return [idOf(resource), resourceId(resource.attribute("object_id"))];
}

/** Two that one configuration makes are two. */
function isBeside(one: Resource, other: Resource): boolean {
  return one.scope === other.scope && !one.adopted && !other.adopted;
}

/** As a state has it, or as the provider is configured. */
function tenantOf(resource: Resource): Known<string | undefined> {
  return andThen(resource.text("tenant_id"), (stated) =>
    stated === undefined ? resource.provider.text("tenant_id") : known(stated),
  );
}

/** A tenant that is asked of Azure, as the provider that asks is configured. */
export function statedTenant(tenant: Known<string | undefined>): Known<string | undefined> {
  const { target, attribute } = referenceOf(tenant) ?? {};
  if (!(target instanceof Resource) || attribute !== "tenant_id" || !/^azure(?:rm|ad)_/.test(target.type))
    return tenant;
  return match(
    tenantOf(target),
    (stated) => (stated === undefined ? tenant : known(stated)),
    () => tenantOf(target),
  );
}

/**
 * As the provider is configured; `undefined` where it says nothing, so that it is what ARM_ENVIRONMENT says or the public
 * one. A metadata host tells clouds of its own.
 */
export function cloudOf(resource: Resource): Known<AzureCloudName | undefined> {
  const { provider } = resource;
  return andThen(provider.text("metadata_host"), (host = "") =>
    host !== ""
      ? unread(`the metadata host ${host} says which cloud it is`)
      : andThen(provider.text("environment"), (stated) => {
          const name = stated?.toLowerCase() ?? "";
          const cloud = azureClouds.find(({ environments }) => environments.includes(name))?.name;
          return known(cloud);
        }),
  );
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for a GUID, and for what only apply tells, which may be one. */
export function isGuid(id: Known<string | undefined>): boolean {
  return match(
    id,
    (text = "") => GUID.test(text),
    () => true,
  );
}

/** Whether two tenants are one. */
export function sameTenant(one: Known<string | undefined>, other: Known<string | undefined>): Ternary {
  return same<string | undefined>(lowered(statedTenant(one)), lowered(statedTenant(other)));
}

/**
 * What Entra says to a token that asks in another tenant than the identity's; `undefined` where it is that one, or where
 * nothing states a tenant, or a domain stands for it.
 */
export function foreignTenant(
  identity: Identity | undefined,
  key: string,
  tenant: Known<string | undefined>,
  remedy: string,
  where: Evidence,
): Answer | undefined {
  const home = identity?.tenant;
  const isStated =
    home && orElse(home, () => "late") !== undefined && orElse(tenant, () => "late") !== undefined;
  if (!identity || !home || !isStated || !isGuid(home) || !isGuid(tenant)) return undefined;
  const isSame = sameTenant(home, tenant);
  if (isSame === "yes") return undefined;
  const reason = `${key} is ${shown(tenant)}, and ${identity.label} is of the tenant ${shown(home)}`;
  const places = [where, seen("identity", identity.source)];
  return isSame === "no"
    ? broken(
        reason,
        remedy,
        "AADSTS700016: Application with identifier … was not found in the directory",
        ...places,
      )
    : unknown(`${reason}: whether these are one is not known`, remedy, ...places);
}
