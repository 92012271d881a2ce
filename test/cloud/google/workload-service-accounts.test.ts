import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider/index.js";
import { TerraformVariable, type TerraformStack } from "cdktf";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket/index.js";
import { PubsubTopicIamMember } from "@cdktf/provider-google/lib/pubsub-topic-iam-member/index.js";
import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import {
  OidcProvider,
  WorkloadServiceAccount,
  googleAccess,
  workloadServiceAccounts,
  type GoogleAccessProps,
  type WorkloadServiceAccountAttributes,
  type WorkloadServiceAccountsProps,
} from "../../../lib/cloud/google";
import { Duration } from "../../../lib/model/duration";
import type { IExistingIdentity } from "../../../lib/model/identity";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import { Subject } from "../../../lib/model/subject";
import type { AccessDeclaration, IAccess } from "../../../lib/model/workloads";
import { type Refusal, refusal, refusedWith } from "../../support/refusal";
import { warnings } from "../../support/stacks";
import { foreignPool, onlyResource, resources, testStack } from "../../fixtures/google/synth";

type Names = readonly string[];

const settings: WorkloadServiceAccountsProps = { project: "shop-prod", projectNumber: "123456789012" };
const POOL = "projects/123456789012/locations/global/workloadIdentityPools/k8s-prod-eu";
const PROVIDER = `//iam.googleapis.com/${POOL}/providers/k8s-prod-eu--workloads`;
const PRINCIPAL = `principal://iam.googleapis.com/${POOL}/subject/system:serviceaccount:shop:web`;
const reader = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "shop-images" }] });

function declare(
  stack: TerraformStack,
  changed: Partial<WorkloadServiceAccountsProps> = {},
  access: readonly IAccess<Construct>[] = [reader],
  subjects: readonly string[] = ["shop/web"],
): AccessDeclaration {
  return workloadServiceAccounts({ ...settings, ...changed }).declare(stack, {
    clusterName: "prod-eu",
    issuer: Issuer.of("https://issuer.example.com/prod-eu"),
    accounts: subjects.map((subject) => ({ subject: Subject.of(subject), asks: access })),
  });
}

describe("workloadServiceAccounts", () => {
  it("warns of a role that is nearly a predefined one", () => {
    const stack = testStack();
    const role = "roles/storage.objectViewr";
    declare(stack, {}, [googleAccess({ roles: [{ role, bucket: "shop-images" }] })]);
    expect(warnings(stack)).toContainEqual(expect.stringContaining(`role ${role} is not known`));
  });

  it("makes a service account with the roles, and lets the workload act as it", () => {
    const stack = testStack();
    const { grants } = declare(stack);
    const id = String(onlyResource(stack, "google_service_account")["account_id"]);
    const email = `${id}@shop-prod.iam.gserviceaccount.com`;
    expect(id).toMatch(/^prod-eu-shop-web-[0-9a-f]{8}$/);
    expect(onlyResource(stack, "google_storage_bucket_iam_member")).toMatchObject({
      bucket: "shop-images",
      role: "roles/storage.objectViewer",
      member: `serviceAccount:${email}`,
    });
    expect(onlyResource(stack, "google_service_account_iam_member")).toMatchObject({ member: PRINCIPAL });
    expect(onlyResource(stack, "google_iam_workload_identity_pool_provider")).toMatchObject({
      workload_identity_pool_provider_id: "k8s-prod-eu--workloads",
      attribute_condition: "assertion.sub in ['system:serviceaccount:shop:web']",
      oidc: { allowed_audiences: [`https:${PROVIDER}`] },
    });
    expect(grants.map(({ identity }) => identity)).toEqual([email]);
    expect(JSON.parse(String(grants[0]?.credentialFile?.content))).toEqual({
      type: "external_account",
      audience: PROVIDER,
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: "https://sts.googleapis.com/v1/token",
      service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${email}:generateAccessToken`,
      credential_source: {
        file: "/var/run/secrets/workload-identity/google/token",
        format: { type: "text" },
      },
    });
  });

  it("refuses a google provider of another universe, before anything is declared", () => {
    const stack = testStack();
    const provider = new GoogleProvider(stack, "google", { universeDomain: "s3ns.fr" });
    expect(() => declare(stack)).toThrowError(refusal("google-mismatch: universeDomain differs"));
    expect(stack.node.children).toEqual([provider]);
    expect(() => declare(stack, { universeDomain: "s3ns.fr" })).not.toThrow();
  });

  it("gives the pods token and credential file in one read-only directory", () => {
    const { grants } = declare(testStack(), { tokenLifetime: Duration.hours(2) });
    const [grant] = grants;
    expect(grant?.annotations).toEqual({});
    expect(grant?.credentialFile).toMatchObject({
      configMap: "google-credentials-web",
      fileName: "credentials.json",
    });
    const directory = "/var/run/secrets/workload-identity/google";
    const token = { audience: `https:${PROVIDER}`, expirationSeconds: 7200, path: "token" };
    const items = [{ key: "credentials.json", path: "credentials.json" }];
    const sources = [
      { serviceAccountToken: token },
      { configMap: { name: "google-credentials-web", items } },
    ];
    expect(grant?.pod).toEqual({
      labels: {},
      env: [{ name: "GOOGLE_APPLICATION_CREDENTIALS", value: `${directory}/credentials.json` }],
      volumeMounts: [{ name: "google-credentials", mountPath: directory, readOnly: true }],
      volumes: [{ name: "google-credentials", projected: { sources } }],
    });
  });

  it("grants the principal itself without impersonation", () => {
    const stack = testStack();
    const { grants } = declare(stack, { impersonate: false });
    expect(resources(stack, "google_service_account")).toEqual({});
    expect(onlyResource(stack, "google_storage_bucket_iam_member")).toMatchObject({
      member: PRINCIPAL,
      depends_on: [expect.stringContaining("google_iam_workload_identity_pool_provider.")],
    });
    expect(grants.map(({ identity }) => identity)).toEqual([PRINCIPAL]);
    expect(JSON.parse(String(grants[0]?.credentialFile?.content))).not.toHaveProperty(
      "service_account_impersonation_url",
    );
  });

  it("takes a late project number with a stated audience, and keeps the pod literal", () => {
    const stack = testStack();
    const number = new TerraformVariable(stack, "number", { type: "string" });
    const { grants } = declare(stack, { projectNumber: number.stringValue, audience: "workloads" });
    expect(isLate(grants[0]?.credentialFile?.content)).toBe(true);
    expect(isLate(grants[0]?.pod)).toBe(false);
  });

  it("hands the member to grants of the caller's own", () => {
    const stack = testStack();
    const access = googleAccess({
      permissions: ["roles/pubsub.publisher on topic orders"],
      declare: (scope, { member, dependencies }) =>
        new PubsubTopicIamMember(scope, "topic", {
          topic: "orders",
          role: "roles/pubsub.publisher",
          member,
          dependsOn: [...dependencies],
        }),
    });
    declare(stack, {}, [access]);
    expect(onlyResource(stack, "google_pubsub_topic_iam_member")["member"]).toMatch(
      /^serviceAccount:prod-eu-shop-web-/,
    );
    expect(access.rights).toEqual({ described: ["roles/pubsub.publisher on topic orders"] });
  });

  it("declares one binding for a role that is asked for twice, and follows a late bucket", () => {
    const stack = testStack();
    const bucket = new StorageBucket(stack, "bucket", { name: "shop", location: "EU" });
    const access = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: bucket.name }] });
    declare(stack, {}, [access, access]);
    expect(onlyResource(stack, "google_storage_bucket_iam_member")["bucket"]).toBe(
      "${google_storage_bucket.bucket.name}",
    );
    expect(access.rights["roleBindings"]).toEqual([
      { role: "roles/storage.objectViewer", bucket: expect.stringContaining("TfToken") as string },
    ]);
  });

  it("uses a pool provider that is there, and its audience", () => {
    const stack = testStack();
    const pool = foreignPool(stack);
    const attributes = { pool, providerId: "prod", audience: "aud" };
    const oidcProvider = OidcProvider.fromProviderId(stack, "adopted", attributes);
    const { grants } = declare(stack, { projectNumber: undefined, oidcProvider });
    expect(resources(stack, "google_iam_workload_identity_pool")).toEqual({});
    expect(JSON.stringify(grants[0]?.pod.volumes)).toContain('"audience":"aud"');
  });

  const project = googleAccess({ roles: [{ role: "roles/logging.logWriter", project: "shop-prod" }] });
  const foreign: IAccess<Construct> = { ...reader, defaultIdentities: () => reader.defaultIdentities() };
  const tooMany = Array.from({ length: 1501 }, (_, index) => `shop/w${index}`);
  it.each<[Refusal, Partial<WorkloadServiceAccountsProps>, readonly IAccess<Construct>[], Names?]>([
    ["google-foreign: an access of cloud google", {}, [foreign]],
    ["google-limit: the allow policy of", {}, [project], tooMany],
    ["google-limit: lifetime of the token", { tokenLifetime: Duration.minutes(5) }, [reader]],
    ["google-limit: lifetime of the token", { tokenLifetime: Duration.hours(25) }, [reader]],
    ["google-invalid: directory of the credential file", { credentialDirectory: "/var/../run" }, [reader]],
    ["audience-invalid", { audience: "" }, [reader]],
    ["late-value", { projectNumber: "${TfToken[TOKEN.1]}" }, [reader]],
  ])("refuses with %s before anything is declared: %j", (code, changed, access, subjects) => {
    const stack = testStack();
    expect(() => declare(stack, changed, access, subjects)).toThrowError(refusal(code));
    expect(stack.toTerraform()).not.toHaveProperty("resource");
  });
});

describe("the pool of GKE", () => {
  const ISSUER =
    "https://container.googleapis.com/v1/projects/shop-prod/locations/europe-west1/clusters/prod";
  const POOL = "shop-prod.svc.id.goog";
  const ON = { workloadIdentityConfig: { workloadPool: POOL } };
  const numbered = { projectNumber: "123456789012", impersonate: false } as const;

  function native(
    stack: TerraformStack,
    changed: Partial<WorkloadServiceAccountsProps> = {},
    existing?: IExistingIdentity,
    issuer = Issuer.of(ISSUER),
  ): AccessDeclaration {
    const subject = Subject.of("shop/web");
    return workloadServiceAccounts({ project: "shop-prod", pool: "gke", ...changed }).declare(stack, {
      clusterName: "prod",
      issuer,
      accounts: [{ subject, asks: existing ? [] : [reader], ...(existing && { existing }) }],
    });
  }

  it("needs an annotation and a binding, and nothing in the pods", () => {
    const stack = testStack();
    const { grants } = native(stack);
    const id = String(onlyResource(stack, "google_service_account")["account_id"]);
    const email = `${id}@shop-prod.iam.gserviceaccount.com`;
    expect(onlyResource(stack, "google_service_account_iam_member")).toMatchObject({
      role: "roles/iam.workloadIdentityUser",
      member: `serviceAccount:${POOL}[shop/web]`,
    });
    expect(resources(stack, "google_iam_workload_identity_pool")).toEqual({});
    expect(resources(stack, "google_iam_workload_identity_pool_provider")).toEqual({});
    expect(grants).toEqual([
      expect.objectContaining({
        identity: email,
        annotations: { "iam.gke.io/gcp-service-account": email },
        pod: { labels: {}, env: [], volumeMounts: [], volumes: [] },
      }),
    ]);
    expect(grants[0]).not.toHaveProperty("credentialFile");
  });

  it("grants the principal itself without impersonation, and without an annotation", () => {
    const stack = testStack();
    const { grants } = native(stack, numbered);
    const member = `principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/${POOL}/subject/ns/shop/sa/web`;
    expect(onlyResource(stack, "google_storage_bucket_iam_member")).toMatchObject({ member });
    expect(resources(stack, "google_service_account")).toEqual({});
    expect(grants).toEqual([expect.objectContaining({ identity: member, annotations: {} })]);
  });

  it("lets the workload act as an existing service account", () => {
    const stack = testStack();
    const email = "web@shop-data.iam.gserviceaccount.com";
    const { grants } = native(stack, {}, WorkloadServiceAccount.fromEmail(stack, "web", { email }));
    expect(onlyResource(stack, "google_service_account_iam_member")).toMatchObject({
      service_account_id: `projects/shop-data/serviceAccounts/${email}`,
      member: `serviceAccount:${POOL}[shop/web]`,
    });
    expect(grants[0]?.annotations).toEqual({ "iam.gke.io/gcp-service-account": email });
  });

  it.each([
    ["with its pool", ON],
    ["of Autopilot", { enableAutopilot: true }],
  ])("waits for the cluster %s, which makes it", (_, pool) => {
    const stack = testStack();
    new ContainerCluster(stack, "cluster", { name: "prod", location: "europe-west1", ...pool });
    native(stack);
    expect(onlyResource(stack, "google_service_account_iam_member")).toMatchObject({
      depends_on: expect.arrayContaining(["google_container_cluster.cluster"]) as unknown,
    });
  });

  it("is not that of a cluster that has none", () => {
    const stack = testStack();
    new ContainerCluster(stack, "other", { name: "prod", location: "europe-west4" });
    new ContainerCluster(stack, "cluster", { name: "prod", location: "europe-west1" });
    const children = stack.node.children.length;
    expect(() => native(stack)).toThrowError(
      refusal("google-missing: the GKE cluster stack/cluster has no workload pool"),
    );
    expect(stack.node.children).toHaveLength(children);
  });

  it.each([
    ["of another distribution", Issuer.of("https://issuer.example.com/prod")],
    [
      "with a further issuer",
      Issuer.of(ISSUER, { label: "new", additionalIssuers: ["https://issuer.example.com/x"] }),
    ],
  ])("is not that of a cluster %s", (_, issuer) => {
    const stack = testStack();
    expect(() => native(stack, {}, undefined, issuer)).toThrowError(
      refusal('google-mismatch: pool "gke" is only for clusters of GKE'),
    );
    expect(stack.node.children).toEqual([]);
  });

  it.each<[Refusal, Partial<WorkloadServiceAccountsProps>]>([
    ["google-unused: audience has no effect", { audience: "workloads" }],
    ["google-unused: tokenLifetime has no effect", { tokenLifetime: Duration.hours(2) }],
    ["google-unused: keys has no effect", { keys: [] }],
    ["property-missing: projectNumber", { impersonate: false }],
    ["google-invalid: project number is not a number", { projectNumber: "shop-prod" }],
  ])("refuses settings: %s", (code, changed) => {
    expect(() => native(testStack(), changed)).toThrowError(refusal(code));
  });
});

describe("googleAccess", () => {
  it("says what it grants", () => {
    const condition = { title: "office hours", expression: "request.time.getHours() < 18" };
    const roles = [
      { role: "roles/storage.objectViewer", bucket: "shop-images" },
      { role: "roles/editor", project: "shop-prod", reason: "migration until March" },
      { role: "roles/logging.logWriter", project: "shop-prod", condition },
    ];
    expect(googleAccess({ roles }).rights).toEqual({ roleBindings: roles });
  });

  const one = (more: object, role = "roles/a.b"): GoogleAccessProps => ({ roles: [{ role, ...more }] });
  const project = "shop-prod";

  it.each(
    refusedWith<GoogleAccessProps>({
      "google-missing: googleAccess() names no role": [{}],
      "google-unused: has no effect": [
        { declare: () => undefined },
        { ...one({ project }), permissions: ["x"] },
      ],
      "google-unsafe: a basic role reaches": [
        one({ project }, "roles/owner"),
        one({ project, reason: " " }, "roles/editor"),
      ],
      "google-invalid: not the full name of a role": [one({ project }, "storage.admin")],
      "google-invalid: a role is granted on one project, on one bucket, on one secret or on one repository": [
        one({}),
        one({ project, bucket: "shop-images" }),
      ],
      "google-invalid: Google Cloud project is not a project id": [one({ project: "X" })],
    }),
  )("refuses with %s: %j", (expected, props) => {
    expect(() => googleAccess(props)).toThrowError(refusal(expected));
  });

  it("has no identities of its own", () => {
    expect(() => reader.defaultIdentities()).toThrowError(
      refusal("google-missing: access to Google Cloud needs a project"),
    );
  });
});

describe("WorkloadServiceAccount", () => {
  it.each<[Refusal, string]>([
    ["late-value", "${TfToken[TOKEN.1]}"],
    ["cluster-invalid", "Prod EU"],
  ])("refuses with %s the cluster name %s, whose hash would stand in ids", (code, clusterName) => {
    const stack = testStack();
    const oidcProvider = OidcProvider.fromProviderId(stack, "adopted", {
      pool: foreignPool(stack),
      providerId: "prod",
    });
    const workload = { serviceAccount: "shop/web", access: [reader], project: "shop-prod", oidcProvider };
    expect(() => new WorkloadServiceAccount(stack, "web", { ...workload, clusterName })).toThrowError(
      refusal(code),
    );
    const issuer = Issuer.of("https://issuer.example.com/prod-eu");
    const maker = workloadServiceAccounts(settings);
    expect(() => maker.declare(stack, { clusterName, issuer, accounts: [] })).toThrowError(refusal(code));
    expect(stack.toTerraform()).not.toHaveProperty("resource");
  });

  it("stands alone", () => {
    const stack = testStack();
    const pool = foreignPool(stack);
    const oidcProvider = new OidcProvider(stack, "provider", {
      pool,
      providerId: "prod",
      issuer: "https://issuer.example.com",
    });
    const workload = new WorkloadServiceAccount(stack, "web", {
      serviceAccount: "shop/web",
      access: [reader],
      clusterName: "9-lives",
      project: "shop-prod",
      oidcProvider,
    });
    expect(workload.account?.email).toMatch(/^c9-lives-shop-web-[0-9a-f]{8}@/);
    expect(workload.node.defaultChild).toBe(workload.account);
    expect(oidcProvider.condition?.expression).toBe("assertion.sub in ['system:serviceaccount:shop:web']");
  });
});

describe("WorkloadServiceAccount.fromEmail", () => {
  const adopt = (attributes: Omit<WorkloadServiceAccountAttributes, "provider">): string => {
    const stack = testStack();
    const existing = WorkloadServiceAccount.fromEmail(stack, "web", attributes);
    workloadServiceAccounts(settings).declare(stack, {
      clusterName: "prod-eu",
      issuer: Issuer.of("https://issuer.example.com/prod-eu"),
      accounts: [{ subject: Subject.of("shop/web"), asks: [reader], existing }],
    });
    expect(resources(stack, "google_service_account")).toEqual({});
    expect(resources(stack, "google_storage_bucket_iam_member")).toEqual({});
    const user = onlyResource(stack, "google_service_account_iam_member");
    expect(user).toMatchObject({ role: "roles/iam.workloadIdentityUser", member: PRINCIPAL });
    return String(user["service_account_id"]);
  };

  it.each<[string, string, string?]>([
    ["shop-web@shop-prod.iam.gserviceaccount.com", "shop-prod"],
    ["shop-web@shop-prod.example.com.iam.gserviceaccount.com", "example.com:shop-prod"],
    ["123456789012-compute@developer.gserviceaccount.com", "shop-prod", "shop-prod"],
  ])("takes %s for an account of project %s", (email, owner, project) => {
    const stated = project === undefined ? {} : { project };
    expect(adopt({ email, ...stated })).toBe(`projects/${owner}/serviceAccounts/${email}`);
  });

  it("takes a late address with its project", () => {
    const email = new TerraformVariable(testStack(), "email", {}).stringValue;
    expect(adopt({ email, project: "shop-prod" })).toBe("projects/shop-prod/serviceAccounts/${var.email}");
  });

  it.each<[string, string, string?]>([
    ["google-invalid: not the e-mail address of a Google service account", "shop-web"],
    ["google-invalid: not the e-mail address of a Google service account", "ada@example.com"],
    ["google-mismatch: another project", "shop-web@shop-prod.iam.gserviceaccount.com", "shop-test"],
    ["google-missing: is not known from its e-mail", "123456789012-compute@developer.gserviceaccount.com"],
    ["google-missing: is not known from its e-mail", "${TfToken[TOKEN.1]}"],
  ])("refuses with %s: %s", (expected, email, project) => {
    const stated = project === undefined ? {} : { project };
    expect(() => adopt({ email, ...stated })).toThrowError(
      refusal(expected, { message: expect.stringMatching(/^stack\/web: /) as string }),
    );
  });
});
