import { Chart } from "cdk8s";
import { Construct } from "constructs";
import { fail, throwFirst } from "../errors";
import { namespaceName } from "../model/kubernetes-name";
import { literal } from "../model/late";
import { type ObjectKind, anyObject, checkProps, choice, object, optional, text } from "../model/shape";
import { foreignManagerIssues, managerNameIssues, statusInMain } from "../rules/fleet/cluster-profile";
import { type ClusterProfileVersion, clusterProfileVersions } from "../rules/fleet/cluster-profile-schema";

/** What all profiles of a {@link ClusterInventory} share. */
export interface ClusterInventoryProps {
  /** An existing namespace of the hub; its profiles form one inventory. Kueue needs a namespace of its own. */
  readonly namespace: string;
  /** Name of the profiles' manager, unique on the hub: for example `platform-iac`. It cannot be changed later. */
  readonly clusterManager: string;
  /**
   * Scope for the status manifests. It must be another chart than that of the profiles, because the API server drops a
   * status that comes with the main object. Apply that chart with
   * `kubectl apply --server-side --subresource=status --field-manager=<clusterManager>`, kubectl 1.32 or newer.
   *
   * @defaultValue - no status manifests; use a `StatusWriter` per spoke instead
   */
  readonly statusScope?: Construct;
  /**
   * Version of the ClusterProfile API. The manifests are valid under both.
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
 * Never add access providers to another manager's profiles: most managers overwrite the whole list (KubeFleet on every
 * reconcile, GKE fleet sync in one direction).
 */
export class ClusterInventory extends Construct {
  /** Namespace of the profiles. */
  readonly namespace: string;
  /** Name of the manager of the profiles. */
  readonly clusterManager: string;
  /** Version of the ClusterProfile API. */
  readonly apiVersion: ClusterProfileVersion;
  /** The command that applies the status manifests, without the file name. */
  readonly statusCommand: string;
  /** Scope of the status manifests; `undefined` if there are none. */
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

  /** Registers the name of a spoke; throws if another spoke of the inventory has it. */
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
