/* What constructs that take over existing identities refuse, and what they import and create side by side. */

import { Testing, type TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { OidcProvider, WorkloadRole, awsAccess, workloadRoles } from "../../lib/cloud/aws";
import { WorkloadIdentity, pullIdentities, workloadIdentities } from "../../lib/cloud/azure";
import {
  FederatedServiceAccount,
  RoleBinding,
  WorkloadIdentityPool,
  workloadServiceAccounts,
} from "../../lib/cloud/google";
import type { ErrorCode } from "../../lib/errors";
import { ImagePulls, WorkloadAccess, type WorkloadAccessProps } from "../../lib/synth";
import { fromAcr, plainCluster } from "../support/image-pulls";
import { SUBSCRIPTION, TENANT, providersStack } from "../support/platform-components";
import { code as refused } from "../support/refusal";

const [account, region] = ["111122223333", "eu-west-1"];
const issuer = "https://oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF";
const cluster = { name: "prod", issuer };
const MANAGED = "arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess";
const access = [awsAccess({ managedPolicyArns: [MANAGED] })];
const GUID = "44444444-5555-4666-8777-888888888888";
const scope = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`;

const newStack = (): TerraformStack => providersStack(Testing.app());
const role = (stack: TerraformStack, props: object): WorkloadRole => {
  const oidcProvider = OidcProvider.fromIssuer(stack, "oidc", { issuer, account, region });
  const trusts = [{ oidcProvider, serviceAccounts: ["shop/web"] }];
  return new WorkloadRole(stack, "role", {
    account,
    region,
    trusts,
    access,
    roleName: "web",
    adopt: {},
    ...props,
  });
};
const identity = (stack: TerraformStack, props: object = {}): WorkloadIdentity =>
  new WorkloadIdentity(stack, "identity", {
    identityName: "web",
    resourceGroupName: "shop",
    location: "westeurope",
    tenantId: TENANT,
    trusts: [{ clusterName: "prod", issuer, serviceAccounts: ["shop/web"] }],
    roles: [{ role: "Reader", scope, assignment: GUID }],
    adopt: { subscriptionId: SUBSCRIPTION, credentials: { "shop/web": "web-1" } },
    ...props,
  });
const lines = (stack: TerraformStack, props: Omit<WorkloadAccessProps, "cluster">): WorkloadAccess =>
  new WorkloadAccess(stack, "lines", { cluster, ...props });

/** Type and id of each import block, and how many resources of each type there are. */
function written(
  stack: TerraformStack,
): readonly [imports: readonly string[], counts: Readonly<Record<string, number>>] {
  const { import: imports = [], resource } = JSON.parse(Testing.synth(stack)) as {
    import?: readonly { to: string; id: string }[];
    resource: Record<string, object>;
  };
  const counts = Object.entries(resource).map(([type, all]) => [type, Object.keys(all).length]);
  return [imports.map(({ to, id }) => `${to.split(".")[0]} ${id}`).sort(), Object.fromEntries(counts)];
}

describe("what would import nothing, or something else, is refused", () => {
  it.each<readonly [string, (stack: TerraformStack) => unknown, ErrorCode, RegExp]>([
    [
      "a role without a name",
      (stack) => role(stack, { roleName: undefined }),
      "aws-missing",
      /no name.*roleName/,
    ],
    [
      "an inline policy without statements",
      (stack) => role(stack, { adopt: { policyName: "sales" } }),
      "aws-unused",
      /"sales"/,
    ],
    [
      "a managed policy that is not attached",
      (stack) => role(stack, { adopt: { managedPolicyArns: [`${MANAGED}2`] } }),
      "aws-unused",
      /AmazonSQSReadOnlyAccess2/,
    ],
    [
      "the ARN of an association",
      (stack) =>
        role(stack, {
          trusts: [],
          podIdentities: [{ cluster: "prod", serviceAccount: "shop/web", associationId: "arn:x" }],
        }),
      "aws-invalid",
      /not the id of an association/,
    ],
    [
      "an association of no line",
      (stack) =>
        lines(stack, {
          workloads: [{ serviceAccount: "shop/web", may: access }],
          identities: [
            workloadRoles({
              account,
              region,
              podIdentity: { cluster: "prod", associations: { "shop/wbe": "a-1" } },
            }),
          ],
        }),
      "aws-unused",
      /"shop\/wbe"; allowed: shop\/web/,
    ],
    [
      "a credential of another service account",
      (stack) =>
        identity(stack, { adopt: { subscriptionId: SUBSCRIPTION, credentials: { "shop/wbe": "x-1" } } }),
      "azure-unused",
      /shop\/wbe/,
    ],
    [
      "a role assignment by its id",
      (stack) => identity(stack, { roles: [{ role: "Reader", scope, assignment: "/x" }] }),
      "azure-invalid",
      /role assignment/,
    ],
    [
      "an identity of workloads for pulls",
      (stack) =>
        new ImagePulls(stack, "pulls", {
          cluster: plainCluster(),
          identities: [pullIdentities()],
          pulls: [
            {
              serviceAccount: "shop/web",
              as: identity(stack),
              from: fromAcr(),
            },
          ],
        }),
      "azure-foreign",
      /not a user-assigned identity/,
    ],
  ])("%s", (_, declare, code, message) => {
    expect(() => declare(newStack())).toThrow(refused(code, message) as Error);
  });
});

describe("what is not named is created beside what is imported", () => {
  it("on AWS: a managed policy, and the association of a role that has one already", () => {
    const stack = newStack();
    const two = [awsAccess({ managedPolicyArns: [MANAGED, `${MANAGED}2`] })];
    const podIdentities = [{ cluster: "prod", serviceAccount: "shop/web", associationId: "a-1" }];
    const as = role(stack, { access: two, adopt: { managedPolicyArns: [MANAGED] }, podIdentities });
    lines(stack, {
      workloads: [
        { serviceAccount: "shop/web", as },
        { serviceAccount: "shop/api", as },
      ],
      identities: [workloadRoles({ account, region, podIdentity: "prod" })],
    });
    const [imports, counts] = written(stack);
    expect(imports).toEqual([
      "aws_eks_pod_identity_association prod,a-1",
      "aws_iam_role web",
      `aws_iam_role_policy_attachment web/${MANAGED}`,
    ]);
    expect(counts).toMatchObject({ aws_iam_role_policy_attachment: 2, aws_eks_pod_identity_association: 2 });
  });

  it("on Azure: the credential of another line", () => {
    const stack = newStack();
    const as = identity(stack);
    lines(stack, {
      workloads: [
        { serviceAccount: "shop/web", as },
        { serviceAccount: "shop/api", as },
      ],
      identities: [workloadIdentities()],
    });
    const id = `${scope}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/web`;
    const [imports, counts] = written(stack);
    expect(imports).toEqual([
      `azurerm_federated_identity_credential ${id}/federatedIdentityCredentials/web-1`,
      `azurerm_role_assignment ${scope}/providers/Microsoft.Authorization/roleAssignments/${GUID}`,
      `azurerm_user_assigned_identity ${id}`,
    ]);
    expect(counts).toMatchObject({ azurerm_federated_identity_credential: 2, azurerm_role_assignment: 1 });
  });

  it("on Google Cloud: the user of another line, and a binding on a bucket", () => {
    const stack = newStack();
    const [project, projectNumber] = ["acme-prod", "123456789012"];
    const as = new FederatedServiceAccount(stack, "account", {
      project,
      accountId: "web-shop",
      principals: WorkloadIdentityPool.fleet({ project, projectNumber }),
      serviceAccounts: ["shop/jobs"],
      adoptUsers: ["shop/web"],
      adopt: true,
    });
    new RoleBinding(stack, "bucket", {
      bucket: "acme-sales",
      role: "roles/storage.objectViewer",
      member: as.member,
      adopt: true,
    });
    new WorkloadAccess(stack, "lines", {
      cluster: {
        name: "prod",
        issuer: `https://container.googleapis.com/v1/projects/${project}/locations/europe-west1/clusters/prod`,
      },
      workloads: ["shop/web", "shop/api", "shop/jobs"].map((serviceAccount) => ({ serviceAccount, as })),
      identities: [workloadServiceAccounts({ project, pool: "gke" })],
    });
    const [imports, counts] = written(stack);
    const name = `projects/${project}/serviceAccounts/${as.email}`;
    expect(imports).toEqual([
      `google_service_account ${name}`,
      `google_service_account_iam_member ${name} roles/iam.workloadIdentityUser serviceAccount:acme-prod.svc.id.goog[shop/web]`,
      `google_storage_bucket_iam_member b/acme-sales roles/storage.objectViewer serviceAccount:${as.email}`,
    ]);
    expect(counts).toMatchObject({ google_service_account_iam_member: 3 });
  });
});
