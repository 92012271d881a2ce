import { Chart } from "cdk8s";
import { Construct } from "constructs";
import { fail, throwFirst } from "../errors";
import { namespaceName } from "../model/kubernetes-name";
import { literal } from "../model/late";
import { type ObjectKind, anyObject, checkProps, choice, object, optional, text } from "../model/shape";
import { foreignManagerIssues, managerNameIssues, statusInMain } from "../rules/fleet/cluster-profile";
import { type ClusterProfileVersion, clusterProfileVersions } from "../rules/fleet/cluster-profile-schema";

/** What all profiles of one {@link ClusterInventory} have in common. */
export interface ClusterInventoryProps {
  /** An existing namespace of the hub; all profiles of one namespace are one inventory. Kueue wants its own. */
  readonly namespace: string;
  /** Who writes the profiles: a new name, for example `platform-iac`. It cannot be changed later. */
  readonly clusterManager: string;
  /**
   * Scope for the status manifests, in another chart than the profiles: the API server drops a status that comes with
   * the main object. Apply that chart with
   * `kubectl apply --server-side --subresource=status --field-manager=<clusterManager>`, kubectl 1.32 or newer.
   *
   * @defaultValue - no status manifests; a `StatusWriter` per spoke writes the status then
   */
  readonly statusScope?: Construct;
  /**
   * Version of the ClusterProfile API. What is written is valid under both.
   *
   * @defaultValue "v1alpha1"
   */
  readonly apiVersion?: ClusterProfileVersion;
}

const CLUSTER_INVENTORY_PROPS: ObjectKind<ClusterInventoryProps> = object({
  namespace: text,
  clusterManager: text,
  statusScope: optional(anyObject),
  apiVersion: optional(choice(clusterProfileVersions)),
});

/**
 * The ClusterProfiles that this configuration writes into one namespace of the hub.
 *
 * Never add access providers to profiles of another manager: most rewrite the whole list (KubeFleet on every
 * reconcile, GKE fleet sync one way).
 */
export class ClusterInventory extends Construct {
  /** Namespace of the profiles. */
  readonly namespace: string;
  /** Who writes the profiles. */
  readonly clusterManager: string;
  /** Version of the ClusterProfile API. */
  readonly apiVersion: ClusterProfileVersion;
  /** The command that the status manifests are applied with, but for the file. */
  readonly statusCommand: string;
  /** Scope of the status manifests, `undefined` where there are none. */
  readonly statusScope: Construct | undefined;
  readonly #names = new Map<string, Construct>();

  constructor(scope: Construct, id: string, props: ClusterInventoryProps) {
    checkProps(new.target.name, scope, id, CLUSTER_INVENTORY_PROPS, props);
    super(scope, id);
    const { statusScope } = props;
    this.namespace = namespaceName(props.namespace);
    this.clusterManager = literal(props.clusterManager, "clusterManager");
    throwFirst([...managerNameIssues(this.clusterManager), ...foreignManagerIssues(this.clusterManager)]);
    this.apiVersion = literal(props.apiVersion ?? "v1alpha1", "apiVersion");
    if (statusScope && Chart.of(statusScope) === Chart.of(this)) throw statusInMain(Chart.of(this).node.path);
    this.statusScope = statusScope;
    this.statusCommand = `kubectl apply --server-side --subresource=status --field-manager=${this.clusterManager}`;
  }

  /** Notes the name of a spoke; throws where another one has it. */
  claim(name: string, spoke: Construct): void {
    const other = this.#names.get(name);
    if (other)
      fail("fleet-conflict", {
        problem: `the ClusterProfile is already declared by ${other.node.path}`,
        value: `${this.namespace}/${name}`,
        allowed: "one spoke per name and inventory",
        remedy: "give one of the two spokes another name",
      });
    this.#names.set(name, spoke);
  }
}
