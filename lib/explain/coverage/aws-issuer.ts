/*
 * The S3 bucket of an issuer and the CloudFront distribution before it, as `IssuerBucket` declares them. Whatever is not
 * in these rows may keep readers out or serve other documents, and is not judged. States also hold what other resources
 * of the bucket set: its policy, its encryption, its access control list.
 *
 * Source: schemas of hashicorp/aws 5 and 6; "Origin settings" and "Cache behavior settings" of the CloudFront guide.
 */

import { cachingDisabledPolicyId } from "../../rules/aws/distribution";
import type { Coverage, Rows } from "./coverage";

/** S3 decrypts with its own keys for everyone; for a KMS key readers would need a right. */
const ENCRYPTION: Coverage = {
  harmless: "bucket_key_enabled blocked_encryption_types",
  blocks: { apply_server_side_encryption_by_default: { only: { sse_algorithm: ["AES256"] } } },
};

/** The arguments that every resource of a bucket has. */
const PART = { read: "bucket", computed: "id" } as const;

/** A policy for one distribution is not public, so that the other two settings do not concern it. */
const BLOCK = "region skip_destroy block_public_acls ignore_public_acls";

/** What opens a bucket to everyone. "Blocking public access to your Amazon S3 storage". */
const OPEN = { block_public_policy: [false], restrict_public_buckets: [false] } as const;

/** By type, for a bucket that CloudFront reads. */
export const PRIVATE_BUCKET: Rows = {
  aws_s3_bucket: {
    read: "bucket policy region",
    harmless: "acceleration_status cors_rule force_destroy logging object_lock_enabled tags versioning",
    computed:
      "arn bucket_domain_name bucket_region bucket_regional_domain_name hosted_zone_id id tags_all website_domain website_endpoint",
    only: { acl: ["private"], request_payer: ["BucketOwner"] },
    blocks: {
      grant: {
        harmless: "id",
        only: { type: ["CanonicalUser"], permissions: [["FULL_CONTROL"]] },
      },
      server_side_encryption_configuration: { blocks: { rule: ENCRYPTION } },
    },
  },
  aws_s3_bucket_policy: { read: "bucket policy", harmless: "region", computed: "id" },
  aws_s3_bucket_public_access_block: {
    ...PART,
    harmless: `${BLOCK} block_public_policy restrict_public_buckets`,
  },
  // With the owner enforced there are no access control lists.
  aws_s3_bucket_ownership_controls: {
    ...PART,
    harmless: "region",
    blocks: { rule: { only: { object_ownership: ["BucketOwnerEnforced"] } } },
  },
  aws_s3_bucket_server_side_encryption_configuration: {
    ...PART,
    harmless: "region expected_bucket_owner",
    blocks: { rule: ENCRYPTION },
  },
  // Earlier versions of the documents are not read without their ids.
  aws_s3_bucket_versioning: {
    ...PART,
    harmless: "region expected_bucket_owner mfa versioning_configuration",
  },
};

/** By type, for a bucket that everyone reads. */
export const PUBLIC_BUCKET: Rows = {
  ...PRIVATE_BUCKET,
  aws_s3_bucket_public_access_block: { ...PART, harmless: BLOCK, only: OPEN },
  aws_s3_account_public_access_block: {
    read: "account_id",
    harmless: "block_public_acls ignore_public_acls",
    computed: "id",
    only: OPEN,
  },
};

/** By type, for a document in the bucket. */
export const S3_DOCUMENT: Rows = {
  aws_s3_object: {
    read: "bucket content key lifecycle",
    harmless: "bucket_key_enabled cache_control content_disposition force_destroy metadata region tags",
    computed:
      "arn checksum_crc32 checksum_crc32c checksum_crc64nvme checksum_sha1 checksum_sha256 etag id tags_all version_id",
    only: {
      acl: ["private"],
      content_type: ["application/json"],
      server_side_encryption: ["AES256"],
      storage_class: ["STANDARD"],
    },
  },
};

/** CloudFront takes only methods with GET and HEAD, and https with each of these policies. */
const BEHAVIOR: Coverage = {
  read: "target_origin_id",
  harmless: "allowed_methods cached_methods compress realtime_log_config_arn",
  only: {
    cache_policy_id: [cachingDisabledPolicyId],
    viewer_protocol_policy: ["https-only", "redirect-to-https", "allow-all"],
  },
};

export const DISTRIBUTION: Rows = {
  aws_cloudfront_distribution: {
    read: "aliases domain_name enabled",
    harmless:
      "comment default_root_object http_version is_ipv6_enabled logging_config price_class retain_on_delete tags wait_for_deployment",
    computed:
      "arn caller_reference etag hosted_zone_id id in_progress_validation_batches last_modified_time logging_v1_enabled status tags_all trusted_key_groups trusted_signers",
    only: { staging: [false] },
    blocks: {
      origin: {
        read: "domain_name origin_access_control_id origin_id",
        only: { connection_attempts: [3], connection_timeout: [10] },
      },
      default_cache_behavior: BEHAVIOR,
      restrictions: { blocks: { geo_restriction: { only: { restriction_type: ["none"] } } } },
      viewer_certificate: {
        harmless: "acm_certificate_arn",
        only: {
          cloudfront_default_certificate: [true],
          minimum_protocol_version: ["TLSv1", "TLSv1.2_2021"],
          ssl_support_method: ["sni-only"],
        },
      },
    },
  },
  aws_cloudfront_origin_access_control: {
    harmless: "description name",
    computed: "arn etag id",
    only: {
      origin_access_control_origin_type: ["s3"],
      signing_behavior: ["always"],
      signing_protocol: ["sigv4"],
    },
  },
};
