/*
 * Identities that annotations and Secrets name by client id: user-assigned identities, and Entra applications, which
 * act through their service principals.
 */

import {
  type Known,
  type Ternary,
  andThen,
  is,
  isAbsent,
  isKnown,
  known,
  partsOf,
  referenceOf,
  same,
  shown,
  unread,
  whyNot,
  whyText,
  whether,
} from "../../model/known";
import { remembered } from "../../model/once";
import { type AzureCloudName, azureClouds } from "../../rules/azure/clouds";
import { type Answer, type Evidence, broken, later, seen, unknown } from "../answer";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { notAmongRead } from "../shared/near-miss";
import type { ClosedWorld, ClusterNames } from "../coverage/closed-world";
import { keyOf, lowered } from "../shared/references";
import { type Assignments, type HeldRoles, type PrincipalKey, mayBeAnyones } from "./assignments";
import type { CredentialSet, Credentials } from "./credentials";
import { IdIndex, type ResourceId, idOf, resourceId, sameId } from "./ids";

export interface Identity {
  readonly label: string;
  /** Its resource id, or of an application its client id. */
  readonly id: Known<string>;
  readonly client: Known<string>;
  /** True if it may have role assignments that were not read: another stack declares it or its principal. */
  readonly hasMoreRoles: boolean;
  /** True in a state, of whose principals other states may hold all role assignments. */
  readonly isOfState: boolean;
  /** The answer if a module that was not read is given the identity; otherwise `undefined`. */
  readonly given: Answer | undefined;
  /** Whether everything that was read of it is understood. */
  readonly understood: (cluster: ClusterNames) => Answer;
  /** `undefined` where nothing states it. */
  readonly tenant: Known<string | undefined>;
  /** `undefined` where nothing states it. */
  readonly cloud: Known<AzureCloudName | undefined>;
  readonly principals: readonly Known<string>[];
  readonly trusts: CredentialSet;
  readonly roles: HeldRoles;
  readonly source: Source;
}

const IDENTITY = "azurerm_user_assigned_identity";
const APPLICATION = "azuread_application";
/** The names that versions of the azuread provider give to one attribute, the newest first. */
const CLIENT_ID: readonly string[] = ["client_id", "application_id"];

export class Identities {
  readonly #found = new Map<PrincipalKey, Identity | undefined>();
  readonly #byClient = new Map<PrincipalKey, Resource[]>();
  readonly #byId = new IdIndex<Resource>();
  readonly #terraform: Terraform;
  readonly #credentials: Credentials;
  readonly #assignments: Assignments;
  readonly #world: ClosedWorld;

  constructor(terraform: Terraform, credentials: Credentials, assignments: Assignments, world: ClosedWorld) {
    this.#terraform = terraform;
    this.#credentials = credentials;
    this.#assignments = assignments;
    this.#world = world;
    for (const resource of [...terraform.ofType(APPLICATION), ...terraform.ofType(IDENTITY)]) {
      for (const key of clientKeys(resource)) remembered(this.#byClient, key, () => []).push(resource);
      if (resource.type === IDENTITY) this.#byId.add(idOf(resource), resource);
    }
  }

  get declared(): readonly Identity[] {
    return [...this.#byClient].flatMap(([key, resources]) => {
      if (resources.every(({ adopted }) => adopted)) return [];
      return remembered(this.#found, key, () => this.#made(resources)) ?? [];
    });
  }

  /** The identity with a client id; `undefined` if it was not read. */
  of(clientId: Known<string | undefined>): Identity | undefined {
    const key = keyOf(clientId);
    if (key === undefined || key === "") return undefined;
    return remembered(this.#found, key, () => this.#made(this.#byClient.get(key) ?? []));
  }

  /**
   * The answer for a client id of which no identity was read, with the nearest client id, or an identity that trusts the
   * subject.
   */
  missing(clientId: Known<string | undefined>, subject?: string): Answer {
    return later("unknown", () => {
      const what = "the identity with the client id";
      const who =
        isAbsent(clientId) || partsOf(clientId as Known<string>) === undefined ? "" : ` ${shown(clientId)}`;
      const others = this.declared;
      const reason = notAmongRead(
        what + who,
        clientId,
        others.map(({ client }) => client),
      );
      const trusting = others.find(
        ({ trusts }) =>
          subject !== undefined &&
          trusts.credentials.some((each) => is<string | undefined>(each.subject, subject) === "yes"),
      );
      const near = trusting
        ? `; a federated identity credential of ${trusting.label}, whose client id is ${shown(trusting.client)}, is for ${subject ?? ""}`
        : "";
      return unknown(reason + near, "also give explain the Terraform that declares it");
    });
  }

  #made(resources: readonly Resource[]): Identity | undefined {
    // The declared resource comes last, and says more than one that is looked up.
    const named = resources.at(-1);
    if (named === undefined) return undefined;
    const isIdentity = named.type === IDENTITY;
    const { own: twins, isWhole } = isIdentity ? this.#sameAs(resources) : { own: resources, isWhole: true };
    const declared = twins.find(({ adopted }) => !adopted) ?? named;
    const isOpen = declared.adopted || !isWhole;
    const principals = this.#principals(twins);
    const ids = twins.flatMap(idsOf);
    const trusts = this.#credentials.of(ids);
    const clients = twins.flatMap((each) => CLIENT_ID.map((name) => each.text(name)));
    const texts = [...ids.map(({ text }) => text), ...principals.ids, ...clients];
    const client = named.attribute(CLIENT_ID.find((name) => isKnown(named.attribute(name))) ?? "client_id");
    return {
      label: named.address,
      id: isIdentity ? idOf(declared).text : client,
      client,
      hasMoreRoles: isOpen || principals.isOpen,
      isOfState: declared.scope.isLiteral,
      given: this.#world.answer(named.address, twins, texts),
      understood: (cluster) => this.#world.understood(named.address, cluster, twins, texts),
      tenant: isIdentity ? tenantOf(declared) : known(undefined),
      cloud: isIdentity ? cloudOf(declared) : known(undefined),
      principals: principals.ids,
      trusts: { ...trusts, isOpen },
      roles: this.#assignments.of(principals.ids),
      source: named.source,
    };
  }

  /**
   * The resources that are one identity: declared in one stack and looked up in another, or also in a state. Not whole
   * if a further resource may be the same identity. Two resources that one configuration creates are two identities.
   */
  #sameAs(named: readonly Resource[]): { readonly own: readonly Resource[]; readonly isWhole: boolean } {
    const certain = new Set(named);
    const perhaps = new Set<Resource>();
    for (const resource of named)
      for (const [id, value] of this.#byId.near(idOf(resource))) {
        const isSame = certain.has(value) ? "no" : sameId(id, idOf(resource));
        if (isSame === "yes") certain.add(value);
        else if (isSame === "unknown") perhaps.add(value);
      }
    const isBeside = (one: Resource, other: Resource): boolean =>
      one.scope === other.scope && !one.adopted && !other.adopted;
    return {
      own: [...certain],
      isWhole: [...perhaps].every(
        (each) => certain.has(each) || [...certain].some((one) => isBeside(one, each)),
      ),
    };
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
      const client = principal.stated(CLIENT_ID.find((name) => principal.names.includes(name)) ?? "");
      const key = keyOf(client);
      if (key !== undefined && clients.includes(key))
        ids.push(...["object_id", "id"].map((attribute) => principal.attribute(attribute)));
      else isOpen ||= key === undefined || mayBeAnyones(client, principal);
    }
    return { ids, isOpen };
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

/** The tenant in a state, or in the configuration of the Terraform provider. */
function tenantOf(resource: Resource): Known<string | undefined> {
  return andThen(resource.text("tenant_id"), (stated) =>
    stated === undefined ? resource.provider.text("tenant_id") : known(stated),
  );
}

/** A tenant; one that a data source looks up is that of its Terraform provider's configuration. */
function statedTenant(tenant: Known<string | undefined>): Known<string | undefined> {
  const { target, attribute } = referenceOf(tenant) ?? {};
  if (!(target instanceof Resource) || attribute !== "tenant_id" || !/^azure(?:rm|ad)_/.test(target.type))
    return tenant;
  const stated = tenantOf(target);
  return isAbsent(stated) ? tenant : stated;
}

/**
 * The cloud in the configuration of the Terraform provider; `undefined` if it states none, so that ARM_ENVIRONMENT
 * decides, or else the public cloud applies. A metadata host describes a custom cloud.
 */
export function cloudOf({ provider }: Resource): Known<AzureCloudName | undefined> {
  return andThen(provider.text("metadata_host"), (host = "") =>
    host !== ""
      ? unread(`the cloud depends on the metadata host ${host}`)
      : andThen(provider.text("environment"), (stated = "") =>
          known(azureClouds.find(({ environments }) => environments.includes(stated.toLowerCase()))?.name),
        ),
  );
}

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** True for a GUID, and for a value known only after apply, which may be one. */
export function isGuid(id: Known<string | undefined>): boolean {
  return whether(id, (text = "") => GUID.test(text)) !== "no";
}

/** The answer if documents disagree on a value, or it cannot be read; otherwise `undefined`. */
export function notInOne(
  values: readonly Known<unknown>[],
  what: string,
  where: Evidence,
): Answer | undefined {
  const why = values.map(whyNot).find((each) => each && each.kind !== "apply");
  return why && unknown(whyText(why), `keep the ${what} in one document`, where);
}

export function sameTenant(one: Known<string | undefined>, other: Known<string | undefined>): Ternary {
  return same<string | undefined>(lowered(statedTenant(one)), lowered(statedTenant(other)));
}

/**
 * What Entra answers to a request in a tenant other than the identity's; `undefined` if the tenants agree, if none is
 * stated, or if a domain name takes its place.
 */
export function foreignTenant(
  identity: Identity | undefined,
  key: string,
  tenant: Known<string | undefined>,
  remedy: string,
  where: Evidence,
): Answer | undefined {
  if (!identity || [identity.tenant, tenant].some((each) => isAbsent(each) || !isGuid(each)))
    return undefined;
  const isSame = sameTenant(identity.tenant, tenant);
  if (isSame === "yes") return undefined;
  const reason = `${key} is ${shown(tenant)}, but ${identity.label} is in the tenant ${shown(identity.tenant)}`;
  const places = [where, seen("identity", identity.source)];
  const log = "AADSTS700016: Application with identifier … was not found in the directory";
  return isSame === "no"
    ? broken(reason, remedy, log, places)
    : unknown(`${reason}; whether these are the same is not known`, remedy, places);
}
