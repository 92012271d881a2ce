/*
 * Components by their Secrets, workloads by annotation and webhook, and what requests ask for.
 */

import { describe, expect, it } from "vitest";
import { type Known, known, notKnown, textOf, unread } from "../../../lib/model/known";
import { treeOf } from "../../../lib/model/tree";
import type { AccessReading, AccountQuestion } from "../../../lib/explain/cloud";
import type { SecretFact } from "../../../lib/explain/read/component-facts";
import type { PodFact } from "../../../lib/explain/read/pods";
import type { Source } from "../../../lib/explain/read/source";
import { ACCOUNT, ARN, OTHER, type ReadTerraform, aws, limited, policy } from "./read";

type Status = "pass" | "fail" | "unknown";
const TOKEN = {
  issuer: known("https://oidc.example.com/id"),
  audience: known("openshift"),
  namespace: "a",
  name: "b",
};

function role(own: unknown, more: object = {}, provider: object = limited()): object {
  return {
    provider,
    resource: {
      aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
      aws_iam_role_policy: { own: { role: "web", policy: policy(...[own].flat()) } },
      ...more,
    },
  };
}

function secretOf(
  content: Known<string | undefined>,
  key = "a/credentials",
  keys = ["credentials"],
): SecretFact {
  return {
    key,
    type: known("Opaque"),
    keys,
    value: (name) => (name === "credentials" ? content : known(undefined)),
    source: { file: "secrets.yaml", path: "" },
    documents: [],
  };
}

const ROLE = "eks.amazonaws.com/role-arn";
const PATH = "/var/run/secrets/openshift/serviceaccount/token";
const credentials = (arn: string, more = ""): string =>
  `[default]\nsts_regional_endpoints = regional\nrole_arn = ${arn}\nweb_identity_token_file = ${PATH}\n${more}`;

const replaced = (from: string, to: string): Known<string> => known(credentials(ARN).replace(from, to));

function read(
  secret: SecretFact,
  terraform: ReadTerraform = aws(role([])),
  ...beside: readonly SecretFact[]
): AccessReading {
  const all = [secret, ...beside].map((each) => [each.key, each] as const);
  return terraform.cloud.access.secret(secret, PATH, new Map(all));
}

// openshift/cloud-credential-operator, pkg/cmd/provisioning/aws/create_iam_roles.go
describe("the Secret of a component", () => {
  it.each<[string, Known<string | undefined>, Status, string]>([
    ["of the four lines", known(credentials(ARN)), "pass", `names the role ${ARN}`],
    ["with comment and spaces", known(`# x\n\n${credentials(ARN).replaceAll("\n", " \r\n")}`), "pass", ""],
    ["of another token", replaced(PATH, "/x"), "fail", "the component's token is at"],
    ["with a role that is not an ARN", known(credentials("web")), "fail", "is not an ARN of an IAM role"],
    ["with other endpoints", replaced("regional\n", "x\n"), "fail", "sts_regional_endpoints is x"],
    ["without the section", replaced("[default]", "[other]"), "fail", "no section [default]"],
    ["of which documents differ", notKnown({ kind: "contested", what: "they differ" }), "unknown", "differ"],
  ])("%s", (_, content, status, reason) => {
    const { answer } = read(secretOf(content));
    expect(answer).toMatchObject({ status, reason: expect.stringContaining(reason) as string });
  });

  it("that names a role known only after apply leads to the role", () => {
    const terraform = aws(role([], {}, {}));
    const arn = terraform.text("${aws_iam_role.web.arn}");
    const [before = "", after = ""] = credentials("@").split("@");
    const parts = textOf([before, ...(arn as unknown as { why: { parts: never[] } }).why.parts, after]);
    const { answer, identity } = read(secretOf(parts), terraform);
    expect([answer.status, identity?.found.status, identity?.label]).toEqual([
      "pass",
      "pass",
      "IAM role web",
    ]);
  });

  it.each<[string, string, object, readonly string[], Status]>([
    ["of the role's own partition", ARN, {}, [], "pass"],
    [
      "of another partition",
      ARN.replace("arn:aws", "arn:aws-cn"),
      { aws: { region: "eu-west-1" } },
      [],
      "fail",
    ],
    ["of another account than those beside", ARN, {}, [OTHER, OTHER], "unknown"],
    ["of the account of all beside", ARN, {}, [ACCOUNT, ACCOUNT], "pass"],
    ["of the account of as many", ARN, {}, [OTHER, ACCOUNT], "unknown"],
    ["of an account that is known", ARN, limited(), [OTHER, OTHER], "pass"],
  ])("names a role %s", (_, arn, provider, others, status) => {
    const beside = others.map((account, n) =>
      secretOf(known(credentials(ARN.replace(ACCOUNT, account))), `x${n}/credentials`),
    );
    expect(
      read(secretOf(known(credentials(arn))), aws(role([], {}, provider)), ...beside).answer.status,
    ).toBe(status);
  });

  it("is recognized by the file of its token", () => {
    const { access } = aws(role([])).cloud;
    expect([credentials(ARN), "x"].map((text) => access.recognizes(secretOf(known(text))))).toEqual([
      true,
      false,
    ]);
  });
});

describe("what a request asks for", () => {
  const ALLOW = { Effect: "Allow", Action: "ec2:CreateTags", Resource: "*" };
  function granted(
    own: unknown,
    asked: { policyCondition?: object; resource?: string; action?: string } = {},
    more: object = {},
    provider: object = limited(),
    arn = ARN,
  ): string {
    const { policyCondition, resource = "*", action = "ec2:CreateTags" } = asked;
    const condition = policyCondition && { policyCondition };
    const rights = treeOf({
      statementEntries: [{ effect: "Allow", action: [action], resource, ...condition }],
    });
    const { identity } = read(secretOf(known(credentials(arn))), aws(role(own, more, provider)));
    return identity?.permissions({ rights: rights as never, places: [] }, TOKEN).status ?? "";
  }

  // "IAM JSON policy elements: Condition operators" in the IAM user guide.
  it.each<object>([
    { StringEquals: { "aws:RequestedRegion": "eu-west-1" } },
    { StringNotEquals: { "aws:RequestedRegion": "us-east-1" } },
    { StringNotLike: { "aws:PrincipalTag/x": ["a*", "b*"] } },
    { ArnNotEquals: { "aws:SourceArn": "arn:aws:s3:::x" } },
    // aws-load-balancer-operator, config/rbac: what is not tagged yet.
    {
      Null: {
        "aws:RequestTag/elbv2.k8s.aws/cluster": "true",
        "aws:ResourceTag/elbv2.k8s.aws/cluster": "false",
      },
    },
    { NumericLessThan: { "s3:max-keys": "10" } },
    { DateLessThan: { "aws:CurrentTime": "2030-01-01T00:00:00Z" } },
    { NotIpAddress: { "aws:SourceIp": "10.0.0.0/8" } },
    { "ForAllValues:StringEquals": { "aws:TagKeys": ["a", "b"] } },
    { "ForAnyValue:StringEquals": { "aws:TagKeys": ["a", "b"] } },
    { StringEqualsIfExists: { "ec2:ResourceTag/a": "b" } },
  ])("under the condition %j, granted exactly", (policyCondition) => {
    expect(granted({ ...ALLOW, Condition: policyCondition }, { policyCondition })).toBe("pass");
    const bound = {
      aws_iam_policy: { b: { name: "b", policy: policy({ ...ALLOW, Condition: policyCondition }) } },
      aws_iam_role: {
        web: { name: "web", assume_role_policy: "{}", permissions_boundary: "${aws_iam_policy.b.arn}" },
      },
    };
    expect(granted(ALLOW, { policyCondition }, bound)).toBe("pass");
  });

  it.each<[string, object, object, Status]>([
    [
      "other letters",
      { StringEquals: { "AWS:requestedregion": "a" } },
      { stringequals: { "aws:RequestedRegion": "a" } },
      "pass",
    ],
    ["more values", { StringEquals: { k: ["a", "b"] } }, { StringEquals: { k: "a" } }, "pass"],
    ["fewer values", { StringEquals: { k: "a" } }, { StringEquals: { k: ["a", "b"] } }, "unknown"],
    ["another value", { StringEquals: { k: "b" } }, { StringEquals: { k: "a" } }, "fail"],
    ["fewer excluded", { StringNotEquals: { k: "a" } }, { StringNotEquals: { k: ["a", "b"] } }, "unknown"],
    ["more excluded", { StringNotEquals: { k: ["a", "b"] } }, { StringNotEquals: { k: "a" } }, "unknown"],
    ["what is excluded is wanted", { StringEquals: { k: "a" } }, { StringNotEquals: { k: "a" } }, "unknown"],
    ["what is wanted is excluded", { StringNotEquals: { k: "a" } }, { StringEquals: { k: "a" } }, "fail"],
    ["a pattern, compared exactly", { StringEquals: { k: "a*" } }, { StringLike: { k: "a*" } }, "unknown"],
    ["a key that is absent", { StringEquals: { k: "a" } }, { Null: { k: "true" } }, "unknown"],
    ["a key perhaps absent", { StringEquals: { k: "a" } }, { StringEqualsIfExists: { k: "a" } }, "unknown"],
    ["the opposite Null", { Null: { k: "false" } }, { Null: { k: "true" } }, "unknown"],
    ["another key", { Null: { k: "true" } }, { Null: { l: "true" } }, "unknown"],
  ])("%s", (_, condition, policyCondition, status) => {
    expect(granted({ ...ALLOW, Condition: condition }, { policyCondition })).toBe(status);
  });

  it("counts for what denies as well", () => {
    const condition = { StringNotEquals: { "aws:RequestedRegion": "us-east-1" } };
    const own = [ALLOW, { ...ALLOW, Effect: "Deny", Condition: condition }];
    expect(granted(own, { policyCondition: condition })).toBe("fail");
    expect(granted(own)).toBe("unknown");
  });

  // "Cross-account policy evaluation logic" in the IAM user guide.
  const key = `arn:aws:kms:eu-west-1:${OTHER}:key/1234abcd`;
  const all = { Effect: "Allow", Action: "kms:*", Resource: "*" };
  it.each<[string, object, string, string, object, Status]>([
    ["whose policy was not read", all, key, ARN, limited(), "unknown"],
    ["that is the role's", all, key, ARN.replace(ACCOUNT, OTHER), {}, "pass"],
    ["that the role may not use anyway", ALLOW, key, ARN, limited(), "fail"],
    ["that its ARN does not name", all, "arn:aws:s3:::reports/*", ARN, limited(), "pass"],
  ])("a resource of another account %s", (_, own, resource, arn, provider, status) => {
    expect(granted(own, { resource, action: "kms:Decrypt" }, {}, provider, arn)).toBe(status);
  });

  it.each<[string, unknown, unknown, Status, string]>([
    ["that denies it", ALLOW, { ...ALLOW, Effect: "Deny" }, "fail", "the permissions boundary: "],
    ["that is not known", ALLOW, "${var.boundary}", "unknown", "the permissions boundary: "],
    ["like the role's policy, not known", "${var.own}", "${var.boundary}", "unknown", "cannot be read"],
  ])("a boundary %s", (_, own, boundary, status, reason) => {
    const textOfPolicy = (statement: unknown): unknown =>
      typeof statement === "string" ? statement : policy(statement as object);
    const read_ = aws({
      provider: limited(),
      resource: {
        aws_iam_policy: { b: { name: "b", policy: textOfPolicy(boundary) } },
        aws_iam_role: {
          web: { name: "web", assume_role_policy: "{}", permissions_boundary: "${aws_iam_policy.b.arn}" },
        },
        aws_iam_role_policy: { own: { role: "web", policy: textOfPolicy(own) } },
      },
    });
    const rights = treeOf({
      statementEntries: [{ effect: "Allow", action: ["ec2:CreateTags"], resource: "*" }],
    });
    const { identity } = read(secretOf(known(credentials(ARN))), read_);
    const found = identity?.permissions({ rights: rights as never, places: [] }, TOKEN);
    expect(found).toMatchObject({ status, reason: expect.stringContaining(reason) as string });
    expect(found?.reason.includes("boundary: ")).toBe(reason.includes("boundary"));
  });

  const MFA = { Bool: { "aws:MultiFactorAuthPresent": "true" } };
  const BUCKET = { ...ALLOW, Resource: "arn:aws:s3:::reports" };
  it.each<[string, unknown, Status, string]>([
    ["something", ALLOW, "pass", "is granted ec2:CreateTags on *"],
    ["nothing", [], "fail", "the role may do nothing"],
    ["what is denied", [BUCKET, { ...BUCKET, Effect: "Deny" }], "fail", "the role may do nothing"],
    ["what is denied in part", [ALLOW, { ...BUCKET, Effect: "Deny", Action: "*" }], "pass", "is granted"],
    ["what depends on conditions", { ...ALLOW, Condition: MFA }, "unknown", "on conditions"],
  ])("nothing: it is granted %s", (_, own, status, reason) => {
    const { identity } = read(secretOf(known(credentials(ARN))), aws(role(own)));
    expect(identity?.permissions(undefined, TOKEN)).toMatchObject({
      status,
      reason: expect.stringContaining(reason) as string,
    });
  });
});

// aws/amazon-eks-pod-identity-webhook, pkg/handler/handler.go
describe("a workload", () => {
  const FILE = "AWS_WEB_IDENTITY_TOKEN_FILE";
  const MOUNTED = "/var/run/secrets/eks.amazonaws.com/serviceaccount/token";
  const env = (values: Record<string, unknown>): readonly object[] =>
    Object.entries(values).map(([name, value]) =>
      typeof value === "string" ? { name, value } : { name, valueFrom: {} },
    );
  const pod = (...containers: readonly object[]): PodFact => ({
    title: "Pod shop/web",
    labels: new Map(),
    annotations: new Map(),
    spec: treeOf({
      containers,
      volumes: [
        {
          name: "t",
          projected: { sources: [{ serviceAccountToken: { path: "token", audience: "other" } }] },
        },
      ],
    }),
    source: { file: "pods.yaml", path: "" },
  });
  const own = (more: object = {}): readonly PodFact[] => [pod({ name: "own", ...more })];
  const having = (values: Record<string, unknown>): readonly PodFact[] => own({ env: env(values) });
  const skipping = (names: Known<string>, ...others: readonly object[]): readonly PodFact[] => [
    {
      ...pod(...others, { name: "own" }),
      annotations: new Map([["eks.amazonaws.com/skip-containers", names]]),
    },
  ];
  const fleet = (webhooks: readonly string[] | undefined): object => ({ fleet: { webhooks } });
  const onOpenShift = (platform: string): object => ({ openShift: { version: "4.22", platform } });
  const EKS = "https://oidc.eks.eu-west-1.amazonaws.com/id/1";
  const RUNS = { podIdentityWebhooks: ["aws"] };
  function asked(
    pods: readonly PodFact[],
    more: {
      annotations?: Record<string, Known<string>>;
      cluster?: object;
      program?: Record<string, string>;
      declared?: boolean;
      fragment?: PodFact;
      webhooks?: ReadonlyMap<string, Source>;
    } = {},
  ): ReturnType<ReadTerraform["cloud"]["access"]["account"]> {
    const {
      annotations = { [ROLE]: known(ARN) },
      cluster = RUNS,
      program = {},
      declared = false,
      fragment,
      webhooks = new Map(),
    } = more;
    const question: AccountQuestion = {
      account: {
        key: "shop/web",
        annotations: new Map(Object.entries(annotations)),
        patch: undefined,
        pullSecrets: [],
        source: { file: "accounts.yaml", path: "" },
        documents: [],
      },
      pods,
      fragment,
      files: [],
      declared,
      program: new Map(Object.entries(program).map(([name, value]) => [name, known(value)])),
      cluster,
      webhooks,
    };
    return aws(role([])).cloud.access.account(question);
  }

  it.each<[string, Record<string, Known<string>>, boolean, Status | undefined, string]>([
    ["with a role", { [ROLE]: known(ARN) }, false, "pass", `names the role ${ARN}`],
    ["with something else", { [ROLE]: known("web") }, false, "fail", "not an ARN of an IAM role"],
    ["without a role that was declared", {}, true, "fail", `has no ${ROLE}`],
    ["without a role", {}, false, undefined, ""],
    [
      "with a contested role",
      {
        [ROLE]: notKnown({
          kind: "contested",
          what: "documents of it contradict each other",
        }),
      },
      false,
      "unknown",
      "contradict",
    ],
  ])("%s", (_, annotations, declared, status, reason) => {
    const reading = asked([], { annotations, declared });
    expect(reading?.answer.status).toBe(status);
    expect(reading?.answer.reason ?? "").toContain(reason);
  });

  it("shows tokens of the webhook, or of the audience that it is annotated with", () => {
    expect(asked([])?.audiences).toEqual(["sts.amazonaws.com"]);
    const annotations = {
      [ROLE]: known(ARN),
      "eks.amazonaws.com/audience": known("x"),
    };
    expect(asked([], { annotations })?.audiences).toEqual(["x"]);
  });

  const INSIDE = "only inside the cluster";
  const VARIABLES = { AWS_ROLE_ARN: ARN, [FILE]: MOUNTED };
  it.each<[string, readonly PodFact[], object, Status, string]>([
    ["no pod", [], RUNS, "pass", "gives every pod"],
    ["no pod, and no webhook", [], fleet(["azure"]), "unknown", "no pod was read"],
    ["no pod, and perhaps a webhook", [], fleet(undefined), "unknown", "it is not recorded"],
    // A cluster of another distribution, of which nothing is recorded.
    ["no pod, and nothing recorded", [], {}, "unknown", "it is not recorded"],
    ["no pod, and only another webhook", [], { podIdentityWebhooks: ["azure"] }, "unknown", "not recorded"],
    // openshift/cloud-credential-operator, pkg/operator/podidentity
    ["no pod, on OpenShift on AWS", [], onOpenShift("aws"), "pass", "gives every pod"],
    ["no pod, on OpenShift elsewhere", [], onOpenShift("vsphere"), "unknown", "it is not recorded"],
    ["nothing, and nothing recorded", own(), {}, "unknown", "sets neither"],
    ["no pod, on EKS", [], { ...fleet(undefined), issuer: known(EKS) }, "pass", ""],
    ["nothing", having({ AWS_REGION: "x" }), RUNS, "pass", "gives every pod"],
    // pkg/handler/handler.go, and the objectSelector in deploy/mutatingwebhook.yaml
    [
      "a label by which the webhook passes it over",
      [
        {
          ...pod({ name: "own" }),
          labels: new Map([["eks.amazonaws.com/skip-pod-identity-webhook", known("")]]),
        },
      ],
      RUNS,
      "fail",
      "the label eks.amazonaws.com/skip-pod-identity-webhook keeps the webhook from setting them",
    ],
    [
      "a container that the webhook leaves alone",
      skipping(known("side,own"), { name: "side" }),
      RUNS,
      "fail",
      "the annotation eks.amazonaws.com/skip-containers keeps the webhook",
    ],
    [
      "containers that the webhook leaves alone, of which only apply tells the names",
      skipping(unread("late")),
      RUNS,
      "unknown",
      "",
    ],
    [
      "a container of another name that the webhook leaves alone",
      skipping(known("side")),
      RUNS,
      "pass",
      "gives every pod",
    ],
    ["nothing, and no webhook", own(), fleet([]), "fail", "the hub has no webhook"],
    ["nothing, and perhaps a webhook", own(), fleet(undefined), "unknown", "container own"],
    ["a role alone", having({ AWS_ROLE_ARN: ARN }), RUNS, "fail", `without ${FILE}`],
    ["a token alone", having({ [FILE]: MOUNTED }), RUNS, "fail", "without AWS_ROLE_ARN"],
    [
      "another role",
      [pod({ name: "own", env: env({ ...VARIABLES, AWS_ROLE_ARN: `${ARN}2` }) })],
      RUNS,
      "fail",
      `sets AWS_ROLE_ARN to ${ARN}2`,
    ],
    ["both, rightly", having(VARIABLES), RUNS, "pass", ""],
    ["both, before others", own({ env: env(VARIABLES), envFrom: [{}] }), RUNS, "pass", ""],
    [
      "a role, and perhaps a token from elsewhere",
      own({ env: env({ AWS_ROLE_ARN: ARN }), envFrom: [{}] }),
      RUNS,
      "unknown",
      INSIDE,
    ],
    [
      "a token, and perhaps a role from elsewhere",
      own({ env: env({ [FILE]: MOUNTED }), envFrom: [{}] }),
      RUNS,
      "unknown",
      INSIDE,
    ],
    ["both, and no webhook", having(VARIABLES), fleet([]), "fail", "where no token is mounted"],
    ["keys that last", having({ AWS_ACCESS_KEY_ID: "A" }), RUNS, "fail", "prefer to a token"],
    ["a profile", having({ AWS_PROFILE: "x" }), RUNS, "unknown", "sets AWS_PROFILE"],
    ["a role from elsewhere", having({ AWS_ROLE_ARN: {} }), RUNS, "unknown", INSIDE],
    ["all from elsewhere, and no webhook", own({ envFrom: [{}] }), fleet([]), "unknown", INSIDE],
  ])("whose pods have %s", (_, pods, cluster, status, reason) => {
    const reading = asked(pods, { cluster });
    expect(reading?.pods).toMatchObject({ status, reason: expect.stringContaining(reason) as string });
  });

  it("may have a token of its own, of another audience", () => {
    const own = {
      name: "own",
      env: env({ ...VARIABLES, [FILE]: "/own/token" }),
      volumeMounts: [{ name: "t", mountPath: "/own" }],
    };
    const reading = asked([pod(own)], { cluster: fleet([]) });
    expect([reading?.pods.status, reading?.audiences]).toEqual(["pass", ["sts.amazonaws.com", "other"]]);
    // What is written for its pods counts where no pod was read.
    const written = asked([], { cluster: {}, fragment: pod(own) });
    expect([written?.pods.status, written?.audiences]).toEqual(["pass", ["sts.amazonaws.com", "other"]]);
    expect(written?.pods.reason).toContain("pods with what is written for them mount the token");
    expect(asked([], { cluster: {}, fragment: pod({ name: "own" }) })?.pods.status).toBe("unknown");
  });

  it("shows what says that the webhook runs, and how to say so", () => {
    const source = { file: "webhook.yaml", path: "webhooks[0]" };
    const texts = (more: Parameters<typeof asked>[1]): unknown =>
      asked([], more)?.pods.evidence.map(({ text }) => text);
    expect(texts({ cluster: RUNS })).toEqual(["stated in podIdentityWebhooks of the cluster: aws"]);
    expect(texts({ cluster: {}, webhooks: new Map([["aws", source]]) })).toEqual(["pod identity webhook"]);
    expect(asked([], { cluster: {} })?.pods.remedy).toContain('state podIdentityWebhooks: ["aws"]');
  });

  it("is judged by the variables of the program above those of its container", () => {
    expect(asked(own(), { program: { AWS_ROLE_ARN: `${ARN}2` } })?.identity?.label).toBe(`${ARN}2`);
    expect(asked(own(), { program: { [FILE]: "/x" } })?.pods.status).toBe("fail");
  });
});

it("a trust that does not compare the audience is wider than needed", () => {
  const issuer = "oidc.example.com/id";
  const trust = (condition: object): string =>
    policy({
      Effect: "Allow",
      Principal: { Federated: `arn:aws:iam::${ACCOUNT}:oidc-provider/${issuer}` },
      Action: "sts:AssumeRoleWithWebIdentity",
      Condition: { StringEquals: { [`${issuer}:sub`]: "system:serviceaccount:a:b", ...condition } },
    });
  const wide = (condition: object): boolean => {
    const more = {
      aws_iam_role: { web: { name: "web", assume_role_policy: trust(condition) } },
      aws_iam_openid_connect_provider: { own: { url: `https://${issuer}`, client_id_list: ["openshift"] } },
    };
    const { identity } = read(secretOf(known(credentials(ARN))), aws(role([], more)));
    return (
      identity?.trust(TOKEN).audience.evidence.some(({ text }) => text.startsWith("wider than needed")) ??
      false
    );
  };
  expect([wide({}), wide({ [`${issuer}:aud`]: "openshift" })]).toEqual([true, false]);
});
