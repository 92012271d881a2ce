/*
 * The proof at synth of components, workloads and fleets: what was written decides, whatever the constructs meant.
 */

import { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { App, type TerraformResource, TerraformStack } from "cdktf";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { awsAccess, eksSpoke, workloadRoles } from "../../lib/cloud/aws";
import { azureAccess, workloadIdentities } from "../../lib/cloud/azure";
import { googleAccess, workloadServiceAccounts } from "../../lib/cloud/google";
import { isWorkloadIdentityError } from "../../lib/errors";
import { multiKueue } from "../../lib/fleet";
import { FleetAccess, PlatformComponents, WorkloadAccess } from "../../lib/synth";
import { CA } from "../fixtures/fleet/spokes";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import {
  ISSUER,
  SUBSCRIPTION,
  TENANT,
  componentsProps,
  providersStack,
} from "../support/platform-components";

const [account, region] = ["111122223333", "eu-west-1"];

type Build = (stack: TerraformStack, proof?: boolean) => void;

const components: Build = (stack, proof) =>
  void new PlatformComponents(stack, "components", {
    ...componentsProps("aws"),
    ...(proof === undefined ? {} : { proof }),
  });

const workloads: Build = (stack, proof) =>
  void new WorkloadAccess(stack, "workloads", {
    cluster: { name: "prod", issuer: ISSUER },
    workloads: [
      {
        serviceAccount: "shop/orders",
        may: awsAccess({
          statements: [{ Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::orders/*" }],
        }),
      },
      {
        serviceAccount: "shop/files",
        may: azureAccess({
          roles: [
            {
              role: "Storage Blob Data Reader",
              scope: `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.Storage/storageAccounts/shop`,
            },
          ],
        }),
      },
      {
        serviceAccount: "shop/reports",
        may: googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] }),
      },
    ],
    identities: [
      workloadRoles({ account, region }),
      workloadIdentities({ resourceGroupName: "shop", location: "westeurope", tenantId: TENANT }),
      workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" }),
    ],
    ...(proof === undefined ? {} : { proof }),
  });

const fleet: Build = (stack, proof) =>
  void new FleetAccess(stack, "fleet", {
    hub: { name: "hub", issuer: ISSUER, apiServer: "1.35" },
    consumer: multiKueue({ version: "0.19" }),
    kueueConfiguration: "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n",
    plugins: [{ plugin: "aws-iam-authenticator", image: "example.com/authenticator:v0.7.18" }],
    clusterManager: "platform-iac",
    identities: [workloadRoles({ account, region })],
    spokes: [
      {
        name: "eu",
        access: eksSpoke({
          cluster: { name: "eu", endpoint: "https://eu.example.com", certificateAuthorityData: CA },
          region,
          accessPolicies: [{ policy: "AmazonEKSEditPolicy", namespaces: ["shop"] }],
        }),
      },
    ],
    ...(proof === undefined ? {} : { proof }),
  });

/** Overrides an attribute of every resource of a type whose construct path holds a word. */
function overridden(type: string, attribute: string, value: unknown): (stack: TerraformStack) => void {
  return (stack) => {
    const found = stack.node
      .findAll()
      .filter((node): node is TerraformResource => "terraformResourceType" in node)
      .filter(({ terraformResourceType }) => terraformResourceType === type);
    if (found.length === 0) throw new Error(`no ${type}`);
    for (const each of found) each.addOverride(attribute, value);
  };
}

/** The trust of every role with a text replaced. */
function trustChanged(from: string, to: string): (stack: TerraformStack) => void {
  return (stack) => {
    for (const node of stack.node.findAll())
      if (node instanceof IamRole)
        node.addOverride("assume_role_policy", node.assumeRolePolicyInput?.replaceAll(from, to));
  };
}

const NOTHING = JSON.stringify({ Version: "2012-10-17", Statement: [] });

const BROKEN: readonly (readonly [
  job: string,
  link: string,
  how: string,
  build: Build,
  change: (stack: TerraformStack) => void,
])[] = [
  [
    "component",
    "audience-accepted",
    "the roles are for another audience",
    components,
    trustChanged('"openshift"', '"other"'),
  ],
  [
    "component",
    "permissions-granted",
    "the policies are empty",
    components,
    overridden("aws_iam_role_policy", "policy", NOTHING),
  ],
  [
    "workload",
    "permissions-granted",
    "the policy of the role is empty",
    workloads,
    overridden("aws_iam_role_policy", "policy", NOTHING),
  ],
  [
    "workload",
    "permissions-granted",
    "another role is assigned",
    workloads,
    overridden("azurerm_role_assignment", "role_definition_name", "Storage Queue Data Reader"),
  ],
  [
    "workload",
    "permissions-granted",
    "the role is on another bucket",
    workloads,
    overridden("google_storage_bucket_iam_member", "bucket", "acme-other"),
  ],
  [
    "workload",
    "subject-admitted",
    "the credential is for another subject",
    workloads,
    overridden("azurerm_federated_identity_credential", "subject", "system:serviceaccount:shop:someone-else"),
  ],
  [
    "fleet-access",
    "subject-admitted",
    "the role is for another controller",
    fleet,
    trustChanged("kueue-controller-manager", "other"),
  ],
];

function appWith(build: Build, change: (stack: TerraformStack) => void, proof?: boolean): App {
  const app = new App({ outdir: temporaryFolder(), stackTraces: false });
  const stack = providersStack(app);
  build(stack, proof);
  change(stack);
  return app;
}

function refusalOf(app: App): string {
  try {
    app.synth();
  } catch (error) {
    if (isWorkloadIdentityError(error) && error.code === "proof-failed") return error.message;
    throw error;
  }
  return "";
}

const fileOf = ({ outdir }: App): string => join(outdir, "stacks", "prod", "cdk.tf.json");

describe("the proof of every job", () => {
  it.each([components, workloads, fleet])("lets through what holds", (build) => {
    const app = appWith(build, () => undefined);
    expect(refusalOf(app)).toBe("");
    expect(existsSync(fileOf(app))).toBe(true);
  });

  it.each(BROKEN)("ends the synth of a %s at %s: %s", (_, link, __, build, change) => {
    const app = appWith(build, change);
    expect(refusalOf(app)).toMatch(
      new RegExp(`the written files would not give what is declared.* at ${link}`),
    );
    expect(existsSync(fileOf(app))).toBe(false);
  });

  const oneOfEach = BROKEN.filter(([job], place) => BROKEN[place - 1]?.[0] !== job);
  it.each(oneOfEach)("is left out for a %s, broken at %s, by `proof: false`", (_, __, ___, build, change) => {
    const app = appWith(build, change, false);
    expect(refusalOf(app)).toBe("");
    expect(existsSync(fileOf(app))).toBe(true);
  });

  it("leaves one construct of a stack out, and judges the others", () => {
    const app = new App({ outdir: temporaryFolder(), stackTraces: false });
    const stack = providersStack(app);
    components(stack, false);
    workloads(stack);
    overridden("aws_iam_role_policy", "policy", NOTHING)(stack);
    expect(refusalOf(app)).toMatch(/\(1 at permissions-granted\)/);
  });
});
