import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { App, TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  ComponentIdentities,
  type ComponentIdentitiesProps,
  IssuerContainer,
  type IssuerContainerProps,
} from "../../../lib/cloud/azure";
import { SUBSCRIPTION, components, request } from "./components";
import { issuerKeys } from "./keys";
import { imports, newStack, resources } from "./synth";
import { refusal } from "../../support/refusal";

const GROUP = "azurerm_resource_group";
const IDENTITY = "azurerm_user_assigned_identity";
const ADOPTED = {
  adopt: {
    roleDefinitions: { "openshift-ingress-azure": SUBSCRIPTION },
    roleAssignments: { "openshift-ingress-azure": { mycluster: SUBSCRIPTION } },
  },
};

function identities(
  stack: TerraformStack,
  change: Partial<ComponentIdentitiesProps> = {},
): ComponentIdentities {
  return new ComponentIdentities(stack, "components", {
    ...components(request()),
    subscriptionId: SUBSCRIPTION,
    region: "eastus",
    ...change,
  });
}

function issuer(stack: TerraformStack, change: Partial<IssuerContainerProps> = {}): IssuerContainer {
  return new IssuerContainer(stack, "issuer", {
    storageAccountName: "mycluster",
    resourceGroupName: "mycluster-oidc",
    region: "eastus",
    keys: issuerKeys,
    ...change,
  });
}

function names(stack: TerraformStack): readonly unknown[] {
  return Object.values(resources(stack, GROUP))
    .map(({ name }) => name)
    .sort();
}

function twoStacks(): readonly [TerraformStack, TerraformStack] {
  const app = new App();
  const stacks = [new TerraformStack(app, "one"), new TerraformStack(app, "two")] as const;
  for (const stack of stacks)
    new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId: SUBSCRIPTION });
  return stacks;
}

describe("resource groups of issuer and components", () => {
  it.each([
    [
      "issuer first",
      (stack: TerraformStack): void => {
        issuer(stack, { tags: { a: "1" } });
        identities(stack, { ...ADOPTED, tags: { b: "2" } });
      },
    ],
    [
      "components first",
      (stack: TerraformStack): void => {
        identities(stack, { ...ADOPTED, tags: { b: "2" } });
        issuer(stack, { tags: { a: "1" } });
      },
    ],
  ])("are declared once, with all tags and one import, %s", (_, declare) => {
    const stack = newStack();
    declare(stack);
    const shared = Object.values(resources(stack, GROUP)).find(({ name }) => name === "mycluster-oidc");
    expect(shared?.["tags"]).toEqual({
      "openshift.io_cloud-credential-operator_mycluster": "owned",
      a: "1",
      b: "2",
    });
    const groups = Object.entries(imports(stack)).filter(([to]) => to.startsWith(GROUP));
    expect(groups.map(([, id]) => id.split("/").at(-1)).sort()).toEqual(["mycluster", "mycluster-oidc"]);
  });

  it("are one region, however it is written", () => {
    const stack = newStack();
    issuer(stack, { region: "East US" });
    expect(() => identities(stack)).not.toThrow();
    expect(names(stack)).toEqual(["mycluster", "mycluster-oidc"]);
  });

  it("have one value for each tag", () => {
    const stack = newStack();
    issuer(stack, { tags: { env: "test" } });
    expect(() => identities(stack, { tags: { env: "prod" } })).toThrowError(
      refusal("azure-mismatch: another value of a tag"),
    );
    expect(resources(stack, IDENTITY)).toEqual({});
  });

  it("are declared by one of two stacks of a subscription, for which the other one waits", () => {
    const [one, two] = twoStacks();
    issuer(one);
    identities(two);
    expect([names(one), names(two)]).toEqual([["mycluster-oidc"], ["mycluster"]]);
    expect(two.dependencies).toEqual([one]);
    expect(Object.values(resources(two, IDENTITY)).map((block) => block["depends_on"])).toEqual([undefined]);
  });

  it("are not shared between stacks whose subscriptions are not known to be the same", () => {
    const app = new App();
    const [one, two] = [new TerraformStack(app, "one"), new TerraformStack(app, "two")];
    issuer(one);
    identities(two);
    expect(names(two)).toEqual(["mycluster", "mycluster-oidc"]);
  });

  it("hold either a cluster or something else, in either order and also where they exist", () => {
    const refused = refusal("azure-conflict: to contain a cluster");
    const installation = { resourceGroupName: "mycluster" };
    const [first, second, third] = [newStack(), newStack(), newStack()];
    issuer(first, installation);
    expect(() => identities(first)).toThrowError(refused);
    identities(second, { installationResourceGroup: "existing" });
    expect(() => issuer(second, { ...installation, resourceGroup: "existing" })).toThrowError(refused);
    identities(third);
    expect(
      () =>
        new ComponentIdentities(third, "other", {
          ...components(request()),
          clusterName: "other",
          oidcResourceGroupName: "mycluster",
          subscriptionId: SUBSCRIPTION,
          region: "eastus",
        }),
    ).toThrowError(refused);
  });
});
