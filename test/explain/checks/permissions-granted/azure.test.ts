import {
  INGRESS,
  RECORD,
  WORKLOAD,
  accessArtefacts,
  subscriptionId,
  withJson,
} from "../../../fixtures/explain/access";
import { type Row, both, checks } from "../../../fixtures/explain/checks";
import { added, argument, configured, without } from "../../../fixtures/explain/configuration";
import { GROUP as SHOP, aks, assigned } from "../../../fixtures/explain/states";
import { record, terraform } from "../../../fixtures/explain/three-clouds";

const ID = "permissions-granted";
const ASSIGNMENT = "azurerm_role_assignment";
const ROLE = "azurerm_role_definition";
const artefacts = accessArtefacts("azure");
const conditional = configured(argument(ASSIGNMENT, { condition: "true" }));
const unrecorded = record('"workloads"', '"others"');
const rows: readonly Row[] = [
  ["none", configured(without(ASSIGNMENT)), "fail"],
  ["under a condition", conditional, "unknown"],
];

checks(ID, "a component", { artefacts, serviceAccount: INGRESS }, [
  ["as written", [], "pass"],
  ...rows,
  [
    "one is missing",
    terraform("Microsoft.Network/dnsZones/A/delete", "Microsoft.Network/dnsZones/A/deleted"),
    "fail",
    "the request includes Microsoft.Network/dnsZones/A/delete",
  ],
]);
const role = (name: string) => terraform('"Storage Blob Data Reader"', `"${name}"`);
checks(ID, "a workload", { artefacts, serviceAccount: WORKLOAD }, [
  ["as written", [], "pass"],
  ["a larger role", role("storage blob data Owner"), "pass"],
  ["a role for something else", role("Owner"), "fail", "the request includes role Storage Blob Data Reader"],
  ...rows,
  ["that no one recorded, which are whatever is granted", unrecorded, "pass"],
  ["that no one recorded, under a condition", both(conditional, unrecorded), "unknown"],
  [
    "asked for at an empty scope, which is not any scope",
    (files) =>
      withJson(files, RECORD, (value) => {
        const { clusters } = value as { clusters: { workloads: { asks: unknown }[] }[] };
        for (const workload of clusters[0]?.workloads ?? [])
          workload.asks = { roleBindings: [{ role: "Storage Blob Data Reader", scope: "" }] };
      }),
    "unknown",
  ],
]);

const SUBSCRIPTION = `/subscriptions/${subscriptionId}`;
const OTHER = "/subscriptions/99999999-1bf0-4dda-aec3-cb9272f09590";
const group = `${SUBSCRIPTION}/resourceGroups/c1`;
/** Assignments at a scope, of roles that may be assigned there: elsewhere Azure refuses the assignment. */
const at = (scope: string) =>
  configured(argument(ASSIGNMENT, { scope }), argument(ROLE, { assignable_scopes: [scope, group] }));

// learn.microsoft.com/azure/role-based-access-control/scope-overview.
checks(ID, "where a component's role is assigned", { artefacts, serviceAccount: INGRESS }, [
  ["at the place itself, in other letter case", at(group.toUpperCase()), "pass"],
  ["above it", at(SUBSCRIPTION), "pass"],
  ["beside it", at(`${group}-2`), "fail"],
  ["below it", at(`${group}/providers/Microsoft.Network/dnsZones/z`), "fail"],
  ["in a management group", at("/providers/Microsoft.Management/managementGroups/m"), "unknown"],
  ["nowhere: azurerm refuses an empty scope", at(""), "unknown"],
  ["known only after apply", at("${var.scope}"), "unknown"],
]);

const GROUP = "/providers/Microsoft.Management/managementGroups/acme";
const assignable = (assignable_scopes: unknown, scope?: string) =>
  configured(argument(ROLE, { assignable_scopes, ...(scope !== undefined && { scope }) }));

// learn.microsoft.com, "Understand Azure role definitions", AssignableScopes; azurerm, role_definition_resource.go: without
// any, the scope of the role is assignable.
checks(ID, "where a component's role may be assigned", { artefacts, serviceAccount: INGRESS }, [
  ["in the subscription, in other letters", assignable([SUBSCRIPTION.toUpperCase()]), "pass"],
  ["in one of several", assignable([OTHER, SUBSCRIPTION]), "pass"],
  ["in its scope", assignable(undefined, SUBSCRIPTION), "pass"],
  ["nowhere, so in its scope", assignable([], SUBSCRIPTION), "pass"],
  ["in a management group, which may have the subscription", assignable([GROUP]), "pass"],
  ["everywhere", assignable(["/"]), "pass"],
  ["where a variable says", assignable("${var.scopes}"), "pass"],
  ["where a variable says, among others", assignable([OTHER, "${var.scope}"]), "pass"],
  ["in another resource group", assignable([`${SUBSCRIPTION}/resourceGroups/other`]), "unknown"],
  ["in another subscription", assignable([OTHER]), "unknown"],
  ["in a subscription whose id begins alike", assignable([SUBSCRIPTION.slice(0, -1)]), "unknown"],
  ["in its scope, of another subscription", assignable(undefined, OTHER), "unknown"],
]);

const own = (scope: string) =>
  configured(
    added(ROLE, {
      name: "Storage Blob Data Reader",
      scope,
      permissions: [{ actions: ["*"] }],
      assignable_scopes: [scope],
    }),
  );
checks(ID, "where a workload's role may be assigned", { artefacts, serviceAccount: WORKLOAD }, [
  ["in the subscription", own(SUBSCRIPTION), "pass"],
  ["in another subscription", own(OTHER), "unknown"],
]);

// learn.microsoft.com, "Understand scope for Azure RBAC"; other states may assign roles to the identity of a state.
checks(
  ID,
  "an identity in a state, whose workload asks for nothing in particular",
  { artefacts: aks(assigned(SHOP)), serviceAccount: "shop/web" },
  [
    ["with a role at a resource group", [], "pass", "the identity is Storage Blob Data Reader at"],
    ["with a role at a subscription", () => aks(assigned(SUBSCRIPTION)), "pass"],
    ["with a role at a management group", () => aks(assigned(GROUP)), "pass"],
    ["with a role under a condition", () => aks(assigned(SHOP, { condition: "x" })), "unknown"],
    [
      "with a role of another principal alone",
      () => aks(assigned(SHOP, { principal_id: "99999999-5555-4666-8777-888888888888" })),
      "unknown",
      "another state may hold its role assignments",
    ],
    [
      "without roles in the state",
      () => aks({}),
      "unknown",
      "az role assignment list --all --assignee 44444444",
    ],
  ],
);
