import { describe, expect, it } from "vitest";
import { accountInArn, readArn, readArnOf } from "../../../lib/rules/aws/arn";

describe("readArn", () => {
  it("reads each field; the resource may hold colons and slashes", () => {
    expect(readArn("arn:aws-cn:logs:cn-north-1:111122223333:log-group:/a/b:*")).toEqual({
      partition: "aws-cn",
      service: "logs",
      region: "cn-north-1",
      account: "111122223333",
      resource: "log-group:/a/b:*",
    });
  });

  it.each([
    undefined,
    7,
    "",
    "arn:aws:s3",
    "arn:aws:s3:::",
    "ARN:aws:s3:::b",
    "${aws_iam_role.web.arn}",
    "arn:${data.aws_partition.current.partition}:iam::111122223333:role/web",
  ])("reads nothing from %j", (text) => {
    expect(readArn(text)).toBeUndefined();
  });
});

describe("readArnOf", () => {
  it.each([
    ["arn:aws:iam::111122223333:role/path/web", "iam", "role/", "path/web"],
    ["arn:aws:iam::aws:policy/ReadOnlyAccess", "iam", "policy/", "ReadOnlyAccess"],
    ["arn:*:ecr:eu-west-1:111122223333:repository/shop/*", "ecr", "repository/", "shop/*"],
  ])("reads the name in %s", (arn, service, kind, name) => {
    expect(readArnOf(arn, service, kind)?.name).toBe(name);
  });

  it.each([
    ["of another service", "arn:aws:sts::111122223333:role/web", "iam", "role/"],
    ["of another kind", "arn:aws:iam::111122223333:user/web", "iam", "role/"],
    ["without a name", "arn:aws:iam::111122223333:role/", "iam", "role/"],
    ["without an account", "arn:aws:iam:::role/web", "iam", "role/"],
    ["with a region, which IAM does not have", "arn:aws:iam:eu-west-1:111122223333:role/web", "iam", "role/"],
  ])("reads nothing from an ARN %s", (_, arn, service, kind) => {
    expect(readArnOf(arn, service, kind)).toBeUndefined();
  });
});

describe("accountInArn", () => {
  it.each([
    ["arn:aws:kms:eu-west-1:111122223333:key/a", "111122223333"],
    ["arn:aws:s3:::bucket", undefined],
    ["arn:aws:iam::aws:policy/ReadOnlyAccess", undefined],
    ["arn:aws:iam::1111:role/web", undefined],
  ])("of %s is %s", (arn, account) => {
    expect(accountInArn(arn)).toBe(account);
  });
});
