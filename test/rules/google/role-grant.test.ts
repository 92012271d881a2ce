import { describe, expect, it } from "vitest";
import { type RoleCondition, checkedRoleGrant } from "../../../lib/rules/google/permission";
import { type Refusal, refusal } from "../../support/refusal";

const grant = { role: "roles/storage.objectViewer", project: "shop-prod" };
const condition: RoleCondition = { title: "evenings", expression: "request.time.getHours() > 18" };
const LATE = "${TfToken[TOKEN.1]}";

describe("checkedRoleGrant", () => {
  it.each<RoleCondition>([
    condition,
    { ...condition, description: "d".repeat(256) },
    { ...condition, expression: LATE, description: LATE },
    { ...condition, expression: Array(13).fill("a.b").join(" || ") },
    { ...condition, expression: Array(13).fill("a != '&& || !'").join(" && ") },
  ])("takes the condition %j", (given) => {
    expect(checkedRoleGrant({ ...grant, condition: given }).condition).toEqual(given);
  });

  // REST type Expr, and https://cloud.google.com/iam/docs/conditions-overview
  it.each<[Refusal, Partial<RoleCondition>]>([
    ["google-invalid: condition of a role", { title: "" }],
    ["google-invalid: condition of a role", { title: undefined as unknown as string }],
    ["google-invalid: condition of a role", { expression: " " }],
    ["google-invalid: condition of a role", { expression: "true" }],
    ["google-invalid: condition of a role", { expression: "1 == 1" }],
    ["google-invalid: condition of a role", { expression: true as unknown as string }],
    ["google-invalid: condition of a role", { expression: Array(14).fill("a.b").join(" || ") }],
    [
      "google-invalid: condition of a role",
      { expression: `!c && ${Array(12).fill("(a || b)").join(" && ")}` },
    ],
    ["google-invalid: condition of a role", { expression: Array(7).fill("!a").join("&&") }],
    ["property-limit", { title: "t".repeat(101) }],
    ["property-limit", { description: "d".repeat(257) }],
    ["late-value", { title: LATE }],
  ])("refuses with %s the condition %j", (code, changed) => {
    expect(() => checkedRoleGrant({ ...grant, condition: { ...condition, ...changed } })).toThrowError(
      refusal(code),
    );
  });

  it("refuses a condition that is a text", () => {
    const text = "request.time.getHours() > 18" as unknown as RoleCondition;
    expect(() => checkedRoleGrant({ ...grant, condition: text })).toThrowError(
      refusal("google-invalid: condition of a role"),
    );
  });

  it.each(["shop-images", "images.example.com", "a_b", LATE])("takes the bucket %s", (bucket) => {
    expect(checkedRoleGrant({ role: grant.role, bucket }).target).toBe(bucket);
  });

  it.each(["gs://shop-images", "shop-images/a", "Shop", "ab", "projects/_/buckets/shop-images"])(
    "refuses the bucket %s",
    (bucket) => {
      expect(() => checkedRoleGrant({ role: grant.role, bucket })).toThrowError(
        refusal("google-invalid: a bucket on which a role is granted is not a name of a bucket"),
      );
    },
  );

  it("takes a reason of blanks for none", () => {
    expect(checkedRoleGrant({ ...grant, reason: " " }).reason).toBeUndefined();
  });
});
