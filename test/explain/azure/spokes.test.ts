/*
 * Ways into AKS clusters. Sources: learn.microsoft.com, "Understand scope for Azure RBAC" and "Azure built-in roles for
 * Containers"; Azure/kubelogin, pkg/internal/token/options.go.
 */

import { describe, expect, it } from "vitest";
import { azureReader } from "../../../lib/explain/azure/reader";
import type { SpokeQuestion } from "../../../lib/explain/cloud";
import { unwritten } from "../../../lib/explain/read/service-accounts";
import type { BoundName, SpokeFact } from "../../../lib/explain/read/spoke-facts";
import { Terraform } from "../../../lib/explain/read/terraform";
import { readConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { PublishedIssuers } from "../../../lib/explain/shared/issuers";
import { type Known, known, unread } from "../../../lib/model/known";
import type { Json } from "../../../lib/model/parsed";

const SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const GROUP = `${SUBSCRIPTION}/resourceGroups/rg`;
const CLUSTER = `${GROUP}/providers/Microsoft.ContainerService/managedClusters/aksc`;
const DEFINITIONS = `${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/`;
const CLIENT = "11111111-2222-4333-8444-555555555555";
const OTHER = "99999999-2222-4333-8444-555555555555";
const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const WRITER = "Azure Kubernetes Service RBAC Writer";

interface Case {
  /** Arguments of the role assignment. */
  readonly role?: Json;
  /** Whether the cluster is declared, with these arguments of the block for Entra; looked up where it is absent. */
  readonly entra?: Json;
  readonly more?: Record<string, Json>;
  readonly data?: Json;
  readonly module?: Json;
  readonly asked?: Partial<SpokeQuestion>;
}

const NOTHING: SpokeFact = { bound: [], authenticators: [], refused: [], isWhole: false };

function read({ role = {}, entra, more = {}, data = {}, module, asked = {} }: Case): readonly string[] {
  const cluster = {
    aksc: {
      name: "aksc",
      resource_group_name: "rg",
      ...(entra && { azure_active_directory_role_based_access_control: [entra] }),
    },
  };
  const value = {
    provider: { azurerm: [{ subscription_id: SUBSCRIPTION.split("/")[2] }] },
    resource: {
      azurerm_user_assigned_identity: { i: { name: "i", resource_group_name: "rg", client_id: CLIENT } },
      azurerm_role_assignment: {
        r: {
          principal_id: "${azurerm_user_assigned_identity.i.principal_id}",
          role_definition_name: WRITER,
          scope: CLUSTER,
          ...role,
        },
      },
      ...(entra && { azurerm_kubernetes_cluster: cluster }),
      ...more,
    },
    data: { ...(!entra && { azurerm_kubernetes_cluster: cluster }), ...data },
    ...(module && { module: { m: module } }),
  };
  const terraform = new Terraform(azureReader.computed);
  const source = { file: "cdk.tf.json", path: "" };
  const scope = readConfiguration(terraform, "stack", [{ value, source }], undefined);
  const { spokes } = azureReader.read(terraform, new PublishedIssuers([]));
  const address = `${entra ? "" : "data."}azurerm_kubernetes_cluster.aksc`;
  const question: SpokeQuestion = {
    spoke: "aks",
    server: scope.text(`https://\${${address}.fqdn}`),
    args: [],
    env: new Map(),
    recorded: true,
    account: {
      ...unwritten("ops/fc"),
      annotations: new Map([
        ["azure.workload.identity/client-id", known(CLIENT)],
        ["azure.workload.identity/tenant-id", known(TENANT)],
      ]),
    },
    identity: {
      label: "",
      found: { status: "pass", reason: "", evidence: [], remedy: "" },
      trust: () => {
        throw new Error("not asked");
      },
      permissions: () => {
        throw new Error("not asked");
      },
      held: () => [],
    },
    project: undefined,
    projectNumber: undefined,
    rbac: NOTHING,
    impersonates: undefined,
    ...asked,
  };
  const { admitted, authorized, warnings } = spokes.read(question);
  return [admitted.status, authorized.status, authorized.reason, ...warnings.map(({ id }) => id)];
}

const on = { azure_rbac_enabled: true };
const none = "has no role for the Kubernetes API";
const open = "no role of the identity";
const custom = (permissions: Json, entra: Json = on): Case => ({
  entra,
  role: {
    role_definition_name: undefined,
    role_definition_id: "${azurerm_role_definition.d.role_definition_resource_id}",
  },
  more: { azurerm_role_definition: { d: { name: "Deployer", scope: GROUP, permissions: [permissions] } } },
});
const data = (...actions: readonly string[]): Json => ({ data_actions: actions });
const named = (name: string): Case => ({ entra: on, role: { role_definition_name: name } });
const at = (scope: string): Case => ({ entra: on, role: { scope } });
const byId = (id: string): Case => ({ role: { role_definition_name: undefined, role_definition_id: id } });

describe("a role", () => {
  it.each<[string, Case, string, string]>([
    ["on a declared cluster", { entra: on }, "pass", "RBAC Writer of the cluster"],
    ["on one that is looked up", {}, "pass", "RBAC Writer of the cluster"],
    [
      "by its id",
      byId(`${DEFINITIONS}b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b`),
      "pass",
      "RBAC Cluster Admin of",
    ],
    [
      "by its id, of no subscription",
      byId("/providers/Microsoft.Authorization/roleDefinitions/7f6c6a51-bcf8-42ba-9220-52d62157d7db"),
      "pass",
      "RBAC Reader of",
    ],
    ["by an id that is not known here", byId(`${DEFINITIONS}${OTHER}`), "unknown", open],
    [
      "at the group",
      { ...at("${azurerm_resource_group.g.id}"), more: { azurerm_resource_group: { g: { name: "rg" } } } },
      "pass",
      "Writer",
    ],
    ["at the group's id", at(GROUP), "pass", "Writer"],
    ["at the cluster's id in other letters", at(CLUSTER.toLowerCase()), "pass", "Writer"],
    ["in a namespace", at(`${CLUSTER}/namespaces/shop`), "pass", "Writer"],
    [
      "in a namespace, by reference",
      at("${azurerm_kubernetes_cluster.aksc.id}/namespaces/shop"),
      "pass",
      "Writer",
    ],
    ["at the subscription", at(SUBSCRIPTION), "pass", "Writer"],
    ["at a management group", at("/providers/Microsoft.Management/managementGroups/x"), "unknown", open],
    ["at another group", at(`${SUBSCRIPTION}/resourceGroups/r`), "fail", none],
    ["at another subscription", at(`/subscriptions/${OTHER}`), "fail", none],
    ["at a cluster whose name begins alike", at(`${CLUSTER}2`), "fail", none],
    ["at a late scope", at("${var.s}"), "unknown", open],
    ["under a condition", { entra: on, role: { condition: "(1==2)" } }, "unknown", open],
    [
      "that is custom",
      custom(data("Microsoft.ContainerService/managedClusters/apps/deployments/*")),
      "pass",
      "of a custom role of the cluster",
    ],
    ["that is custom, of all data", custom(data("*")), "pass", "of a custom role"],
    ["that is custom, of other data", custom(data("Microsoft.Storage/*")), "fail", none],
    ["that is custom, of late data", custom(data("${var.a}")), "unknown", open],
    [
      "that is custom, less what it has",
      custom({ ...data("Microsoft.ContainerService/*"), not_data_actions: ["*"] }),
      "fail",
      none,
    ],
    ["that is not read", named("Acme AKS Deployer"), "unknown", open],
    ["of Azure alone", named("Owner"), "fail", none],
    ["for the user's kubeconfig", named("Azure Kubernetes Service Cluster User Role"), "fail", none],
    ["of another identity", { entra: on, role: { principal_id: OTHER } }, "fail", none],
    ["of whoever a variable says", { entra: on, role: { principal_id: "${var.p}" } }, "unknown", open],
    [
      "beside an admin group",
      { entra: { ...on, admin_group_object_ids: ["1"] }, role: { scope: `${CLUSTER}2` } },
      "unknown",
      "admin group",
    ],
    ["where roles of Azure are on by text", { entra: { azure_rbac_enabled: "true" } }, "pass", "Writer"],
    ["where they are on or not", { entra: { azure_rbac_enabled: "${var.x}" } }, "unknown", open],
    ["where they are off", { entra: { azure_rbac_enabled: false } }, "unknown", "no binding"],
    [
      "where a module is given the cluster",
      { entra: on, module: { x: CLUSTER } },
      "unknown",
      "a module, which explain does not follow",
    ],
    [
      "where a module is given the identity",
      { entra: on, module: { x: CLIENT } },
      "unknown",
      "a module, which explain does not follow",
    ],
  ])("%s", (_, given, status, reason) => {
    expect(read(given).slice(0, 3)).toEqual(["pass", status, expect.stringContaining(reason)]);
  });

  it("that is wide is warned of", () => {
    expect(read(named("Azure Kubernetes Service RBAC Cluster Admin")).slice(3)).toEqual(["wide-role"]);
  });

  it("is not needed where RBAC of the cluster binds the identity", () => {
    const principal = "22222222-2222-4333-8444-555555555555";
    const bound: BoundName = {
      kind: "User",
      name: known(principal),
      role: "ClusterRole edit",
      rules: undefined,
      source: { file: "spokes/aks.yaml", path: "" },
    };
    const asked = { rbac: { ...NOTHING, bound: [bound], isWhole: true } };
    const off = { azure_rbac_enabled: false };
    const identity = (principal_id: string): Case["more"] => ({
      azurerm_user_assigned_identity: {
        i: { name: "i", resource_group_name: "rg", client_id: CLIENT, principal_id },
      },
    });
    expect(read({ entra: off, asked, more: identity(principal) ?? {} })[1]).toBe("pass");
    expect(read({ entra: off, asked, more: identity(OTHER) ?? {} })[1]).toBe("fail");
    expect(read({ entra: off, asked })[1]).toBe("unknown");
  });
});

describe("a cluster that was not read", () => {
  const elsewhere = (server: string, spoke = "aks"): Partial<SpokeQuestion> => ({
    spoke,
    server: known(server),
    recorded: true,
  });

  it.each<[string, Partial<SpokeQuestion>, string]>([
    ["by its recorded name", elsewhere("https://x.example", "aksc"), "pass"],
    ["by its DNS prefix and a hash", elsewhere("https://aksc-0a1b2c3d.hcp.westeurope.azmk8s.io"), "pass"],
    ["by a name that begins alike", elsewhere("https://aksc2-0a1b2c3d.hcp.westeurope.azmk8s.io"), "unknown"],
  ])("%s", (_, asked, status) => {
    expect(read({ asked })[1]).toBe(status);
  });

  it("and is not recorded is not known to be integrated with Entra", () => {
    expect(read({ asked: { ...elsewhere("https://aksc.example"), recorded: false } })[0]).toBe("unknown");
  });

  it("or is not integrated with Entra admits no one", () => {
    const cluster = {
      azurerm_kubernetes_cluster: { k: { name: "k", resource_group_name: "rg", fqdn: "k.example" } },
    };
    expect(read({ more: cluster, asked: elsewhere("https://k.example") })[0]).toBe("fail");
  });
});

describe("a call of the plugin", () => {
  const env = (...pairs: readonly (readonly [string, Known<string>])[]): Partial<SpokeQuestion> => ({
    env: new Map(pairs),
  });
  const args = (...all: readonly string[]): Partial<SpokeQuestion> => ({
    args: all.map((each) => known(each)),
  });
  const own = [
    `--client-id=${CLIENT}`,
    `--tenant-id=${TENANT}`,
    "--federated-token-file=/var/run/secrets/azure/tokens/azure-identity-token",
  ];
  const late = unread("x");

  it.each<[string, Partial<SpokeQuestion>, string]>([
    ["as the service account says", {}, "pass"],
    ["with its own client id", env(["AZURE_CLIENT_ID", known(CLIENT)]), "pass"],
    ["with another client id", env(["AZURE_CLIENT_ID", known(OTHER)]), "unknown"],
    ["with another client id by flag", args("--client-id", OTHER), "unknown"],
    ["with a client id that only the cluster knows", env(["AZURE_CLIENT_ID", late]), "unknown"],
    ["with an empty tenant", env(["AZURE_TENANT_ID", known("")]), "unknown"],
    ["with another tenant", args("-t", OTHER), "unknown"],
    ["with another login", env(["AAD_LOGIN_METHOD", known("msi")]), "fail"],
    ["with a login that only the cluster knows", env(["AAD_LOGIN_METHOD", late]), "unknown"],
    [
      "with the Entra of another cloud",
      env(["AZURE_AUTHORITY_HOST", known("https://login.chinacloudapi.cn/")]),
      "unknown",
    ],
    ["with what is no Entra", env(["AZURE_AUTHORITY_HOST", known("https://login.example/")]), "unknown"],
    ["with an Entra that only the cluster knows", env(["AZURE_AUTHORITY_HOST", late]), "unknown"],
    ["with the variables of Terraform", args("--use-azurerm-env-vars"), "unknown"],
    ["without variables, and all flags", args("--disable-environment-override", ...own), "unknown"],
  ])("%s", (_, asked, status) => {
    expect(read({ asked })[0]).toBe(status);
  });

  it.each<[string, Partial<SpokeQuestion>, string | undefined]>([
    ["of AKS", args("--server-id", "6dae42f8-4368-4678-94ff-3960e28e3630"), undefined],
    ["of another application", args("--server-id", OTHER), "fail"],
    ["of another application, not recorded", { ...args("--server-id", OTHER), recorded: false }, "unknown"],
    [
      "of another application, at an address of AKS",
      {
        ...args("--server-id", OTHER),
        recorded: false,
        server: known("https://a.hcp.westeurope.azmk8s.io:443"),
      },
      "fail",
    ],
    ["that only the cluster knows", { env: new Map([["AAD_SERVER_APPLICATION_ID", late]]) }, "unknown"],
  ])("is for the application %s", (_, asked, status) => {
    const { spokes } = azureReader.read(new Terraform([]), new PublishedIssuers([]));
    const call = { server: known(""), args: [], env: new Map(), recorded: true, ...asked };
    expect(spokes.called?.(call, [])?.status).toBe(status);
  });
});
