import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import {
  type ArtifactRegistryRepository,
  OidcProvider,
  PullBinding,
  WorkloadIdentityPool,
  artifactRegistry,
  gcrRepository,
  pullPrincipals,
  type IOidcProvider,
  type PullPrincipalsProps,
} from "../../../lib/cloud/google";
import { Duration } from "../../../lib/model/duration";
import { Issuer } from "../../../lib/model/issuer";
import type { AccountRequest } from "../../../lib/model/identity";
import type { IPullSource, PullDeclaration } from "../../../lib/model/pulls";
import { Subject } from "../../../lib/model/subject";
import { known } from "../../../lib/model/known";
import { CelExpression } from "../../../lib/rules/google/cel-evaluation";
import { evaluateAttributeCondition } from "../../../lib/rules/google/trust";
import { type Refusal, refusal } from "../../support/refusal";
import { warnings } from "../../support/stacks";
import { clusterFacts, requestOf } from "../../fixtures/google/cluster";
import { onlyResource, resources, testStack } from "../../fixtures/google/synth";

const BINDING = "google_artifact_registry_repository_iam_member";
const PROVIDER = "google_iam_workload_identity_pool_provider";
const POOL = "google_iam_workload_identity_pool";
const LATE = "${TfToken[TOKEN.1]}";
const MEMBERSHIP = "https://gkehub.googleapis.com/projects/shop-prod/locations/global/memberships/main";
const GKE = "https://container.googleapis.com/v1/projects/shop-prod/locations/europe-west1/clusters/main";

const images = artifactRegistry({ project: "shop-prod", location: "europe-west1", repository: "images" });
const legacy = gcrRepository({ project: "shop-legacy", host: "eu.gcr.io" });
const pulls: readonly AccountRequest<IPullSource<Construct>>[] = [
  { subject: Subject.of("batch/jobs"), asks: [legacy] },
  { subject: Subject.of("shop/web"), asks: [images, legacy] },
];
const project = { project: "shop-prod", projectNumber: "123456789012" };

const declare = (
  scope: Construct,
  props: Partial<PullPrincipalsProps> = {},
  cluster = clusterFacts(),
): PullDeclaration =>
  pullPrincipals({ ...project, ...props }).declare(scope, { ...requestOf(cluster), accounts: pulls });

describe("a pool of the cluster's own", () => {
  const stack = testStack();
  const declaration = declare(stack);

  it("is declared with a pool provider for the issuer", () => {
    expect(onlyResource(stack, POOL)).toEqual({
      project: "shop-prod",
      workload_identity_pool_id: "k8s-prod-eu",
    });
    expect(onlyResource(stack, PROVIDER)).toMatchObject({
      workload_identity_pool_provider_id: "k8s-prod-eu",
      oidc: {
        issuer_uri: "https://issuer.example.com/prod-eu",
        allowed_audiences: [declaration.provider.audience],
      },
    });
  });

  it("grants each service account each of its repositories, and nothing else", () => {
    const bindings = Object.values(resources(stack, BINDING));
    const granted = bindings.map(({ member, project: owner, location, repository, role }) => ({
      who: String(member).split("/subject/system:serviceaccount:")[1],
      what: [owner, location, repository, role],
    }));
    expect(granted).toEqual([
      { who: "batch:jobs", what: ["shop-legacy", "europe", "eu.gcr.io", "roles/artifactregistry.reader"] },
      { who: "shop:web", what: ["shop-prod", "europe-west1", "images", "roles/artifactregistry.reader"] },
      { who: "shop:web", what: ["shop-legacy", "europe", "eu.gcr.io", "roles/artifactregistry.reader"] },
    ]);
  });

  it("orders pool, pool provider, bindings", () => {
    const [provider] = Object.keys(resources(stack, PROVIDER));
    for (const binding of Object.values(resources(stack, BINDING))) {
      expect(binding["depends_on"]).toEqual([`${PROVIDER}.${provider}`]);
    }
    expect(onlyResource(stack, PROVIDER)["workload_identity_pool_id"]).toMatch(
      /^\$\{google_iam_workload_identity_pool\./,
    );
  });

  it("admits the subjects that it binds, and no other", () => {
    const condition = String(onlyResource(stack, PROVIDER)["attribute_condition"]);
    for (const { subject } of pulls)
      expect(
        evaluateAttributeCondition(new CelExpression(known(condition)), { sub: String(subject) }).outcome,
      ).toBe("allowed");
    const other = { sub: "system:serviceaccount:shop:other" };
    expect(evaluateAttributeCondition(new CelExpression(known(condition)), other).outcome).toBe("denied");
  });

  it("tells Kubernetes what the plugin needs", () => {
    const name =
      "//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-prod-eu/providers/k8s-prod-eu";
    expect(declaration).toEqual({
      grants: pulls.map(({ subject }) => ({
        subject,
        identity: expect.stringMatching(
          /^principal:.*\/k8s-prod-eu\/subject\/system:serviceaccount:/,
        ) as string,
        principal: expect.objectContaining({ dependencies: expect.anything() as unknown }) as unknown,
        annotations: { "iam.gke.io/enable-wi-image-pull": "true" },
      })),
      provider: {
        plugin: "gcp",
        name: "auth-provider-gcp",
        matchImages: ["eu.gcr.io", "europe-west1-docker.pkg.dev"],
        defaultCacheDuration: Duration.minutes(1),
        args: ["get-credentials", `--sts-audience=${name}`],
        nodeIdentityArgs: ["get-credentials"],
        env: [],
        audience: `https:${name}`,
        cacheType: "ServiceAccount",
        annotationKeys: ["iam.gke.io/enable-wi-image-pull"],
        needs: ["tokens", "custom-pools"],
      },
      nodeFiles: [],
    });
  });
});

describe("settings of a pool of our own", () => {
  it("names, audience, keys, cache and Terraform provider reach the resources", () => {
    const stack = testStack();
    const provider = new GoogleProvider(stack, "google", { alias: "security" });
    const declaration = declare(stack, {
      pool: { poolId: "prod-pool", displayName: "Production" },
      providerId: "prod-eu-1",
      audience: "registry",
      jwks: '{"keys":[{"kty":"RSA","kid":"k","n":"a","e":"b"}]}',
      cacheDuration: Duration.minutes(5),
      provider,
    });
    expect(onlyResource(stack, POOL)).toEqual({
      project: "shop-prod",
      workload_identity_pool_id: "prod-pool",
      display_name: "Production",
      provider: "google.security",
    });
    expect(onlyResource(stack, PROVIDER)).toMatchObject({
      workload_identity_pool_provider_id: "prod-eu-1",
      oidc: {
        allowed_audiences: ["registry"],
        jwks_json: '{"keys":[{"kty":"RSA","kid":"k","n":"a","e":"b"}]}',
      },
      provider: "google.security",
    });
    expect(Object.values(resources(stack, BINDING)).map((binding) => binding["provider"])).toEqual(
      Array(3).fill("google.security"),
    );
    expect(declaration.provider.audience).toBe("registry");
    expect(declaration.provider.env.map(({ name }) => name)).toEqual([
      "KUBE_SIDECAR_CACHE_DURATION",
      "KUBE_SIDECAR_CACHE_TYPE",
    ]);
  });

  it.each([
    ["a", undefined, "k8s-a"],
    ["gcp-prod", undefined, "k8s-gcp-prod"],
    ["prod-eu", "team", "team-prod-eu"],
  ])("derives ids from cluster %s and prefix %s", (name, namePrefix, id) => {
    const stack = testStack();
    declare(stack, { namePrefix }, clusterFacts(name));
    expect(onlyResource(stack, PROVIDER)["workload_identity_pool_provider_id"]).toBe(id);
  });

  it("shortens the ids of a cluster with a long name without a collision", () => {
    const ids = ["a", "b"].map((last) => {
      const stack = testStack();
      declare(stack, {}, clusterFacts("production-europe-west-and-north" + last));
      return String(onlyResource(stack, POOL)["workload_identity_pool_id"]);
    });
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^k8s-production-europe[a-z0-9-]{0,12}$/);
  });

  it("two clusters of a stack get a pool each", () => {
    const stack = testStack();
    declare(new Construct(stack, "a"), {}, clusterFacts("a", "https://issuer.example.com/a"));
    declare(new Construct(stack, "b"), {}, clusterFacts("b", "https://issuer.example.com/b"));
    expect(Object.keys(resources(stack, POOL))).toHaveLength(2);
    expect(Object.keys(resources(stack, BINDING))).toHaveLength(6);
  });

  it("one cluster used twice in a stack shares pool, pool provider and bindings", () => {
    const stack = testStack();
    declare(new Construct(stack, "a"));
    declare(new Construct(stack, "b"));
    expect(Object.keys(resources(stack, POOL))).toHaveLength(1);
    expect(Object.keys(resources(stack, PROVIDER))).toHaveLength(1);
    expect(Object.keys(resources(stack, BINDING))).toHaveLength(3);
  });

  // The number stands in the plugin's arguments, and so in the kubelet's file.
  it("refuses a late project number before anything is declared", () => {
    const stack = testStack();
    expect(() => declare(stack, { projectNumber: LATE, audience: "registry" })).toThrowError(
      refusal(
        "late-value",
        "projectNumber (part of the plugin's arguments in the kubelet's file) is known only after Terraform apply, but is needed while synthesizing; allowed: a literal value; write the literal value, for example from configuration, instead of an attribute of a resource",
      ),
    );
    expect(stack.node.children).toHaveLength(0);
  });

  it("takes a late project number for the fleet, whose arguments do not hold it", () => {
    const stack = testStack();
    declare(stack, { pool: "fleet", identityProvider: GKE, projectNumber: LATE });
    expect(Object.keys(resources(stack, BINDING))).toHaveLength(3);
  });

  it("names a late pool id by its name, before anything is declared", () => {
    const stack = testStack();
    expect(() => declare(stack, { pool: { poolId: LATE } })).toThrowError(
      refusal("late-value", {
        problem: expect.stringMatching(/^id of a workload identity pool is known only after/) as string,
      }),
    );
    expect(stack.node.children).toHaveLength(0);
  });

  it("binds a subject over 127 bytes by attribute", () => {
    const stack = testStack();
    const long = { subject: Subject.of(`shop/${"w".repeat(101)}`), asks: [images] };
    pullPrincipals(project).declare(stack, { ...requestOf(), accounts: [long] });
    expect(onlyResource(stack, BINDING)["member"]).toMatch(
      /^principalSet:.*\/attribute\.subject\/system:serviceaccount:shop:w{101}$/,
    );
    expect(onlyResource(stack, PROVIDER)["attribute_mapping"]).toMatchObject({
      "attribute.subject": "assertion.sub",
    });
  });

  it("gives a namespace that starts with a digit a valid Terraform name", () => {
    const stack = testStack();
    const pull = { subject: Subject.of("2048/web"), asks: [images] };
    pullPrincipals(project).declare(stack, { ...requestOf(), accounts: [pull] });
    expect(Object.keys(resources(stack, BINDING))[0]).toMatch(
      /^pull_2048_web_europe-west1_images_shop-prod_k8s-prod-eu_/,
    );
  });
});

describe("existing pools and pool providers", () => {
  const existing = WorkloadIdentityPool.fromPoolId(testStack(), "pool", { ...project, poolId: "prod-pool" });

  it("an existing pool gets a pool provider", () => {
    const stack = testStack();
    declare(stack, { pool: existing });
    expect(resources(stack, POOL)).toEqual({});
    expect(onlyResource(stack, PROVIDER)["workload_identity_pool_id"]).toBe("prod-pool");
  });

  it("an existing pool provider gets bindings only, without an order", () => {
    const stack = testStack();
    const oidcProvider = OidcProvider.fromProviderId(testStack(), "provider", {
      pool: existing,
      providerId: "prod-eu",
    });
    const { provider } = declare(stack, { oidcProvider });
    expect(provider.nodeIdentityArgs).toEqual(["get-credentials"]);
    expect([resources(stack, POOL), resources(stack, PROVIDER)]).toEqual([{}, {}]);
    for (const binding of Object.values(resources(stack, BINDING)))
      expect(binding).not.toHaveProperty("depends_on");
    expect(provider.args).toEqual(["get-credentials", `--sts-audience=${oidcProvider.stsAudience}`]);
    expect(provider.needs).toEqual(["tokens", "custom-pools"]);
  });
});

// Principals do not name the issuer: the other cluster's shop/web would get the rights of this one's.
describe("a pool provider of another issuer", () => {
  const other = "https://issuer.example.com/prod-us";
  const own = "https://issuer.example.com/prod-eu";
  const pool = WorkloadIdentityPool.fromPoolId(testStack(), "pool", { ...project, poolId: "prod-pool" });
  const adopted = (issuer: string | undefined): IOidcProvider =>
    OidcProvider.fromProviderId(testStack(), "provider", {
      pool,
      providerId: "prod-eu",
      ...(issuer !== undefined && { issuer }),
    });

  it("is refused when it is adopted, before anything is declared", () => {
    const stack = testStack();
    expect(() => declare(stack, { oidcProvider: adopted(other) })).toThrowError(
      refusal(
        "google-mismatch: oidcProvider trusts another cluster's issuer",
        `oidcProvider trusts another cluster's issuer, so that cluster's service accounts would get the rights, got "${other}"; allowed: ${own}; pass the pool provider of the cluster's own issuer, or leave oidcProvider out so that one is declared`,
      ),
    );
    expect(stack.node.children).toHaveLength(0);
  });

  it("is refused when it is declared, before a subject is added to it", () => {
    const stack = testStack();
    const oidcProvider = new OidcProvider(stack, "provider", { pool, providerId: "prod-us", issuer: other });
    expect(() => declare(stack, { oidcProvider })).toThrowError(
      refusal("google-mismatch: oidcProvider trusts another cluster's issuer"),
    );
    expect(oidcProvider.condition?.form).toBe("none");
    expect(resources(stack, BINDING)).toEqual({});
  });

  it("is refused for a slash", () => {
    const oidcProvider = new OidcProvider(testStack(), "provider", {
      pool,
      providerId: "prod-us",
      issuer: Issuer.exactly(`${own}/`),
    });
    expect(() => declare(testStack(), { oidcProvider })).toThrowError(
      refusal("google-mismatch: oidcProvider trusts another cluster's issuer"),
    );
  });

  it.each([own, undefined, LATE])("is not seen in one of issuer %s", (issuer) => {
    const stack = testStack();
    declare(stack, { oidcProvider: adopted(issuer) });
    expect(Object.keys(resources(stack, BINDING))).toHaveLength(3);
  });

  it("is not seen where the cluster's issuer is late", () => {
    const stack = testStack();
    declare(stack, { oidcProvider: adopted(other) }, clusterFacts("prod-eu", LATE));
    expect(Object.keys(resources(stack, BINDING))).toHaveLength(3);
  });
});

describe("the pool of GKE and fleet", () => {
  it("needs bindings only, and the plugin that is shipped", () => {
    const stack = testStack();
    const { provider, grants } = declare(stack, { pool: "fleet", identityProvider: GKE });
    expect([resources(stack, POOL), resources(stack, PROVIDER)]).toEqual([{}, {}]);
    expect(Object.values(resources(stack, BINDING)).map((binding) => binding["member"])).toContain(
      "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/shop-prod.svc.id.goog/subject/ns/shop/sa/web",
    );
    expect(provider).toMatchObject({
      args: ["get-credentials", `--identity-provider=${GKE}`, "--project-id=shop-prod"],
      audience: "shop-prod.svc.id.goog",
      needs: ["tokens"],
    });
    expect(grants[0]?.annotations).toEqual({ "iam.gke.io/enable-wi-image-pull": "true" });
  });

  it("takes the issuer of a GKE cluster as its identity provider", () => {
    const { provider } = declare(testStack(), { pool: "fleet" }, clusterFacts("main", GKE));
    expect(provider.args).toContain(`--identity-provider=${GKE}`);
  });

  it("shares a binding between clusters, whose principals are the same", () => {
    const stack = testStack();
    declare(new Construct(stack, "a"), { pool: "fleet", identityProvider: GKE });
    declare(new Construct(stack, "b"), { pool: "fleet", identityProvider: `${GKE}-2` });
    expect(Object.keys(resources(stack, BINDING))).toHaveLength(3);
  });

  // Google Cloud documentation, "Authenticate to APIs from fleet workloads": one pool per fleet, the host project's;
  // a member may be a GKE cluster of another project.
  it("warns of a GKE cluster of another project, which only a fleet makes right", () => {
    const stack = testStack();
    declare(stack, { pool: "fleet", identityProvider: GKE.replace("shop-prod", "shop-test") });
    expect(warnings(stack)).toEqual([
      "the GKE cluster is in project shop-test, but the pool shop-prod.svc.id.goog belongs to project shop-prod: tokens are exchanged only if the cluster is registered in the fleet of shop-prod; otherwise state the cluster's own project",
    ]);
  });

  it("warns of it also where the identity provider is the cluster's issuer", () => {
    const stack = testStack();
    declare(stack, { pool: "fleet" }, clusterFacts("main", GKE.replace("shop-prod", "shop-test")));
    expect(warnings(stack)).toHaveLength(1);
  });

  it("refuses a membership in the fleet of another project", () => {
    const stack = testStack();
    const identityProvider = MEMBERSHIP.replace("shop-prod", "shop-test");
    expect(() => declare(stack, { pool: "fleet", identityProvider })).toThrowError(
      refusal(
        "google-mismatch: identityProvider is a membership",
        `identityProvider is a membership in the fleet of project shop-test, whose tokens the pool shop-prod.svc.id.goog refuses, got "${identityProvider}"; allowed: https://gkehub.googleapis.com/projects/shop-prod/locations/<location>/memberships/<membership>; state the fleet's host project, and its number, in project and projectNumber`,
      ),
    );
    expect(stack.node.children).toHaveLength(0);
  });

  it.each([
    [GKE, project.projectNumber],
    [MEMBERSHIP, project.projectNumber],
    [MEMBERSHIP.replace("shop-prod", project.projectNumber), project.projectNumber],
    [MEMBERSHIP.replace("shop-prod", "42"), LATE],
  ])("takes %s with number %s without a word", (identityProvider, projectNumber) => {
    const stack = testStack();
    declare(stack, { pool: "fleet", identityProvider, projectNumber });
    expect(warnings(stack)).toEqual([]);
  });

  it("refuses a late identity provider before anything is declared", () => {
    const stack = testStack();
    expect(() => declare(stack, { pool: "fleet", identityProvider: LATE })).toThrowError(
      refusal("late-value"),
    );
    expect(stack.node.children).toHaveLength(0);
  });

  it.each([undefined, "https://issuer.example.com"])("refuses identity provider %s", (identityProvider) => {
    const stack = testStack();
    expect(() => declare(stack, { pool: "fleet", identityProvider })).toThrowError(
      refusal("google-invalid: identity provider of the GKE or fleet pool"),
    );
    expect(stack.node.children).toHaveLength(0);
  });
});

describe("refusals", () => {
  const existing = WorkloadIdentityPool.fromPoolId(testStack(), "pool", { ...project, poolId: "prod-pool" });
  const oidcProvider = OidcProvider.fromProviderId(testStack(), "provider", {
    pool: existing,
    providerId: "prod-eu",
  });

  it.each<readonly [Partial<PullPrincipalsProps>, string]>([
    [{ project: "x" }, "google-invalid: Google Cloud project is not a project id"],
    [{ projectNumber: "shop-prod" }, "google-invalid: project number is not a number"],
    [{ cacheDuration: Duration.hours(1) }, "google-limit: cache duration reaches"],
    [{ identityProvider: GKE }, "google-unused: has no effect"],
    [{ pool: "fleet", audience: "registry" }, "google-unused: has no effect"],
    [{ pool: "fleet", jwks: "{}" }, "google-unused: has no effect"],
    [{ pool: "fleet", oidcProvider }, "google-unused: has no effect"],
    [{ oidcProvider, audience: "registry" }, "google-unused: has no effect"],
    [{ oidcProvider, pool: existing }, "google-unused: has no effect"],
    [
      { oidcProvider, project: "shop-test" },
      "google-mismatch: differs from that of the given workload identity pool",
    ],
    [
      { pool: existing, projectNumber: "1" },
      "google-mismatch: differs from that of the given workload identity pool",
    ],
    [{ pool: "Fleet" as never }, "property-invalid"],
    [{ pool: null as never }, "property-invalid"],
    [{ pool: LATE as never }, "property-invalid"],
    [{ projectNumber: LATE }, "late-value"],
  ])("%# is refused at once", (props, code) => {
    expect(() => pullPrincipals({ ...project, ...props })).toThrowError(refusal(code as Refusal));
  });

  it("a source of another maker is refused before anything is declared", () => {
    const stack = testStack();
    const foreign = { cloud: "google", images: ["a/b"], defaultIdentities: () => pullPrincipals(project) };
    const request = { ...requestOf(), accounts: [{ subject: Subject.of("a/b"), asks: [foreign] }] };
    expect(() => pullPrincipals(project).declare(stack, request)).toThrowError(
      refusal("google-foreign: a pull source of cloud google"),
    );
    expect(stack.node.children).toHaveLength(0);
  });

  it.each([
    [{ namePrefix: "gcp" }, "google-invalid: id of a workload identity"],
    [{ providerId: "abc" }, "google-invalid: id of a workload identity"],
    [{ pool: { poolId: "abc" } }, "google-invalid: id of a workload identity"],
    [{ jwks: "{}" }, "google-invalid: JWKS"],
    [{ audience: "" }, "audience-invalid"],
  ] as const)("%j is refused before anything is declared", (props, code) => {
    const stack = testStack();
    expect(() => declare(stack, props)).toThrowError(refusal(code));
    expect(stack.node.children).toHaveLength(0);
  });
});

describe("sources", () => {
  it.each([
    [images, "europe-west1-docker.pkg.dev", ["europe-west1-docker.pkg.dev/shop-prod/images/*"]],
    [legacy, "eu.gcr.io", ["eu.gcr.io/shop-legacy/*"]],
    [
      artifactRegistry({
        project: "example.com:shop",
        location: "us",
        repository: "images",
        images: ["web", "base/*"],
      }),
      "us-docker.pkg.dev",
      ["us-docker.pkg.dev/example.com/shop/images/base/*", "us-docker.pkg.dev/example.com/shop/images/web"],
    ],
    [
      gcrRepository({ project: "example.com:shop", host: "gcr.io", images: ["web"] }),
      "gcr.io",
      ["gcr.io/example.com/shop/web"],
    ],
  ])("%# names its host and images", (source, host, expected) => {
    expect([source.cloud, source.host, source.images]).toEqual(["google", host, expected]);
  });

  it("cannot do without a project for the pool", () => {
    expect(() => images.defaultIdentities()).toThrowError(
      refusal(
        "google-missing: pulling from Artifact Registry needs a project",
        'pulling from Artifact Registry needs a project for the workload identity pool, and none is stated, got "europe-west1-docker.pkg.dev/shop-prod/images/*"; add pullPrincipals({ project, projectNumber, … }) to the identities',
      ),
    );
  });

  it.each([
    [{ project: "X" }, "google-invalid: Google Cloud project is not a project id"],
    [{ location: "eu-west-1" }, "google-invalid: not a location of Artifact Registry"],
    [{ repository: "gcr.io" }, "google-invalid: not the name of an Artifact Registry repository"],
    [{ images: ["web:1"] }, "google-invalid: not an image name"],
    [
      { images: ["europe-west1-docker.pkg.dev/shop-prod/images/web"] },
      "google-invalid: image begins with the registry host",
    ],
    [{ repository: LATE }, "late-value"],
  ] as const)("refuse %j", (changed, code) => {
    const props = { project: "shop-prod", location: "europe-west1", repository: "images", ...changed };
    expect(() => artifactRegistry(props)).toThrowError(refusal(code));
  });
});

describe("PullBinding alone", () => {
  it("admits the service account and follows the pool provider", () => {
    const stack = testStack();
    const pool = new WorkloadIdentityPool(stack, "pool", { ...project, poolId: "prod-pool" });
    const principals = new OidcProvider(stack, "provider", {
      pool,
      providerId: "prod-eu",
      issuer: "https://issuer.example.com",
    });
    const binding = new PullBinding(stack, "pull", {
      repository: images,
      serviceAccount: "shop/web",
      principals,
    });
    expect(binding.node.defaultChild).toBe(binding.resource);
    expect(onlyResource(stack, BINDING)["member"]).toBe(binding.member);
    expect(onlyResource(stack, PROVIDER)["attribute_condition"]).toBe(
      "assertion.sub in ['system:serviceaccount:shop:web']",
    );
  });

  it("keeps the principals of several pools apart", () => {
    const stack = testStack();
    const pools = [
      { ...project, poolId: "prod-pool" },
      { ...project, poolId: "test-pool" },
      { project: "shop-test", projectNumber: "42", poolId: "test-pool" },
    ].map((attributes, index) =>
      OidcProvider.fromProviderId(stack, `provider-${index}`, {
        pool: WorkloadIdentityPool.fromPoolId(stack, `pool-${index}`, attributes),
        providerId: "prod-eu",
      }),
    );
    const principals = [...pools, WorkloadIdentityPool.fleet(project)];
    for (const own of principals) {
      const props = { repository: images, serviceAccount: "shop/web", principals: own };
      expect(PullBinding.forServiceAccount(stack, props)).toBe(PullBinding.forServiceAccount(stack, props));
    }
    const members = Object.values(resources(stack, BINDING)).map(({ member }) => member);
    expect(members.sort()).toEqual(principals.map((own) => own.principal(Subject.of("shop/web"))).sort());
  });

  // https://cloud.google.com/iam/quotas: 1,500 principals in one allow policy.
  it("counts the principals of a repository, each once", () => {
    const stack = testStack();
    const principals = WorkloadIdentityPool.fleet(project);
    const bind = (repository: ArtifactRegistryRepository, serviceAccount: string): PullBinding =>
      PullBinding.forServiceAccount(stack, { repository, serviceAccount, principals });
    for (let index = 0; index < 1500; index += 1) bind(images, `shop/web-${index}`);
    bind(images, "shop/web-0");
    bind(legacy, "shop/one-more");
    expect(() => bind(images, "shop/one-more")).toThrowError(
      refusal(
        "google-limit: the allow policy of repository",
        "the allow policy of repository projects/shop-prod/locations/europe-west1/repositories/images would name 1501 principals, got 1501; allowed: at most 1500 principals in one allow policy, each counted in each of its roles, those that others add included; split the images into several repositories, each for fewer service accounts; this library never writes a principalSet for a namespace, because it admits every service account of the namespace",
      ),
    );
  });

  it("refuses a request that overfills a repository before anything is declared", () => {
    const stack = testStack();
    const request = (count: number): readonly AccountRequest<IPullSource<Construct>>[] =>
      Array.from({ length: count }, (_, index) => ({
        subject: Subject.of(`shop/web-${index}`),
        // Two sources of one repository are one principal.
        asks: [images, images],
      }));
    const declareAll = (count: number): unknown =>
      pullPrincipals(project).declare(stack, { ...requestOf(), accounts: request(count) });
    expect(() => declareAll(1501)).toThrowError(refusal("google-limit: the allow policy of repository"));
    expect(stack.node.children).toHaveLength(0);
    declareAll(1500);
    expect(stack.node.findAll().filter((each) => each instanceof PullBinding)).toHaveLength(1500);
  });

  it("refuses an invalid service account before it declares anything", () => {
    const stack = testStack();
    const principals = WorkloadIdentityPool.fleet(project);
    expect(
      () => new PullBinding(stack, "pull", { repository: images, serviceAccount: "web", principals }),
    ).toThrowError(refusal("identities-invalid"));
    expect(stack.node.children).toHaveLength(0);
  });
});
