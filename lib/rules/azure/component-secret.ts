/*
 * Secrets of OpenShift's components on Azure. Source: openshift/cloud-credential-operator,
 * pkg/cmd/provisioning/azure/create_managed_identities.go and create_oidc_issuer.go.
 */

import { COMPONENT_TOKEN_PATH, type ComponentSecret } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { WEBHOOK_SECRET } from "./pod-identity-webhook";

/** What a component must know of its identity. */
export interface ComponentCredentials {
  /** Client id; late unless adopted with a literal one. */
  readonly clientId: string;
  /** Tenant; may be late. */
  readonly tenantId: string;
  /** Region of the cluster. */
  readonly region: string;
  /** Subscription of the cluster. */
  readonly subscriptionId: string;
}

/** The Secret that a component reads, keys in the order in which `ccoctl` writes them. */
export function componentSecret(
  { secret, cloudTokenPath }: CredentialsRequest,
  { clientId, tenantId, region, subscriptionId }: ComponentCredentials,
): ComponentSecret {
  return {
    ...secret,
    stringData: {
      azure_client_id: clientId,
      azure_tenant_id: tenantId,
      azure_region: region,
      azure_subscription_id: subscriptionId,
      azure_federated_token_file: cloudTokenPath ?? COMPONENT_TOKEN_PATH,
    },
  };
}

/** The Secret that makes OpenShift run Azure's pod identity webhook. */
export function webhookSecret(tenantId: string): ComponentSecret & {
  /** Name of its file below `manifests/`, without `.yaml`. */
  readonly file: string;
} {
  return { ...WEBHOOK_SECRET, stringData: { azure_tenant_id: tenantId } };
}
