import { describe, expect, it } from "vitest";
import type { ErrorCode } from "../../../lib/errors";
import type { RoleCondition } from "../../../lib/rules/google/role-condition";
import { checkedRoleGrant } from "../../../lib/rules/google/role-grant";
import { refused } from "../../fixtures/google/refused";

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
  it.each<[ErrorCode, Partial<RoleCondition>]>([
    ["google-role-condition", { title: "" }],
    ["google-role-condition", { title: undefined as unknown as string }],
    ["google-role-condition", { expression: " " }],
    ["google-role-condition", { expression: "true" }],
    ["google-role-condition", { expression: "1 == 1" }],
    ["google-role-condition", { expression: true as unknown as string }],
    ["google-role-condition", { expression: Array(14).fill("a.b").join(" || ") }],
    ["google-role-condition", { expression: `!c && ${Array(12).fill("(a || b)").join(" && ")}` }],
    ["google-role-condition", { expression: Array(7).fill("!a").join("&&") }],
    ["name-too-long", { title: "t".repeat(101) }],
    ["name-too-long", { description: "d".repeat(257) }],
    ["late-value", { title: LATE }],
  ])("refuses with %s the condition %j", (code, changed) => {
    expect(() => checkedRoleGrant({ ...grant, condition: { ...condition, ...changed } })).toThrowError(
      refused(code),
    );
  });

  it("refuses a condition that is a text", () => {
    const text = "request.time.getHours() > 18" as unknown as RoleCondition;
    expect(() => checkedRoleGrant({ ...grant, condition: text })).toThrowError(
      refused("google-role-condition"),
    );
  });

  it("takes a reason of blanks for none", () => {
    expect(checkedRoleGrant({ ...grant, reason: " " }).reason).toBeUndefined();
  });
});
