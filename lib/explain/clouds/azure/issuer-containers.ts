/*
 * Containers of storage accounts with an issuer's documents, static websites among them.
 */

import { azureClouds } from "../../../rules/azure/clouds";
import { type Answer, broken, seen, unknown } from "../../answer";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { type ObjectStore, type StoreDoor, below, declaredObjects } from "../object-stores";
import { doorsByCloud } from "./issuer-cloud";
import { type AccountNetwork, networkRefusal } from "./issuer-network";

const BLOB = "azurerm_storage_blob";
const CONTAINER = "azurerm_storage_container";
const ACCOUNT = "azurerm_storage_account";
const RULES = "azurerm_storage_account_network_rules";
const WEBSITE = "$web";
const SUFFIXES = azureClouds.map(({ storageSuffix }) => storageSuffix.replaceAll(".", "\\.")).join("|");
const ACCOUNT_ID = /\/storageAccounts\/([^/]+)$/i;
const CONTAINER_ID = /^(.+)\/blobServices\/default\/containers\/([^/]+)$/i;
/** Between key parts; no name has it. */
const BETWEEN = " ";

/** A container, and the account that has it. */
interface ContainerFacts {
  readonly accountName: string;
  readonly name: string;
  readonly accounts: readonly TerraformResource[];
  readonly containers: readonly TerraformResource[];
  readonly network: AccountNetwork;
}

/** Every container whose blobs are declared. */
export function issuerContainers(terraform: Terraform): readonly ObjectStore[] {
  const store = (blob: TerraformResource): string => containerKey(blob, terraform);
  const { stores, isOpen } = declaredObjects(
    [{ type: BLOB, content: "source_content", name: "name", store }],
    terraform,
  );
  return [...stores].map(([key, { objects }]) => {
    const facts = containerFacts(key, terraform);
    const { name, accounts, containers } = facts;
    const owners = name === WEBSITE ? accounts : containers;
    const door = name === WEBSITE ? websiteDoor(facts, terraform) : blobDoor(facts, terraform);
    return {
      label: `the container ${name}`,
      objects,
      isWhole: !isOpen && owners.some(({ adopted }) => !adopted),
      doors: doorsByCloud(door, accounts, terraform),
    };
  });
}

function containerFacts(key: string, terraform: Terraform): ContainerFacts {
  const [accountName = "", name = ""] = key.split(BETWEEN);
  const of = (type: string, account: string): readonly TerraformResource[] =>
    terraform.ofType(type).filter((each) => accountOf(each, terraform) === account);
  const accounts = terraform
    .ofType(ACCOUNT)
    .filter((each) => terraform.attribute(each, "name") === accountName);
  return {
    accountName,
    name,
    accounts,
    containers: of(CONTAINER, accountName).filter((each) => terraform.text(each, "name") === name),
    network: { accounts, rules: of(RULES, accountName), strayRules: of(RULES, "") },
  };
}

function containerKey(blob: TerraformResource, terraform: Terraform): string {
  const id = terraform.text(blob, "storage_container_id");
  const container = terraform.referred(id, "id");
  if (container) return [accountOf(container, terraform), terraform.text(container, "name")].join(BETWEEN);
  const [, accountId = "", inId = ""] = CONTAINER_ID.exec(id) ?? [];
  const account = accountNamed(accountId, terraform);
  if (account !== "" && !isLateText(inId)) return [account, inId].join(BETWEEN);
  const name = terraform.text(blob, "storage_container_name");
  return name === "" || isLateText(name) ? "" : [accountOf(blob, terraform), name].join(BETWEEN);
}

/** The name of the account that a container or blob is of, or a reference to it. */
function accountOf(resource: TerraformResource, terraform: Terraform): string {
  const id = terraform.text(resource, "storage_account_id");
  return accountNamed(id, terraform) || terraform.text(resource, "storage_account_name");
}

/** Empty where an id names none. */
function accountNamed(id: string, terraform: Terraform): string {
  const account = terraform.referred(id, "id");
  return account ? terraform.attribute(account, "name") : (ACCOUNT_ID.exec(id)?.[1] ?? "");
}

function blobDoor(facts: ContainerFacts, terraform: Terraform): StoreDoor {
  const { accountName, name, accounts } = facts;
  const host = new RegExp(
    `^https://${escaped(accountName)}(?:\\.z\\d+)?\\.blob\\.(?:${SUFFIXES}|storage\\.azure\\.net)/`,
  );
  const endpoints = accounts.map((account) => terraform.attribute(account, "primary_blob_endpoint"));
  return {
    nameAt: (url) => {
      const [start = endpoints.find((each) => url.startsWith(each))] = host.exec(url) ?? [];
      return start === undefined ? undefined : below(name, url.slice(start.length));
    },
    refusal: () => blobRefusal(facts, terraform),
  };
}

/** A website is open whatever the container's access; its host has the number of a zone that only Azure knows. */
function websiteDoor({ accountName, accounts, network }: ContainerFacts, terraform: Terraform): StoreDoor {
  const host = new RegExp(
    `^https://${escaped(accountName)}\\.z\\d+\\.web\\.(?:${SUFFIXES}|storage\\.azure\\.net)(?=/|$)`,
  );
  const endpoints = accounts.flatMap((account) => {
    const endpoint = "${" + account.address + ".primary_web_endpoint}";
    const trimmed = "${trimsuffix(" + account.address + '.primary_web_endpoint, "/")}';
    return [endpoint, trimmed].map((each) => terraform.resolve(each, account.scope));
  });
  return {
    nameAt: (url) => {
      const [start] = host.exec(url) ?? [];
      const bases = [...(start === undefined ? [] : [start]), ...endpoints];
      return bases.map((base) => below(base, url)).find((path) => path !== undefined);
    },
    refusal: () => networkRefusal(network, terraform),
  };
}

function escaped(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}

const PUBLIC: readonly string[] = ["blob", "container"];
const OPEN =
  "let the account allow public containers (allow_nested_items_to_be_public), and give the container the access blob";

function blobRefusal(
  { accounts, containers, network }: ContainerFacts,
  terraform: Terraform,
): Answer | undefined {
  for (const account of accounts) {
    const allows = terraform.text(account, "allow_nested_items_to_be_public");
    const where = seen("allow_nested_items_to_be_public", account.source);
    if (allows === "false")
      return broken("the storage account allows no public containers", OPEN, undefined, where);
    if (isLateText(allows))
      return unknown(
        "whether the storage account allows public containers is known only after apply",
        OPEN,
        where,
      );
  }
  for (const container of containers) {
    // Nothing written means private.
    const access = terraform.text(container, "container_access_type") || "private";
    const where = seen("container_access_type", container.source);
    if (isLateText(access))
      return unknown("whether the container is public is known only after apply", OPEN, where);
    if (!PUBLIC.includes(access))
      return broken(
        `the access of the container is ${access}: nobody may read its blobs`,
        OPEN,
        undefined,
        where,
      );
  }
  return networkRefusal(network, terraform);
}
