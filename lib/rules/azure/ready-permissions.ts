/*
 * What software that many clusters run needs in Azure: for each program a row with the document of its project that names
 * the roles. The disk and file drivers, Cluster Autoscaler and Karpenter (node auto-provisioning) of AKS are no rows: AKS
 * runs them with identities of its own (kubernetes-sigs/azuredisk-csi-driver, docs/workload-identity.md).
 */

import { type ObjectKind, list, object, text } from "../../model/shape";
import type { ReadyPermissions } from "../../model/workloads";
import type { AccessRole } from "./access";

/** Settings of `certManager()`. */
export interface DnsZonesProps {
  /** Resource ids of the DNS zones; may be late. At least one. */
  readonly dnsZones: readonly string[];
}

/** Settings of `externalDns()`. */
export interface ExternalDnsProps extends DnsZonesProps {
  /** Resource id of the resource group of the zones, in which ExternalDNS looks for them; may be late. */
  readonly resourceGroup: string;
}

/** Settings of `externalSecrets()`. */
export interface ExternalSecretsProps {
  /** Resource ids of the key vaults, which must use Azure role-based access control; may be late. At least one. */
  readonly keyVaults: readonly string[];
}

const DNS_ZONES_PROPS: ObjectKind<DnsZonesProps> = object({ dnsZones: list(text) });
const EXTERNAL_DNS_PROPS: ObjectKind<ExternalDnsProps> = object({
  ...DNS_ZONES_PROPS.shape,
  resourceGroup: text,
});
const EXTERNAL_SECRETS_PROPS: ObjectKind<ExternalSecretsProps> = object({ keyVaults: list(text) });

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
