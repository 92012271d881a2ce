/*
 * Ready permissions: what each row grants is what the workload may do, and what the page says of it.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { App } from "cdktf";
import { describe, expect, it } from "vitest";
import * as aws from "../lib/cloud/aws";
import * as azure from "../lib/cloud/azure";
import type { AcrProps } from "../lib/cloud/azure";
import * as google from "../lib/cloud/google";
import { explain } from "../lib/explain";
import type { ReadyPermissions } from "../lib/model/workloads";
import { KARPENTER } from "../lib/rules/aws/karpenter";
import { evaluateAwsPermission } from "../lib/rules/aws/policy/permission";
import { type PolicyStatement, policyDocument, policySize } from "../lib/rules/aws/policy-document";
import * as awsRows from "../lib/rules/aws/ready-permissions";
import { renderRepositoryCondition } from "../lib/rules/azure/permission";
import * as azureRows from "../lib/rules/azure/ready-permissions";
import * as googleRows from "../lib/rules/google/ready-permissions";
import { type Workload, WorkloadAccess } from "../lib/synth";
import { ROOT } from "./support/markdown";
import { ISSUER, SUBSCRIPTION, TENANT, providersStack } from "./support/platform-components";
import { refusal, refusedWith } from "./support/refusal";
import { synthesized } from "./support/synthesized";

const [account, region, clusterName] = ["111122223333", "eu-west-1", "prod"];
const key = `arn:aws:kms:${region}:${account}:key/k`;
const hostedZones = ["Z0123456789ABCDEFGHIJ"];
const nodeRole = `arn:aws:iam::${account}:role/nodes`;
const queue = `arn:aws:sqs:${region}:${account}:prod`;
const secrets = [`arn:aws:secretsmanager:${region}:${account}:secret:shop/*`] as const;
const parameters = [`arn:aws:ssm:${region}:${account}:parameter/shop/*`];
const group = `/subscriptions/${SUBSCRIPTION}/resourceGroups/dns`;
const dnsZones = [`${group}/providers/Microsoft.Network/dnsZones/example.com`];
const keyVaults = [`${group}/providers/Microsoft.KeyVault/vaults/shop`];
const registry = (name: string): string =>
  `${group}/providers/Microsoft.ContainerRegistry/registries/${name}`;
const legacy: AcrProps = {
  registry: registry("shopcharts"),
  roleAssignmentMode: "LegacyRegistryPermissions",
};
const limited: AcrProps = { registry: registry("platform"), roleAssignmentMode: "AbacRepositoryPermissions" };
const artefacts = { project: "acme-artefacts", location: "europe-west1", repository: "manifests" };

const onAws = {
  ebsCsiDriver: aws.ebsCsiDriver({ region, kmsKeys: [key] }),
  loadBalancerController: aws.loadBalancerController({ region, clusterName }),
  externalDns: aws.externalDns({ hostedZones }),
  certManager: aws.certManager({ hostedZones }),
  karpenter: aws.karpenter({ account, region, clusterName, nodeRole, queue }),
  clusterAutoscaler: aws.clusterAutoscaler({ region, clusterName }),
  externalSecrets: aws.externalSecrets({ secrets, parameters, kmsKeys: [key] }),
  fluxSourceController: aws.fluxSourceController({
    from: [aws.ecr({ account, region, repositories: ["manifests/*", "charts/web"] }), aws.ecrPublic()],
  }),
};
const onAzure = {
  externalDns: azure.externalDns({ dnsZones, resourceGroup: group }),
  certManager: azure.certManager({ dnsZones }),
  externalSecrets: azure.externalSecrets({ keyVaults }),
  fluxSourceController: azure.fluxSourceController({
    from: [
      azure.acr(legacy),
      azure.acr({ ...limited, repositories: ["manifests/*"] }),
      azure.acr({ ...limited, repositories: ["charts/web"] }),
    ],
  }),
  argoCdRepoServer: azure.argoCdRepoServer({ from: [azure.acr(legacy)] }),
};
const onGoogle = {
  externalDns: google.externalDns({ dnsProject: "acme-dns" }),
  certManager: google.certManager({ dnsProject: "acme-dns" }),
  externalSecrets: google.externalSecrets({ secrets: ["projects/acme-prod/secrets/shop"] }),
  fluxSourceController: google.fluxSourceController({
    from: [
      google.artifactRegistry({ ...artefacts, images: ["web"] }),
      google.artifactRegistry({ ...artefacts, images: ["jobs"] }),
      google.gcrRepository({ project: "acme-prod", host: "eu.gcr.io" }),
    ],
  }),
};

const identities = {
  aws: aws.workloadRoles({ account, region }),
  azure: azure.workloadIdentities({ resourceGroupName: "ids", location: "westeurope", tenantId: TENANT }),
  google: google.workloadServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" }),
};

function written(cloud: keyof typeof identities, workloads: readonly Workload[]): string {
  return synthesized((app) => {
    const cluster = { name: "prod", issuer: ISSUER };
    new WorkloadAccess(providersStack(app), "ready", { cluster, workloads, identities: [identities[cloud]] });
  });
}

describe("ready permissions", () => {
  it.each([
    ["aws", Object.values(onAws)],
    ["azure", Object.values(onAzure)],
    // Nothing is written for a service account that Google needs no annotation of, and another owner declares.
    ["google", Object.values(onGoogle).map((line) => ({ ...line, declareServiceAccount: true }))],
  ] as const)("%s: every workload may do what its row asks for, by each link", (cloud, workloads) => {
    const results = explain([written(cloud, workloads)]).filter(({ job }) => job === "workload");
    const said = results.map(({ subject, verdict, checks }) => ({
      subject,
      verdict,
      checks: checks
        .filter(({ status }) => status === "fail" || status === "unknown")
        .map(({ reason }) => reason),
    }));
    const expected = workloads.map(({ serviceAccount }) => serviceAccount).sort();
    expect(said).toEqual(
      expected.map((subject) => ({ subject, verdict: "allowed", checks: [] as string[] })),
    );
  });

  it("of AWS are these", async () => {
    const rows = Object.entries(onAws).map(([name, { may }]) => [name, may.statements]);
    const text = `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot("__snapshots__/ready-permissions-aws.json");
  });

  // IAM user guide, "IAM and AWS STS quotas": 10,240 characters for the inline policies of a role.
  it.each(Object.entries(onAws))("%s of AWS leaves room in an inline policy", (_, { may }) => {
    expect(policySize(policyDocument(may.statements))).toBeLessThan(6144);
  });

  it("speak of the partition and region that are stated", () => {
    const cn = { region: "cn-north-1", clusterName };
    const all = [
      aws.ebsCsiDriver({ region: cn.region }),
      aws.loadBalancerController(cn),
      aws.clusterAutoscaler(cn),
      aws.certManager({ hostedZones, region: cn.region }),
      aws.karpenter({ ...cn, account, nodeRole: nodeRole.replace(":aws:", ":aws-cn:") }),
    ];
    const resources = all.flatMap(({ may }) => may.statements).flatMap(({ Resource }) => Resource ?? []);
    expect(resources.filter((each) => each !== "*" && !each.startsWith("arn:aws-cn:"))).toEqual([]);
  });
});

/** What the policies may not do, since they speak of one cluster, zone or type of record alone. */
describe("what is left out", () => {
  const ec2 = (resource: string): string => `arn:aws:ec2:${region}:${account}:${resource}`;
  const ecrRepository = (name: string): string => `arn:aws:ecr:${region}:${account}:repository/${name}`;
  const zone = (id: string): string => `arn:aws:route53:::hostedzone/${id}`;
  type Context = Record<string, string | string[] | null>;
  const TAG = "aws:ResourceTag/";
  const own = zone("Z0123456789ABCDEFGHIJ");
  const types = (list: string[] | null): Context => ({ "route53:ChangeResourceRecordSetsRecordTypes": list });
  const ebs = "ec2:ResourceTag/ebs.csi.aws.com/cluster";
  const volume = ec2("volume/vol-1");
  const change = "route53:ChangeResourceRecordSets";
  const balancer = `arn:aws:elasticloadbalancing:${region}:${account}:loadbalancer/app/a/1`;
  const autoScaling = `arn:aws:autoscaling:${region}:${account}:autoScalingGroup:1:autoScalingGroupName/a`;
  const bank = secrets[0].replace("shop/*", "bank/db-AbCdEf");
  const asEc2 = { "iam:PassedToService": "ec2.amazonaws.com" };
  const withoutTags = { [`${TAG}elbv2.k8s.aws/cluster`]: null, [`${TAG}kubernetes.io/cluster/prod`]: null };
  const withoutName = { [ebs]: null, "ec2:ResourceTag/kubernetes.io/created-for/pvc/name": null };
  const otherPool = {
    [`${TAG}kubernetes.io/cluster/prod`]: null,
    [`${TAG}karpenter.sh/nodepool`]: "default",
  };
  const enabled = {
    [`${TAG}k8s.io/cluster-autoscaler/enabled`]: "true",
    [`${TAG}k8s.io/cluster-autoscaler/prod`]: null,
  };

  it.each<[keyof typeof onAws, string, string, Context, string]>([
    ["ebsCsiDriver", "ec2:DeleteVolume", volume, { [ebs]: "true" }, "allowed"],
    ["ebsCsiDriver", "ec2:DeleteVolume", volume, withoutName, "denied"],
    ["ebsCsiDriver", "ec2:DeleteVolume", volume.replace(region, "us-east-1"), { [ebs]: "true" }, "denied"],
    [
      "loadBalancerController",
      "elasticloadbalancing:DeleteLoadBalancer",
      balancer,
      { [`${TAG}elbv2.k8s.aws/cluster`]: "other" },
      "denied",
    ],
    [
      "loadBalancerController",
      "ec2:AuthorizeSecurityGroupIngress",
      ec2("security-group/sg-1"),
      withoutTags,
      "denied",
    ],
    ["externalDns", change, own, {}, "allowed"],
    ["externalDns", change, zone("Z1"), {}, "denied"],
    ["certManager", change, own, types(["TXT"]), "allowed"],
    ["certManager", change, own, types(["TXT", "A"]), "denied"],
    ["certManager", change, own, types(null), "denied"],
    ["karpenter", "iam:PassRole", `arn:aws:iam::${account}:role/admin`, asEc2, "denied"],
    ["karpenter", "ec2:TerminateInstances", ec2("instance/i-1"), otherPool, "denied"],
    ["clusterAutoscaler", "autoscaling:SetDesiredCapacity", autoScaling, enabled, "denied"],
    ["externalSecrets", "secretsmanager:GetSecretValue", bank, {}, "denied"],
    ["externalSecrets", "secretsmanager:ListSecrets", "*", {}, "denied"],
    ["fluxSourceController", "ecr:ListImages", ecrRepository("manifests/shop"), {}, "allowed"],
    ["fluxSourceController", "ecr:GetDownloadUrlForLayer", ecrRepository("charts/web"), {}, "allowed"],
    ["fluxSourceController", "ecr:BatchGetImage", ecrRepository("charts/jobs"), {}, "denied"],
    ["fluxSourceController", "ecr:PutImage", ecrRepository("charts/web"), {}, "denied"],
  ])("%s: %s on %s with %o is %s", (name, action, resource, context, outcome) => {
    const policy = policyDocument(onAws[name].may.statements as readonly PolicyStatement[]);
    expect(evaluateAwsPermission(policy, { action, resource, context }).outcome).toBe(outcome);
  });

  const everySecret = `arn:aws:secretsmanager:${region}:${account}:secret:*`;
  const ofRegion = nodeRole.replace("iam::", `iam:${region}:`);
  const owner = { scope: new App() };
  const owned = aws.ecr({ account, region, repositories: ["base"], ownerPolicy: {} });
  const role = "roles/artifactregistry.reader";
  const twice = (): string =>
    written(
      "azure",
      ["charts/web", "charts/jobs"].map((repository) =>
        azure.fluxSourceController({ from: [azure.acr({ ...limited, repositories: [repository] })] }),
      ),
    );

  it.each(
    refusedWith<() => unknown>({
      "aws-invalid: hostedZones is empty": [
        () => aws.externalDns({ hostedZones: [] }),
        () => aws.certManager({ hostedZones: ["/hostedzone/Z1"] }),
      ],
      "aws-missing: externalSecrets() names neither a secret": [
        () => aws.externalSecrets({ kmsKeys: [key] }),
      ],
      "aws-invalid: an entry of secrets is not an ARN": [
        () => aws.externalSecrets({ secrets: [everySecret] }),
      ],
      "aws-invalid: an entry of parameters": [() => aws.externalSecrets({ parameters: secrets })],
      "aws-invalid: nodeRole is not an ARN of that kind": [
        () => aws.karpenter({ account, region, clusterName, nodeRole: queue }),
      ],
      "aws-invalid: nodeRole is an ARN with a region, but ARNs of IAM have none": [
        () => aws.karpenter({ account, region, clusterName, nodeRole: ofRegion }),
      ],
      "aws-invalid: clusterName": [() => aws.loadBalancerController({ region, clusterName: "prod*" })],
      "aws-unknown": [() => aws.ebsCsiDriver({ region: "eu" })],
      "property-unknown": [() => aws.ebsCsiDriver({ region, account } as { region: string })],
      "azure-missing: azureAccess() names no role": [
        () => azure.externalDns({ dnsZones: [], resourceGroup: group }),
        () => azure.fluxSourceController({ from: [] }),
      ],
      "google-missing: googleAccess() names no role": [
        () => google.externalSecrets({ secrets: [] }),
        () => google.fluxSourceController({ from: [] }),
      ],
      "google-invalid: a secret on which a role": [() => google.externalSecrets({ secrets: ["shop"] })],
      "aws-missing: awsAccess() permits nothing": [() => aws.fluxSourceController({ from: [] })],
      "property-invalid: from[0].ownerPolicy": [() => aws.fluxSourceController({ from: [owned] })],
      "property-invalid: from[0] of argoCdRepoServer() is an AcrSource": [
        () => azure.argoCdRepoServer({ from: [azure.acr({ ...legacy, owner })] }),
      ],
      "property-invalid: from[0] of fluxSourceController() is an ArtifactRegistryRepository": [
        () => google.fluxSourceController({ from: [google.artifactRegistry({ ...artefacts, owner })] }),
      ],
      "property-missing: from[0].registry": [
        () => azure.fluxSourceController({ from: [artefacts as never] }),
      ],
      "azure-mismatch: role Container Registry Repository Reader is stated twice": [twice],
      "azure-invalid: condition": [
        () => azure.azureAccess({ roles: [{ role: "a", scope: group, condition: " " }] }),
      ],
      "google-invalid: a repository on which a role is granted is not named in full": [
        () => google.googleAccess({ roles: [{ role, repository: "manifests" }] }),
      ],
    }),
  )("refuses with %s", (expected, make) => {
    expect(make).toThrowError(refusal(expected) as Error);
  });
});

describe("what is declared of a controller that pulls artefacts", () => {
  const workloads = {
    aws: onAws.fluxSourceController,
    azure: onAzure.fluxSourceController,
    google: { ...onGoogle.fluxSourceController, declareServiceAccount: true },
  };

  it.each<[keyof typeof workloads, string, string, string, "allowed" | "denied" | "unknown"]>([
    ["aws", "pulls other repositories", "repository/charts/web", "repository/charts/jobs", "denied"],
    ["aws", "cannot look up tags", "ecr:ListImages", "ecr:DescribeImages", "denied"],
    [
      "azure",
      "has the role of the other mode",
      '"AcrPull"',
      '"Container Registry Repository Reader"',
      "denied",
    ],
    ["azure", "has a role that may push too", '"AcrPull"', '"AcrPush"', "allowed"],
    ["azure", "has a role at another registry", "registries/shopcharts", "registries/other", "denied"],
    ["azure", "is limited to other repositories", "'charts/web'", "'charts/jobs'", "unknown"],
    ["google", "reads another repository", "repositories/manifests", "repositories/other", "denied"],
    ["google", "reads one of another project", "projects/acme-artefacts/", "projects/acme-other/", "denied"],
    ["google", "reads one in another location", "locations/europe-west1/", "locations/us/", "denied"],
    ["google", "reads nothing but metadata", "artifactregistry.reader", "artifactregistry.viewer", "denied"],
  ])("%s: explain notices that it %s", (cloud, _, now, then, verdict) => {
    const folder = written(cloud, [workloads[cloud]]);
    const file = join(folder, "stacks/prod/cdk.tf.json");
    const text = readFileSync(file, "utf8");
    expect(text).toContain(now);
    writeFileSync(file, text.replaceAll(now, then));
    expect(explain([folder]).map((result) => result.verdict)).toEqual([verdict]);
  });

  it("cannot be judged where the repositories are another account's, whose policies must let the role in", () => {
    const registry = { account: "444455556666", region, repositories: ["base"] };
    const from = [aws.ecr({ ...registry, ownerPolicy: "elsewhere" })];
    const [result] = explain([written("aws", [aws.fluxSourceController({ from })])]);
    expect(result?.verdict).toBe("unknown");
    expect(result?.checks.flatMap(({ status, reason }) => (status === "unknown" ? [reason] : []))).toEqual([
      expect.stringContaining("its resource policy, which must also admit the role, was not read"),
    ]);
  });

  it("is one role assignment for a registry, limited to its repositories in mode AbacRepositoryPermissions", () => {
    const { roleBindings } = onAzure.fluxSourceController.may.rights;
    expect(roleBindings).toEqual([
      {
        role: "Container Registry Repository Reader",
        scope: limited.registry,
        condition: renderRepositoryCondition(["charts/web", "manifests/*"]),
      },
      { role: "AcrPull", scope: legacy.registry },
    ]);
  });
});

/** Rows of the page, from the tables. */
function lines(cloud: string, rows: Readonly<Record<string, unknown>>): readonly string[][] {
  return Object.entries(rows).flatMap(([name, row]) => {
    if (typeof row !== "object") return [];
    const { serviceAccount, source, leavesOut, props } = row as ReadyPermissions<never, never>;
    const shape: Readonly<Record<string, { readonly optional?: true }>> = props.shape;
    const names = Object.entries(shape).map(([key, { optional }]) => `\`${key}${optional ? "?" : ""}\``);
    const maker = name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return [[`\`${maker}()\``, cloud, names.join(", "), `\`${serviceAccount}\``, leavesOut, source]];
  });
}

describe("docs/workloads.md", () => {
  it("lists every row", () => {
    const page = readFileSync(join(ROOT, "docs/workloads.md"), "utf8").split("\n");
    const cells = page
      .filter((line) => line.startsWith("| `") && line.includes("()`"))
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    const expected = [
      ...lines("AWS", { ...awsRows, KARPENTER }),
      ...lines("Azure", azureRows),
      ...lines("Google", googleRows),
    ];
    expect(cells.map((row) => row.join(" | ")).sort()).toEqual(expected.map((row) => row.join(" | ")).sort());
  });
});
