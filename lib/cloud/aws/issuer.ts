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
import { TerraformLocal, type ITerraformDependable } from "cdktf";
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
import { preventDestroy } from "../shared/prevent-destroy";
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

/** Declares a document of an issuer as an object in its bucket; its ETag reveals changes made elsewhere. */
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

/** Puts a text with a late issuer into a local, so that Terraform computes the ETag from exactly that text. */
function contentOf(scope: Construct, id: string, text: string): { content: string; etag: string } {
  if (!isLate(text)) return { content: terraformText(text), etag: objectEtag(text) };
  const local = `local.${new TerraformLocal(scope, `${id}Text`, terraformText(text)).friendlyUniqueId}`;
  return { content: `\${${local}}`, etag: `\${md5(${local})}` };
}

const METHODS: string[] = ["GET", "HEAD"];

/**
 * A CloudFront distribution that serves an issuer's private bucket through origin access control, over https only. It
 * does not cache, so a rotated key set is visible at once.
 */
export class IssuerDistribution extends Construct {
  /** The Terraform resource of the distribution. */
  readonly resource: CloudfrontDistribution;
  /** How the distribution signs its requests to the bucket. */
  readonly originAccessControl: CloudfrontOriginAccessControl;
  /** ARN of the distribution; literal for an adopted one. */
  readonly arn: string;
  /** Host that serves the documents; literal with your own domain, and for an adopted distribution. */
  readonly domainName: string;

  constructor(scope: Construct, id: string, settings: DistributionSettings) {
    checkProps(new.target.name, scope, id, DISTRIBUTION_SETTINGS, settings);
    super(scope, id);
    const { existing, domain, provider } = settings;

    this.originAccessControl = new CloudfrontOriginAccessControl(this, "OriginAccessControl", {
      // Must be unique in the account and have at most 64 characters, which is true of bucket names.
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
    preventDestroy(this.resource);
    if (existing) this.resource.importFrom(existing.id, provider);

    this.arn = existing?.arn ?? this.resource.arn;
    this.domainName = domain?.name ?? existing?.domainName ?? this.resource.domainName;
  }
}

function distributionConfig(
  { origin, comment, domain, existing, tags, provider }: DistributionSettings,
  originAccessControlId: string,
): CloudfrontDistributionConfig {
  // ccoctl's id of the origin, so that adopting shows no difference.
  const originId = `https://${origin}`;
  return {
    comment,
    enabled: true,
    // An adopted distribution is not changed only to get an IPv6 address.
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
 * Publishes the discovery document and the keys of a cluster's issuer in an S3 bucket.
 *
 * By default the bucket is private and is served by a CloudFront distribution. Private keys are refused: the bucket
 * only ever has public ones.
 */
export class IssuerBucket extends Construct implements IIssuerHost {
  /** The Terraform resource of the bucket. */
  readonly resource: S3Bucket;
  /** Blocks all other public access. */
  readonly publicAccessBlock: S3BucketPublicAccessBlock;
  /** The policy that allows reading the documents. */
  readonly policy: S3BucketPolicy;
  /** The distribution in front of the bucket; `undefined` for a public bucket. */
  readonly distribution: IssuerDistribution | undefined;
  /** `.well-known/openid-configuration`. */
  readonly discovery: S3Object;
  /** The key set. */
  readonly jwks: S3Object;
  /** The issuer; late if CloudFront chooses the host. */
  readonly issuer: Issuer;

  constructor(scope: Construct, id: string, props: IssuerBucketProps) {
    checkProps(new.target.name, scope, id, ISSUER_BUCKET_PROPS, props);
    super(scope, id);
    const settings = at(this, () => issuerBucketSettings(this, props));
    const { distribution } = settings;

    this.resource = declareBucket(this, settings);
    // Turns access control lists off.
    const ownership = new S3BucketOwnershipControls(this, "OwnershipControls", {
      ...partOf(this.resource, settings),
      rule: { objectOwnership: "BucketOwnerEnforced" },
    });
    this.publicAccessBlock = blockPublicAccess(this, this.resource, settings);
    this.distribution = distribution && new IssuerDistribution(this, "Distribution", distribution);
    this.policy = declarePolicy(this, this.resource, settings);
    orderPolicy(this, settings, ownership);
    declareInAccount(this, bucketOnce(settings.partition.name, settings.bucketName));

    this.issuer = settings.issuer ?? Issuer.of(`https://${this.distribution?.domainName ?? ""}`);
    const documents = issuerDocuments(this.issuer, props.keys, { jwksPath: settings.jwksPath });
    this.discovery = issuerObject(this, "Discovery", this.resource, documents.discovery, settings);
    this.jwks = issuerObject(this, "Jwks", this.resource, documents.jwks, settings);
    // CloudFront's own host name is already a reference, and S3's hosts always exist; only your own domain needs this.
    const needs = distribution?.domain && this.distribution ? [this.distribution.resource] : [];
    publishIssuer(this, this.issuer.url, needs);
  }

  /**
   * Makes OIDC providers of this issuer that are declared later wait for the DNS record of `domainName`, or for
   * whatever else the host needs to answer: IAM requests its certificate.
   */
  waitForRecord(...records: readonly ITerraformDependable[]): void {
    publishIssuer(this, this.issuer.url, records);
  }
}

function partOf(bucket: S3Bucket, { region, provider }: IssuerBucketSettings) {
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
  preventDestroy(bucket);
  if (adopt) bucket.importFrom(importId(bucketName, region), provider);
  const part = partOf(bucket, settings);
  new S3BucketServerSideEncryptionConfigurationA(scope, "Encryption", {
    ...part,
    // S3's keys instead of KMS keys: the documents are public, and readers would need the KMS key too.
    rule: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }],
  });
  if (versioning)
    new S3BucketVersioningA(scope, "Versioning", { ...part, versioningConfiguration: { status: "Enabled" } });
  return bucket;
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
 * Orders the policy. S3 refuses a public policy while the public access block is on. If documents have been public by
 * access control lists, block and ownership end that, so the policy comes first. An adopted distribution switches to
 * origin access control only after the policy allows it, otherwise the documents would be unreadable for a while. A new
 * distribution is created after the bucket.
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
