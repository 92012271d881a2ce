/*
 * Storage containers and static websites with an issuer's documents, in the forms that `IssuerContainer` and
 * `IssuerWebsite` write. Microsoft Entra reads them from the internet, without credentials.
 */

import {
  type Known,
  is,
  isKnown,
  joined,
  known,
  orElse,
  partsOf,
  same,
  shown,
  whether,
} from "../../model/known";
import { azureClouds } from "../../rules/azure/clouds";
import { WEBSITE_CONTAINER } from "../../rules/azure/issuer";
import { BLOB, STORAGE } from "../coverage/azure-issuer";
import { type Resource, referredResource } from "../read/block";
import type { Terraform } from "../read/terraform";
import type { Doubt, ObjectStore, StoreDoor } from "../shared/object-store";
import { StoreIndex, type StoreParts, beyondForm, doubtAbout, ownerOf, storesOf } from "../shared/store-form";
import { cloudOf } from "./identity";
import { resourceId } from "./ids";

const ACCOUNT = "azurerm_storage_account";
const CONTAINER = "azurerm_storage_container";
const WEBSITE = "azurerm_storage_account_static_website";
const BLOB_TYPE = "azurerm_storage_blob";

interface Container {
  readonly container: Known<string>;
  /** Of the account. */
  readonly name: Known<string>;
}

/** Every container whose blobs are declared. */
export function issuerContainers(terraform: Terraform): readonly ObjectStore[] {
  const blobs = terraform.ofType(BLOB_TYPE).map((resource) => {
    const place = containerOf(resource);
    const isKnownPlace = [place.name, place.container].every((each) => partsOf(each) !== undefined);
    const key = `${shown(place.name)} ${shown(place.container)}`;
    return { resource, place: isKnownPlace ? { ...place, key } : undefined, name: resource.stated("name") };
  });
  const index = new StoreIndex(terraform, "azurerm_storage_", (each) =>
    each.type === BLOB_TYPE ? undefined : ownedBy(each),
  );
  return storesOf(blobs, {
    partsOf: ({ name, container }) =>
      // Containers beside this one do not matter.
      index.of(name, (each) => (each.type === CONTAINER ? same(each.stated("name"), container) : "yes")),
    doorsOf: (place, store) => [doorOf(place, store)],
    owner: (place) => (isWebsite(place) ? ACCOUNT : CONTAINER),
    rows: BLOB,
    content: "source_content",
    isServedElsewhere,
  });
}

/** With `issuerUrl` of the constructs; an issuer that only apply tells is that of a website. */
function isServedElsewhere(issuer: Known<string>): boolean {
  return whether(issuer, (url) => !/\.(?:core|storage)\.[^/]+(?:\/|$)/.test(url)) === "yes";
}

function isWebsite({ container }: Container): boolean {
  return is(container, WEBSITE_CONTAINER) === "yes";
}

/** The account that a resource is or belongs to. */
function ownedBy(resource: Resource): ReturnType<typeof ownerOf> {
  const owner = resourceId(resource.stated("storage_account_id")).segments?.at(-1);
  if (owner !== undefined) return { resource, owner, isReferred: false };
  const [first] = ["storage_account_id", "storage_account_name"].filter((each) =>
    resource.names.includes(each),
  );
  return ownerOf(resource, first ?? "", [ACCOUNT, "name"]);
}

/** `/…/storageAccounts/<account>/blobServices/default/containers/<name>` */
const CONTAINER_DEPTH = 12;

function containerOf(blob: Resource): Container {
  const id = blob.stated("storage_container_id");
  const target = referredResource(id, ["id", "resource_manager_id"]);
  if (target) return { name: accountOf(target), container: target.stated("name") };
  const { segments = [] } = resourceId(id);
  const [name, container] = [segments[CONTAINER_DEPTH - 5], segments[CONTAINER_DEPTH - 1]];
  return name !== undefined && container !== undefined
    ? { name, container }
    : { name: accountOf(blob), container: blob.stated("storage_container_name") };
}

function accountOf(resource: Resource): Known<string> {
  const id = resource.stated("storage_account_id");
  const target = referredResource(id, ["id"]);
  if (target) return target.attribute("name");
  const byName = resource.names.includes("storage_account_name");
  return resourceId(id).segments?.at(-1) ?? (byName ? resource.stated("storage_account_name") : id);
}

function doorOf(place: Container, store: StoreParts): StoreDoor {
  const accounts = store.parts.filter(({ type }) => type === ACCOUNT);
  return {
    basesFor: (url) =>
      accounts.flatMap((each) => (isWebsite(place) ? websitesOf(each, url) : containersOf(each, place))),
    doubt: () =>
      beyondForm(store, STORAGE, [ACCOUNT, isWebsite(place) ? WEBSITE : CONTAINER]) ??
      store.parts.map((each) => closed(each, isWebsite(place))).find((each) => each !== undefined),
    parts: store.parts,
  };
}

/** The URLs of a container, which a state has exactly. */
function containersOf(account: Resource, { name, container }: Container): readonly Known<string>[] {
  const endpoint = account.attribute("primary_blob_endpoint");
  return isKnown(endpoint)
    ? [joined(endpoint, container)]
    : suffixesOf(account).map((suffix) => joined("https://", name, `.blob.${suffix}/`, container));
}

/** A website's host has the number of a zone, which only Azure knows, and the state. */
function websitesOf(account: Resource, url: Known<string>): readonly Known<string>[] {
  const host = account.attribute("primary_web_host");
  const name = orElse(account.attribute("name"), () => "[]");
  const ends = suffixesOf(account).join("|").replaceAll(".", "\\.");
  const form = new RegExp(`^https://${name}\\.z\\d+\\.web\\.(?:${ends})(?=/|$)`);
  const [found] = isKnown(host) ? [] : (form.exec(orElse(url, () => "")) ?? []);
  return [joined("https://", host), ...(found === undefined ? [] : [known(found)])];
}

/** The suffixes that an account's endpoints may have: all if no cloud is stated, none if it is not known. */
function suffixesOf(account: Resource): readonly string[] {
  const stated = orElse(cloudOf(account), () => "");
  const all = azureClouds.filter(({ name }) => stated === undefined || stated === name);
  return all.map(({ storageSuffix }) => storageSuffix);
}

/** The argument that may keep requests out; a state does not tell `false` from an argument that is absent. */
function closed(part: Resource, isOfWebsite: boolean): Doubt | undefined {
  const isOn = (name: string): boolean => !part.names.includes(name) || is(part.flag(name), true) === "yes";
  const access = part.text("container_access_type");
  // A website is public whatever the account and its container say about blobs.
  const rows: readonly (readonly [type: string, argument: string, isOpen: boolean])[] = [
    [ACCOUNT, "public_network_access_enabled", isOn("public_network_access_enabled")],
    [ACCOUNT, "allow_nested_items_to_be_public", isOfWebsite || isOn("allow_nested_items_to_be_public")],
    [CONTAINER, "container_access_type", ["blob", "container"].some((each) => is(access, each) === "yes")],
  ];
  const [found] = rows.filter(([type, , isOpen]) => type === part.type && !isOpen);
  return found && doubtAbout(part, `${found[1]} may keep everyone out`);
}
