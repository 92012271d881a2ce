import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  accountId,
  parseOidcProviderArn,
  parseRoleArn,
  oidcProviderArn,
  roleArn,
} from "../../../lib/rules/aws/arn";
import { repositoryName, repositoryPattern } from "../../../lib/rules/aws/registry";
import { derivedRoleName, roleDescription, roleName, rolePath } from "../../../lib/rules/aws/names";
import { code } from "../../support/refusal";

const LATE = "${TfToken[TOKEN.7]}";

describe("repositoryPattern", () => {
  // ECR API reference, CreateRepository: pattern and length of repositoryName
  it.each([
    "shop/web",
    "base/*",
    "*",
    "a1",
    "team-a/x_y.z",
    "*/web",
    "shop*",
    "a/b/c/d",
    `${"a".repeat(256)}`,
  ])("accepts %s", (repository) => expect(repositoryPattern(repository)).toBe(repository));

  it.each([
    "",
    "a",
    "Shop/web",
    "shop//web",
    "/shop",
    "shop/",
    "shop/web:1",
    "shop/web@sha256:abc",
    "a--b",
    "a__b",
    "a..b",
    "-a",
    "a-",
    "shop web",
    "shop/?",
    "a".repeat(257),
    7 as never,
  ])("refuses %j", (repository) => {
    expect(() => repositoryPattern(repository)).toThrowError(
      code("aws-invalid: the ECR repository is not a repository name or pattern"),
    );
  });

  it.each([
    "111122223333.dkr.ecr.eu-west-1.amazonaws.com/a",
    "111122223333.dkr.ecr-fips.us-east-1.amazonaws.com/a",
    "111122223333.dkr-ecr.eu-west-1.on.aws/a",
    "111122223333.dkr.ecr.eu-west-1.amazonaws.com",
    "*.dkr.ecr.*.amazonaws.com/a",
    "public.ecr.aws/nginx/nginx",
    "ecr-public.aws.com/nginx/nginx",
  ])("refuses %s, which begins with the registry's host", (repository) => {
    expect(() => repositoryPattern(repository)).toThrowError(
      code("aws-invalid: the ECR repository begins with the host of its registry"),
    );
  });

  // Prefixes of a pull through cache are the user's choice, and often the upstream's host.
  it.each(["quay.io/prometheus/*", "docker.io/library/nginx", "ecr/web", "dkr/ecr"])(
    "accepts %s, which is not a host of ECR",
    (repository) => expect(repositoryPattern(repository)).toBe(repository),
  );

  it("refuses a late value, and a pattern where one repository is meant", () => {
    expect(() => repositoryPattern(LATE)).toThrowError(code("late-value"));
    expect(() => repositoryName("base/*")).toThrowError(
      code("aws-invalid: ECR has a policy per repository, but none for a pattern"),
    );
    expect(repositoryName("base/go")).toBe("base/go");
  });
});

describe("names of IAM roles", () => {
  it.each([["my_role"], ["a"], ["a".repeat(64)], ["x+=,.@-_9"]])("keeps %s", (name) => {
    expect(roleName(name)).toBe(name);
  });

  it("shortens a name over 64 characters with a hash of the whole name", () => {
    const name = roleName("a".repeat(65));
    expect(name).toBe(`${"a".repeat(55)}_b25b0450`);
    expect(roleName(`${"a".repeat(64)}b`)).not.toBe(name);
  });

  it.each(["", "a b", "a/b", "ä", 5 as never])("refuses %j", (name) => {
    expect(() => roleName(name)).toThrowError(
      code("aws-invalid: the IAM role name has characters that IAM refuses"),
    );
  });

  it("needs no hash for cluster, namespace and service account", () => {
    expect(derivedRoleName(["prod-eu", "shop", "web.v2"])).toBe("prod-eu_shop_web.v2");
    expect(derivedRoleName(["prod-eu", "shop", "web"], "pull-")).toBe("pull-prod-eu_shop_web");
  });

  it("never gives one name to two service accounts", () => {
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/);
    const account = fc.stringMatching(/^[a-z0-9]([a-z0-9.-]{0,80}[a-z0-9])?$/);
    const parts = fc.tuple(label, label, account);
    fc.assert(
      fc.property(parts, parts, fc.constantFrom("", "pull-"), (a, b, prefix) => {
        const [left, right] = [derivedRoleName(a, prefix), derivedRoleName(b, prefix)];
        expect(left).toMatch(/^[\w+=,.@-]{1,64}$/);
        expect(left === right).toBe(a.join("/") === b.join("/"));
      }),
    );
  });

  it("keeps long names apart that differ in their last character", () => {
    const long = "n".repeat(63);
    expect(derivedRoleName(["c", long, "a1"])).not.toBe(derivedRoleName(["c", long, "a2"]));
    expect(derivedRoleName(["c", long, "a1"])).toHaveLength(64);
  });

  it.each(["a b", "x".repeat(33)])("refuses the prefix %j", (prefix) => {
    expect(() => derivedRoleName(["a"], prefix)).toThrowError(
      code("aws-invalid: the IAM role name has characters that IAM refuses"),
    );
  });

  it.each(["/", "/a/", "/a/b/", `/${"a".repeat(510)}/`])("accepts the path %s", (path) => {
    expect(rolePath(path)).toBe(path);
  });

  it.each(["", "a/", "/a", "/a b/", "/ä/", `/${"a".repeat(511)}/`])("refuses the path %j", (path) => {
    expect(() => rolePath(path)).toThrowError(
      code("aws-invalid: the path of the IAM role is not a valid path"),
    );
  });

  it.each([["x".repeat(1001)], ["  "], [""], ["snow ☃"]])("refuses the description %j", (text) => {
    expect(() => roleDescription(text, "description")).toThrowError(
      code("aws-invalid: cannot be part of the description of an IAM role"),
    );
  });

  it("accepts a description of exactly 1000 characters", () => {
    expect(roleDescription("é".repeat(1000), "description")).toHaveLength(1000);
  });
});

describe("ARNs", () => {
  it("round trip", () => {
    const oidc = { partition: "aws-cn", account: "111122223333", hostPath: "oidc.example.com/c1" };
    expect(parseOidcProviderArn(oidcProviderArn(oidc))).toEqual(oidc);
    for (const path of ["/", "/team/x/"]) {
      const role = { partition: "aws", account: "111122223333", path, name: "pull" };
      expect(parseRoleArn(roleArn(role))).toEqual(role);
    }
  });

  it.each([
    "",
    "arn:aws:iam::1:role/x",
    "arn:aws:iam::111122223333:user/x",
    "arn:moon:iam::111122223333:role/x",
    3 as never,
  ])("refuses %j", (arn) => {
    expect(() => parseRoleArn(arn)).toThrowError(code("aws-invalid: is not an ARN of that kind"));
    expect(() => parseOidcProviderArn(arn)).toThrowError(code("aws-invalid: is not an ARN of that kind"));
  });

  it("says that ARNs of IAM have no region", () => {
    const problem = code("aws-invalid: is an ARN with a region, but ARNs of IAM have none");
    expect(() => parseRoleArn("arn:aws:iam:eu-west-1:111122223333:role/x")).toThrowError(problem);
    expect(() =>
      parseOidcProviderArn("arn:aws:iam:eu-west-1:111122223333:oidc-provider/oidc.example.com"),
    ).toThrowError(problem);
  });

  it("refuses late values and accounts that lost their zeros", () => {
    expect(() => parseRoleArn(LATE)).toThrowError(code("late-value"));
    expect(() => parseOidcProviderArn(LATE)).toThrowError(code("late-value"));
    expect(() => accountId(11112222333 as never)).toThrowError(
      code("aws-invalid: the AWS account is not an account id"),
    );
  });
});
