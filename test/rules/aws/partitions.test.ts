import { describe, expect, it } from "vitest";
import { isWorkloadIdentityError } from "../../../lib/errors";
import { partitionOf, partitions } from "../../../lib/rules/aws/partitions";
import { code } from "../../support/refusal";

/** boto/botocore 1.44.5: partitions.json (regions, without pseudo regions), endpoints.json (FIPS of ECR and STS). */
const PARTITIONS: readonly (readonly [name: string, facts: object, regions: readonly string[]])[] = [
  [
    "aws",
    {
      dnsSuffix: "amazonaws.com",
      ecrDualStackSuffix: "on.aws",
      ecrFipsRegions: ["us-east-1", "us-east-2", "us-west-1", "us-west-2"],
      ecrPublic: true,
      cloudFront: true,
    },
    [
      ...["af-south-1", "ap-east-1", "ap-east-2", "ap-northeast-1", "ap-northeast-2", "ap-northeast-3"],
      ...["ap-south-1", "ap-south-2", "ap-southeast-1", "ap-southeast-2", "ap-southeast-3", "ap-southeast-4"],
      ...["ap-southeast-5", "ap-southeast-6", "ap-southeast-7", "ca-central-1", "ca-west-1", "eu-central-1"],
      ...["eu-central-2", "eu-north-1", "eu-south-1", "eu-south-2", "eu-west-1", "eu-west-2", "eu-west-3"],
      ...[
        "il-central-1",
        "me-central-1",
        "me-south-1",
        "me-west-1",
        "mx-central-1",
        "sa-east-1",
        "sa-west-1",
      ],
      ...["us-east-1", "us-east-2", "us-west-1", "us-west-2"],
    ],
  ],
  [
    "aws-cn",
    { ...elsewhere("amazonaws.com.cn"), ecrDualStackSuffix: "on.amazonwebservices.com.cn" },
    ["cn-north-1", "cn-northwest-1"],
  ],
  [
    "aws-us-gov",
    {
      ...elsewhere("amazonaws.com"),
      ecrDualStackSuffix: "on.aws",
      ecrFipsRegions: ["us-gov-east-1", "us-gov-west-1"],
    },
    ["us-gov-east-1", "us-gov-west-1"],
  ],
  ["aws-iso", elsewhere("c2s.ic.gov"), ["us-iso-east-1", "us-iso-west-1"]],
  ["aws-iso-b", elsewhere("sc2s.sgov.gov"), ["us-isob-east-1", "us-isob-west-1"]],
  ["aws-iso-e", elsewhere("cloud.adc-e.uk"), ["eu-isoe-west-1"]],
  ["aws-iso-f", elsewhere("csp.hci.ic.gov"), ["us-isof-east-1", "us-isof-south-1"]],
  ["aws-eusc", elsewhere("amazonaws.eu"), ["eusc-de-east-1"]],
];

function elsewhere(dnsSuffix: string): object {
  return {
    dnsSuffix,
    ecrDualStackSuffix: undefined,
    ecrFipsRegions: [],
    ecrPublic: false,
    cloudFront: false,
  };
}

describe("partitionOf", () => {
  it("knows these partitions and regions, and no other", () => {
    expect(partitions.map(({ regions: _, ...facts }) => facts)).toEqual(
      PARTITIONS.map(([name, facts, regionCodes]) => ({ name, ...facts, regionCodes })),
    );
  });

  it.each(PARTITIONS)("%s: of each of its regions, and of no other", (name, _, regionCodes) => {
    const found = partitions.find((each) => each.name === name);
    for (const region of regionCodes) expect(partitionOf(region)).toBe(found);
    const all = PARTITIONS.flatMap(([, , codes]) => codes);
    expect(all.filter((region) => found?.regions.test(region))).toEqual(regionCodes);
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
    expect(() => partitionOf(region)).toThrowError(
      code("aws-unknown: AWS region is not known to this release of the library"),
    );
    expect(() => partitionOf(region)).toThrowError(
      /aws-us-gov.*eusc-de-east-1 \(aws-eusc\); .*newer release/,
    );
  });

  it.each([
    ["eu-west1", "eu-west-1"],
    ["eu-wst-1", "eu-west-1"],
    ["us-gov-est-1", "us-gov-east-1"],
  ])("names for %s the nearest region, %s", (region, nearest) => {
    expect(() => partitionOf(region)).toThrowError(`; write ${nearest} if that is meant; `);
  });

  it("refuses a late region", () => {
    const run = (): unknown => partitionOf("${TfToken[TOKEN.1]}");
    expect(run).toThrowError(expect.objectContaining({ code: "late-value" }));
  });

  it("refuses what is not a string", () => {
    let caught: unknown;
    try {
      partitionOf(1 as never);
    } catch (error) {
      caught = error;
    }
    expect(isWorkloadIdentityError(caught)).toBe(true);
  });
});
