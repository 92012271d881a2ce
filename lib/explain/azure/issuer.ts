/*
 * Containers of storage accounts with an issuer's documents, static websites among them, and what keeps Microsoft Entra,
 * which comes from the internet without credentials, from reading them. Source: learn.microsoft.com, "Azure Storage
 * firewall rules": a denied request is denied at every endpoint, that of static websites too, and Entra is none of the
 * trusted services that `bypass` lets in.
 */

import {
  type Known,
  type Ternary,
  afterPrefix,
  and,
  is,
  joined,
  known,
  match,
  or,
  orElse,
  same,
  unread,
  whyNot,
  withoutSuffix,
} from "../../model/known";
import { azureClouds } from "../../rules/azure/clouds";
import { WEBSITE_CONTAINER } from "../../rules/azure/storage-account";
import { type Answer, broken, seen, unknown } from "../answer";
import { obstacle } from "../obstacle";
import { type Block, Resource, referredResource } from "../read/block";
import type { Terraform } from "../read/terraform";
import { below } from "../shared/issuers";
import type { ObjectStore, StoreDoor, StoredObject } from "../shared/object-store";
import { cloudOf } from "./identity";
import { resourceId } from "./ids";

const SUFFIXES = azureClouds.map(({ storageSuffix }) => storageSuffix);

/** A container, and the account that has it. */
interface Container {
  /** Name of the account. */
  readonly account: Known<string>;
  /** Its own name. */
  readonly name: Known<string>;
}

/** Everything that was read of a container. */
interface Store extends Container {
  readonly accounts: readonly Resource[];
  readonly containers: readonly Resource[];
  /** Network rules that are declared beside the account, or that may be of it. */
  readonly rules: readonly (readonly [rules: Resource, isOwn: Ternary])[];
}

/** Every container whose blobs are declared. */
export function issuerContainers(terraform: Terraform): readonly ObjectStore[] {
  const found: { readonly place: Container; readonly objects: Map<string, StoredObject[]> }[] = [];
  let isOpen = false;
  for (const blob of terraform.ofType("azurerm_storage_blob")) {
    const place = containerOf(blob);
    const name = orElse(blob.text("name"), () => undefined)?.replace(/^\//, "");
    const known = found.find((each) => isSame(each.place, place) === "yes") ?? { place, objects: new Map() };
    if (!name || isSame(place, place) !== "yes") {
      isOpen = true;
      continue;
    }
    if (!found.includes(known)) found.push(known);
    known.objects.set(name, [...(known.objects.get(name) ?? []), storedObject(blob)]);
  }
  return found.map(({ place, objects }) => objectStore(place, objects, isOpen, terraform));
}

function objectStore(
  place: Container,
  objects: ObjectStore["objects"],
  isOpen: boolean,
  terraform: Terraform,
): ObjectStore {
  const { account } = place;
  const name = orElse(place.name, () => "");
  const accounts = terraform
    .ofType("azurerm_storage_account")
    .filter((each) => same(each.attribute("name"), account) === "yes");
  const containers = terraform
    .ofType("azurerm_storage_container")
    .filter((each) => isSame({ account: accountOf(each), name: each.stated("name") }, place) === "yes");
  const rules = terraform
    .ofType("azurerm_storage_account_network_rules")
    .map((each) => [each, same(accountOf(each), account)] as const)
    .filter(([, isOwn]) => isOwn !== "no");
  const store = { ...place, accounts, containers, rules };
  const owners = name === WEBSITE_CONTAINER ? accounts : containers;
  return {
    label: `the container ${name}`,
    objects,
    isWhole: !isOpen && owners.some(({ adopted }) => !adopted),
    doors: doorsByCloud(name === WEBSITE_CONTAINER ? websiteDoor(store) : blobDoor(store), accounts),
    before: undefined,
  };
}

function isSame(one: Container, other: Container): Ternary {
  return and(same(one.account, other.account), same(one.name, other.name));
}

function storedObject(blob: Resource): StoredObject {
  const lifecycle = orElse(blob.block("lifecycle"), () => undefined);
  const ignored = lifecycle ? orElse(lifecycle.list("ignore_changes"), () => [known("all")]) : [];
  const text = blob.text("source_content");
  return {
    text:
      orElse(text, () => "") === undefined
        ? unread("its text is not written beside it")
        : (text as Known<string>),
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
  return account && name
    ? { account, name }
    : { account: accountOf(blob), name: blob.stated("storage_container_name") };
}

/** The name of the account that something is of. */
function accountOf(resource: Resource): Known<string> {
  const id = resource.stated("storage_account_id");
  const target = referredResource(id, ["id"]);
  if (target) return target.attribute("name");
  return (
    resourceId(id).segments?.at(-1) ??
    resource.stated(
      resource.names.includes("storage_account_name") ? "storage_account_name" : "storage_account_id",
    )
  );
}

const ENDS = [...SUFFIXES, "storage.azure.net"].map((each) => each.replaceAll(".", "\\.")).join("|");

/** What a URL begins with at a host of the account's, `kind` is blob or web. */
function startOf(url: Known<string>, account: Known<string>, host: RegExp): Known<string> | undefined {
  const begin = `https://${orElse(account, () => "")}`;
  const text = orElse(url, () => "");
  const [rest] = text.startsWith(begin) ? (host.exec(text.slice(begin.length)) ?? []) : [];
  return rest === undefined || whyNot(account) ? undefined : known(begin + rest);
}

const BLOB_HOST = new RegExp(`^(?:\\.z\\d+)?\\.blob\\.(?:${ENDS})/`);
const WEB_HOST = new RegExp(`^\\.z\\d+\\.web\\.(?:${ENDS})(?=/|$)`);

function blobDoor(store: Store): StoreDoor {
  const { account, name, accounts } = store;
  const endpoints = [
    ...accounts.map((each) => each.attribute("primary_blob_endpoint")),
    ...SUFFIXES.map((suffix) => joined("https://", account, ".blob.", suffix, "/")),
  ];
  return {
    nameAt: (url) => {
      const starts = [startOf(url, account, BLOB_HOST) ?? [], endpoints].flat();
      const path = starts.map((start) => afterPrefix(url, start)).find((rest) => rest !== undefined);
      const inside = path && below(name, path);
      return inside === undefined ? undefined : known(inside);
    },
    refusal: () => obstacle([...accessAnswers(store), ...networkAnswers(store)]),
  };
}

/** A website is open whatever the container's access; its host has the number of a zone that only Azure knows. */
function websiteDoor(store: Store): StoreDoor {
  const endpoints = store.accounts.flatMap((account) => {
    const endpoint = account.attribute("primary_web_endpoint");
    return [endpoint, withoutSuffix(endpoint, "/")];
  });
  return {
    nameAt: (url) => {
      const bases = [startOf(url, store.account, WEB_HOST) ?? [], endpoints].flat();
      const inside = bases.map((base) => below(base, url)).find((path) => path !== undefined);
      return inside === undefined ? undefined : known(inside);
    },
    refusal: () => obstacle(networkAnswers(store)),
  };
}

/** The suffix of the cloud that a URL is of. */
function suffixIn(url: Known<string>): string | undefined {
  const [, host = ""] = /^https:\/\/([^/]+)/.exec(orElse(url, () => "")) ?? [];
  return SUFFIXES.find((suffix) => host.endsWith(`.${suffix}`));
}

/**
 * The doors of an account: one in its own cloud, and one that leads nowhere in the others, since endpoints of the same name
 * in another cloud are someone else's. Its cloud is as a state has it, or as the provider's configuration says.
 */
function doorsByCloud(door: StoreDoor, accounts: readonly Resource[]): readonly StoreDoor[] {
  const [account] = accounts;
  const clouds = accounts.map((each) => {
    const suffix = suffixIn(each.attribute("primary_blob_endpoint"));
    return suffix === undefined
      ? match(
          cloudOf(each),
          (name) => azureClouds.find((cloud) => cloud.name === name)?.storageSuffix,
          () => NOT_KNOWN,
        )
      : suffix;
  });
  const own = clouds.filter((suffix) => suffix !== undefined);
  if (!account || own.length === 0) return [door];
  const isElsewhere = (url: Known<string>): boolean => {
    const suffix = suffixIn(url);
    return suffix !== undefined && !own.includes(suffix);
  };
  const where = seen("storage account", account.source);
  const remedy = "state the cloud of the azurerm provider (environment) for the issuer too";
  return [
    { nameAt: (url) => (isElsewhere(url) ? undefined : door.nameAt(url)), refusal: door.refusal },
    {
      nameAt: (url) => (isElsewhere(url) ? door.nameAt(url) : undefined),
      refusal: () =>
        own.includes(NOT_KNOWN)
          ? unknown("whether the storage account is of the issuer's cloud is not known", remedy, where)
          : broken(
              `the issuer is of another Azure cloud than the storage account, whose endpoints end with ${[...new Set(own)].join(" or ")}`,
              remedy,
              undefined,
              where,
            ),
    },
  ];
}

/** The cloud of an account that is stated, and only apply tells it. */
const NOT_KNOWN = "not known";

const OPEN =
  "let the account allow public containers (allow_nested_items_to_be_public), and give the container the access blob";
const PUBLIC: readonly string[] = ["blob", "container"];

function accessAnswers({ accounts, containers }: Store): readonly (Answer | undefined)[] {
  return [
    ...accounts.map((account) =>
      switched(account, "allow_nested_items_to_be_public", "allows no public containers", OPEN),
    ),
    ...containers.map((container) => {
      const where = seen("container_access_type", container.source);
      return match(
        container.text("container_access_type"),
        // Nothing written means private.
        (access = "private") =>
          PUBLIC.includes(access)
            ? undefined
            : broken(
                `the access of the container is ${access}: no one may read its blobs`,
                OPEN,
                undefined,
                where,
              ),
        () => unknown("whether the container is public is known only after apply", OPEN, where),
      );
    }),
  ];
}

/** What a switch of the account keeps out that is on where nothing is written. */
function switched(account: Resource, argument: string, problem: string, remedy: string): Answer | undefined {
  const where = seen(argument, account.source);
  return match(
    account.text(argument),
    (text) =>
      text === "false" ? broken(`the storage account ${problem}`, remedy, undefined, where) : undefined,
    () => unknown(`whether the storage account ${problem} is known only after apply`, remedy, where),
  );
}

const REMEDY =
  "let requests from everywhere through: public_network_access_enabled, and the default_action Allow or no network rules; or serve the documents from elsewhere";

function networkAnswers({ accounts, rules }: Store): readonly (Answer | undefined)[] {
  return [
    ...accounts.flatMap((account) => [
      switched(account, "public_network_access_enabled", "takes no requests from public networks", REMEDY),
      match(
        account.blocks("network_rules"),
        (blocks) => obstacle(blocks.map((block) => firewall(block, account))),
        () =>
          unknown(
            "the network rules of the storage account are known only after apply",
            REMEDY,
            seen("network_rules", account.source),
          ),
      ),
    ]),
    ...rules.map(([each, isOwn]) => {
      const answer = firewall(each, each);
      return answer && isOwn === "unknown"
        ? unknown(`${answer.reason}, if its rules are of this account`, answer.remedy, ...answer.evidence)
        : answer;
    }),
  ];
}

function firewall(rules: Block, { source }: Resource): Answer | undefined {
  const where = seen("default_action of the network rules", source);
  const doubt = (what: string): Answer => unknown(what, REMEDY, where);
  return match(
    rules.text("default_action"),
    (action = "") => {
      if (action.toLowerCase() !== "deny") return undefined;
      const denies = "the firewall of the storage account denies requests from the internet";
      return orElse(rules.list("ip_rules"), () => [known("")]).length === 0
        ? broken(denies, REMEDY, undefined, where)
        : doubt(`${denies}, but for some addresses, which may be those of Microsoft Entra`);
    },
    () => doubt("what the firewall of the storage account does is known only after apply"),
  );
}
