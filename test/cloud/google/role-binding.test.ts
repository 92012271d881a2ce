import { describe, expect, it } from "vitest";
import { RoleBinding } from "../../../lib/cloud/google";
import { refusal } from "../../support/refusal";
import { onlyResource, testStack } from "../../fixtures/google/synth";

const props = {
  role: "roles/storage.objectViewer",
  bucket: "shop-images",
  member: "serviceAccount:shop-account@shop-prod.iam.gserviceaccount.com",
};
const TYPE = "google_storage_bucket_iam_member";

describe("RoleBinding", () => {
  it("refuses the same binding twice, and names the way to share it", () => {
    const stack = testStack();
    const first = new RoleBinding(stack, "first", props);
    expect(() => new RoleBinding(stack, "second", props)).toThrowError(
      refusal("google-conflict: for this member on the same resource is already declared", {
        remedy: "use RoleBinding.once, which declares a binding once and returns it to every caller",
      }),
    );
    expect(stack.node.tryFindChild("second")).toBeUndefined();
    expect(RoleBinding.once(stack, "third", props)).toBe(first);
  });

  it("is another one under another condition", () => {
    const stack = testStack();
    const condition = { title: "evenings", expression: "request.time.getHours() > 18" };
    new RoleBinding(stack, "first", props);
    expect(new RoleBinding(stack, "second", { ...props, condition }).node.id).toBe("second");
  });

  it("grants to everybody with a reason alone", () => {
    const stack = testStack();
    const everybody = { ...props, member: "allUsers" };
    expect(() => new RoleBinding(stack, "public", everybody)).toThrowError(
      refusal("google-unsafe: a role is granted to everybody"),
    );
    expect(() => new RoleBinding(stack, "none", { ...props, member: "" })).toThrowError(
      refusal("google-invalid: not a member of an IAM policy"),
    );
    new RoleBinding(stack, "public", { ...everybody, reason: "images of the public shop" });
    expect(onlyResource(stack, TYPE)["member"]).toBe("allUsers");
  });
});
