import type { Construct } from "constructs";
import type { INodeCarrier } from "../../model/node-carrier";
import { checkGiven } from "../../model/shape";
import { rancherHost } from "../../rules/node/rancher";
import { HOST_CARRIER_PROPS, type HostCarrierProps, hostCarrier } from "./host";

/** K3s nodes: the CredentialProviderConfig, and both flags in a file below `/etc/rancher/k3s/config.yaml.d/`. */
export function k3s(props: HostCarrierProps = {}): INodeCarrier<Construct> {
  checkGiven("k3s()", HOST_CARRIER_PROPS, props);
  return hostCarrier(rancherHost("k3s"), props);
}

/** RKE2 nodes: the CredentialProviderConfig, and both flags in a file below `/etc/rancher/rke2/config.yaml.d/`. */
export function rke2(props: HostCarrierProps = {}): INodeCarrier<Construct> {
  checkGiven("rke2()", HOST_CARRIER_PROPS, props);
  return hostCarrier(rancherHost("rke2"), props);
}
