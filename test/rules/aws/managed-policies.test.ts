import { describe, expect, it } from "vitest";
import { awsManagedPolicy } from "../../../lib/rules/aws/managed-policies";
import { evaluateAwsPermission } from "../../../lib/rules";

const of = (name: string, partition = "aws"): string => `arn:${partition}:iam::aws:policy/${name}`;

describe("a managed policy of AWS", () => {
  it.each([
    ["AWSDenyAll", false],
    ["AWSCompromisedKeyQuarantineV3", false],
    ["AmazonDataZoneProjectRolePermissionsBoundary", false],
    ["IAMAuditRootUserCredentials", false],
    ["AWSPrivateCAUser", false],
    ["AWSPrivateCAConnectorForKubernetesPolicy", true],
    ["ReadOnlyAccess", true],
    ["service-role/AmazonEBSCSIDriverPolicy", true],
  ])("%s only allows: %s", (name, onlyAllows) => {
    expect(awsManagedPolicy(of(name))?.onlyAllows).toBe(onlyAllows);
  });

  it.each<[string, string, string, string | undefined]>([
    ["a known one", of("AmazonS3ReadOnlyAccess"), "known", undefined],
    [
      "a known one of registries in China",
      of("AmazonEC2ContainerRegistryReadOnly", "aws-cn"),
      "known",
      undefined,
    ],
    ["another one in China", of("AmazonS3ReadOnlyAccess", "aws-cn"), "not known", undefined],
    ["one on its path", of("service-role/AmazonEFSCSIDriverPolicy"), "known", undefined],
    [
      "one without its path",
      of("AmazonEFSCSIDriverPolicy"),
      "not known",
      "service-role/AmazonEFSCSIDriverPolicy",
    ],
    ["one that is not known", of("AmazonSESFullAccess"), "not known", undefined],
  ])("%s", (_, arn, statements, path) => {
    const managed = awsManagedPolicy(arn);
    expect([managed?.statements ? "known" : "not known", managed?.path]).toEqual([statements, path]);
  });

  it("is none of an account", () => {
    expect(awsManagedPolicy("arn:aws:iam::111122223333:policy/AdministratorAccess")).toBeUndefined();
  });
});

// AWS managed policy reference, each at the action that most often tells it apart from its neighbours.
it.each([
  ["AmazonS3ReadOnlyAccess", "s3:GetObject", "allowed"],
  ["AmazonS3ReadOnlyAccess", "s3:PutObject", "denied"],
  ["AmazonS3FullAccess", "s3:PutObject", "allowed"],
  ["AmazonEC2ContainerRegistryReadOnly", "ecr:DescribeRepositories", "allowed"],
  ["AmazonEC2ContainerRegistryReadOnly", "ecr:PutImage", "denied"],
  ["AmazonEC2ContainerRegistryPullOnly", "ecr:BatchImportUpstreamImage", "allowed"],
  ["AmazonEC2ContainerRegistryPullOnly", "ecr:DescribeRepositories", "denied"],
  ["AmazonElasticContainerRegistryPublicReadOnly", "ecr:BatchGetImage", "denied"],
  ["PowerUserAccess", "iam:PassRole", "denied"],
  ["PowerUserAccess", "dynamodb:GetItem", "allowed"],
  ["SecretsManagerReadWrite", "kms:Decrypt", "denied"],
  ["AmazonDynamoDBFullAccess", "iam:PassRole", "unknown"],
  ["AWSDenyAll", "s3:GetObject", "denied"],
])("%s: %s is %s", (name, action, outcome) => {
  const Statement = awsManagedPolicy(of(name))?.statements;
  const policy = { Version: "2012-10-17", Statement };
  expect(evaluateAwsPermission(policy, { action, resource: "*" }).outcome).toBe(outcome);
});
