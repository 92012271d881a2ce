import type { Construct } from "constructs";
import { describe, expect, it } from "vitest";
import { OidcProvider, awsAccess, componentRoles, ecr, pullRoles, workloadRoles } from "../../lib/cloud/aws";
import { azureAccess, workloadIdentities } from "../../lib/cloud/azure";
import { WorkloadIdentityPool, googleAccess, workloadServiceAccounts } from "../../lib/cloud/google";
import { openShift } from "../../lib/openshift";
import { ImagePulls, PlatformComponents, WorkloadAccess, type WorkloadAccessProps } from "../../lib/synth";
import { faults } from "../support/faults";
import {
  ISSUER,
  SUBSCRIPTION,
  TENANT,
  componentsProps,
  providersStack,
} from "../support/platform-components";
import { type WrittenStack, writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";
import { resources } from "../support/terraform";
import { refusal } from "../support/refusal";

const [account, region] = ["111122223333", "eu-west-1"];
const ARN = `arn:aws:iam::${account}:oidc-provider/oidc.example.com/prod`;
const google = { project: "acme-prod", projectNumber: "123456789012" };
const WEB = { serviceAccount: "shop/web" } as const;

/** The stacks as written, sorted by name; every link holds. */
function written(build: (app: Construct) => void): readonly WrittenStack[] {
  const outdir = synthesized(build);
  expect(faults(outdir)).toEqual([]);
  return writtenStacks(outdir);
}

function workloads(props: Pick<WorkloadAccessProps, "workloads" | "identities">): WorkloadAccessProps {
  return { cluster: { name: "prod", issuer: ISSUER }, ...props };
}

const may = awsAccess({
  statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::acme/*"] }],
});

describe("the kubelet's file of one cluster in several stacks", () => {
  const facts = { name: "prod", version: "4.22", platform: "aws", issuer: ISSUER } as const;
  const existing = { issuer: ISSUER, account, region, audiences: ["sts.amazonaws.com"] };
  const pulls = (stack: Construct, pools: readonly string[], more: object = {}): ImagePulls =>
    new ImagePulls(stack, "pulls", {
      cluster: openShift({ ...facts, pools }),
      pulls: [
        {
          serviceAccount: `shop/${stack.node.id}`,
          from: ecr({ account, region, repositories: ["web"] }),
        },
      ],
      identities: [
        pullRoles({ account, region, oidcProvider: OidcProvider.fromIssuer(stack, "oidc", existing) }),
      ],
      ...more,
    });

  it("is refused for one pool, since MachineConfigs of one path are not merged", () => {
    const refused = expect.objectContaining({
      code: "cluster-conflict",
      problem: expect.stringContaining(
        "the stacks a and b both write the kubelet's file for pool worker of cluster prod",
      ),
      value: "worker",
    });
    expect(() =>
      synthesized((app) => {
        pulls(providersStack(app, "a"), ["worker", "infra"]);
        pulls(providersStack(app, "b"), ["gpu", "worker"]);
      }),
    ).toThrowError(refused);
  });

  it("is possible for different pools, with one file in the one stack, and for clusters of one name", () => {
    synthesized((app) => {
      pulls(providersStack(app, "a"), ["worker"]);
      pulls(providersStack(app, "b"), ["infra"]);
      pulls(providersStack(app, "c"), ["worker"], { carriers: [] });
      pulls(providersStack(app, "d"), ["worker"], {
        cluster: openShift({ ...facts, issuer: "https://other.example", pools: ["worker"] }),
        identities: [pullRoles({ account, region, namePrefix: "other-" })],
      });
    });
  });
});

describe("one cluster in several stacks", () => {
  it("AWS: the OIDC provider is in one of them, and the others know its ARN", () => {
    const stacks = written((app) => {
      const [platform, apps, images] = ["a-platform", "b-apps", "c-images"].map((id) =>
        providersStack(app, id),
      );
      if (!platform || !apps || !images) throw new Error("no stacks");
      new PlatformComponents(platform, "components", componentsProps("aws"));
      const existing = { issuer: ISSUER, account, region, audiences: ["sts.amazonaws.com"] };
      const identities = [
        workloadRoles({ account, region, oidcProvider: OidcProvider.fromIssuer(apps, "oidc", existing) }),
      ];
      new WorkloadAccess(apps, "workloads", workloads({ workloads: [{ ...WEB, may }], identities }));
      const facts = { name: "prod", version: "4.22", platform: "aws", issuer: ISSUER } as const;
      const oidcProvider = OidcProvider.fromIssuer(images, "oidc", existing);
      new ImagePulls(images, "pulls", {
        cluster: openShift({ ...facts, pools: ["worker"] }),
        pulls: [{ ...WEB, from: ecr({ account, region, repositories: ["web"] }) }],
        identities: [pullRoles({ account, region, oidcProvider })],
      });
    });
    const declared = stacks.map(({ terraform }) => resources(terraform, "aws_iam_openid_connect_provider"));
    expect(declared.map((providers) => providers.map((each) => each["client_id_list"]))).toEqual([
      [["openshift", "sts.amazonaws.com"]],
      [],
      [],
    ]);
    for (const { terraform } of stacks)
      for (const { assume_role_policy: trust } of resources(terraform, "aws_iam_role"))
        expect(String(trust)).toMatch(new RegExp(`"Federated":"(${ARN}|\\$\\{aws_iam_openid[^"]*)"`));
    expect(stacks.map(({ warnings }) => warnings)).toEqual([[], [], []]);
  });

  it("Google: the pool is in one of them, and the other has a pool provider of its own in it", () => {
    const [platform, apps] = written((app) => {
      new PlatformComponents(providersStack(app, "a-platform"), "components", componentsProps("google"));
      const stack = providersStack(app, "b-apps");
      const pool = WorkloadIdentityPool.fromPoolId(stack, "pool", { ...google, poolId: "k8s-prod" });
      const identities = [workloadServiceAccounts({ project: google.project, pool })];
      const may = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] });
      new WorkloadAccess(stack, "workloads", workloads({ workloads: [{ ...WEB, may }], identities }));
    });
    const ids = (stack: WrittenStack | undefined, type: string, key: string): readonly unknown[] =>
      resources(stack?.terraform ?? {}, type).map((each) => each[key]);
    const pools = ["google_iam_workload_identity_pool", "workload_identity_pool_id"] as const;
    expect([ids(platform, ...pools), ids(apps, ...pools)]).toEqual([["k8s-prod"], []]);
    const providers = [
      "google_iam_workload_identity_pool_provider",
      "workload_identity_pool_provider_id",
    ] as const;
    expect([ids(platform, ...providers), ids(apps, ...providers)]).toEqual([
      ["k8s-prod--openshift"],
      ["k8s-prod--workloads"],
    ]);
  });

  it("Azure: they have nothing in common", () => {
    const [platform, apps] = written((app) => {
      new PlatformComponents(providersStack(app, "a-platform"), "components", componentsProps("azure"));
      const where = { resourceGroupName: "prod-workloads", location: "westeurope", tenantId: TENANT };
      const scope = `/subscriptions/${SUBSCRIPTION}/resourceGroups/acme`;
      const may = azureAccess({ roles: [{ role: "Storage Blob Data Reader", scope }] });
      const identities = [workloadIdentities(where)];
      const props = workloads({ workloads: [{ ...WEB, may }], identities });
      new WorkloadAccess(providersStack(app, "b-apps"), "workloads", props);
    });
    const groups = [platform, apps].map((stack) =>
      resources(stack?.terraform ?? {}, "azurerm_resource_group").map((each) => each["name"]),
    );
    expect(groups.map((names) => [...names].sort())).toEqual([["prod", "prod-oidc"], []]);
  });
});

describe("one issuer of several clusters", () => {
  it("AWS: refuses a second OIDC provider, and says what to use in its place", () => {
    const build = (app: Construct): void => {
      for (const clusterName of ["prod", "test"])
        new PlatformComponents(
          providersStack(app, clusterName),
          "components",
          componentsProps("aws", { clusterName }),
        );
    };
    expect(() => synthesized(build)).toThrowError(
      refusal("aws-conflict: OIDC provider of this issuer is already declared by", {
        message: expect.stringContaining("OidcProvider.fromIssuer") as unknown,
      }),
    );
  });

  it("AWS: the second cluster uses the OIDC provider of the first, and is warned", () => {
    const stacks = written((app) => {
      new PlatformComponents(providersStack(app, "prod"), "components", componentsProps("aws"));
      const stack = providersStack(app, "test");
      const existing = { issuer: ISSUER, account, region, audiences: ["openshift", "sts.amazonaws.com"] };
      const oidcProvider = OidcProvider.fromIssuer(stack, "oidc", existing);
      const identities = componentRoles({ account, region, oidcProvider });
      new PlatformComponents(
        stack,
        "components",
        componentsProps("aws", { clusterName: "test", identities }),
      );
    });
    expect(
      stacks.map(({ terraform }) => resources(terraform, "aws_iam_openid_connect_provider").length),
    ).toEqual([1, 0]);
    expect(stacks.map(({ warnings }) => warnings.length)).toEqual([0, 1]);
  });

  it("Google: each cluster has a pool of its own", () => {
    const stacks = written((app) => {
      for (const clusterName of ["prod", "test"])
        new PlatformComponents(
          providersStack(app, clusterName),
          "components",
          componentsProps("google", { clusterName }),
        );
    });
    expect(
      stacks.map(({ terraform }) =>
        resources(terraform, "google_iam_workload_identity_pool").map(
          (each) => each["workload_identity_pool_id"],
        ),
      ),
    ).toEqual([["k8s-prod"], ["k8s-test"]]);
    expect(stacks.map(({ warnings }) => warnings.length)).toEqual([0, 1]);
  });
});
