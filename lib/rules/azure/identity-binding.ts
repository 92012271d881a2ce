/*
 * AKS identity bindings: a proxy of the cluster exchanges a service account's token for the identity's, if RBAC of the
 * cluster lets the service account use the identity. Entra trusts one issuer per identity, whatever the cluster, by a
 * federated identity credential that AKS itself writes.
 *
 * Sources: AKS documentation, "Identity bindings concepts" and "Set up identity bindings"; Azure REST API,
 * Microsoft.ContainerService 2026-04-01, IdentityBindings; Azure/azure-workload-identity 1.6, pkg/webhook/webhook.go.
 */

import { fail } from "../../errors";
import { isAksIssuer } from "../../model/aks-issuer";
import type { Issuer } from "../../model/issuer";
import { stableHash } from "../names";
import type { AzureCloudName } from "./clouds";

/** The resource in Azure Resource Manager, below the cluster. */
export const IDENTITY_BINDING = "Microsoft.ContainerService/managedClusters/identityBindings";

/** The first stable version of its API. */
export const IDENTITY_BINDING_API = "2026-04-01";

/** Audience of the tokens that the proxy takes; the webhook writes it into the pods' volumes. */
export const IDENTITY_BINDING_AUDIENCE = "api://AKSIdentityBinding";

/** Annotation of pods; without it the webhook gives them a token for Entra itself. It compares the value in any letter case. */
export const IDENTITY_BINDING_ANNOTATION = "azure.workload.identity/use-identity-binding";

/** What a service account must be allowed, on a resource that is named after the identity's client id. */
export const USE_IDENTITY = { verb: "use-managed-identity", apiGroup: "cid.wi.aks.azure.com" } as const;

const NAME_MAX = 63;

/** A name of a binding: the API's pattern allows small letters and digits. */
export function identityBindingName(parts: readonly string[]): string {
  const hash = stableHash(parts);
  const readable = parts.join("").replace(/[^a-z0-9]/g, "");
  return `ib${readable.slice(0, NAME_MAX - hash.length - "ib".length)}${hash}`;
}

/** What is known of the use of identity bindings. */
export interface IdentityBindingUse {
  readonly issuer: Issuer;
  readonly cloud: AzureCloudName | undefined;
  /** The audience of tokens for Entra, if it is stated. */
  readonly audience: string | undefined;
  /** True if the identities also trust the cluster's tokens. */
  readonly federated: boolean;
  /** True if the cluster is known not to switch on AKS's webhook. */
  readonly withoutWebhook: boolean;
  /** True if the cluster's API server is known to be integrated into a virtual network. */
  readonly isInNetwork: boolean;
}

/** Refuses identity bindings where AKS does not have them. */
export function checkIdentityBinding(use: IdentityBindingUse): void {
  const { issuer, cloud = "AzurePublicCloud", audience, federated, withoutWebhook, isInNetwork } = use;
  const instead = "leave `identityBinding` out: federated identity credentials work there";
  if (!issuer.late && !isAksIssuer(issuer.url))
    fail("azure-unsupported", {
      problem: "identity bindings exist only on AKS clusters, but the issuer is not an AKS cluster's",
      value: issuer.url,
      allowed: "https://<region>.oic.prod-aks.azure.com/<tenant>/<id>/",
      remedy: instead,
    });
  // docs.azure.cn describes a preview; nothing describes them for Azure Government.
  if (cloud !== "AzurePublicCloud" || (!issuer.late && !issuer.url.includes("-aks.azure.com/")))
    fail("azure-unsupported", {
      problem: "identity bindings are generally available only in Azure's public cloud",
      value: cloud === "AzurePublicCloud" ? issuer.url : cloud,
      allowed: "AzurePublicCloud",
      remedy: instead,
    });
  if (withoutWebhook)
    fail("azure-unsupported", {
      problem: "identity bindings need the webhook that AKS runs, which the cluster does not switch on",
      value: "workload_identity_enabled",
      allowed: "workload_identity_enabled = true",
      remedy: "set it on the cluster",
    });
  if (isInNetwork)
    fail("azure-unsupported", {
      problem: "AKS does not support identity bindings on clusters with API server VNet integration",
      value: "virtual_network_integration_enabled",
      allowed: "a cluster without it",
      remedy: instead,
    });
  if (audience !== undefined && !federated)
    fail("azure-unused", {
      problem: "`audience` has no effect with `identityBinding`, whose tokens have an audience of their own",
      value: audience,
      allowed: "`audience` with `federatedCredentials: true`",
      remedy: "leave it out",
    });
}
