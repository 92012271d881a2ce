/*
 * Permissions of workloads that many clusters run; `docs/workloads.md` lists what each row leaves out.
 */

import { type ReadyPermissions, type ReadyWorkload, readyWorkload } from "../../model/workloads";
import type { AccessRole } from "../../rules/azure/access";
import {
  type ContainerRegistriesProps,
  type DnsZonesProps,
  type ExternalDnsProps,
  type ExternalSecretsProps,
  ARGO_CD_REPO_SERVER,
  CERT_MANAGER,
  EXTERNAL_DNS,
  EXTERNAL_SECRETS,
  FLUX_SOURCE_CONTROLLER,
} from "../../rules/azure/ready-permissions";
import { type AzureAccess, azureAccess } from "./access";

function ready<Props>(
  name: string,
  row: ReadyPermissions<Props, readonly AccessRole[]>,
  props: Props,
): ReadyWorkload<AzureAccess> {
  return readyWorkload(name, row, props, (roles) => azureAccess({ roles }));
}

/** ExternalDNS: records of the DNS zones. */
export function externalDns(props: ExternalDnsProps): ReadyWorkload<AzureAccess> {
  return ready("externalDns", EXTERNAL_DNS, props);
}

/** cert-manager: records of the DNS zones, for DNS01 challenges. */
export function certManager(props: DnsZonesProps): ReadyWorkload<AzureAccess> {
  return ready("certManager", CERT_MANAGER, props);
}

/** External Secrets Operator: reads the secrets of the key vaults. */
export function externalSecrets(props: ExternalSecretsProps): ReadyWorkload<AzureAccess> {
  return ready("externalSecrets", EXTERNAL_SECRETS, props);
}

/** Flux's source-controller: pulls from the registries, for objects with `provider: azure`. */
export function fluxSourceController(props: ContainerRegistriesProps): ReadyWorkload<AzureAccess> {
  return ready("fluxSourceController", FLUX_SOURCE_CONTROLLER, props);
}

/** Argo CD's repo-server: pulls Helm charts from the registries, for Secrets with `useAzureWorkloadIdentity: "true"`. */
export function argoCdRepoServer(props: ContainerRegistriesProps): ReadyWorkload<AzureAccess> {
  return ready("argoCdRepoServer", ARGO_CD_REPO_SERVER, props);
}
