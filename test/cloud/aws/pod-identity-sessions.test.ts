/*
 * Sessions of EKS Pod Identity with a target role, a policy, or without tags: what is declared, and what is judged of it.
 * Sources: EKS user guide, "Access AWS Resources using EKS Pod Identity Target IAM Roles" and "Enable or disable session
 * tags"; EKS API reference, CreatePodIdentityAssociation.
 */

import { EksAddon } from "@cdktf/provider-aws/lib/eks-addon/index.js";
import { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import type { TerraformStack } from "cdktf";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type PodIdentity,
  type PolicyStatement,
  WorkloadRole,
  type WorkloadPodIdentity,
  awsAccess,
  workloadRoles,
} from "../../../lib/cloud/aws";
import { WorkloadAccess } from "../../../lib/synth";
import { ROOT, codeBlocks } from "../../support/markdown";
import { providersStack } from "../../support/platform-components";
import { type Change, also, association, both, changed, judgedWorkload } from "../../support/pod-identity";
import { synthesized } from "../../support/synthesized";
import { rowsOf } from "../../support/tables";
import { ACCOUNT, type Json, REGION, code, document, newStack, only, resources } from "./synthesized";

const ISSUER = `https://oidc.eks.${REGION}.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF`;
const CLUSTER_ARN = `arn:aws:eks:${REGION}:${ACCOUNT}:cluster/prod`;
const ROLE = `arn:aws:iam::${ACCOUNT}:role/prod_shop_web_access`;
const ELSEWHERE = "444455556666";
const TARGET = `arn:aws:iam::${ELSEWHERE}:role/orders`;
const READ: PolicyStatement = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::orders/*" };
const place = { account: ACCOUNT, region: REGION };
const tagless = { disableSessionTags: true };

function declared(stack: TerraformStack, session: Partial<WorkloadPodIdentity> = {}, proof = true): void {
  new WorkloadAccess(stack, "workloads", {
    cluster: { name: "prod", issuer: ISSUER },
    workloads: [{ serviceAccount: "shop/web", may: awsAccess({ statements: [READ] }) }],
    identities: [workloadRoles({ ...place, podIdentity: { cluster: "prod", ...session } })],
    proof,
  });
}

describe("workloadRoles with settings of podIdentity", () => {
  it("is the same with the cluster alone", () => {
    const [alone, inObject] = [newStack(), newStack()];
    new WorkloadAccess(alone, "workloads", {
      cluster: { name: "prod", issuer: ISSUER },
      workloads: [{ serviceAccount: "shop/web", may: awsAccess({ statements: [READ] }) }],
      identities: [workloadRoles({ ...place, podIdentity: "prod" })],
    });
    declared(inObject);
    for (const type of ["aws_iam_role", "aws_iam_role_policy", "aws_eks_pod_identity_association"])
      expect(resources(inObject, type)).toEqual(resources(alone, type));
  });

  it("grants a role that has a target only the right to assume it", () => {
    const stack = newStack();
    declared(stack, { targetRoleArn: TARGET });
    expect(document(only(stack, "aws_iam_role_policy"), "policy").Statement).toEqual([
      { Effect: "Allow", Action: ["sts:AssumeRole", "sts:TagSession"], Resource: TARGET },
    ]);
    expect(only(stack, "aws_eks_pod_identity_association")).toMatchObject({
      role_arn: ROLE,
      target_role_arn: TARGET,
    });
  });

  it("compares account and cluster where sessions have no tags", () => {
    const stack = newStack();
    declared(stack, { ...tagless, policy: [READ] });
    expect(document(only(stack, "aws_iam_role"), "assume_role_policy").Statement).toEqual([
      expect.objectContaining({
        Condition: { StringEquals: { "aws:SourceAccount": ACCOUNT, "aws:SourceArn": CLUSTER_ARN } },
      }),
    ]);
    expect(only(stack, "aws_eks_pod_identity_association")).toMatchObject({
      disable_session_tags: true,
      policy: JSON.stringify({ Version: "2012-10-17", Statement: [READ] }),
    });
  });

  it("admits the sessions without tags of a cluster once", () => {
    const stack = newStack();
    const podIdentities = ["shop/web", "shop/api"].map((serviceAccount): PodIdentity => ({
      cluster: "prod",
      serviceAccount,
      ...tagless,
    }));
    new WorkloadRole(stack, "role", { ...place, trusts: [], podIdentities, access: [] });
    expect(document(only(stack, "aws_iam_role"), "assume_role_policy").Statement).toHaveLength(1);
  });

  it("trusts tokens too, and annotates, during a move from IRSA", () => {
    const stack = newStack();
    declared(stack, { irsa: true });
    const statements = document(only(stack, "aws_iam_role"), "assume_role_policy").Statement as Json[];
    expect(statements.map(({ Action }) => Action)).toEqual([
      "sts:AssumeRoleWithWebIdentity",
      ["sts:AssumeRole", "sts:TagSession"],
    ]);
    expect(resources(stack, "aws_iam_openid_connect_provider")).toHaveLength(1);
    expect(resources(stack, "aws_eks_pod_identity_association")).toHaveLength(1);
  });

  it.each<[string, Partial<WorkloadPodIdentity>]>([
    ["aws-conflict: EKS accepts no session policy beside session tags", { policy: [READ] }],
    [
      "aws-conflict: EKS accepts no session policy beside session tags",
      { policy: [READ], disableSessionTags: false },
    ],
    ["aws-invalid: the IAM role", { targetRoleArn: "orders" }],
    [
      "aws-mismatch: the target role is in another AWS partition",
      { targetRoleArn: TARGET.replace("arn:aws:", "arn:aws-us-gov:") },
    ],
    ["property-unknown", { targetRole: TARGET } as Partial<WorkloadPodIdentity>],
  ])("refuses %s", (expected, session) => {
    expect(() => declared(newStack(), session)).toThrowError(code(expected) as Error);
  });
});

const NAMES = {
  "aws:RequestTag/eks-cluster-arn": CLUSTER_ARN,
  "aws:RequestTag/kubernetes-namespace": "shop",
  "aws:RequestTag/kubernetes-service-account": "web",
};
const ID = { "sts:ExternalId": `${REGION}/${ACCOUNT}/prod/shop/web` };
const trusting = (condition: Json, more: Json = {}): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      {
        Effect: "Allow",
        Principal: { AWS: ROLE },
        Action: ["sts:AssumeRole", "sts:TagSession"],
        Condition: { StringEquals: condition },
        ...more,
      },
    ],
  });

const written = new Map<string, string>();

/** A workload with a session, and the target role of the other account as its owner declares it. */
function synth(session: Partial<WorkloadPodIdentity>): string {
  const key = JSON.stringify(session);
  const folder =
    written.get(key) ??
    synthesized((app) => {
      const stack = providersStack(app);
      declared(stack, session, false);
      new EksAddon(stack, "agent", { clusterName: "prod", addonName: "eks-pod-identity-agent" });
      if (session.targetRoleArn === undefined) return;
      const provider = new AwsProvider(stack, "elsewhere", {
        alias: "elsewhere",
        region: REGION,
        allowedAccountIds: [ELSEWHERE],
      });
      const assumeRolePolicy = trusting(session.disableSessionTags === true ? ID : NAMES);
      const target = new IamRole(stack, "target", { name: "orders", assumeRolePolicy, provider });
      const policy = JSON.stringify({ Version: "2012-10-17", Statement: [READ] });
      new IamRolePolicy(stack, "orders", { name: "orders", role: target.name, policy, provider });
    });
  written.set(key, folder);
  return folder;
}

const target = (assume_role_policy: string): Change =>
  changed("aws_iam_role", (before) => ({ ...before, assume_role_policy }), "target");

/** The one policy of the role that EKS assumes, with other statements. */
const rights =
  (...statements: readonly Json[]): Change =>
  ({ resource }) => {
    const all = resource?.["aws_iam_role_policy"] ?? {};
    for (const [name, before] of Object.entries(all))
      if (name !== "orders")
        all[name] = {
          ...before,
          policy: JSON.stringify({ Version: "2012-10-17", Statement: statements }),
        };
  };
const assuming = (Action: readonly string[], Resource: string = TARGET): Json => ({
  Effect: "Allow",
  Action,
  Resource,
});
const session = (...Statement: readonly PolicyStatement[]): Change =>
  association({ policy: JSON.stringify({ Version: "2012-10-17", Statement }) });
const nothing: Change = () => undefined;

/** The trust policy of a target role as the page writes it. */
function documented(): string {
  const page = "docs/workloads.md";
  const blocks = codeBlocks(page, readFileSync(join(ROOT, page), "utf8"));
  return blocks.find(({ language }) => language === "json")?.code ?? "";
}

function check(rows: ReturnType<typeof rowsOf<readonly [Partial<WorkloadPodIdentity>, Change]>>): void {
  it.each(rows)("%s", (_, [given, change], expected) => {
    const [verdict, id, reason = ""] = /^(\w+)(?: ([\w-]+)(?:: (.*))?)?$/.exec(expected)?.slice(1) ?? [];
    const found = judgedWorkload(synth(given), change);
    expect([found.verdict, found.checks]).toEqual([verdict, id === undefined ? {} : expect.anything()]);
    if (id !== undefined) expect(found.checks[id]).toContain(reason);
  });
}

describe("explain, with a target role", () => {
  const chained = { targetRoleArn: TARGET };
  const untagged = { ...chained, ...tagless };
  const tagged = (change: Change): readonly [Partial<WorkloadPodIdentity>, Change] => [chained, change];
  const bare = (change: Change): readonly [Partial<WorkloadPodIdentity>, Change] => [untagged, change];

  it("finds the workload allowed as the target", () => {
    expect(judgedWorkload(synth(chained))).toMatchObject({ verdict: "allowed", as: TARGET });
  });

  check(
    rowsOf({
      allowed: {
        "that compares the tags": tagged(nothing),
        "that compares them as docs/workloads.md does": tagged(target(documented())),
        "that compares the tags of the first session": tagged(
          target(trusting({ "aws:PrincipalTag/kubernetes-namespace": "shop" })),
        ),
        "that compares the external id": bare(nothing),
        "that admits the account of the first role": tagged(
          target(
            trusting(NAMES, {
              Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` },
              Condition: { ArnEquals: { "aws:PrincipalArn": ROLE } },
            }),
          ),
        ),
        "and a session policy that leaves what is asked for": bare(session(READ)),
      },
      "denied subject-admitted: aws:RequestTag/": {
        "that compares another namespace": tagged(
          target(trusting({ ...NAMES, "aws:RequestTag/kubernetes-namespace": "bank" })),
        ),
        "that compares tags of sessions without": bare(target(trusting(NAMES))),
      },
      "denied subject-admitted: sts:ExternalId": {
        "that compares the external id of another service account": bare(
          target(trusting({ "sts:ExternalId": `${REGION}/${ACCOUNT}/prod/shop/api` })),
        ),
      },
      "unknown subject-admitted: sts:ExternalId": {
        "that compares an external id beside tags": tagged(target(trusting(ID))),
      },
      "unknown subject-admitted: aws:PrincipalTag/": {
        "that compares tags of the first role, without those of sessions": bare(
          target(trusting({ "aws:PrincipalTag/kubernetes-namespace": "shop" })),
        ),
      },
      "unknown subject-admitted": {
        "and tags of which nothing is known": tagged(association({ disable_session_tags: "${var.n}" })),
      },
      "denied issuer-trusted: is not the role": {
        "that admits another role": tagged(
          target(trusting(NAMES, { Principal: { AWS: ROLE.replace("web", "api") } })),
        ),
        "that admits EKS instead of the first role": tagged(
          target(trusting(NAMES, { Principal: { Service: "pods.eks.amazonaws.com" } })),
        ),
      },
      "denied audience-accepted: sts:TagSession": {
        "that does not admit tags": tagged(target(trusting(NAMES, { Action: "sts:AssumeRole" }))),
        "that the first role may not tag": tagged(rights(assuming(["sts:AssumeRole"]))),
      },
      "unknown audience-accepted: sts:TagSession": {
        "that does not admit tags, without any": bare(target(trusting(ID, { Action: "sts:AssumeRole" }))),
      },
      "denied issuer-trusted: may not sts:AssumeRole": {
        "that the first role may not assume": tagged(
          rights(assuming(["sts:AssumeRole", "sts:TagSession"], `${TARGET}s`)),
        ),
        "that the first role is denied": tagged(
          rights(assuming(["sts:*"]), { ...assuming(["sts:AssumeRole"]), Effect: "Deny" }),
        ),
      },
      "unknown issuer-trusted: may sts:AssumeRole": {
        "of the same account, whose trust policy may suffice": tagged(
          both(
            rights(assuming(["s3:GetObject"], "*")),
            association({ target_role_arn: TARGET.replace(ELSEWHERE, ACCOUNT) }),
            changed("aws_iam_role", ({ provider: _, ...rest }) => rest, "target"),
          ),
        ),
        "that the first role may assume under a condition": tagged(
          rights({
            ...assuming(["sts:AssumeRole", "sts:TagSession"]),
            Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } },
          }),
        ),
      },
      "denied issuer-trusted: pods.eks.amazonaws.com": {
        "behind a role that EKS may not assume": tagged(
          changed("aws_iam_role", (before) =>
            before["name"] === "orders"
              ? before
              : {
                  ...before,
                  assume_role_policy: String(before["assume_role_policy"]).replace("pods.eks", "ec2"),
                },
          ),
        ),
      },
      "denied permissions-granted": {
        "that may not do what is asked for": tagged(
          changed(
            "aws_iam_role_policy",
            (before) => ({ ...before, policy: String(before["policy"]).replace("Get", "Put") }),
            "orders",
          ),
        ),
        "and a session policy without what is asked for": bare(session({ ...READ, Action: "s3:PutObject" })),
      },
      "unknown identity-found": {
        "that is not read": tagged(association({ target_role_arn: `${TARGET}s` })),
        "that is not known": tagged(association({ target_role_arn: "${var.n}" })),
      },
      "unknown issuer-trusted: is not among": {
        "behind a role that is not read": tagged(association({ role_arn: `${ROLE}x` })),
      },
      "denied account-annotated: not an ARN of an IAM role": {
        "that is none": tagged(association({ target_role_arn: "orders" })),
      },
      "unknown all-understood": {
        "behind a role that something else may change": tagged(
          also("aws_iam_role_policies_exclusive", "own", {
            role_name: "prod_shop_web_access",
            policy_names: ["${var.n}"],
          }),
        ),
      },
    }),
  );
});

describe("explain, with a session policy", () => {
  const own = { ...tagless, policy: [READ] };
  const of = (change: Change): readonly [Partial<WorkloadPodIdentity>, Change] => [own, change];

  it("judges what it leaves of a managed policy", () => {
    const managed = "arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess";
    const out = synthesized((app) => {
      const stack = providersStack(app);
      new WorkloadAccess(stack, "workloads", {
        cluster: { name: "prod", issuer: ISSUER },
        workloads: [{ serviceAccount: "shop/web", may: awsAccess({ managedPolicyArns: [managed] }) }],
        identities: [workloadRoles({ ...place, podIdentity: { cluster: "prod", ...own } })],
        proof: false,
      });
    });
    expect(judgedWorkload(out).checks["permissions-granted"]).toContain("the session policy");
  });

  it("notes in the audit that any association of the cluster can use the role", () => {
    expect(judgedWorkload(synth(own)).audit).toEqual(["trust-open"]);
  });

  check(
    rowsOf({
      allowed: {
        "that leaves what is asked for": of(nothing),
        "that leaves more": of(session({ ...READ, Action: "s3:*", Resource: "*" })),
      },
      "denied permissions-granted: the session policy": {
        "that leaves other rights": of(session({ ...READ, Action: "s3:PutObject" })),
        "that denies": of(session({ ...READ, Action: "s3:*", Resource: "*" }, { ...READ, Effect: "Deny" })),
      },
      "unknown permissions-granted: the session policy": {
        "under a condition": of(
          session({ ...READ, Condition: { IpAddress: { "aws:SourceIp": "10.0.0.0/8" } } }),
        ),
      },
      "unknown permissions-granted": { "that is not stated": of(association({ policy: "${var.n}" })) },
      "denied account-annotated: AWS refuses the session policy": {
        "without statements": of(session()),
        "that is no policy": of(association({ policy: '{"Statement":[{"Effect":"Allow"}]}' })),
        "that is too long": of(session({ ...READ, Resource: `arn:aws:s3:::${"x".repeat(2048)}` })),
      },
      "denied account-annotated: beside session tags": {
        "beside session tags": of(association({ disable_session_tags: false })),
      },
      "unknown account-annotated: whether sessions have tags": {
        "beside session tags that are not known": of(association({ disable_session_tags: "${var.n}" })),
      },
    }),
  );
});
