/*
 * Aspects and overrides that name resources otherwise, once their names stand in manifests and in other resources.
 */

import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { App, Aspects, type IAspect, Lazy, TerraformResource, type TerraformStack } from "cdktf";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as aws from "../../lib/cloud/aws";
import { type WorkloadIdentityError, isWorkloadIdentityError } from "../../lib/errors";
import { PlatformComponents, WorkloadAccess } from "../../lib/synth";
import { PLACE, READ, allJobs, argumentsOf, namesOf, resourcesOf } from "../fixtures/synth/all-jobs";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";
import { ISSUER, componentsProps, providersStack, releaseRequests } from "../support/platform-components";

function newApp(): App {
  return new App({ outdir: temporaryFolder(), stackTraces: false });
}

function refusalOf(app: App): WorkloadIdentityError | undefined {
  try {
    app.synth();
    return undefined;
  } catch (error) {
    if (isWorkloadIdentityError(error)) return error;
    throw error;
  }
}

/** The names of a stack's resources by `<type>.<argument>`, each with the path of the first that has one. */
function named(stack: TerraformStack): ReadonlyMap<string, string> {
  const found = resourcesOf(stack).flatMap((resource) =>
    namesOf(resource).map(
      ([argument]) => [`${resource.terraformResourceType}.${argument}`, resource.node.path] as const,
    ),
  );
  return new Map(found.reverse());
}

/** Puts something before an argument of the resources that it is asked for, once they are all there. */
function renaming(argument: string, isMeant: (resource: TerraformResource) => boolean): IAspect {
  return {
    visit: (node) => {
      if (TerraformResource.isTerraformResource(node) && isMeant(node))
        node.addOverride(argument, `acme-${String(argumentsOf(node)[argument])}`);
    },
  };
}

/** What nothing but its own resource has as text: its name may be another one. */
const FREE: readonly string[] = [
  "aws_cloudfront_origin_access_control.name",
  "aws_iam_role_policy.name",
  "azurerm_federated_identity_credential.name",
  "azurerm_federated_identity_credential.resource_group_name",
  "azurerm_role_definition.name",
  "azurerm_storage_account.resource_group_name",
  "azurerm_user_assigned_identity.name",
  "azurerm_user_assigned_identity.resource_group_name",
  "google_artifact_registry_repository_iam_member.project",
  "google_project_iam_member.project",
  "google_service_account_iam_member.service_account_id",
  "google_storage_bucket.project",
  "google_storage_bucket_iam_member.bucket",
  "google_storage_bucket_object.bucket",
];

const KEPT: readonly string[] = [
  "aws_iam_openid_connect_provider.url",
  "aws_iam_role.name",
  "aws_s3_bucket.bucket",
  "aws_s3_object.key",
  "azurerm_resource_group.name",
  "azurerm_storage_account.name",
  "azurerm_storage_blob.name",
  "azurerm_storage_container.name",
  "google_iam_workload_identity_pool.project",
  "google_iam_workload_identity_pool.workload_identity_pool_id",
  "google_iam_workload_identity_pool_provider.project",
  "google_iam_workload_identity_pool_provider.workload_identity_pool_provider_id",
  "google_project_iam_custom_role.project",
  "google_project_iam_custom_role.role_id",
  "google_service_account.account_id",
  "google_service_account.project",
  "google_storage_bucket.name",
  "google_storage_bucket_object.name",
];

describe.each(["aws", "azure", "google"] as const)(
  "an aspect that names resources of %s otherwise",
  (cloud) => {
    const places = named(allJobs(cloud, newApp(), "first"));

    const known = [...KEPT, ...FREE].filter((key) => key.startsWith(PREFIXES[cloud])).sort();
    const synthRenamed = (...keys: readonly string[]): WorkloadIdentityError | undefined => {
      const app = newApp();
      const stack = allJobs(cloud, app, "first");
      for (const key of keys) {
        const argument = key.slice(key.indexOf(".") + 1);
        Aspects.of(stack).add(renaming(argument, ({ node }) => node.path === places.get(key)));
      }
      return refusalOf(app);
    };

    it("is known for each argument that names one", () => {
      expect([...places.keys()].sort()).toEqual(known);
    });

    it("is refused for each name that something else has as text", () => {
      const kept = known.filter((key) => KEPT.includes(key));
      expect(kept.filter((key) => synthRenamed(key)?.code !== "name-changed")).toEqual([]);
    });

    it("is none for the others", () => {
      const free = known.filter((key) => FREE.includes(key));
      expect(synthRenamed(...free)?.code).not.toBe("name-changed");
    });
  },
);

const PREFIXES = { aws: "aws_", azure: "azurerm_", google: "google_" } as const;

describe("a changed name of a role", () => {
  const roleOf = (stack: TerraformStack): IamRole => {
    const found = resourcesOf(stack).find((each) => each instanceof IamRole);
    if (!(found instanceof IamRole)) throw new Error("no role");
    return found;
  };
  const withRoles = (
    change: (stack: TerraformStack) => void,
    place: aws.WorkloadRolesProps = PLACE,
    accounts: readonly string[] = ["shop/web"],
  ): App => {
    const app = newApp();
    const stack = providersStack(app);
    const may = aws.awsAccess({ statements: [READ] });
    new WorkloadAccess(stack, "workloads", {
      cluster: { name: "prod", issuer: ISSUER },
      workloads: accounts.map((each) => ({ serviceAccount: each, may })),
      identities: [aws.workloadRoles(place)],
    });
    change(stack);
    return app;
  };

  it.each<readonly [string, (stack: TerraformStack) => void]>([
    ["an aspect", (stack) => Aspects.of(stack).add(renaming("name", (each) => each instanceof IamRole))],
    ["its property", (stack) => (roleOf(stack).name = "acme-prod_shop_web_access")],
    ["an override", (stack) => roleOf(stack).addOverride("name", "acme-prod_shop_web_access")],
    [
      "a value that is found at synth",
      (stack) => (roleOf(stack).name = Lazy.stringValue({ produce: () => "acme-prod_shop_web_access" })),
    ],
    [
      "an override of the stack",
      (stack) =>
        stack.addOverride(
          `resource.aws_iam_role.${roleOf(stack).friendlyUniqueId}.name`,
          "acme-prod_shop_web_access",
        ),
    ],
  ])("is refused, made by %s, and nothing is written", (_, change) => {
    const app = withRoles(change);
    expect(refusalOf(app)).toMatchObject({
      code: "name-changed",
      value: "acme-prod_shop_web_access",
      allowed: '"prod_shop_web_access"',
      message: expect.stringMatching(
        /^prod\/workloads\/aws\/shop_web\/Resource: name of aws_iam_role .* namePrefix/,
      ),
    });
    expect(existsSync(join(app.outdir, "stacks", "prod"))).toBe(false);
  });

  it("counts those that are not shown", () => {
    const app = withRoles(
      (stack) => Aspects.of(stack).add(renaming("name", (each) => each instanceof IamRole)),
      PLACE,
      ["shop/web", "shop/jobs", "shop/api"],
    );
    expect(refusalOf(app)?.message).toContain("(2 more names were changed)");
  });

  it("is followed where the ARN is known after apply alone", () => {
    const app = withRoles((stack) => (roleOf(stack).name = "acme"), {});
    expect(refusalOf(app)).toBeUndefined();
    const folder = join(app.outdir, "stacks", "prod");
    const read = (file: string): string => readFileSync(join(folder, file), "utf8");
    expect(read("manifests/20-service-accounts.yaml")).toMatch(/role-arn: "?@late\(aws_iam_role/);
    expect(read("cdk.tf.json")).toContain('"name": "acme"');
  });

  it("is none where it is the same, and a path is one", () => {
    const changed = (change: (role: IamRole) => void): string | undefined =>
      refusalOf(withRoles((stack) => change(roleOf(stack))))?.code;
    expect(changed((role) => (role.name = "prod_shop_web_access"))).toBeUndefined();
    expect(changed((role) => (role.path = "/"))).toBeUndefined();
    expect(changed((role) => (role.path = "/acme/"))).toBe("name-changed");
    expect(changed((role) => role.resetName())).toBe("name-changed");
  });

  it.each(["resource", "policy"] as const)(
    "is refused where it is imported under the old one: %s",
    (which) => {
      const app = newApp();
      const stack = providersStack(app);
      const [request] = releaseRequests("aws", "4.22").requests;
      if (!request) throw new Error("no request");
      const role = new aws.ComponentRole(stack, "role", {
        request,
        clusterName: "prod",
        oidcProvider: aws.OidcProvider.fromIssuer(stack, "oidc", { issuer: ISSUER }),
        adopt: true,
        permissionsBoundary: "none",
      });
      role[which].name = "acme";
      expect(refusalOf(app)).toMatchObject({ code: "name-changed", value: "acme" });
    },
  );
});

describe("a changed name", () => {
  it("of a component's identity in Azure is refused, whose resource id is text", () => {
    const app = newApp();
    const stack = providersStack(app);
    new PlatformComponents(stack, "components", componentsProps("azure"));
    Aspects.of(stack).add(
      renaming("name", ({ terraformResourceType: type }) => type === "azurerm_user_assigned_identity"),
    );
    expect(refusalOf(app)).toMatchObject({
      code: "name-changed",
      remedy: expect.stringContaining("identityName"),
    });
  });

  const clusters: Readonly<Record<string, (stack: TerraformStack) => EksCluster | DataAwsEksCluster>> = {
    declared: (stack) =>
      new EksCluster(stack, "cluster", {
        name: "prod",
        roleArn: "arn:aws:iam::111122223333:role/cluster",
        vpcConfig: { subnetIds: ["subnet-1"] },
        accessConfig: { authenticationMode: "API" },
      }),
    "looked up": (stack) => new DataAwsEksCluster(stack, "cluster", { name: "prod" }),
  };

  it.each(Object.entries(clusters))(
    "of an EKS cluster is refused, which the plugins of a fleet are told as text: %s",
    (_, clusterOf) => {
      for (const name of ["prod", "acme-prod"]) {
        const app = newApp();
        const cluster = clusterOf(providersStack(app));
        aws.eksSpoke({ cluster, region: PLACE.region, accessPolicies: [{ policy: "AmazonEKSViewPolicy" }] });
        cluster.addOverride("name", name);
        expect(refusalOf(app)?.code).toBe(name === "prod" ? undefined : "name-changed");
      }
    },
  );

  it("is refused in the stack of the resource, where another stack has the text", () => {
    const app = newApp();
    const [apps, platform] = [providersStack(app, "a-apps"), providersStack(app, "b-platform")];
    const declared = new aws.OidcProvider(platform, "oidc", {
      issuer: ISSUER,
      audiences: ["sts.amazonaws.com"],
      ...PLACE,
    });
    new aws.WorkloadRole(apps, "role", {
      trusts: [{ oidcProvider: declared, serviceAccounts: ["shop/web"] }],
      access: [aws.awsAccess({ statements: [READ] })],
      ...PLACE,
    });
    declared.resource.url = "https://other.example.com";
    expect(refusalOf(app)?.message).toMatch(/^b-platform\/oidc\/Resource: url of /);
  });
});
