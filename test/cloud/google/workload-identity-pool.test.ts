import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { describe, expect, it } from "vitest";
import { Subject } from "../../../lib/model/subject";
import { WorkloadIdentityPool } from "../../../lib/cloud/google";
import { refusal } from "../../support/refusal";
import { onlyResource, resources, testStack } from "../../fixtures/google/synth";

const TYPE = "google_iam_workload_identity_pool";
const props = { project: "shop-prod", projectNumber: "123456789012", poolId: "prod-pool" };

describe("WorkloadIdentityPool", () => {
  it("declares the pool and exposes its names", () => {
    const stack = testStack();
    const pool = new WorkloadIdentityPool(stack, "pool", {
      ...props,
      displayName: "Production",
      description: "Clusters in production",
    });
    expect(onlyResource(stack, TYPE)).toEqual({
      project: "shop-prod",
      workload_identity_pool_id: "prod-pool",
      display_name: "Production",
      description: "Clusters in production",
    });
    expect(pool.poolId).toBe("prod-pool");
    expect(pool.projectNumber).toBe("123456789012");
    expect(pool.dependencies).toEqual([pool.resource]);
    expect(pool.node.defaultChild).toBe(pool.resource);
  });

  it.each([
    [{ project: "Shop" }, "google-invalid: Google Cloud project is not a project id"],
    [{ projectNumber: "shop-prod" }, "google-invalid: project number is not a number"],
    [{ poolId: "gcp-pool" }, "google-invalid: id of a workload identity"],
    [{ poolId: "${TfToken[TOKEN.1]}" }, "late-value"],
    [{ displayName: "a".repeat(33) }, "property-limit"],
    [{ description: "a".repeat(257) }, "property-limit"],
  ] as const)("refuses %j before it declares anything", (changed, code) => {
    const stack = testStack();
    const declare = (): unknown => new WorkloadIdentityPool(stack, "pool", { ...props, ...changed });
    expect(declare).toThrowError(refusal(code));
    expect(stack.node.children).toHaveLength(0);
  });

  it("accepts names of the greatest length, and a late project number", () => {
    const stack = testStack();
    const pool = new WorkloadIdentityPool(stack, "pool", {
      ...props,
      projectNumber: "${TfToken[TOKEN.1]}",
      displayName: "a".repeat(32),
      description: "a".repeat(256),
    });
    expect(pool.projectNumber).toBe("${TfToken[TOKEN.1]}");
  });
});

describe("a pool of a stack", () => {
  it("is declared once, by project and id", () => {
    const stack = testStack();
    new WorkloadIdentityPool(stack, "pool", props);
    expect(() => new WorkloadIdentityPool(stack, "again", props)).toThrowError(
      refusal(
        "google-conflict: workload identity pool is already declared in this app",
        'workload identity pool is already declared in this app, as stack/pool, got "prod-pool"; allowed: one declaration in an app; within a stack use WorkloadIdentityPool.forPoolId, which declares a pool once and returns it to every caller; in another stack give that construct as `pool`, or its pool provider as `oidcProvider`, or adopt it with WorkloadIdentityPool.fromPoolId; another cluster of the same name needs a namePrefix or its own poolId',
      ),
    );
    expect(stack.node.children).toHaveLength(1);
    new WorkloadIdentityPool(stack, "other", { ...props, poolId: "other" });
    new WorkloadIdentityPool(testStack(), "pool", props);
  });

  it("is found by forPoolId wherever it was declared", () => {
    const stack = testStack();
    const pool = new WorkloadIdentityPool(stack, "pool", props);
    expect(WorkloadIdentityPool.forPoolId(stack, props)).toBe(pool);
    expect(() => WorkloadIdentityPool.forPoolId(stack, { ...props, displayName: "Other" })).toThrowError(
      refusal("google-conflict: workload identity pool is already declared in this stack"),
    );
  });
});

describe("fromPoolId", () => {
  it("declares nothing and refers to the pool by its id", () => {
    const stack = testStack();
    const pool = WorkloadIdentityPool.fromPoolId(stack, "pool", props);
    expect(pool).toMatchObject({ ...props, poolReference: "prod-pool", dependencies: [] });
    expect(resources(stack, TYPE)).toEqual({});
  });

  it("checks like the constructor", () => {
    const stack = testStack();
    expect(() => WorkloadIdentityPool.fromPoolId(stack, "pool", { ...props, poolId: "abc" })).toThrowError(
      refusal("google-invalid: id of a workload identity"),
    );
    expect(stack.node.children).toHaveLength(0);
  });
});

describe("forPoolId", () => {
  it("declares a pool once for each project and id", () => {
    const stack = testStack();
    const pool = WorkloadIdentityPool.forPoolId(stack, props);
    expect(WorkloadIdentityPool.forPoolId(pool, props)).toBe(pool);
    expect(WorkloadIdentityPool.forPoolId(stack, { ...props, poolId: "other" })).not.toBe(pool);
    expect(WorkloadIdentityPool.forPoolId(stack, { ...props, project: "shop-test" })).not.toBe(pool);
    expect(Object.keys(resources(stack, TYPE))).toHaveLength(3);
  });

  it.each([
    [{ projectNumber: "1" }, "projectNumber"],
    [{ displayName: "Other" }, "displayName"],
    [{ description: "Other" }, "description"],
  ])("refuses %j, which the declared pool has not", (changed, property) => {
    const stack = testStack();
    WorkloadIdentityPool.forPoolId(stack, props);
    expect(() => WorkloadIdentityPool.forPoolId(stack, { ...props, ...changed })).toThrowError(
      refusal("google-conflict", {
        problem: `workload identity pool is already declared in this stack with another ${property}`,
      }),
    );
  });

  it("refuses another Terraform provider", () => {
    const stack = testStack();
    const provider = new GoogleProvider(stack, "google", { alias: "other" });
    WorkloadIdentityPool.forPoolId(stack, props);
    expect(() => WorkloadIdentityPool.forPoolId(stack, { ...props, provider })).toThrowError(
      refusal("google-conflict: workload identity pool is already declared in this stack"),
    );
  });
});

describe("fleet", () => {
  const pool = WorkloadIdentityPool.fleet({ project: "shop-prod", projectNumber: "123456789012" });

  it("is named after the project, and so is its audience", () => {
    expect([pool.poolId, pool.audience, pool.dependencies]).toEqual([
      "shop-prod.svc.id.goog",
      "shop-prod.svc.id.goog",
      [],
    ]);
  });

  // https://cloud.google.com/iam/docs/principal-identifiers: GKE pools have subjects of another form.
  it("has subjects ns/<namespace>/sa/<name>", () => {
    expect(pool.principal(Subject.of("shop/web"))).toBe(
      "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/shop-prod.svc.id.goog/subject/ns/shop/sa/web",
    );
  });

  it("checks project and number", () => {
    const declare = (project: string, projectNumber: string) => (): unknown =>
      WorkloadIdentityPool.fleet({ project, projectNumber });
    expect(declare("x", "1")).toThrowError(
      refusal("google-invalid: Google Cloud project is not a project id"),
    );
    expect(declare("shop-prod", "x")).toThrowError(refusal("google-invalid: project number is not a number"));
  });
});
