import { type AwsProps, AWS_PROPS } from "./props";
import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail, type Problem } from "../../errors";
import { Issuer } from "../../model/issuer";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import { type ObjectKind, boolean, choice, list, object, optional, record, text } from "../../model/shape";
import {
  type ExistingDistribution,
  EXISTING_DISTRIBUTION,
  certificateArn,
  distributionArn,
  existingDistribution,
  issuerDomain,
  requireCloudFront,
} from "../../rules/aws/distribution";
import { bucketHost, bucketIssuer, bucketName, type IssuerBucketPlace } from "../../rules/aws/issuer";
import {
  ccoctlComment,
  ccoctlNameOf,
  ccoctlTags,
  OBJECT_TAGS_MAX,
  tagArguments,
} from "../../rules/aws/names";
import { partitionOf } from "../../rules/aws/partitions";
import { awsIssuer } from "../../rules/aws/provider";
import { issuerDocuments } from "../../rules/openid/issuer-documents";
import { PROVIDER } from "../shared/kinds";
import { type OnceInAccount, declaredInAccount } from "./once";
import { checkProviderPlace } from "./place";

/** How the issuer's documents are read: through CloudFront, or directly from a public bucket. */
export type IssuerBucketAccess = "cloudfront" | "public";

/** Resources of `ccoctl aws` that Terraform adopts. */
export interface AdoptedIssuerBucket {
  /** The `--name` that was given to ccoctl; tags and comments with it are kept. */
  readonly ccoctlName: string;
  /**
   * False if the bucket has neither a policy nor a public access block, like buckets of an old ccoctl, whose documents
   * are public by access control lists. Both are then created, before the lists are turned off.
   *
   * @defaultValue true
   */
  readonly policy?: boolean;
  /**
   * The distribution in front of the bucket, created with `--create-private-s3-bucket`.
   *
   * @defaultValue - none; with access through CloudFront one is created, which changes the issuer
   */
  readonly distribution?: ExistingDistribution;
}

const ADOPTED_ISSUER_BUCKET: ObjectKind<AdoptedIssuerBucket> = object({
  ccoctlName: text,
  policy: optional(boolean),
  distribution: optional(EXISTING_DISTRIBUTION),
});

/** Settings of an {@link IssuerBucket}. */
export interface IssuerBucketProps extends AwsProps {
  /** Name of the bucket, unique in the whole partition, without dots. */
  readonly bucketName: string;
  /** Region of the bucket. */
  readonly region: string;
  /** The public keys to publish; exactly one of them is `current`. */
  readonly keys: readonly IssuerKey[];
  /**
   * `cloudfront` keeps the bucket private, behind a distribution with origin access control; `public` lets everyone
   * read the two documents in the bucket, and needs an account without an account-wide public access block.
   *
   * @defaultValue "cloudfront"
   */
  readonly access?: IssuerBucketAccess;
  /**
   * Literal host of the issuer in your own domain, for example `oidc.example.com`. Its DNS record must point to the
   * distribution, and IAM requests the host's certificate when the OIDC provider is created: see `waitForRecord`.
   *
   * @defaultValue - the host that CloudFront chooses; the issuer is known after apply
   */
  readonly domainName?: string;
  /**
   * ARN of the certificate for `domainName`, in us-east-1; may be late.
   *
   * @defaultValue - the certificate of CloudFront's own names
   */
  readonly certificateArn?: string;
  /**
   * Whether S3 keeps earlier versions of the documents.
   *
   * @defaultValue false
   */
  readonly versioning?: boolean;
  /**
   * Path of the key set below the issuer.
   *
   * @defaultValue "keys.json"
   */
  readonly jwksPath?: string;
  /**
   * Account of the bucket, 12 digits; required to adopt a distribution.
   *
   * @defaultValue - unknown
   */
  readonly account?: string;
  /**
   * Adopts resources of ccoctl with Terraform import blocks.
   *
   * @defaultValue - everything is created
   */
  readonly adopt?: AdoptedIssuerBucket;
}

export const ISSUER_BUCKET_PROPS: ObjectKind<IssuerBucketProps> = object({
  ...AWS_PROPS.shape,
  bucketName: text,
  region: text,
  keys: list(ISSUER_KEY),
  access: optional(choice(["cloudfront", "public"])),
  domainName: optional(text),
  certificateArn: optional(text),
  versioning: optional(boolean),
  jwksPath: optional(text),
  account: optional(text),
  adopt: optional(ADOPTED_ISSUER_BUCKET),
});

export interface DistributionSettings {
  readonly bucketName: string;
  readonly origin: string;
  readonly comment: string;
  /** Your own domain and its certificate; `undefined` for CloudFront's host. */
  readonly domain: { readonly name: string; readonly certificateArn: string } | undefined;
  /** The adopted distribution with its ARN; `undefined` for a new one. */
  readonly existing: (ExistingDistribution & { readonly arn: string }) | undefined;
  readonly tags: Record<string, string> | undefined;
  readonly provider: TerraformProvider | undefined;
}

export const DISTRIBUTION_SETTINGS: ObjectKind<DistributionSettings> = object({
  bucketName: text,
  origin: text,
  comment: text,
  domain: optional(object({ name: text, certificateArn: text })),
  existing: optional(object({ ...EXISTING_DISTRIBUTION.shape, arn: text })),
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});

export interface IssuerBucketSettings extends IssuerBucketPlace {
  readonly region: string;
  /** The issuer; `undefined` if CloudFront chooses the host. */
  readonly issuer: Issuer | undefined;
  readonly jwksPath: string;
  readonly adopt: boolean;
  readonly adoptPolicy: boolean;
  readonly versioning: boolean;
  readonly distribution: DistributionSettings | undefined;
  readonly tags: Record<string, string> | undefined;
  readonly provider: TerraformProvider | undefined;
}

const DEFAULT_JWKS_PATH = "keys.json";

/** Used to check documents if the issuer is known after apply. */
const SOME_ISSUER = Issuer.of("https://issuer.example.com");

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
      remedy: "give each issuer its own bucket",
    });
  checkProviderPlace(construct, { partition: partition.name, account: props.account, provider });
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

/** Bucket names are unique in a partition, so the partition is used in place of the account. */
export function bucketOnce(partition: string, name: string): OnceInAccount {
  return { kind: "bucket", account: partition, name };
}

function checkedAdoption(
  adopt: AdoptedIssuerBucket | undefined,
  access: IssuerBucketAccess,
): AdoptedIssuerBucket | undefined {
  if (!adopt) return undefined;
  ccoctlNameOf(adopt.ccoctlName);
  if (access === "public" && adopt.distribution !== undefined)
    return fail("aws-invalid", {
      problem: "`adopt` names a distribution, but `access` is public, which does not use one",
      value: { access },
      allowed: '{ ccoctlName, policy?, distribution? }, `distribution` with access "cloudfront" only',
      remedy: "state the resources that the installation has",
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

function incompleteDomain(): Problem {
  return {
    problem: "an issuer under your own domain needs the domain and its certificate",
    allowed: "domainName and certificateArn together, with access through CloudFront",
    remedy: "set both, or neither to use the host that CloudFront chooses",
  };
}
