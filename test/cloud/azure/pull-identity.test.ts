import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { UserAssignedIdentity } from "@cdktf/provider-azurerm/lib/user-assigned-identity/index.js";
import { App, TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  type PullIdentityAttributes,
  PullIdentity,
  type PullIdentityProps,
  type PullTrust,
  acr,
} from "../../../lib/cloud/azure";
import { isLate } from "../../../lib/model/late";
import { readRepositoryCondition } from "../../../lib/rules/azure/permission";
import { dataSources, identityId, newStack, registryId, resources } from "./synth";
import { refusal } from "../../support/refusal";

const CREDENTIAL = "azurerm_federated_identity_credential";
const IDENTITY = "azurerm_user_assigned_identity";
const ASSIGNMENT = "azurerm_role_assignment";
const CLIENT = "22222222-2222-3333-4444-555555555555";
const PRINCIPAL = "33333333-2222-3333-4444-555555555555";
const TENANT = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
const PLACE = { identityName: "prod-eu_puller", resourceGroupName: "identities", location: "westeurope" };
const LATE = "${TfToken[TOKEN.99999]}";
const LEGACY = acr({ registry: registryId("myteam"), roleAssignmentMode: "LegacyRegistryPermissions" });

function trust(...serviceAccounts: readonly string[]): PullTrust {
  return { clusterName: "prod-eu", issuer: "https://issuer.example.com/prod-eu", serviceAccounts };
}

function declared(stack: TerraformStack, change: Partial<PullIdentityProps> = {}): PullIdentity {
  return new PullIdentity(stack, "puller", { ...PLACE, ...change });
}

/** The subjects in the order in which Terraform writes their credentials: each waits for one other. */
function chain(stack: TerraformStack): readonly unknown[] {
  const blocks = Object.entries(resources(stack, CREDENTIAL));
  const ordered: unknown[] = [];
  let previous: string | undefined;
  for (;;) {
    const wanted = previous && [`${CREDENTIAL}.${previous}`];
    const next = blocks.filter(([, block]) => JSON.stringify(block["depends_on"]) === JSON.stringify(wanted));
    if (next.length === 0) return ordered;
    expect(next).toHaveLength(1);
    previous = next[0]?.[0];
    ordered.push(next[0]?.[1]["subject"]);
  }
}

const accounts = (count: number): string[] => Array.from({ length: count }, (_, i) => `shop/web-${i + 10}`);

describe("PullIdentity", () => {
  it("declares the identity under Resource, and one exact credential per service account", () => {
    const stack = newStack();
    const identity = declared(stack, { tags: { team: "shop" }, trusts: [trust("shop/web")] });
    expect(resources(stack, IDENTITY)).toEqual({
      [identity.resource.friendlyUniqueId]: {
        name: "prod-eu_puller",
        resource_group_name: "identities",
        location: "westeurope",
        tags: { team: "shop" },
      },
    });
    expect(Object.values(resources(stack, CREDENTIAL))).toEqual([
      {
        name: "prod-eu_shop_web",
        resource_group_name: "identities",
        parent_id: `\${${IDENTITY}.${identity.resource.friendlyUniqueId}.id}`,
        issuer: "https://issuer.example.com/prod-eu",
        subject: "system:serviceaccount:shop:web",
        audience: ["api://AzureADTokenExchange"],
      },
    ]);
    expect(identity.node.defaultChild).toBe(identity.resource);
  });

  it("annotates with late ids, and with the tenant where it is stated", () => {
    const identity = declared(newStack());
    expect(Object.values(identity.annotations).map(isLate)).toEqual([true, true]);
    const stated = declared(newStack(), { tenantId: TENANT });
    expect(stated.annotations["kubernetes.azure.com/acr-tenant-id"]).toBe(TENANT);
    expect(isLate(stated.annotations["kubernetes.azure.com/acr-client-id"])).toBe(true);
  });

  // Two writes at once: 409 ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity.
  it("chains all credentials of one identity, trusts in order and subjects sorted", () => {
    const stack = newStack();
    const identity = declared(stack, { trusts: [trust("shop/web", "base/os", "shop/jobs")] });
    identity.addTrust({ ...trust("shop/web"), clusterName: "prod-us", issuer: "https://us.example.com" });
    expect(chain(stack)).toEqual([
      "system:serviceaccount:base:os",
      "system:serviceaccount:shop:jobs",
      "system:serviceaccount:shop:web",
      "system:serviceaccount:shop:web",
    ]);
    expect(identity.credentials).toHaveLength(4);
  });

  it("holds 20 credentials and refuses 21 before declaring any of them", () => {
    const stack = newStack();
    const identity = declared(stack, { trusts: [trust(...accounts(20))] });
    expect(chain(stack)).toHaveLength(20);
    expect(() => identity.addTrust(trust("shop/one-more"))).toThrowError(
      refusal("azure-limit: federated identity credentials", {
        value: 21,
        message: expect.stringMatching(/^test\/puller: the identity prod-eu_puller would have 21/) as string,
      }),
    );
    expect(chain(stack)).toHaveLength(20);
  });

  it.each([
    ["azure-conflict: already trusts this issuer", trust("shop/web")],
    ["property-conflict", { ...trust("shop/web"), issuer: "https://other.example.com" }],
    ["azure-invalid: issuer is Microsoft", { ...trust("shop/x"), issuer: "https://sts.windows.net/x" }],
    ["issuer-unsupported", { ...trust("shop/x"), issuer: "https://kubernetes.default.svc" }],
    ["issuer-invalid", { ...trust("shop/x"), issuer: "https://issuer.example.com/" }],
    ["issuer-invalid", { ...trust("shop/x"), issuer: "http://issuer.example.com" }],
    ["identities-invalid", trust("shop")],
    ["identities-invalid", trust("*/web")],
    ["identities-invalid", trust("shop/*")],
    ["audience-invalid", { ...trust("shop/x"), audience: "two words" }],
    ["cluster-invalid", { ...trust("shop/x"), clusterName: "Prod" }],
  ])("refuses a trust with %s and declares nothing", (code, added) => {
    const stack = newStack();
    const identity = declared(stack, { trusts: [trust("shop/web")] });
    expect(() => identity.addTrust(added)).toThrowError(refusal(code));
    expect(chain(stack)).toEqual(["system:serviceaccount:shop:web"]);
  });

  it("passes a late issuer through", () => {
    const stack = newStack();
    const any = new UserAssignedIdentity(stack, "any", { name: "a", location: "b", resourceGroupName: "c" });
    declared(stack, { trusts: [{ ...trust("shop/web"), issuer: any.clientId }] });
    expect(Object.values(resources(stack, CREDENTIAL))).toMatchObject([
      { issuer: `\${${IDENTITY}.any.client_id}` },
    ]);
  });

  it.each([
    ["azure-invalid: is not a valid name", { identityName: "x" }],
    ["azure-invalid: is not a valid name", { resourceGroupName: "a/b" }],
    ["azure-invalid: is not a valid name", { location: "" }],
    ["azure-invalid: is not a GUID", { tenantId: "contoso.com" }],
    ["azure-limit: federated identity credentials", { trusts: [trust(...accounts(21))] }],
    ["identities-invalid", { trusts: [trust("shop")] }],
  ])("refuses props with %s: %o", (code, change) => {
    const stack = newStack();
    expect(() => declared(stack, change)).toThrowError(refusal(code));
    expect(resources(stack, IDENTITY)).toEqual({});
  });

  it("uses the given Terraform provider for everything", () => {
    const stack = newStack();
    const provider = new AzurermProvider(stack, "hub", { alias: "hub", features: [{}] });
    declared(stack, { provider, trusts: [trust("shop/web")] }).grantPull(LEGACY);
    for (const type of [IDENTITY, CREDENTIAL, ASSIGNMENT])
      expect(Object.values(resources(stack, type))).toMatchObject([{ provider: "azurerm.hub" }]);
  });
});

// Azure compares names of identities and resource groups without regard to letter case.
describe("the name of an identity", () => {
  const two = (app: App): readonly [TerraformStack, TerraformStack] => [
    new TerraformStack(app, "one"),
    new TerraformStack(app, "two"),
  ];
  const azurerm = (stack: TerraformStack, subscriptionId?: string, alias?: string): AzurermProvider =>
    new AzurermProvider(stack, alias ?? "azurerm", {
      features: [{}],
      ...(subscriptionId && { subscriptionId }),
      ...(alias && { alias }),
    });
  const second = (stack: TerraformStack, change: Partial<PullIdentityProps> = {}): PullIdentity => {
    const place = { resourceGroupName: "Identities", location: "westeurope" };
    return new PullIdentity(stack, "second", { identityName: "PROD-EU_puller", ...place, ...change });
  };
  const taken = refusal("azure-conflict: user-assigned identity of this name", {
    value: "PROD-EU_puller",
  }) as Error;

  it("is refused a second time in one stack, before anything is declared", () => {
    const stack = newStack();
    declared(stack);
    expect(() => second(stack)).toThrowError(taken);
    expect(() => second(new TerraformStack(new App(), "other"))).not.toThrow();
    expect(Object.keys(resources(stack, IDENTITY))).toHaveLength(1);
  });

  it.each<Partial<PullIdentityProps>>([{ identityName: "other" }, { resourceGroupName: "other" }])(
    "may differ by %o",
    (change) => {
      const stack = newStack();
      declared(stack);
      expect(() => second(stack, change)).not.toThrow();
    },
  );

  it.each([
    [undefined, undefined, false],
    ["a", "a", true],
    ["a", "b", false],
    ["a", undefined, false],
  ])(
    "of two stacks, with default providers of subscriptions %s and %s: refused %s",
    (one, other, refuses) => {
      const [first, next] = two(new App());
      azurerm(first, one);
      azurerm(next, other);
      declared(first);
      if (refuses) expect(() => second(next)).toThrowError(taken);
      else expect(() => second(next)).not.toThrow();
    },
  );

  it("is not judged where the provider of a stack is not known yet", () => {
    const [first, next] = two(new App());
    azurerm(first, "a");
    declared(first);
    expect(() => second(next)).not.toThrow();
  });

  it("is one per subscription of a stack", () => {
    const stack = newStack();
    azurerm(stack, "a");
    const hub = azurerm(stack, "b", "hub");
    declared(stack);
    expect(() => second(stack, { provider: hub })).not.toThrow();
    expect(() => new PullIdentity(stack, "third", { ...PLACE, provider: hub })).toThrowError(
      refusal("azure-conflict: user-assigned identity of this name"),
    );
  });

  it("is compared as it is where the resource group is late", () => {
    const stack = newStack();
    declared(stack, { resourceGroupName: LATE });
    new PullIdentity(stack, "third", { ...PLACE, resourceGroupName: LATE.replace("9", "8") });
    expect(() => second(stack, { resourceGroupName: LATE })).toThrowError(taken);
  });
});

describe("grantPull", () => {
  const abac = (...repositories: readonly string[]): ReturnType<typeof acr> =>
    acr({
      registry: registryId("teamb"),
      roleAssignmentMode: "AbacRepositoryPermissions",
      ...(repositories.length > 0 && { repositories }),
    });

  it("assigns the role that the registry's mode honours", () => {
    const stack = newStack();
    const identity = declared(stack);
    identity.grantPull(
      acr({ registry: registryId("teama"), roleAssignmentMode: "LegacyRegistryPermissions" }),
      abac("shop/web"),
    );
    const common = {
      principal_id: `\${${IDENTITY}.${identity.resource.friendlyUniqueId}.principal_id}`,
      principal_type: "ServicePrincipal",
      skip_service_principal_aad_check: true,
    };
    const [legacy, limited] = Object.values(resources(stack, ASSIGNMENT));
    expect(legacy).toEqual({ ...common, scope: registryId("teama"), role_definition_name: "AcrPull" });
    expect(limited).toEqual({
      ...common,
      scope: registryId("teamb"),
      role_definition_name: "Container Registry Repository Reader",
      condition: expect.any(String) as string,
      condition_version: "2.0",
    });
    expect(readRepositoryCondition(String(limited?.["condition"]))).toEqual(["shop/web"]);
  });

  // A second assignment of one principal, role and scope: 409 RoleAssignmentExists.
  it("widens the one assignment of a registry instead of adding another", () => {
    const stack = newStack();
    const identity = declared(stack);
    identity.grantPull(abac("shop/web"));
    identity.grantPull(abac("base/*"));
    const [only, ...others] = Object.values(resources(stack, ASSIGNMENT));
    expect(others).toEqual([]);
    expect(readRepositoryCondition(String(only?.["condition"]))).toEqual(["base/*", "shop/web"]);
    identity.grantPull(abac());
    const [whole] = Object.values(resources(stack, ASSIGNMENT));
    expect(Object.keys(whole ?? {})).not.toContain("condition");
    expect(Object.keys(whole ?? {})).not.toContain("condition_version");
    expect([...identity.roleAssignments.keys()]).toEqual(["teamb.azurecr.io"]);
  });

  it("refuses a contradiction with what was granted before, and leaves that as it was", () => {
    const stack = newStack();
    const identity = declared(stack);
    identity.grantPull(abac("shop/web"));
    const legacy = acr({ registry: registryId("teamb"), roleAssignmentMode: "LegacyRegistryPermissions" });
    expect(() => identity.grantPull(legacy)).toThrowError(refusal("azure-mismatch: state a different"));
    identity.grantPull(abac("base/os"));
    const [only] = Object.values(resources(stack, ASSIGNMENT));
    expect(readRepositoryCondition(String(only?.["condition"]))).toEqual(["base/os", "shop/web"]);
  });
});

describe("PullIdentity.fromResourceId", () => {
  const OTHER = "99999999-2222-3333-4444-555555555555";
  const ids = { clientId: CLIENT, principalId: PRINCIPAL, tenantId: TENANT };
  const adopted = (stack: TerraformStack) =>
    PullIdentity.fromResourceId(stack, "puller", { resourceId: identityId("puller"), ...ids });

  it("is literal and declares nothing when every id is given", () => {
    const stack = newStack();
    const identity = adopted(stack);
    expect(identity.annotations).toEqual({
      "kubernetes.azure.com/acr-client-id": CLIENT,
      "kubernetes.azure.com/acr-tenant-id": TENANT,
    });
    expect(identity.resourceGroupName).toBe("identities");
    expect(dataSources(stack, IDENTITY)).toEqual({});
  });

  it("reads what is missing by a data source, and keeps what is given", () => {
    const stack = newStack();
    const attributes = { resourceId: identityId("puller"), tenantId: TENANT };
    const identity = PullIdentity.fromResourceId(stack, "puller", attributes);
    expect(Object.values(dataSources(stack, IDENTITY))).toEqual([
      { name: "puller", resource_group_name: "identities" },
    ]);
    expect(identity.tenantId).toBe(TENANT);
    expect([identity.clientId, identity.principalId].map(isLate)).toEqual([true, true]);
  });

  it("trusts and grants on the adopted identity", () => {
    const stack = newStack();
    const identity = adopted(stack);
    identity.addTrust(trust("shop/web"));
    identity.grantPull(LEGACY);
    expect(Object.values(resources(stack, CREDENTIAL))).toMatchObject([
      { parent_id: identityId("puller"), resource_group_name: "identities" },
    ]);
    expect(Object.values(resources(stack, ASSIGNMENT))).toMatchObject([{ principal_id: PRINCIPAL }]);
  });

  it.each([
    ["in another subscription", OTHER, "azure-mismatch: another subscription"],
    ["of the same one", "11111111-2222-3333-4444-555555555555", undefined],
    ["that states none", undefined, undefined],
    ["that Terraform tells", "${var.subscription}", undefined],
  ])("takes the identity of a subscription with a provider %s: %s", (_, subscriptionId, code) => {
    const [stack, aliased] = [newStack(), newStack()];
    const own = { features: [{}], subscriptionId };
    new AzurermProvider(stack, "azurerm", own);
    new AzurermProvider(aliased, "azurerm", { features: [{}], subscriptionId: OTHER });
    const provider = new AzurermProvider(aliased, "other", { ...own, alias: "other" });
    const resourceId = identityId("puller");
    for (const [scope, attributes] of [
      [stack, { resourceId, ...ids }],
      [aliased, { resourceId, provider }],
    ] as const) {
      const adopt = (): unknown => PullIdentity.fromResourceId(scope, "puller", attributes);
      if (code === undefined) expect(adopt).not.toThrow();
      else expect(adopt).toThrowError(refusal(code));
    }
  });

  it("shares chain, count and assignments among constructs that adopt one identity", () => {
    const stack = newStack();
    const one = PullIdentity.fromResourceId(stack, "one", { resourceId: identityId("puller"), ...ids });
    const two = PullIdentity.fromResourceId(stack, "two", { resourceId: identityId("PULLER"), ...ids });
    one.addTrust(trust(...accounts(15)));
    two.addTrust(trust("base/os"));
    one.grantPull(LEGACY);
    two.grantPull(LEGACY);
    expect(chain(stack)).toHaveLength(16);
    expect(Object.keys(resources(stack, ASSIGNMENT))).toHaveLength(1);
    expect(() => two.addTrust(trust(...accounts(20).slice(15)))).toThrowError(
      refusal("azure-limit: federated identity credentials", { value: 21 }),
    );
  });

  it("does not mix identities of different stacks", () => {
    const [one, two] = [newStack(), newStack()].map((stack) => adopted(stack));
    one?.addTrust(trust("shop/web"));
    two?.addTrust(trust("shop/web"));
    expect([one?.credentials.length, two?.credentials.length]).toEqual([1, 1]);
  });

  it("takes a late resource id with everything else beside it", () => {
    const stack = newStack();
    const place = { name: "own", location: "l", resourceGroupName: "g" };
    const { id, clientId, principalId } = new UserAssignedIdentity(stack, "own", place);
    const late = { resourceId: id, resourceGroupName: "g", clientId, principalId, tenantId: TENANT };
    const identity = PullIdentity.fromResourceId(stack, "puller", late);
    identity.addTrust(trust("shop/web"));
    expect(Object.values(resources(stack, CREDENTIAL))).toMatchObject([
      { parent_id: `\${${IDENTITY}.own.id}`, resource_group_name: "g" },
    ]);
  });

  it.each([
    ["azure-invalid: resource id of", { resourceId: "puller" }],
    ["azure-invalid: is not a GUID", { resourceId: identityId("puller"), clientId: "puller" }],
    ["azure-invalid: is not a GUID", { resourceId: identityId("puller"), tenantId: "" }],
    ["azure-invalid: is not a valid name", { resourceId: identityId("puller"), resourceGroupName: "other" }],
    ["azure-missing: known only after apply", { resourceId: LATE }],
    ["azure-missing: known only after apply", { resourceId: LATE, ...ids }],
    ["azure-missing: known only after apply", { resourceId: LATE, resourceGroupName: "g", clientId: CLIENT }],
  ] as const)("refuses with %s: %o", (code, attributes: PullIdentityAttributes) => {
    expect(() => PullIdentity.fromResourceId(newStack(), "puller", attributes)).toThrowError(refusal(code));
  });
});
