import type { Construct } from "constructs";
import type { INodeCarrier } from "../model/node-carrier";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  example,
  made,
  method,
  object,
  optional,
  text,
} from "../model/shape";
import { CLOUD_INIT } from "../rules/node/cloud-init";
import type { NodeTransport } from "../rules/node/form";
import type { KubeletHost } from "../rules/node/host";
import { microShiftHost } from "../rules/node/microshift";
import { rancherHost } from "../rules/node/rancher";

/** How the files of a distribution get to its nodes. */
export interface HostCarrierProps {
  /**
   * Name of the document, which becomes `nodes/<name>.yaml`; some transports use another file extension.
   *
   * @defaultValue - the name of the distribution
   */
  readonly name?: string;
  /**
   * The format that brings the files to the nodes: `cloudInit()`, `ignition()`, `butane(…)`.
   *
   * @defaultValue cloudInit()
   */
  readonly by?: NodeTransport;
}

const TRANSPORT: Kind<NodeTransport> = made("a transport of files, such as cloudInit()", "cloudInit()", {
  form: text,
  document: method,
});

/** The kind of {@link HostCarrierProps}. */
export const HOST_CARRIER_PROPS: ObjectKind<HostCarrierProps> = object({
  name: optional(text),
  by: optional(TRANSPORT),
});

function hostCarrier(
  host: KubeletHost,
  { name = host.id, by = CLOUD_INIT }: HostCarrierProps,
): INodeCarrier<Construct> {
  return {
    places: host.places,
    recorded: host.recorded ?? {},
    checkKubelet: (kubelet) => host.checkKubelet?.(kubelet),
    carry: (sink, setup) => {
      const { comment = [], ...document } = by.document(host.files(setup), setup.executables ?? []);
      sink.nodeDocument(name, { ...document, comment: [...comment, ...host.comment] });
    },
  };
}

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

/** Which MicroShift version the devices run, and how files get there. */
export interface MicroShiftProps extends HostCarrierProps {
  /** Version of MicroShift, newer than 4.22. */
  readonly version: string;
}

const MICRO_SHIFT_PROPS: ObjectKind<MicroShiftProps> = object({
  ...HOST_CARRIER_PROPS.shape,
  version: example(text, '"4.22"'),
});

/** MicroShift devices: the CredentialProviderConfig, and both keys in a file below `/etc/microshift/config.d/`. */
export function microShift(props: MicroShiftProps): INodeCarrier<Construct> {
  checkGiven("microShift()", MICRO_SHIFT_PROPS, props);
  return hostCarrier(microShiftHost(props.version), props);
}
