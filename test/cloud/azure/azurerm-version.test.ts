/*
 * Arguments by the version of azurerm that will run, none of them one that this version warns of or does not have.
 * Source: the schemas of hashicorp/terraform-provider-azurerm at the tags v4.55.0 to v5.2.0.
 */

import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { IssuerContainer, IssuerWebsite, PullIdentity } from "../../../lib/cloud/azure";
import { publicKey } from "../../fixtures/explain/access";
import { type Blocks, newStack, resources } from "./synth";

const VERSION = "terraform.required_providers.azurerm.version";
const PLACE = { resourceGroupName: "g", region: "westeurope" } as const;

/** What the bindings of another version would say of themselves. */
class OtherBindings extends AzurermProvider {
  override readonly terraformGeneratorMetadata;

  constructor(scope: TerraformStack, providerVersion: string, alias?: string) {
    super(scope, `azurerm${alias ?? ""}`, { features: [{}], ...(alias !== undefined && { alias }) });
    this.terraformGeneratorMetadata = { providerName: "azurerm", providerVersion };
  }
}

function declare(stack: TerraformStack, provider?: AzurermProvider): void {
  const keys = [{ publicKey, use: "current" }] as const;
  const common = { ...PLACE, keys, ...(provider && { provider }) };
  const issuer = new IssuerContainer(stack, "container", { ...common, storageAccountName: "acmecontainer" });
  new IssuerWebsite(stack, "website", { ...common, storageAccountName: "acmewebsite" });
  new PullIdentity(stack, "puller", {
    identityName: "puller",
    resourceGroupName: "g",
    location: "westeurope",
    trusts: [{ clusterName: "c1", issuer: issuer.issuer, serviceAccounts: ["shop/web"] }],
    ...(provider && { provider }),
  });
}

/** The arguments that were renamed, of each credential and blob, the same in JSON and in HCL. */
function renamedArguments(stack: TerraformStack): readonly (readonly string[])[] {
  const renamed = /^(?:parent_id|resource_group_name|user_assigned_identity_id|storage_\w+)$/;
  return ["azurerm_federated_identity_credential", "azurerm_storage_blob"].map((type) => {
    const [json, hcl] = [resources(stack, type), hclResources(stack, type)].map((blocks) =>
      [...new Set(Object.values(blocks).flatMap(Object.keys))]
        .filter((argument) => renamed.test(argument))
        .sort(),
    );
    expect(hcl).toEqual(json);
    return json ?? [];
  });
}

/** The arguments with a text of the resources of a type, as cdktf writes them in HCL: each on a line of its own. */
function hclResources(stack: TerraformStack, type: string): Blocks {
  const hcl: string = Testing.synthHcl(stack);
  const blocks = hcl.split(/^(?=resource )/m);
  return Object.fromEntries(
    blocks.flatMap((block) => {
      const [, name] = new RegExp(`^resource "${type}" "([^"]+)"`).exec(block) ?? [];
      const texts = [...block.matchAll(/^ *(\w+) = "(.*)"$/gm)].map(([, key = "", value]) => [key, value]);
      return name === undefined ? [] : [[name, Object.fromEntries(texts)] as const];
    }),
  ) as Blocks;
}

const GROUP_AND_PARENT = ["parent_id", "resource_group_name"];
const IDENTITY = ["user_assigned_identity_id"];
const NAMES = ["storage_account_name", "storage_container_name"];
const ID = ["storage_container_id"];

describe("credentials and blobs", () => {
  it.each([
    [undefined, GROUP_AND_PARENT, NAMES],
    ["4.59.0", GROUP_AND_PARENT, NAMES],
    ["~> 4.0", GROUP_AND_PARENT, NAMES],
    ["4.60.0", ["parent_id"], NAMES],
    ["4.65.0", IDENTITY, NAMES],
    ["4.76.0", IDENTITY, NAMES],
    ["4.77.0", IDENTITY, ID],
    [">= 4.77, < 6", IDENTITY, ID],
    ["5.2.0", IDENTITY, ID],
  ])("of a stack that requires %s", (version, credential, blob) => {
    const stack = newStack();
    new AzurermProvider(stack, "azurerm", { features: [{}] });
    declare(stack);
    // What is required may be stated last.
    if (version !== undefined) stack.addOverride(VERSION, version);
    expect(renamedArguments(stack)).toEqual([credential, blob]);
  });

  it.each([
    ["4.73.0", IDENTITY, NAMES],
    ["5.2.0", IDENTITY, ID],
  ])("of bindings for azurerm %s", (version, credential, blob) => {
    const [stack, aliased] = [newStack(), newStack()];
    new OtherBindings(stack, version);
    declare(stack);
    declare(aliased, new OtherBindings(aliased, version, "other"));
    expect([renamedArguments(stack), renamedArguments(aliased)]).toEqual([
      [credential, blob],
      [credential, blob],
    ]);
  });

  it("name the same identity and containers in either form", () => {
    const [older, newer] = [newStack(), newStack()];
    for (const stack of [older, newer]) declare(stack);
    newer.addOverride("terraform.required_providers", { azurerm: { version: "5.2.0" } });
    const all = (stack: TerraformStack, type: string, argument: string): readonly unknown[] =>
      Object.values(resources(stack, type)).map((block) => block[argument]);
    expect(all(newer, "azurerm_federated_identity_credential", "user_assigned_identity_id")).toEqual(
      all(older, "azurerm_federated_identity_credential", "parent_id"),
    );
    for (const [type, argument] of [
      ["azurerm_federated_identity_credential", "user_assigned_identity_id"],
      ["azurerm_storage_blob", "storage_container_id"],
    ] as const)
      expect(Object.values(hclResources(newer, type)).map((block) => block[argument])).toEqual(
        all(newer, type, argument),
      );
    const [container] = Object.keys(resources(newer, "azurerm_storage_container"));
    const accounts = Object.entries(resources(newer, "azurerm_storage_account"));
    const [website] = accounts.find(([, { name }]) => name === "acmewebsite") ?? [];
    const ids = [
      `\${azurerm_storage_container.${container}.id}`,
      `\${azurerm_storage_account.${website}.id}/blobServices/default/containers/$web`,
    ];
    expect(all(newer, "azurerm_storage_blob", "storage_container_id")).toEqual([
      ids[0],
      ids[0],
      ids[1],
      ids[1],
    ]);
  });
});
