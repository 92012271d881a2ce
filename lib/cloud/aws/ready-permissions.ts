/*
 * Permissions of workloads that many clusters run; `docs/workloads.md` lists what each row leaves out.
 */

import { type ReadyWorkload, readyWorkload } from "../../model/workloads";
import { type KarpenterProps, KARPENTER } from "../../rules/aws/karpenter";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import {
  type EbsCsiDriverProps,
  type ExternalSecretsProps,
  type FluxSourceControllerProps,
  type HostedZonesProps,
  CERT_MANAGER,
  CLUSTER_AUTOSCALER,
  EBS_CSI_DRIVER,
  EXTERNAL_DNS,
  EXTERNAL_SECRETS,
  FLUX_SOURCE_CONTROLLER,
  LOAD_BALANCER_CONTROLLER,
} from "../../rules/aws/ready-permissions";
import type { Row, TaggedClusterProps } from "../../rules/aws/ready-statements";
import { awsAccess } from "./workload";
import type { AwsAccess } from "./workload-props";

function ready<Props>(name: string, row: Row<Props>, props: Props): ReadyWorkload<AwsAccess> {
  return readyWorkload(name, row, props, (statements: readonly PolicyStatement[]) =>
    awsAccess({ statements }),
  );
}

/** The controller of the EBS CSI driver: volumes and snapshots that it or the in-tree plugin created. */
export function ebsCsiDriver(props: EbsCsiDriverProps): ReadyWorkload<AwsAccess> {
  return ready("ebsCsiDriver", EBS_CSI_DRIVER, props);
}

/** The AWS Load Balancer Controller: load balancers and security groups with the cluster's tag. */
export function loadBalancerController(props: TaggedClusterProps): ReadyWorkload<AwsAccess> {
  return ready("loadBalancerController", LOAD_BALANCER_CONTROLLER, props);
}

/** ExternalDNS: records of the hosted zones. */
export function externalDns(props: HostedZonesProps): ReadyWorkload<AwsAccess> {
  return ready("externalDns", EXTERNAL_DNS, props);
}

/** cert-manager: TXT records of the hosted zones, for DNS01 challenges. */
export function certManager(props: HostedZonesProps): ReadyWorkload<AwsAccess> {
  return ready("certManager", CERT_MANAGER, props);
}

/** The controller of Karpenter: instances, launch templates and instance profiles with the cluster's tag. */
export function karpenter(props: KarpenterProps): ReadyWorkload<AwsAccess> {
  return ready("karpenter", KARPENTER, props);
}

/** Cluster Autoscaler: Auto Scaling groups with the cluster's tags. */
export function clusterAutoscaler(props: TaggedClusterProps): ReadyWorkload<AwsAccess> {
  return ready("clusterAutoscaler", CLUSTER_AUTOSCALER, props);
}

/** External Secrets Operator: reads the secrets and parameters. */
export function externalSecrets(props: ExternalSecretsProps): ReadyWorkload<AwsAccess> {
  return ready("externalSecrets", EXTERNAL_SECRETS, props);
}

/** Flux's source-controller: pulls from the repositories, for objects with `provider: aws`. */
export function fluxSourceController(props: FluxSourceControllerProps): ReadyWorkload<AwsAccess> {
  return ready("fluxSourceController", FLUX_SOURCE_CONTROLLER, props);
}
