import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { isDnsSubdomain } from "../model/kubernetes-name";
import { literal } from "../model/late";
import { clusterObject } from "../kubernetes/metadata";
import { type SpokeCluster, SPOKE_CLUSTER } from "./spoke-cluster";
import { type ObjectKind, checkProps, object, optional, text } from "../model/shape";

/** What a {@link MultiKueueCluster} refers to. */
export interface MultiKueueClusterProps {
  /** The spoke that jobs are sent to; its profile stands in Kueue's namespace. */
  readonly spoke: SpokeCluster;
  /**
   * Name of the object, which a MultiKueueConfig lists.
   *
   * @defaultValue - the name of the profile
   */
  readonly name?: string;
}

const MULTI_KUEUE_CLUSTER_PROPS: ObjectKind<MultiKueueClusterProps> = object({
  spoke: SPOKE_CLUSTER,
  name: optional(text),
});

/**
 * A worker cluster of MultiKueue that is reached through its ClusterProfile. Source:
 * kubernetes-sigs/kueue:apis/kueue/v1beta2/multikueue_types.go, exactly one of `kubeConfig` and `clusterProfileRef`.
 */
export class MultiKueueCluster extends Construct {
  /** The manifest. */
  readonly resource: ApiObject;

  /** Throws `kueue-profile-namespace`, `cluster-profile-name-invalid` or `late-value`. */
  constructor(scope: Construct, id: string, props: MultiKueueClusterProps) {
    checkProps(new.target.name, scope, id, MULTI_KUEUE_CLUSTER_PROPS, props);
    super(scope, id);
    const { profileName, inventory } = props.spoke;
    if (inventory.namespace !== "kueue-system") fail("kueue-profile-namespace", inventory.namespace);
    const name = literal(props.name ?? profileName, "name of a MultiKueueCluster");
    if (!isDnsSubdomain(name)) fail("cluster-profile-name-invalid", name);
    this.resource = clusterObject(this, "Resource", {
      apiVersion: "kueue.x-k8s.io/v1beta2",
      kind: "MultiKueueCluster",
      metadata: { name },
      spec: { clusterSource: { clusterProfileRef: { name: profileName } } },
    });
  }
}
