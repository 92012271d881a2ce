import { describe, expect, it } from "vitest";
import { type AksRoleGrant, aksAssignments } from "../../../lib/rules/azure/spoke";
import { refusal } from "../../support/refusal";

const ID =
  "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/spokes/providers/Microsoft.ContainerService/managedClusters/spoke-b";
const CUSTOM =
  "/subscriptions/11111111-2222-3333-4444-555555555555/providers/Microsoft.Authorization/roleDefinitions/aaaaaaaa-2222-3333-4444-555555555555";
const LATE = "${TfToken[TOKEN.1]}";
const WRITER = "Azure Kubernetes Service RBAC Writer";

describe("aksAssignments", () => {
  // "Use Microsoft Entra ID and Azure RBAC for Kubernetes authorization", table of built-in roles.
  it.each<readonly [string, string]>([
    ["Azure Kubernetes Service RBAC Admin", "Admin"],
    ["Azure Kubernetes Service RBAC Cluster Admin", "ClusterAdmin"],
    ["Azure Kubernetes Service RBAC Reader", "Reader"],
    [WRITER, "Writer"],
    [CUSTOM, "aaaaaaaa-2222-3333-4444-555555555555"],
    [LATE, "Role0"],
  ])("knows role %s as %s", (role, key) => {
    expect(aksAssignments(ID, [{ role }])).toEqual([{ key, role, scope: ID }]);
  });

  it("limits a role to namespaces, each once", () => {
    const role = WRITER;
    expect(aksAssignments(ID, [{ role, namespaces: ["web", "shop", "web"] }])).toEqual([
      { key: "Writer_shop", role, scope: `${ID}/namespaces/shop` },
      { key: "Writer_web", role, scope: `${ID}/namespaces/web` },
    ]);
  });

  it("writes a namespace behind a late id", () => {
    expect(aksAssignments(LATE, [{ role: WRITER, namespaces: ["shop"] }])).toEqual([
      { key: "Writer_shop", role: WRITER, scope: `${LATE}/namespaces/shop` },
    ]);
  });

  it.each<readonly [string, string, AksRoleGrant]>([
    // Lists credentials alone, and is the first that a search finds.
    [
      "azure-unknown: the role is not known to allow anything within an AKS",
      ID,
      { role: "Azure Kubernetes Service Cluster User Role" },
    ],
    ["azure-unknown: the role is not known to allow anything within an AKS", ID, { role: "Owner" }],
    ["azure-missing: empty list of namespaces", ID, { role: WRITER, namespaces: [] }],
    ["identities-invalid", ID, { role: WRITER, namespaces: ["a/b"] }],
    ["azure-invalid: role is neither a name", ID, { role: "/subscriptions/x" }],
    ["azure-invalid: resource id of", "spoke-b", { role: WRITER }],
    ["azure-invalid: resource id of", ID.replace("managedClusters", "managedclusters"), { role: WRITER }],
  ])("refuses with %s", (code, id, grant) => {
    expect(() => aksAssignments(id, [grant])).toThrowError(refusal(code));
  });
});
