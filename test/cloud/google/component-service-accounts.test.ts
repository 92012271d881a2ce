import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformResource, type TerraformStack, TerraformVariable } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  ComponentServiceAccount,
  OidcProvider,
  WorkloadIdentityPool,
  componentServiceAccounts,
  type ComponentServiceAccountsProps,
} from "../../../lib/cloud/google";
import type { ComponentsDeclaration } from "../../../lib/model/components";
import type { CredentialsRequest } from "../../../lib/model/credentials-request";
import { Issuer } from "../../../lib/model/issuer";
import { LateEncoding } from "../../../lib/model/late";
import { Subject } from "../../../lib/model/subject";
import { type Refusal, code, refusal, refusedWith } from "../../support/refusal";
import { componentRequest } from "../../fixtures/google/requests";
import { foreignPool, onlyResource, resources, testStack } from "../../fixtures/google/synth";
import { warnings } from "../../support/stacks";

const LATE = "${TfToken[TOKEN.1]}";
const ISSUER = "https://issuer.example.com/prod-eu";
const settings: ComponentServiceAccountsProps = { project: "shop-prod", projectNumber: "123456789012" };
const TYPES = [
  "google_iam_workload_identity_pool",
  "google_iam_workload_identity_pool_provider",
  "google_service_account",
  "google_project_iam_custom_role",
  "google_project_iam_member",
  "google_service_account_iam_member",
] as const;

function declare(
  stack: TerraformStack,
  changed: Partial<ComponentServiceAccountsProps> = {},
  requests: readonly CredentialsRequest[] = [componentRequest()],
  clusterName = "prod-eu",
): ComponentsDeclaration {
  return componentServiceAccounts({ ...settings, ...changed }).declare(stack, {
    clusterName,
    issuer: Issuer.of(ISSUER),
    requests,
  });
}

const count = (stack: TerraformStack): number =>
  stack.node.findAll().filter((each) => each instanceof TerraformResource).length;

describe("componentServiceAccounts", () => {
  it("declares everything that a component needs, with literal names", () => {
    const stack = testStack();
    const { grants, secrets } = declare(stack);
    const account = String(onlyResource(stack, "google_service_account")["account_id"]);
    const email = `${account}@shop-prod.iam.gserviceaccount.com`;
    const role = String(onlyResource(stack, "google_project_iam_custom_role")["role_id"]);
    expect(role).toMatch(/^prod_eu_openshift_shop_[0-9a-f]{8}$/);
    expect(onlyResource(stack, "google_service_account")).toEqual({
      project: "shop-prod",
      account_id: expect.stringMatching(/^prod-eu-shop-[0-9a-f]{8}$/),
      display_name: "prod-eu openshift-shop",
      description: "OpenShift component of cluster prod-eu, CredentialsRequest openshift-shop",
    });
    expect(onlyResource(stack, "google_project_iam_custom_role")).toMatchObject({
      project: "shop-prod",
      permissions: ["compute.disks.list", "compute.zones.get"],
    });
    expect(onlyResource(stack, "google_project_iam_member")).toMatchObject({
      project: "shop-prod",
      role: `projects/shop-prod/roles/${role}`,
      member: `serviceAccount:${email}`,
      depends_on: [
        expect.stringContaining("google_service_account."),
        expect.stringContaining("google_project_iam_custom_role."),
      ],
    });
    expect(onlyResource(stack, "google_service_account_iam_member")).toMatchObject({
      service_account_id: `projects/shop-prod/serviceAccounts/${email}`,
      role: "roles/iam.workloadIdentityUser",
      member:
        "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-prod-eu/subject/system:serviceaccount:openshift-shop:operator",
      depends_on: [
        expect.stringContaining("google_service_account."),
        expect.stringContaining("google_iam_workload_identity_pool_provider."),
      ],
    });
    expect(onlyResource(stack, "google_iam_workload_identity_pool_provider")).toMatchObject({
      workload_identity_pool_provider_id: "k8s-prod-eu--openshift",
      attribute_condition: "assertion.sub in ['system:serviceaccount:openshift-shop:operator']",
      oidc: { issuer_uri: ISSUER, allowed_audiences: ["openshift"] },
    });
    expect(secrets).toEqual([]);
    expect(grants.map(({ identity }) => identity)).toEqual([email]);
  });

  it("takes an empty audience for an unset one, as the operator does", () => {
    const request = componentRequest({ predefinedRoles: ["roles/dns.admin"], audience: "" });
    expect(declare(testStack(), {}, [request]).grants).toHaveLength(1);
  });

  it("adds nothing to the state by import unless it adopts", () => {
    const stack = testStack();
    declare(stack);
    expect(stack.toTerraform()).not.toHaveProperty("import");
  });

  it("shares the pool with other jobs, each with a pool provider of its own", () => {
    const stack = testStack();
    declare(stack);
    const pool = WorkloadIdentityPool.forPoolId(stack, {
      project: "shop-prod",
      projectNumber: "123456789012",
      poolId: "k8s-prod-eu",
    });
    const pulls = OidcProvider.forIssuer(stack, {
      pool,
      providerId: "k8s-prod-eu",
      issuer: ISSUER,
      serviceAccounts: ["shop/web"],
    });
    const dns = { name: "dns", subjects: [Subject.of("dns/dns")] };
    declare(stack, {}, [componentRequest({ predefinedRoles: ["roles/dns.admin"] }, dns)]);
    const conditions = Object.values(resources(stack, "google_iam_workload_identity_pool_provider")).map(
      (provider) => [provider["workload_identity_pool_provider_id"], provider["attribute_condition"]],
    );
    expect(conditions).toEqual([
      [
        "k8s-prod-eu--openshift",
        "assertion.sub in ['system:serviceaccount:dns:dns', 'system:serviceaccount:openshift-shop:operator']",
      ],
      ["k8s-prod-eu", "assertion.sub in ['system:serviceaccount:shop:web']"],
    ]);
    expect(pulls.node.metadata.filter(({ type }) => type.includes("warn"))).toEqual([]);
    expect(Object.keys(resources(stack, "google_iam_workload_identity_pool"))).toHaveLength(1);
  });

  it("writes a Secret that waits for a late project number", () => {
    const stack = testStack();
    const number = new TerraformVariable(stack, "number", { type: "string" });
    const { grants } = declare(stack, { projectNumber: number.stringValue });
    const { data = {} } = grants[0]?.secret ?? {};
    expect(data["service_account.json"]).toBeInstanceOf(LateEncoding);
  });

  it("uses the request's token path and the universe in the credential file", () => {
    const { grants } = declare(testStack(), { universeDomain: "example.goog" }, [
      componentRequest(undefined, { cloudTokenPath: "/var/run/secrets/own/token" }),
    ]);
    const text = Buffer.from(String(grants[0]?.secret.data?.["service_account.json"]), "base64").toString();
    expect(JSON.parse(text)).toMatchObject({
      token_url: "https://sts.example.goog/v1/token",
      credential_source: { file: "/var/run/secrets/own/token", format: { type: "text" } },
      universe_domain: "example.goog",
    });
  });

  it("applies overrides of single requests", () => {
    const stack = testStack();
    const condition = { title: "buckets", expression: "resource.name.startsWith('projects/_/buckets/shop')" };
    declare(stack, {
      accountIds: { "openshift-shop": "shop-account" },
      overrides: {
        "openshift-shop": { permissions: [], predefinedRoles: ["roles/storage.admin"], condition },
      },
    });
    expect(resources(stack, "google_project_iam_custom_role")).toEqual({});
    expect(onlyResource(stack, "google_project_iam_member")).toMatchObject({
      role: "roles/storage.admin",
      member: "serviceAccount:shop-account@shop-prod.iam.gserviceaccount.com",
      condition,
    });
  });

  it("grants a role that another stack declares without declaring it", () => {
    const stack = testStack();
    declare(stack, { roleSharing: "existing" });
    expect(resources(stack, "google_project_iam_custom_role")).toEqual({});
    expect(onlyResource(stack, "google_project_iam_member")["role"]).toBe(
      "projects/shop-prod/roles/shopprod_openshiftshop",
    );
  });

  it("adopts without importing what is new: a role of the cluster's own, and absent requests", () => {
    const stack = testStack();
    const other = componentRequest(
      { predefinedRoles: ["roles/dns.admin"] },
      { name: "newer", subjects: [Subject.of("a/b")] },
    );
    declare(
      stack,
      {
        adopt: true,
        accountIds: { "openshift-shop": "prod-eu-openshift-s-ab2cd" },
        absentAccounts: ["newer"],
        roleSharing: "cluster",
      },
      [componentRequest(), other],
    );
    const { import: imports } = stack.toTerraform() as { import: { id: string }[] };
    const account =
      "projects/shop-prod/serviceAccounts/prod-eu-openshift-s-ab2cd@shop-prod.iam.gserviceaccount.com";
    const pool = "projects/shop-prod/locations/global/workloadIdentityPools/prod-eu";
    expect(imports.map(({ id }) => id).sort()).toEqual([pool, `${pool}/providers/prod-eu`, account]);
    const ids = Object.values(resources(stack, "google_service_account")).map((block) => block["account_id"]);
    expect(ids).toContainEqual(expect.stringMatching(/^prod-eu-newer-[0-9a-f]{5}$/));
  });

  it("names objects like ccoctl that was given another name", () => {
    const stack = testStack();
    declare(stack, { naming: "ccoctl", ccoctlName: "blue", absentAccounts: "all" });
    expect(onlyResource(stack, "google_iam_workload_identity_pool")).toMatchObject({
      workload_identity_pool_id: "blue",
      description: "Created By OpenShift ccoctl",
    });
    expect(onlyResource(stack, "google_service_account")["display_name"]).toBe("blue-openshift-shop");
  });

  const twin = componentRequest(undefined, { source: { file: "again.yaml" } });
  const ids = { "openshift-shop": "shop-account" };
  const untyped = (value: unknown): never => value as never;
  const long = [1, 2].map((end) =>
    componentRequest(undefined, { name: `openshift-a-name-of-thirty-one-characters-${end}` }),
  );
  const ccoctl = { naming: "ccoctl", absentAccounts: "all" } as const;
  const override = (change: unknown): Partial<ComponentServiceAccountsProps> => ({
    overrides: { "openshift-shop": untyped(change) },
  });
  const condition = { title: "t", expression: "resource.name != 'x'" };

  it.each(
    refusedWith<Partial<ComponentServiceAccountsProps>>({
      "google-invalid: id of a Google service account": [{ accountIds: { "openshift-shop": "short" } }],
      "google-invalid: id of a custom role": [override({ roleId: "a-b" })],
      "google-unknown: names a CredentialsRequest that is not among": [
        { overrides: { shop: {} } },
        { accountIds: { shop: "shop-account" } },
        { naming: "ccoctl", absentAccounts: ["shop"] },
        { adopt: true, adoptRoles: ["shop"] },
      ],
      "google-missing: ids of ccoctl's service accounts": [{ adopt: true }, { naming: "ccoctl" }],
      "google-conflict: a request is listed both in accountIds": [
        { adopt: true, accountIds: ids, absentAccounts: ["openshift-shop"] },
      ],
      "google-unsupported: a condition cannot be added to an adopted role": [
        { adopt: true, accountIds: ids, ...override({ condition }) },
      ],
      "google-unused: has no effect": [
        { adopt: true, naming: "derived" },
        { absentAccounts: "all" },
        { ccoctlName: "blue" },
        { adoptRoles: ["openshift-shop"] },
        { adopt: true, accountIds: ids, adoptRoles: ["openshift-shop"], roleSharing: "existing" },
      ],
      "property-unknown": [override({ roleID: "x" }), override({ accountId: "x" })],
      "property-invalid": [
        override(undefined),
        override({ permissions: "abc" }),
        override({ roleSharing: "mine" }),
        { adopt: untyped({}) },
      ],
      "late-value": [{ ...ccoctl, ccoctlName: LATE }],
      "cluster-invalid": [{ ...ccoctl, ccoctlName: "a_b" }],
      "google-invalid: project number is missing": [{ projectNumber: "" }],
      "property-missing: projectNumber of componentServiceAccounts() is missing": [
        { projectNumber: undefined },
      ],
      "google-invalid: universeDomain is not a domain name": [{ universeDomain: "https://googleapis.com" }],
    }),
  )("refuses with %s before anything is declared: %j", (expected, changed) => {
    const stack = testStack();
    expect(() => declare(stack, changed)).toThrowError(refusal(expected));
    expect(count(stack)).toBe(0);
  });

  it.each(
    refusedWith<readonly [Partial<ComponentServiceAccountsProps>, ...CredentialsRequest[]]>({
      "google-conflict: would have the same": [
        [{}, componentRequest(), twin],
        [ccoctl, ...long],
        [{ roleSharing: "existing" }, ...long],
      ],
      "google-foreign: request is not for Google Cloud": [
        [{}, componentRequest(undefined, { providerKind: "AWSProviderSpec" })],
      ],
      "google-unknown: spec.providerSpec has a field": [[{}, componentRequest({ permission: ["a.b.c"] })]],
      "google-invalid: is not a list of texts": [
        [{}, componentRequest({ permissions: "a.b.c" })],
        [{}, componentRequest({ permissions: ["a.b.c", 1] })],
      ],
      "google-unsupported: is set, so the cloud-credential-operator": [
        [{}, componentRequest({ serviceAccountEmail: "a@b" })],
        [{}, componentRequest({ audience: "a" })],
      ],
      "google-missing: request asks for no permission": [[{}, componentRequest({})]],
      "google-invalid: not a permission that a custom role can hold": [
        [{}, componentRequest({ permissions: ["compute.*"] })],
      ],
      "google-invalid: not the full name of a role": [
        [{}, componentRequest({ predefinedRoles: ["dns.admin"] })],
      ],
      "google-unsafe: a basic role reaches": [[{}, componentRequest({ predefinedRoles: ["roles/editor"] })]],
      "google-missing: has no CredentialsRequest": [[{}]],
      // What every object is born with is no entry.
      "google-missing: ids of ccoctl's service accounts": [
        [{ naming: "ccoctl" }, componentRequest(undefined, { name: "constructor" })],
      ],
    }),
  )("refuses with %s before anything is declared: %j", (expected, [changed, ...requests]) => {
    const stack = testStack();
    expect(() => declare(stack, changed, requests)).toThrowError(refusal(expected));
    expect(count(stack)).toBe(0);
  });

  // A token of the file's universe is exchanged nowhere else (google.aip.dev/auth/4117, universe_domain).
  it.each([
    ["s3ns.fr", undefined],
    ["googleapis.com", "s3ns.fr"],
  ])("refuses a google provider of the universe %s with universeDomain %s", (universe, universeDomain) => {
    const [stack, same] = [testStack(), testStack()];
    for (const each of [stack, same]) new GoogleProvider(each, "google", { universeDomain: universe });
    expect(() => declare(stack, { universeDomain })).toThrowError(
      code("google-mismatch", /^universeDomain differs/),
    );
    expect(count(stack)).toBe(0);
    expect(() => declare(same, { universeDomain: universe })).not.toThrow();
  });

  it("names file, document and request in a refusal", () => {
    expect(() => declare(testStack(), {}, [componentRequest({ permissions: ["compute.*"] })])).toThrowError(
      refusal(
        "google-invalid: not a permission that a custom role can hold",
        'shop.yaml, document 2, CredentialsRequest openshift-shop: not a permission that a custom role can hold, got "compute.*"; allowed: service.resource.verb, for example compute.instances.get; no wildcard; list each permission, as the reference of IAM permissions writes it',
      ),
    );
    expect(() => declare(testStack(), {}, [componentRequest(), twin])).toThrowError(
      expect.objectContaining({
        problem:
          "shop.yaml, document 2, CredentialsRequest openshift-shop and again.yaml, CredentialsRequest openshift-shop would have the same name",
      }),
    );
  });

  it("refuses an account that another cluster of the app has", () => {
    const stack = testStack();
    const accountIds = { "openshift-shop": "shop-account" };
    declare(stack, { accountIds });
    const before = count(stack);
    expect(() => declare(stack, { accountIds }, [componentRequest()], "prod-us")).toThrowError(
      refusal("google-conflict: Google service account is already declared"),
    );
    expect(count(stack)).toBe(before);
  });

  it("refuses a pool provider that does not take the components' audience, or trusts another issuer", () => {
    const stack = testStack();
    const pool = foreignPool(stack);
    const given = { pool, providerId: "prod" };
    const adopted = OidcProvider.fromProviderId(stack, "adopted", { ...given, audience: "other" });
    const oidcProvider = OidcProvider.fromProviderId(stack, "other", {
      ...given,
      audience: "openshift",
      issuer: "https://issuer.example.com/other",
    });
    const project = "shop-prod";
    expect(() => componentServiceAccounts({ project, oidcProvider: adopted })).toThrowError(
      refusal("audience-mismatch"),
    );
    expect(() => declare(stack, { projectNumber: undefined, oidcProvider })).toThrowError(
      refusal("google-mismatch: oidcProvider trusts another cluster's issuer"),
    );
    expect(() => componentServiceAccounts({ project, projectNumber: "2", oidcProvider })).toThrowError(
      refusal("google-mismatch: differs from that of the given workload identity pool"),
    );
  });
});

describe("adoption", () => {
  const adopting = { adopt: true, accountIds: { "openshift-shop": "shop-account" } };
  const importIds = (stack: TerraformStack): readonly string[] => {
    const { import: imports = [] } = stack.toTerraform() as { import?: { id: string }[] };
    return imports.map(({ id }) => id);
  };

  it("takes a pool of another id into the state", () => {
    const stack = testStack();
    declare(stack, { ...adopting, pool: { poolId: "own-pool" } });
    expect(onlyResource(stack, "google_iam_workload_identity_pool")["workload_identity_pool_id"]).toBe(
      "own-pool",
    );
    expect(importIds(stack)).toContain("projects/shop-prod/locations/global/workloadIdentityPools/own-pool");
  });

  it("leaves a pool of the caller's to the caller", () => {
    const stack = testStack();
    declare(stack, { ...adopting, projectNumber: undefined, pool: foreignPool(stack) });
    expect(resources(stack, "google_iam_workload_identity_pool")).toEqual({});
    expect(onlyResource(stack, "google_iam_workload_identity_pool_provider")["project"]).toBe("pool-owner");
  });

  it("takes a late project number: import ids name the project", () => {
    const stack = testStack();
    const number = new TerraformVariable(stack, "number", { type: "string" });
    declare(stack, { ...adopting, projectNumber: number.stringValue });
    expect(importIds(stack)).toHaveLength(4);
    expect(importIds(stack).filter((id) => id.includes("${"))).toEqual([]);
  });

  it("changes nothing but the import blocks when adopt goes", () => {
    const [before, after] = [testStack(), testStack()];
    declare(before, { ...adopting, ccoctlName: "blue" });
    declare(after, { naming: "ccoctl", accountIds: adopting.accountIds, ccoctlName: "blue" });
    for (const type of TYPES) expect(resources(after, type)).toEqual(resources(before, type));
    expect(importIds(after)).toEqual([]);
  });

  it.each([
    [
      "a sibling's role without an account",
      { absentAccounts: ["openshift-shop"], adoptRoles: ["openshift-shop"] },
      "roles",
    ],
    ["an account without a role", { accountIds: adopting.accountIds, adoptRoles: [] }, "serviceAccounts"],
  ])("takes %s into the state", (_, changed, kind) => {
    const stack = testStack();
    declare(stack, { adopt: true, ...changed });
    const kinds = importIds(stack).map((id) => id.split("/")[2]);
    expect(kinds.sort()).toEqual(["locations", "locations", kind].sort());
  });

  it("shares single roles otherwise than the rest", () => {
    const stack = testStack();
    const other = componentRequest(undefined, { name: "newer", subjects: [Subject.of("a/b")] });
    declare(stack, { overrides: { newer: { roleSharing: "existing" } } }, [componentRequest(), other]);
    expect(String(onlyResource(stack, "google_project_iam_custom_role")["role_id"])).toMatch(
      /^prod_eu_openshift_shop_/,
    );
    const roles = Object.values(resources(stack, "google_project_iam_member")).map(({ role }) => role);
    expect(roles).toContain("projects/shop-prod/roles/shopprod_newer");
  });

  it("warns that others are cut off, until they are stated", () => {
    const [silent, stated] = [testStack(), testStack()];
    declare(silent, adopting);
    expect(warnings(silent)).toEqual([expect.stringContaining("will only admit the components")]);
    declare(stated, { ...adopting, serviceAccounts: ["olm/operator"] });
    expect(warnings(stated)).toEqual([]);
    expect(onlyResource(stated, "google_iam_workload_identity_pool_provider")["attribute_condition"]).toBe(
      "assertion.sub in ['system:serviceaccount:olm:operator', 'system:serviceaccount:openshift-shop:operator']",
    );
  });
});

describe("a basic role", () => {
  const basic = componentRequest({ predefinedRoles: ["roles/editor"] });

  it("has its reason in the description of the service account", () => {
    const stack = testStack();
    declare(stack, { overrides: { "openshift-shop": { reason: "Vendor needs ${it}, 100%{sic}" } } }, [basic]);
    expect(onlyResource(stack, "google_service_account")["description"]).toBe(
      "OpenShift component of cluster prod-eu, CredentialsRequest openshift-shop. Vendor needs $${it}, 100%%{sic}",
    );
  });

  it("keeps the whole reason within 256 bytes of UTF-8", () => {
    const stack = testStack();
    const reason = "ü".repeat(100);
    declare(stack, { overrides: { "openshift-shop": { reason } } }, [basic]);
    const text = String(onlyResource(stack, "google_service_account")["description"]);
    expect(text).toBe(`OpenShift component of cluster prod-eu, CredentialsR… ${reason}`);
    expect(Buffer.byteLength(text)).toBe(256);
    const longer = { overrides: { "openshift-shop": { reason: `${reason}!` } } };
    expect(() => declare(testStack(), longer, [basic])).toThrowError(refusal("property-limit"));
  });
});

describe("ComponentServiceAccount", () => {
  it.each<[Refusal, string]>([
    ["late-value", LATE],
    ["cluster-invalid", "Prod EU"],
  ])("refuses with %s the cluster name %s", (expected, clusterName) => {
    const stack = testStack();
    const adopted = OidcProvider.fromProviderId(stack, "adopted", {
      pool: foreignPool(stack),
      providerId: "prod",
      audience: "openshift",
    });
    const props = { request: componentRequest(), clusterName, project: "shop-prod", oidcProvider: adopted };
    expect(() => new ComponentServiceAccount(stack, "shop", props)).toThrowError(refusal(expected));
    expect(() => declare(stack, {}, [componentRequest()], clusterName)).toThrowError(refusal(expected));
    expect(stack.toTerraform()).not.toHaveProperty("resource");
  });

  it("stands alone, with a pool provider of the caller's", () => {
    const stack = testStack();
    const pool = foreignPool(stack);
    const oidcProvider = new OidcProvider(stack, "provider", {
      pool,
      providerId: "prod",
      issuer: ISSUER,
      audiences: ["sts", "openshift"],
    });
    const component = new ComponentServiceAccount(stack, "shop", {
      request: componentRequest(),
      clusterName: "prod-eu",
      project: "example.com:shop",
      oidcProvider,
    });
    expect(component.account.email).toMatch(
      /^prod-eu-shop-[0-9a-f]{8}@shop\.example\.com\.iam\.gserviceaccount\.com$/,
    );
    expect(component.role?.name).toMatch(/^projects\/example\.com:shop\/roles\//);
    expect(component.node.defaultChild).toBe(component.account);
    expect(component.secret).toMatchObject({ namespace: "openshift-shop", name: "cloud-credentials" });
    expect(oidcProvider.condition?.expression).toContain("openshift-shop:operator");
  });
});
