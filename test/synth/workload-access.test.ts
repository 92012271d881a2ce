import { Testing, type TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { awsAccess, ecr, pullRoles, workloadRoles } from "../../lib/cloud/aws";
import { azureAccess, workloadIdentities } from "../../lib/cloud/azure";
import { googleAccess, workloadServiceAccounts } from "../../lib/cloud/google";
import type { ErrorCode } from "../../lib/errors";
import { explain } from "../../lib/explain";
import type { AccessGrant, IAccess, IWorkloadIdentities, PodFragment } from "../../lib/model/workloads";
import { kubernetes } from "../../lib/node";
import { openShift } from "../../lib/openshift";
import { ImagePulls, Manifests, WorkloadAccess, type WorkloadAccessProps } from "../../lib/synth";
import { faults } from "../support/faults";
import { plainCluster } from "../support/image-pulls";
import { type Json, inside, list, record } from "../support/json";
import {
  ISSUER,
  SUBSCRIPTION,
  TENANT,
  componentMakers,
  providersStack,
} from "../support/platform-components";
import { type WrittenStack, writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";
import { resources } from "../support/terraform";
import { refusal } from "../support/refusal";

const [account, region] = ["111122223333", "eu-west-1"];
const cluster = { name: "prod", issuer: ISSUER, podIdentityWebhooks: ["aws", "azure"] as const };

const readBucket = awsAccess({
  statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::acme/*"] }],
});
const sendMail = awsAccess({ managedPolicyArns: ["arn:aws:iam::aws:policy/AmazonSESFullAccess"] });
const readBlobs = azureAccess({
  roles: [
    {
      role: "Storage Blob Data Reader",
      scope: `/subscriptions/${SUBSCRIPTION}/resourceGroups/acme/providers/Microsoft.Storage/storageAccounts/acme`,
    },
  ],
});
const readSales = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] });

const roles = workloadRoles({ account, region });
const managed = workloadIdentities({
  resourceGroupName: "workloads",
  location: "westeurope",
  tenantId: TENANT,
});
const accounts = workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" });

/** Synthesizes a stack `prod`, of which every link holds but what is stated to be open. */
function written(
  props: Partial<WorkloadAccessProps>,
  more?: (stack: TerraformStack) => void,
  open: readonly string[] = [],
): WrittenStack {
  const outdir = synthesized((app) => {
    const stack = providersStack(app);
    new WorkloadAccess(stack, "workloads", { cluster, workloads: [], ...props });
    more?.(stack);
  });
  expect(faults(outdir)).toEqual(open.map((each) => expect.stringContaining(each) as string));
  const [stack] = writtenStacks(outdir);
  if (!stack) throw new Error("no stack was written");
  return stack;
}

function yaml({ files }: WrittenStack, file: string): Json {
  return record(parse(files.get(file) ?? ""));
}

describe("a cluster of which nothing says that a pod identity webhook runs", () => {
  const k3s = kubernetes({ name: "prod", version: "1.35", issuer: ISSUER, plugins: {} });
  const props: WorkloadAccessProps = {
    cluster: k3s,
    workloads: [{ serviceAccount: "shop/web", may: [readBucket, readBlobs] }],
    identities: [roles, managed],
  };
  const made = (more: Partial<WorkloadAccessProps> = {}): string =>
    synthesized((app) => new WorkloadAccess(providersStack(app), "workloads", { ...props, ...more }));
  const podsOf = (folder: string, more: readonly string[] = []): readonly (readonly unknown[])[] =>
    explain([folder, ...more]).map(({ target, verdict, checks }) => {
      const pods = checks.find(({ id }) => id === "pods-configured");
      return [target, verdict, pods?.status, pods?.evidence.map(({ text: seen }) => seen)];
    });
  const FRAGMENT = "stacks/prod/pods/shop.web.yaml";

  it("gets tokens and variables for its pods, and is allowed by them alone", () => {
    const folder = made();
    const env = list(record(parse(readFileSync(join(folder, FRAGMENT), "utf8")))["env"]);
    expect(env.map((each) => record(each)["name"])).toEqual(
      expect.arrayContaining(["AWS_WEB_IDENTITY_TOKEN_FILE", "AZURE_FEDERATED_TOKEN_FILE"]),
    );
    expect(podsOf(folder)).toEqual([
      ["aws", "allowed", "pass", ["what its pods need"]],
      ["azure", "allowed", "pass", ["what its pods need"]],
    ]);
    // As a copy of an older synth, or of a hand that left them out.
    writeFileSync(join(folder, FRAGMENT), 'labels:\n  azure.workload.identity/use: "true"\n');
    expect(podsOf(folder).map((each) => each.slice(0, 3))).toEqual([
      ["aws", "unknown", "unknown"],
      ["azure", "unknown", "unknown"],
    ]);
    const webhook = join(folder, "webhook.json");
    writeFileSync(webhook, JSON.stringify(WEBHOOK));
    expect(podsOf(folder, [webhook])[0]).toEqual(["aws", "allowed", "pass", ["pod identity webhook"]]);
  });

  it.each<[string, WorkloadAccessProps["cluster"], readonly string[], readonly string[]]>([
    ["stated", { ...k3s, podIdentityWebhooks: ["aws"] }, ["aws"], ["AZURE_CLIENT_ID"]],
    [
      "stated in its facts",
      kubernetes({
        name: "prod",
        version: "1.35",
        issuer: ISSUER,
        plugins: {},
        podIdentityWebhooks: ["azure"],
      }),
      ["azure"],
      ["AWS_ROLE_ARN"],
    ],
    [
      "built in",
      openShift({ name: "prod", version: "4.22", platform: "aws", issuer: ISSUER, pools: ["worker"] }),
      ["aws"],
      ["AZURE_CLIENT_ID"],
    ],
  ])("leaves to the webhook what is %s", (_, own, recorded, first) => {
    const folder = made({ cluster: own });
    const [stack] = writtenStacks(folder);
    expect(record(list(stack?.identity["clusters"])[0])["podIdentityWebhooks"]).toEqual(recorded);
    const env = list(record(parse(stack?.files.get("pods/shop.web.yaml") ?? ""))["env"]);
    expect(env.slice(0, 1).map((each) => record(each)["name"])).toEqual(first);
    const ofCloud = podsOf(folder).find(([target]) => target === recorded[0]);
    expect(ofCloud?.slice(1, 3)).toEqual(["allowed", recorded[0] === "aws" ? "pass" : "skipped"]);
  });

  it("refuses webhooks of other clouds", () => {
    const own = { ...k3s, podIdentityWebhooks: ["google"] } as never;
    expect(() => made({ cluster: own })).toThrowError(/podIdentityWebhooks.*google/s);
  });
});

const WEBHOOK = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "pod-identity-webhook" },
  webhooks: [
    {
      name: "pod-identity-webhook.amazonaws.com",
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
    },
  ],
};

describe("WorkloadAccess", () => {
  it("AWS: an annotated service account, and nothing for the pods, which the webhook changes", () => {
    const stack = written(
      {
        workloads: [
          { serviceAccount: "shop/web", may: readBucket },
          { serviceAccount: "shop/web", may: [sendMail] },
        ],
        identities: [roles],
      },
      undefined,
      ["what the AWS managed policy AmazonSESFullAccess allows is not known here"],
    );
    expect([...stack.files.keys()].sort()).toEqual([
      "cdk.tf.json",
      "manifests/20-service-accounts.yaml",
      "workload-identity.json",
    ]);
    expect(yaml(stack, "manifests/20-service-accounts.yaml")).toEqual({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: {
        name: "web",
        namespace: "shop",
        annotations: {
          "eks.amazonaws.com/role-arn": `arn:aws:iam::${account}:role/prod_shop_web_access`,
        },
      },
    });
    expect(stack.identity["clusters"]).toEqual([
      {
        name: "prod",
        issuer: ISSUER,
        podIdentityWebhooks: ["aws", "azure"],
        workloads: [
          {
            serviceAccount: "shop/web",
            cloud: "aws",
            identity: `arn:aws:iam::${account}:role/prod_shop_web_access`,
            asks: { ...sendMail.rights, ...readBucket.rights },
          },
        ],
      },
    ]);
  });

  it("Azure: annotations with the client id, and the label of the pods", () => {
    const stack = written({
      workloads: [{ serviceAccount: "shop/web", may: readBlobs }],
      identities: [managed],
    });
    const annotations = inside(yaml(stack, "manifests/20-service-accounts.yaml"), "metadata", "annotations");
    expect(annotations).toEqual({
      "azure.workload.identity/client-id": expect.stringMatching(/^@late\(.+\.client_id\)@$/) as unknown,
      "azure.workload.identity/tenant-id": TENANT,
    });
    expect(yaml(stack, "pods/shop.web.yaml")).toEqual({ labels: { "azure.workload.identity/use": "true" } });
    expect(stack.identity["pods"]).toEqual([{ file: "pods/shop.web.yaml" }]);
  });

  it("Google: a credential file, and what the pods need to find it", () => {
    let pod: PodFragment | undefined;
    const outdir = synthesized((app) => {
      const access = new WorkloadAccess(providersStack(app), "workloads", {
        cluster,
        workloads: [{ serviceAccount: "shop/web", may: readSales }],
        identities: [accounts],
      });
      pod = access.podFor("shop/web");
    });
    expect(faults(outdir)).toEqual([]);
    const [stack] = writtenStacks(outdir);
    if (!stack) throw new Error("no stack was written");
    const configMap = yaml(stack, "manifests/30-cloud-credentials.yaml");
    expect(configMap["metadata"]).toEqual({ name: "google-credentials-web", namespace: "shop" });
    expect(yaml(stack, "pods/shop.web.yaml")).toEqual({
      env: pod?.env,
      volumeMounts: pod?.volumeMounts,
      volumes: pod?.volumes,
    });
    expect(pod?.env).toEqual([
      {
        name: "GOOGLE_APPLICATION_CREDENTIALS",
        value: "/var/run/secrets/workload-identity/google/credentials.json",
      },
    ]);
    expect(stack.files.get("pods/shop.web.yaml")).toMatch(
      /^# Add this to pod templates in namespace shop with `serviceAccountName: web`; it is not applied by itself\.\n/,
    );
  });

  it("all three clouds for one service account, one service account in the manifests", () => {
    const stack = written({
      workloads: [{ serviceAccount: "shop/web", may: [readSales, readBlobs, readBucket] }],
      identities: [roles, managed, accounts],
    });
    const documents = parseAllDocuments(stack.files.get("manifests/20-service-accounts.yaml") ?? "");
    expect(documents).toHaveLength(1);
    expect(Object.keys(yaml(stack, "pods/shop.web.yaml"))).toEqual([
      "labels",
      "env",
      "volumeMounts",
      "volumes",
    ]);
    const [facts] = list(stack.identity["clusters"]).map(record);
    expect(list(facts?.["workloads"]).map((workload) => record(workload)["cloud"])).toEqual([
      "aws",
      "azure",
      "google",
    ]);
  });

  it("a service account of someone else is annotated, and left out where there is nothing to annotate", () => {
    const stack = written(
      {
        workloads: [
          { serviceAccount: "shop/web", may: readBucket, declareServiceAccount: false },
          { serviceAccount: "shop/api", may: readSales, declareServiceAccount: false },
        ],
        identities: [roles, accounts],
      },
      undefined,
      ["the service account shop/api is not among what was read"],
    );
    expect(stack.files.has("manifests/20-service-accounts.yaml")).toBe(false);
    const documents = parseAllDocuments(
      stack.files.get("manifests/25-service-account-annotations.yaml") ?? "",
    );
    expect(documents.map((document) => inside(document.toJS(), "metadata", "name"))).toEqual(["web"]);
  });

  it("shares OIDC provider and service account with ImagePulls", () => {
    const pulls = (stack: TerraformStack): unknown =>
      new ImagePulls(stack, "pulls", {
        cluster: plainCluster(),
        pulls: [{ serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["web"] }) }],
        identities: [pullRoles({ account, region })],
      });
    const stack = written(
      { workloads: [{ serviceAccount: "shop/web", may: readBucket }], identities: [roles] },
      pulls,
    );
    expect(resources(stack.terraform, "aws_iam_openid_connect_provider")).toHaveLength(1);
    const annotations = inside(yaml(stack, "manifests/20-service-accounts.yaml"), "metadata", "annotations");
    expect(Object.keys(record(annotations)).sort()).toEqual([
      "eks.amazonaws.com/ecr-role-arn",
      "eks.amazonaws.com/role-arn",
    ]);
  });

  it("warns of a service account whose name will change", () => {
    const stack = written({
      workloads: [{ serviceAccount: "crossplane-system/provider-aws-4ebd5d8c7cb7", may: readBucket }],
      identities: [roles],
    });
    expect(stack.warnings).toEqual([
      expect.stringMatching(
        /^service account crossplane-system\/provider-aws-4ebd5d8c7cb7: Crossplane names it/,
      ),
    ]);
  });

  it("warns of access for a default service account", () => {
    const stack = written({
      workloads: [{ serviceAccount: "shop/default", may: readBucket }],
      identities: [roles],
    });
    expect(stack.warnings).toEqual([
      "service account shop/default: every pod of the namespace without a service account name runs as this one and has its access; give the pods that need it their own service account",
    ]);
  });
});

/** A cloud that gives whatever a test needs. */
function fakeCloud(
  cloud: string,
  grant: (subject: AccessGrant["subject"]) => Partial<AccessGrant>,
): readonly [IAccess<Construct>, IWorkloadIdentities<Construct>] {
  const maker: IWorkloadIdentities<Construct> = {
    cloud,
    job: "workloads",
    declare: (_, { accounts }) => ({
      grants: accounts.map(({ subject }) => ({
        subject,
        identity: "someone",
        annotations: {},
        pod: { labels: {}, env: [], volumeMounts: [], volumes: [] },
        ...grant(subject),
      })),
    }),
  };
  return [{ cloud, rights: { everything: [] }, defaultIdentities: () => maker }, maker];
}

const pod = (fragment: Partial<PodFragment>): Partial<AccessGrant> => ({
  pod: { labels: {}, env: [], volumeMounts: [], volumes: [], ...fragment },
});
const both = (one: Partial<AccessGrant>, other: Partial<AccessGrant>): Partial<WorkloadAccessProps> => ({
  workloads: [
    {
      serviceAccount: "shop/web",
      may: [fakeCloud("one", () => one)[0], fakeCloud("other", () => other)[0]],
    },
  ],
});

// [code, properties, the message after the construct's path]
const ROWS: readonly (readonly [code: ErrorCode, props: Partial<WorkloadAccessProps>, message: string])[] = [
  [
    "identities-missing",
    { workloads: [] },
    'workloads of cluster prod is an empty list; allowed: at least one line; write { serviceAccount: "shop/web", may: awsAccess({ statements: […] }) }',
  ],
  [
    "identities-missing",
    { workloads: [{ serviceAccount: "shop/web", may: [] }] },
    "`may` of service account shop/web is an empty list; allowed: one entry or several, for example may: awsAccess({ statements: […] }); state what the service account needs, or remove the line",
  ],
  [
    "identities-conflict",
    {
      workloads: [
        { serviceAccount: "shop/web", may: readBucket },
        { serviceAccount: "shop/web", may: sendMail, declareServiceAccount: false },
      ],
    },
    'one line declares this service account, and another has `declareServiceAccount: false`, got "shop/web"; write the same `declareServiceAccount` in every line of the service account, in all constructs of the stack',
  ],
  [
    "identities-unused",
    { workloads: [{ serviceAccount: "shop/web", may: readBucket }], identities: [roles, accounts] },
    '`identities` has an entry for a cloud that no line of `workloads` needs, got "google"; allowed: aws; remove the entry, or add the missing line to `workloads`',
  ],
  [
    "identities-conflict",
    both({ annotations: { "example.com/id": "1" } }, { annotations: { "example.com/id": "2" } }),
    'two clouds need different values of the annotation example.com/id, got "shop/web"; give each cloud\'s workload its own service account',
  ],
  [
    "identities-conflict",
    both(pod({ labels: { use: "1" } }), pod({ labels: { use: "2" } })),
    'two clouds need different labels named use in the pods of one service account, got "shop/web"; give each cloud\'s workload its own service account',
  ],
  [
    "identities-conflict",
    both(pod({ volumes: [{ name: "v", emptyDir: {} }] }), pod({ volumes: [{ name: "v" }] })),
    'two clouds need different volumes named v in the pods of one service account, got "shop/web"; give each cloud\'s workload its own service account',
  ],
  [
    "identities-conflict",
    {
      workloads: ["shop/a", "shop/b"].map((serviceAccount) => ({
        serviceAccount,
        may: fakeCloud("one", () => ({
          credentialFile: { configMap: "same", fileName: "x.json", content: "{}" },
        }))[0],
      })),
    },
    'the credential files of shop/a and of shop/b would be written to one ConfigMap, got "shop/same"; allowed: one ConfigMap per service account; rename one of the service accounts, or put it into another namespace',
  ],
];

describe("WorkloadAccess refuses", () => {
  const declare = (
    props: Partial<WorkloadAccessProps>,
    stack = providersStack(Testing.app()),
  ): WorkloadAccess => new WorkloadAccess(stack, "workloads", { cluster, workloads: [], ...props });

  it.each(ROWS)("%s", (code, props, message) => {
    expect(() => declare(props)).toThrowError(refusal(code, { message: `prod/workloads: ${message}` }));
  });

  it.each([
    ["property-missing", { workloads: [{ may: readBucket }] }],
    ["property-invalid", { workloads: [{ serviceAccount: "shop/web", may: [undefined] }] }],
    ["property-invalid", { identities: [componentMakers.aws()] }],
  ] as const satisfies readonly (readonly [ErrorCode, object])[])(
    "%s: what no compiler saw, %j",
    (code, props) => {
      const line = { serviceAccount: "shop/web", may: readBucket };
      expect(() => declare({ workloads: [line], ...(props as object) })).toThrowError(refusal(code));
    },
  );

  it("identities-twice", () => {
    const workloads = [{ serviceAccount: "shop/web", may: readBucket }];
    expect(() => declare({ workloads, identities: [roles, workloadRoles()] })).toThrowError(
      refusal("identities-conflict"),
    );
  });

  it("identities-unknown: a pod of a service account that no line names", () => {
    const access = declare({
      workloads: [{ serviceAccount: "shop/web", may: readBucket }],
      identities: [roles],
    });
    expect(() => access.podFor("shop/api")).toThrowError(
      refusal("identities-unknown", {
        message:
          'no line of `workloads` names this service account, got "shop/api"; allowed: shop/web; correct the name, or add a line for it',
      }),
    );
  });

  it.each([
    ["identities-conflict", { declareServiceAccount: false }, {}],
    ["cluster-mismatch", {}, { issuer: "https://oidc.example.com/other" }],
    ["cluster-conflict", {}, { name: "other" }],
  ] as const)(
    "%s: what ImagePulls of the stack says otherwise, before anything is declared",
    (code, line, other) => {
      const stack = providersStack(Testing.app());
      new ImagePulls(stack, "pulls", {
        cluster: plainCluster(),
        pulls: [{ serviceAccount: "shop/web", from: ecr({ account, region, repositories: ["web"] }) }],
        identities: [pullRoles({ account, region })],
      });
      const before = [...Manifests.of(stack).render()];
      const workloads = [{ serviceAccount: "shop/web", may: readBucket, ...line }];
      expect(() =>
        declare({ cluster: { ...cluster, ...other }, workloads, identities: [roles] }, stack),
      ).toThrowError(refusal(code));
      expect([...Manifests.of(stack).render()]).toEqual(before);
      expect(Testing.synth(stack)).not.toContain("prod_shop_web_access");
    },
  );
});
