import { describe, expect, it } from "vitest";
import { isWide, isWideManagedPolicy } from "../../../lib/rules/aws/statement";

describe("isWide", () => {
  it.each<[string, string, boolean]>([
    ["*", "*", true],
    ["s3:*", "*", true],
    ["iam:?*", "*", true],
    ["iam:**", "**", true],
    ["s3:*", "arn:aws:*", true],
    ["s3:*", "arn:*", true],
    ["s3:*", "arn:aws:s3:::*", true],
    ["s3:*", "arn:aws:s3:::*/*", true],
    ["*", "arn:*:*:*:*:*", true],
    ["sqs:*", "arn:aws:sqs:eu-west-1:111122223333:*", true],
    ["s3:Get*", "*", false],
    ["s3:*", "arn:aws:s3:::bucket/*", false],
    ["kms:*", "arn:aws:kms:eu-west-1:111122223333:key/*", false],
    ["s3:*", "${TfToken[TOKEN.1]}", false],
  ])("%s on %s: %s", (Action, Resource, expected) => {
    expect(isWide({ Effect: "Allow", Action, Resource })).toBe(expected);
    expect(isWide({ Effect: "Allow", Action: ["x:y", Action], Resource: ["arn:aws:x:::y", Resource] })).toBe(
      expected,
    );
    expect(isWide({ Effect: "Deny", Action, Resource })).toBe(false);
  });
});

describe("isWideManagedPolicy", () => {
  it.each<[string, boolean]>([
    ["arn:aws:iam::aws:policy/AdministratorAccess", true],
    ["arn:aws-cn:iam::aws:policy/PowerUserAccess", true],
    ["arn:aws:iam::aws:policy/IAMFullAccess", true],
    ["arn:aws:iam::aws:policy/ReadOnlyAccess", false],
    ["arn:aws:iam::111122223333:policy/AdministratorAccess", false],
    ["${TfToken[TOKEN.1]}", false],
  ])("%s: %s", (arn, expected) => {
    expect(isWideManagedPolicy(arn)).toBe(expected);
  });
});
