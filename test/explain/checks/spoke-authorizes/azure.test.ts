/*
 * Sources: learn.microsoft.com, "Understand scope for Azure RBAC" and "Azure built-in roles for Containers".
 */

import { describe, expect, it } from "vitest";
import type { SpokeQuestion } from "../../../../lib/explain/cloud";
import type { BoundName } from "../../../../lib/explain/read/spoke-facts";
import { known } from "../../../../lib/model/known";
import type { Json } from "../../../../lib/model/parsed";
import { CLIENT, CLUSTER, type Case, GROUP, NOTHING, OTHER, SUBSCRIPTION, read } from "../../azure/spoke";

const DEFINITIONS = `${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/`;
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
    [
      "of an identity that was not read",
      { entra: on, more: { azurerm_user_assigned_identity: {} } },
      "unknown",
      "not among what was read",
    ],
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
    [
      "at another cluster, where the cluster is looked up",
      { role: { scope: `${CLUSTER}2` } },
      "unknown",
      open,
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

describe("a role of a cluster that was not read", () => {
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

  it("is none where the cluster was read after all, and takes no roles of Azure", () => {
    const asked = elsewhere("https://aksc-0a1b2c3d.hcp.westeurope.azmk8s.io");
    expect(read({ asked, entra: on })[1]).toBe("pass");
    expect(read({ asked, entra: { azure_rbac_enabled: false } })[1]).toBe("unknown");
  });
});
