import type { Construct } from "constructs";
import type { INodeCarrier } from "../../model/node-carrier";
import { type Kind, type ObjectKind, made, method, object, optional, text } from "../../model/shape";
import { CLOUD_INIT } from "../../rules/node/cloud-init";
import type { NodeTransport } from "../../rules/node/form";
import type { KubeletHost } from "../../rules/node/host";

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

export const HOST_CARRIER_PROPS: ObjectKind<HostCarrierProps> = object({
  name: optional(text),
  by: optional(TRANSPORT),
});

/** Brings what a distribution reads to its nodes, by a transport of files. */
export function hostCarrier(
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
