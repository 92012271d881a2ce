import type { Construct } from "constructs";
import type { INodeCarrier } from "../../model/node-carrier";
import { type ObjectKind, checkGiven, object, optional, text } from "../../model/shape";
import { kopsSpec } from "../../rules/node/kops";

/** Where kOps installs the kubelet. */
export interface KopsProps {
  /**
   * Path of the kubelet: `/opt/kubernetes/bin/kubelet` on Flatcar, `/home/kubernetes/bin/kubelet` on Container-Optimized OS.
   *
   * @defaultValue "/usr/local/bin/kubelet"
   */
  readonly kubelet?: string;
  /**
   * Name of the document; becomes `nodes/<name>.yaml`.
   *
   * @defaultValue "kops"
   */
  readonly name?: string;
}

const KOPS_PROPS: ObjectKind<KopsProps> = object({ kubelet: optional(text), name: optional(text) });

const KOPS_COMMENT: readonly string[] = [
  "Put spec into the Cluster, or into the InstanceGroups whose nodes pull; `kops rolling-update cluster` replaces the nodes.",
  "The plugins that kOps ships (ecr v1.31) do not support tokens: state where nodes download a newer one.",
];

/** kOps nodes: file assets, including a systemd drop-in that passes both flags to the kubelet. */
export function kops(props: KopsProps = {}): INodeCarrier<Construct> {
  checkGiven("kops()", KOPS_PROPS, props);
  const { kubelet = "/usr/local/bin/kubelet", name = "kops" } = props;
  return {
    carry: (sink, setup) => {
      const cluster = { apiVersion: "kops.k8s.io/v1alpha2", kind: "Cluster", spec: kopsSpec(setup, kubelet) };
      sink.nodeDocument(name, { form: "kops", extension: "yaml", content: [cluster], comment: KOPS_COMMENT });
    },
  };
}
