import { describe, expect, it } from "vitest";
import { GKE_DEFAULT_ROLE, gkeRole, gkeServer, rbacUser } from "../../../lib/rules/google/spoke";
import { type Refusal, refusal } from "../../support/refusal";

const LATE = "${TfToken[TOKEN.1]}";

describe("gkeServer", () => {
  it.each<readonly [string, string]>([
    // `google_container_cluster.endpoint` is an address alone.
    ["34.76.1.2", "https://34.76.1.2"],
    ["gke-abc.europe-west1.gke.goog", "https://gke-abc.europe-west1.gke.goog"],
    ["https://34.76.1.2", "https://34.76.1.2"],
    // Refused by the fleet with its own words; not made better here.
    ["http://34.76.1.2", "http://34.76.1.2"],
    [LATE, `https://${LATE}`],
  ])("makes %s a URL", (endpoint, server) => {
    expect(gkeServer(endpoint)).toBe(server);
  });
});

describe("gkeRole", () => {
  it.each<readonly [string, boolean]>([
    [GKE_DEFAULT_ROLE, false],
    ["roles/container.viewer", true],
    ["roles/container.developer", true],
    ["roles/container.admin", true],
    ["projects/shop-prod/roles/enterClusters", false],
  ])("says whether %s gives rights within clusters", (role, authorizes) => {
    expect(gkeRole(role)).toEqual({ role, authorizes });
  });

  it.each<readonly [string, string]>([
    ["container.developer", "google-invalid: not the full name of a role"],
    ["roles/editor", "google-unsafe: a basic role reaches"],
    [LATE, "late-value"],
  ])("refuses %s", (role, code) => {
    expect(() => gkeRole(role)).toThrowError(refusal(code as Refusal));
  });
});

describe("rbacUser", () => {
  it.each<readonly [string, string | undefined]>([
    ["serviceAccount:hub@shop-prod.iam.gserviceaccount.com", "hub@shop-prod.iam.gserviceaccount.com"],
    [
      "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/subject/s",
      undefined,
    ],
    [`serviceAccount:${LATE}`, undefined],
  ])("knows %s as %s", (member, user) => {
    expect(rbacUser(member)).toBe(user);
  });
});
