/*
 * The arguments of what maps tokens to accounts of registries. Source: the documentation of jfrog/platform (c9cb421, May
 * 2026) and cloudsmith-io/cloudsmith (4a4a506, August 2026), docs/resources.
 */

import type { Rows } from "./coverage";

export const REGISTRY_ROWS: Rows = {
  // `audience` is for people, says the provider.
  platform_oidc_configuration: {
    read: "name issuer_url",
    harmless: "description audience use_default_proxy",
    only: { provider_type: ["generic"] },
  },
  platform_oidc_identity_mapping: {
    read: "provider_name claims_json",
    harmless: "name description priority",
    blocks: {
      token_spec: {
        read: "username",
        harmless: "expires_in",
        only: { scope: ["applied-permissions/user"], audience: ["*@*"] },
      },
    },
  },
  platform_aws_iam_role: { read: "username iam_role" },
  cloudsmith_oidc: {
    read: "namespace enabled provider_url claims service_accounts",
    harmless: "name",
    computed: "id slug slug_perm",
  },
};
