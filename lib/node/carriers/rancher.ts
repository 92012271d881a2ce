import type { Construct } from "constructs";
import type { INodeCarrier } from "../../model/node-carrier";
import { checkGiven } from "../../model/shape";
import { rancherAuthentication } from "../../rules/node/authentication";
import { CLOUD_INIT } from "../../rules/node/cloud-init";
import { rancherHost } from "../../rules/node/rancher";
import { rancherIssuers } from "../../rules/node/issuers";
import { HOST_CARRIER_PROPS, type HostCarrierProps, hostCarrier } from "./host";
import { writeIssuers } from "./issuers";

/** K3s nodes: the CredentialProviderConfig, and both flags in a file below `/etc/rancher/k3s/config.yaml.d/`. */
export function k3s(props: HostCarrierProps = {}): INodeCarrier<Construct> {
  checkGiven("k3s()", HOST_CARRIER_PROPS, props);
  return { ...hostCarrier(rancherHost("k3s"), props), ...issuersOf("k3s", props) };
}

/** RKE2 nodes: the CredentialProviderConfig, and both flags in a file below `/etc/rancher/rke2/config.yaml.d/`. */
export function rke2(props: HostCarrierProps = {}): INodeCarrier<Construct> {
  checkGiven("rke2()", HOST_CARRIER_PROPS, props);
  return { ...hostCarrier(rancherHost("rke2"), props), ...issuersOf("rke2", props) };
}

function issuersOf(
  distribution: "k3s" | "rke2",
  { name = distribution, by = CLOUD_INIT }: HostCarrierProps,
): Pick<INodeCarrier<Construct>, "carryIssuers" | "authentication"> {
  const comment = [
    `Put this on each server as /etc/rancher/${distribution}/config.yaml.d/60-service-account-issuer.yaml, and restart its`,
    `service (${distribution === "k3s" ? "k3s" : "rke2-server"}), one server after the other. Agents need nothing.`,
  ];
  return {
    carryIssuers: (sink, issuers) => writeIssuers(sink, name, rancherIssuers(issuers), comment),
    authentication: (file) => [by.document([file, rancherAuthentication(distribution, file)], [])],
  };
}
