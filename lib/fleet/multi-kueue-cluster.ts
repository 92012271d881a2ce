import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { throwFirst } from "../errors";
import { clusterObject } from "../kubernetes/metadata";
import { MULTI_KUEUE, profileNamespaceIssues } from "../rules/fleet/consumer";
import { type SpokeCluster, SPOKE_CLUSTER } from "./spoke-cluster";
import { type ObjectKind, checkProps, object } from "../model/shape";

/** The inputs of a {@link MultiKueueCluster}. */
export interface MultiKueueClusterProps {
  /** The spoke that receives the jobs; its profile must be in Kueue's namespace. */
  readonly spoke: SpokeCluster;
}

const MULTI_KUEUE_CLUSTER_PROPS: ObjectKind<MultiKueueClusterProps> = object({ spoke: SPOKE_CLUSTER });

/**
 * A worker cluster that MultiKueue reaches through the spoke's ClusterProfile. It has the profile's name; list it in a
 * MultiKueueConfig. Source:
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
    this.resource = clusterObject(this, "Resource", {
      apiVersion: "kueue.x-k8s.io/v1beta2",
      kind: "MultiKueueCluster",
      metadata: { name: profileName },
      spec: { clusterSource: { clusterProfileRef: { name: profileName } } },
    });
  }
}
