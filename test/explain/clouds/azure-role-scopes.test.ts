/*
 * Azure assigns a custom role at its assignable scopes and below them, and nowhere else.
 * Source: learn.microsoft.com, "Understand Azure role definitions", AssignableScopes; azurerm,
 * role_definition_resource.go: without any, the scope of the role is assignable.
 */

import { describe, expect, it } from "vitest";
import {
  INGRESS,
  WORKLOAD,
  accessArtefacts,
  reasonOf,
  resultOf,
  subscriptionId,
  withTerraform,
} from "../../fixtures/explain/access";

const artefacts = accessArtefacts("azure");
const SUBSCRIPTION = `/subscriptions/${subscriptionId}`;
const OTHER = "/subscriptions/99999999-1bf0-4dda-aec3-cb9272f09590";
const GROUP = "/providers/Microsoft.Management/managementGroups/acme";

/** What is said of a component, with arguments of every custom role changed. */
function withRoles(values: Readonly<Record<string, unknown>>): { verdict: string; reason: string } {
  const changed = withTerraform(artefacts, ({ resource }) => {
    for (const role of Object.values(resource["azurerm_role_definition"] ?? {}))
      for (const [name, value] of Object.entries(values))
        if (value === undefined) delete role[name];
        else role[name] = value;
  });
  const result = resultOf(changed, INGRESS);
  return { verdict: result.verdict, reason: reasonOf(result, "permissions-granted") };
}

describe("the assignable scopes of a custom role", () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["the subscription, in other letters", { assignable_scopes: [SUBSCRIPTION.toUpperCase()] }],
    ["one of several", { assignable_scopes: [OTHER, SUBSCRIPTION] }],
    ["none, so the scope", { assignable_scopes: undefined, scope: SUBSCRIPTION }],
    ["an empty list, so the scope", { assignable_scopes: [], scope: SUBSCRIPTION }],
    ["a management group, which may have the subscription", { assignable_scopes: [GROUP] }],
    ["everywhere", { assignable_scopes: ["/"] }],
    ["a variable's", { assignable_scopes: "${var.scopes}" }],
    ["a variable among them", { assignable_scopes: [OTHER, "${var.scope}"] }],
  ])("allow an assignment: %s", (_, values) => {
    expect(withRoles(values).verdict).toBe("allowed");
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["another resource group", { assignable_scopes: [`${SUBSCRIPTION}/resourceGroups/other`] }],
    ["another subscription", { assignable_scopes: [OTHER] }],
    ["a subscription whose id begins alike", { assignable_scopes: [SUBSCRIPTION.slice(0, -1)] }],
    ["the scope, of another subscription", { assignable_scopes: undefined, scope: OTHER }],
  ])("leave it open, which Azure refuses: %s", (_, values) => {
    expect(withRoles(values).verdict).toBe("unknown");
  });

  it("leave it open for a workload too, whose other roles count", () => {
    const role = (scope: string): ReturnType<typeof resultOf> =>
      resultOf(
        withTerraform(artefacts, ({ resource }) => {
          resource["azurerm_role_definition"] = {
            ...resource["azurerm_role_definition"],
            own: {
              name: "Storage Blob Data Reader",
              scope,
              permissions: [{ actions: ["*"] }],
              assignable_scopes: [scope],
            },
          };
        }),
        WORKLOAD,
      );
    expect(role(SUBSCRIPTION).verdict).toBe("allowed");
    expect(role(OTHER).verdict).toBe("unknown");
  });
});
