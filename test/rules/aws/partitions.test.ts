import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError } from "../../../lib/errors";
import { partitionOf, partitions } from "../../../lib/rules/aws/partitions";

// boto/botocore 1.44.5, botocore/data/partitions.json
const ROWS: readonly (readonly [string, string, string])[] = [
  ["eu-west-1", "aws", "amazonaws.com"],
  ["us-east-1", "aws", "amazonaws.com"],
  ["mx-central-1", "aws", "amazonaws.com"],
  ["ap-southeast-7", "aws", "amazonaws.com"],
  ["il-central-1", "aws", "amazonaws.com"],
  ["cn-north-1", "aws-cn", "amazonaws.com.cn"],
  ["cn-northwest-1", "aws-cn", "amazonaws.com.cn"],
  ["us-gov-east-1", "aws-us-gov", "amazonaws.com"],
  ["us-gov-west-1", "aws-us-gov", "amazonaws.com"],
  ["us-iso-east-1", "aws-iso", "c2s.ic.gov"],
  ["us-iso-west-1", "aws-iso", "c2s.ic.gov"],
  ["us-isob-east-1", "aws-iso-b", "sc2s.sgov.gov"],
  ["us-isob-west-1", "aws-iso-b", "sc2s.sgov.gov"],
  ["eu-isoe-west-1", "aws-iso-e", "cloud.adc-e.uk"],
  ["us-isof-east-1", "aws-iso-f", "csp.hci.ic.gov"],
  ["us-isof-south-1", "aws-iso-f", "csp.hci.ic.gov"],
  ["eusc-de-east-1", "aws-eusc", "amazonaws.eu"],
];

describe("partitionOf", () => {
  it.each(ROWS)("%s is in %s", (region, name, dnsSuffix) => {
    expect(partitionOf(region)).toMatchObject({ name, dnsSuffix });
    expect(partitions.filter(({ regions }) => regions.test(region))).toHaveLength(1);
  });

  it("knows each region once", () => {
    const all = partitions.flatMap(({ regionCodes }) => regionCodes);
    expect(new Set(all).size).toBe(all.length);
    expect(partitions.map(({ regionCodes }) => regionCodes.length)).toEqual([36, 2, 2, 2, 2, 1, 2, 1]);
  });

  it.each([
    "eu-west-99",
    "cn-west-9",
    "us-gov-north-3",
    "aws-global",
    "eu-west-1a",
    "Ireland",
    "EU-WEST-1",
    "",
    "xx-west-1",
    "eu-west-1 ",
    "us-gov-1",
    "eu-wst-1",
    "eu-west-",
    "us-gov-gov-1",
    "global",
  ])("refuses %j and lists what is known", (region) => {
    expect(() => partitionOf(region)).toThrowError(expect.objectContaining({ code: "aws-region-unknown" }));
    expect(() => partitionOf(region)).toThrowError(
      /aws-us-gov.*eusc-de-east-1 \(aws-eusc\); .*newer release/,
    );
  });

  it("refuses a late region", () => {
    const run = (): unknown => partitionOf("${TfToken[TOKEN.1]}");
    expect(run).toThrowError(expect.objectContaining({ code: "late-value" }));
  });

  it("refuses what is no text", () => {
    let caught: unknown;
    try {
      partitionOf(1 as never);
    } catch (error) {
      caught = error;
    }
    expect(isWorkloadIdentityError(caught)).toBe(true);
  });
});
