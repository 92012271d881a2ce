import type { TerraformProvider } from "cdktf";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import { type ExistingDistribution, EXISTING_DISTRIBUTION } from "../../rules/aws/issuer";
import { PROVIDER } from "../shared/kinds";
import { type ObjectKind, boolean, choice, list, object, optional, record, text } from "../../model/shape";

/** How the issuer's documents are read: through CloudFront, or from the bucket itself by anybody. */
export type IssuerBucketAccess = "cloudfront" | "public";

/** What `ccoctl aws` made, and Terraform takes over. */
export interface AdoptedIssuerBucket {
  /** The `--name` that ccoctl was given: its tags and comments are kept. */
  readonly ccoctlName: string;
  /**
   * False where the bucket has neither a policy nor a block of public access, as buckets have that an old ccoctl made:
   * its documents are public by their access control lists. Both are then made, and before the lists lose their effect.
   *
   * @defaultValue true
   */
  readonly policy?: boolean;
  /**
   * The distribution in front of the bucket, made with `--create-private-s3-bucket`.
   *
   * @defaultValue - none exists; with access through CloudFront one is made, and the issuer changes
   */
  readonly distribution?: ExistingDistribution;
}

const ADOPTED_ISSUER_BUCKET: ObjectKind<AdoptedIssuerBucket> = object({
  ccoctlName: text,
  policy: optional(boolean),
  distribution: optional(EXISTING_DISTRIBUTION),
});

/** Settings of an {@link IssuerBucket}. */
export interface IssuerBucketProps {
  /** Name of the bucket, unique in the whole partition, without dots. */
  readonly bucketName: string;
  /** Region of the bucket. */
  readonly region: string;
  /** The public keys to publish; exactly one of them is `current`. */
  readonly keys: readonly IssuerKey[];
  /**
   * Who reads the documents: `cloudfront` keeps the bucket private, behind a distribution with origin access control;
   * `public` lets anybody read the two documents, and needs an account whose own block of public access is off.
   *
   * @defaultValue "cloudfront"
   */
  readonly access?: IssuerBucketAccess;
  /**
   * Host of the issuer, a domain of your own: `oidc.example.com`; literal. Its DNS record must name the distribution,
   * and IAM asks the host for its certificate when the OIDC provider is made: see `waitForRecord`.
   *
   * @defaultValue - the name that CloudFront gives; the issuer is known after apply
   */
  readonly domainName?: string;
  /**
   * ARN of the certificate for `domainName`, in us-east-1; may be late.
   *
   * @defaultValue - the certificate of CloudFront's own names
   */
  readonly certificateArn?: string;
  /**
   * Whether S3 keeps former versions of the documents.
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
   * Account of the bucket, 12 digits; needed to adopt a distribution.
   *
   * @defaultValue - unknown
   */
  readonly account?: string;
  /**
   * Takes over what ccoctl made, with Terraform import blocks.
   *
   * @defaultValue - everything is made
   */
  readonly adopt?: AdoptedIssuerBucket;
  /**
   * Tags of bucket, documents and distribution; at most 10, those of ccoctl counted.
   *
   * @defaultValue - none; with `adopt` those of ccoctl
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Terraform provider of everything that is declared.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

/** The kind of {@link IssuerBucketProps}. */
export const ISSUER_BUCKET_PROPS: ObjectKind<IssuerBucketProps> = object({
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
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});
