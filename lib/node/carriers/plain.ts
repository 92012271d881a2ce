import type { Construct } from "constructs";
import type { IManifestSink } from "../../model/manifest-sink";
import type { INodeCarrier } from "../../model/node-carrier";
import type { NodeSetup } from "../../model/node-file";
import { type ObjectKind, checkGiven, object, optional, text } from "../../model/shape";
import { plainIssuers } from "../../rules/node/issuers";
import { writeIssuers } from "./issuers";

const ISSUERS_COMMENT: readonly string[] = [
  "Arguments of every kube-apiserver, in this order: the first issuer signs, all are accepted.",
];

/** Settings of a {@link PlainCarrier}. */
export interface PlainCarrierProps {
  /**
   * Name of the setup; becomes `nodes/<name>.yaml`.
   *
   * @defaultValue "all-nodes"
   */
  readonly name?: string;
}

const PLAIN_CARRIER_PROPS: ObjectKind<PlainCarrierProps> = object({
  name: optional(text),
});

/**
 * Writes files and kubelet flags as data, for whatever sets up the nodes: cloud-init, kubeadm, an image builder.
 *
 * The kubelet reads its credential provider configuration only at start, so restart it after you write the files.
 */
export class PlainCarrier implements INodeCarrier<Construct> {
  /** Name of the setup. */
  readonly name: string;

  constructor(props: PlainCarrierProps = {}) {
    checkGiven(new.target.name, PLAIN_CARRIER_PROPS, props);
    this.name = props.name ?? "all-nodes";
  }

  /** Writes the setup unchanged. */
  carry(sink: IManifestSink<Construct>, setup: NodeSetup): void {
    sink.nodeSetup(this.name, setup);
  }

  /** Writes the arguments of the API servers as data. */
  carryIssuers(sink: IManifestSink<Construct>, issuers: readonly string[]): void {
    writeIssuers(sink, this.name, plainIssuers(issuers), ISSUERS_COMMENT);
  }
}
