import { Construct } from "constructs";
import { at, fail } from "../errors";
import { type ICluster, CLUSTER } from "../model/cluster";
import { type INodeCarrier, NODE_CARRIER } from "../model/node-carrier";
import { type ObjectKind, checkProps, list, object, optional } from "../model/shape";
import { manifestsFor } from "./cluster-job";

/** Properties of a {@link ControlPlane}. */
export interface ControlPlaneProps {
  /** The facts of a self-managed cluster, from `kubernetes()`. */
  readonly cluster: ICluster<Construct>;
  /**
   * How the control plane is set up, if not as the nodes are.
   *
   * @defaultValue - the carriers of `cluster`
   */
  readonly carriers?: readonly INodeCarrier<Construct>[];
}

const CONTROL_PLANE_PROPS: ObjectKind<ControlPlaneProps> = object({
  cluster: CLUSTER,
  carriers: optional(list(NODE_CARRIER)),
});

const JOB = { records: "controlPlane", construct: "ControlPlane" } as const;

/**
 * What the API servers of a self-managed cluster must be told, `control-plane/<name>.yaml`: the issuer that clouds trust
 * signs the tokens, and those that the cluster moves from stay accepted. In the form of kubeadm, Cluster API, K3s, RKE2
 * or Talos, or as data.
 *
 * Other distributions have their own way, and are refused: `Authentication/cluster` of OpenShift, kOps'
 * `serviceAccountIssuerDiscovery`. EKS, AKS and GKE set the issuer themselves.
 */
export class ControlPlane extends Construct {
  constructor(scope: Construct, id: string, props: ControlPlaneProps) {
    checkProps(new.target.name, scope, id, CONTROL_PLANE_PROPS, props);
    super(scope, id);
    const { cluster, carriers = cluster.carriers } = props;
    const { name, issuer, distribution } = cluster;
    if (carriers.length === 0 || carriers.some((each) => each.carryIssuers === undefined))
      at(this, () => refuse(distribution));
    const manifests = manifestsFor(this, { ...JOB, name, issuer: issuer.url });
    const urls = [issuer, ...issuer.additionalIssuers].map(({ url }) => url);
    at(this, () => {
      for (const carrier of carriers) carrier.carryIssuers?.(manifests, urls);
      manifests.record({ name, ...issuer.recorded });
    });
  }
}

function refuse(distribution: string): never {
  return fail("node-unsupported", {
    problem: "the issuer of this cluster's API servers is not set by a file of its control plane",
    value: distribution,
    allowed:
      "a cluster of kubernetes() with kubeadm(), kubeadmConfigTemplate(), k3s(), rke2(), talos() or data as carriers",
    remedy:
      "on OpenShift, write Authentication/cluster (PlatformComponents does); elsewhere set the issuer where the distribution has it, or state `carriers`",
  });
}
