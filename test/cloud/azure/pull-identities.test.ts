import { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { App, TerraformStack } from "cdktf";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AcrSource,
  PullIdentities,
  type PullIdentitiesProps,
  type PullIdentitiesSettings,
  PullIdentity,
  WorkloadIdentities,
  WorkloadIdentity,
  acr,
  pullIdentities,
} from "../../../lib/cloud/azure";
import type { IExistingIdentity } from "../../../lib/model/identity";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import { Subject } from "../../../lib/model/subject";
import { treeOf } from "../../../lib/model/tree";
import { azureJsonFindings } from "../../../lib/rules/azure/plugin";
import { type Blocks, identityId, newStack, registryId, resources } from "./synth";
import { refusal } from "../../support/refusal";

const CREDENTIAL = "azurerm_federated_identity_credential";
const IDENTITY = "azurerm_user_assigned_identity";
const ASSIGNMENT = "azurerm_role_assignment";
const CLIENT_ID = "kubernetes.azure.com/acr-client-id";
const TENANT_ID = "kubernetes.azure.com/acr-tenant-id";
const CLIENT = "22222222-2222-3333-4444-555555555555";
const PRINCIPAL = "33333333-2222-3333-4444-555555555555";
const TENANT = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
const PLACE = { resourceGroupName: "identities", location: "westeurope" };

type Pulls = Readonly<Record<string, readonly AcrSource[]>>;

function legacy(name: string): AcrSource {
  return acr({ registry: registryId(name), roleAssignmentMode: "LegacyRegistryPermissions" });
}

type Existing = Readonly<Record<string, IExistingIdentity>>;

function props(
  pulls: Pulls,
  settings: PullIdentitiesSettings = PLACE,
  as: Existing = {},
): PullIdentitiesProps {
  return {
    ...settings,
    clusterName: "prod-eu",
    issuer: Issuer.of("https://issuer.example.com/prod-eu"),
    accounts: Object.entries(pulls).map(([key, asks]) => {
      const existing = as[key];
      return { subject: Subject.of(key), asks, ...(existing && { existing }) };
    }),
  };
}

function declare(
  stack: TerraformStack,
  pulls: Pulls,
  settings?: PullIdentitiesSettings,
  as?: Existing,
): PullIdentities {
  return new PullIdentities(stack, "azure", props(pulls, settings, as));
}

function adopt(
  stack: TerraformStack,
  name: string,
  tenantId: string = TENANT,
  declareTrust?: boolean,
): PullIdentity {
  const ids = {
    clientId: CLIENT,
    principalId: PRINCIPAL,
    tenantId,
    ...(declareTrust === false && { declareTrust }),
  };
  return PullIdentity.fromResourceId(stack, name, { resourceId: identityId(name), ...ids }) as PullIdentity;
}

/** Which identity, by its name in Azure, trusts which subjects. */
function trusted(stack: TerraformStack): Readonly<Record<string, readonly unknown[]>> {
  const credentials = Object.values(resources(stack, CREDENTIAL));
  const identities: Blocks = resources(stack, IDENTITY);
  return Object.fromEntries(
    Object.entries(identities).map(([id, block]) => [
      block["name"],
      credentials
        .filter((credential) => credential["parent_id"] === `\${${IDENTITY}.${id}.id}`)
        .map((credential) => credential["subject"]),
    ]),
  );
}

describe("PullIdentities", () => {
  it("makes one identity per service account, each with its own annotations", () => {
    const stack = newStack();
    const sources = { "shop/jobs": [legacy("myteam")], "shop/web": [legacy("myteam")] };
    const declaration = declare(stack, sources);
    expect(trusted(stack)).toEqual({
      "prod-eu_shop_jobs": ["system:serviceaccount:shop:jobs"],
      "prod-eu_shop_web": ["system:serviceaccount:shop:web"],
    });
    const clients = declaration.grants.map((grant) => grant.annotations[CLIENT_ID]);
    expect(declaration.grants.map((grant) => grant.subject.key)).toEqual(["shop/jobs", "shop/web"]);
    expect(clients.map(isLate)).toEqual([true, true]);
    expect(new Set(clients).size).toBe(2);
    expect(declaration.identities.get("shop/web")?.clientId).toBe(clients[1]);
  });

  it("gives each identity its own registries, and its service account alone a way in", () => {
    const stack = newStack();
    declare(stack, { "shop/jobs": [legacy("teama")], "shop/web": [legacy("teamb"), legacy("teamc")] });
    const assigned = Object.values(resources(stack, ASSIGNMENT)).map((block) => [
      String(block["principal_id"]).replace(/_[0-9A-F]{8}\.principal_id}$/, ""),
      block["scope"],
    ]);
    expect(assigned).toEqual([
      [`\${${IDENTITY}.azure_shop_jobs`, registryId("teama")],
      [`\${${IDENTITY}.azure_shop_web`, registryId("teamb")],
      [`\${${IDENTITY}.azure_shop_web`, registryId("teamc")],
    ]);
    const issuer = "https://issuer.example.com/prod-eu";
    const audience = ["api://AzureADTokenExchange"];
    expect(Object.values(resources(stack, CREDENTIAL))).toMatchObject([
      { issuer, audience, subject: "system:serviceaccount:shop:jobs" },
      { issuer, audience, subject: "system:serviceaccount:shop:web" },
    ]);
  });

  it("asks of the kubelet what the pulls need", () => {
    const regional = acr({
      registry: registryId("myteam"),
      roleAssignmentMode: "LegacyRegistryPermissions",
      loginServer: "myteam.eastus.geo.azurecr.io",
    });
    const { provider } = declare(newStack(), { "shop/web": [legacy("myteam"), regional] });
    expect(provider).toMatchObject({
      plugin: "acr",
      matchImages: ["*.*.geo.azurecr.io", "*.azurecr.io"],
      audience: "api://AzureADTokenExchange",
      args: ["/etc/kubernetes/acr-azure.json"],
      annotationKeys: [CLIENT_ID, TENANT_ID],
    });
  });

  it("uses one audience in credential and kubelet entry", () => {
    const stack = newStack();
    const { provider } = declare(
      stack,
      { "shop/web": [legacy("myteam")] },
      { ...PLACE, audience: "openshift" },
    );
    expect(provider.audience).toBe("openshift");
    expect(Object.values(resources(stack, CREDENTIAL))).toMatchObject([{ audience: ["openshift"] }]);
  });

  it("writes prefix, tags and tenant where they are stated", () => {
    const stack = newStack();
    const settings = { ...PLACE, namePrefix: "eu1", tags: { team: "shop" }, tenantId: TENANT };
    const { grants } = declare(stack, { "shop/web": [legacy("myteam")] }, settings);
    expect(Object.values(resources(stack, IDENTITY))).toMatchObject([
      { name: "eu1_shop_web", tags: { team: "shop" } },
    ]);
    expect(grants[0]?.annotations[TENANT_ID]).toBe(TENANT);
  });
});

describe("azure.json", () => {
  it("is final when the tenant is stated, and good for token mode", () => {
    const settings = { ...PLACE, tenantId: TENANT };
    const { nodeFiles } = declare(newStack(), { "shop/web": [legacy("myteam")] }, settings);
    expect(nodeFiles).toEqual([
      {
        path: "/etc/kubernetes/acr-azure.json",
        mode: 0o600,
        content: `{\n  "cloud": "AzurePublicCloud",\n  "tenantId": "${TENANT}",\n  "useManagedIdentityExtension": true\n}\n`,
      },
    ]);
    expect(azureJsonFindings(treeOf(JSON.parse(nodeFiles[0]?.content ?? "")))).toEqual([]);
  });

  it("holds the late tenant of the first identity otherwise", () => {
    const { nodeFiles, identities } = declare(newStack(), { "shop/web": [legacy("myteam")] });
    const document = JSON.parse(nodeFiles[0]?.content ?? "") as { tenantId: string };
    expect(document.tenantId).toBe(identities.get("shop/web")?.tenantId);
    expect(isLate(document.tenantId)).toBe(true);
  });

  it("prefers the literal tenant of an adopted identity to a late one", () => {
    const stack = newStack();
    const { nodeFiles } = declare(
      stack,
      { "base/os": [legacy("myteam")], "shop/web": [legacy("myteam")] },
      PLACE,
      { "shop/web": adopt(stack, "puller") },
    );
    expect(JSON.parse(nodeFiles[0]?.content ?? "")).toMatchObject({ tenantId: TENANT });
  });

  it("takes cloud, path and subscription from where they are stated", () => {
    const china = acr({
      registry: registryId("myteam"),
      roleAssignmentMode: "LegacyRegistryPermissions",
      cloud: "AzureChinaCloud",
    });
    const subscriptionId = "11111111-2222-3333-4444-555555555555";
    const settings = { ...PLACE, tenantId: TENANT, subscriptionId, azureJsonPath: "/etc/acr/azure.json" };
    const { nodeFiles, provider } = declare(newStack(), { "shop/web": [china] }, settings);
    expect(nodeFiles[0]?.path).toBe("/etc/acr/azure.json");
    expect(provider.args).toEqual(["/etc/acr/azure.json"]);
    expect(provider.matchImages).toEqual(["*.azurecr.cn"]);
    expect(JSON.parse(nodeFiles[0]?.content ?? "")).toMatchObject({
      cloud: "AzureChinaCloud",
      subscriptionId,
    });
  });
});

describe("existing identities", () => {
  it("need no place, give literal annotations, and get trust but no rights", () => {
    const stack = newStack();
    const as = { "shop/web": adopt(stack, "puller") };
    const { grants } = declare(stack, { "shop/web": [legacy("myteam")] }, {}, as);
    expect(resources(stack, IDENTITY)).toEqual({});
    expect(grants.map((grant) => grant.annotations)).toEqual([{ [CLIENT_ID]: CLIENT, [TENANT_ID]: TENANT }]);
    expect(Object.values(resources(stack, CREDENTIAL))).toMatchObject([{ parent_id: identityId("puller") }]);
    expect(resources(stack, ASSIGNMENT)).toEqual({});
  });

  it("may be shared, with chained credentials", () => {
    const stack = newStack();
    const puller = adopt(stack, "puller");
    const pulls = { "a/one": [legacy("teama")], "b/two": [legacy("teamb")] };
    declare(stack, pulls, {}, { "a/one": puller, "b/two": puller });
    const waiting = Object.values(resources(stack, CREDENTIAL)).map(
      (block) => block["depends_on"] !== undefined,
    );
    expect(waiting).toEqual([false, true]);
  });

  it("keep the credentials that exist elsewhere", () => {
    const stack = newStack();
    const puller = adopt(stack, "puller", TENANT, false);
    declare(stack, { "shop/web": [legacy("myteam")] }, {}, { "shop/web": puller });
    expect(resources(stack, CREDENTIAL)).toEqual({});
    puller.addTrust({
      clusterName: "other",
      issuer: "https://issuer.example.com/2",
      serviceAccounts: ["a/b"],
    });
    expect(puller.credentials).toHaveLength(1);
  });

  it("of workloads are those of pulls, with the plugin's annotations and each credential once", () => {
    const stack = newStack();
    const ids = { clientId: CLIENT, principalId: PRINCIPAL, tenantId: TENANT };
    const existing = WorkloadIdentity.fromResourceId(stack, "web", { resourceId: identityId("web"), ...ids });
    const pulls = declare(stack, { "shop/web": [legacy("myteam")] }, {}, { "shop/web": existing });
    const { clusterName, issuer } = props({});
    const accounts = [{ subject: Subject.of("shop/web"), asks: [], existing }];
    const { grants } = new WorkloadIdentities(stack, "workloads", { clusterName, issuer, accounts });
    expect(Object.keys(pulls.grants[0]?.annotations ?? {})).toEqual([CLIENT_ID, TENANT_ID]);
    expect(grants[0]?.annotations).toEqual(existing.annotations);
    expect(existing.credentials).toHaveLength(1);
  });

  it.each<readonly [string, IExistingIdentity]>([
    ["azure-foreign", { cloud: "azure" }],
    [
      "azure-mismatch: in another tenant",
      adopt(newStack(), "puller", "bbbbbbbb-bbbb-cccc-dddd-eeeeeeeeeeee"),
    ],
  ])("are refused with %s", (code, existing) => {
    const stack = newStack();
    const pulls = { "shop/web": [legacy("myteam")] };
    expect(() => declare(stack, pulls, { tenantId: TENANT }, { "shop/web": existing })).toThrowError(
      refusal(code),
    );
    expect(resources(stack, CREDENTIAL)).toEqual({});
  });
});

describe("shards", () => {
  it("share identities among equal permissions and annotate each account with its own", () => {
    const stack = newStack();
    const pulls = { "a/one": [legacy("teama")], "b/two": [legacy("teama")], "c/three": [legacy("teamb")] };
    const { grants } = declare(stack, pulls, { ...PLACE, shards: 1 });
    expect(Object.values(trusted(stack)).sort()).toEqual([
      ["system:serviceaccount:a:one", "system:serviceaccount:b:two"],
      ["system:serviceaccount:c:three"],
    ]);
    const [one, two, three] = grants.map((grant) => grant.annotations[CLIENT_ID]);
    expect(one).toBe(two);
    expect(three).not.toBe(one);
  });

  it("never moves an existing service account when one is added", () => {
    const key = fc.tuple(fc.stringMatching(/^[a-c]{1,2}$/), fc.stringMatching(/^[a-c]{1,2}$/));
    const keys = fc.uniqueArray(
      key.map((pair) => pair.join("/")),
      { minLength: 2, maxLength: 8 },
    );
    const place = (all: readonly string[], shards: number | undefined): Map<string, string> => {
      const pulls = Object.fromEntries(all.map((own) => [own, [legacy("myteam")]]));
      const settings = shards === undefined ? PLACE : { ...PLACE, shards };
      const { identities } = declare(newStack(), pulls, settings);
      return new Map([...identities].map(([own, identity]) => [own, identity.node.path]));
    };
    fc.assert(
      fc.property(keys, fc.constantFrom(undefined, 1, 3), ([added = "", ...before], shards) => {
        const after = place([...before, added].sort(), shards);
        for (const [own, path] of place(before, shards)) expect(after.get(own)).toBe(path);
      }),
      { numRuns: 25 },
    );
  });
});

describe("refusals, before anything is declared", () => {
  const pulls = { "shop/web": [legacy("myteam")] };
  const china = acr({
    registry: registryId("teamc"),
    roleAssignmentMode: "LegacyRegistryPermissions",
    cloud: "AzureChinaCloud",
  });
  const many = Object.fromEntries(
    Array.from({ length: 21 }, (_, i) => [`shop/web-${i}`, [legacy("myteam")]]),
  );
  const rows: readonly (readonly [string, Pulls, PullIdentitiesSettings])[] = [
    ["azure-missing: the list of pulls is empty", {}, PLACE],
    ["azure-missing: must be declared", pulls, { location: "westeurope" }],
    ["azure-missing: must be declared", pulls, { resourceGroupName: "identities" }],
    ["azure-invalid: is not a valid name", pulls, { ...PLACE, resourceGroupName: "a/b" }],
    ["azure-invalid: is not a valid name", pulls, { ...PLACE, location: "" }],
    ["azure-mismatch: in another Azure cloud", { ...pulls, "shop/x": [china] }, PLACE],
    ["azure-mismatch: in another Azure cloud", pulls, { ...PLACE, cloud: "AzureUSGovernmentCloud" }],
    ["azure-invalid: is not a GUID", pulls, { ...PLACE, tenantId: "contoso.com" }],
    ["azure-invalid: is not a GUID", pulls, { ...PLACE, subscriptionId: "prod" }],
    ["node-invalid", pulls, { ...PLACE, azureJsonPath: "etc/azure.json" }],
    ["audience-invalid", pulls, { ...PLACE, audience: "" }],
    ["azure-invalid: shards", pulls, { ...PLACE, shards: 0 }],
    ["azure-limit: federated identity credentials", many, { ...PLACE, shards: 1 }],
    ["azure-invalid: is not a valid name", pulls, { ...PLACE, namePrefix: "eu_1" }],
  ];

  it.each(rows)("%s", (code, given, settings) => {
    const stack = newStack();
    expect(() => declare(stack, given, settings)).toThrowError(
      refusal(code, { message: expect.stringMatching(/^test\/azure: /) as string }),
    );
    expect(resources(stack, IDENTITY)).toEqual({});
  });

  it("the names of another construct of the app, be it of another stack", () => {
    const app = new App();
    const stacks = ["one", "two"].map((id) => new TerraformStack(app, id));
    const subscriptionId = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";
    for (const stack of stacks) new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId });
    const [first, second] = stacks.map((stack) => () => declare(stack, pulls));
    first?.();
    expect(second).toThrowError(
      refusal("azure-conflict: user-assigned identity of this name", {
        message:
          'two/azure: one/azure/shop_web already declares a user-assigned identity of this name in resource group identities, got "prod-eu_shop_web"; allowed: one identity per name and resource group, ignoring case; give one of the two another identityName (with pullIdentities another namePrefix or resourceGroupName), or adopt the identity with PullIdentity.fromResourceId',
      }),
    );
    expect(resources(stacks[1] ?? newStack(), IDENTITY)).toEqual({});
  });

  it("an issuer that Azure refuses", () => {
    const stack = newStack();
    const issuer = Issuer.of("https://sts.windows.net/x");
    expect(() => new PullIdentities(stack, "azure", { ...props(pulls), issuer })).toThrowError(
      refusal("azure-invalid: issuer is Microsoft Entra itself"),
    );
    expect(resources(stack, IDENTITY)).toEqual({});
  });
});

describe("pullIdentities", () => {
  it("declares the construct under an id that logical ids leave out, for the composed constructs", () => {
    const stack = newStack();
    const { clusterName, issuer, accounts } = props({ "shop/web": [legacy("myteam")] });
    const maker = pullIdentities(PLACE);
    const declaration = maker.declare(stack, { clusterName, issuer, accounts });
    expect(maker.cloud).toBe("azure");
    expect(declaration).toBe(stack.node.tryFindChild("Default"));
    expect(declaration).toBeInstanceOf(PullIdentities);
  });
});
