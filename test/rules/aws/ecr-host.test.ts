import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ecrHost, ecrMatchImages, parseEcrHost } from "../../../lib/rules/aws/registry";
import { partitionOf } from "../../../lib/rules/aws/partitions";
import { code as refused } from "../../support/refusal";

interface Row {
  readonly host: string;
  readonly region?: string;
  readonly suffix?: string;
  readonly fips?: boolean;
  readonly dualStack?: boolean;
  readonly public?: boolean;
  readonly none?: boolean;
}

// kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go
const rows = JSON.parse(
  readFileSync(resolve(__dirname, "../../fixtures/aws/ecr-hosts.json"), "utf8"),
) as readonly Row[];

describe("parseEcrHost", () => {
  it.each(rows)("reads $host as the plugin does", ({ host, none, public: open, region, suffix, ...kind }) => {
    const { fips = false, dualStack = false } = kind;
    const expected = open
      ? { kind: "public", region: "us-east-1" }
      : { kind: "private", account: "123456789012", region, suffix, fips, dualStack };
    expect(parseEcrHost(host)).toEqual(none ? undefined : expected);
  });

  it("reads a megabyte, which would take hours if its parts were tried again", () => {
    expect(parseEcrHost(`123456789012.dkr.ecr.${"a-".repeat(500_000)}.amazonaws.com.x`)).toBeUndefined();
  });
});

describe("ecrHost", () => {
  const ACCOUNT = "111122223333";
  const UNSUPPORTED = "aws-unsupported: there that the image credential provider supports";

  it.each([
    ["eu-west-1", {}, "dkr.ecr.eu-west-1.amazonaws.com", "*.dkr.ecr.*.amazonaws.com"],
    ["us-west-2", { fips: true }, "dkr.ecr-fips.us-west-2.amazonaws.com", "*.dkr.ecr-fips.*.amazonaws.com"],
    ["eu-west-1", { dualStack: true }, "dkr-ecr.eu-west-1.on.aws", "*.dkr-ecr.*.on.aws"],
    [
      "us-gov-west-1",
      { fips: true, dualStack: true },
      "dkr-ecr-fips.us-gov-west-1.on.aws",
      "*.dkr-ecr-fips.*.on.aws",
    ],
    ["cn-north-1", {}, "dkr.ecr.cn-north-1.amazonaws.com.cn", "*.dkr.ecr.*.amazonaws.com.cn"],
    [
      "cn-north-1",
      { dualStack: true },
      "dkr-ecr.cn-north-1.on.amazonwebservices.com.cn",
      "*.dkr-ecr.*.on.amazonwebservices.com.cn",
    ],
    ["us-iso-east-1", {}, "dkr.ecr.us-iso-east-1.c2s.ic.gov", "*.dkr.ecr.*.c2s.ic.gov"],
    ["us-isob-east-1", {}, "dkr.ecr.us-isob-east-1.sc2s.sgov.gov", "*.dkr.ecr.*.sc2s.sgov.gov"],
    ["eu-isoe-west-1", {}, "dkr.ecr.eu-isoe-west-1.cloud.adc-e.uk", "*.dkr.ecr.*.cloud.adc-e.uk"],
    ["us-isof-south-1", {}, "dkr.ecr.us-isof-south-1.csp.hci.ic.gov", "*.dkr.ecr.*.csp.hci.ic.gov"],
    ["eusc-de-east-1", {}, "dkr.ecr.eusc-de-east-1.amazonaws.eu", "*.dkr.ecr.*.amazonaws.eu"],
  ])("%s %j gives %s, and the plugin reads it back", (region, options, host, pattern) => {
    expect(ecrHost(ACCOUNT, region, options)).toBe(`${ACCOUNT}.${host}`);
    expect(parseEcrHost(`${ACCOUNT}.${host}`)).toMatchObject({
      account: ACCOUNT,
      region,
      fips: false,
      ...options,
    });
    expect(ecrMatchImages(partitionOf(region), options)).toBe(pattern);
  });

  it.each([
    ["1111222233", "eu-west-1", {}, "aws-invalid: the AWS account is not an account id"],
    ["11112222333a", "eu-west-1", {}, "aws-invalid: the AWS account is not an account id"],
    ["${TfToken[TOKEN.3]}", "eu-west-1", {}, "late-value"],
    [ACCOUNT, "moon-1", {}, "aws-unknown: AWS region is not known to this release of the library"],
    [ACCOUNT, "cn-north-1", { fips: true }, UNSUPPORTED],
    // boto/botocore, botocore/data/endpoints.json: FIPS endpoints of api.ecr and sts
    [ACCOUNT, "eu-west-1", { fips: true }, UNSUPPORTED],
    [ACCOUNT, "ca-central-1", { fips: true }, UNSUPPORTED],
    [ACCOUNT, "us-iso-east-1", { dualStack: true }, UNSUPPORTED],
    [ACCOUNT, "eusc-de-east-1", { dualStack: true }, UNSUPPORTED],
  ])("%s in %s with %j throws %s", (account, region, options, code) => {
    expect(() => ecrHost(account, region, options)).toThrowError(refused(code));
  });
});
