import {
  CloudfrontDistribution,
  type CloudfrontDistributionConfig,
} from "@cdktf/provider-aws/lib/cloudfront-distribution/index.js";
import { CloudfrontOriginAccessControl } from "@cdktf/provider-aws/lib/cloudfront-origin-access-control/index.js";
import { Construct } from "constructs";
import { cachingDisabledPolicyId } from "../../rules/aws/issuer";
import { attributeOf } from "../shared/references";
import { type DistributionSettings, DISTRIBUTION_SETTINGS } from "./issuer-bucket-settings";
import { checkProps } from "../../model/shape";

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
  /** Host that the documents are served from; literal with a domain of one's own, or where it is taken over. */
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
      ...(provider ? { provider } : {}),
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
    ...(tags ? { tags } : {}),
    ...(provider ? { provider } : {}),
  };
}
