/*
 * Workloads that many clusters run, with what they may do; `docs/workloads.md` lists what each row leaves out.
 */

import { type ReadyPermissions, type ReadyWorkload, readyWorkload } from "../../model/workloads";
import type { AccessRole } from "../../rules/azure/access";
import {
  type DnsZonesProps,
  type ExternalDnsProps,
  type ExternalSecretsProps,
  CERT_MANAGER,
  EXTERNAL_DNS,
  EXTERNAL_SECRETS,
} from "../../rules/azure/ready-permissions";
import { type AzureAccess, azureAccess } from "./workload";

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
