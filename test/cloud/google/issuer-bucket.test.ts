import { generateKeyPairSync } from "node:crypto";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformStack, TerraformVariable, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { IssuerBucket, type IssuerBucketProps } from "../../../lib/cloud/google";
import { Duration } from "../../../lib/model/duration";
import { type Refusal, refusal } from "../../support/refusal";
import { onlyResource, resources, testStack } from "../../fixtures/google/synth";

const pem = (namedCurve: string): string =>
  generateKeyPairSync("ec", { namedCurve }).publicKey.export({ format: "pem", type: "spki" }).toString();
const props: IssuerBucketProps = {
  bucket: "prod-eu-oidc",
  project: "shop-prod",
  location: "eu",
  keys: [
    { publicKey: pem("P-256"), use: "current" },
    { publicKey: pem("P-256"), use: "next" },
  ],
};

const lateUniverse = (stack: TerraformStack): string =>
  new TerraformVariable(stack, "universe", { type: "string" }).stringValue;

describe("IssuerBucket", () => {
  it("publishes both documents as JSON, kept for five minutes", () => {
    const stack = testStack();
    const host = new IssuerBucket(stack, "issuer", props);
    expect(host.issuer.url).toBe("https://storage.googleapis.com/prod-eu-oidc");
    expect(onlyResource(stack, "google_storage_bucket")).toEqual({
      name: "prod-eu-oidc",
      project: "shop-prod",
      location: "EU",
      uniform_bucket_level_access: true,
      public_access_prevention: "inherited",
      lifecycle: { prevent_destroy: true },
    });
    expect(onlyResource(stack, "google_storage_bucket_iam_member")).toMatchObject({
      bucket: "prod-eu-oidc",
      role: "roles/storage.legacyObjectReader",
      member: "allUsers",
      depends_on: [expect.stringContaining("google_storage_bucket.")],
    });
    const objects = Object.values(resources(stack, "google_storage_bucket_object"));
    expect(objects.map(({ name }) => name)).toEqual([".well-known/openid-configuration", "keys.json"]);
    for (const object of objects)
      expect(object).toMatchObject({
        content_type: "application/json",
        cache_control: "public, max-age=300",
        depends_on: [expect.stringContaining("google_storage_bucket.")],
      });
    const [discovery, jwks] = objects.map(
      ({ content }) => JSON.parse(String(content)) as Record<string, unknown>,
    );
    expect(discovery).toMatchObject({
      issuer: host.issuer.url,
      jwks_uri: `${host.issuer.url}/keys.json`,
      id_token_signing_alg_values_supported: ["ES256"],
    });
    expect(jwks?.["keys"]).toHaveLength(2);
  });

  it("states another cache duration and universe", () => {
    const stack = testStack();
    const settings = { ...props, cacheDuration: Duration.seconds(0), universeDomain: "example.goog" };
    expect(new IssuerBucket(stack, "issuer", settings).issuer.url).toBe(
      "https://storage.example.goog/prod-eu-oidc",
    );
    expect(Object.values(resources(stack, "google_storage_bucket_object"))[0]?.["cache_control"]).toBe(
      "public, max-age=0",
    );
  });

  it("imports the bucket when it adopts, and keeps the readers as they are", () => {
    const stack = testStack();
    new IssuerBucket(stack, "issuer", { ...props, adopt: true });
    const { import: imports } = JSON.parse(Testing.synth(stack)) as { import: { id: string }[] };
    expect(imports.map(({ id }) => id)).toEqual(["shop-prod/prod-eu-oidc"]);
    expect(onlyResource(stack, "google_storage_bucket_iam_member")["role"]).toBe(
      "roles/storage.objectViewer",
    );
  });

  it.each([
    [{ listing: true }, "roles/storage.objectViewer"],
    [{ adopt: true, listing: false }, "roles/storage.legacyObjectReader"],
  ])("lets everybody list where %j says so", (changed, role) => {
    const stack = testStack();
    new IssuerBucket(stack, "issuer", { ...props, ...changed });
    expect(onlyResource(stack, "google_storage_bucket_iam_member")["role"]).toBe(role);
  });

  it("refuses a bucket that is declared in another stack of the app", () => {
    const app = Testing.app();
    new IssuerBucket(new TerraformStack(app, "one"), "issuer", props);
    const other = new TerraformStack(app, "other");
    expect(() => new IssuerBucket(other, "issuer", props)).toThrowError(
      refusal("google-conflict: bucket is already declared"),
    );
    expect(other.node.children).toEqual([]);
  });

  // The Google provider calls the APIs of its own `universe_domain`, whatever the documents say.
  it("is in the universe of the google provider", () => {
    const stack = testStack();
    const provider = new GoogleProvider(stack, "google", { universeDomain: "example.goog" });
    const other = new GoogleProvider(stack, "other", { alias: "o", universeDomain: "googleapis.com" });
    expect(() => new IssuerBucket(stack, "issuer", props)).toThrowError(
      refusal(
        "google-mismatch: universeDomain differs",
        'universeDomain differs from that of the google provider, which declares the resources, got "googleapis.com"; allowed: example.goog; state the same universeDomain in both, or pass the google provider of this universe as `provider`',
      ),
    );
    expect(stack.node.children).toEqual([provider, other]);
    const stated = new IssuerBucket(stack, "stated", { ...props, universeDomain: "example.goog" });
    expect(stated.issuer.url).toBe("https://storage.example.goog/prod-eu-oidc");
    const elsewhere = new IssuerBucket(stack, "elsewhere", {
      ...props,
      bucket: "other-oidc",
      provider: other,
    });
    expect(elsewhere.issuer.url).toBe("https://storage.googleapis.com/other-oidc");
  });

  it("cannot compare a universe that the provider does not state, or that is late", () => {
    for (const stated of [() => undefined, () => "${var.universe}", lateUniverse]) {
      const stack = testStack();
      new GoogleProvider(stack, "google", { universeDomain: stated(stack) });
      expect(new IssuerBucket(stack, "issuer", props).issuer.url).toContain("storage.googleapis.com");
    }
  });

  it.each<[Refusal, Partial<IssuerBucketProps>]>([
    ["google-invalid: not a name of a bucket", { bucket: "Prod" }],
    ["google-invalid: not a name of a bucket", { bucket: "ab" }],
    ["google-invalid: not a name of a bucket", { bucket: "a.b.c" }],
    ["google-invalid: not a name of a bucket", { bucket: "goog-oidc" }],
    ["google-invalid: not a name of a bucket", { bucket: "my-google-oidc" }],
    ["google-invalid: not a name of a bucket", { bucket: "prod-" }],
    ["google-invalid: not a name of a bucket", { bucket: "a".repeat(64) }],
    ["google-invalid: location of the bucket", { location: "" }],
    ["issuer-invalid: signs with now", { keys: [{ publicKey: pem("P-256"), use: "next" }] }],
    // https://cloud.google.com/iam/docs/workload-identity-federation-with-other-providers: RS256 or ES256.
    ["issuer-unsupported: does not accept", { keys: [{ publicKey: pem("P-384"), use: "current" }] }],
    ["google-invalid: universeDomain is not a domain name", { universeDomain: "" }],
  ])("refuses with %s and declares nothing", (code, changed) => {
    const stack = testStack();
    expect(() => new IssuerBucket(stack, "issuer", { ...props, ...changed })).toThrowError(refusal(code));
    expect(stack.node.children).toEqual([]);
  });
});
