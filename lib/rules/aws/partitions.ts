/*
 * The AWS partitions and their regions, as data. Sources: boto/botocore 1.44.5, botocore/data/partitions.json for
 * names, suffixes and regions (pseudo regions such as aws-global left out), botocore/data/endpoints.json for the
 * regions with FIPS endpoints of ECR and STS, and for the partitions that have CloudFront (`aws`, and `aws-cn`, where
 * it serves only names with an ICP filing and not under its own); which ECR host forms exist per partition:
 * kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go.
 */

import { fail, type Problem } from "../../errors";
import { literal } from "../../model/late";
import { nearestName } from "../../model/nearest-name";

/** A closed part of AWS with its own accounts, ARNs and DNS names. */
export interface Partition {
  /** Second part of every ARN: `aws`, `aws-cn` … */
  readonly name: string;
  /** Suffix of service hosts, `amazonaws.com`. */
  readonly dnsSuffix: string;
  /** Suffix of ECR's dual-stack hosts; `undefined` where the ECR plugin knows none. */
  readonly ecrDualStackSuffix: string | undefined;
  /** The regions where ECR has FIPS hosts, and ECR and STS have FIPS endpoints. */
  readonly ecrFipsRegions: readonly string[];
  /** True where ECR Public can be used with credentials. */
  readonly ecrPublic: boolean;
  /** True where distributions of CloudFront can serve an issuer under a name of CloudFront's own. */
  readonly cloudFront: boolean;
  /** The region codes of the partition. */
  readonly regionCodes: readonly string[];
  /** Matches exactly those region codes. */
  readonly regions: RegExp;
}

type Abilities = Partial<Omit<Partition, "name" | "dnsSuffix" | "regionCodes" | "regions">>;

function partition(
  name: string,
  dnsSuffix: string,
  regionCodes: readonly string[],
  abilities: Abilities = {},
): Partition {
  const regions = new RegExp(`^(?:${regionCodes.join("|")})$`);
  const none = { ecrDualStackSuffix: undefined, ecrFipsRegions: [], ecrPublic: false, cloudFront: false };
  return { name, dnsSuffix, regionCodes, regions, ...none, ...abilities };
}

const COMMERCIAL_REGIONS = `af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2
  ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6
  ap-southeast-7 ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2
  eu-west-1 eu-west-2 eu-west-3 il-central-1 me-central-1 me-south-1 me-west-1 mx-central-1 sa-east-1
  sa-west-1 us-east-1 us-east-2 us-west-1 us-west-2`;

export const partitions: readonly Partition[] = [
  partition("aws", "amazonaws.com", COMMERCIAL_REGIONS.split(/\s+/), {
    ecrDualStackSuffix: "on.aws",
    ecrFipsRegions: ["us-east-1", "us-east-2", "us-west-1", "us-west-2"],
    ecrPublic: true,
    cloudFront: true,
  }),
  partition("aws-cn", "amazonaws.com.cn", ["cn-north-1", "cn-northwest-1"], {
    ecrDualStackSuffix: "on.amazonwebservices.com.cn",
  }),
  partition("aws-us-gov", "amazonaws.com", ["us-gov-east-1", "us-gov-west-1"], {
    ecrDualStackSuffix: "on.aws",
    ecrFipsRegions: ["us-gov-east-1", "us-gov-west-1"],
  }),
  partition("aws-iso", "c2s.ic.gov", ["us-iso-east-1", "us-iso-west-1"]),
  partition("aws-iso-b", "sc2s.sgov.gov", ["us-isob-east-1", "us-isob-west-1"]),
  partition("aws-iso-e", "cloud.adc-e.uk", ["eu-isoe-west-1"]),
  partition("aws-iso-f", "csp.hci.ic.gov", ["us-isof-east-1", "us-isof-south-1"]),
  partition("aws-eusc", "amazonaws.eu", ["eusc-de-east-1"]),
];

const byRegion = new Map(
  partitions.flatMap((found) => found.regionCodes.map((region) => [region, found] as const)),
);

/** The partition of a region. Derived from the region, never from a DNS suffix: `aws` and `aws-us-gov` share one. */
export function partitionOf(region: string): Partition {
  literal(region, "region");
  return byRegion.get(region) ?? unknownRegion(region);
}

function unknownRegion(region: unknown): never {
  const nearest = typeof region === "string" ? nearestName(region, [...byRegion.keys()]) : undefined;
  return fail("aws-unknown", {
    problem: "AWS region is not known to this release of the library",
    value: region,
    allowed: partitions.map(({ name, regionCodes }) => `${regionCodes.join(", ")} (${name})`).join("; "),
    remedy: `${nearest === undefined ? "" : `write ${nearest} if that is meant; `}write the region's code, for example eu-west-1, not its name or an availability zone; for a newer region use a newer release of the library`,
  });
}

export function otherPartition(what: string, value: string, expected: string): Problem {
  return {
    problem: `${what} is in another AWS partition than the rest of the chain`,
    value,
    allowed: expected,
    remedy:
      "use one partition for OIDC provider, IAM role and registries; an IAM role is never valid across partitions",
  };
}
