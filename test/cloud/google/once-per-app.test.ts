import { generateKeyPairSync } from "node:crypto";
import { TerraformStack, TerraformVariable, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  OidcProvider,
  PullBinding,
  WorkloadIdentityPool,
  artifactRegistry,
  componentServiceAccounts,
  googleAccess,
  pullPrincipals,
  workloadServiceAccounts,
  type ComponentServiceAccountsProps,
  type OidcProviderProps,
  type PullPrincipalsProps,
  type WorkloadServiceAccountsProps,
} from "../../../lib/cloud/google";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { publishedJwks } from "../../../lib/rules/openid/issuer-documents";
import { requestOf } from "../../fixtures/google/cluster";
import { componentRequest } from "../../fixtures/google/requests";
import { refusal } from "../../support/refusal";
import { resources } from "../../fixtures/google/synth";

const POOL = "google_iam_workload_identity_pool";
const PROVIDER = "google_iam_workload_identity_pool_provider";
const SERVICE_ACCOUNT_USER = "google_service_account_iam_member";
const PULL = "google_artifact_registry_repository_iam_member";
const ISSUER = Issuer.of("https://issuer.example.com/prod-eu");
const project = { project: "shop-prod", projectNumber: "123456789012" };
const poolId = { ...project, poolId: "prod-pool" };

const pem = (): string =>
  generateKeyPairSync("ec", { namedCurve: "P-256" })
    .publicKey.export({ format: "pem", type: "spki" })
    .toString();
const [current, next] = [
  { publicKey: pem(), use: "current" },
  { publicKey: pem(), use: "next" },
] as const;
const jwks = publishedJwks([current, next]);
const kids = jwks.keys.map(({ kid }) => kid).sort();
const [kid] = publishedJwks([current]).keys.map((key) => key.kid);
const FETCHED = "none, so that Google fetches them from the issuer";

function twoStacks(): readonly [TerraformStack, TerraformStack] {
  const app = Testing.app();
  return [new TerraformStack(app, "a"), new TerraformStack(app, "b")];
}

/** What a stack waits for, as `cdktf deploy` reads it. */
const waitsFor = (stack: TerraformStack): readonly string[] =>
  stack.dependencies.map((other) => other.node.id);

const images = artifactRegistry({ project: "shop-prod", location: "europe-west1", repository: "images" });
const reader = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "shop-images" }] });

/** Identities for pulls, components and workloads of one cluster. */
const JOBS = {
  pulls: (stack: TerraformStack, props: Partial<PullPrincipalsProps> = {}): unknown =>
    pullPrincipals({ ...project, ...props }).declare(stack, {
      ...requestOf(),
      accounts: [{ subject: Subject.of("shop/web"), asks: [images] }],
    }),
  components: (stack: TerraformStack, props: Partial<ComponentServiceAccountsProps> = {}): unknown =>
    componentServiceAccounts({ ...project, ...props }).declare(stack, {
      clusterName: "prod-eu",
      issuer: ISSUER,
      requests: [componentRequest()],
    }),
  workloads: (stack: TerraformStack, props: Partial<WorkloadServiceAccountsProps> = {}): unknown =>
    workloadServiceAccounts({ ...project, ...props }).declare(stack, {
      clusterName: "prod-eu",
      issuer: ISSUER,
      accounts: [{ subject: Subject.of("shop/web"), asks: [reader] }],
    }),
} as const;

describe("a pool in two stacks of an app", () => {
  // Create of projects.locations.workloadIdentityPools: 409 ALREADY_EXISTS for an id that the project has
  it("is refused, by the constructor and by forPoolId", () => {
    const [a, b] = twoStacks();
    WorkloadIdentityPool.forPoolId(a, poolId);
    const taken = refusal("google-conflict: workload identity pool is already declared in this app", {
      message: expect.stringContaining("as a/workload-identity-pool_shop-prod_prod-pool, got"),
      remedy: expect.stringMatching(/in another stack give that construct as `pool`.*fromPoolId/),
    });
    expect(() => WorkloadIdentityPool.forPoolId(b, poolId)).toThrowError(taken);
    expect(() => new WorkloadIdentityPool(b, "pool", poolId)).toThrowError(taken);
    expect(b.node.children).toEqual([]);
    WorkloadIdentityPool.forPoolId(b, { ...poolId, project: "shop-test" });
  });

  it.each(["pulls", "components"] as const)(
    "is refused where workloads and %s of a cluster make it",
    (job) => {
      const [a, b] = twoStacks();
      JOBS[job](a);
      expect(() => JOBS.workloads(b)).toThrowError(
        refusal("google-conflict: workload identity pool is already declared in this app"),
      );
      expect(resources(b, PROVIDER)).toEqual({});
    },
  );

  it("works given as `pool`: the second stack has a pool provider of its own in it", () => {
    const [a, b] = twoStacks();
    const pool = new WorkloadIdentityPool(a, "pool", poolId);
    JOBS.components(a, { pool });
    JOBS.workloads(b, { pool });
    // cdktf makes the references between stacks then.
    b.prepareStack();
    expect(Object.keys(resources(a, POOL))).toHaveLength(1);
    expect(resources(b, POOL)).toEqual({});
    expect(Object.values(resources(b, PROVIDER))).toEqual([
      expect.objectContaining({
        workload_identity_pool_id: expect.stringContaining("data.terraform_remote_state"),
        workload_identity_pool_provider_id: "k8s-prod-eu--workloads",
      }),
    ]);
    expect(waitsFor(b)).toEqual(["a"]);
  });

  it("works adopted with fromPoolId, after the stack that declares it", () => {
    const [a, b] = twoStacks();
    WorkloadIdentityPool.forPoolId(a, poolId);
    const pool = WorkloadIdentityPool.fromPoolId(b, "pool", poolId);
    JOBS.workloads(b, { pool });
    expect(Object.values(resources(b, PROVIDER))).toEqual([
      expect.objectContaining({ workload_identity_pool_id: "prod-pool" }),
    ]);
    expect(waitsFor(b)).toEqual(["a"]);
  });

  it("works with its pool provider given as `oidcProvider`, which admits the service accounts of both", () => {
    const [a, b] = twoStacks();
    const pool = new WorkloadIdentityPool(a, "pool", poolId);
    const oidcProvider = new OidcProvider(a, "provider", { pool, providerId: "prod-eu", issuer: ISSUER });
    JOBS.workloads(b, { oidcProvider });
    JOBS.pulls(b, { oidcProvider });
    expect(Object.values(resources(a, PROVIDER))).toEqual([
      expect.objectContaining({
        attribute_condition: "assertion.sub in ['system:serviceaccount:shop:web']",
      }),
    ]);
    expect(resources(b, PROVIDER)).toEqual({});
    const [pull] = Object.values(resources(b, PULL));
    const [user] = Object.values(resources(b, SERVICE_ACCOUNT_USER));
    // A reference to a resource of another stack would be an error of Terraform.
    expect(pull?.["depends_on"]).toBeUndefined();
    expect(user?.["depends_on"]).toEqual([expect.stringMatching(/^google_service_account\./)]);
    expect(waitsFor(b)).toEqual(["a"]);
  });
});

describe("a pool provider in two stacks of an app", () => {
  const settings = (stack: TerraformStack): OidcProviderProps => ({
    pool: WorkloadIdentityPool.fromPoolId(stack, "adopted", poolId),
    providerId: "prod-eu",
    issuer: ISSUER,
  });

  it.each(["forIssuer", "forProviderId"] as const)("is refused by %s", (share) => {
    const [a, b] = twoStacks();
    OidcProvider[share](a, settings(a));
    const props = settings(b);
    expect(() => OidcProvider[share](b, props)).toThrowError(
      refusal("google-conflict: pool provider of that id in the workload identity pool is already declared", {
        message: expect.stringContaining("as a/oidc-provider_shop-prod_prod-pool_prod-eu, got"),
      }),
    );
    expect(resources(b, PROVIDER)).toEqual({});
  });

  it("works adopted in the second stack, which comes after the first one", () => {
    const [a, b] = twoStacks();
    OidcProvider.forIssuer(a, { ...settings(a), serviceAccounts: ["shop/web"] });
    const { pool, providerId } = settings(b);
    const adopted = OidcProvider.fromProviderId(b, "provider", { pool, providerId });
    JOBS.workloads(b, { oidcProvider: adopted });
    expect(resources(b, PROVIDER)).toEqual({});
    expect(waitsFor(b)).toEqual(["a"]);
  });

  it("is another one under another id", () => {
    const [a, b] = twoStacks();
    OidcProvider.forIssuer(a, settings(a));
    OidcProvider.forIssuer(b, { ...settings(b), providerId: "prod-eu-pulls" });
    expect(Object.keys(resources(b, PROVIDER))).toHaveLength(1);
  });
});

describe("the keys of an issuer", () => {
  it.each([
    [
      "workloads without those of components",
      "components",
      { keys: [current] },
      "workloads",
      {},
      FETCHED,
      kid,
    ],
    ["pulls without those of workloads", "workloads", { jwks }, "pulls", {}, FETCHED, kids.join(", ")],
    [
      "components with some where pulls have none",
      "pulls",
      {},
      "components",
      { keys: [current] },
      kid,
      FETCHED,
    ],
    [
      "workloads without the next key of components",
      "components",
      { keys: [current, next] },
      "workloads",
      { keys: [current] },
      kid,
      kids.join(", "),
    ],
  ] as const)("refuses %s", (_, first, its, second, theirs, stated, others) => {
    const [stack] = twoStacks();
    JOBS[first](stack, its);
    const before = stack.node.findAll().length;
    expect(() => JOBS[second](stack, theirs)).toThrowError(
      refusal("google-mismatch: keys of the issuer (", {
        message: expect.stringContaining(`keys of the issuer (${stated}) differ from those that a/`),
        remedy: expect.stringContaining("state the same `keys` (or `jwks`)"),
      }),
    );
    expect(() => JOBS[second](stack, theirs)).toThrowError(
      expect.objectContaining({
        message: expect.stringContaining(`trusts (${others})`),
      }),
    );
    expect(stack.node.findAll()).toHaveLength(before);
  });

  it("are compared over the stacks of an app, and not over apps", () => {
    const [a, b] = twoStacks();
    JOBS.components(a, { keys: [current] });
    const elsewhere = { poolId: "workloads" };
    expect(() => JOBS.workloads(b, { pool: elsewhere })).toThrowError(
      refusal("google-mismatch: keys of the issuer ("),
    );
    expect(resources(b, POOL)).toEqual({});
    JOBS.workloads(twoStacks()[0]);
  });

  it("agree as keys and as jwks, in any order and with any other members", () => {
    const [stack] = twoStacks();
    const keys = jwks.keys.map(({ kty, kid: id, x, y, crv }) => ({ kty, kid: id, x, y, crv })).reverse();
    JOBS.components(stack, { keys: [current, next] });
    JOBS.workloads(stack, { jwks: JSON.stringify({ keys }) });
    JOBS.pulls(stack, { jwks });
    const uploaded = Object.values(resources(stack, PROVIDER)).map(({ oidc }) => {
      const { jwks_json } = oidc as { readonly jwks_json: string };
      return (JSON.parse(jwks_json) as typeof jwks).keys.map((key) => key.kid).sort();
    });
    expect(uploaded).toEqual([kids, kids, kids]);
  });

  it("are uploaded for pulls too", () => {
    const [stack] = twoStacks();
    JOBS.pulls(stack, { keys: [current] });
    const [provider] = Object.values(resources(stack, PROVIDER));
    expect(JSON.parse((provider?.["oidc"] as { readonly jwks_json: string }).jwks_json)).toEqual(
      publishedJwks([current]),
    );
  });

  it("known after apply differ from none alone", () => {
    const [stack] = twoStacks();
    const late = new TerraformVariable(stack, "jwks", {}).stringValue;
    JOBS.components(stack, { jwks: late });
    JOBS.workloads(stack, { keys: [current] });
    expect(() => JOBS.pulls(stack)).toThrowError(
      refusal("google-mismatch: keys of the issuer (", {
        message: expect.stringContaining("(a set that is known after apply)"),
      }),
    );
  });

  it("may differ for the cluster-internal issuer that many clusters have, in pools of their own", () => {
    const [stack] = twoStacks();
    const issuer = "https://kubernetes.default.svc";
    const declare = (pool: string, providerId: string, key: string): unknown =>
      OidcProvider.forProviderId(stack, {
        pool: WorkloadIdentityPool.forPoolId(stack, { ...project, poolId: pool }),
        providerId,
        issuer,
        keys: [{ publicKey: key, use: "current" }],
      });
    declare("pool-one", "first", current.publicKey);
    declare("pool-two", "first", next.publicKey);
    expect(() => declare("pool-one", "second", next.publicKey)).toThrowError(
      refusal("google-mismatch: keys of the issuer ("),
    );
  });
});

describe("a pull binding", () => {
  const binding = {
    repository: images,
    serviceAccount: "shop/web",
    principals: WorkloadIdentityPool.fleet(project),
  };

  it("is refused a second time, and shared by forServiceAccount", () => {
    const [a, b] = twoStacks();
    const first = new PullBinding(a, "first", binding);
    expect(() => new PullBinding(a, "second", binding)).toThrowError(
      refusal("google-conflict: for this member on the same resource is already declared", {
        message: expect.stringContaining("in this stack, as a/first"),
        remedy:
          "use PullBinding.forServiceAccount, which declares a binding once and returns it to every caller",
      }),
    );
    expect(a.node.tryFindChild("second")).toBeUndefined();
    expect(PullBinding.forServiceAccount(a, binding)).toBe(first);
    new PullBinding(a, "other", { ...binding, serviceAccount: "shop/jobs" });
    new PullBinding(b, "first", binding);
    expect(Object.keys(resources(a, PULL))).toHaveLength(2);
  });
});
