/*
 * What takes away a part of the rights that are asked for: statements that cover less than a request's wildcards, and
 * policies of the resources themselves.
 */

import { describe, expect, it } from "vitest";
import { type Known, known } from "../../../lib/model/known";
import { treeOf } from "../../../lib/model/tree";
import type { Answer } from "../../../lib/explain/answer";
import { ACCOUNT, ARN, OTHER, type ReadTerraform, aws, limited, policy } from "./read";

type Status = "pass" | "fail" | "unknown";
type Rights = readonly [action: string, resource: string];

const TOKEN = {
  issuer: known("https://oidc.example.com/id"),
  audience: known("openshift"),
  namespace: "a",
  name: "b",
};
const BUCKET = "arn:aws:s3:::reports";
const QUEUE = `arn:aws:sqs:eu-west-1:${ACCOUNT}:orders`;
const ALL = { Effect: "Allow", Action: "*", Resource: "*" };
/** An allowance of everything but this. */
const except = (more: { NotAction?: unknown; NotResource?: unknown }): object => ({
  Effect: "Allow",
  ...("NotAction" in more ? { Resource: "*" } : { Action: "*" }),
  ...more,
});
const deny = (Action: string, Resource: string, more: object = {}): object => ({
  Effect: "Deny",
  Action,
  Resource,
  ...more,
});

/** Whether a role with these statements holds what is asked, beside other resources. */
function granted([action, on]: Rights, own: unknown, more: object = {}, provider = limited()): Answer {
  return asked(own, more, provider, (read) => ({
    statementEntries: [
      { effect: "Allow", action: [action], resource: on.includes("${") ? read.text(on) : known(on) },
    ],
  }));
}

function asked(
  own: unknown,
  more: object,
  provider: object,
  rightsOf: (read: ReadTerraform) => object,
): Answer {
  const read = aws({
    provider,
    resource: {
      aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
      aws_iam_role_policy: { own: { role: "web", policy: policy(...[own].flat()) } },
      ...more,
    },
  });
  const rights = treeOf(rightsOf(read));
  const content: Known<string> = known(
    `[default]\nrole_arn = ${ARN}\nweb_identity_token_file = /var/run/token\n`,
  );
  const secret = {
    key: "a/credentials",
    namespace: "a",
    type: known("Opaque"),
    keys: ["credentials"],
    value: () => content,
    source: { file: "secrets.yaml", path: "" },
    documents: [],
  };
  const { identity } = read.cloud.access.secret(secret, "/var/run/token", new Map());
  const said = identity?.permissions({ rights: rights as never, places: [] }, TOKEN);
  if (said === undefined) throw new Error("no identity");
  return said;
}

// "Policy evaluation logic" in the IAM user guide: a request for one of what a wildcard covers may be denied.
describe("a request with wildcards", () => {
  const read: Rights = ["s3:GetObject", `${BUCKET}/*`];
  const any: Rights = ["s3:Get*", BUCKET];
  it.each<[string, Rights, unknown, Status]>([
    ["of which nothing is denied", read, [ALL, deny("s3:*", "arn:aws:s3:::other/*")], "pass"],
    ["of which some objects are denied", read, [ALL, deny("s3:*", `${BUCKET}/secret/*`)], "unknown"],
    ["of which all are denied", read, [ALL, deny("s3:*", `${BUCKET}*`)], "fail"],
    [
      "of which all but some are denied",
      read,
      [ALL, { ...deny("s3:*", ""), Resource: undefined, NotResource: `${BUCKET}/public/*` }],
      "fail",
    ],
    ["of which some objects are excepted", read, except({ NotResource: `${BUCKET}/secret/*` }), "unknown"],
    ["of which some objects are allowed", read, { ...ALL, Resource: `${BUCKET}/a*` }, "fail"],
    ["of which objects with one letter are allowed", read, { ...ALL, Resource: `${BUCKET}/?` }, "unknown"],
    ["of which an action is denied", any, [ALL, deny("s3:GetBucketAcl", "*")], "unknown"],
    ["of which no action is denied", any, [ALL, deny("s3:PutBucketAcl", "*")], "pass"],
    ["of which an action is excepted", any, except({ NotAction: ["iam:*", "S3:getbucketacl"] }), "unknown"],
    ["of which an action is allowed", any, { ...ALL, Action: "s3:GetBucketAcl" }, "fail"],
    [
      "in every region, of which one is denied",
      ["dynamodb:GetItem", `arn:aws:dynamodb:*:${ACCOUNT}:table/x`],
      [ALL, deny("dynamodb:*", "arn:aws:dynamodb:us-east-1:*:table/*")],
      "unknown",
    ],
    [
      "in every region, of which another account's are denied",
      ["dynamodb:GetItem", `arn:aws:dynamodb:*:${ACCOUNT}:table/x`],
      [ALL, deny("dynamodb:*", `arn:aws:dynamodb:*:${OTHER}:table/*`)],
      "pass",
    ],
  ])("%s", (_, asked, own, status) => {
    expect(granted(asked, own).status).toBe(status);
  });

  it("says what covers a part of it", () => {
    expect(granted(read, [ALL, deny("s3:*", `${BUCKET}/secret/*`)]).reason).toContain(
      `"${BUCKET}/secret/*" covers, or may cover, only a part of the resource "${BUCKET}/*"`,
    );
  });

  it("and a boundary that denies a part of it", () => {
    const bound = {
      aws_iam_policy: { b: { name: "b", policy: policy(ALL, deny("s3:*", `${BUCKET}/secret/*`)) } },
      aws_iam_role: {
        web: { name: "web", assume_role_policy: "{}", permissions_boundary: "${aws_iam_policy.b.arn}" },
      },
    };
    expect(granted(read, ALL, bound)).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("the permissions boundary: statement 2 may deny it") as string,
    });
  });
});

describe("a request for a resource known only after apply", () => {
  const queues = { aws_sqs_queue: { orders: { name: "orders" }, other: { name: "other" } } };
  const send: Rights = ["sqs:SendMessage", "${aws_sqs_queue.orders.arn}"];
  const allow = { ...ALL, Action: "sqs:*" };
  it.each<[string, unknown, Status]>([
    ["that is granted by the same reference", { ...allow, Resource: "${aws_sqs_queue.orders.arn}" }, "pass"],
    ["that is granted by another", { ...allow, Resource: "${aws_sqs_queue.other.arn}" }, "unknown"],
    ["that may be the granted one", { ...allow, Resource: QUEUE }, "unknown"],
    ["whose action is not granted", { ...allow, Action: "s3:*" }, "fail"],
    ["that may be the denied one", [ALL, deny("sqs:*", QUEUE)], "unknown"],
    ["that is denied", [ALL, deny("sqs:*", "*")], "fail"],
  ])("%s", (_, own, status) => {
    expect(granted(send, own, queues).status).toBe(status);
  });

  it("in another account is its owner's to allow as well", () => {
    const provider = {
      aws: [
        { region: "eu-west-1", allowed_account_ids: [ACCOUNT] },
        { alias: "other", region: "eu-west-1", allowed_account_ids: [OTHER] },
      ],
    };
    const more = { aws_sqs_queue: { orders: { name: "orders", provider: "aws.other" } } };
    expect(granted(send, ALL, more, provider)).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("<aws_sqs_queue.orders.arn> is in another account") as string,
    });
    const bucket = { aws_s3_bucket: { reports: { bucket: "reports", provider: "aws.other" } } };
    expect(granted(["s3:GetObject", `${BUCKET}/*`], ALL, bucket, provider).status).toBe("unknown");
  });
});

// "AWS global condition context keys" in the IAM user guide: what every request of a role has.
it.each<[string, object, Status]>([
  ["requests without TLS", { Bool: { "aws:SecureTransport": "false" } }, "pass"],
  ["all roles but one", { ArnNotLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/admin" } }, "fail"],
  ["all roles but its own", { ArnNotLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/web" } }, "pass"],
  ["other accounts", { StringNotEquals: { "aws:PrincipalAccount": ACCOUNT } }, "pass"],
  ["requests from elsewhere", { StringNotEquals: { "aws:SourceVpce": "vpce-1" } }, "unknown"],
])("a denial of %s", (_, Condition, status) => {
  expect(granted(["s3:GetObject", `${BUCKET}/x`], [ALL, deny("*", "*", { Condition })]).status).toBe(status);
});

// "Policy evaluation logic" in the IAM user guide; "Key policies in AWS KMS": without a key policy that allows it, or
// that lets the account delegate, policies of roles have no effect.
describe("a policy of the resource", () => {
  const object: Rights = ["s3:GetObject", `${BUCKET}/*`];
  const send: Rights = ["sqs:SendMessage", QUEUE];
  const secret: Rights = ["secretsmanager:GetSecretValue", "${aws_secretsmanager_secret.s.arn}"];
  const decrypt: Rights = ["kms:Decrypt", "${aws_kms_key.k.arn}"];
  const to = (principal: unknown, Effect = "Allow"): string =>
    policy({ Effect, Principal: principal, Action: "*", Resource: "*" });
  const ofBucket = (statement: object, bucket = "reports"): object => ({
    aws_s3_bucket_policy: { p: { bucket, policy: policy(statement) } },
  });
  const ofQueue = (name: string): object => ({
    aws_sqs_queue: { q: { name } },
    aws_sqs_queue_policy: { p: { queue_url: "${aws_sqs_queue.q.url}", policy: to("*", "Deny") } },
  });
  const ofSecret = (owner: string): object => ({
    aws_secretsmanager_secret: { s: { name: "s" }, t: { name: "t" } },
    aws_secretsmanager_secret_policy: { p: { secret_arn: owner, policy: to("*", "Deny") } },
  });
  const ofKey = (principal?: unknown, more: object = {}): object => ({
    aws_kms_key: { k: principal === undefined ? {} : { policy: to(principal) }, ...more },
  });
  const WEB = `arn:aws:ecr:eu-west-1:${ACCOUNT}:repository/shop/web`;
  const image: Rights = ["ecr:BatchGetImage", WEB];
  const login: Rights = ["ecr:GetAuthorizationToken", "*"];
  const ofRepository = (more: object): object => ({
    aws_ecr_repository_policy: {
      p: {
        repository: "shop/web",
        policy: policy({ Effect: "Deny", Principal: "*", Action: "ecr:*" }),
        ...more,
      },
    },
  });
  const ofRegistry = (on: string): object => ({
    aws_ecr_registry_policy: { p: { policy: policy({ ...deny("ecr:*", on), Principal: "*" }) } },
  });
  const denied = { ...deny("s3:*", `${BUCKET}/*`), Principal: "*" };
  const admin = { AWS: `arn:aws:iam::${ACCOUNT}:role/admin` };

  it.each<[string, Rights, object, Status]>([
    ["of a bucket, that denies it", object, ofBucket(denied), "unknown"],
    ["of a bucket, denying a part", object, ofBucket({ ...denied, Resource: `${BUCKET}/x` }), "unknown"],
    ["of a bucket, denying another", object, ofBucket({ ...denied, Action: "s3:PutObject" }), "pass"],
    ["of a bucket, that denies another role", object, ofBucket({ ...denied, Principal: admin }), "pass"],
    [
      "of a bucket, that denies all but another role",
      object,
      ofBucket({ ...denied, Principal: undefined, NotPrincipal: admin }),
      "unknown",
    ],
    [
      "of a bucket, that denies requests without TLS",
      object,
      ofBucket({ ...denied, Condition: { Bool: { "aws:SecureTransport": "false" } } }),
      "pass",
    ],
    [
      "of a bucket, that denies requests from elsewhere",
      object,
      ofBucket({ ...denied, Condition: { StringNotEquals: { "aws:SourceVpce": "vpce-1" } } }),
      "unknown",
    ],
    ["of another bucket", object, ofBucket({ ...denied, Resource: "*" }, "other"), "pass"],
    ["of a bucket not known", object, ofBucket({ ...denied, Resource: "*" }, "${var.b}"), "unknown"],
    [
      "in the bucket itself",
      object,
      { aws_s3_bucket: { b: { bucket: "reports", policy: policy(denied) } } },
      "unknown",
    ],
    ["of a queue, that denies it", send, ofQueue("orders"), "unknown"],
    ["of another queue", send, ofQueue("invoices"), "pass"],
    ["of a secret, that denies it", secret, ofSecret("${aws_secretsmanager_secret.s.arn}"), "unknown"],
    ["of another secret", secret, ofSecret("${aws_secretsmanager_secret.t.arn}"), "pass"],
    ["of a key, as AWS writes it", decrypt, ofKey(), "pass"],
    [
      "of a key, letting the account delegate",
      decrypt,
      ofKey({ AWS: `arn:aws:iam::${ACCOUNT}:root` }),
      "pass",
    ],
    ["of a key, that names the role", decrypt, ofKey({ AWS: ARN }), "pass"],
    ["of a key, that names another role only", decrypt, ofKey(admin), "unknown"],
    ["of another key", decrypt, ofKey(undefined, { other: { policy: to(admin) } }), "pass"],
    [
      "of a key, beside it",
      decrypt,
      { ...ofKey(), aws_kms_key_policy: { p: { key_id: "${aws_kms_key.k.id}", policy: to(admin) } } },
      "unknown",
    ],
    ["of a repository, that denies it", image, ofRepository({}), "unknown"],
    ["of a repository, of which a login knows nothing", login, ofRepository({}), "pass"],
    ["of another repository", image, ofRepository({ repository: "shop/api" }), "pass"],
    ["of a repository in another region", image, ofRepository({ region: "us-east-1" }), "pass"],
    ["of a registry, that denies it", image, ofRegistry("*"), "unknown"],
    ["of a registry, that denies another repository", image, ofRegistry(WEB.replace("web", "api")), "pass"],
  ])("%s", (_, asked, more, status) => {
    expect(granted(asked, ALL, more).status).toBe(status);
  });

  it("does not save what the role's own policies deny", () => {
    expect(granted(object, [ALL, deny("s3:*", "*")], ofBucket(denied)).status).toBe("fail");
  });

  it("is named, with what to do", () => {
    expect(granted(object, ALL, ofBucket(denied))).toMatchObject({
      reason:
        "whether the role may s3:GetObject is not known: the policy of aws_s3_bucket_policy.p: statement 1 denies it",
      remedy: "check that the policy of the resource admits the role",
    });
  });
});

// Managed policies that awsAccess() names.
describe("a managed policy that is asked for", () => {
  const READER = `arn:aws:iam::${ACCOUNT}:policy/reader`;
  const SES = "arn:aws:iam::aws:policy/AmazonSESFullAccess";
  const reads = { Effect: "Allow", Action: "s3:GetObject", Resource: `${BUCKET}/*` };
  const declared = { reader: { name: "reader", policy: policy(reads) } };
  const attached = (...arns: readonly string[]): object =>
    Object.fromEntries(arns.map((policy_arn, place) => [`a${place}`, { role: "web", policy_arn }]));
  const having = (...arns: readonly string[]): object => ({
    aws_iam_role_policy_attachment: attached(...arns),
    aws_iam_policy: declared,
  });
  const bounded = (statement: object, arn = READER): object => ({
    ...having(arn),
    aws_iam_policy: { ...declared, bound: { name: "bound", policy: policy(statement) } },
    aws_iam_role: {
      web: { name: "web", assume_role_policy: "{}", permissions_boundary: "${aws_iam_policy.bound.arn}" },
    },
  });
  const without = { Effect: "Allow", Action: "ec2:*", Resource: "*" };

  it.each<[string, readonly string[], unknown, object, Status]>([
    ["that the role has", [READER], [], having(READER), "pass"],
    ["that the role has by reference", [READER], [], having("${aws_iam_policy.reader.arn}"), "pass"],
    ["that the role has in its own resource", [SES], [], ofOwn([SES]), "pass"],
    ["that was not read", [SES], [], having(SES), "pass"],
    ["that was not read, beside another", [SES, READER], [], having(SES, READER), "pass"],
    ["that the role lacks", [READER], [], having(), "fail"],
    ["that the role lacks, beside another", [SES, READER], [], having(SES), "fail"],
    ["instead of which the role has another", [READER], [], having(SES), "fail"],
    ["that may be attached", [READER], [], having("${var.arn}"), "unknown"],
    [
      "that another resource may detach",
      [READER],
      [],
      {
        ...having(READER),
        aws_iam_role_policy_attachments_exclusive: { x: { role_name: "web", policy_arns: [] } },
      },
      "unknown",
    ],
    ["within the boundary", [READER], [], bounded(ALL), "pass"],
    ["beyond the boundary", [READER], [], bounded(without), "fail"],
    ["in part beyond the boundary", [READER], [], bounded({ ...reads, Resource: `${BUCKET}/a*` }), "unknown"],
    ["that was not read, with a boundary", [SES], [], bounded(ALL, SES), "unknown"],
    ["whose rights another policy denies", [READER], deny("s3:*", "*"), having(READER), "fail"],
    ["whose rights one denies in part", [READER], deny("s3:*", `${BUCKET}/x`), having(READER), "unknown"],
    ["beside a denial of others", [READER], deny("ec2:*", "*"), having(READER), "pass"],
  ])("%s", (_, arns, own, more, status) => {
    expect(asked(own, more, limited(), () => ({ managedPolicyArns: arns })).status).toBe(status);
  });

  it("counts beside statements", () => {
    const statementEntries = [{ effect: "Allow", action: ["sqs:SendMessage"], resource: QUEUE }];
    const rights = { statementEntries, managedPolicyArns: [READER] };
    const said = (more: object): Status => asked(ALL, more, limited(), () => rights).status as Status;
    expect([said(having(READER)), said(having())]).toEqual(["pass", "fail"]);
  });

  function ofOwn(arns: readonly string[]): object {
    return { aws_iam_role: { web: { name: "web", assume_role_policy: "{}", managed_policy_arns: arns } } };
  }
});
