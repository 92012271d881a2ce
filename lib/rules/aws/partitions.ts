/*
 * The AWS partitions, as data. Source: boto/botocore, botocore/data/partitions.json, its region
 * expressions narrowed to the places that AWS names regions by; which ECR host forms
 * exist per partition: kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go.
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";

/** A closed part of AWS with its own accounts, ARNs and DNS names. */
export interface Partition {
  /** Second part of every ARN: `aws`, `aws-cn` … */
  readonly name: string;
  /** Suffix of service hosts, `amazonaws.com`. */
  readonly dnsSuffix: string;
  /** Suffix of ECR's dual-stack hosts; `undefined` where the ECR plugin knows none. */
  readonly ecrDualStackSuffix: string | undefined;
  /** True where ECR documents FIPS hosts. */
  readonly ecrFips: boolean;
  /** True where ECR Public can be used with credentials. */
  readonly ecrPublic: boolean;
  /** Matches the region codes of the partition. */
  readonly regions: RegExp;
  /** The region codes for people. */
  readonly regionsText: string;
}

const PLACE = "(?:north|south)?(?:east|west)|north|south|central";

/** Region codes of some areas; a new region of a known area needs no new table. */
function regions(areas: string): RegExp {
  return new RegExp(`^(?:${areas})-(?:${PLACE})-\\d{1,2}$`);
}

/** All partitions, the commercial one first. */
export const partitions: readonly Partition[] = [
  {
    name: "aws",
    dnsSuffix: "amazonaws.com",
    ecrDualStackSuffix: "on.aws",
    ecrFips: true,
    ecrPublic: true,
    regions: regions("us|eu|ap|sa|ca|me|af|il|mx"),
    regionsText: "us|eu|ap|sa|ca|me|af|il|mx-<place>-<number>",
  },
  {
    name: "aws-cn",
    dnsSuffix: "amazonaws.com.cn",
    ecrDualStackSuffix: "on.amazonwebservices.com.cn",
    ecrFips: false,
    ecrPublic: false,
    regions: regions("cn"),
    regionsText: "cn-north-1, cn-northwest-1",
  },
  {
    name: "aws-us-gov",
    dnsSuffix: "amazonaws.com",
    ecrDualStackSuffix: "on.aws",
    ecrFips: true,
    ecrPublic: false,
    regions: regions("us-gov"),
    regionsText: "us-gov-east-1, us-gov-west-1",
  },
  {
    name: "aws-iso",
    dnsSuffix: "c2s.ic.gov",
    ecrDualStackSuffix: undefined,
    ecrFips: false,
    ecrPublic: false,
    regions: regions("us-iso"),
    regionsText: "us-iso-east-1, us-iso-west-1",
  },
  {
    name: "aws-iso-b",
    dnsSuffix: "sc2s.sgov.gov",
    ecrDualStackSuffix: undefined,
    ecrFips: false,
    ecrPublic: false,
    regions: regions("us-isob"),
    regionsText: "us-isob-east-1, us-isob-west-1",
  },
  {
    name: "aws-iso-e",
    dnsSuffix: "cloud.adc-e.uk",
    ecrDualStackSuffix: undefined,
    ecrFips: false,
    ecrPublic: false,
    regions: regions("eu-isoe"),
    regionsText: "eu-isoe-west-1",
  },
  {
    name: "aws-iso-f",
    dnsSuffix: "csp.hci.ic.gov",
    ecrDualStackSuffix: undefined,
    ecrFips: false,
    ecrPublic: false,
    regions: regions("us-isof"),
    regionsText: "us-isof-east-1, us-isof-south-1",
  },
  {
    name: "aws-eusc",
    dnsSuffix: "amazonaws.eu",
    ecrDualStackSuffix: undefined,
    ecrFips: false,
    ecrPublic: false,
    regions: regions("eusc-de"),
    regionsText: "eusc-de-east-1",
  },
];

/**
 * The partition of a region. Derived from the region, never from a DNS suffix: `aws` and `aws-us-gov` share one.
 *
 * A region that is newer than this table is accepted where its code follows the partition's form. Throws
 * `aws-region-unknown` or `late-value`.
 */
export function partitionOf(region: string): Partition {
  literal(region, "region");
  const found = partitions.find(({ regions }) => typeof region === "string" && regions.test(region));
  const known = partitions.map(({ name, regionsText }) => `${regionsText} (${name})`).join("; ");
  return found ?? fail("aws-region-unknown", region, known);
}
