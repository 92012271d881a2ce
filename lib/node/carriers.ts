import type { Construct } from "constructs";
import type { IManifestSink } from "../model/manifest-sink";
import type { NodePlaces, INodeCarrier } from "../model/node-carrier";
import type { NodeSetup } from "../model/node-file";
import { type Kind, type ObjectKind, checkGiven, like, method, object, optional, text } from "../model/shape";
import { CLOUD_INIT } from "../rules/node/cloud-init";
import type { NodeTransport } from "../rules/node/form";
import type { KubeletHost } from "../rules/node/host";
import { rancherHost } from "../rules/node/rancher";

export type { NodeTransport } from "../rules/node/form";

/** How the files of a distribution get to its nodes. */
export interface HostCarrierProps {
  /**
   * Name of the document; becomes `nodes/<name>.yaml`, or what ending the transport has.
   *
   * @defaultValue - the name of the distribution
   */
  readonly name?: string;
  /**
   * What brings the files to the nodes: `cloudInit()`, `ignition()`, `butane()`.
   *
   * @defaultValue cloudInit()
   */
  readonly by?: NodeTransport;
}

const TRANSPORT: Kind<NodeTransport> = like("a transport of files, such as cloudInit()", {
  form: text,
  document: method,
});

const HOST_CARRIER_PROPS: ObjectKind<HostCarrierProps> = object({
  name: optional(text),
  by: optional(TRANSPORT),
});

/** Nodes of a distribution whose kubelet takes its flags from files, brought there as one document. */
class HostCarrier implements INodeCarrier<Construct> {
  readonly places: NodePlaces;
  readonly #host: KubeletHost;
  readonly #name: string;
  readonly #by: NodeTransport;

  constructor(host: KubeletHost, { name = host.id, by = CLOUD_INIT }: HostCarrierProps) {
    this.places = host.places;
    this.#host = host;
    this.#name = name;
    this.#by = by;
  }

  checkKubelet(kubelet: string): void {
    this.#host.checkKubelet?.(kubelet);
  }

  carry(sink: IManifestSink<Construct>, setup: NodeSetup): void {
    const { comment = [], ...document } = this.#by.document(this.#host.files(setup), setup.executables ?? []);
    sink.nodeDocument(this.#name, { ...document, comment: [...comment, ...this.#host.comment] });
  }
}

function hostCarrier(maker: string, host: KubeletHost, props: HostCarrierProps): INodeCarrier<Construct> {
  checkGiven(maker, HOST_CARRIER_PROPS, props);
  return new HostCarrier(host, props);
}

/** Nodes of K3s: the configuration, and both flags in a file below `/etc/rancher/k3s/config.yaml.d/`. */
export function k3s(props: HostCarrierProps = {}): INodeCarrier<Construct> {
  return hostCarrier("k3s()", rancherHost("k3s"), props);
}

/** Nodes of RKE2: the configuration, and both flags in a file below `/etc/rancher/rke2/config.yaml.d/`. */
export function rke2(props: HostCarrierProps = {}): INodeCarrier<Construct> {
  return hostCarrier("rke2()", rancherHost("rke2"), props);
}

/** User data of cloud-init, of the format `#cloud-config`. */
export function cloudInit(): NodeTransport {
  return CLOUD_INIT;
}
