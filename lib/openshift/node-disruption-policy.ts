import type { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { clusterObject } from "../kubernetes/metadata";
import { literal } from "../model/late";
import { nodeFile } from "../model/node-file";
import { kubeletRestart } from "../rules/openshift/node-disruption";
import { type ObjectKind, checkProps, list, object, text } from "../model/shape";

/** Which changes a {@link NodeDisruptionPolicy} makes gentle. */
export interface NodeDisruptionPolicyProps {
  /** Absolute paths of files, or of directories for all below them. */
  readonly paths: readonly string[];
}

const NODE_DISRUPTION_POLICY_PROPS: ObjectKind<NodeDisruptionPolicyProps> = object({
  paths: list(text),
});

const NO_MODE = 0;

/**
 * Restarts the kubelet, instead of draining and rebooting the node, when a MachineConfig changes one of the paths.
 *
 * The object `MachineConfiguration/cluster` is a singleton that others may own. Apply it with
 * `kubectl apply --server-side`: the list is merged by path (openshift/api, operator/v1, `listType=map`), so entries
 * of others stay. Apply it before the MachineConfigs. OpenShift 4.17 and newer; without effect on hosted clusters.
 */
export class NodeDisruptionPolicy extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  /** Throws `node-disruption-paths-missing`, `node-file-invalid` for a path that is not absolute and clean, or `late-value`. */
  constructor(scope: Construct, id: string, props: NodeDisruptionPolicyProps) {
    checkProps(new.target.name, scope, id, NODE_DISRUPTION_POLICY_PROPS, props);
    super(scope, id);
    const paths = literal(props.paths, "paths of a node disruption policy");
    if (paths.length === 0) fail("node-disruption-paths-missing");
    const checked = paths.map((path) => nodeFile({ path, mode: NO_MODE, content: "" }).path);
    this.resource = clusterObject(this, "Resource", {
      apiVersion: "operator.openshift.io/v1",
      kind: "MachineConfiguration",
      metadata: { name: "cluster" },
      spec: { nodeDisruptionPolicy: { files: [...new Set(checked)].sort().map(kubeletRestart) } },
    });
  }
}
