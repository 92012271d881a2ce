import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { throwFirst } from "../errors";
import { clusterObject } from "../kubernetes/metadata";
import { MULTI_KUEUE, profileNamespaceIssues } from "../rules/fleet/consumer";
import { type SpokeCluster, SPOKE_CLUSTER, profileName as checkedName } from "./spoke-cluster";
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

  constructor(scope: Construct, id: string, props: MultiKueueClusterProps) {
    checkProps(new.target.name, scope, id, MULTI_KUEUE_CLUSTER_PROPS, props);
    super(scope, id);
    const { profileName, inventory } = props.spoke;
    throwFirst(profileNamespaceIssues(MULTI_KUEUE, inventory.namespace));
    const name = checkedName(props.name ?? profileName, "name of a MultiKueueCluster");
    this.resource = clusterObject(this, "Resource", {
      apiVersion: "kueue.x-k8s.io/v1beta2",
      kind: "MultiKueueCluster",
      metadata: { name },
      spec: { clusterSource: { clusterProfileRef: { name: profileName } } },
    });
  }
}
