/*
 * Federated identity credentials as Terraform declares them, and the identities they belong to. Source of the limits:
 * learn.microsoft.com, "Important considerations and restrictions for federated identity credentials".
 */

import { grouped } from "../../model/grouped";
import {
  type Known,
  type Ternary,
  andThen,
  isAbsent,
  known,
  anyOf,
  orElse,
  referenceOf,
  same,
  shown,
  unread,
} from "../../model/known";
import { CREDENTIALS_PER_IDENTITY, credentialProblem } from "../../rules/azure/trust";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { lowered } from "../shared/references";
import { IdIndex, type ResourceId, resourceId, sameId, subscriptionOf, withSegments } from "./ids";

export interface Credential {
  readonly issuer: Known<string | undefined>;
  readonly subject: Known<string | undefined>;
  readonly audience: Known<string | undefined>;
  /** Why Azure refuses to create it; `undefined` if Azure accepts it. */
  readonly problem: string | undefined;
  readonly isCertain: boolean;
  readonly source: Source;
}

export interface CredentialSet {
  readonly credentials: readonly Credential[];
  /** True if there may be more credentials than were read. */
  readonly isOpen: boolean;
  /** Why some of them may not exist or may differ from what was read; `undefined` if there is no such reason. */
  readonly doubt: string | undefined;
}

const OF_IDENTITIES = "azurerm_federated_identity_credential";
const OF_APPLICATIONS = "azuread_application_federated_identity_credential";

/** Positions of segments in an identity's id, and their number. */
const [SUBSCRIPTION, RESOURCE_GROUP, IDENTITY_DEPTH] = [1, 3, 8];

export class Credentials {
  readonly #byOwner = new IdIndex<Resource>();

  constructor(terraform: Terraform) {
    for (const each of terraform.ofType(OF_IDENTITIES)) this.#byOwner.add(ownerOf(each), each);
    for (const each of terraform.ofType(OF_APPLICATIONS)) this.#byOwner.add(applicationOf(each), each);
  }

  of(ids: readonly ResourceId[]): Omit<CredentialSet, "isOpen"> {
    const owned = new Map<Resource, Ternary>();
    for (const [owner, resource] of new Set(ids.flatMap((id) => this.#byOwner.near(id)))) {
      const isOwn = anyOf(ids.map((id) => sameId(owner, id)));
      if (isOwn !== "no") owned.set(resource, isOwn);
    }
    const all = [...owned];
    const certain = all.filter(([each, isOwn]) => isOwn === "yes" && !isApplied(each));
    return {
      credentials: all.map(([each, isOwn]) => credentialOf(each, isOwn === "yes")),
      doubt: refusal(certain.map(([resource]) => resource)),
    };
  }
}

/** True for a resource that exists in Azure: a state has its id, a configuration never does. */
function isApplied(resource: Resource): boolean {
  return (orElse(resource.text("id"), () => undefined) ?? "") !== "";
}

/**
 * The identity to which azurerm adds a credential. It takes the name from the identity's id, and the subscription from
 * its own provider configuration (federated_identity_credential_resource.go, 4.0 to 5.2). Before 4.60 it takes the
 * credential's own resource group, later the identity's; if these may differ, the identity is not known.
 */
function ownerOf(credential: Resource): ResourceId {
  const applied = resourceId(credential.stated("id"));
  if (applied.segments && applied.segments.length > IDENTITY_DEPTH)
    return withSegments(applied, {}, IDENTITY_DEPTH);
  const named = resourceId(identityNamedBy(credential));
  const owner = withSegments(named, { [SUBSCRIPTION]: subscriptionOf(credential) });
  const group = lowered(credential.text("resource_group_name"));
  const own = owner.segments?.[RESOURCE_GROUP] ?? known(undefined);
  if (isAbsent(group) || same<string | undefined>(group, own) === "yes") return owner;
  return resourceId(unread("azurerm takes it or its resource group from elsewhere"));
}

function firstStated(resource: Resource, ...names: readonly string[]): Known<string> {
  const stated = names.find((name) => !isAbsent(resource.text(name)));
  return resource.stated(stated ?? names[0] ?? "");
}

function identityNamedBy(credential: Resource): Known<string> {
  return firstStated(credential, "user_assigned_identity_id", "parent_id");
}

function applicationOf(credential: Resource): ResourceId {
  return resourceId(firstStated(credential, "application_id", "application_object_id"));
}

/** A credential of azurerm (`audience`) or azuread (`audiences`); each attribute is a list of one item. */
function credentialOf(resource: Resource, isCertain: boolean): Credential {
  const [issuer, subject] = [resource.text("issuer"), resource.text("subject")];
  const isOfIdentity = resource.type === OF_IDENTITIES;
  const audiences = resource.list(isOfIdentity ? "audience" : "audiences");
  const name = resource.text(isOfIdentity ? "name" : "display_name");
  return {
    issuer,
    subject,
    audience: andThen(audiences, ([first]): Known<string | undefined> => first ?? known(undefined)),
    problem: isApplied(resource) ? undefined : credentialProblem({ name, issuer, subject, audiences }),
    isCertain,
    source: resource.source,
  };
}

/** Why Azure refuses the credentials of one document. Documents are compared singly, as two may repeat a credential. */
function refusal(found: readonly Resource[]): string | undefined {
  for (const here of grouped(found, ({ scope }) => scope).values()) {
    if (here.length > CREDENTIALS_PER_IDENTITY)
      return `it has more than ${CREDENTIALS_PER_IDENTITY} federated identity credentials`;
    const namesake = twice(here, (each) => [lowered(each.text("name"))]);
    if (namesake) return `two of its credentials are named ${shown(namesake.text("name"))}`;
    const pair = twice(here, (each) => [each.text("issuer"), each.text("subject")]);
    if (pair)
      return `two of its credentials have the issuer ${shown(pair.text("issuer"))} and the subject ${shown(pair.text("subject"))}`;
  }
  return undefined;
}

function twice(
  all: readonly Resource[],
  valuesOf: (each: Resource) => readonly Known<string | undefined>[],
): Resource | undefined {
  return all.find((each, place) =>
    all.slice(0, place).some((other) => {
      const others = valuesOf(other);
      return valuesOf(each).every(
        (value, at) =>
          !isAbsent(value) && same<string | undefined>(value, others[at] ?? known(undefined)) === "yes",
      );
    }),
  );
}

/** The credentials that a configuration declares, by the identity or application that they belong to. */
export function declaredCredentials(terraform: Terraform): readonly {
  /** The owner: its address and name, or its id if it was not read. */
  readonly owner: readonly [address: string, name: string];
  readonly source: Source;
  readonly names: readonly string[];
  readonly credentials: readonly Credential[];
}[] {
  const declared = [OF_IDENTITIES, OF_APPLICATIONS].flatMap((type) => terraform.ofType(type));
  const owned = declared
    .filter(({ adopted }) => !adopted)
    .map((resource) => ({ resource, ...ownerIn(resource) }));
  const ofScopes = [...grouped(owned, ({ resource }) => resource.scope).values()];
  const groups = ofScopes.flatMap((all) => [...grouped(all, ({ owner }) => owner.join(" ")).values()]);
  return groups.flatMap((all) => {
    const credentials = all.map(({ resource }) => credentialOf(resource, true));
    const names = all.flatMap(({ resource }) => [resource.address, shown(resource.stated("name"))]);
    return all.slice(0, 1).map(({ owner, source }) => ({ owner, source, names, credentials }));
  });
}

function ownerIn(credential: Resource): {
  readonly owner: readonly [string, string];
  readonly source: Source;
} {
  const id = credential.type === OF_IDENTITIES ? identityNamedBy(credential) : applicationOf(credential).text;
  const target = referenceOf(id)?.target;
  const text = shown(id).toLowerCase();
  return target instanceof Resource
    ? { owner: [target.address, orElse(target.stated("name"), () => target.address)], source: target.source }
    : { owner: [text, text.slice(text.lastIndexOf("/") + 1)], source: credential.source };
}
