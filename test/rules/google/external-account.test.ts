import { describe, expect, it } from "vitest";
import { externalAccountFile, universeDomain } from "../../../lib/rules/google/workload";
import { refusal } from "../../support/refusal";

const account = {
  stsAudience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
  tokenPath: "/var/run/secrets/token",
  impersonate: "web@shop.iam.gserviceaccount.com",
  universeDomain: "googleapis.com",
};

describe("externalAccountFile", () => {
  // Members and their order: openshift/cloud-credential-operator, pkg/cmd/provisioning/gcp/create_service_accounts.go.
  it("has ccoctl's members in ccoctl's order", () => {
    expect(externalAccountFile(account)).toBe(`{
  "type": "external_account",
  "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
  "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
  "token_url": "https://sts.googleapis.com/v1/token",
  "service_account_impersonation_url": "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/web@shop.iam.gserviceaccount.com:generateAccessToken",
  "credential_source": {
    "file": "/var/run/secrets/token",
    "format": {
      "type": "text"
    }
  }
}`);
  });

  it("acts as the principal itself without a service account", () => {
    expect(JSON.parse(externalAccountFile({ ...account, impersonate: undefined }))).not.toHaveProperty(
      "service_account_impersonation_url",
    );
  });

  it("keeps the pool's host and names the domain in another universe", () => {
    expect(JSON.parse(externalAccountFile({ ...account, universeDomain: "example.goog" }))).toMatchObject({
      audience: account.stsAudience,
      token_url: "https://sts.example.goog/v1/token",
      universe_domain: "example.goog",
    });
  });

  it("passes a late audience through", () => {
    const stsAudience = "//iam.googleapis.com/projects/${TfToken[TOKEN.1]}/x";
    expect(externalAccountFile({ ...account, stsAudience })).toContain(`"audience": "${stsAudience}"`);
  });
});

describe("universeDomain", () => {
  it.each(["googleapis.com", "apis-s3ns.fr"])("accepts %s", (domain) => {
    expect(universeDomain(domain)).toBe(domain);
  });

  it.each(["", "https://googleapis.com", "googleapis.com/", "localhost", "a..b"])("refuses %j", (domain) => {
    expect(() => universeDomain(domain)).toThrowError(
      refusal("google-invalid: universeDomain is not a domain name"),
    );
  });
});
