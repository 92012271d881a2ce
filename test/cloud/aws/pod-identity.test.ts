/*
 * EKS Pod Identity beside IAM roles for service accounts: what is declared, and what is read of it.
 */

import { EksAddon } from "@cdktf/provider-aws/lib/eks-addon/index.js";
import { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import type { TerraformStack } from "cdktf";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type PodIdentityCluster,
  WorkloadRole,
  type WorkloadRolesProps,
  awsAccess,
  eks,
  workloadRoles,
} from "../../../lib/cloud/aws";
import { explain, readFactsFile } from "../../../lib/explain";
import { WorkloadAccess } from "../../../lib/synth";
import { providersStack } from "../../support/platform-components";
import {
  type Change,
  POD,
  also,
  association,
  both,
  changed,
  judgedWorkload,
} from "../../support/pod-identity";
import { synthesized } from "../../support/synthesized";
import { rowsOf } from "../../support/tables";
import { ACCOUNT, type Json, REGION, code, document, newStack, only, resources } from "./synthesized";

const ISSUER = `https://oidc.eks.${REGION}.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF`;
const CLUSTER_ARN = `arn:aws:eks:${REGION}:${ACCOUNT}:cluster/prod`;
const ROLE = `arn:aws:iam::${ACCOUNT}:role/prod_shop_web_access`;
const READ = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::orders/*" } as const;
const may = awsAccess({ statements: [READ] });
const place = { account: ACCOUNT, region: REGION };

function declared(
  stack: TerraformStack,
  props: Partial<WorkloadRolesProps> = {},
  cluster: { name: string; issuer: string } = { name: "prod", issuer: ISSUER },
): void {
  new WorkloadAccess(stack, "workloads", {
    cluster,
    workloads: [{ serviceAccount: "shop/web", may }],
    identities: [workloadRoles({ ...place, podIdentity: "prod", ...props })],
  });
}

describe("workloadRoles with podIdentity", () => {
  it("declares role and association, no OIDC provider, and no annotation", () => {
    const stack = newStack();
    declared(stack, { tags: { team: "shop" } });
    expect(resources(stack, "aws_iam_openid_connect_provider")).toEqual([]);
    expect(document(only(stack, "aws_iam_role"), "assume_role_policy").Statement).toEqual([
      {
        Effect: "Allow",
        Principal: { Service: "pods.eks.amazonaws.com" },
        Action: ["sts:AssumeRole", "sts:TagSession"],
        Condition: {
          StringEquals: {
            "aws:RequestTag/eks-cluster-arn": CLUSTER_ARN,
            "aws:RequestTag/kubernetes-namespace": "shop",
            "aws:RequestTag/kubernetes-service-account": "web",
          },
        },
      },
    ]);
    expect(only(stack, "aws_iam_role")["description"]).toBe("Access to AWS for shop/web");
    expect(only(stack, "aws_eks_pod_identity_association")).toEqual({
      cluster_name: "prod",
      namespace: "shop",
      service_account: "web",
      role_arn: ROLE,
      region: REGION,
      tags: { team: "shop" },
      depends_on: [expect.stringMatching(/^aws_iam_role\./)],
    });
  });

  it("waits for a cluster that the stack declares", () => {
    const stack = newStack();
    const cluster = eksCluster(stack);
    declared(stack, { podIdentity: cluster });
    expect(only(stack, "aws_eks_pod_identity_association")["cluster_name"]).toBe(
      "${aws_eks_cluster.cluster.name}",
    );
  });

  const role = (stack: TerraformStack, id: string, ...clusters: readonly string[]): WorkloadRole => {
    const podIdentities = clusters.map((cluster) => ({ cluster, serviceAccount: "shop/web" }));
    return new WorkloadRole(stack, id, { ...place, trusts: [], podIdentities, access: [may] });
  };

  it("one role may be of several clusters and of tokens", () => {
    const stack = newStack();
    const made = role(stack, "role", "prod", "next");
    expect(made.annotations).toEqual({});
    expect(made.associations.map(({ clusterNameInput }) => clusterNameInput)).toEqual(["prod", "next"]);
    expect(document(only(stack, "aws_iam_role"), "assume_role_policy").Statement).toHaveLength(2);
  });

  it.each<[string, Partial<WorkloadRolesProps>, string?]>([
    ["aws-missing: EKS Pod Identity needs account and region", { account: undefined }],
    ["aws-unsupported: EKS Pod Identity is not available in the China regions", { region: "cn-north-1" }],
    ["aws-unsupported: EKS Pod Identity works only on EKS clusters", {}, "https://oidc.example.com/prod"],
    ["aws-unused: audience has no effect", { audience: "other" }],
    ["aws-invalid: name of the EKS cluster", { podIdentity: "a b" }],
  ])("refuses %s", (expected, props, issuer = ISSUER) => {
    expect(() => declared(newStack(), props, { name: "prod", issuer })).toThrowError(code(expected) as Error);
  });

  it("refuses a second association of a service account", () => {
    const stack = newStack();
    role(stack, "one", "prod");
    expect(() => role(stack, "two", "prod")).toThrowError(
      code("aws-conflict: service account of EKS cluster prod") as Error,
    );
  });
});

function eksCluster(stack: TerraformStack, name = "prod"): EksCluster {
  return new EksCluster(stack, "cluster", {
    name,
    roleArn: `arn:aws:iam::${ACCOUNT}:role/eks`,
    vpcConfig: { subnetIds: ["subnet-1", "subnet-2"] },
    version: "1.35",
  });
}

let original: string | undefined;

/** The synth that the changes are made to. */
function allowed(): string {
  original ??= synthesized((app) => {
    const stack = providersStack(app);
    declared(stack);
    new EksAddon(stack, "agent", { clusterName: "prod", addonName: "eks-pod-identity-agent" });
  });
  return original;
}

const judged = (change?: Change): ReturnType<typeof judgedWorkload> => judgedWorkload(allowed(), change);

/** The trust policy with other actions or conditions. */
const trust = (values: Json): Change =>
  changed("aws_iam_role", (before) => {
    const policy = JSON.parse(String(before["assume_role_policy"])) as { Statement: Json[] };
    const Statement = policy.Statement.map((each) => ({ ...each, ...values }));
    return { ...before, assume_role_policy: JSON.stringify({ ...policy, Statement }) };
  });

const file =
  (name: string, text: string): Change =>
  (_, folder) => {
    writeFileSync(join(folder, name), text);
  };

const pod = (spec: object): Change =>
  file(
    POD,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "web", namespace: "shop" },
      spec: { serviceAccountName: "web", containers: [{ name: "web", image: "web" }], ...spec },
    }),
  );

/** The service account with a role by annotation, whose trust lets its tokens in. */
function annotated(change: Change): Change {
  const host = ISSUER.replace("https://", "");
  const claims = { [`${host}:sub`]: "system:serviceaccount:shop:web", [`${host}:aud`]: "sts.amazonaws.com" };
  return both(
    trust({
      Principal: { Federated: `arn:aws:iam::${ACCOUNT}:oidc-provider/${host}` },
      Action: "sts:AssumeRoleWithWebIdentity",
      Condition: { StringEquals: claims },
    }),
    also("aws_iam_openid_connect_provider", "own", { url: ISSUER, client_id_list: ["sts.amazonaws.com"] }),
    (terraform) =>
      Object.assign(terraform, { provider: { aws: { region: REGION, allowed_account_ids: [ACCOUNT] } } }),
    serviceAccount(ROLE),
    association({ role_arn: `${ROLE}x` }),
    change,
  );
}

const serviceAccount = (role: string): Change =>
  file(
    "manifests/20-service-accounts.yaml",
    `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: web\n  namespace: shop\n  annotations:\n    eks.amazonaws.com/role-arn: ${role}\n`,
  );

const fargate = (values: Json): Change =>
  also("aws_eks_fargate_profile", "f", { cluster_name: "prod", ...values });
const automatic = (values: Json): Change =>
  both(
    changed("aws_eks_addon", (before) => ({ ...before, addon_name: "vpc-cni" })),
    also("aws_eks_cluster", "auto", { name: "prod", compute_config: { enabled: true }, ...values }),
  );
const second = (values: Json): Change =>
  also("aws_eks_pod_identity_association", "second", {
    cluster_name: "prod",
    namespace: "shop",
    service_account: "web",
    role_arn: ROLE,
    region: REGION,
    ...values,
  });
const container = (name: string): Change =>
  pod({ containers: [{ name: "web", image: "web", env: [{ name, value: "x" }] }] });

const tag = (name: string, value: unknown): Json => ({
  Condition: { StringEquals: { [`aws:RequestTag/${name}`]: value } },
});

describe("a cluster whose name in EKS is no DNS label", () => {
  type Given = ConstructorParameters<typeof WorkloadAccess>[2]["cluster"];
  const made = (
    cluster: (own: EksCluster) => Given,
    podIdentity: (own: EksCluster) => PodIdentityCluster,
  ): readonly [verdict: unknown, recorded: unknown] => {
    const out = synthesized((app) => {
      const stack = providersStack(app);
      const own = eksCluster(stack, "Prod_EU");
      declared(stack, { podIdentity: podIdentity(own) }, cluster(own) as { name: string; issuer: string });
      new EksAddon(stack, "agent", { clusterName: "Prod_EU", addonName: "eks-pod-identity-agent" });
    });
    const record = JSON.parse(readFileSync(join(out, "stacks/prod/workload-identity.json"), "utf8")) as {
      clusters: readonly { name: string; cloudName?: string }[];
    };
    const [result] = explain([out]).filter(({ job }) => job === "workload");
    return [result?.verdict, record.clusters.map(({ name, cloudName }) => [name, cloudName])];
  };
  const facts = (cluster: EksCluster): Given =>
    eks({ cluster, name: "prod-eu", issuer: ISSUER, region: REGION });
  const plain = { name: "prod-eu", issuer: ISSUER };

  it.each<[string, (own: EksCluster) => Given, (own: EksCluster) => PodIdentityCluster]>([
    ["facts of its resource", facts, (own) => own],
    ["facts of its resource, and its name", facts, () => "Prod_EU"],
    ["a label, and its resource", () => plain, (own) => own],
    ["a label, and its name", () => plain, () => "Prod_EU"],
    ["a stated name", () => ({ ...plain, cloudName: "Prod_EU" }), () => "Prod_EU"],
  ])("is found by %s", (_, cluster, podIdentity) => {
    expect(made(cluster, podIdentity)).toEqual(["allowed", [["prod-eu", "Prod_EU"]]]);
  });

  it("is refused beside another cluster", () => {
    expect(() => made(facts, () => "Other_EU")).toThrowError(
      code(
        "cluster-mismatch: the identities of cluster prod-eu are for a cluster with another name",
      ) as Error,
    );
  });
});

describe("explain", () => {
  it("finds the workload allowed as the role, by association, trust and agent", () => {
    expect(judged()).toEqual({ verdict: "allowed", as: ROLE, checks: {}, audit: [] });
  });

  const unknownBeside = ["cluster_name", "namespace", "service_account", "count"].map((name) => [
    `whose ${name} is not known, beside an annotation`,
    annotated(association({ [name]: "${var.n}" })),
  ]);
  const unknownProfiles = [
    { count: "${var.n}", selector: [{ namespace: "shop" }] },
    { cluster_name: "${var.n}", selector: [{ namespace: "shop" }] },
    { selector: [{ namespace: "${var.n}" }] },
    { dynamic: { selector: { for_each: "${var.n}", content: { namespace: "${selector.value}" } } } },
  ].map((values) => [
    `and a Fargate profile of which something is not known: ${JSON.stringify(values)}`,
    fargate(values),
  ]);
  const fromAccount = (account: string): Change =>
    trust({ Condition: { StringEquals: { "aws:SourceAccount": account } } });
  const fromSource = (arn: string): Change => trust({ Condition: { ArnLike: { "aws:SourceArn": arn } } });
  const toWindows = { key: "kubernetes.io/os", operator: "In", values: ["windows"] };
  const required = { nodeSelectorTerms: [{ matchExpressions: [toWindows] }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  const elsewhere = { region: "eu-central-1" };
  const agent = (values: Json): Change => changed("aws_eks_addon", (before) => ({ ...before, ...values }));
  const configured =
    (aws: Json): Change =>
    (terraform) =>
      Object.assign(terraform, { provider: { aws: [{ region: REGION }, aws] } });

  // By verdict, the check that is not passed, and why.
  it.each(
    rowsOf<Change>({
      allowed: {
        "beside another one, of another cluster": second({ cluster_name: "other" }),
        "beside another one, of another region": second(elsewhere),
        "of another cluster, beside an annotation": annotated(association({ cluster_name: "other" })),
        "of another account, beside an annotation": annotated(association({ service_account: "api" })),
        "and a trust of the cluster's ARN": trust(tag("eks-cluster-arn", CLUSTER_ARN)),
        "and a trust of several namespaces": trust(tag("kubernetes-namespace", ["bank", "shop"])),
        "and a trust of the account": fromAccount(ACCOUNT),
        "and a trust of the cluster as source": fromSource(CLUSTER_ARN),
        "without session tags, and a trust of the cluster as source": both(
          association({ disable_session_tags: true }),
          fromSource(CLUSTER_ARN),
        ),
        "and Auto Mode, which runs the agent": automatic({}),
        "and pods of another namespace on Fargate": fargate({ selector: [{ namespace: "bank" }] }),
        "and Fargate in another region": fargate({ ...elsewhere, selector: [{ namespace: "shop" }] }),
        "and pods of which nothing is special": pod({}),
      },
      "unknown account-annotated: in EKS cluster other": {
        "of another cluster": association({ cluster_name: "other" }),
      },
      "denied account-annotated": {
        "in another region": association(elsewhere),
        "of another namespace": association({ namespace: "bank" }),
        "of another service account": association({ service_account: "api" }),
      },
      "unknown identity-found": { "of a role that is not read": association({ role_arn: `${ROLE}x` }) },
      "unknown account-annotated": {
        "of service accounts that count decides": association({ count: "${var.n}" }),
        "of a role that is not stated": association({ role_arn: null }),
      },
      "denied account-annotated: not an ARN of an IAM role": {
        "of no role": association({ role_arn: "web" }),
      },
      "denied issuer-trusted: the association in 444455556666": {
        "of a role of another account": both(
          configured({ region: REGION, alias: "other", allowed_account_ids: ["444455556666"] }),
          association({ provider: "aws.other" }),
        ),
      },
      "denied issuer-trusted: Terraform declares the role in aws-cn": {
        "of a role that is declared in another partition": both(
          configured({ region: "cn-north-1", alias: "china" }),
          changed("aws_iam_role", (before) => ({ ...before, provider: "aws.china" })),
        ),
      },
      "denied subject-admitted: aws:RequestTag/": {
        "without session tags": association({ disable_session_tags: true }),
      },
      "unknown account-annotated: EKS accepts only one": {
        "beside another one": second({}),
        "beside another one, of a cluster that is not known": second({ cluster_name: "${var.n}" }),
      },
      [`unknown identity-found: ${ROLE}x`]: { "beside an annotation": annotated(association({})) },
      "unknown account-annotated: whether an EKS Pod Identity association": Object.fromEntries(
        unknownBeside,
      ) as Record<string, Change>,
      "denied audience-accepted: sts:TagSession": {
        "and a trust without sts:TagSession": trust({ Action: "sts:AssumeRole" }),
      },
      "denied issuer-trusted": { "and a trust without sts:AssumeRole": trust({ Action: "sts:TagSession" }) },
      "denied issuer-trusted: pods.eks.amazonaws.com": {
        "and a trust of another service": trust({ Principal: { Service: "ec2.amazonaws.com" } }),
        "and a trust in a federation of that name": trust({
          Principal: { Federated: "pods.eks.amazonaws.com" },
        }),
      },
      "unknown issuer-trusted": { "and a trust of everybody": trust({ Principal: { AWS: "*" } }) },
      "denied subject-admitted": {
        "and a trust of another cluster": trust(tag("eks-cluster-name", "other")),
        "and a trust of another namespace": trust(tag("kubernetes-namespace", "bank")),
        "and a trust of another account": fromAccount("444455556666"),
        "and a trust of another cluster as source": fromSource(CLUSTER_ARN.replace("prod", "next")),
        "and a trust of associations as source": fromSource(
          `arn:aws:eks:*:${ACCOUNT}:podidentityassociation/prod/*`,
        ),
      },
      "unknown subject-admitted": {
        "and a trust of a pod's name": trust(tag("kubernetes-pod-name", "web-0")),
        "and tags of which nothing is known": association({ disable_session_tags: "${var.n}" }),
      },
      "unknown pods-configured: whether the EKS Pod Identity Agent": {
        "and no agent that was read": agent({ addon_name: "vpc-cni" }),
        "and Auto Mode in another region": automatic(elsewhere),
      },
      "unknown pods-configured": {
        "and the agent of another cluster": agent({ cluster_name: "other" }),
        "and the agent in another region": agent(elsewhere),
        "and Auto Mode beside other nodes": both(
          automatic({}),
          also("aws_eks_node_group", "n", { cluster_name: "prod" }),
        ),
      },
      "unknown pods-configured: may run on Fargate": {
        "and some pods on Fargate": fargate({
          selector: [{ namespace: "shop", labels: { fargate: "yes" } }],
        }),
        "and pods on Fargate": fargate({ selector: [{ namespace: "sh*" }] }),
        ...(Object.fromEntries(unknownProfiles) as Record<string, Change>),
      },
      "unknown pods-configured: may run on Windows": {
        "and pods on Windows": pod({ nodeSelector: { "kubernetes.io/os": "windows" } }),
        "and pods with an affinity to Windows": pod({ affinity }),
      },
      "unknown pods-configured: with none": {
        "and the variable beside which EKS sets none": container("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"),
      },
      "unknown pods-configured: other credentials": {
        "and a credentials file that SDKs read first": container("AWS_SHARED_CREDENTIALS_FILE"),
      },
      "unknown pods-configured: AWS_PROFILE": { "and credentials of their own": container("AWS_PROFILE") },
    }),
  )("an association %s", (_, change, expected) => {
    const [verdict, check, reason = ""] = /^(\w+)(?: ([\w-]+)(?:: (.*))?)?$/.exec(expected)?.slice(1) ?? [];
    const found = judged(change);
    expect([found.verdict, found.checks]).toEqual([verdict, check === undefined ? {} : expect.anything()]);
    if (check !== undefined) expect(found.checks[check]).toContain(reason);
  });

  it("notes in the audit a trust that any association in the account can use", () => {
    const { audit } = judged(trust({ Condition: { StringEquals: { "aws:SourceAccount": ACCOUNT } } }));
    expect(audit).toEqual(["trust-open"]);
  });

  it("an association wins over an annotation", () => {
    const found = judged(serviceAccount(`arn:aws:iam::${ACCOUNT}:role/other`));
    expect(found).toMatchObject({ verdict: "allowed", checks: {} });
  });

  it("takes a stated agent for one that was read", () => {
    const out = synthesized((app) => declared(providersStack(app)));
    const facts = join(out, "facts.yaml");
    writeFileSync(facts, "aws:\n  podIdentityAgents:\n    - cluster: prod\n");
    const verdicts = [undefined, readFactsFile(facts)].map(
      (stated) => explain([join(out, "stacks/prod")], {}, stated)[0]?.verdict,
    );
    expect(verdicts).toEqual(["unknown", "allowed"]);
  });

  it.each([
    [
      "knows the cluster by its resource where the issuer is late",
      "${aws_eks_cluster.cluster.name}",
      "allowed",
    ],
    ["takes the cluster's id for its name", "${aws_eks_cluster.cluster.id}", "allowed"],
    ["takes no name that begins with the cluster's for it", "${aws_eks_cluster.cluster.id}-blue", "denied"],
  ])("%s", (_, name, verdict) => {
    const out = synthesized((app) => {
      const stack = providersStack(app);
      const cluster = eksCluster(stack);
      new WorkloadAccess(stack, "workloads", {
        cluster: eks({ cluster, name: "renamed", region: REGION }),
        workloads: [{ serviceAccount: "shop/web", may }],
        identities: [workloadRoles({ ...place, podIdentity: cluster })],
      });
      new EksAddon(stack, "agent", { clusterName: cluster.name, addonName: "eks-pod-identity-agent" });
    });
    const stack = join(out, "stacks/prod/cdk.tf.json");
    const terraform = JSON.parse(readFileSync(stack, "utf8")) as Record<string, never>;
    for (const type of ["aws_eks_addon", "aws_eks_pod_identity_association"])
      changed(type, (before) => ({ ...before, cluster_name: name }))(terraform, out);
    if (name.includes(".id")) trust({ Condition: {} })(terraform, out);
    writeFileSync(stack, JSON.stringify(terraform));
    const [result] = explain([out]);
    expect(result?.verdict).toBe(verdict);
  });
});
