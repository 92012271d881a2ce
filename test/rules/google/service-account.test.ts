import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ccoctlAccountId, ccoctlDisplayName, ccoctlRoleId } from "../../../lib/rules/google/component";
import { derivedAccountId, serviceAccountEmail, serviceAccountId } from "../../../lib/rules/google/names";
import { customRoleId, derivedRoleId } from "../../../lib/rules/google/role";
import { refusal } from "../../support/refusal";

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
const subdomain = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,80}[a-z0-9])?$/);

describe("service account ids", () => {
  // REST reference of projects.serviceAccounts, create: 6-30 characters, [a-z]([-a-z0-9]*[a-z0-9]).
  it.each(["shop-a", "a".repeat(30)])("accepts %s", (id) => {
    expect(serviceAccountId(id)).toBe(id);
  });

  it.each(["shop1", "a".repeat(31), "1shop-web", "shop-web-", "Shop-web", "shop_web", ""])(
    "refuses %j",
    (id) => {
      expect(() => serviceAccountId(id)).toThrowError(
        refusal("google-invalid: id of a Google service account"),
      );
    },
  );

  it("derives valid ids from every cluster and request", () => {
    fc.assert(
      fc.property(label, subdomain, (cluster, name) => {
        const id = derivedAccountId(cluster, name, [name]);
        expect(serviceAccountId(id)).toBe(id);
      }),
    );
  });

  it("tells apart what is cut alike", () => {
    const of = (name: string): string => derivedAccountId("prod-eu-west-1", name, [name]);
    expect(of("machine-api-gcp-one")).not.toBe(of("machine-api-gcp-two"));
    expect(derivedAccountId("a", "b-c", ["b", "c"])).not.toBe(derivedAccountId("a", "b-c", ["b-c"]));
  });

  it.each([
    ["shop-prod", "web-account@shop-prod.iam.gserviceaccount.com"],
    // openshift/cloud-credential-operator, pkg/gcp: domain-scoped projects.
    ["example.com:shop", "web-account@shop.example.com.iam.gserviceaccount.com"],
  ])("knows the address in project %s", (project, email) => {
    expect(serviceAccountEmail("web-account", project)).toBe(email);
  });
});

describe("custom role ids", () => {
  it.each(["abc", "a.b_C9", "a".repeat(64)])("accepts %s", (id) => {
    expect(customRoleId(id)).toBe(id);
  });

  it.each(["ab", "a-b", "a".repeat(65), ""])("refuses %j", (id) => {
    expect(() => customRoleId(id)).toThrowError(refusal("google-invalid: id of a custom role"));
  });

  it("derives valid ids from every cluster and request", () => {
    fc.assert(
      fc.property(label, subdomain, (cluster, name) => {
        const id = derivedRoleId([cluster, name]);
        expect(customRoleId(id)).toBe(id);
      }),
    );
  });

  it("tells apart what is replaced alike", () => {
    expect(derivedRoleId(["a-b", "c"])).not.toBe(derivedRoleId(["a.b", "c"]));
    expect(derivedRoleId(["a", "b-c"])).not.toBe(derivedRoleId(["a-b", "c"]));
  });
});

// Limits: openshift/cloud-credential-operator, pkg/cmd/provisioning/gcp/create_service_accounts.go.
describe("ccoctl's names", () => {
  const long = "x".repeat(60);

  it("cuts the account id to 12 and 11 characters, and ends it with five", () => {
    expect(ccoctlAccountId("a-rather-long-name", "openshift-image-registry-gcs")).toMatch(
      /^a-rather-lon-openshift-i-[0-9a-f]{5}$/,
    );
  });

  it("cuts the display name to 50 and 49 characters", () => {
    expect(ccoctlDisplayName(long, long)).toBe(`${"x".repeat(50)}-${"x".repeat(49)}`);
  });

  it("keeps letters and digits of project and request in the role id, 32 and 31 of them", () => {
    expect(ccoctlRoleId("example.com:my-project", "openshift-cloud-network-config-controller-gcp")).toBe(
      "examplecommyproject_openshiftcloudnetworkconfigcont",
    );
    expect(ccoctlRoleId(long, long)).toBe(`${"x".repeat(32)}_${"x".repeat(31)}`);
  });

  it("titles the role with project and request", () => {
    expect(ccoctlDisplayName("my-project", "openshift-gcp-ccm")).toBe("my-project-openshift-gcp-ccm");
  });
});
