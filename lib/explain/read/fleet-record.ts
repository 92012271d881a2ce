/*
 * A hub's fleet as recorded in `workload-identity.json`.
 */

/** A workload of the hub that opens connections to spokes, or reads their profiles. */
export interface DeclaredController {
  /** `Deployment argocd/argocd-server`. */
  readonly title: string;
  /** Its service account, `namespace/name`. */
  readonly serviceAccount: string;
  /** Name of the container that runs the plugin. */
  readonly container: string;
}

/** A spoke that was declared. */
export interface DeclaredSpoke<Text = string> {
  /** Key of its profile, `namespace/name`. */
  readonly profile: string;
  /** Key of its cloud; `kubernetes` if the spoke accepts the hub's own tokens. */
  readonly cloud: string;
  /** Its server; `undefined` if none is recorded, although it may have one. */
  readonly server: Text | undefined;
  /** The access provider that is written for it; empty if that is not recorded. */
  readonly provider: string;
  /** Id of the project that admits controllers; `undefined` if none is recorded. */
  readonly project: Text | undefined;
  /** Number of that project; `undefined` if none is recorded. */
  readonly projectNumber: Text | undefined;
}

/** A fleet that was declared. */
export interface DeclaredFleet<Text = string> {
  /** Display name of the controller. */
  readonly title: string;
  /** The ConfigMap with the list of access providers; empty for Kueue, whose configuration holds the list. */
  readonly configMap: string;
  /** Programs that the controller's image has on its PATH. */
  readonly onPath: readonly string[];
  /** True for an image with neither shell nor libraries. */
  readonly isDistroless: boolean;
  /** True if the feature gate for ClusterProfiles is set on the command line of Kueue's manager. */
  readonly gateByFlag: boolean;
  /** Path of each plugin's binary in its image, by the plugin's key. */
  readonly pluginPaths: ReadonlyMap<string, string>;
  /** The workloads that run the plugin. */
  readonly workloads: readonly DeclaredController[];
  /** The workload that reads profiles; `undefined` if it is not recorded. */
  readonly reader: DeclaredController | undefined;
  /** Clouds whose pod identity webhook runs on the hub; `undefined` if that is not recorded. */
  readonly webhooks: readonly string[] | undefined;
  /** Its spokes. */
  readonly spokes: readonly DeclaredSpoke<Text>[];
  /** Service accounts of the Jobs that write the profiles' status, `namespace/name`. */
  readonly statusWriters: readonly string[];
}
