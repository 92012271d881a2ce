import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { fail } from "../errors";
import { at, record } from "../model/parsed";
import { type Kind, type ObjectKind, anyObject, checkProps, like, object, text } from "../model/shape";
import {
  CLUSTER_SECRET_LABEL,
  CLUSTER_SECRET_PREFIX,
  clusterSecretData,
  statusCluster,
} from "../rules/fleet/cluster-secret";
import { CLUSTER_MANAGER_LABEL } from "../rules/fleet/names";
import type { AccessProvider } from "../rules/fleet/provider-list";
import { type SpokeCluster, SPOKE_CLUSTER, profileName } from "./spoke-cluster";

/** The inputs of a {@link ClusterSecret}. */
export interface ClusterSecretProps {
  /** The spoke. Its ClusterProfile need not be applied. */
  readonly spoke: SpokeCluster;
  /** How Argo CD runs the plugin for the spoke: the spoke's entry of an `AccessProvidersFile`. */
  readonly provider: AccessProvider;
}

const PROVIDER: Kind<AccessProvider> = like("an entry of AccessProvidersFile.providers", {
  name: text,
  execConfig: anyObject,
});
const CLUSTER_SECRET_PROPS: ObjectKind<ClusterSecretProps> = object({
  spoke: SPOKE_CLUSTER,
  provider: PROVIDER,
});

/**
 * A cluster Secret for Argo CD, in the namespace of the inventory: the address, the certificate authority, and the
 * command that returns short-lived credentials. It contains nothing secret.
 */
export class ClusterSecret extends Construct {
  /** The manifest, `cluster-<name of the spoke>`. */
  readonly resource: ApiObject;

  constructor(scope: Construct, id: string, props: ClusterSecretProps) {
    checkProps(new.target.name, scope, id, CLUSTER_SECRET_PROPS, props);
    super(scope, id);
    const { spoke, provider } = props;
    const { clusterManager, namespace } = spoke.inventory;
    const { [CLUSTER_MANAGER_LABEL]: _, ...labels } = record(at(spoke.statusDocument, "metadata", "labels"));
    if (provider.execConfig.provideClusterInfo)
      fail("fleet-unsupported", {
        problem:
          "the plugin reads the spoke from KUBERNETES_EXEC_INFO, which Argo CD passes only from 3.5 on",
        value: spoke.profileName,
        allowed: "a plugin that takes the spoke from arguments and variables",
        remedy: "remove `pluginByCloud`, so that Argo CD runs argocd-k8s-auth",
      });
    this.resource = new ApiObject(this, "Resource", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: {
        namespace,
        name: profileName(`${CLUSTER_SECRET_PREFIX}${spoke.profileName}`, "name of a cluster Secret"),
        labels: {
          ...labels,
          "app.kubernetes.io/managed-by": clusterManager,
          [CLUSTER_SECRET_LABEL]: "cluster",
        },
      },
      type: "Opaque",
      stringData: clusterSecretData(
        String(at(spoke.statusDocument, "spec", "displayName")),
        statusCluster(spoke.statusDocument),
        provider,
      ),
    });
  }
}
