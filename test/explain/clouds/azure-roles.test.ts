/*
 * Which role assignments let an identity pull: scopes, conditions, custom roles, groups. Source: learn.microsoft.com,
 * "Understand scope for Azure RBAC", "Azure built-in roles for Containers" and "Azure Container Registry permissions".
 */

import { expect, it } from "vitest";
import type { Edit } from "../../fixtures/explain/artefacts";
import { type Change, type Configuration, firstOpen, only } from "../../fixtures/explain/azure-pulls";

const ASSIGNMENT = "azurerm_role_assignment";
const PRINCIPAL = "${azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B.principal_id}";
const REPOSITORIES = "Microsoft.ContainerRegistry/registries/repositories";
const READS = [`${REPOSITORIES}/content/read`, `${REPOSITORIES}/metadata/read`];
const MAY = "unknown login-permitted: a role assignment may cover the registry";
const NONE = "fail login-permitted: the identity has no role on the registry acmeshop";
const LEGACY: Edit = ["workload-identity.json", "AbacRepositoryPermissions", "LegacyRegistryPermissions"];

const scope =
  (to: string): Change =>
  (all) =>
    void (only(all, ASSIGNMENT)["scope"] = to);
const condition =
  (from: string, to: string, role?: string): Change =>
  (all) => {
    const assignment = only(all, ASSIGNMENT);
    assignment["condition"] = String(assignment["condition"]).replace(from, to);
    if (role !== undefined) assignment["role_definition_name"] = role;
  };
/** The assignment names its role by an id. */
const byId =
  (id: string, more: Partial<Configuration>): Change =>
  (all) => {
    const assignment = only(all, ASSIGNMENT);
    delete assignment["role_definition_name"];
    assignment["role_definition_id"] = id;
    all.data = more.data ?? {};
    Object.assign(all.resource, more.resource);
  };
const custom = (permissions: object): Change =>
  byId("${azurerm_role_definition.p.role_definition_resource_id}", {
    resource: { azurerm_role_definition: { p: { name: "puller", scope: "/", permissions: [permissions] } } },
  });
const lookedUp = (values: Record<string, unknown>): Change =>
  byId("${data.azurerm_role_definition.p.id}", { data: { azurerm_role_definition: { p: values } } });
/** The assignment is a group's. */
const group =
  (values: object, members: Record<string, Record<string, unknown>>, type?: string): Change =>
  (all) => {
    const assignment = only(all, ASSIGNMENT);
    assignment["principal_id"] = "${azuread_group.g.object_id}";
    delete assignment["principal_type"];
    if (type !== undefined) assignment["principal_type"] = type;
    all.resource["azuread_group"] = { g: { display_name: "pullers", ...values } };
    all.resource["azuread_group_member"] = members;
  };
const member = (id: string, of = "${azuread_group.g.object_id}"): Record<string, unknown> => ({
  group_object_id: of,
  member_object_id: id,
});
/** The assignment is declared otherwise. */
const instead =
  (type: string, of: (assignment: Record<string, unknown>) => Record<string, unknown>): Change =>
  (all) => {
    const assignment = only(all, ASSIGNMENT);
    delete all.resource[ASSIGNMENT];
    all.resource[type] = { x: of(assignment) };
  };
const azapi = (principal: string): Change =>
  instead("azapi_resource", (assignment) => ({
    type: "Microsoft.Authorization/roleAssignments@2022-04-01",
    parent_id: assignment["scope"],
    body: { properties: { principalId: principal, roleDefinitionId: "x" } },
  }));

it.each<[why: string, change: Change, outcome: string, edits?: readonly Edit[]]>([
  ["as synthesized", () => undefined, "allowed"],
  ["a management group", scope("/providers/Microsoft.Management/managementGroups/acme"), MAY],
  ["all of the tenant", scope("/"), MAY],
  ["a subscription", scope("/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590"), MAY],
  [
    "a registry of another service",
    scope(
      "/subscriptions/s/resourceGroups/g/providers/Microsoft.MachineLearningServices/registries/acmeshop",
    ),
    NONE,
  ],
  ["a prefix without slash", condition("models/", "model"), "allowed"],
  [
    "a prefix of others",
    condition("models/", "modelx"),
    "fail repository-permitted: the condition of the role assignment covers modelx*, not models/llm",
  ],
  [
    "white space within a value",
    condition("models/", "mo dels/"),
    "fail repository-permitted: the condition of the role assignment covers mo dels/*, not models/llm",
  ],
  [
    "a condition of a role without data actions",
    condition("models/", "other/", "AcrPull"),
    "unknown repository-permitted: what the condition of the role assignment limits",
    [LEGACY],
  ],
  [
    "the same where it covers the repository",
    condition("models/", "models/", "AcrPull"),
    "allowed",
    [LEGACY],
  ],
  [
    "a condition that leaves it out beside an assignment above",
    (all) => {
      const assignment = only(all, ASSIGNMENT);
      all.resource[ASSIGNMENT] = {
        a: { ...assignment, condition: String(assignment["condition"]).replace("models/", "other/") },
        b: { ...assignment, condition: undefined, scope: "/" },
      };
    },
    "unknown repository-permitted: a role assignment may cover the registry",
  ],
  [
    "a built-in role that is looked up",
    lookedUp({ name: "Container Registry Repository Reader" }),
    "allowed",
  ],
  ["the same by its id", lookedUp({ role_definition_id: "b93aa761-3e63-49ed-ac28-beffa264f7ac" }), "allowed"],
  [
    "another built-in role that is looked up",
    lookedUp({ name: "AcrPull" }),
    "fail login-permitted: the registry acmeshop is in mode AbacRepositoryPermissions, which ignores AcrPull",
  ],
  ["a custom role", custom({ data_actions: READS }), "allowed"],
  ["a custom role by a pattern", custom({ data_actions: [`${REPOSITORIES}/*`] }), "allowed"],
  ["a custom role with one of two data actions", custom({ data_actions: READS.slice(0, 1) }), MAY],
  [
    "a custom role whose blocks an expression makes",
    (all) => {
      custom({})(all);
      only(all, "azurerm_role_definition")["permissions"] = ["${local.permissions}"];
    },
    MAY,
  ],
  [
    "a custom role that is declared, looked up by its name",
    (all) => {
      custom({ data_actions: READS })(all);
      all.data = { azurerm_role_definition: { p: { name: "puller" } } };
      only(all, ASSIGNMENT)["role_definition_id"] = "${data.azurerm_role_definition.p.id}";
    },
    "allowed",
  ],
  [
    "a custom role by its name",
    (all) => {
      custom({ data_actions: READS })(all);
      delete only(all, ASSIGNMENT)["role_definition_id"];
      only(all, ASSIGNMENT)["role_definition_name"] = "${azurerm_role_definition.p.name}";
    },
    "allowed",
  ],
  [
    "a custom role that may not be assigned there",
    (all) => {
      custom({ data_actions: READS })(all);
      const elsewhere = "/subscriptions/11111111-2222-3333-4444-555555555555";
      only(all, "azurerm_role_definition")["assignable_scopes"] = [elsewhere];
    },
    MAY,
  ],
  ["a custom role of an expression", custom({ data_actions: "${var.a}" }), MAY],
  [
    "a custom role for the other mode",
    custom({ actions: ["Microsoft.ContainerRegistry/registries/pull/read"] }),
    "fail login-permitted: the registry acmeshop is in mode AbacRepositoryPermissions, which ignores puller",
  ],
  ["a custom role that may not pull", custom({ actions: ["Microsoft.Compute/*"] }), NONE],
  ["a custom role less the pull", custom({ data_actions: READS, not_data_actions: READS }), NONE],
  ["a group with the identity", group({}, { m: member(PRINCIPAL) }), "allowed"],
  ["a group that lists it", group({ members: [PRINCIPAL] }, {}, "Group"), "allowed"],
  [
    "a group in a group",
    group(
      {},
      {
        m: member(PRINCIPAL, "11111111-2222-3333-4444-555555555555"),
        n: member("11111111-2222-3333-4444-555555555555"),
      },
    ),
    "allowed",
  ],
  ["a group of others", group({}, { m: member("11111111-2222-3333-4444-555555555555") }), NONE],
  ["a group of whoever a variable says", group({ members: "${var.members}" }, {}), MAY],
  ["a group with a rule", group({ dynamic_membership: { enabled: true, rule: "x" } }, {}), MAY],
  ["a group that is taken for a user", group({}, { m: member(PRINCIPAL) }, "User"), MAY],
  [
    "a group that is looked up",
    (all) => {
      only(all, ASSIGNMENT)["principal_id"] = "${data.azuread_group.g.object_id}";
      all.data = { azuread_group: { g: { display_name: "pullers" } } };
    },
    MAY,
  ],
  [
    "a group that is looked up, on something else",
    (all) => {
      const assignment = only(all, ASSIGNMENT);
      const other = String(assignment["scope"]).replace("acmeshop", "other");
      Object.assign(assignment, { scope: other, principal_id: "${data.azuread_group.g.object_id}" });
      all.data = { azuread_group: { g: { display_name: "pullers" } } };
    },
    NONE,
  ],
  [
    "the identity, looked up by its name",
    (all) => {
      const { name, resource_group_name } = only(all, "azurerm_user_assigned_identity");
      all.data = { azurerm_user_assigned_identity: { d: { name, resource_group_name } } };
      only(all, ASSIGNMENT)["principal_id"] = "${data.azurerm_user_assigned_identity.d.principal_id}";
    },
    "allowed",
  ],
  [
    "another identity, looked up",
    (all) => {
      all.data = { azurerm_user_assigned_identity: { d: { name: "other", resource_group_name: "x" } } };
      only(all, ASSIGNMENT)["principal_id"] = "${data.azurerm_user_assigned_identity.d.principal_id}";
    },
    NONE,
  ],
  // UnmatchedPrincipalType at apply.
  [
    "an identity that is taken for a user",
    (all) => void (only(all, ASSIGNMENT)["principal_type"] = "User"),
    MAY,
  ],
  [
    "one of PIM",
    instead("azurerm_pim_active_role_assignment", ({ scope: at }) => ({
      scope: at,
      principal_id: PRINCIPAL,
      role_definition_id: "${data.azurerm_role_definition.p.id}",
    })),
    MAY,
  ],
  ["one of azapi", azapi(PRINCIPAL), MAY],
  ["one of azapi of someone", azapi("${var.principal}"), MAY],
  ["one of azapi of another", azapi("11111111-2222-3333-4444-555555555555"), MAY],
  [
    "an identity of another cloud",
    ({ provider }) => {
      for (const each of provider["azurerm"] ?? []) each["environment"] = "usgovernment";
    },
    "fail login-permitted: azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B is in AzureUSGovernmentCloud",
  ],
])("%s", (_, change, outcome, edits = []) => {
  const open = firstOpen(change, { edits });
  expect(open.slice(0, outcome.length)).toBe(outcome);
});

it.each<[string, Change, string]>([
  [
    "on the registry, without the action",
    condition("", "", "Storage Blob Data Reader"),
    `${NONE} that permits pulls; it is Storage Blob Data Reader there`,
  ],
  [
    "on another registry",
    (all) => scope(String(only(all, ASSIGNMENT)["scope"]).replace("acmeshop", "acmeother"))(all),
    `${NONE}; it is Container Registry Repository Reader on `,
  ],
])("the role that almost fits is named: %s", (_, change, outcome) => {
  expect(firstOpen(change).slice(0, outcome.length)).toBe(outcome);
});
