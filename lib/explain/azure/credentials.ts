/*
 * Federated identity credentials as Terraform declares them, and whose they are. Source of the limits: learn.microsoft.com,
 * "Important considerations and restrictions for federated identity credentials".
 */

import {
  type Known,
  type Ternary,
  andThen,
  known,
  or,
  orElse,
  referenceOf,
  same,
  shown,
  unread,
} from "../../model/known";
import { grouped } from "../../model/grouped";
import { CREDENTIALS_PER_IDENTITY, credentialProblem } from "../../rules/azure/federated-credential";
import { Resource } from "../read/block";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";
import { isAbsent, lowered } from "../shared/references";
import { azapiResources, changedId } from "./azapi";
import { IdIndex, type ResourceId, resourceId, sameId, subscriptionOf, withSegments } from "./ids";

/** A federated identity credential. */
export interface Credential {
  readonly issuer: Known<string | undefined>;
  readonly subject: Known<string | undefined>;
  /** The first audience. */
  readonly audience: Known<string | undefined>;
  /** Why Azure refuses it, so that it is not there; `undefined` where it does not. */
  readonly problem: string | undefined;
  /** False where it may be another identity's. */
  readonly isCertain: boolean;
  readonly source: Source;
}

/** The credentials of an identity. */
export interface CredentialSet {
  readonly credentials: readonly Credential[];
  /** True where there may be more than those that were read. */
  readonly isOpen: boolean;
  /** Why some of them may not be there, or say something else; `undefined` where nothing speaks for that. */
  readonly doubt: string | undefined;
}

/** A credential, and the identities that it may be put on: one, or several where releases of azurerm differ. */
interface Owned {
  readonly resource: Resource;
  readonly owners: readonly ResourceId[];
  /** Whether all is known of it, that it is there, or that it is another than is written. */
  readonly is: "read" | "there" | "changed";
}

const OF_IDENTITIES = "azurerm_federated_identity_credential";
const AZAPI = "microsoft.managedidentity/userassignedidentities/federatedidentitycredentials";

type OwnersOf = (resource: Resource) => Owned["owners"];

/** The credentials of all identities and applications. */
export class Credentials {
  readonly #index = new IdIndex<Owned>();

  constructor(terraform: Terraform) {
    const found: readonly (readonly [readonly Resource[], OwnersOf, Owned["is"]])[] = [
      [terraform.ofType(OF_IDENTITIES), ownersOf, "read"],
      [terraform.ofType("azuread_application_federated_identity_credential"), applicationOf, "read"],
      [
        terraform.ofType("azuread_application_flexible_federated_identity_credential"),
        applicationOf,
        "there",
      ],
      [azapiResources(terraform, "azapi_resource", AZAPI), parentOf, "there"],
      [azapiResources(terraform, "azapi_update_resource", AZAPI), changedOwners, "changed"],
    ];
    for (const [resources, ownersBy, is] of found)
      for (const resource of resources) {
        const owners = ownersBy(resource);
        for (const owner of owners) this.#index.add(owner, { resource, owners, is });
      }
  }

  /** Those of an identity, by the ids that it certainly goes by and those that may be its own. */
  of(ids: readonly ResourceId[], perhaps: readonly ResourceId[]): CredentialSet {
    const found = new Map<Resource, { readonly owned: Owned; readonly isOwn: Ternary }>();
    for (const id of [...ids, ...perhaps])
      for (const [, owned] of this.#index.near(id)) {
        const mayBe = perhaps.some((each) => ownedBy(owned, each) !== "no") ? "unknown" : "no";
        const isOwn = or(mayBe, ...ids.map((each) => ownedBy(owned, each)));
        if (isOwn !== "no") found.set(owned.resource, { owned, isOwn });
      }
    const all = [...found.values()];
    const changed = all.find(({ owned }) => owned.is === "changed")?.owned.resource;
    const read = all.filter(({ owned }) => owned.is === "read");
    const certain = read.filter(({ isOwn }) => isOwn === "yes").map(({ owned }) => owned.resource);
    return {
      credentials: read.map(({ owned, isOwn }) => credentialOf(owned.resource, isOwn === "yes")),
      isOpen: all.length > read.length,
      doubt: changed
        ? `${changed.address} changes one of them`
        : refusal(certain.filter((each) => !isApplied(each))),
    };
  }
}

function ownedBy({ owners }: Owned, id: ResourceId): Ternary {
  const [first = "no", ...others] = owners.map((owner) => sameId(owner, id));
  return others.every((each) => each === first) ? first : "unknown";
}

/** True for what Azure has taken already: a state has its id, which no configuration states. */
function isApplied(resource: Resource): boolean {
  return (orElse(resource.text("id"), () => undefined) ?? "") !== "";
}

/** Numbers of segments in an identity's id, and how many it has. */
const [SUBSCRIPTION, RESOURCE_GROUP, IDENTITY_DEPTH] = [1, 3, 8];

/**
 * The identities that azurerm may put a credential on: of the one that is named it takes the name, and the subscription
 * of its provider (federated_identity_credential_resource.go, 4.0 to 5.2); before 4.60 the credential's own resource group,
 * from then on that of the identity.
 */
function ownersOf(credential: Resource): readonly ResourceId[] {
  const applied = resourceId(credential.stated("id"));
  if (applied.segments && applied.segments.length > IDENTITY_DEPTH)
    return [withSegments(applied, {}, IDENTITY_DEPTH)];
  const named = resourceId(identityNamedBy(credential));
  const subscription = subscriptionOf(credential);
  if (named.segments === undefined) {
    const target = referenceOf(named.text)?.target;
    const isHere = target instanceof Resource && same(subscriptionOf(target), subscription) === "yes";
    return isHere ? [named] : [named, resourceId(unread("the subscription of its provider is another"))];
  }
  const owner = withSegments(named, { [SUBSCRIPTION]: subscription });
  const group = lowered(credential.text("resource_group_name"));
  const isSame = same<string | undefined>(group, owner.segments?.[RESOURCE_GROUP] ?? known(undefined));
  if (isSame === "yes" || isAbsent(group)) return [owner];
  return [owner, withSegments(owner, { [RESOURCE_GROUP]: group as Known<string> })];
}

function firstStated(resource: Resource, ...names: readonly string[]): Known<string> {
  const stated = names.find((name) => !isAbsent(resource.text(name)));
  return resource.stated(stated ?? names[0] ?? "");
}

function identityNamedBy(credential: Resource): Known<string> {
  return firstStated(credential, "user_assigned_identity_id", "parent_id");
}

function applicationOf(credential: Resource): readonly ResourceId[] {
  return [resourceId(firstStated(credential, "application_id", "application_object_id"))];
}

function parentOf(credential: Resource): readonly ResourceId[] {
  return [resourceId(credential.stated("parent_id"))];
}

/** Whose the credential is that a resource of azapi changes. */
function changedOwners(resource: Resource): readonly ResourceId[] {
  const id = changedId(resource);
  const target = referenceOf(id)?.target;
  if (target instanceof Resource && target.type === OF_IDENTITIES) return ownersOf(target);
  return [withSegments(resourceId(id), {}, IDENTITY_DEPTH)];
}

/** A credential of azurerm (`audience`) or azuread (`audiences`), each a list of one. */
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

/** What one document asks for and Azure refuses; another document may say the same of the same credentials. */
function refusal(found: readonly Resource[]): string | undefined {
  const problems = [...grouped(found, ({ scope }) => scope).values()].map((here) => {
    const names = here.map((each) => orElse(lowered(each.text("name")), () => undefined));
    const twice = names.find((name, place) => name !== undefined && names.indexOf(name) < place);
    if (twice !== undefined) return `two of its credentials are named ${twice}`;
    const isSame = (one: Resource, other: Resource, name: string): boolean =>
      same(one.text(name), other.text(name)) === "yes";
    const pair = here.find((each, place) =>
      here.slice(0, place).some((other) => ["issuer", "subject"].every((name) => isSame(each, other, name))),
    );
    if (pair)
      return `two of its credentials have the issuer ${shown(pair.text("issuer"))} and the subject ${shown(pair.text("subject"))}`;
    return here.length > CREDENTIALS_PER_IDENTITY
      ? `it has more than ${CREDENTIALS_PER_IDENTITY} federated identity credentials`
      : undefined;
  });
  return problems.find((each) => each !== undefined);
}

/** The credentials of identities that a configuration declares, with what tests may call them. */
export function declaredCredentials(terraform: Terraform): readonly {
  readonly address: string;
  readonly names: readonly string[];
  readonly credential: Credential;
}[] {
  const declared = terraform.ofType(OF_IDENTITIES).filter(({ adopted }) => !adopted);
  return declared.map((resource) => {
    const id = identityNamedBy(resource);
    const target = referenceOf(id)?.target;
    const owner = target instanceof Resource ? [known(target.address), target.stated("name")] : [id];
    const names = [known(resource.address), resource.stated("name"), ...owner].flatMap((each) =>
      orElse(each, () => []),
    );
    return { address: resource.address, names, credential: credentialOf(resource, true) };
  });
}
