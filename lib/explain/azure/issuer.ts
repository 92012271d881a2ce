/*
 * Storage containers and static websites with an issuer's documents, in the forms that `IssuerContainer` and
 * `IssuerWebsite` write. Microsoft Entra reads them from the internet, without credentials.
 */

import { grouped } from "../../model/grouped";
import {
  type Known,
  type Ternary,
  and,
  is,
  joined,
  known,
  match,
  or,
  orElse,
  same,
  withoutSuffix,
} from "../../model/known";
import { azureClouds } from "../../rules/azure/clouds";
import { WEBSITE_CONTAINER } from "../../rules/azure/issuer";
import { BLOB, STORAGE } from "../coverage/azure-issuer";
import { type Resource, referredResource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import type { Doubt, ObjectStore, StoreDoor } from "../shared/object-store";
import {
  type StoreParts,
  beyondForm,
  declaredOf,
  doubtAbout,
  isPartOf,
  storeParts,
  storedObject,
} from "../shared/store-form";
import { cloudOf } from "./identity";
import { resourceId } from "./ids";

const ACCOUNT = "azurerm_storage_account";
const CONTAINER = "azurerm_storage_container";
const WEBSITE = "azurerm_storage_account_static_website";
const BLOB_TYPE = "azurerm_storage_blob";
/** The domain of accounts in DNS zones. */
const ZONES = "storage.azure.net";
const SUFFIXES = azureClouds.map(({ storageSuffix }) => storageSuffix);

/** A container, by its name and the name of its storage account. */
interface Container {
  readonly account: Known<string>;
  readonly name: Known<string>;
}

/** Every container whose blobs are declared. */
export function issuerContainers(terraform: Terraform): readonly ObjectStore[] {
  const containers: { readonly place: Container; readonly blobs: (readonly [string, Resource])[] }[] = [];
  let isWhole = true;
  for (const blob of terraform.ofType(BLOB_TYPE)) {
    const place = containerOf(blob);
    const name = orElse(blob.text("name"), () => "")?.replace(/^\//, "") ?? "";
    if (name === "" || isSame(place, place) !== "yes") {
      isWhole = false;
      continue;
    }
    let store = containers.find((each) => isSame(each.place, place) === "yes");
    if (!store) containers.push((store = { place, blobs: [] }));
    store.blobs.push([name, blob]);
  }
  const all = declaredOf(terraform, "azurerm_storage_", [BLOB_TYPE]);
  return containers.map(({ place, blobs }) => {
    const parts = storeParts(all, (each) => belongsTo(each, place));
    const name = orElse(place.name, () => "");
    const owner = name === WEBSITE_CONTAINER ? ACCOUNT : CONTAINER;
    return {
      label: `the container ${name}`,
      objects: new Map(
        [...grouped(blobs, ([blob]) => blob)].map(([blob, found]) => [
          blob,
          found.map(([, resource]) => storedObject(resource, "source_content", BLOB)),
        ]),
      ),
      isWhole: isWhole && parts.parts.some(({ type }) => type === owner),
      doors: [doorOf(place, parts)],
      isServedElsewhere,
    };
  });
}

/** With `issuerUrl` of the constructs; a late issuer is that of a website. */
function isServedElsewhere(issuer: Known<string>): boolean {
  const [, , host] = orElse(issuer, () => "").split("/");
  return host !== undefined && ![...SUFFIXES, ZONES].some((suffix) => host.endsWith(`.${suffix}`));
}

function isSame(one: Container, other: Container): Ternary {
  return and(same(one.account, other.account), same(one.name, other.name));
}

/** Whether a resource is the account or belongs to it; containers beside this one do not matter. */
function belongsTo(resource: Resource, { account, name }: Container): Ternary {
  const of = [ACCOUNT, "name", account] as const;
  const written = resourceId(resource.stated("storage_account_id")).segments?.at(-1);
  return and(
    resource.type === CONTAINER ? same(resource.stated("name"), name) : "yes",
    written !== undefined
      ? same(written, account)
      : or(isPartOf(resource, "storage_account_id", of), isPartOf(resource, "storage_account_name", of)),
  );
}

/** `/…/storageAccounts/<account>/blobServices/default/containers/<name>` */
const CONTAINER_DEPTH = 12;

function containerOf(blob: Resource): Container {
  const id = blob.stated("storage_container_id");
  const target = referredResource(id, ["id", "resource_manager_id"]);
  if (target) return { account: accountOf(target), name: target.stated("name") };
  const { segments = [] } = resourceId(id);
  const [account, name] = [segments[CONTAINER_DEPTH - 5], segments[CONTAINER_DEPTH - 1]];
  return account !== undefined && name !== undefined
    ? { account, name }
    : { account: accountOf(blob), name: blob.stated("storage_container_name") };
}

function accountOf(resource: Resource): Known<string> {
  const id = resource.stated("storage_account_id");
  const target = referredResource(id, ["id"]);
  if (target) return target.attribute("name");
  const byName = resource.names.includes("storage_account_name");
  return resourceId(id).segments?.at(-1) ?? (byName ? resource.stated("storage_account_name") : id);
}

function doorOf(place: Container, store: StoreParts): StoreDoor {
  const { parts } = store;
  const isWebsite = orElse(place.name, () => "") === WEBSITE_CONTAINER;
  const accounts = parts.filter(({ type }) => type === ACCOUNT);
  const endpoints = accounts.flatMap((each) =>
    isWebsite
      ? [each.attribute("primary_web_endpoint"), joined("https://", each.attribute("primary_web_host"))]
      : [each.attribute("primary_blob_endpoint")],
  );
  const at = (url: Known<string>, suffixes: readonly string[]): Known<string> | undefined =>
    nameAt(url, place, suffixes, endpoints, isWebsite);
  return {
    // Also where the account is not, and may be anyone's.
    nameAt: (url) => at(url, [...SUFFIXES, ZONES]),
    doubt: (issuer) => {
      const needed = isWebsite ? [ACCOUNT, WEBSITE] : [ACCOUNT, CONTAINER];
      const beyond = beyondForm(store, STORAGE, needed);
      if (beyond) return beyond;
      const other = accounts.find((each) => at(issuer, suffixesOf(each)) === undefined);
      const reason = "the issuer may be in a different Azure cloud than the storage account";
      return other ? doubtAbout(other, reason) : closedBy(parts, isWebsite);
    },
  };
}

/** The beginning of a URL if its host is the account's; a website's host has a zone number that only Azure knows. */
function startOf(
  url: Known<string>,
  account: Known<string>,
  suffixes: readonly string[],
  isWebsite: boolean,
): Known<string> | undefined {
  const ends = suffixes.join("|").replaceAll(".", "\\.");
  const host = isWebsite ? `\\.z\\d+\\.web\\.(?:${ends})(?=/|$)` : `(?:\\.z\\d+)?\\.blob\\.(?:${ends})/`;
  const begin = new RegExp(`^https://${orElse(account, () => "[]")}${host}`);
  const [start] = begin.exec(orElse(url, () => "")) ?? [];
  return start === undefined ? undefined : known(start);
}

function nameAt(
  url: Known<string>,
  { account, name }: Container,
  suffixes: readonly string[],
  endpoints: readonly Known<string>[],
  isWebsite: boolean,
): Known<string> | undefined {
  const start = startOf(url, account, suffixes, isWebsite);
  const starts = [...(start === undefined ? [] : [start]), ...endpoints];
  const bases = isWebsite
    ? starts.flatMap((each) => [each, withoutSuffix(each, "/")])
    : [...starts, ...suffixes.map((suffix) => joined("https://", account, ".blob.", suffix, "/"))].map(
        (each) => joined(each, name),
      );
  const inside = bases.map((base) => below(base, url)).find((path) => path !== undefined);
  return inside === undefined ? undefined : known(inside);
}

/** The suffixes that an account's endpoints may have: all if no cloud is stated, none if it is not known. */
function suffixesOf(account: Resource): readonly string[] {
  const [, host = ""] =
    /^https:\/\/([^/]+)/.exec(orElse(account.attribute("primary_blob_endpoint"), () => "")) ?? [];
  const [endpoint] = SUFFIXES.filter((suffix) => host.endsWith(`.${suffix}`));
  if (endpoint !== undefined) return [endpoint];
  return match(
    cloudOf(account),
    (name) =>
      azureClouds
        .filter((each) => name === undefined || each.name === name)
        .map(({ storageSuffix }) => storageSuffix),
    () => [],
  );
}

/** The argument that keeps requests out; states do not tell `false` from an argument that is absent. */
function closedBy(parts: readonly Resource[], isWebsite: boolean): Doubt | undefined {
  const isOn = (resource: Resource, name: string): boolean =>
    !resource.names.includes(name) || is(resource.flag(name), true) === "yes";
  for (const part of parts) {
    // A website is public whatever the access of its container is.
    const closed = [
      ...(part.type === ACCOUNT && !isOn(part, "public_network_access_enabled")
        ? ["public_network_access_enabled"]
        : []),
      ...(part.type === ACCOUNT && !isWebsite && !isOn(part, "allow_nested_items_to_be_public")
        ? ["allow_nested_items_to_be_public"]
        : []),
      ...(part.type === CONTAINER && !isWebsite && !isPublic(part) ? ["container_access_type"] : []),
    ];
    if (closed.length > 0) return doubtAbout(part, `${closed.join(" and ")} may keep everyone out`);
  }
  return undefined;
}

function isPublic(container: Resource): boolean {
  const access = container.text("container_access_type");
  return is(access, "blob") === "yes" || is(access, "container") === "yes";
}
