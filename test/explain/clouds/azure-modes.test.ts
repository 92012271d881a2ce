/*
 * Which roles a container registry honours is in no argument of azurerm: the mode is recorded at synth, stated by the
 * caller, or read of azapi. Source: learn.microsoft.com, "Azure Container Registry permissions and role assignments".
 */

import { describe, expect, it } from "vitest";
import type { ClusterRecord, ExplainResult } from "../../../lib/explain";
import { type Edit, edited, explained, synthesized } from "../../fixtures/explain/artefacts";

const TF = "cdk.tf.json";
const FACTS = "workload-identity.json";
const READER = "Container Registry Repository Reader";
const ABAC = "AbacRepositoryPermissions";
const LEGACY = "LegacyRegistryPermissions";
const ID =
  "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590/resourceGroups/images/providers/Microsoft.ContainerRegistry/registries/acmeshop";
const artefacts = synthesized("three-clouds");

const forgotten: Edit = [FACTS, '"registries"', '"others"'];
const legacyRole: Edit = [TF, `"${READER}"`, '"AcrPull"'];
const resources = (section: string, body: object): Edit => [
  TF,
  section === "data" ? '"resource": {' : '"azurerm_user_assigned_identity": {',
  section === "data"
    ? `"data": ${JSON.stringify(body)},\n  "resource": {`
    : `${JSON.stringify(body).slice(1, -1)},\n    "azurerm_user_assigned_identity": {`,
];
const declared = { azurerm_container_registry: { r: { name: "acmeshop", resource_group_name: "images" } } };
const scoped: Edit = [TF, `"scope": "${ID}"`, '"scope": "${azurerm_container_registry.r.id}"'];
const update = (mode: string): object => ({
  ...declared,
  azapi_update_resource: {
    r: {
      type: "Microsoft.ContainerRegistry/registries@2025-04-01",
      resource_id: "${azurerm_container_registry.r.id}",
      body: { properties: { roleAssignmentMode: mode } },
    },
  },
});

const made = (mode: string): object => ({
  type: "Microsoft.ContainerRegistry/registries@2025-04-01",
  name: "acmeshop",
  parent_id: ID.split("/providers/")[0],
  body: { properties: { roleAssignmentMode: mode } },
});

function ask(
  edits: readonly Edit[],
  cluster?: ClusterRecord,
  image = "acmeshop.azurecr.io/models/llm",
): ExplainResult {
  const options = cluster === undefined ? {} : { cluster };
  const [result] = explained(edited(artefacts, edits), { serviceAccount: "shop/web", image }, options);
  if (!result) throw new Error("no result");
  return result;
}

it("is recorded at synth by the registry's own host", () => {
  const [, text = "{}"] = [...artefacts].find(([path]) => path.endsWith(FACTS)) ?? [];
  const { clusters } = JSON.parse(text) as { clusters: readonly { registries: unknown }[] };
  expect(clusters[0]?.registries).toEqual({ "acmeshop.azurecr.io": { roleAssignmentMode: ABAC } });
});

describe("login-permitted", () => {
  const stated = (mode: string): ClusterRecord => ({
    registries: { "acmeshop.azurecr.io": { roleAssignmentMode: mode } },
  });

  it.each<[string, readonly Edit[], ClusterRecord | undefined, string, string]>([
    ["the recorded mode honours the role", [], undefined, "pass", `whose mode is ${ABAC}`],
    [
      "the recorded mode ignores AcrPull",
      [legacyRole],
      undefined,
      "fail",
      `mode ${ABAC}, which ignores AcrPull`,
    ],
    [
      "the mode is nowhere",
      [forgotten],
      undefined,
      "unknown",
      `${READER}, which takes effect in mode ${ABAC}`,
    ],
    [
      "the mode is nowhere, AcrPull",
      [forgotten, legacyRole],
      undefined,
      "unknown",
      `AcrPull, which takes effect in mode ${LEGACY}`,
    ],
    ["the caller states it", [forgotten], stated(ABAC), "pass", ABAC],
    ["the caller states the other", [forgotten], stated(LEGACY), "fail", `which ignores ${READER}`],
    [
      "the registry is declared with azurerm, which makes it without a mode",
      [forgotten, legacyRole, scoped, resources("resource", declared)],
      undefined,
      "pass",
      LEGACY,
    ],
    [
      "the registry is declared with azurerm, and someone else changed it",
      [forgotten, scoped, resources("resource", declared)],
      undefined,
      "unknown",
      ABAC,
    ],
    [
      "the registry is looked up",
      [forgotten, legacyRole, resources("data", declared)],
      undefined,
      "unknown",
      LEGACY,
    ],
    ["azapi changes it", [forgotten, scoped, resources("resource", update(ABAC))], undefined, "pass", ABAC],
    [
      "azapi changes it to the other",
      [forgotten, scoped, resources("resource", update(LEGACY))],
      undefined,
      "fail",
      LEGACY,
    ],
    [
      "azapi makes it in both, whatever is recorded",
      [resources("resource", { azapi_resource: { r: made(ABAC), s: made(LEGACY) } })],
      undefined,
      "unknown",
      ABAC,
    ],
  ])("%s", (_, edits, cluster, status, text) => {
    const result = ask(edits, cluster);
    expect(result.checks.find(({ id }) => id === "login-permitted")).toMatchObject({
      status,
      reason: expect.stringContaining(text),
    });
    expect(result.verdict).toBe({ pass: "allowed", fail: "denied", unknown: "unknown" }[status]);
  });

  it("regional hosts are of the same registry", () => {
    const image = "acmeshop.westeurope.geo.azurecr.io/models/llm";
    const result = ask(
      [["all-nodes.yaml", "- acmeshop.azurecr.io", '- "*.*.geo.azurecr.io"']],
      undefined,
      image,
    );
    expect(result.verdict).toBe("allowed");
  });

  it("a condition that does not cover the repository denies in either mode", () => {
    expect(ask([forgotten], undefined, "acmeshop.azurecr.io/other/llm").verdict).toBe("denied");
  });
});
