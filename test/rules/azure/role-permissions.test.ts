import { expect, it } from "vitest";
import { type Ternary, known, unread } from "../../../lib/model/known";
import { type Operations, builtInRole, builtInRoleOfId, permits } from "../../../lib/rules/azure/roles";

const late = unread("x");
const list = (...texts: readonly (string | undefined)[]): Operations =>
  known(texts.map((text) => (text === undefined ? late : known(text))));

// Source: learn.microsoft.com, "Understand Azure role definitions".
it.each<[string, Operations, Operations, Ternary]>([
  ["the operation", list("Microsoft.A/b/read"), list(), "yes"],
  ["in other letters", list("microsoft.a/B/READ"), list(), "yes"],
  ["by a pattern", list("Microsoft.A/*/read"), list(), "yes"],
  ["another", list("Microsoft.A/b/write"), list(), "no"],
  ["taken away", list("*"), list("Microsoft.A/*"), "no"],
  ["beside a late one", list("*", undefined), list(), "yes"],
  ["a late one alone", list(undefined), list(), "unknown"],
  ["a late one taken away", list("*"), list(undefined), "unknown"],
  ["another and a late one taken away", list("Microsoft.B/*"), list(undefined), "no"],
  ["a late list", late, list(), "unknown"],
])("%s", (_, dataActions, notDataActions, outcome) => {
  const block = { actions: list(), notActions: list(), dataActions, notDataActions };
  expect(permits([block], "Microsoft.A/b/read", "dataActions")).toBe(outcome);
  expect(permits([block], "Microsoft.A/b/read", "actions")).toBe("no");
  expect(
    permits([block, { ...block, dataActions: list("*"), notDataActions: list() }], "x/y", "dataActions"),
  ).toBe("yes");
});

it("built-in roles are found by name and id in any letter case", () => {
  expect(builtInRole("acrpull")?.pulls).toBe("LegacyRegistryPermissions");
  expect(builtInRole("Acr Pull")).toBeUndefined();
  const id =
    "/subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/B93AA761-3E63-49ED-AC28-BEFFA264F7AC";
  expect(builtInRoleOfId(id)?.name).toBe("Container Registry Repository Reader");
});

// Source: learn.microsoft.com/azure/aks/manage-azure-rbac: only these have data actions of the Kubernetes API.
it.each([
  ["Azure Kubernetes Service RBAC Writer", true],
  ["Azure Kubernetes Service Cluster Admin Role", false],
  ["Key Vault Reader", false],
])("%s at the Kubernetes API: %s", (name, allows) => {
  expect(builtInRole(name)?.kubernetes).toBe(allows);
});
