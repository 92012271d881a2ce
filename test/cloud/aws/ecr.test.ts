import { describe, expect, it } from "vitest";
import { type EcrProps, ecr, ecrPublic } from "../../../lib/cloud/aws";
import { ACCOUNT, REGION, code } from "./synthesized";

const BASE: EcrProps = { account: ACCOUNT, region: REGION, repositories: ["shop/web", "base/*"] };

describe("ecr", () => {
  it.each<readonly [Partial<EcrProps>, string]>([
    [{}, `${ACCOUNT}.dkr.ecr.eu-west-1.amazonaws.com`],
    [{ fips: true, region: "us-east-2" }, `${ACCOUNT}.dkr.ecr-fips.us-east-2.amazonaws.com`],
    [{ dualStack: true }, `${ACCOUNT}.dkr-ecr.eu-west-1.on.aws`],
    [{ region: "cn-north-1" }, `${ACCOUNT}.dkr.ecr.cn-north-1.amazonaws.com.cn`],
  ])("with %j names images at %s", (more, host) => {
    const source = ecr({ ...BASE, ...more });
    expect(source).toMatchObject({ cloud: "aws", images: [`${host}/shop/web`, `${host}/base/*`] });
  });

  it.each<readonly [EcrProps["pullThroughCache"], boolean, boolean]>([
    [undefined, false, false],
    [false, false, false],
    [true, true, false],
    [{ createRepositories: true }, true, true],
    [{ createRepositories: false }, true, false],
  ])("pullThroughCache %j", (pullThroughCache, through, create) => {
    const { grant } = ecr({ ...BASE, ...(pullThroughCache === undefined ? {} : { pullThroughCache }) });
    expect(grant).toMatchObject({ pullThroughCache: through, createRepositories: create });
  });

  it.each<readonly [Partial<EcrProps>, string]>([
    [{ account: "1" }, "aws-invalid: the AWS account is not an account id"],
    [{ account: "${TfToken[TOKEN.1]}" }, "late-value"],
    [{ region: "moon" }, "aws-unknown: AWS region is not known to this release of the library"],
    [{ region: "${TfToken[TOKEN.1]}" }, "late-value"],
    [{ region: "eu-west-99" }, "aws-unknown: AWS region is not known to this release of the library"],
    [{ repositories: [] }, "aws-missing: the ECR registry is stated without a list of repositories"],
    [
      { repositories: ["111122223333.dkr.ecr.eu-west-1.amazonaws.com/a"] },
      "aws-invalid: the ECR repository begins with the host of its registry",
    ],
    [
      { ownerPolicy: { repositories: [] } },
      "aws-missing: the ECR registry is stated without a list of repositories",
    ],
    [{ fips: true }, "aws-unsupported: there that the image credential provider supports"],
    [{ repositories: ["shop/web:1"] }, "aws-invalid: the ECR repository is not a repository name or pattern"],
    [
      { region: "cn-north-1", fips: true },
      "aws-unsupported: there that the image credential provider supports",
    ],
    [{ ownerPolicy: {} }, "aws-invalid: ECR has a policy per repository, but none for a pattern"],
    [
      { ownerPolicy: { repositories: ["base/*"] } },
      "aws-invalid: ECR has a policy per repository, but none for a pattern",
    ],
    [
      { ownerPolicy: { repositories: ["other/x"] } },
      "aws-unused: the owner's policy is for a repository that the IAM role may not pull from",
    ],
  ])("refuses %j", (more, expected) => {
    expect(() => ecr({ ...BASE, ...more })).toThrowError(code(expected));
  });

  it("takes an owner's policy for repositories that a pattern covers", () => {
    expect(
      ecr({ ...BASE, ownerPolicy: { repositories: ["base/go", "shop/web"] } }).ownerPolicy,
    ).toBeDefined();
  });
});

describe("ecrPublic", () => {
  it("is the public registry, with or without named repositories", () => {
    expect(ecrPublic().images).toEqual(["public.ecr.aws/*"]);
    expect(ecrPublic({ repositories: ["docker/library/nginx"] }).images).toEqual([
      "public.ecr.aws/docker/library/nginx",
    ]);
  });

  it.each([
    [{ region: "cn-north-1" }, "aws-mismatch: is in another AWS partition than the rest of the chain"],
    [{ region: "us-gov-west-1" }, "aws-mismatch: is in another AWS partition than the rest of the chain"],
    [{ region: "moon" }, "aws-unknown: AWS region is not known to this release of the library"],
    [{ repositories: [] }, "aws-missing: the ECR registry is stated without a list of repositories"],
    [
      { repositories: ["public.ecr.aws/nginx/nginx"] },
      "aws-invalid: the ECR repository begins with the host of its registry",
    ],
  ])("refuses %j", (props, expected) => {
    expect(() => ecrPublic(props)).toThrowError(code(expected));
  });
});
