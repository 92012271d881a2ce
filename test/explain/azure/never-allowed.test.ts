/*
 * What Azure would refuse, or what cannot be determined, is never allowed; and what is certain is not left open. Each row changes
 * the artefacts of a pull from ACR that is allowed.
 */

import { describe, expect, it } from "vitest";
import type { Edit } from "../../fixtures/explain/artefacts";
import { type Change, firstOpen, only } from "../../fixtures/explain/azure-pulls";

const IDENTITY = "azurerm_user_assigned_identity";
const CREDENTIAL = "azurerm_federated_identity_credential";
const ASSIGNMENT = "azurerm_role_assignment";
const NAME = "pulls_azure_shop_web_F848252B";
const OWN = `${IDENTITY}.${NAME}`;
const SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
const REGISTRY = `${SUBSCRIPTION}/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop`;
const OTHER = "11111111-2222-4333-8444-555555555555";
const ABAC = "AbacRepositoryPermissions";
const REQUEST = "@Request[Microsoft.ContainerRegistry/registries/repositories:name]";
const NONE = "fail login-permitted: the identity has no role on the registry acmeshop";
const MAY = "unknown login-permitted: a role assignment may cover the registry";

const set =
  (type: string, values: object): Change =>
  (all) =>
    void Object.assign(only(all, type), values);
const add =
  (type: string, values: object): Change =>
  (all) =>
    void (all.resource[type] = { ...all.resource[type], added: { ...values } });
const both =
  (...changes: readonly Change[]): Change =>
  (all) =>
    changes.forEach((change) => change(all));
const provider =
  (values: object): Change =>
  (all) =>
    all.provider["azurerm"]?.forEach((each) => void Object.assign(each, values));
const condition = (expression: string): Change =>
  set(ASSIGNMENT, {
    condition: `((!(ActionMatches{'Microsoft.ContainerRegistry/registries/repositories/content/read'}) AND !(ActionMatches{'Microsoft.ContainerRegistry/registries/repositories/metadata/read'})) OR (${expression}))`,
  });
const names = (operator: string, value: string): Change => condition(`${REQUEST} ${operator} ${value}`);

type Row = [what: string, change: Change, outcome: string, edits?: readonly Edit[], image?: string];

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    it.each<Row>(rows)("%s", (_, change, outcome, edits = [], image = undefined) => {
      const open = firstOpen(change, { edits, ...(image !== undefined && { image }) });
      expect(open.slice(0, outcome.length)).toBe(outcome);
    });
  });
}

const BASE = "acmeshop.azurecr.io/base/*";
const NOT_ALL = "fail repository-permitted: the condition of the role assignment covers";

table("a declared pattern is judged as a set", [
  ["a prefix that covers it", names("StringStartsWith", "'base/'"), "allowed", [], BASE],
  ["a prefix of some", names("StringStartsWith", "'base/a'"), NOT_ALL, [], BASE],
  ["one name", names("StringEquals", "'base/a'"), NOT_ALL, [], BASE],
  ["all but one", names("StringNotEquals", "'base/a'"), "unknown repository-permitted", [], BASE],
  [
    "two prefixes that cover it together, but for names that begin otherwise",
    condition(
      `${REQUEST} StringStartsWithIgnoreCase 'base/a' OR ${REQUEST} StringStartsWithIgnoreCase 'base/b'`,
    ),
    NOT_ALL,
    [],
    BASE,
  ],
  [
    "a prefix or everything else",
    condition(`${REQUEST} StringStartsWith 'base/a' OR ${REQUEST} StringNotStartsWith 'base/a'`),
    "unknown repository-permitted",
    [],
    BASE,
  ],
  [
    "another assignment for the rest",
    both(names("StringStartsWith", "'base/a'"), (all) => {
      const first = only(all, ASSIGNMENT);
      all.resource[ASSIGNMENT] = {
        a: first,
        b: {
          ...first,
          condition: String(first["condition"]).replace("StringStartsWith", "StringNotStartsWith"),
        },
      };
    }),
    "unknown repository-permitted",
    [],
    BASE,
  ],
  [
    "a value known only after apply",
    names("StringStartsWith", "'${var.team}/'"),
    "unknown repository",
    [],
    BASE,
  ],
  [
    "a value that begins as none of them does",
    names("StringStartsWith", "'team-${var.team}/'"),
    "unknown repository-permitted",
    [],
    BASE,
  ],
  [
    "a scope map, which is for tokens of the registry's own",
    both(
      names("StringStartsWith", "'base/a'"),
      add("azurerm_container_registry_scope_map", { actions: ["repositories/base/content/read"] }),
    ),
    NOT_ALL,
    [],
    BASE,
  ],
]);

table("letter case as Azure compares it", [
  ["a value in capitals, case does not count", names("StringEqualsIgnoreCase", "'MODELS/LLM'"), "allowed"],
  ["a value in capitals, case counts", names("StringEquals", "'MODELS/LLM'"), "fail repository-permitted"],
  ["a prefix in capitals, case counts", names("StringStartsWith", "'Models/'"), "fail repository-permitted"],
  [
    "any of several",
    names("ForAnyOfAnyValues:StringEquals", "{'a', 'models/llm'}"),
    "unknown repository-permitted",
  ],
  [
    "all of several",
    names("ForAllOfAllValues:StringEquals", "{'a', 'models/llm'}"),
    "unknown repository-permitted",
  ],
  [
    "another attribute",
    condition("@Environment[UtcNow] DateTimeLessThan '2030-01-01'"),
    "unknown repository",
  ],
  [
    "and with or on one level",
    condition(
      `${REQUEST} StringEquals 'a' OR ${REQUEST} StringEquals 'models/llm' AND ${REQUEST} StringEquals 'b'`,
    ),
    "unknown repository",
  ],
  [
    "another action only",
    set(ASSIGNMENT, {
      condition: `((!(ActionMatches{'Microsoft.ContainerRegistry/registries/repositories/content/write'})) OR (${REQUEST} StringEquals 'a'))`,
    }),
    "unknown repository-permitted",
  ],
  [
    "one of the two actions",
    set(ASSIGNMENT, {
      condition: `((!(ActionMatches{'Microsoft.ContainerRegistry/registries/repositories/metadata/read'})) OR (${REQUEST} StringEquals 'a'))`,
    }),
    "unknown repository-permitted",
  ],
]);

const call =
  (values: object): Change =>
  (all) =>
    void Object.assign(all, { module: { m: { source: "./m", ...values } } });
const GIVEN = "a module, which explain does not follow, is given";
const withoutRole: Change = (all) => void delete all.resource[ASSIGNMENT];

table("what a module is given it may change", [
  ["nothing of the chain", call({ x: "y" }), "allowed"],
  ["the identity", call({ x: `\${${OWN}.principal_id}` }), `unknown subject-admitted: ${GIVEN} ${OWN}`],
  ["the identity, in a list in an object", call({ x: [{ y: `\${${OWN}.id}` }] }), "unknown subject-admitted"],
  [
    "the registry, by its id",
    call({ x: REGISTRY.toUpperCase() }),
    `unknown login-permitted: ${GIVEN} the registry`,
  ],
  ["the registry, by its host", call({ x: "https://acmeshop.azurecr.io" }), "unknown login-permitted"],
  [
    "the identity, and no role is declared",
    both(withoutRole, call({ x: `\${${OWN}.id}` })),
    "unknown subject",
  ],
  ["something else, and no role is declared", both(withoutRole, call({ x: "y" })), NONE],
]);

const LATE_CLOUD = `unknown login-permitted: whether ${OWN} is in the cloud of`;

table("what is not known is not equal", [
  ["the tenant of the provider", provider({ tenant_id: "${var.t}" }), "unknown annotations-present"],
  ["a domain of the tenant", provider({ tenant_id: "acme.example" }), "allowed"],
  ["the environment", provider({ environment: "${var.e}" }), LATE_CLOUD],
  ["a host that says the environment", provider({ metadata_host: "m.example" }), LATE_CLOUD],
  [
    "the subscription of the credential's provider",
    (all) => {
      set(CREDENTIAL, { provider: "azurerm.other" })(all);
      all.provider["azurerm"]?.push({ alias: "other", subscription_id: "${var.s}" });
    },
    "unknown issuer-trusted: whether a federated identity credential belongs to",
  ],
  ["the same late subscription", provider({ subscription_id: "${var.s}" }), "allowed"],
  ["the credential's issuer", set(CREDENTIAL, { issuer: "${var.i}" }), "unknown issuer-trusted"],
  [
    "the credential's subject",
    set(CREDENTIAL, { subject: "system:serviceaccount:${var.n}:web" }),
    "unknown subject-admitted",
  ],
  [
    "the credential's subject, which ends otherwise",
    set(CREDENTIAL, { subject: "system:serviceaccount:${var.n}:api" }),
    "fail subject-admitted",
  ],
  ["the scope", set(ASSIGNMENT, { scope: "${var.s}" }), MAY],
  [
    "the scope, of another registry at its end",
    set(ASSIGNMENT, { scope: REGISTRY.replace("acmeshop", "other").replace(/0b1f[^/]+/, "${var.s}") }),
    NONE,
  ],
  ["the condition", set(ASSIGNMENT, { condition: "${var.c}" }), "unknown repository-permitted"],
  ["the principal", set(ASSIGNMENT, { principal_id: "${var.p}" }), MAY],
  ["the role", set(ASSIGNMENT, { role_definition_name: "${var.r}" }), MAY],
  ["whether the role is there", set(ASSIGNMENT, { count: "${var.n}" }), MAY],
]);

const renamed: Change = (all) => {
  // Terraform tells names apart by case.
  const first = only(all, IDENTITY);
  all.resource[IDENTITY] = { [NAME]: first, [NAME.toUpperCase()]: { ...first, name: "another" } };
};
const of = (name: string): string => `\${${IDENTITY}.${name}`;

table("another identity", [
  ["beside it, whose name differs in case", renamed, "allowed"],
  [
    "that has the credential",
    both(renamed, set(CREDENTIAL, { parent_id: `${of(NAME.toUpperCase())}.id}` })),
    "fail issuer-trusted",
  ],
  [
    "that has the role",
    both(renamed, set(ASSIGNMENT, { principal_id: `${of(NAME.toUpperCase())}.principal_id}` })),
    NONE,
  ],
  [
    "in the group that the credential names",
    set(CREDENTIAL, { resource_group_name: "other" }),
    "unknown issuer-trusted: whether a federated identity credential belongs to",
  ],
  [
    "in the group known only after apply",
    set(CREDENTIAL, { resource_group_name: "${var.g}" }),
    "unknown issuer-trusted",
  ],
  [
    "in its own group, in other letters",
    (all) =>
      set(CREDENTIAL, {
        resource_group_name: String(only(all, IDENTITY)["resource_group_name"]).toUpperCase(),
      })(all),
    "allowed",
  ],
  [
    "a literal id in other letters",
    (all) =>
      set(CREDENTIAL, {
        parent_id: `${SUBSCRIPTION.toUpperCase()}/RESOURCEGROUPS/${String(only(all, IDENTITY)["resource_group_name"])}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${String(only(all, IDENTITY)["name"])}`,
      })(all),
    "allowed",
  ],
]);

const declared = (values: object = {}): Change =>
  add("azurerm_container_registry", { name: "acmeshop", resource_group_name: "images", ...values });
const at = (scope: string): Change => both(declared(), set(ASSIGNMENT, { scope }));
const GROUP = "/providers/Microsoft.Management/managementGroups/acme";
const group = (values: object): Change => add("azurerm_management_group", { name: "acme", ...values });

table("a role above a registry that is declared", [
  ["at its group", at(`${SUBSCRIPTION}/resourceGroups/Images`), "allowed"],
  [
    "at its group, by reference",
    both(at("${azurerm_resource_group.added.id}"), add("azurerm_resource_group", { name: "images" })),
    "allowed",
  ],
  ["at another group", at(`${SUBSCRIPTION}/resourceGroups/image`), NONE],
  // azurerm, internal/resourceproviders: an id begins with a slash, and none of its names is empty.
  ["at its group, without the first slash", at(`${SUBSCRIPTION}/resourceGroups/images`.slice(1)), NONE],
  ["at its group, with a slash twice", at(`${SUBSCRIPTION}//resourceGroups/images`), NONE],
  ["at its group, with a last slash", at(`${SUBSCRIPTION}/resourceGroups/images/`), "allowed"],
  ["at its subscription", at(SUBSCRIPTION), "allowed"],
  [
    "at its subscription, by reference",
    both(
      at("${data.azurerm_subscription.s.id}"),
      (all) => void (all.data = { azurerm_subscription: { s: {} } }),
    ),
    "allowed",
  ],
  [
    "at its group, by the provider's subscription",
    both(
      at("/subscriptions/${data.azurerm_client_config.c.subscription_id}/resourceGroups/images"),
      (all) => void (all.data = { azurerm_client_config: { c: {} } }),
    ),
    "allowed",
  ],
  ["at another subscription", at(`/subscriptions/${OTHER}`), NONE],
  ["at a management group", at(GROUP), MAY],
  [
    "at a management group with its subscription",
    both(at(GROUP), group({ subscription_ids: ["0b1f6471-1bf0-4dda-aec3-cb9272f09590"] })),
    MAY,
  ],
  [
    "at a management group with another subscription",
    both(at(GROUP), group({ subscription_ids: [OTHER] })),
    MAY,
  ],
  [
    "at a storage account",
    both(at("${azurerm_storage_account.added.id}"), add("azurerm_storage_account", { name: "x" })),
    MAY,
  ],
  [
    "at a key vault whose name is late",
    both(at("${azurerm_key_vault.added.id}"), add("azurerm_key_vault", { name: "${var.v}" })),
    MAY,
  ],
  [
    "of a provider that says no subscription, at its group",
    both(
      at("${azurerm_resource_group.added.id}"),
      add("azurerm_resource_group", { name: "images" }),
      provider({ subscription_id: undefined }),
    ),
    "allowed",
  ],
  [
    "of a provider that says no subscription, at a literal group",
    both(at(`${SUBSCRIPTION}/resourceGroups/images`), provider({ subscription_id: undefined })),
    MAY,
  ],
]);

table("what Entra refuses", [
  [
    "an issuer of Entra's own",
    both(set(CREDENTIAL, { issuer: `https://login.microsoftonline.com/${OTHER}/v2.0` })),
    "fail issuer-trusted",
  ],
  ["a subject of 601 characters", set(CREDENTIAL, { subject: "x".repeat(601) }), "fail subject-admitted"],
  ["no audience", set(CREDENTIAL, { audience: [] }), "fail audience-accepted"],
  [
    "an issuer with a slash",
    (all) => set(CREDENTIAL, { issuer: `${String(only(all, CREDENTIAL)["issuer"])}/` })(all),
    "fail issuer-trusted",
  ],
]);

const azapi = (type: string, values: object): Change => add("azapi_update_resource", { type, ...values });
const FIC = "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials@2023-01-31";
const mode = (value: unknown): object => ({ body: { properties: { roleAssignmentMode: value } } });
const LEGACY: Edit = ["workload-identity.json", '"registries"', '"others"'];

table("azapi", [
  ["changes a credential", azapi(FIC, { resource_id: `\${${CREDENTIAL}.x.id}` }), "unknown subject-admitted"],
  [
    "changes the credential",
    (all) => {
      const [key = ""] = Object.keys(all.resource[CREDENTIAL] ?? {});
      azapi(FIC, { resource_id: `\${${CREDENTIAL}.${key}.id}` })(all);
    },
    "unknown subject-admitted",
  ],
  ["changes any credential", azapi(FIC, { resource_id: "${var.id}" }), "unknown subject-admitted"],
  [
    "makes the registry, in a type of other letters",
    both(
      (all) =>
        void (all.resource["azapi_resource"] = {
          r: {
            type: "microsoft.containerregistry/Registries@2025-04-01",
            name: "acmeshop",
            ...mode("LegacyRegistryPermissions"),
          },
        }),
    ),
    "fail login-permitted: the registry acmeshop is in mode Legacy",
    [LEGACY],
  ],
  [
    "makes the registry in a mode known only after apply",
    (all) =>
      void (all.resource["azapi_resource"] = {
        r: {
          type: "Microsoft.ContainerRegistry/registries@2025-04-01",
          name: "acmeshop",
          ...mode("${var.m}"),
        },
      }),
    "unknown login-permitted",
    [LEGACY],
  ],
  [
    "makes the registry, the body as text",
    (all) =>
      void (all.resource["azapi_resource"] = {
        r: {
          type: "Microsoft.ContainerRegistry/registries@2025-04-01",
          name: "acmeshop",
          body: JSON.stringify({ properties: { roleAssignmentMode: ABAC } }),
        },
      }),
    "allowed",
    [LEGACY],
  ],
  [
    "changes any registry",
    both(
      declared(),
      set(ASSIGNMENT, { role_definition_name: "AcrPull" }),
      azapi("Microsoft.ContainerRegistry/registries@2025-04-01", { resource_id: "${var.r}", ...mode(ABAC) }),
    ),
    "unknown login-permitted",
    [LEGACY],
  ],
  [
    "changes another registry",
    both(
      declared(),
      set(ASSIGNMENT, { role_definition_name: "AcrPull" }),
      azapi("Microsoft.ContainerRegistry/registries@2025-04-01", {
        resource_id: `${REGISTRY}2`,
        ...mode(ABAC),
      }),
    ),
    "allowed",
    [LEGACY],
  ],
  [
    "changes the tags of the registry",
    both(
      declared(),
      set(ASSIGNMENT, { role_definition_name: "AcrPull" }),
      azapi("Microsoft.ContainerRegistry/registries@2025-04-01", {
        resource_id: REGISTRY,
        body: { tags: {} },
      }),
    ),
    "allowed",
    [LEGACY],
  ],
]);

const denying =
  (properties: object, scope = SUBSCRIPTION): Change =>
  (all) =>
    void (all.resource["azapi_resource"] = {
      d: {
        type: "Microsoft.Authorization/denyAssignments@2022-04-01",
        parent_id: scope,
        body: {
          properties: {
            principals: [{ id: "00000000-0000-0000-0000-000000000000" }],
            permissions: [{ dataActions: ["*"] }],
            ...properties,
          },
        },
      },
    });
const DENIED = "unknown login-permitted: whether a deny assignment";
const own = [{ id: `\${${OWN}.principal_id}` }];

table("a deny assignment is not judged", [
  ["for everyone", both(declared(), denying({})), DENIED],
  ["without the identity", both(declared(), denying({ excludePrincipals: own })), DENIED],
  ["for others", both(declared(), denying({ principals: [{ id: OTHER }] })), DENIED],
  ["elsewhere", both(declared(), denying({}, `/subscriptions/${OTHER}`)), DENIED],
]);

table("certain denial wins", [
  [
    "no role beside one that is not read, elsewhere",
    both(
      declared(),
      set(ASSIGNMENT, { scope: `/subscriptions/${OTHER}`, role_definition_name: "Acme puller" }),
    ),
    NONE,
  ],
  [
    "no role beside one of PIM that lets no one pull",
    both((all) => {
      const { principal_id } = only(all, ASSIGNMENT);
      delete all.resource[ASSIGNMENT];
      add("azurerm_pim_active_role_assignment", {
        principal_id,
        scope: SUBSCRIPTION,
        role_definition_id:
          "/providers/Microsoft.Authorization/roleDefinitions/b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b",
      })(all);
    }),
    NONE,
  ],
  [
    "another subject beside a late issuer",
    both(set(CREDENTIAL, { issuer: "${var.i}", subject: "system:serviceaccount:a:b" })),
    "fail subject-admitted",
  ],
]);

it("a module whose resources a state has is read", () => {
  const given = call({ x: `\${${OWN}.principal_id}` });
  const resource = {
    address: "module.m.azurerm_x.y",
    mode: "managed",
    type: "azurerm_x",
    name: "y",
    values: {},
  };
  const root_module = { child_modules: [{ address: "module.m", resources: [resource] }] };
  const state = JSON.stringify({
    format_version: "1.0",
    terraform_version: "1.11.0",
    values: { root_module },
  });
  expect(firstOpen(given)).toContain(GIVEN);
  expect(firstOpen(given, { others: [{ "state.json": state }] })).toBe("allowed");
});

describe("an issuer", () => {
  const asked = (issuer: string, change: Change): string => firstOpen(change, { cluster: { issuer } });

  it.each<[string, string, Change, string]>([
    [
      "known only inside the cluster",
      "https://kubernetes.default.svc",
      set(CREDENTIAL, { issuer: "https://kubernetes.default.svc" }),
      "fail issuer-trusted: Microsoft Entra cannot reach",
    ],
    [
      "of AKS, whose slash is missing",
      "https://westeurope.oic.prod-aks.azure.com/a/b/",
      set(CREDENTIAL, { issuer: "https://westeurope.oic.prod-aks.azure.com/a/b" }),
      "fail issuer-trusted",
    ],
    [
      "of AKS with its slash",
      "https://westeurope.oic.prod-aks.azure.com/a/b/",
      set(CREDENTIAL, { issuer: "https://westeurope.oic.prod-aks.azure.com/a/b/" }),
      "allowed",
    ],
  ])("%s", (_, issuer, change, outcome) => {
    expect(asked(issuer, change).slice(0, outcome.length)).toBe(outcome);
  });
});
