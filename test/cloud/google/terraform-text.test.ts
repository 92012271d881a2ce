/* Terraform reads strings of its JSON syntax as templates: what users write must reach Google as they wrote it. */

import { TerraformVariable, Testing, type TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  FederatedServiceAccount,
  OidcProvider,
  ProjectRole,
  RoleBinding,
  WorkloadIdentityPool,
  WorkloadServiceAccount,
  googleAccess,
} from "../../../lib/cloud/google";
import { foreignPool, onlyResource, testStack } from "../../fixtures/google/synth";

const TEXT = "100%{x} ${var.x}";
const ESCAPED = "100%%{x} $${var.x}";

function provider(stack: TerraformStack): OidcProvider {
  return new OidcProvider(stack, "provider", {
    pool: foreignPool(stack),
    providerId: "prod",
    issuer: "https://issuer.example.com",
    displayName: TEXT,
    description: TEXT,
    attributeMapping: { "attribute.own": `'${TEXT}'` },
    attributeCondition: `assertion.sub == '${TEXT}'`,
    reason: TEXT,
  });
}

describe("texts of users", () => {
  it("stand escaped in pool and pool provider", () => {
    const stack = testStack();
    const attributes = { project: "shop-prod", projectNumber: "1", poolId: "shop" };
    const settings = { ...attributes, displayName: TEXT, description: TEXT };
    const pool = WorkloadIdentityPool.forPoolId(stack, settings);
    expect(WorkloadIdentityPool.forPoolId(stack, settings)).toBe(pool);
    provider(stack);
    expect(onlyResource(stack, "google_iam_workload_identity_pool")).toMatchObject({
      display_name: ESCAPED,
      description: ESCAPED,
    });
    expect(onlyResource(stack, "google_iam_workload_identity_pool_provider")).toMatchObject({
      display_name: ESCAPED,
      description: `${ESCAPED}. ${ESCAPED}`,
      attribute_mapping: { "attribute.own": `'${ESCAPED}'` },
      attribute_condition: `assertion.sub == '${ESCAPED}'`,
    });
  });

  it("stand escaped in roles, bindings and service accounts", () => {
    const stack = testStack();
    const role = { project: "shop-prod", roleId: "shop", permissions: ["a.b.c"] };
    new ProjectRole(stack, "role", { ...role, title: TEXT, description: TEXT });
    const condition = { title: TEXT, expression: `resource.name != '${TEXT}'`, description: TEXT };
    new RoleBinding(stack, "binding", {
      role: "roles/storage.objectViewer",
      project: "shop-prod",
      member: "user:a@example.com",
      condition,
    });
    new FederatedServiceAccount(stack, "account", {
      project: "shop-prod",
      accountId: "shop-account",
      principals: provider(stack),
      serviceAccounts: ["shop/web", "shop/web"],
      displayName: TEXT,
      description: TEXT,
    });
    expect(onlyResource(stack, "google_project_iam_custom_role")).toMatchObject({
      title: ESCAPED,
      description: ESCAPED,
    });
    expect(onlyResource(stack, "google_project_iam_member")["condition"]).toEqual({
      title: ESCAPED,
      expression: `resource.name != '${ESCAPED}'`,
      description: ESCAPED,
    });
    expect(onlyResource(stack, "google_service_account")).toMatchObject({
      display_name: ESCAPED,
      description: ESCAPED,
    });
    expect(onlyResource(stack, "google_service_account_iam_member")["member"]).toContain(":shop:web");
    expect(Testing.synth(stack)).not.toMatch(/(?<!\$)\$\{var\.x\}|(?<!%)%\{x\}/);
  });

  it("keep their late parts", () => {
    const stack = testStack();
    const owner = new TerraformVariable(stack, "owner", { type: "string" });
    const role = { project: "shop-prod", roleId: "shop", permissions: ["a.b.c"], title: "Shop" };
    new ProjectRole(stack, "role", { ...role, description: `${TEXT} ${owner.stringValue}` });
    expect(onlyResource(stack, "google_project_iam_custom_role")["description"]).toBe(
      `${ESCAPED} \${var.owner}`,
    );
  });

  it("are the reasons for basic roles, in the workload's service account", () => {
    const stack = testStack();
    const why = (reason: string): { role: string; project: string; reason: string } => ({
      role: reason.includes("b") ? "roles/editor" : "roles/viewer",
      project: "shop-prod",
      reason,
    });
    new WorkloadServiceAccount(stack, "web", {
      serviceAccount: "shop/web",
      access: [googleAccess({ roles: [why("a ${x}"), why("b")] })],
      clusterName: "prod-eu",
      project: "shop-prod",
      oidcProvider: OidcProvider.fromProviderId(stack, "adopted", {
        pool: foreignPool(stack),
        providerId: "prod",
      }),
    });
    expect(onlyResource(stack, "google_service_account")["description"]).toBe("a $${x}. b");
  });
});
