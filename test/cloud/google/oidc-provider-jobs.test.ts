import { generateKeyPairSync } from "node:crypto";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { Testing, type TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { OidcProvider, WorkloadIdentityPool, type OidcProviderProps } from "../../../lib/cloud/google";
import { publishedJwks } from "../../../lib/rules/openid/issuer-documents";
import { onlyResource, resources, testStack } from "../../fixtures/google/synth";
import { refusal } from "../../support/refusal";

const TYPE = "google_iam_workload_identity_pool_provider";
const attributes = { project: "shop-prod", projectNumber: "123456789012", poolId: "prod-pool" };
const PATH = "projects/shop-prod/locations/global/workloadIdentityPools/prod-pool";
const pool = WorkloadIdentityPool.fromPoolId(testStack(), "pool", attributes);
const props: OidcProviderProps = {
  pool,
  providerId: "prod-eu",
  issuer: "https://issuer.example.com/prod-eu",
};
const pem = (namedCurve: string): string =>
  generateKeyPairSync("ec", { namedCurve }).publicKey.export({ format: "pem", type: "spki" }).toString();
const imports = (stack: TerraformStack): unknown =>
  (JSON.parse(Testing.synth(stack)) as { import?: unknown }).import;
const warnings = (provider: OidcProvider): number =>
  provider.node.metadata.filter(({ type }) => type.includes("warn")).length;

describe("keys of a pool provider", () => {
  const keys = [
    { publicKey: pem("P-256"), use: "current" },
    { publicKey: pem("P-256"), use: "next" },
  ] as const;

  it("uploads the current and the next one", () => {
    const stack = testStack();
    new OidcProvider(stack, "provider", { ...props, keys });
    const { jwks_json } = onlyResource(stack, TYPE)["oidc"] as Record<string, string>;
    expect(JSON.parse(String(jwks_json))).toEqual(publishedJwks(keys));
  });

  it("makes an issuer usable that Google cannot reach", () => {
    const issuer = "https://kubernetes.default.svc";
    expect(new OidcProvider(testStack(), "provider", { ...props, issuer, keys }).issuer.url).toBe(issuer);
  });

  it.each([
    ["google-unused: has no effect", { keys, jwks: '{"keys":[]}' }],
    ["issuer-missing: no public key", { keys: [] }],
    ["issuer-invalid: signs with now", { keys: [{ publicKey: pem("P-256"), use: "next" as const }] }],
    ["issuer-unsupported: does not accept", { keys: [{ publicKey: pem("P-384"), use: "current" as const }] }],
  ] as const)("refuses with %s", (code, changed) => {
    expect(() => new OidcProvider(testStack(), "provider", { ...props, ...changed })).toThrowError(
      refusal(code),
    );
  });
});

describe("adopt", () => {
  it("imports pool and pool provider under the ids of Terraform's import, with the project's id", () => {
    const stack = testStack();
    const adopted = new WorkloadIdentityPool(stack, "pool", { ...attributes, adopt: true });
    new OidcProvider(stack, "provider", { ...props, pool: adopted, adopt: true });
    expect(imports(stack)).toEqual([
      { id: PATH, to: expect.stringMatching(/^google_iam_workload_identity_pool\./) },
      {
        id: `${PATH}/providers/prod-eu`,
        to: expect.stringMatching(/^google_iam_workload_identity_pool_provider\./),
      },
    ]);
  });

  it("imports with the Terraform provider of the resource", () => {
    const stack = testStack();
    const provider = new GoogleProvider(stack, "google", { alias: "other" });
    new OidcProvider(stack, "provider", { ...props, adopt: true, provider });
    expect(imports(stack)).toEqual([expect.objectContaining({ provider: "google.other" })]);
  });

  it("imports nothing by default", () => {
    const stack = testStack();
    new OidcProvider(stack, "provider", {
      ...props,
      pool: new WorkloadIdentityPool(stack, "pool", attributes),
    });
    expect(imports(stack)).toBeUndefined();
  });
});

describe("forProviderId", () => {
  it("declares one pool provider for an id, and adds service accounts to it", () => {
    const stack = testStack();
    const first = OidcProvider.forProviderId(stack, { ...props, serviceAccounts: ["shop/web"] });
    expect(OidcProvider.forProviderId(stack, { ...props, serviceAccounts: ["a/b"] })).toBe(first);
    expect(onlyResource(stack, TYPE)["attribute_condition"]).toBe(
      "assertion.sub in ['system:serviceaccount:a:b', 'system:serviceaccount:shop:web']",
    );
  });

  it("lets one issuer have several, each for its own audience and service accounts, without warning", () => {
    const stack = testStack();
    const components = OidcProvider.forProviderId(stack, {
      ...props,
      providerId: "openshift",
      audiences: ["openshift"],
    });
    const pulls = OidcProvider.forIssuer(stack, props);
    expect(pulls).not.toBe(components);
    expect(OidcProvider.forIssuer(stack, props)).toBe(pulls);
    expect(Object.keys(resources(stack, TYPE))).toHaveLength(2);
    expect([warnings(components), warnings(pulls)]).toEqual([0, 0]);
  });

  it("still warns of a second issuer in the pool", () => {
    const stack = testStack();
    OidcProvider.forProviderId(stack, props);
    const issuer = "https://issuer.example.com/prod-us";
    expect(warnings(OidcProvider.forProviderId(stack, { ...props, providerId: "prod-us", issuer }))).toBe(1);
  });

  it("refuses other settings, and another issuer under the id", () => {
    const stack = testStack();
    OidcProvider.forProviderId(stack, props);
    expect(() => OidcProvider.forProviderId(stack, { ...props, audiences: ["other"] })).toThrowError(
      refusal("google-conflict: the issuer already has a pool provider"),
    );
    const issuer = "https://issuer.example.com/other";
    expect(() => OidcProvider.forProviderId(stack, { ...props, issuer })).toThrowError(
      refusal("google-conflict: pool provider of that id in the workload identity pool is already declared"),
    );
  });
});
