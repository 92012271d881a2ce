import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail, type Problem } from "../../errors";
import { Issuer } from "../../model/issuer";
import {
  ccoctlComment,
  ccoctlNameOf,
  ccoctlTags,
  OBJECT_TAGS_MAX,
  tagArguments,
} from "../../rules/aws/names";
import {
  bucketHost,
  bucketIssuer,
  bucketName,
  type IssuerBucketPlace,
  type ExistingDistribution,
  EXISTING_DISTRIBUTION,
  certificateArn,
  distributionArn,
  existingDistribution,
  issuerDomain,
  requireCloudFront,
} from "../../rules/aws/issuer";
import { awsIssuer } from "../../rules/aws/provider";
import { partitionOf } from "../../rules/aws/partitions";
import { issuerDocuments } from "../../rules/openid/issuer-documents";
import type { AdoptedIssuerBucket, IssuerBucketAccess, IssuerBucketProps } from "./issuer-bucket-props";
import { type OnceInAccount, declaredInAccount } from "./once-per-account";
import { type ObjectKind, object, optional, record, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** The distribution in front of an issuer's bucket, checked. */
export interface DistributionSettings {
  /** Name of the bucket. */
  readonly bucketName: string;
  /** Host of the bucket. */
  readonly origin: string;
  /** Comment of the distribution. */
  readonly comment: string;
  /** Domain and certificate of its own; `undefined` for CloudFront's name. */
  readonly domain: { readonly name: string; readonly certificateArn: string } | undefined;
  /** What is taken over, with its ARN; `undefined` for a new one. */
  readonly existing: (ExistingDistribution & { readonly arn: string }) | undefined;
  /** Tags of the distribution. */
  readonly tags: Record<string, string> | undefined;
  /** Its Terraform provider. */
  readonly provider: TerraformProvider | undefined;
}

/** The kind of {@link DistributionSettings}. */
export const DISTRIBUTION_SETTINGS: ObjectKind<DistributionSettings> = object({
  bucketName: text,
  origin: text,
  comment: text,
  domain: optional(object({ name: text, certificateArn: text })),
  existing: optional(object({ ...EXISTING_DISTRIBUTION.shape, arn: text })),
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});

/** An issuer's bucket, checked and computed, not yet declared. */
export interface IssuerBucketSettings extends IssuerBucketPlace {
  /** Region of the bucket. */
  readonly region: string;
  /** The issuer; `undefined` where CloudFront will name it. */
  readonly issuer: Issuer | undefined;
  /** Path of the key set. */
  readonly jwksPath: string;
  /** True where the bucket exists. */
  readonly adopt: boolean;
  /** True where its policy and its block of public access exist. */
  readonly adoptPolicy: boolean;
  /** True where former versions are kept. */
  readonly versioning: boolean;
  /** The distribution; `undefined` for a public bucket. */
  readonly distribution: DistributionSettings | undefined;
  /** Tags of bucket and documents. */
  readonly tags: Record<string, string> | undefined;
  /** The Terraform provider. */
  readonly provider: TerraformProvider | undefined;
}

const DEFAULT_JWKS_PATH = "keys.json";

/** Documents are checked with it where the issuer is known after apply. */
const SOME_ISSUER = Issuer.of("https://issuer.example.com");

/** Checks everything before anything is declared. */
export function issuerBucketSettings(construct: Construct, props: IssuerBucketProps): IssuerBucketSettings {
  const { region, keys, provider, versioning = false, jwksPath = DEFAULT_JWKS_PATH } = props;
  const name = bucketName(props.bucketName);
  const partition = partitionOf(region);
  const access = props.access ?? "cloudfront";
  const adopt = checkedAdoption(props.adopt, access);
  const tags = tagArguments(
    adopt || props.tags ? { ...(adopt && ccoctlTags(adopt.ccoctlName)), ...props.tags } : undefined,
    OBJECT_TAGS_MAX,
  );
  const distribution = access === "cloudfront" ? distributionSettings(props, tags) : undefined;
  if (!distribution && (props.domainName ?? props.certificateArn) !== undefined)
    fail("aws-missing", incompleteDomain());
  const issuer = literalIssuer(name, region, distribution);
  const { discovery, jwks } = issuerDocuments(issuer ?? SOME_ISSUER, keys, { jwksPath });
  const known = declaredInAccount(construct, bucketOnce(partition.name, name));
  if (known)
    fail("aws-conflict", {
      problem: `bucket is already declared by ${known.node.path}`,
      value: name,
      allowed: "one bucket of that name in the whole partition",
      remedy: "give each issuer a bucket of its own",
    });
  return {
    bucketName: name,
    partition,
    region,
    paths: [discovery.path, jwks.path],
    issuer,
    jwksPath,
    adopt: adopt !== undefined,
    adoptPolicy: adopt !== undefined && (adopt.policy ?? true),
    versioning,
    distribution,
    tags,
    provider,
  };
}

/** Names of buckets are unique in a partition, so that takes the place of the account. */
export function bucketOnce(partition: string, name: string): OnceInAccount {
  return { kind: "bucket", account: partition, name };
}

/** Throws `aws-issuer-adopt-unusable` or `aws-ccoctl-name-invalid`. */
function checkedAdoption(
  adopt: AdoptedIssuerBucket | undefined,
  access: IssuerBucketAccess,
): AdoptedIssuerBucket | undefined {
  if (!adopt) return undefined;
  ccoctlNameOf(adopt.ccoctlName);
  if (access === "public" && adopt.distribution !== undefined)
    return fail("aws-invalid", {
      problem: `what is to be adopted of an issuer has a distribution, but anybody is to read the bucket itself`,
      value: {
        access,
      },
      allowed: '{ ccoctlName, policy?, distribution? }, `distribution` with access "cloudfront" only',
      remedy: "state what exists, as the installation has it",
    });
  return adopt;
}

function distributionSettings(
  props: IssuerBucketProps,
  tags: Record<string, string> | undefined,
): DistributionSettings {
  const { region, domainName, account, adopt, provider } = props;
  const partition = partitionOf(region);
  requireCloudFront(partition);
  if ((domainName === undefined) !== (props.certificateArn === undefined))
    fail("aws-missing", incompleteDomain());
  const existing = adopt?.distribution === undefined ? undefined : existingDistribution(adopt.distribution);
  return {
    bucketName: props.bucketName,
    origin: bucketHost(props.bucketName, region),
    comment: adopt ? ccoctlComment(adopt.ccoctlName) : `OIDC issuer ${props.bucketName}`,
    domain:
      domainName === undefined || props.certificateArn === undefined
        ? undefined
        : { name: issuerDomain(domainName), certificateArn: certificateArn(props.certificateArn) },
    existing: existing && { ...existing, arn: distributionArn(partition, account, existing.id) },
    tags,
    provider,
  };
}

function literalIssuer(
  name: string,
  region: string,
  distribution: DistributionSettings | undefined,
): Issuer | undefined {
  if (!distribution) return awsIssuer(bucketIssuer(name, region));
  const host = distribution.domain?.name ?? distribution.existing?.domainName;
  return host === undefined ? undefined : awsIssuer(`https://${host}`);
}

/** What is wrong with … */
function incompleteDomain(): Problem {
  return {
    problem: "an issuer under a domain of one's own needs the domain and its certificate",
    allowed: "domainName and certificateArn together, with access through CloudFront",
    remedy: "give both, or neither to use the name that CloudFront gives the distribution",
  };
}
