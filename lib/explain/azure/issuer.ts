/*
 * Storage containers and static websites with an issuer's documents, and what keeps Microsoft Entra from reading them:
 * it comes from the internet without credentials. Source: learn.microsoft.com, "Azure Storage firewall rules": a denial
 * applies to every endpoint, and `bypass` does not list Entra.
 */

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
import { type Answer, broken, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import { type Block, Resource, referredResource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import type { ObjectStore, StoreDoor, StoredObject } from "../shared/object-store";
import { remembered } from "../shared/references";
import { cloudOf } from "./identity";
import { resourceId } from "./ids";

const SUFFIXES = azureClouds.map(({ storageSuffix }) => storageSuffix);

/** A container, by its name and the name of its storage account. */
interface Container {
  readonly account: Known<string>;
  readonly name: Known<string>;
}

interface Store extends Container {
  readonly accounts: readonly Resource[];
  readonly containers: readonly Resource[];
  /** Network rules declared apart from the account, and whether they belong to it. */
  readonly rules: readonly (readonly [rules: Resource, isOwn: Ternary])[];
}

/** Every container whose blobs are declared. */
export function issuerContainers(terraform: Terraform): readonly ObjectStore[] {
  const containers: { readonly place: Container; readonly objects: Map<string, StoredObject[]> }[] = [];
  let isWhole = true;
  for (const blob of terraform.ofType("azurerm_storage_blob")) {
    const place = containerOf(blob);
    const name = orElse(blob.text("name"), () => "")?.replace(/^\//, "") ?? "";
    if (name === "" || isSame(place, place) !== "yes") {
      isWhole = false;
      continue;
    }
    let store = containers.find((each) => isSame(each.place, place) === "yes");
    if (!store) containers.push((store = { place, objects: new Map() }));
    remembered(store.objects, name, () => []).push(storedObject(blob));
  }
  return containers.map(({ place, objects }) => {
    const store = storeOf(place, terraform);
    const name = orElse(place.name, () => "");
    const isWebsite = name === WEBSITE_CONTAINER;
    const owners = isWebsite ? store.accounts : store.containers;
    return {
      label: `the container ${name}`,
      objects,
      isWhole: isWhole && owners.some(({ adopted }) => !adopted),
      doors: doorsOf(store, isWebsite),
      before: undefined,
    };
  });
}

function storeOf(place: Container, terraform: Terraform): Store {
  const accounts = terraform
    .ofType("azurerm_storage_account")
    .filter((each) => same(each.attribute("name"), place.account) === "yes");
  const containers = terraform
    .ofType("azurerm_storage_container")
    .filter((each) => isSame({ account: accountOf(each), name: each.stated("name") }, place) === "yes");
  const rules = terraform
    .ofType("azurerm_storage_account_network_rules")
    .map((each) => [each, same(accountOf(each), place.account)] as const)
    .filter(([, isOwn]) => isOwn !== "no");
  return { ...place, accounts, containers, rules };
}

function isSame(one: Container, other: Container): Ternary {
  return and(same(one.account, other.account), same(one.name, other.name));
}

function storedObject(blob: Resource): StoredObject {
  const lifecycle = orElse(blob.block("lifecycle"), () => undefined);
  const ignored = lifecycle ? orElse(lifecycle.list("ignore_changes"), () => [known("all")]) : [];
  return {
    text: blob.stated("source_content"),
    isKept: ignored.some((each) => or(is(each, "all"), is(each, "source_content")) === "yes"),
    acl: known(undefined),
    source: blob.source,
  };
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

/** The URL's beginning if its host is the account's; a website's host has a zone number that only Azure knows. */
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

/** The account's door, and a closed one for the same name in other Azure clouds, where the account may be anyone's. */
function doorsOf(store: Store, isWebsite: boolean): readonly StoreDoor[] {
  const { accounts } = store;
  const suffixes = suffixesOf(accounts);
  const others = SUFFIXES.filter((suffix) => !suffixes.includes(suffix));
  const endpoints = accounts.flatMap((each) =>
    isWebsite
      ? [each.attribute("primary_web_endpoint"), joined("https://", each.attribute("primary_web_host"))]
      : [each.attribute("primary_blob_endpoint")],
  );
  const where = accounts.map(({ source }) => seen("storage account", source));
  const reason = `the issuer is in a different Azure cloud than the storage account, whose endpoints end with ${suffixes.join(" or ")}`;
  return [
    {
      nameAt: (url) => nameAt(url, store, [...suffixes, "storage.azure.net"], endpoints, isWebsite),
      // A website is public whatever the container's access is.
      refusal: () => obstacle([...(isWebsite ? [] : accessAnswers(store)), ...networkAnswers(store)]),
    },
    {
      nameAt: (url) => nameAt(url, store, others, [], isWebsite),
      refusal: () =>
        suffixes.length === 0
          ? unknown("whether the storage account is in the issuer's cloud is not known", STATE_CLOUD, where)
          : broken(reason, STATE_CLOUD, undefined, where),
    },
  ];
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
function suffixesOf(accounts: readonly Resource[]): readonly string[] {
  const suffixes = accounts.flatMap((account) => {
    const endpoint = suffixIn(account.attribute("primary_blob_endpoint"));
    return match(
      cloudOf(account),
      (name) => endpoint ?? azureClouds.find((cloud) => cloud.name === name)?.storageSuffix ?? SUFFIXES,
      () => endpoint ?? [],
    );
  });
  return accounts.length === 0 ? SUFFIXES : suffixes;
}

function suffixIn(url: Known<string>): string | undefined {
  const [, host = ""] = /^https:\/\/([^/]+)/.exec(orElse(url, () => "")) ?? [];
  return SUFFIXES.find((suffix) => host.endsWith(`.${suffix}`));
}

const STATE_CLOUD = "state the cloud in the azurerm provider (environment), the same as for the issuer";
const OPEN =
  "allow public containers in the account (allow_nested_items_to_be_public), and set the container's access type to blob";
const REMEDY =
  "admit requests from everywhere: set public_network_access_enabled, and default_action Allow or no network rules; or serve the documents from elsewhere";

/** The answer for an argument whose value may keep requests out. */
function argumentAnswer(
  block: Block,
  { source }: Resource,
  argument: string,
  remedy: string,
  problemOf: (value: string | undefined) => Answer | string | undefined,
): Answer | undefined {
  const where = seen(argument, source);
  return match(
    block.text(argument),
    (value) => {
      const problem = problemOf(value);
      return typeof problem === "string" ? broken(problem, remedy, undefined, where) : problem;
    },
    () => unknown(`which requests ${argument} keeps out is known only after apply`, remedy, where),
  );
}

function accessAnswers({ accounts, containers }: Store): readonly (Answer | undefined)[] {
  return [
    ...accounts.map((account) =>
      argumentAnswer(account, account, "allow_nested_items_to_be_public", OPEN, (value) =>
        value === "false" ? "the storage account does not allow public containers" : undefined,
      ),
    ),
    ...containers.map((container) =>
      argumentAnswer(container, container, "container_access_type", OPEN, (access = "private") =>
        ["blob", "container"].includes(access)
          ? undefined
          : `the container's access type is ${access}: its blobs cannot be read without credentials`,
      ),
    ),
  ];
}

function networkAnswers({ accounts, rules }: Store): readonly (Answer | undefined)[] {
  const ofAccounts = accounts.flatMap((account) => [
    argumentAnswer(account, account, "public_network_access_enabled", REMEDY, (value) =>
      value === "false" ? "the storage account refuses requests from public networks" : undefined,
    ),
    match(
      account.blocks("network_rules"),
      (blocks) => obstacle(blocks.map((block) => firewall(block, account))),
      () =>
        unknown(
          "the network rules are known only after apply",
          REMEDY,
          seen("network_rules", account.source),
        ),
    ),
  ]);
  const ofRules = rules.map(([each, isOwn]) => {
    const answer = firewall(each, each);
    return answer && isOwn === "unknown"
      ? unknown(`${answer.reason}, if its rules belong to this account`, answer.remedy, answer.evidence)
      : answer;
  });
  return [...ofAccounts, ...ofRules];
}

function firewall(rules: Block, of: Resource): Answer | undefined {
  return argumentAnswer(rules, of, "default_action", REMEDY, (action = "") => {
    if (action.toLowerCase() !== "deny") return undefined;
    const denies = "the firewall of the storage account denies requests from the internet";
    return orElse(rules.list("ip_rules"), () => [known("")]).length === 0
      ? denies
      : unknown(`${denies}, except from some addresses, which may include those of Microsoft Entra`, REMEDY);
  });
}
