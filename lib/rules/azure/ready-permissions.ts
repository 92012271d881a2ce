/*
 * The Azure permissions of software that many clusters run: one row per program, with the document of its project that
 * names the roles. The disk and file drivers, Cluster Autoscaler and Karpenter (node auto-provisioning) of AKS have no
 * row: AKS runs them with identities of its own (kubernetes-sigs/azuredisk-csi-driver, docs/workload-identity.md).
 */

import {
  type Kind,
  type ObjectKind,
  anyObject,
  choice,
  like,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import type { ReadyPermissions } from "../../model/workloads";
import type { AccessRole } from "./access";
import { type RegistryPull, pullPermissions } from "./permission";

/** Settings of `certManager()`. */
export interface DnsZonesProps {
  /** Resource ids of the DNS zones; may be late. At least one. */
  readonly dnsZones: readonly string[];
}

/** Settings of `externalDns()`. */
export interface ExternalDnsProps extends DnsZonesProps {
  /** Resource id of the zones' resource group, in which ExternalDNS looks for them; may be late. */
  readonly resourceGroup: string;
}

/** Settings of `externalSecrets()`. */
export interface ExternalSecretsProps {
  /** Resource ids of the key vaults, which must use Azure role-based access control; may be late. At least one. */
  readonly keyVaults: readonly string[];
}

/** Settings of software that pulls artefacts. */
export interface ContainerRegistriesProps {
  /** Registries of the artefacts: `acr()`, without `owner`. At least one. */
  readonly from: readonly RegistryPull[];
}

const DNS_ZONES_PROPS: ObjectKind<DnsZonesProps> = object({ dnsZones: list(text) });
const EXTERNAL_DNS_PROPS: ObjectKind<ExternalDnsProps> = object({
  ...DNS_ZONES_PROPS.shape,
  resourceGroup: text,
});
const EXTERNAL_SECRETS_PROPS: ObjectKind<ExternalSecretsProps> = object({ keyVaults: list(text) });
const ACR: Kind<RegistryPull & { readonly owner?: never }> = like("acr(…), without owner", {
  registry: text,
  loginServer: anyObject,
  owner: optional(choice([])),
});
const CONTAINER_REGISTRIES_PROPS: ObjectKind<ContainerRegistriesProps> = object({ from: list(ACR) });

type Row<Props> = ReadyPermissions<Props, readonly AccessRole[]>;

function atEach(role: string, scopes: readonly string[]): readonly AccessRole[] {
  return scopes.map((scope) => ({ role, scope }));
}

const WRITES_RECORDS = "DNS Zone Contributor";

export const EXTERNAL_DNS: Row<ExternalDnsProps> = {
  serviceAccount: "external-dns/external-dns",
  source: "kubernetes-sigs/external-dns 0.22.0, docs/tutorials/azure.md",
  leavesOut: "zones that are not named, private zones (role Private DNS Zone Contributor)",
  props: EXTERNAL_DNS_PROPS,
  rights: ({ dnsZones, resourceGroup }) => [
    ...atEach(WRITES_RECORDS, dnsZones),
    ...(dnsZones.length === 0 ? [] : atEach("Reader", [resourceGroup])),
  ],
};

export const CERT_MANAGER: Row<DnsZonesProps> = {
  serviceAccount: "cert-manager/cert-manager",
  source: "cert-manager/website for 1.21.1, content/docs/configuration/acme/dns01/azuredns.md",
  leavesOut: "zones that are not named",
  props: DNS_ZONES_PROPS,
  rights: ({ dnsZones }) => atEach(WRITES_RECORDS, dnsZones),
};

export const EXTERNAL_SECRETS: Row<ExternalSecretsProps> = {
  serviceAccount: "external-secrets/external-secrets",
  source: "external-secrets/external-secrets 2.9.0, docs/provider/azure-key-vault.md",
  leavesOut:
    "keys, certificates (role Key Vault Certificate User), `PushSecret`, vaults with access policies",
  props: EXTERNAL_SECRETS_PROPS,
  rights: ({ keyVaults }) => atEach("Key Vault Secrets User", keyVaults),
};

const pullRoles: Row<ContainerRegistriesProps>["rights"] = ({ from }) =>
  pullPermissions(from).map(({ registry, roleDefinitionName, condition }) => ({
    role: roleDefinitionName,
    scope: registry,
    ...(condition !== undefined && { condition }),
  }));

export const FLUX_SOURCE_CONTROLLER: Row<ContainerRegistriesProps> = {
  serviceAccount: "flux-system/source-controller",
  source: "fluxcd/website for 2.8.8, content/en/flux/integrations/azure.md",
  leavesOut:
    "other registries, storage containers, Azure DevOps, objects with a `serviceAccountName`, the other controllers",
  props: CONTAINER_REGISTRIES_PROPS,
  rights: pullRoles,
};

/** It uses workload identity only for these of the repositories that it reads: util/helm/creds.go. */
export const ARGO_CD_REPO_SERVER: Row<ContainerRegistriesProps> = {
  serviceAccount: "argocd/argocd-repo-server",
  source: "argoproj/argo-cd 3.4, docs/user-guide/private-repositories.md",
  leavesOut: "other registries, Azure DevOps; repositories of type `oci`, whose credentials are passwords",
  props: CONTAINER_REGISTRIES_PROPS,
  rights: pullRoles,
};
