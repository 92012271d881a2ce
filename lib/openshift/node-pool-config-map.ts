import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { namespaceName } from "../model/kubernetes-name";
import { checkedPools, machineConfigManifest } from "../rules/openshift/machine-config";
import { type MachineConfigProps, MACHINE_CONFIG_PROPS } from "./machine-config";
import { yamlText } from "./yaml-text";
import { type ObjectKind, checkProps, object, text } from "../model/shape";

/** What a {@link NodePoolConfigMap} holds, and where it stands. */
export interface NodePoolConfigMapProps {
  /** Name of the ConfigMap, which NodePools name in `spec.config`. */
  readonly name: string;
  /** Namespace of the NodePools, on the management cluster. */
  readonly namespace: string;
  /** Contents may be late. HyperShift forces the machine role `worker`. */
  readonly machineConfig: Omit<MachineConfigProps, "machineRole">;
}

const { machineRole: _, ...MACHINE_CONFIG } = MACHINE_CONFIG_PROPS.shape;

const NODE_POOL_CONFIG_MAP_PROPS: ObjectKind<NodePoolConfigMapProps> = object({
  name: text,
  namespace: text,
  machineConfig: object(MACHINE_CONFIG),
});

/**
 * A MachineConfig for HyperShift: wrapped in a ConfigMap on the management cluster, under the key `config`.
 *
 * Takes effect when a NodePool lists the ConfigMap in `spec.config` (at most ten); a changed content rolls the pool
 * out. Source: openshift/hypershift, hypershift-operator/controllers/nodepool.
 */
export class NodePoolConfigMap extends Construct {
  /** The manifest of the ConfigMap. */
  readonly resource: ApiObject;

  /** Throws what `MachineConfig` throws, `namespace-invalid`, and `pool-invalid` for a bad name of the ConfigMap. */
  constructor(scope: Construct, id: string, props: NodePoolConfigMapProps) {
    checkProps(new.target.name, scope, id, NODE_POOL_CONFIG_MAP_PROPS, props);
    super(scope, id);
    const namespace = namespaceName(props.namespace);
    const [name = props.name] = checkedPools("ConfigMap of a NodePool", [props.name]);
    const config = yamlText(machineConfigManifest({ ...props.machineConfig, machineRole: "worker" }));
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace, name },
      data: { config },
    });
  }
}
