import {
  CloudfrontDistribution,
  type CloudfrontDistributionConfig,
} from "@cdktf/provider-aws/lib/cloudfront-distribution/index.js";
import { CloudfrontOriginAccessControl } from "@cdktf/provider-aws/lib/cloudfront-origin-access-control/index.js";
import { S3BucketOwnershipControls } from "@cdktf/provider-aws/lib/s3-bucket-ownership-controls/index.js";
import { S3BucketPolicy } from "@cdktf/provider-aws/lib/s3-bucket-policy/index.js";
import { S3BucketPublicAccessBlock } from "@cdktf/provider-aws/lib/s3-bucket-public-access-block/index.js";
import { S3BucketServerSideEncryptionConfigurationA } from "@cdktf/provider-aws/lib/s3-bucket-server-side-encryption-configuration/index.js";
import { S3BucketVersioningA } from "@cdktf/provider-aws/lib/s3-bucket-versioning/index.js";
import { S3Bucket } from "@cdktf/provider-aws/lib/s3-bucket/index.js";
import { S3Object } from "@cdktf/provider-aws/lib/s3-object/index.js";
import { TerraformLocal, type ITerraformDependable, type TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { at } from "../../errors";
import { type IIssuerHost, Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import { checkProps } from "../../model/shape";
import { cachingDisabledPolicyId } from "../../rules/aws/distribution";
import {
  importId,
  issuerCacheControl,
  objectEtag,
  distributionBucketPolicy,
  publicBucketPolicy,
} from "../../rules/aws/issuer";
import { policyText } from "../../rules/aws/policy-document";
import { type OpenIdDocument, issuerDocuments } from "../../rules/openid/issuer-documents";
import { terraformText } from "../../rules/terraform-text";
import { publishIssuer } from "../shared/issuer-hosts";
import { keepNames } from "../shared/kept-names";
import { attributeOf, dependsOn } from "../shared/references";
import {
  type IssuerBucketSettings,
  type DistributionSettings,
  DISTRIBUTION_SETTINGS,
  type IssuerBucketProps,
  ISSUER_BUCKET_PROPS,
  bucketOnce,
  issuerBucketSettings,
} from "./issuer-props";
import { declareInAccount } from "./once";

/** Declares a document of an issuer as an object of its bucket; a change from outside is seen by its ETag. */
function issuerObject(
  scope: Construct,
  id: string,
  bucket: S3Bucket,
  { path, text, contentType }: OpenIdDocument,
  { bucketName, region, tags, provider, adopt }: IssuerBucketSettings,
): S3Object {
  const object = new S3Object(scope, id, {
    bucket: attributeOf(bucket, "id"),
    region,
    key: path,
    ...contentOf(scope, id, text),
    contentType,
    cacheControl: issuerCacheControl,
    tags,
    provider,
  });
  keepNames(object, { names: { key: path }, statedBy: "jwksPath; the discovery document has one place" });
  if (adopt) object.importFrom(importId(`${bucketName}/${path}`, region), provider);
  return object;
}

/** The text of a late issuer is in a local, so that Terraform can make the ETag of exactly that text. */
function contentOf(scope: Construct, id: string, text: string): { content: string; etag: string } {
  if (!isLate(text)) return { content: terraformText(text), etag: objectEtag(text) };
  const local = `local.${new TerraformLocal(scope, `${id}Text`, terraformText(text)).friendlyUniqueId}`;
  return { content: `\${${local}}`, etag: `\${md5(${local})}` };
}

const METHODS: string[] = ["GET", "HEAD"];

/**
 * A distribution of CloudFront that reads an issuer's private bucket with origin access control, over https only and
 * without keeping anything, so that a rotated key set is seen at once.
 */
export class IssuerDistribution extends Construct {
  /** The Terraform resource of the distribution. */
  readonly resource: CloudfrontDistribution;
  /** How the distribution signs its requests to the bucket. */
  readonly originAccessControl: CloudfrontOriginAccessControl;
  /** ARN of the distribution; literal for one that is taken over. */
  readonly arn: string;
  /** Host that the documents are served from; literal with your own domain, or where it is taken over. */
  readonly domainName: string;

  constructor(scope: Construct, id: string, settings: DistributionSettings) {
    checkProps(new.target.name, scope, id, DISTRIBUTION_SETTINGS, settings);
    super(scope, id);
    const { existing, domain, provider } = settings;

    this.originAccessControl = new CloudfrontOriginAccessControl(this, "OriginAccessControl", {
      // Unique in the account, at most 64 characters: as names of buckets are.
      name: settings.bucketName,
      description: settings.comment,
      originAccessControlOriginType: "s3",
      signingBehavior: "always",
      signingProtocol: "sigv4",
      provider,
    });
    this.resource = new CloudfrontDistribution(
      this,
      "Resource",
      distributionConfig(settings, attributeOf(this.originAccessControl, "id")),
    );
    if (existing) this.resource.importFrom(existing.id, provider);

    this.arn = existing?.arn ?? this.resource.arn;
    this.domainName = domain?.name ?? existing?.domainName ?? this.resource.domainName;
  }
}

function distributionConfig(
  { origin, comment, domain, existing, tags, provider }: DistributionSettings,
  originAccessControlId: string,
): CloudfrontDistributionConfig {
  // ccoctl's id of the origin: the same on both ways, so that adopting shows no difference.
  const originId = `https://${origin}`;
  return {
    comment,
    enabled: true,
    // Another reachable address is no reason to change a distribution that is taken over.
    ...(existing ? {} : { isIpv6Enabled: true }),
    ...(domain ? { aliases: [domain.name] } : {}),
    origin: [{ domainName: origin, originId, originAccessControlId }],
    defaultCacheBehavior: {
      targetOriginId: originId,
      viewerProtocolPolicy: "https-only",
      allowedMethods: METHODS,
      cachedMethods: METHODS,
      cachePolicyId: cachingDisabledPolicyId,
    },
    restrictions: { geoRestriction: { restrictionType: "none" } },
    viewerCertificate: domain
      ? {
          acmCertificateArn: domain.certificateArn,
          sslSupportMethod: "sni-only",
          minimumProtocolVersion: "TLSv1.2_2021",
        }
      : { cloudfrontDefaultCertificate: true },
    tags,
    provider,
  };
}

/**
 * Publishes the discovery document and the keys of a cluster's issuer from a bucket of S3.
 *
 * By default the bucket is private, and one distribution of CloudFront reads it. The public keys of the cluster are
 * all it holds; a private key has no way in.
 */
export class IssuerBucket extends Construct implements IIssuerHost {
  /** The Terraform resource of the bucket. */
  readonly resource: S3Bucket;
  /** Keeps everything else from becoming public. */
  readonly publicAccessBlock: S3BucketPublicAccessBlock;
  /** Who may read the documents. */
  readonly policy: S3BucketPolicy;
  /** The distribution in front of the bucket; `undefined` for a public bucket. */
  readonly distribution: IssuerDistribution | undefined;
  /** `.well-known/openid-configuration`. */
  readonly discovery: S3Object;
  /** The key set. */
  readonly jwks: S3Object;
  /** The issuer; late where CloudFront names it. */
  readonly issuer: Issuer;

  constructor(scope: Construct, id: string, props: IssuerBucketProps) {
    checkProps(new.target.name, scope, id, ISSUER_BUCKET_PROPS, props);
    super(scope, id);
    const settings = at(this, () => issuerBucketSettings(this, props));
    const { distribution } = settings;

    this.resource = declareBucket(this, settings);
    const ownership = declareOwnership(this, this.resource, settings);
    this.publicAccessBlock = blockPublicAccess(this, this.resource, settings);
    this.distribution = distribution && new IssuerDistribution(this, "Distribution", distribution);
    this.policy = declarePolicy(this, this.resource, settings);
    orderPolicy(this, settings, ownership);
    declareInAccount(this, bucketOnce(settings.partition.name, settings.bucketName));

    this.issuer = settings.issuer ?? Issuer.of(`https://${this.distribution?.domainName ?? ""}`);
    const documents = issuerDocuments(this.issuer, props.keys, { jwksPath: settings.jwksPath });
    this.discovery = issuerObject(this, "Discovery", this.resource, documents.discovery, settings);
    this.jwks = issuerObject(this, "Jwks", this.resource, documents.jwks, settings);
    // A name of CloudFront's own is a reference already, and S3 answers for every bucket.
    if (distribution?.domain && this.distribution) this.waitForRecord(this.distribution.resource);
  }

  /**
   * Lets OIDC providers of this issuer that are declared later wait for the DNS record of `domainName`, or for what
   * else must exist before the issuer's host answers: IAM asks it for its certificate.
   */
  waitForRecord(...records: readonly ITerraformDependable[]): void {
    publishIssuer(this, this.issuer.url, records);
  }
}

interface BucketPart {
  readonly bucket: string;
  readonly region: string;
  readonly provider?: TerraformProvider;
}

function partOf(bucket: S3Bucket, { region, provider }: IssuerBucketSettings): BucketPart {
  return { bucket: attributeOf(bucket, "id"), region, provider };
}

function declareBucket(scope: Construct, settings: IssuerBucketSettings): S3Bucket {
  const { bucketName, region, tags, provider, adopt, versioning } = settings;
  const bucket = new S3Bucket(scope, "Resource", {
    bucket: bucketName,
    region,
    tags,
    provider,
  });
  keepNames(bucket, { names: { bucket: bucketName, region }, statedBy: "bucketName and region" });
  if (adopt) bucket.importFrom(importId(bucketName, region), provider);
  const part = partOf(bucket, settings);
  new S3BucketServerSideEncryptionConfigurationA(scope, "Encryption", {
    ...part,
    // Keys of S3, not of KMS: the documents are public, and a reader would need the key too.
    rule: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
  });
  if (versioning)
    new S3BucketVersioningA(scope, "Versioning", { ...part, versioningConfiguration: { status: "Enabled" } });
  return bucket;
}

/** Access control lists lose their effect. */
function declareOwnership(
  scope: Construct,
  bucket: S3Bucket,
  settings: IssuerBucketSettings,
): S3BucketOwnershipControls {
  return new S3BucketOwnershipControls(scope, "OwnershipControls", {
    ...partOf(bucket, settings),
    rule: { objectOwnership: "BucketOwnerEnforced" },
  });
}

function blockPublicAccess(
  scope: Construct,
  bucket: S3Bucket,
  settings: IssuerBucketSettings,
): S3BucketPublicAccessBlock {
  const closed = settings.distribution !== undefined;
  const block = new S3BucketPublicAccessBlock(scope, "PublicAccessBlock", {
    ...partOf(bucket, settings),
    blockPublicAcls: true,
    ignorePublicAcls: true,
    blockPublicPolicy: closed,
    restrictPublicBuckets: closed,
  });
  if (settings.adoptPolicy)
    block.importFrom(importId(settings.bucketName, settings.region), settings.provider);
  return block;
}

function declarePolicy(
  scope: IssuerBucket,
  bucket: S3Bucket,
  settings: IssuerBucketSettings,
): S3BucketPolicy {
  const { distribution } = scope;
  const document = distribution
    ? distributionBucketPolicy(settings, {
        distributionArn: distribution.arn,
        originAccessIdentity: settings.distribution?.existing?.originAccessIdentity,
      })
    : publicBucketPolicy(settings);
  const policy = new S3BucketPolicy(scope, "Policy", {
    ...partOf(bucket, settings),
    policy: policyText(document),
  });
  if (settings.adoptPolicy)
    policy.importFrom(importId(settings.bucketName, settings.region), settings.provider);
  return policy;
}

/**
 * S3 refuses a public policy while the block is on. Where documents are public by access control lists so far, block
 * and ownership take that away, so the policy comes first. A distribution that is taken over changes how it reads only
 * once the policy lets it; before that the documents could not be read. A new one is made once the bucket is there.
 */
function orderPolicy(
  { policy, publicAccessBlock, distribution, resource }: IssuerBucket,
  { adopt, adoptPolicy, distribution: settings }: IssuerBucketSettings,
  ownership: S3BucketOwnershipControls,
): void {
  const byLists = adopt && !adoptPolicy;
  dependsOn(byLists ? publicAccessBlock : policy, [byLists ? policy : publicAccessBlock]);
  if (adopt) dependsOn(ownership, [policy]);
  if (distribution) dependsOn(distribution.resource, [settings?.existing ? policy : resource]);
}
