import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { type TerraformStack, TerraformVariable } from "cdktf";
import { describe, expect, it } from "vitest";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import {
  OidcProvider,
  WorkloadIdentityPool,
  type IOidcProvider,
  type OidcProviderAttributes,
  type OidcProviderProps,
} from "../../../lib/cloud/google";
import { refusal, refusedWith } from "../../support/refusal";
import { warnings } from "../../support/stacks";
import { onlyResource, resources, testStack } from "../../fixtures/google/synth";

const TYPE = "google_iam_workload_identity_pool_provider";
const LATE = "${TfToken[TOKEN.1]}";
const POOL = "iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/prod-pool";
const pool = { project: "shop-prod", projectNumber: "123456789012", poolId: "prod-pool" };
const existing = WorkloadIdentityPool.fromPoolId(testStack(), "pool", pool);
const late = WorkloadIdentityPool.fromPoolId(testStack(), "pool", { ...pool, projectNumber: LATE });
const props: OidcProviderProps = {
  pool: existing,
  providerId: "prod-eu",
  issuer: "https://issuer.example.com/prod-eu",
};

/** More service accounts of one namespace than a condition can list. */
const MANY = Array.from({ length: 50 }, (_, index) => `shop/${"a".repeat(60)}${index}`);
const NAMESPACES =
  "The list of service accounts exceeds 4096 characters, so the condition admits their namespaces; IAM bindings still name each service account.";

/** `system:serviceaccount:shop:` has 27 bytes. */
const subjectOf = (bytes: number): Subject => Subject.of(`shop/${"a".repeat(bytes - 27)}`);

const declare = (stack: TerraformStack, changed: Partial<OidcProviderProps> = {}): OidcProvider =>
  new OidcProvider(stack, "provider", { ...props, ...changed });

describe("OidcProvider", () => {
  it("pins issuer, audience and subjects", () => {
    const stack = testStack();
    const provider = declare(stack, { serviceAccounts: ["shop/web", "batch/jobs"] });
    expect(onlyResource(stack, TYPE)).toEqual({
      project: "shop-prod",
      workload_identity_pool_id: "prod-pool",
      workload_identity_pool_provider_id: "prod-eu",
      attribute_condition:
        "assertion.sub in ['system:serviceaccount:batch:jobs', 'system:serviceaccount:shop:web']",
      attribute_mapping: {
        "google.subject": "assertion.sub",
        "attribute.namespace": "assertion['kubernetes.io']['namespace']",
        "attribute.service_account_name": "assertion['kubernetes.io']['serviceaccount']['name']",
      },
      oidc: {
        issuer_uri: "https://issuer.example.com/prod-eu",
        allowed_audiences: [`https://${POOL}/providers/prod-eu`],
      },
      lifecycle: { prevent_destroy: true },
    });
    expect(provider.audience).toBe(`https://${POOL}/providers/prod-eu`);
    expect(provider.stsAudience).toBe(`//${POOL}/providers/prod-eu`);
    expect(provider.node.defaultChild).toBe(provider.resource);
  });

  it("follows a declared pool by reference", () => {
    const stack = testStack();
    declare(stack, { pool: new WorkloadIdentityPool(stack, "pool", pool) });
    const [name] = Object.keys(resources(stack, "google_iam_workload_identity_pool"));
    expect(onlyResource(stack, TYPE)["workload_identity_pool_id"]).toBe(
      `\${google_iam_workload_identity_pool.${name}.workload_identity_pool_id}`,
    );
  });

  it("takes public keys in place of a reachable issuer", () => {
    const stack = testStack();
    declare(stack, { jwks: { keys: [{ kty: "RSA", kid: "k1", n: "0vx7", e: "AQAB" }] } });
    expect(onlyResource(stack, TYPE)["oidc"]).toMatchObject({
      jwks_json: '{"keys":[{"kty":"RSA","kid":"k1","n":"0vx7","e":"AQAB"}]}',
    });
  });

  it("takes public keys of an issuer that no one outside of the cluster can reach", () => {
    const stack = testStack();
    const issuer = "https://kubernetes.default.svc";
    declare(stack, { issuer, jwks: { keys: [{ kty: "RSA", kid: "k1", n: "0vx7", e: "AQAB" }] } });
    expect(onlyResource(stack, TYPE)["oidc"]).toMatchObject({ issuer_uri: issuer });
  });

  it("admits no one before it knows a service account", () => {
    const stack = testStack();
    declare(stack);
    expect(onlyResource(stack, TYPE)["attribute_condition"]).toBe("false");
  });

  it("admits service accounts that are added later, each once", () => {
    const stack = testStack();
    const provider = declare(stack, { serviceAccounts: ["shop/web"] });
    provider.addSubjects([Subject.of("shop/web"), Subject.of("a/b")]);
    expect(onlyResource(stack, TYPE)["attribute_condition"]).toBe(
      "assertion.sub in ['system:serviceaccount:a:b', 'system:serviceaccount:shop:web']",
    );
  });

  it("says in description and warning why a condition is wider than the list", () => {
    const stack = testStack();
    const provider = declare(stack, { serviceAccounts: MANY });
    expect(provider.condition?.form).toBe("namespaces");
    expect(onlyResource(stack, TYPE)).toMatchObject({
      attribute_condition: "assertion['kubernetes.io']['namespace'] in ['shop']",
      description: NAMESPACES,
    });
    expect(warnings(provider)).toEqual([
      `attribute condition of pool provider prod-eu is wider than its service accounts. ${NAMESPACES} If that is too wide, write an attributeCondition with a reason`,
    ]);
  });

  it.each([
    ["Ours", `Ours. ${NAMESPACES}`],
    ["Ours.", `Ours. ${NAMESPACES}`],
    ["ü".repeat(256 - NAMESPACES.length - 2), `${"ü".repeat(256 - NAMESPACES.length - 2)}. ${NAMESPACES}`],
    ["ü".repeat(256), `${"ü".repeat(256 - NAMESPACES.length - 2)}… ${NAMESPACES}`],
  ])("appends that reason to the description %.8s within 256 characters", (description, expected) => {
    const stack = testStack();
    declare(stack, { serviceAccounts: MANY, description });
    expect(onlyResource(stack, TYPE)["description"]).toBe(expected);
  });

  it("appends it to a late description too, which it does not cut", () => {
    const stack = testStack();
    const { stringValue: description } = new TerraformVariable(stack, "text", {});
    declare(stack, { serviceAccounts: MANY, description });
    expect(onlyResource(stack, TYPE)["description"]).toBe(`\${var.text}. ${NAMESPACES}`);
  });

  it("warns once per form as service accounts are added one by one", () => {
    const provider = declare(testStack());
    for (const key of MANY) provider.addSubjects([Subject.of(key)]);
    expect(warnings(provider)).toHaveLength(1);
    for (let index = 0; index < 1000; index += 1)
      provider.addSubjects([Subject.of(`namespace-${index}/web`)]);
    expect(provider.condition?.form).toBe("any-service-account");
    expect(warnings(provider)).toHaveLength(2);
    expect(warnings(provider)[1]).toContain("the condition admits any service account");
  });

  it("does not warn of an exact condition, or of the caller's own", () => {
    expect(warnings(declare(testStack(), { serviceAccounts: MANY.slice(0, 5) }))).toEqual([]);
    const own = { attributeCondition: "assertion.sub.endsWith(':web')", reason: "r", serviceAccounts: MANY };
    expect(warnings(declare(testStack(), own))).toEqual([]);
  });

  it("keeps a description, a condition and further attributes of the caller's own", () => {
    const stack = testStack();
    const provider = declare(stack, {
      serviceAccounts: ["shop/web"],
      displayName: "prod-eu",
      description: "Ours",
      attributeCondition: "assertion.sub.endsWith(':web')",
      reason: "Web pods come and go",
      attributeMapping: { "attribute.aud": "assertion.aud[0]" },
    });
    expect(provider.condition).toBeUndefined();
    expect(onlyResource(stack, TYPE)).toMatchObject({
      display_name: "prod-eu",
      description: "Ours. Web pods come and go",
      attribute_condition: "assertion.sub.endsWith(':web')",
      attribute_mapping: { "attribute.aud": "assertion.aud[0]", "google.subject": "assertion.sub" },
    });
  });

  it("lets a late issuer pass", () => {
    const stack = testStack();
    expect(declare(stack, { issuer: LATE }).issuer.late).toBe(true);
  });

  const own = "assertion.sub.endsWith(':web')";

  it.each(
    refusedWith<Partial<OidcProviderProps>>({
      "google-invalid: id of a workload identity": [{ providerId: "gcp-x" }],
      "issuer-invalid": [{ issuer: "http://issuer.example.com" }, { issuer: "https://issuer.example.com/" }],
      "issuer-unsupported": [{ issuer: "https://kubernetes.default.svc" }],
      "google-limit: number of allowed audiences": [
        { audiences: [] },
        { audiences: Array.from({ length: 11 }, (_, index) => `a${index}`) },
      ],
      "audience-invalid": [{ audiences: ["a".repeat(257)] }],
      "google-invalid: JWKS": [{ jwks: "{}" }],
      "google-unsafe: JWKS holds private": [{ jwks: '{"keys":[{"kty":"RSA","d":"x"}]}' }],
      "google-invalid: attribute mapping": [{ attributeMapping: { "google.subject": "assertion.aud" } }],
      "google-limit: attribute condition has a length": [{ attributeCondition: "", reason: "r" }],
      "google-unsafe: attribute condition admits every token": [{ attributeCondition: "true", reason: "r" }],
      "google-missing: `attributeCondition` is set without a reason": [
        { attributeCondition: own },
        { attributeCondition: own, reason: " " },
        { attributeCondition: LATE },
      ],
      "late-value": [{ attributeCondition: own, reason: LATE }, { pool: late }],
      "google-unused: has no effect": [{ reason: "r" }],
      "property-limit": [
        { attributeCondition: "a.b()", reason: "r".repeat(200), description: "d".repeat(55) },
        { displayName: "a".repeat(33) },
        { description: "a".repeat(257) },
      ],
      "identities-invalid": [{ serviceAccounts: ["web"] }],
    }),
  )("refuses with %s before it declares anything: %o", (code, changed) => {
    const stack = testStack();
    expect(() => declare(stack, changed)).toThrowError(refusal(code));
    expect(stack.node.children).toHaveLength(0);
  });

  it("accepts an issuer that really ends with a slash", () => {
    const stack = testStack();
    declare(stack, { issuer: Issuer.exactly("https://issuer.example.com/") });
    expect(onlyResource(stack, TYPE)["oidc"]).toMatchObject({ issuer_uri: "https://issuer.example.com/" });
  });

  it("needs no literal project number when the audience is stated", () => {
    const provider = declare(testStack(), { pool: late, audiences: ["registry"] });
    expect(provider.audience).toBe("registry");
    expect(provider.principal(Subject.of("shop/web"))).toBe(
      `principal://iam.googleapis.com/projects/${LATE}/locations/global/workloadIdentityPools/prod-pool/subject/system:serviceaccount:shop:web`,
    );
  });
});

describe("subjects around 127 bytes", () => {
  it("are bound as subjects up to the limit, with the plain mapping", () => {
    const stack = testStack();
    const provider = declare(stack);
    expect(provider.principal(subjectOf(127))).toBe(
      `principal://${POOL}/subject/system:serviceaccount:shop:${"a".repeat(100)}`,
    );
    expect(onlyResource(stack, TYPE)["attribute_mapping"]).toMatchObject({
      "google.subject": "assertion.sub",
    });
  });

  it("are bound by attribute above it, while short ones keep their principal", () => {
    const stack = testStack();
    const provider = declare(stack, { attributeMapping: { "attribute.aud": "assertion.aud" } });
    expect(provider.principal(subjectOf(128))).toBe(
      `principalSet://${POOL}/attribute.subject/system:serviceaccount:shop:${"a".repeat(101)}`,
    );
    expect(provider.principal(Subject.of("shop/web"))).toBe(
      `principal://${POOL}/subject/system:serviceaccount:shop:web`,
    );
    expect(onlyResource(stack, TYPE)["attribute_mapping"]).toMatchObject({
      "google.subject":
        "size(assertion.sub) <= 127 ? assertion.sub : 'uid:' + assertion['kubernetes.io']['serviceaccount']['uid']",
      "attribute.subject": "assertion.sub",
      "attribute.aud": "assertion.aud",
    });
  });
});

describe("fromProviderId", () => {
  const attributes = { pool: existing, providerId: "prod-eu" };
  const adopt = (given: OidcProviderAttributes): IOidcProvider =>
    OidcProvider.fromProviderId(testStack(), "provider", given);

  it("declares nothing and knows the default audience", () => {
    const provider = adopt(attributes);
    provider.addSubjects([Subject.of("shop/web")]);
    expect(provider.audience).toBe(`https://${POOL}/providers/prod-eu`);
    expect(provider.stsAudience).toBe(`//${POOL}/providers/prod-eu`);
    expect(provider.dependencies).toEqual([]);
    expect(provider.principal(subjectOf(127))).toContain("/subject/system:serviceaccount:shop:");
  });

  it("binds a long subject only by an attribute that is known to hold it", () => {
    const provider = adopt({ ...attributes, subjectAttribute: "sub", audience: "registry" });
    expect(provider.audience).toBe("registry");
    expect(provider.principal(subjectOf(127))).toContain(`principal://${POOL}/subject/`);
    expect(provider.principal(subjectOf(128))).toContain(`principalSet://${POOL}/attribute.sub/system:`);
    expect(() => adopt(attributes).principal(subjectOf(128))).toThrowError(
      refusal("google-limit", {
        problem:
          "subject has 128 bytes, too many for google.subject, and the attribute mapping of an adopted pool provider cannot be changed here",
      }),
    );
  });

  it("knows the issuer where it is stated", () => {
    expect(adopt(attributes).issuer).toBeUndefined();
    expect(adopt({ ...attributes, issuer: "https://issuer.example.com" }).issuer?.url).toBe(
      "https://issuer.example.com",
    );
    expect(() => adopt({ ...attributes, issuer: "http://issuer.example.com" })).toThrowError(
      refusal("issuer-invalid"),
    );
  });

  it("checks the attribute of long subjects", () => {
    expect(() => adopt({ ...attributes, subjectAttribute: "attribute.sub" })).toThrowError(
      refusal(
        "google-invalid: subjectAttribute is not",
        'subjectAttribute is not the name of a custom attribute, got "attribute.sub"; allowed: 1 to 100 of a-z, 0-9 and _, without `attribute.`; use the name that the pool provider\'s mapping gives assertion.sub: sub for attribute.sub=assertion.sub',
      ),
    );
  });

  it("checks ids and audience", () => {
    expect(() => adopt({ ...attributes, providerId: "abc" })).toThrowError(
      refusal("google-invalid: id of a workload identity"),
    );
    expect(() => adopt({ ...attributes, audience: "" })).toThrowError(refusal("audience-invalid"));
    expect(() => adopt({ ...attributes, pool: late })).toThrowError(refusal("late-value"));
  });
});

describe("forIssuer", () => {
  it("declares one pool provider for an issuer and pool, and adds service accounts to it", () => {
    const stack = testStack();
    const provider = OidcProvider.forIssuer(stack, { ...props, serviceAccounts: ["shop/web"] });
    const same = {
      ...props,
      pool: WorkloadIdentityPool.fromPoolId(stack, "again", pool),
      serviceAccounts: ["a/b"],
    };
    expect(OidcProvider.forIssuer(provider, same)).toBe(provider);
    expect(onlyResource(stack, TYPE)["attribute_condition"]).toBe(
      "assertion.sub in ['system:serviceaccount:a:b', 'system:serviceaccount:shop:web']",
    );
  });

  it("finds a pool provider that was declared directly", () => {
    const stack = testStack();
    const provider = declare(stack);
    expect(OidcProvider.forIssuer(stack, props)).toBe(provider);
  });

  it.each([
    [{ providerId: "other" }, "providerId"],
    [{ audiences: ["other"] }, "audiences"],
    [{ jwks: '{"keys":[{"kty":"RSA","kid":"k","n":"a","e":"b"}]}' }, "jwks"],
    [{ attributeCondition: "assertion.sub.endsWith(':web')", reason: "r" }, "attributeCondition"],
    [{ attributeMapping: { "attribute.aud": "assertion.aud" } }, "attributeMapping"],
    [{ displayName: "other" }, "displayName"],
    [{ description: "other" }, "description"],
  ])("refuses %j for the same issuer", (changed, setting) => {
    const stack = testStack();
    OidcProvider.forIssuer(stack, props);
    expect(() => OidcProvider.forIssuer(stack, { ...props, ...changed })).toThrowError(
      refusal("google-conflict", {
        problem: `the issuer already has a pool provider in this workload identity pool, with another ${setting}`,
      }),
    );
  });

  it("refuses another Terraform provider for the same issuer", () => {
    const stack = testStack();
    const provider = new GoogleProvider(stack, "google", { alias: "other" });
    OidcProvider.forIssuer(stack, props);
    expect(() => OidcProvider.forIssuer(stack, { ...props, provider })).toThrowError(
      refusal("google-conflict: the issuer already has a pool provider"),
    );
  });

  it("warns when a second issuer joins a pool, since principals do not name the issuer", () => {
    const stack = testStack();
    const first = OidcProvider.forIssuer(stack, props);
    const second = OidcProvider.forIssuer(stack, {
      ...props,
      issuer: "https://issuer.example.com/prod-us",
      providerId: "prod-us",
    });
    const elsewhere = OidcProvider.forIssuer(stack, {
      ...props,
      pool: WorkloadIdentityPool.fromPoolId(stack, "other", { ...pool, poolId: "other-pool" }),
    });
    expect(warnings(first)).toEqual([]);
    expect(warnings(elsewhere)).toEqual([]);
    expect(warnings(second)).toEqual([
      "workload identity pool prod-pool trusts several issuers, and principals do not name the issuer: a service account has the rights of the one with the same namespace and name in stack/oidc-provider_shop-prod_prod-pool_prod-eu; give each cluster its own pool unless this is intended",
    ]);
  });

  it("refuses one id for two issuers of a pool", () => {
    const stack = testStack();
    OidcProvider.forIssuer(stack, props);
    expect(() =>
      OidcProvider.forIssuer(stack, { ...props, issuer: "https://issuer.example.com/other" }),
    ).toThrowError(
      refusal(
        "google-conflict: pool provider of that id in the workload identity pool is already declared",
        'pool provider of that id in the workload identity pool is already declared in this app, as stack/oidc-provider_shop-prod_prod-pool_prod-eu, got "prod-eu"; allowed: one declaration in an app; state another providerId; for the same issuer and audience give that construct as `oidcProvider`, in another stack too, or adopt it with OidcProvider.fromProviderId and name the service accounts at the declared one',
      ),
    );
  });
});
