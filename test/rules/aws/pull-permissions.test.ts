import { describe, expect, it } from "vitest";
import { evaluateAwsPermission } from "../../../lib/rules/aws/policy/permission";
import { partitionOf } from "../../../lib/rules/aws/partitions";
import { checkedPolicy, policyDocument, policySize } from "../../../lib/rules/aws/policy-document";
import { type PrivateEcrGrant, pullPermissions } from "../../../lib/rules/aws/permission";
import { code } from "../../support/refusal";

function grant(more: Partial<PrivateEcrGrant> = {}): PrivateEcrGrant {
  return {
    kind: "private",
    partition: partitionOf(more.region ?? "eu-west-1"),
    account: "111122223333",
    region: "eu-west-1",
    repositories: ["shop/web"],
    pullThroughCache: false,
    createRepositories: false,
    ...more,
  };
}

const WEB = "arn:aws:ecr:eu-west-1:111122223333:repository/shop/web";

describe("pullPermissions", () => {
  it("permits the login and the pull of the named repositories, nothing else", () => {
    expect(pullPermissions([grant({ repositories: ["shop/web", "base/*"] })])).toEqual({
      Version: "2012-10-17",
      Statement: [
        { Sid: "Login", Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" },
        {
          Sid: "Pull",
          Effect: "Allow",
          Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
          Resource: ["arn:aws:ecr:eu-west-1:111122223333:repository/base/*", WEB],
        },
      ],
    });
  });

  it("joins grants, each repository once, with the partition of the region", () => {
    const china = grant({ region: "cn-north-1", repositories: ["a/b", "a/b"] });
    expect(pullPermissions([china, china]).Statement[1]).toMatchObject({
      Resource: "arn:aws-cn:ecr:cn-north-1:111122223333:repository/a/b",
    });
  });

  it.each([
    [{ pullThroughCache: true }, ["Login", "Pull", "PullThroughCache"]],
    [
      { pullThroughCache: true, createRepositories: true },
      ["Login", "Pull", "PullThroughCache", "CreateCachedRepositories"],
    ],
  ])("%j gives %j", (more, sids) => {
    const { Statement } = pullPermissions([grant(more)]);
    expect(Statement.map(({ Sid }) => Sid)).toEqual(sids);
    expect(Statement.slice(1).map(({ Resource }) => Resource)).toEqual(sids.slice(1).map(() => WEB));
  });

  it("needs only the two logins' actions for ECR Public", () => {
    expect(
      pullPermissions([{ kind: "public", partition: partitionOf("us-east-1"), region: undefined }]),
    ).toEqual({
      Version: "2012-10-17",
      Statement: [
        {
          Sid: "LoginPublic",
          Effect: "Allow",
          Action: ["ecr-public:GetAuthorizationToken", "sts:GetServiceBearerToken"],
          Resource: "*",
        },
      ],
    });
  });

  it.each([
    ["ecr:GetAuthorizationToken", "*", "allowed"],
    ["ecr:BatchGetImage", WEB, "allowed"],
    ["ecr:GetDownloadUrlForLayer", WEB, "allowed"],
    ["ecr:BatchGetImage", `${WEB}2`, "denied"],
    ["ecr:BatchGetImage", WEB.replace("1111", "4444"), "denied"],
    ["ecr:PutImage", WEB, "denied"],
    ["ecr:BatchImportUpstreamImage", WEB, "denied"],
  ])("%s on %s is %s", (action, resource, outcome) => {
    expect(evaluateAwsPermission([pullPermissions([grant()])], { action, resource })).toMatchObject({
      outcome,
    });
  });

  it("refuses more than 10,240 characters, with the number", () => {
    const repositories = Array.from({ length: 200 }, (_, index) => `shop/service-${index}`);
    const run = (): unknown => pullPermissions([grant({ repositories })]);
    expect(run).toThrowError(code("aws-limit: is too long"));
    expect(run).toThrowError(/the permission policy of the IAM role is too long, got \d{5}; allowed: 10240/);
  });

  it("accepts exactly 10,240 characters, white space not counted", () => {
    const base = policySize(policyDocument([{ Effect: "Allow", Action: "x", Resource: "" }]));
    const sized = (length: number): unknown =>
      checkedPolicy(
        "p",
        policyDocument([{ Effect: "Allow", Action: "x", Resource: " ".repeat(9) + "r".repeat(length) }]),
      );
    expect(sized(10_240 - base)).toBeTruthy();
    expect(() => sized(10_241 - base)).toThrowError(code("aws-limit: is too long"));
  });
});
