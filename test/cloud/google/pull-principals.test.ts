import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import {
  OidcProvider,
  PullBinding,
  WorkloadIdentityPool,
  artifactRegistry,
  gcrRepository,
  pullPrincipals,
} from "../../../lib/cloud/google";
import type { PullPrincipalsProps } from "../../../lib/cloud/google";
import { Duration } from "../../../lib/model/duration";
import type { DeclaredPull, PullDeclaration } from "../../../lib/model/pulls";
import { Subject } from "../../../lib/model/subject";
import { evaluateAttributeCondition } from "../../../lib/rules/google/attribute-condition";
import { parsePrincipal, principalSubject } from "../../../lib/rules/google/principal";
import { clusterFacts } from "../../fixtures/google/cluster";
import { refused } from "../../fixtures/google/refused";
import { onlyResource, resources, testStack } from "../../fixtures/google/synth";

const BINDING = "google_artifact_registry_repository_iam_member";
const PROVIDER = "google_iam_workload_identity_pool_provider";
const POOL = "google_iam_workload_identity_pool";
const LATE = "${TfToken[TOKEN.1]}";
const GKE = "https://container.googleapis.com/v1/projects/shop-prod/locations/europe-west1/clusters/main";

const images = artifactRegistry({ project: "shop-prod", location: "europe-west1", repository: "images" });
const legacy = gcrRepository({ project: "shop-legacy", host: "eu.gcr.io" });
const pulls: readonly DeclaredPull<Construct>[] = [
  { subject: Subject.of("batch/jobs"), sources: [legacy] },
  { subject: Subject.of("shop/web"), sources: [images, legacy] },
];
const project = { project: "shop-prod", projectNumber: "123456789012" };

const declare = (
  scope: Construct,
  props: Partial<PullPrincipalsProps> = {},
  cluster = clusterFacts(),
): PullDeclaration => pullPrincipals({ ...project, ...props }).declare(scope, { cluster, pulls });

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
      who: principalSubject(parsePrincipal(String(member)))?.key,
      what: [owner, location, repository, role],
    }));
    expect(granted).toEqual([
      { who: "batch/jobs", what: ["shop-legacy", "europe", "eu.gcr.io", "roles/artifactregistry.reader"] },
      { who: "shop/web", what: ["shop-prod", "europe-west1", "images", "roles/artifactregistry.reader"] },
      { who: "shop/web", what: ["shop-legacy", "europe", "eu.gcr.io", "roles/artifactregistry.reader"] },
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
      expect(evaluateAttributeCondition(condition, { sub: String(subject) }).outcome).toBe("allowed");
    const other = { sub: "system:serviceaccount:shop:other" };
    expect(evaluateAttributeCondition(condition, other).outcome).toBe("denied");
  });

  it("tells Kubernetes what the plugin needs", () => {
    const name =
      "//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-prod-eu/providers/k8s-prod-eu";
    expect(declaration).toEqual({
      grants: pulls.map(({ subject }) => ({
        subject,
        annotations: { "iam.gke.io/enable-wi-image-pull": "true" },
      })),
      provider: {
        plugin: "gcp",
        name: "auth-provider-gcp",
        matchImages: ["eu.gcr.io", "europe-west1-docker.pkg.dev"],
        defaultCacheDuration: Duration.minutes(1),
        args: ["get-credentials", `--sts-audience=${name}`],
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

  it("a late project number stays in Terraform and in the plugin's arguments", () => {
    const { provider } = declare(testStack(), { projectNumber: LATE, audience: "registry" });
    expect(provider.args[1]).toContain(`projects/${LATE}/locations`);
    expect(() => declare(testStack(), { projectNumber: LATE })).toThrowError(refused("late-value"));
  });

  it("binds a subject over 127 bytes by attribute", () => {
    const stack = testStack();
    const long = { subject: Subject.of(`shop/${"w".repeat(101)}`), sources: [images] };
    pullPrincipals(project).declare(stack, { cluster: clusterFacts(), pulls: [long] });
    expect(onlyResource(stack, BINDING)["member"]).toMatch(
      /^principalSet:.*\/attribute\.subject\/system:serviceaccount:shop:w{101}$/,
    );
    expect(onlyResource(stack, PROVIDER)["attribute_mapping"]).toMatchObject({
      "attribute.subject": "assertion.sub",
    });
  });

  it("gives a namespace that starts with a digit a valid Terraform name", () => {
    const stack = testStack();
    const pull = { subject: Subject.of("2048/web"), sources: [images] };
    pullPrincipals(project).declare(stack, { cluster: clusterFacts(), pulls: [pull] });
    expect(Object.keys(resources(stack, BINDING))[0]).toMatch(
      /^pull_2048_web_europe-west1_images_shop-prod_/,
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
    expect([resources(stack, POOL), resources(stack, PROVIDER)]).toEqual([{}, {}]);
    for (const binding of Object.values(resources(stack, BINDING)))
      expect(binding).not.toHaveProperty("depends_on");
    expect(provider.args).toEqual(["get-credentials", `--sts-audience=${oidcProvider.stsAudience}`]);
    expect(provider.needs).toEqual(["tokens", "custom-pools"]);
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

  it.each([undefined, "https://issuer.example.com"])("refuses identity provider %s", (identityProvider) => {
    const stack = testStack();
    expect(() => declare(stack, { pool: "fleet", identityProvider })).toThrowError(
      refused("google-identity-provider-invalid"),
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
    [{ project: "x" }, "google-project-invalid"],
    [{ projectNumber: "shop-prod" }, "google-project-number-invalid"],
    [{ cacheDuration: Duration.hours(1) }, "google-cache-duration-invalid"],
    [{ identityProvider: GKE }, "google-setting-contradicts"],
    [{ pool: "fleet", audience: "registry" }, "google-setting-contradicts"],
    [{ pool: "fleet", jwks: "{}" }, "google-setting-contradicts"],
    [{ pool: "fleet", oidcProvider }, "google-setting-contradicts"],
    [{ oidcProvider, audience: "registry" }, "google-setting-contradicts"],
    [{ oidcProvider, pool: existing }, "google-setting-contradicts"],
    [{ oidcProvider, project: "shop-test" }, "google-project-contradicts"],
    [{ pool: existing, projectNumber: "1" }, "google-project-contradicts"],
  ])("%# is refused at once", (props, code) => {
    expect(() => pullPrincipals({ ...project, ...props })).toThrowError(expect.objectContaining({ code }));
  });

  it("a source of another maker is refused before anything is declared", () => {
    const stack = testStack();
    const foreign = { cloud: "google", images: ["a/b"], defaultIdentities: () => pullPrincipals(project) };
    const request = { cluster: clusterFacts(), pulls: [{ subject: Subject.of("a/b"), sources: [foreign] }] };
    expect(() => pullPrincipals(project).declare(stack, request)).toThrowError(
      refused("google-source-foreign"),
    );
    expect(stack.node.children).toHaveLength(0);
  });

  it.each([
    [{ namePrefix: "gcp" }, "google-workload-identity-id-invalid"],
    [{ providerId: "abc" }, "google-workload-identity-id-invalid"],
    [{ pool: { poolId: "abc" } }, "google-workload-identity-id-invalid"],
    [{ jwks: "{}" }, "google-jwks-invalid"],
    [{ audience: "" }, "audience-invalid"],
  ] as const)("%j is refused before anything is declared", (props, code) => {
    const stack = testStack();
    expect(() => declare(stack, props)).toThrowError(refused(code));
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
      refused(
        "google-identities-missing",
        'pulling from Artifact Registry needs a project for the workload identity pool, and none is stated, got "europe-west1-docker.pkg.dev/shop-prod/images/*"; add pullPrincipals({ project, projectNumber, … }) to the identities',
      ),
    );
  });

  it.each([
    [{ project: "X" }, "google-project-invalid"],
    [{ location: "eu-west-1" }, "google-location-invalid"],
    [{ repository: "gcr.io" }, "google-repository-invalid"],
    [{ images: ["web:1"] }, "google-image-invalid"],
    [{ repository: LATE }, "late-value"],
  ] as const)("refuse %j", (changed, code) => {
    const props = { project: "shop-prod", location: "europe-west1", repository: "images", ...changed };
    expect(() => artifactRegistry(props)).toThrowError(refused(code));
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

  it("refuses an invalid service account before it declares anything", () => {
    const stack = testStack();
    const principals = WorkloadIdentityPool.fleet(project);
    expect(
      () => new PullBinding(stack, "pull", { repository: images, serviceAccount: "web", principals }),
    ).toThrowError(refused("subject-invalid"));
    expect(stack.node.children).toHaveLength(0);
  });
});
