/*
 * What `workload-identity.json` records of a hub's fleet.
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
  /** Key of its cloud; `kubernetes` where the spoke takes the hub's own tokens. */
  readonly cloud: string;
  /** Its server; `undefined` where none is recorded, which does not say that there is none. */
  readonly server: Text | undefined;
  /** The access provider that is written for it; empty where that is not recorded. */
  readonly provider: string;
  /** Id of the project that lets controllers in; `undefined` where none is recorded. */
  readonly project: Text | undefined;
  /** Number of that project; `undefined` where none is recorded. */
  readonly projectNumber: Text | undefined;
}

/** A fleet that was declared. */
export interface DeclaredFleet<Text = string> {
  /** Name of the controller for people. */
  readonly title: string;
  /** The ConfigMap of the list of access providers; empty for Kueue, whose configuration has it. */
  readonly configMap: string;
  /** Programs that the controller's image has on its PATH. */
  readonly onPath: readonly string[];
  /** True for an image with neither shell nor libraries. */
  readonly isDistroless: boolean;
  /** True where the feature gate of ClusterProfiles stands on the command line of Kueue's manager. */
  readonly gateByFlag: boolean;
  /** Path of each plugin's binary in its image, by the plugin's key. */
  readonly pluginPaths: ReadonlyMap<string, string>;
  /** The workloads that run the plugin. */
  readonly workloads: readonly DeclaredController[];
  /** The workload that reads profiles; `undefined` where it is not recorded. */
  readonly reader: DeclaredController | undefined;
  /** Clouds whose pod identity webhook runs on the hub; `undefined` where that is not recorded. */
  readonly webhooks: readonly string[] | undefined;
  /** Its spokes. */
  readonly spokes: readonly DeclaredSpoke<Text>[];
  /** Service accounts of the Jobs that write the profiles' status, `namespace/name`. */
  readonly statusWriters: readonly string[];
}
