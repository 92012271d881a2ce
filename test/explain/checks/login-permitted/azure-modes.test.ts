/*
 * Which roles a container registry honours is in no argument of azurerm: the mode is recorded at synth, stated by the
 * caller. Source: learn.microsoft.com, "Azure Container Registry permissions and role assignments".
 */

import { expect, it } from "vitest";
import { ASSIGNMENT, REGISTRY } from "../../../fixtures/explain/azure";
import { type Damage, checks } from "../../../fixtures/explain/checks";
import { type Change, added, argument, configured } from "../../../fixtures/explain/configuration";
import { acr, node } from "../../../fixtures/explain/three-clouds";

const ID = "login-permitted";
const READER = "Container Registry Repository Reader";
const ABAC = "AbacRepositoryPermissions";
const LEGACY = "LegacyRegistryPermissions";
const TYPE = "Microsoft.ContainerRegistry/registries@2025-04-01";
const TABLE = "azurerm_container_registry";
const inMode = (mode: unknown): object => ({ body: { properties: { roleAssignmentMode: mode } } });
const stated = (mode: string) => ({
  cluster: { registries: { "acmeshop.azurecr.io": { roleAssignmentMode: mode } } },
});

/** The mode is nowhere, and the configuration is changed. */
const forgotten =
  (...changes: readonly Change[]): Damage =>
  (files) =>
    configured(...changes)(
      new Map([...files].map(([path, text]) => [path, text.replace('"registries"', '"others"')])),
    );
const acrPull: Change = argument(ASSIGNMENT, { role_definition_name: "AcrPull" });
const declared: Change = added(TABLE, { name: "acmeshop", resource_group_name: "images" });
const scoped: Change = argument(ASSIGNMENT, { scope: `\${${TABLE}.added.id}` });
const made = (mode: unknown, type = TYPE): Change =>
  added("azapi_resource", { type, name: "acmeshop", ...inMode(mode) });
const updated = (values: object, resource_id = `\${${TABLE}.added.id}`): Change =>
  added("azapi_update_resource", { type: TYPE, resource_id, ...values });
const both: Change = ({ resource }) => {
  const values = { type: TYPE, name: "acmeshop", parent_id: REGISTRY.split("/providers/")[0] };
  resource["azapi_resource"] = { r: { ...values, ...inMode(ABAC) }, s: { ...values, ...inMode(LEGACY) } };
};
const BY_AZAPI = "azapi_update_resource.added, which is not read";
const takesEffect = (role: string, mode: string): string => `${role}, which takes effect in mode ${mode}`;

checks(ID, "the mode of the registry", acr, [
  ["recorded, honours the role", [], "pass", `whose mode is ${ABAC}`],
  [
    "recorded, ignores AcrPull",
    configured(acrPull),
    "fail",
    `mode ${ABAC}, which ignores AcrPull`,
    { log: "event 401 Unauthorized, or insufficient scope" },
  ],
  ["nowhere", forgotten(), "unknown", takesEffect(READER, ABAC)],
  ["nowhere, AcrPull", forgotten(acrPull), "unknown", takesEffect("AcrPull", LEGACY)],
  ["stated by the caller", forgotten(), "pass", ABAC, stated(ABAC)],
  ["stated by the caller, the other", forgotten(), "fail", `which ignores ${READER}`, stated(LEGACY)],
  [
    "of a registry of azurerm, which makes it without a mode",
    forgotten(acrPull, declared, scoped),
    "pass",
    LEGACY,
  ],
  ["of a registry of azurerm that someone else changed", forgotten(declared, scoped), "unknown", ABAC],
  [
    "of a registry that is looked up",
    forgotten(acrPull, (all) => {
      all.data = { [TABLE]: { r: { name: "acmeshop", resource_group_name: "images" } } };
    }),
    "unknown",
    LEGACY,
  ],
  ["changed by azapi", forgotten(acrPull, declared, scoped, updated(inMode(ABAC))), "unknown", BY_AZAPI],
  ["made by azapi, whatever is recorded", configured(both), "unknown", "which is not read"],
  [
    "made by azapi, in a type of other letters",
    forgotten(made(LEGACY, "microsoft.containerregistry/Registries@2025-04-01")),
    "unknown",
  ],
  [
    "of any registry, changed by azapi",
    forgotten(declared, acrPull, updated(inMode(ABAC), "${var.r}")),
    "unknown",
  ],
  [
    "of another registry, changed by azapi",
    forgotten(declared, acrPull, updated(inMode(ABAC), `${REGISTRY}2`)),
    "pass",
  ],
  [
    "of the registry's regional host",
    node("- acmeshop.azurecr.io", '- "*.*.geo.azurecr.io"'),
    "pass",
    "",
    { image: "acmeshop.westeurope.geo.azurecr.io/models/llm" },
  ],
]);

it("is recorded at synth by the registry's own host", () => {
  const [, text = "{}"] = [...acr.artefacts].find(([path]) => path.endsWith("workload-identity.json")) ?? [];
  const { clusters } = JSON.parse(text) as { clusters: readonly { registries: unknown }[] };
  expect(clusters[0]?.registries).toEqual({ "acmeshop.azurecr.io": { roleAssignmentMode: ABAC } });
});
