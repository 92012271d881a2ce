/*
 * Lines with `as`: what is written for service accounts that act as identities which exist, what is not, and what
 * `explain` says of it with the state that has them.
 */

import { Testing } from "cdktf";
import type { TerraformStack } from "cdktf";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PullRole, WorkloadRole, awsAccess, ecr, eks, workloadRoles } from "../../lib/cloud/aws";
import { WorkloadIdentity, azureAccess, workloadIdentities } from "../../lib/cloud/azure";
import { WorkloadServiceAccount, googleAccess, workloadServiceAccounts } from "../../lib/cloud/google";
import type { ErrorCode } from "../../lib/errors";
import { explain } from "../../lib/explain";
import type { IExistingIdentity } from "../../lib/model/identity";
import { ImagePulls, type ImagePullsProps, WorkloadAccess, type WorkloadAccessProps } from "../../lib/synth";
import { type Resources, state } from "../fixtures/explain/states";
import { REGISTRY_ID, fromAcr, fromEcr, fromGoogle, makers, plainCluster } from "../support/image-pulls";
import { type Json, inside, list, record } from "../support/json";
import { ISSUER, SUBSCRIPTION, TENANT, providersStack } from "../support/platform-components";
import { refusal } from "../support/refusal";
import { type WrittenStack, writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";

const ACCOUNT = "111122223333";
const ROLE = `arn:aws:iam::${ACCOUNT}:role/shop-web`;
const HOST = new URL(ISSUER).host + new URL(ISSUER).pathname;
const OIDC = `arn:aws:iam::${ACCOUNT}:oidc-provider/${HOST}`;
const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`;
const IDENTITY = `${GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web`;
const [CLIENT, PRINCIPAL] = ["33333333-4444-4555-8666-777777777777", "44444444-5555-4666-8777-888888888888"];
const EMAIL = "shop-web@acme-prod.iam.gserviceaccount.com";

const cluster = { name: "prod", issuer: ISSUER, podIdentityWebhooks: ["aws", "azure"] as const };
const google = workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" });
const readBucket = awsAccess({
  statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::acme/*"] }],
});
const readBlobs = azureAccess({ roles: [{ role: "Storage Blob Data Reader", scope: GROUP }] });
const readSales = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] });

const role = (stack: TerraformStack, arn: string = ROLE): IExistingIdentity =>
  WorkloadRole.fromArn(stack, "web", arn);
const identity = (stack: TerraformStack): IExistingIdentity =>
  WorkloadIdentity.fromResourceId(stack, "identity", {
    resourceId: IDENTITY,
    clientId: CLIENT,
    principalId: PRINCIPAL,
    tenantId: TENANT,
  });
const account = (stack: TerraformStack): IExistingIdentity =>
  WorkloadServiceAccount.fromEmail(stack, "account", { email: EMAIL });

interface Written {
  readonly outdir: string;
  readonly stack: WrittenStack;
  readonly resources: Json;
}

function written(build: (stack: TerraformStack) => void): Written {
  const outdir = synthesized((app) => build(providersStack(app)));
  const [stack] = writtenStacks(outdir);
  if (!stack) throw new Error("no stack was written");
  return { outdir, stack, resources: record(stack.terraform["resource"] ?? {}) };
}

function access(props: (stack: TerraformStack) => Partial<WorkloadAccessProps>): Written {
  return written((stack) => {
    new WorkloadAccess(stack, "workloads", { cluster, workloads: [], ...props(stack) });
  });
}

function pulls(props: (stack: TerraformStack) => Partial<ImagePullsProps>): Written {
  return written((stack) => {
    new ImagePulls(stack, "pulls", { cluster: plainCluster(), pulls: [], ...props(stack) });
  });
}

/** Verdict and first check that is not passed, of the folder with a state beside it. */
function judged({ outdir }: Written, resources?: Resources): readonly unknown[] {
  const file = join(outdir, "elsewhere.json");
  if (resources) writeFileSync(file, JSON.stringify(state(resources)));
  return explain(resources ? [outdir, file] : [outdir]).map(({ verdict, checks }) => {
    const open = checks.find(({ status }) => status === "fail" || status === "unknown");
    return open ? `${verdict}: ${open.id}` : verdict;
  });
}

const annotationsOf = ({ stack }: Written): unknown =>
  inside(
    record(parse(stack.files.get("manifests/20-service-accounts.yaml") ?? "")),
    "metadata",
    "annotations",
  );
const recorded = ({ stack }: Written): unknown => record(list(stack.identity["clusters"])[0])["workloads"];
const blocks = ({ resources }: Written, type: string): readonly Json[] =>
  Object.values(record(resources[type] ?? {})).map(record);

const trusting = (subject: string, provider: string = OIDC): Resources => ({
  "aws_iam_role.web": {
    arn: ROLE,
    id: "shop-web",
    name: "shop-web",
    path: "/",
    permissions_boundary: "",
    inline_policy: [],
    managed_policy_arns: [],
    assume_role_policy: JSON.stringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Action: "sts:AssumeRoleWithWebIdentity",
          Principal: { Federated: provider },
          Condition: { StringEquals: { [`${HOST}:aud`]: "sts.amazonaws.com", [`${HOST}:sub`]: subject } },
        },
      ],
    }),
  },
  "aws_iam_openid_connect_provider.prod": {
    arn: OIDC,
    id: OIDC,
    client_id_list: ["sts.amazonaws.com"],
    url: HOST,
  },
});
const granted = (statement: object): Resources => ({
  "aws_iam_role_policy.web": {
    id: "shop-web:access",
    name: "access",
    role: "shop-web",
    policy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }),
  },
});
const S3 = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::acme/*" };
const WEB = "system:serviceaccount:shop:web";

describe("an existing role of AWS", () => {
  const made = access((stack) => ({
    workloads: [{ serviceAccount: "shop/web", as: role(stack) }],
    identities: [workloadRoles()],
  }));

  it("is annotated, and nothing else is written", () => {
    expect(made.resources).toEqual({});
    expect(annotationsOf(made)).toEqual({ "eks.amazonaws.com/role-arn": ROLE });
    expect(recorded(made)).toEqual([{ serviceAccount: "shop/web", cloud: "aws", identity: ROLE, asks: {} }]);
  });

  it.each<[string, Resources | undefined, readonly string[]]>([
    ["no state", undefined, ["unknown: identity-found"]],
    ["the state of the role", { ...trusting(WEB), ...granted(S3) }, ["allowed"]],
    ["a role without rights", trusting(WEB), ["denied: permissions-granted"]],
    ["another subject", { ...trusting(`${WEB}x`), ...granted(S3) }, ["denied: subject-admitted"]],
  ])("is judged with %s", (_, resources, expected) => {
    expect(judged(made, resources)).toEqual(expected);
  });

  it("is compared with what the workload needs, and granted none of it", () => {
    const asking = access((stack) => ({
      workloads: [{ serviceAccount: "shop/web", as: role(stack), may: readBucket }],
    }));
    expect(asking.resources).toEqual({});
    expect(recorded(asking)).toMatchObject([{ identity: ROLE, asks: readBucket.rights }]);
    expect(judged(asking, { ...trusting(WEB), ...granted(S3) })).toEqual(["allowed"]);
    const other = granted({ ...S3, Action: "s3:PutObject" });
    expect(judged(asking, { ...trusting(WEB), ...other })).toEqual(["denied: permissions-granted"]);
  });

  it("stands beside declared ones, whose OIDC provider is declared", () => {
    const mixed = access((stack) => ({
      workloads: [
        { serviceAccount: "shop/web", as: role(stack) },
        { serviceAccount: "shop/api", may: readBucket },
      ],
      identities: [workloadRoles({ account: ACCOUNT, region: "eu-west-1" })],
    }));
    expect(blocks(mixed, "aws_iam_openid_connect_provider")).toHaveLength(1);
    expect(blocks(mixed, "aws_iam_role").map(({ name }) => name)).toEqual(["prod_shop_api_access"]);
    expect(judged(mixed)).toEqual(["allowed", "unknown: identity-found"]);
  });

  it("gives pods without a webhook a token for the stated audience", () => {
    const bare = access((stack) => ({
      cluster: { name: "prod", issuer: ISSUER },
      workloads: [{ serviceAccount: "shop/web", as: role(stack) }],
      identities: [workloadRoles({ audience: "own" })],
    }));
    expect(annotationsOf(bare)).toMatchObject({ "eks.amazonaws.com/audience": "own" });
    const pod = parse(bare.stack.files.get("pods/shop.web.yaml") ?? "") as { env: unknown; volumes: unknown };
    expect(pod.env).toContainEqual({ name: "AWS_ROLE_ARN", value: ROLE });
    expect(JSON.stringify(pod.volumes)).toContain('"audience":"own"');
  });

  it("gets an association of EKS Pod Identity, which is the cluster's", () => {
    const issuer = "https://oidc.eks.eu-west-1.amazonaws.com/id/D48675832CA65BD10A532F597F1B5C3A";
    const associated = access((stack) => ({
      cluster: eks({ name: "prod", version: "1.34", issuer, region: "eu-west-1" } as never),
      workloads: [{ serviceAccount: "shop/web", as: role(stack) }],
      identities: [workloadRoles({ account: ACCOUNT, region: "eu-west-1", podIdentity: "prod" })],
    }));
    expect(Object.keys(associated.resources)).toEqual(["aws_eks_pod_identity_association"]);
    expect(blocks(associated, "aws_eks_pod_identity_association")).toMatchObject([
      { cluster_name: "prod", namespace: "shop", service_account: "web", role_arn: ROLE },
    ]);
    expect(annotationsOf(associated)).toBeUndefined();
  });

  it("pulls: the kubelet's entry and the annotation, but no role, policy or OIDC provider", () => {
    const pulling = pulls((stack) => ({
      pulls: [{ serviceAccount: "shop/web", from: fromEcr(), as: role(stack) }],
    }));
    expect(pulling.resources).toEqual({});
    expect(annotationsOf(pulling)).toEqual({ "eks.amazonaws.com/ecr-role-arn": ROLE });
    expect(judged(pulling)).toEqual(["unknown: issuer-trusted"]);
    const login = { Effect: "Allow", Action: "ecr:*", Resource: "*" };
    expect(judged(pulling, { ...trusting(WEB), ...granted(login) })).toEqual(["allowed"]);
    expect(judged(pulling, { ...trusting(`${WEB}x`), ...granted(login) })).toEqual([
      "denied: subject-admitted",
    ]);
  });
});

const managed = (more: Resources = {}): Resources => ({
  "azurerm_user_assigned_identity.web": {
    id: IDENTITY,
    name: "web",
    resource_group_name: "shop",
    location: "westeurope",
    client_id: CLIENT,
    principal_id: PRINCIPAL,
    tenant_id: TENANT,
  },
  ...more,
});
const assigned = (roleName: string, roleId: string, scope: string): Resources => ({
  "azurerm_role_assignment.web": {
    id: `${scope}/providers/Microsoft.Authorization/roleAssignments/66666666-5555-4666-8777-888888888888`,
    name: "66666666-5555-4666-8777-888888888888",
    scope,
    principal_id: PRINCIPAL,
    principal_type: "ServicePrincipal",
    role_definition_id: `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Authorization/roleDefinitions/${roleId}`,
    role_definition_name: roleName,
    condition: "",
    condition_version: "",
    delegated_managed_identity_resource_id: "",
    description: "",
  },
});
const READER = assigned("Storage Blob Data Reader", "2a2b9908-6ea1-4ae2-8e65-a410df84e7d1", GROUP);
const credential = (subject: string): Resources => ({
  "azurerm_federated_identity_credential.web": {
    id: `${IDENTITY}/federatedIdentityCredentials/web`,
    name: "web",
    parent_id: IDENTITY,
    resource_group_name: "shop",
    issuer: ISSUER,
    subject,
    audience: ["api://AzureADTokenExchange"],
  },
});

describe("an existing identity of Azure", () => {
  const made = access((stack) => ({
    workloads: [{ serviceAccount: "shop/web", as: identity(stack), may: readBlobs }],
    identities: [workloadIdentities()],
  }));

  it("gets a federated credential, and no role", () => {
    expect(Object.keys(made.resources)).toEqual(["azurerm_federated_identity_credential"]);
    expect(blocks(made, "azurerm_federated_identity_credential")).toMatchObject([
      { issuer: ISSUER, subject: WEB, audience: ["api://AzureADTokenExchange"], parent_id: IDENTITY },
    ]);
    expect(annotationsOf(made)).toEqual({
      "azure.workload.identity/client-id": CLIENT,
      "azure.workload.identity/tenant-id": TENANT,
    });
    expect(recorded(made)).toMatchObject([{ identity: CLIENT, asks: readBlobs.rights }]);
  });

  it.each<[string, Resources | undefined, string]>([
    ["no state", undefined, "unknown: "],
    ["the state of the identity", managed(READER), "allowed"],
    ["an identity without rights", managed(), "denied: permissions-granted"],
  ])("is judged with %s", (_, resources, expected) => {
    expect(judged(made, resources)).toEqual([expect.stringContaining(expected)]);
  });

  it.each<[string, string, string]>([
    ["the service account", WEB, "allowed"],
    ["another service account", `${WEB}x`, "denied: subject-admitted"],
  ])("is judged by its own credentials, which admit %s", (_, subject, expected) => {
    const elsewhere = access((stack) => ({
      workloads: [
        {
          serviceAccount: "shop/web",
          as: WorkloadIdentity.fromResourceId(stack, "identity", {
            resourceId: IDENTITY,
            clientId: CLIENT,
            principalId: PRINCIPAL,
            tenantId: TENANT,
            declareTrust: false,
          }),
        },
      ],
      identities: [workloadIdentities()],
    }));
    expect(elsewhere.resources).toEqual({});
    expect(judged(elsewhere)).toEqual([expect.stringContaining("unknown: ")]);
    expect(judged(elsewhere, managed({ ...READER, ...credential(subject) }))).toEqual([expected]);
  });

  it("stands beside a declared one, and is unknown without its state", () => {
    const mixed = access((stack) => ({
      workloads: [
        { serviceAccount: "shop/api", may: readBlobs },
        { serviceAccount: "shop/web", as: identity(stack), may: readBlobs },
      ],
      identities: [
        workloadIdentities({ resourceGroupName: "shop", location: "westeurope", tenantId: TENANT }),
      ],
    }));
    expect(blocks(mixed, "azurerm_user_assigned_identity")).toMatchObject([{ name: "prod_shop_api_access" }]);
    expect(blocks(mixed, "azurerm_role_assignment")).toHaveLength(1);
    expect(judged(mixed)).toEqual(["allowed", expect.stringContaining("unknown: ")]);
  });

  it("pulls: azure.json and the annotations, a credential, and no role", () => {
    const pulling = pulls((stack) => ({
      pulls: [{ serviceAccount: "shop/web", from: fromAcr(), as: identity(stack) }],
      identities: [makers.azure({ tenantId: TENANT })],
    }));
    expect(Object.keys(pulling.resources)).toEqual(["azurerm_federated_identity_credential"]);
    expect(judged(pulling)).toEqual([expect.stringContaining("unknown: ")]);
    const reader = assigned(
      "Container Registry Repository Reader",
      "b93aa761-3e63-49ed-ac28-beffa264f7ac",
      REGISTRY_ID,
    );
    expect(judged(pulling, managed(reader))).toEqual(["allowed"]);
  });
});

describe("an existing service account of Google", () => {
  const made = access((stack) => ({
    workloads: [{ serviceAccount: "shop/web", as: account(stack), may: readSales }],
    identities: [google],
  }));

  it("may be used by the principal of the pool, and gets no role", () => {
    expect(Object.keys(made.resources).sort()).toEqual([
      "google_iam_workload_identity_pool",
      "google_iam_workload_identity_pool_provider",
      "google_service_account_iam_member",
    ]);
    expect(blocks(made, "google_service_account_iam_member")).toMatchObject([
      {
        service_account_id: `projects/acme-prod/serviceAccounts/${EMAIL}`,
        role: "roles/iam.workloadIdentityUser",
        member: expect.stringMatching(
          /^principal:\/\/.*\/subject\/system:serviceaccount:shop:web$/,
        ) as string,
      },
    ]);
    const file = made.stack.files.get("manifests/30-cloud-credentials.yaml") ?? "";
    expect(file).toContain(`serviceAccounts/${EMAIL}:generateAccessToken`);
    expect(recorded(made)).toMatchObject([{ identity: EMAIL, asks: readSales.rights }]);
  });

  it.each<[string, Resources | undefined, string]>([
    ["no state", undefined, "unknown: "],
    [
      "the state of the account",
      {
        "google_service_account.web": { account_id: "shop-web", project: "acme-prod", email: EMAIL },
        "google_storage_bucket_iam_member.web": {
          bucket: "acme-sales",
          role: "roles/storage.objectViewer",
          member: `serviceAccount:${EMAIL}`,
        },
      },
      "allowed",
    ],
  ])("is judged with %s", (_, resources, expected) => {
    expect(judged(made, resources)).toEqual([expect.stringContaining(expected)]);
  });
});

it("a service account of Google stands beside a declared one, and is unknown without its state", () => {
  const mixed = access((stack) => ({
    workloads: [
      { serviceAccount: "shop/api", may: readSales },
      { serviceAccount: "shop/web", as: account(stack) },
    ],
    identities: [google],
  }));
  expect(blocks(mixed, "google_service_account")).toHaveLength(1);
  expect(blocks(mixed, "google_storage_bucket_iam_member")).toHaveLength(1);
  expect(judged(mixed)).toEqual(["allowed", expect.stringContaining("unknown: ")]);
});

describe("lines with `as` are refused", () => {
  const declare = (props: (stack: TerraformStack) => Partial<WorkloadAccessProps>): WorkloadAccess => {
    const stack = providersStack(Testing.app());
    return new WorkloadAccess(stack, "workloads", { cluster, workloads: [], ...props(stack) });
  };
  const line = (as: IExistingIdentity | readonly IExistingIdentity[]): Partial<WorkloadAccessProps> => ({
    workloads: [{ serviceAccount: "shop/web", as }],
    identities: [workloadRoles({ account: ACCOUNT, region: "eu-west-1" })],
  });

  it.each<[ErrorCode, (stack: TerraformStack) => Partial<WorkloadAccessProps>, string]>([
    [
      "identities-conflict",
      (stack) => line([role(stack), PullRole.fromArn(stack, "other", ROLE)]),
      'service account shop/web does not act as one identity in this cloud: `as` has two, or not all of its lines that concern the cloud have the same, got "aws"; allowed: one identity per cloud, in each of these lines the same object; keep the one that its pods act as, or give each its own service account',
    ],
    [
      "identities-missing",
      () => ({ workloads: [{ serviceAccount: "shop/web" }] }),
      "the line of service account shop/web has neither `may` nor `as`; allowed: one entry or several, for example may: awsAccess({ statements: […] }); state what the service account needs, or remove the line",
    ],
    [
      "identities-missing",
      (stack) => ({ workloads: [{ serviceAccount: "shop/web", as: role(stack) }] }),
      '`workloads` name existing identities of a cloud for which `identities` has no entry, got "aws"; allowed: workloadRoles(), workloadIdentities(), workloadServiceAccounts(); add the entry of this cloud to `identities`',
    ],
    [
      "identities-conflict",
      (stack) => ({
        workloads: [
          { serviceAccount: "shop/web", as: role(stack) },
          { serviceAccount: "shop/web", may: readBucket },
        ],
      }),
      'service account shop/web does not act as one identity in this cloud: `as` has two, or not all of its lines that concern the cloud have the same, got "aws"; allowed: one identity per cloud, in each of these lines the same object; keep the one that its pods act as, or give each its own service account',
    ],
    [
      "identities-conflict",
      (stack) => ({
        workloads: [
          { serviceAccount: "shop/web", as: role(stack) },
          { serviceAccount: "shop/web", as: PullRole.fromArn(stack, "other", ROLE) },
        ],
      }),
      'service account shop/web does not act as one identity in this cloud: `as` has two, or not all of its lines that concern the cloud have the same, got "aws"; allowed: one identity per cloud, in each of these lines the same object; keep the one that its pods act as, or give each its own service account',
    ],
    [
      "aws-mismatch",
      (stack) => line(role(stack, "arn:aws:iam::444455556666:role/shop-web")),
      `workload shop/web: the existing IAM role is in another account than the one that is stated, got "arn:aws:iam::444455556666:role/shop-web"; allowed: a role of account ${ACCOUNT}; correct the ARN, or leave \`account\` out if roles of several accounts are meant`,
    ],
    [
      "aws-mismatch",
      (stack) => line(role(stack, `arn:aws-cn:iam::${ACCOUNT}:role/shop-web`)),
      'workload shop/web: the existing IAM role is in another AWS partition than the rest of the chain, got "aws-cn"; allowed: aws; use one partition for OIDC provider, IAM role and registries; an IAM role is never valid across partitions',
    ],
    [
      "aws-foreign",
      () => line({ cloud: "aws" }),
      'workload shop/web: an existing identity of cloud aws is not an IAM role of this library, got "aws"; allowed: WorkloadRole.fromArn(…), PullRole.fromArn(…), or a role that is declared; adopt the role with one of these',
    ],
    [
      "google-foreign",
      () => ({ workloads: [{ serviceAccount: "shop/web", as: { cloud: "google" } }], identities: [google] }),
      'an existing identity of cloud google is not a Google service account of this library, got "google"; allowed: WorkloadServiceAccount.fromEmail(…); adopt the service account with it',
    ],
  ])("%s", (code, props, message) => {
    const at = message.startsWith("workload ") ? "" : "prod/workloads: ";
    expect(() => declare(props)).toThrowError(
      refusal(code, { message: expect.stringContaining(`${at}${message}`) as string }),
    );
  });

  it("joins lines that agree, and lines that concern different clouds", () => {
    const both = access((stack) => {
      const as = role(stack);
      return {
        workloads: [
          { serviceAccount: "shop/web", as },
          { serviceAccount: "shop/web", as, may: readBucket },
          { serviceAccount: "shop/web", as: account(stack) },
        ],
        identities: [workloadRoles(), google],
      };
    });
    expect(recorded(both)).toMatchObject([
      { cloud: "aws", identity: ROLE, asks: readBucket.rights },
      { cloud: "google", identity: EMAIL, asks: {} },
    ]);
  });

  const pull = (props: (stack: TerraformStack) => Partial<ImagePullsProps>) => (): Written => pulls(props);
  it.each<[string, () => Written]>(
    Object.entries({
      "identities-unused: of a cloud from which `from` has nothing": pull((stack) => ({
        pulls: [{ serviceAccount: "shop/web", from: fromEcr(), as: identity(stack) }],
        identities: [makers.aws()],
      })),
      "google-unsupported: cannot pull as an existing identity": pull((stack) => ({
        pulls: [{ serviceAccount: "shop/web", from: fromGoogle(), as: account(stack) }],
        identities: [makers.google()],
      })),
      "aws-unused: ownerPolicy has no effect": pull((stack) => ({
        pulls: [
          {
            serviceAccount: "shop/web",
            from: ecr({ account: ACCOUNT, region: "eu-west-1", repositories: ["shop/web"], ownerPolicy: {} }),
            as: PullRole.fromArn(stack, "web", ROLE),
          },
        ],
      })),
      "identities-missing: `from` of service account shop/web is an empty list": pull((stack) => ({
        pulls: [{ serviceAccount: "shop/web", from: [], as: role(stack) }],
      })),
      "property-missing": pull((stack) => ({
        pulls: [{ serviceAccount: "shop/web", as: PullRole.fromArn(stack, "web", ROLE) } as never],
      })),
    }),
  )("%s", (code, made) => {
    expect(made).toThrowError(refusal(code));
  });
});
