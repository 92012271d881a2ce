import { describe, expect, it } from "vitest";
import { bucketIssuer, distributionBucketPolicy, publicBucketPolicy } from "../../../lib/rules/aws/issuer";
import { distributionArn, requireCloudFront } from "../../../lib/rules/aws/distribution";
import { partitionOf, partitions } from "../../../lib/rules/aws/partitions";
import { refusal } from "../../support/refusal";

const place = (region: string): Parameters<typeof publicBucketPolicy>[0] => ({
  bucketName: "prod-oidc",
  partition: partitionOf(region),
  paths: ["keys.json", ".well-known/openid-configuration"],
});

describe("partitions", () => {
  // boto/botocore 1.44.5, botocore/data/endpoints.json: cloudfront is in aws and aws-cn; in China it serves no name of its own.
  it("has CloudFront in the commercial partition alone", () => {
    expect(partitions.filter(({ cloudFront }) => cloudFront).map(({ name }) => name)).toEqual(["aws"]);
  });

  // boto/botocore 1.44.5, botocore/data/partitions.json, dnsSuffix.
  it.each([
    ["eu-west-1", "amazonaws.com"],
    ["us-gov-east-1", "amazonaws.com"],
    ["cn-northwest-1", "amazonaws.com.cn"],
    ["us-isob-east-1", "sc2s.sgov.gov"],
    ["eu-isoe-west-1", "cloud.adc-e.uk"],
    ["us-isof-south-1", "csp.hci.ic.gov"],
    ["eusc-de-east-1", "amazonaws.eu"],
  ])("names a public issuer in %s under %s", (region, suffix) => {
    expect(bucketIssuer("prod-oidc", region)).toBe(`https://prod-oidc.s3.${region}.${suffix}`);
  });

  it("says what to do where there is no CloudFront", () => {
    expect(() => requireCloudFront(partitionOf("us-gov-west-1"))).toThrowError(
      refusal(
        "aws-unsupported: the partition has no CloudFront that can serve an issuer under a custom name",
        { message: expect.stringContaining('use access: "public"') },
      ),
    );
  });
});

describe("policies of the bucket", () => {
  it("names documents in the bucket's own partition, sorted", () => {
    expect(publicBucketPolicy(place("us-gov-west-1")).Statement[0]?.Resource).toEqual([
      "arn:aws-us-gov:s3:::prod-oidc/.well-known/openid-configuration",
      "arn:aws-us-gov:s3:::prod-oidc/keys.json",
    ]);
  });

  it("admits one distribution, and the former identity only where there is one", () => {
    const arn = distributionArn(partitionOf("eu-west-1"), "111122223333", "E2EXAMPLE");
    expect(arn).toBe("arn:aws:cloudfront::111122223333:distribution/E2EXAMPLE");
    const sids = (originAccessIdentity: string | undefined): unknown[] =>
      distributionBucketPolicy(place("eu-west-1"), {
        distributionArn: arn,
        originAccessIdentity,
      }).Statement.map(({ Sid }) => Sid);
    expect(sids(undefined)).toEqual(["AllowCloudFront"]);
    expect(sids("E2OAI")).toEqual(["AllowCloudFront", "AllowOriginAccessIdentity"]);
  });
});
