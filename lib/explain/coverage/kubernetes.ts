/*
 * The arguments of Terraform resources that hold Kubernetes objects. What is in the objects themselves, the API server
 * checks: it drops what it does not know. Source: the documentation of hashicorp/kubernetes, 2.20 to 3.
 */

import type { Coverage } from "./coverage";

const METADATA: Coverage = {
  read: "name namespace annotations labels generate_name",
  computed: "generation resource_version uid self_link",
};

/** Which objects webhooks are for; what they do is not judged. */
const WEBHOOKS: Coverage = {
  read: "webhook",
  harmless: "id",
  blocks: {
    metadata: { read: "name", harmless: "annotations generate_name labels", computed: METADATA.computed },
  },
};

/** By type, which may also end with `_v1`. */
export const KUBERNETES: Readonly<Record<string, Coverage>> = {
  kubernetes_service_account: {
    // What pods mount by default is another token than those that clouds take.
    harmless: "id automount_service_account_token secret",
    computed: "default_secret_name",
    blocks: { metadata: METADATA, image_pull_secret: { read: "name" } },
  },
  kubernetes_manifest: {
    read: "manifest",
    harmless: "wait wait_for computed_fields",
    computed: "object",
    blocks: { field_manager: { read: "name", harmless: "force_conflicts" } },
  },
  kubernetes_mutating_webhook_configuration: WEBHOOKS,
  kubernetes_validating_webhook_configuration: WEBHOOKS,
  kubernetes_annotations: {
    read: "api_version kind annotations field_manager",
    harmless: "id force template_annotations",
    blocks: { metadata: { read: "name namespace" } },
  },
};
