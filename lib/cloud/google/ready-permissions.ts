/*
 * Permissions of workloads that many clusters run; `docs/workloads.md` lists what each row leaves out.
 */

import { type ReadyPermissions, type ReadyWorkload, readyWorkload } from "../../model/workloads";
import type { GoogleRoleGrant } from "../../rules/google/permission";
import {
  type DnsProjectProps,
  type ExternalSecretsProps,
  type FluxSourceControllerProps,
  CERT_MANAGER,
  EXTERNAL_DNS,
  EXTERNAL_SECRETS,
  FLUX_SOURCE_CONTROLLER,
} from "../../rules/google/ready-permissions";
import { type GoogleAccess, googleAccess } from "./access";

function ready<Props>(
  name: string,
  row: ReadyPermissions<Props, readonly GoogleRoleGrant[]>,
  props: Props,
): ReadyWorkload<GoogleAccess> {
  return readyWorkload(name, row, props, (roles) => googleAccess({ roles }));
}

/** ExternalDNS: the DNS zones of a project, all of them. */
export function externalDns(props: DnsProjectProps): ReadyWorkload<GoogleAccess> {
  return ready("externalDns", EXTERNAL_DNS, props);
}

/** cert-manager: the DNS zones of a project, all of them, for DNS01 challenges. */
export function certManager(props: DnsProjectProps): ReadyWorkload<GoogleAccess> {
  return ready("certManager", CERT_MANAGER, props);
}

/** External Secrets Operator: reads the secrets. */
export function externalSecrets(props: ExternalSecretsProps): ReadyWorkload<GoogleAccess> {
  return ready("externalSecrets", EXTERNAL_SECRETS, props);
}

/** Flux's source-controller: reads the repositories, for objects with `provider: gcp`. */
export function fluxSourceController(props: FluxSourceControllerProps): ReadyWorkload<GoogleAccess> {
  return ready("fluxSourceController", FLUX_SOURCE_CONTROLLER, props);
}
