/*
 * Modules of several teams: each has constructs of its own for one cluster, in one stack. What they write together is
 * what one construct with all lines writes.
 */

import type { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { awsAccess, workloadRoles } from "../../lib/cloud/aws";
import { azureAccess, workloadIdentities } from "../../lib/cloud/azure";
import { googleAccess, workloadServiceAccounts } from "../../lib/cloud/google";
import { ImagePulls, type ImagePullsProps, WorkloadAccess, type WorkloadAccessProps } from "../../lib/synth";
import { faults } from "../support/faults";
import { fromAcr, fromEcr, fromGoogle, makers, openShiftCluster, plainCluster } from "../support/image-pulls";
import { list, record } from "../support/json";
import { ISSUER, SUBSCRIPTION, TENANT, providersStack } from "../support/platform-components";
import { refusal } from "../support/refusal";
import { type WrittenStack, writtenStacks } from "../support/synth-output";
import { synthesized } from "../support/synthesized";
import { resources } from "../support/terraform";

type Pulls = Partial<ImagePullsProps>;
type Access = Partial<WorkloadAccessProps>;

const [account, region] = ["111122223333", "eu-west-1"];

function written(build: (stack: TerraformStack) => void): WrittenStack {
  const outdir = synthesized((app) => build(providersStack(app)));
  expect(faults(outdir)).toEqual([]);
  const [stack] = writtenStacks(outdir);
  if (!stack) throw new Error("no stack was written");
  return stack;
}

const pulls = (...all: readonly Pulls[]): WrittenStack =>
  written((stack) => {
    for (const [index, props] of all.entries())
      new ImagePulls(stack, `team-${index}`, {
        cluster: plainCluster(),
        identities: [makers.aws()],
        pulls: [],
        ...props,
      });
  });

/** The files for the cluster, without the record and the addresses of Terraform, which hold the paths of constructs. */
const files = ({ files: all }: WrittenStack): unknown =>
  Object.fromEntries(
    [...all].flatMap(([path, text]) =>
      path.endsWith(".yaml") ? [[path, text.replace(/team-\d_(\w+)_[0-9A-F]{8}/g, "$1")]] : [],
    ),
  );
const clusterOf = ({ files: all }: WrittenStack): Record<string, unknown> =>
  record(list(record(JSON.parse(all.get("workload-identity.json") ?? ""))["clusters"])[0]);

const shop = { pulls: [{ serviceAccount: "shop/web", from: fromEcr("shop/*") }] };
const batch = { pulls: [{ serviceAccount: "batch/job", from: fromEcr("batch/*") }] };
const models = {
  identities: [makers.azure({ tenantId: TENANT })],
  pulls: [{ serviceAccount: "models/serve", from: fromAcr("models/*") }],
};
const tools = {
  identities: [makers.google()],
  pulls: [{ serviceAccount: "tools/run", from: fromGoogle() }],
};

describe("ImagePulls of several teams", () => {
  const joined = (...all: readonly Required<Pick<ImagePullsProps, "pulls">>[]): Pulls["pulls"] =>
    all.flatMap((each) => each.pulls);

  it.each<[string, readonly Pulls[], Pulls]>([
    ["of one cloud", [batch, shop], { pulls: joined(shop, batch) }],
    [
      "of three clouds",
      [models, shop, tools],
      {
        identities: [makers.aws(), ...models.identities, ...tools.identities],
        pulls: joined(shop, models, tools),
      },
    ],
    [
      "of OpenShift",
      [batch, shop].map((each) => ({ ...each, cluster: openShiftCluster() })),
      { cluster: openShiftCluster(), pulls: joined(shop, batch) },
    ],
    [
      "with settings that one of them states",
      [batch, { ...shop, tokenAudience: { limitToServiceAccounts: true } }],
      { pulls: joined(shop, batch), tokenAudience: { limitToServiceAccounts: true } },
    ],
    [
      "with settings of an entry that both state",
      [batch, shop].map((each) => ({ ...each, credentialProviders: { ecr: { mode: "mixed" } } })),
      { pulls: joined(shop, batch), credentialProviders: { ecr: { mode: "mixed" } } },
    ],
  ])("write together what one of them would, %s", (_, several, one) => {
    const [apart, together] = [pulls(...several), pulls(one)];
    expect(files(apart)).toEqual(files(together));
    const [first, second] = [clusterOf(apart), clusterOf(together)];
    const sorted = (lines: unknown): readonly unknown[] =>
      [...list(lines)].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    expect({ ...first, pulls: sorted(first["pulls"]) }).toEqual({
      ...second,
      pulls: sorted(second["pulls"]),
    });
    expect(resources(apart.terraform, "aws_iam_openid_connect_provider")).toHaveLength(1);
  });

  it("show the nodes' file for all of them", () => {
    let setups: readonly unknown[] = [];
    let hashes: readonly unknown[] = [];
    written((stack) => {
      const props = { cluster: openShiftCluster(), identities: [makers.aws()] };
      const [first, second] = [shop, batch].map(
        (each, index) => new ImagePulls(stack, `team-${index}`, { ...props, ...each }),
      );
      setups = [first?.nodeSetup, second?.nodeSetup];
      hashes = [first?.configHash, second?.configHash];
    });
    expect(setups[0]).toBe(setups[1]);
    expect(hashes[0]).toMatch(/^sha256:/);
    expect(hashes[0]).toBe(hashes[1]);
  });

  it.each<[string, Pulls, string]>([
    [
      "a service account of another team",
      { pulls: [{ serviceAccount: "shop/web", from: fromEcr("shop/x") }] },
      "cluster-conflict: another ImagePulls of this stack already has this service account",
    ],
    [
      "another audience",
      { ...batch, identities: [makers.aws({ audience: "pulls.example.com" })] },
      "cluster-conflict: prod/team-0 and prod/team-1 need different audience of the entry for the plugin ecr",
    ],
    [
      "another mode of the entry",
      { ...batch, credentialProviders: { ecr: { mode: "mixed" } } },
      "cluster-conflict: prod/team-0 and prod/team-1 need different credentialProviders.ecr",
    ],
    [
      "another grant",
      { ...batch, tokenAudience: { scope: "cluster" } },
      "cluster-conflict: prod/team-0 and prod/team-1 need different tokenAudience",
    ],
    [
      "another cluster",
      { ...batch, cluster: plainCluster({ name: "other", issuer: `${ISSUER}-2` }) },
      "cluster-conflict: this stack already writes manifests for cluster prod",
    ],
    [
      "another version of the cluster",
      { ...batch, cluster: plainCluster({ version: "1.36" }) },
      "cluster-conflict: prod/team-0 and prod/team-1 need different kubelet",
    ],
  ])("refuse %s", (_, second, message) => {
    const first = {
      ...shop,
      credentialProviders: { ecr: { mode: "strict" } },
      tokenAudience: { scope: "namespaces" },
    } as const;
    expect(() => pulls(first, second)).toThrow(refusal(message));
  });
});

describe("WorkloadAccess of several teams", () => {
  const access = (...all: readonly Access[]): WrittenStack =>
    written((stack) => {
      for (const [index, props] of all.entries())
        new WorkloadAccess(stack, `team-${index}`, {
          cluster: { name: "prod", issuer: ISSUER },
          workloads: [],
          identities: [],
          ...props,
        });
    });
  const aws = awsAccess({
    statements: [{ Effect: "Allow", Action: ["s3:GetObject"], Resource: ["arn:aws:s3:::acme/*"] }],
  });
  const azure = azureAccess({
    roles: [{ role: "Reader", scope: `/subscriptions/${SUBSCRIPTION}/resourceGroups/acme` }],
  });
  const google = googleAccess({ roles: [{ role: "roles/storage.objectViewer", bucket: "acme-sales" }] });
  const identities = {
    aws: workloadRoles({ account, region }),
    azure: workloadIdentities({ resourceGroupName: "w", location: "westeurope", tenantId: TENANT }),
    google: workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" }),
  };

  it.each([
    ["aws", aws, "aws_iam_openid_connect_provider"],
    ["azure", azure, undefined],
    ["google", google, "google_iam_workload_identity_pool_provider"],
  ] as const)("write together what one of them would, on %s", (cloud, may, once) => {
    const line = (serviceAccount: string): WorkloadAccessProps["workloads"] => [{ serviceAccount, may }];
    const own = { identities: [identities[cloud]] };
    const lines = ["batch/job", "shop/web"].map(line);
    const apart = access(...lines.map((workloads) => ({ ...own, workloads })));
    const together = access({ ...own, workloads: lines.flat() });
    expect(files(apart)).toEqual(files(together));
    expect(list(clusterOf(apart)["workloads"])).toHaveLength(2);
    if (once !== undefined) expect(resources(apart.terraform, once)).toHaveLength(1);
  });

  it("refuses a service account of another team, also of another cloud", () => {
    const web = (may: Access["workloads"]): Access => ({ workloads: may });
    expect(() =>
      access(
        { ...web([{ serviceAccount: "shop/web", may: aws }]), identities: [identities.aws] },
        { ...web([{ serviceAccount: "shop/web", may: google }]), identities: [identities.google] },
      ),
    ).toThrow(
      refusal("cluster-conflict: another WorkloadAccess of this stack already has this service account"),
    );
  });

  it("goes with ImagePulls of the same service account", () => {
    const stack = written((each) => {
      new ImagePulls(each, "pulls", { cluster: plainCluster(), identities: [makers.aws()], ...shop });
      new ImagePulls(each, "more", { cluster: plainCluster(), identities: [makers.aws()], ...batch });
      for (const serviceAccount of ["shop/web", "batch/job"])
        new WorkloadAccess(each, serviceAccount.replace("/", "-"), {
          cluster: { name: "prod", issuer: ISSUER },
          workloads: [{ serviceAccount, may: aws }],
          identities: [identities.aws],
        });
    });
    const accounts = String(stack.files.get("manifests/20-service-accounts.yaml"));
    expect(accounts.match(/eks\.amazonaws\.com\/(?:ecr-)?role-arn/g)).toHaveLength(4);
  });
});
