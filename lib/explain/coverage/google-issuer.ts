/*
 * The Cloud Storage bucket of an issuer, as `IssuerBucket` of Google declares it. Whatever is not in these rows may keep
 * readers out, and is not judged.
 *
 * Source: schema of hashicorp/google 6 and 7.
 */

import type { Rows } from "./coverage";

/** By type, for the bucket and what it consists of. */
export const STORAGE: Rows = {
  google_storage_bucket: {
    read: "name",
    // Objects of every storage class are read at once.
    harmless:
      "autoclass cors custom_placement_config default_event_based_hold enable_object_retention force_destroy labels location logging project retention_policy rpo soft_delete_policy storage_class uniform_bucket_level_access versioning",
    computed: "effective_labels id project_number self_link terraform_labels time_created updated url",
    only: { public_access_prevention: ["inherited"] },
  },
  // Of everyone, and without a condition.
  google_storage_bucket_iam_member: {
    read: "bucket member",
    computed: "etag id",
    only: { role: ["roles/storage.legacyObjectReader", "roles/storage.objectViewer"] },
  },
};

/** By type, for a document. */
export const OBJECT: Rows = {
  google_storage_bucket_object: {
    read: "bucket content lifecycle name",
    harmless:
      "cache_control content_disposition deletion_policy detect_md5hash event_based_hold metadata retention source_md5hash storage_class temporary_hold",
    computed: "crc32c generation id md5hash md5hexhash media_link output_name self_link",
    only: { content_type: ["application/json"] },
  },
};
