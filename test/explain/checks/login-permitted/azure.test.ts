/*
 * Which role assignments let an identity log in: scopes, roles, groups, and the mode of the registry.
 * Source: learn.microsoft.com, "Understand scope for Azure RBAC", "Azure built-in roles for Containers" and "Azure
 * Container Registry permissions and role assignments".
 */

import {
  ASSIGNMENT,
  IDENTITIES,
  OTHER,
  OWN,
  REGISTRY,
  SUBSCRIPTION,
  application,
  assignment,
  call,
  lookedUp,
} from "../../../fixtures/explain/azure";
import { type Damage, checks, damaged } from "../../../fixtures/explain/checks";
import {
  type Change,
  type Configuration,
  added,
  argument,
  configured,
  only,
  provider,
  without,
} from "../../../fixtures/explain/configuration";
import { acr } from "../../../fixtures/explain/three-clouds";

const ID = "login-permitted";
const PRINCIPAL = `\${${OWN}.principal_id}`;
const REPOSITORIES = "Microsoft.ContainerRegistry/registries/repositories";
const READS = [`${REPOSITORIES}/content/read`, `${REPOSITORIES}/metadata/read`];
const MAY = "a role assignment may cover the registry";
const NONE = "the identity has no role on the registry acmeshop";
const GROUP = "/providers/Microsoft.Management/managementGroups/acme";
const IGNORES = "the registry acmeshop is in mode AbacRepositoryPermissions, which ignores";
const scope = (text: string) => assignment({ scope: text });
const registry: Change = added("azurerm_container_registry", {
  name: "acmeshop",
  resource_group_name: "images",
});
/** A role at a scope, where the registry is declared. */
const at = (text: string, ...more: readonly Change[]): Damage =>
  configured(registry, argument(ASSIGNMENT, { scope: text }), ...more);
const images = `${SUBSCRIPTION}/resourceGroups/images`;
const data =
  (type: string, values: Record<string, unknown>): Change =>
  (all) =>
    void (all.data = { [type]: { d: values } });

checks(ID, "scopes", acr, [
  ["the registry", [], "pass"],
  [
    "another registry",
    scope(REGISTRY.replace("acmeshop", "acmeother")),
    "fail",
    `${NONE}; it is Container Registry Repository Reader on `,
    { log: "Www-Authenticate: auth url … responded with status code 401" },
  ],
  ["a management group", scope(GROUP), "unknown", MAY],
  ["all of the tenant", scope("/"), "unknown", MAY],
  ["a subscription", scope(SUBSCRIPTION), "unknown", MAY],
  [
    "a registry of another service",
    scope(
      "/subscriptions/s/resourceGroups/g/providers/Microsoft.MachineLearningServices/registries/acmeshop",
    ),
    "fail",
    NONE,
  ],
  ["one known only after apply", scope("${var.s}"), "unknown", MAY],
  [
    "another registry at the end of a late one",
    scope(REGISTRY.replace("acmeshop", "other").replace(/0b1f[^/]+/, "${var.s}")),
    "fail",
    NONE,
  ],
  ["no assignment", configured(without(ASSIGNMENT)), "fail", NONE],
]);

checks(ID, "scopes above a registry that is declared", acr, [
  ["its group", at(images.replace("images", "Images")), "pass"],
  [
    "its group, by reference",
    at("${azurerm_resource_group.added.id}", added("azurerm_resource_group", { name: "images" })),
    "pass",
  ],
  ["another group", at(images.slice(0, -1)), "fail", NONE],
  // azurerm, internal/resourceproviders: an id begins with a slash, and none of its names is empty.
  ["its group, without the first slash", at(images.slice(1)), "fail", NONE],
  ["its group, with a slash twice", at(images.replace("/resource", "//resource")), "fail", NONE],
  ["its group, with a last slash", at(`${images}/`), "pass"],
  ["its subscription", at(SUBSCRIPTION), "pass"],
  [
    "its subscription, by reference",
    at("${data.azurerm_subscription.d.id}", data("azurerm_subscription", {})),
    "pass",
  ],
  [
    "its group, by the provider's subscription",
    at(
      "/subscriptions/${data.azurerm_client_config.d.subscription_id}/resourceGroups/images",
      data("azurerm_client_config", {}),
    ),
    "pass",
  ],
  ["another subscription", at(`/subscriptions/${OTHER}`), "fail", NONE],
  ["a management group", at(GROUP), "unknown", MAY],
  ...[SUBSCRIPTION.slice("/subscriptions/".length), OTHER].map(
    (id) =>
      [
        `a management group with the subscription ${id}`,
        at(GROUP, added("azurerm_management_group", { name: "acme", subscription_ids: [id] })),
        "unknown",
        MAY,
      ] as const,
  ),
  [
    "a storage account",
    at("${azurerm_storage_account.added.id}", added("azurerm_storage_account", { name: "x" })),
    "unknown",
    MAY,
  ],
  [
    "a key vault whose name is late",
    at("${azurerm_key_vault.added.id}", added("azurerm_key_vault", { name: "${var.v}" })),
    "unknown",
    MAY,
  ],
  [
    "its group, of a provider that says no subscription",
    at(
      "${azurerm_resource_group.added.id}",
      added("azurerm_resource_group", { name: "images" }),
      provider("azurerm", { subscription_id: undefined }),
    ),
    "pass",
  ],
  [
    "its literal group, of a provider that says no subscription",
    at(images, provider("azurerm", { subscription_id: undefined })),
    "unknown",
    MAY,
  ],
]);

/** The assignment names its role by an id. */
const byId = (id: string, ...more: readonly Change[]): Damage =>
  configured(argument(ASSIGNMENT, { role_definition_name: undefined, role_definition_id: id }), ...more);
const ROLE = "azurerm_role_definition";
const custom = (permissions: unknown, more: object = {}): Change =>
  added(ROLE, { name: "puller", scope: "/", permissions: [permissions], ...more });
const byCustom = (permissions: unknown, more?: object): Damage =>
  byId(`\${${ROLE}.added.role_definition_resource_id}`, custom(permissions, more));
const byLookedUp = (values: Record<string, unknown>, ...more: readonly Change[]): Damage =>
  byId(`\${data.${ROLE}.d.id}`, data(ROLE, values), ...more);

checks(ID, "roles", acr, [
  ["one known only after apply", assignment({ role_definition_name: "${var.r}" }), "unknown", MAY],
  [
    "one that may not pull",
    assignment({ role_definition_name: "Storage Blob Data Reader" }),
    "fail",
    `${NONE} that permits pulls; it is Storage Blob Data Reader there`,
  ],
  ["a built-in one that is looked up", byLookedUp({ name: "Container Registry Repository Reader" }), "pass"],
  ["the same by its id", byLookedUp({ role_definition_id: "b93aa761-3e63-49ed-ac28-beffa264f7ac" }), "pass"],
  ["another built-in one that is looked up", byLookedUp({ name: "AcrPull" }), "fail", `${IGNORES} AcrPull`],
  ["a custom one", byCustom({ data_actions: READS }), "pass"],
  ["a custom one by a pattern", byCustom({ data_actions: [`${REPOSITORIES}/*`] }), "pass"],
  [
    "a custom one with one of two data actions",
    byCustom({ data_actions: READS.slice(0, 1) }),
    "unknown",
    MAY,
  ],
  ["a custom one whose blocks an expression makes", byCustom("${local.permissions}"), "unknown", MAY],
  ["a custom one of an expression", byCustom({ data_actions: "${var.a}" }), "unknown", MAY],
  [
    "a custom one that is declared, looked up by its name",
    byLookedUp({ name: "puller" }, custom({ data_actions: READS })),
    "pass",
  ],
  [
    "a custom one by its name",
    configured(
      custom({ data_actions: READS }),
      argument(ASSIGNMENT, { role_definition_name: `\${${ROLE}.added.name}` }),
    ),
    "pass",
  ],
  [
    "a custom one that may not be assigned there",
    byCustom({ data_actions: READS }, { assignable_scopes: [`/subscriptions/${OTHER}`] }),
    "unknown",
    MAY,
  ],
  [
    "a custom one for the other mode",
    byCustom({ actions: ["Microsoft.ContainerRegistry/registries/pull/read"] }),
    "fail",
    `${IGNORES} puller`,
  ],
  ["a custom one that may not pull", byCustom({ actions: ["Microsoft.Compute/*"] }), "fail", NONE],
  ["a custom one less the pull", byCustom({ data_actions: READS, not_data_actions: READS }), "fail", NONE],
  [
    "one that is not read, elsewhere",
    configured(
      registry,
      argument(ASSIGNMENT, { scope: `/subscriptions/${OTHER}`, role_definition_name: "Acme puller" }),
    ),
    "fail",
    NONE,
  ],
  ["whether it is there, which a count decides", assignment({ count: "${var.n}" }), "unknown", MAY],
]);

/** The assignment is a group's. */
const group = (values: object, members: Configuration["resource"][string], principal_type?: string): Damage =>
  configured(
    argument(ASSIGNMENT, { principal_id: "${azuread_group.added.object_id}", principal_type }),
    added("azuread_group", { display_name: "pullers", ...values }),
    ({ resource }) => void (resource["azuread_group_member"] = members),
  );
const member = (id: string, of = "${azuread_group.added.object_id}"): Record<string, unknown> => ({
  group_object_id: of,
  member_object_id: id,
});
const GROUPS = "${data.azuread_group.d.object_id}";
const lookedUpGroup = data("azuread_group", { display_name: "pullers" });
const FOUND = `\${data.${IDENTITIES}.d.principal_id}`;
const renamed: Change = (all) => {
  const [[name, first] = ["", {}]] = Object.entries(all.resource[IDENTITIES] ?? {});
  all.resource[IDENTITIES] = { [name]: first, [name.toUpperCase()]: { ...first, name: "another" } };
};
/** The assignment is declared otherwise. */
const instead = (type: string, of: (values: Record<string, unknown>) => Record<string, unknown>): Damage =>
  configured((all) => {
    const values = of(only(all, ASSIGNMENT));
    delete all.resource[ASSIGNMENT];
    all.resource[type] = { x: values };
  });
const pim = (role_definition_id: string) =>
  instead("azurerm_pim_active_role_assignment", () => ({
    scope: SUBSCRIPTION,
    principal_id: PRINCIPAL,
    role_definition_id,
  }));
const ROLES = "/providers/Microsoft.Authorization/roleDefinitions";
const azapi = (principalId: string) =>
  instead("azapi_resource", (values) => ({
    type: "Microsoft.Authorization/roleAssignments@2022-04-01",
    parent_id: values["scope"],
    body: { properties: { principalId, roleDefinitionId: "x" } },
  }));

const BY_AZAPI = "azapi_resource.x, which is not read, may change it";

checks(ID, "principals", acr, [
  ["one known only after apply", assignment({ principal_id: "${var.p}" }), "unknown", MAY],
  ["a group with the identity", group({}, { m: member(PRINCIPAL) }), "pass"],
  ["a group that lists it", group({ members: [PRINCIPAL] }, {}, "Group"), "pass"],
  ["a group in a group", group({}, { m: member(PRINCIPAL, OTHER), n: member(OTHER) }), "pass"],
  ["a group of others", group({}, { m: member(OTHER) }), "fail", NONE],
  ["a group of whoever a variable says", group({ members: "${var.members}" }, {}), "unknown", MAY],
  ["a group with a rule", group({ dynamic_membership: { enabled: true, rule: "x" } }, {}), "unknown", MAY],
  // UnmatchedPrincipalType at apply.
  ["a group that is taken for a user", group({}, { m: member(PRINCIPAL) }, "User"), "unknown", MAY],
  ["an identity that is taken for a user", assignment({ principal_type: "User" }), "unknown", MAY],
  [
    "a group that is looked up",
    configured(argument(ASSIGNMENT, { principal_id: GROUPS }), lookedUpGroup),
    "unknown",
    MAY,
  ],
  [
    "a group that is looked up, on something else",
    configured(
      argument(ASSIGNMENT, { principal_id: GROUPS, scope: REGISTRY.replace("acmeshop", "other") }),
      lookedUpGroup,
    ),
    "fail",
    NONE,
  ],
  [
    "the identity, looked up by its name",
    configured(
      (all) => {
        const { name, resource_group_name } = only(all, IDENTITIES);
        data(IDENTITIES, { name, resource_group_name })(all);
      },
      argument(ASSIGNMENT, { principal_id: FOUND }),
    ),
    "pass",
  ],
  [
    "another identity, looked up",
    configured(
      data(IDENTITIES, { name: "other", resource_group_name: "x" }),
      argument(ASSIGNMENT, { principal_id: FOUND }),
    ),
    "fail",
    NONE,
  ],
  [
    "another identity, whose name differs in case",
    configured(renamed, (all) => {
      const [, name = ""] = Object.keys(all.resource[IDENTITIES] ?? {});
      argument(ASSIGNMENT, { principal_id: `\${${IDENTITIES}.${name}.principal_id}` })(all);
    }),
    "fail",
    NONE,
  ],
  ["an identity that is only looked up, with its role here", lookedUp, "pass"],
  [
    "an identity that is only looked up, with roles elsewhere",
    (files) => configured(without(ASSIGNMENT))(damaged(files, lookedUp)),
    "unknown",
    "only looked up",
  ],
  ["by PIM", pim(`\${data.${ROLE}.p.id}`), "unknown", MAY],
  [
    "by PIM, with a role that lets no one pull",
    (files) => damaged(configured(registry)(files), pim(`${ROLES}/b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b`)),
    "fail",
    NONE,
  ],
  ["an application without service principal", application({ without: "azuread_service_principal" }), "fail"],
  ["an application without assignment", application({ without: ASSIGNMENT }), "fail"],
  ["by azapi", azapi(PRINCIPAL), "unknown", BY_AZAPI],
  ["by azapi, of someone", azapi("${var.principal}"), "unknown", BY_AZAPI],
  ["by azapi, of another", azapi(OTHER), "unknown", BY_AZAPI],
]);

const environment = (values: object) => configured(provider("azurerm", values));
const LATE = `whether ${OWN} is in the cloud of`;
const GIVEN = "a module, which explain does not follow, is given";
checks(ID, "what else may decide", acr, [
  [
    "an identity of another cloud",
    environment({ environment: "usgovernment" }),
    "fail",
    `${OWN} is in AzureUSGovernmentCloud`,
  ],
  ["a cloud known only after apply", environment({ environment: "${var.e}" }), "unknown", LATE],
  ["a host that says the cloud", environment({ metadata_host: "m.example" }), "unknown", LATE],
  [
    "a module that is given the registry by its id",
    configured(call({ x: REGISTRY.toUpperCase() })),
    "unknown",
    `${GIVEN} the registry`,
  ],
  [
    "a module that is given the registry by its host",
    configured(call({ x: "https://acmeshop.azurecr.io" })),
    "unknown",
  ],
  [
    "a module that is given something else, where no role is declared",
    configured(without(ASSIGNMENT), call({ x: "y" })),
    "fail",
    NONE,
  ],
]);
