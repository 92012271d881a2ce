import { describe, expect, it } from "vitest";
import { iamMember } from "../../../lib/rules/google/permission";
import { refusal } from "../../support/refusal";

const POOL = "iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool";
const WORKFORCE = "iam.googleapis.com/locations/global/workforcePools/people";

// https://cloud.google.com/iam/docs/principal-identifiers
describe("iamMember", () => {
  it.each([
    "serviceAccount:shop-account@shop-prod.iam.gserviceaccount.com",
    "serviceAccount:shop-account@shop.example.com.iam.gserviceaccount.com",
    "serviceAccount:shop-prod.svc.id.goog[shop/web]",
    "user:a.b@example.com",
    "group:admins@example.com",
    "domain:example.com",
    `principal://${POOL}/subject/system:serviceaccount:shop:web`,
    "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/shop-prod.svc.id.goog/subject/ns/shop/sa/web",
    `principal://${WORKFORCE}/subject/a@example.com`,
    `principalSet://${POOL}/attribute.subject/system:serviceaccount:shop:web`,
    `principalSet://${POOL}/group/admins`,
    `principalSet://${POOL}/namespace/shop`,
    "${TfToken[TOKEN.1]}",
    "serviceAccount:${TfToken[TOKEN.1]}",
  ])("accepts %s", (member) => expect(iamMember(member, undefined)).toBe(member));

  it.each([
    "allUsers",
    "allAuthenticatedUsers",
    `principalSet://${POOL}/*`,
    `principalSet://${WORKFORCE}/*`,
    `principalSet://${POOL}/kubernetes.cluster/https://container.googleapis.com/v1/projects/p/locations/l/clusters/c`,
  ])("wants a reason for %s", (member) => {
    expect(() => iamMember(member, undefined)).toThrowError(
      refusal("google-unsafe: a role is granted to everybody"),
    );
    expect(iamMember(member, "public data")).toBe(member);
  });

  it.each([
    undefined,
    "",
    "allusers",
    "shop-account@shop-prod.iam.gserviceaccount.com",
    "serviceAccount:shop-account",
    "serviceAccount:a@b ",
    "projectViewer:shop-prod",
    "deleted:serviceAccount:a@b?uid=1",
    "principal://iam.googleapis.com/projects/shop-prod/locations/global/workloadIdentityPools/pool/subject/a",
    `principal://${POOL}/*`,
    `principalSet://${POOL}/subject/a`,
    `principalSet://${POOL}`,
  ])("refuses %s, whatever the reason", (member) => {
    expect(() => iamMember(member as string, "public data")).toThrowError(
      refusal("google-invalid: not a member of an IAM policy"),
    );
  });
});
