import type { CheckId, Verdict } from "cdktf-workload-identity/explain";

/** A change of one file that a good synth wrote. */
export interface Edit {
  /** The file below the stack's folder. */
  readonly file: string;
  /**
   * The text that is replaced, wherever it stands.
   *
   * @defaultValue - nothing is replaced; `to` comes at the end of the file
   */
  readonly from?: string;
  /** What stands there instead; empty where it is taken out. */
  readonly to: string;
}

/** One mistake, and what must be said of it. */
export interface Variant {
  /** Name of its folder. */
  readonly id: string;
  /** What people do. */
  readonly mistake: string;
  /** The good stack that is damaged. */
  readonly stack: "edge-1" | "prod";
  /** Whose pods pull, `namespace/name`. */
  readonly serviceAccount: string;
  /** The image as the pod names it. */
  readonly image: string;
  /**
   * An image that the good stack serves.
   *
   * @defaultValue - `image`
   */
  readonly goodImage?: string;
  /** The damage; none where the image alone is the mistake. */
  readonly edits: readonly Edit[];
  /** The first link that does not hold. */
  readonly stopsAt: CheckId;
  /** What follows; `unknown` where the link cannot be told from files alone. */
  readonly verdict: Exclude<Verdict, "allowed">;
  /**
   * What serves the pull all the same.
   *
   * @defaultValue null
   */
  readonly servedBy?: "node identity" | "pull secret" | null;
}

/** Where the good stacks' pods find their images. */
export const images = {
  ecr: "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:1.4",
  batch: "444455556666.dkr.ecr.eu-west-1.amazonaws.com/batch/runner:7",
  acr: "acmeshop.azurecr.io/models/ranking:3",
  google: "europe-west1-docker.pkg.dev/acme-images/tools/linter:2",
} as const;

/** Files of the good stacks. */
export const files = {
  audience: "manifests/10-token-audience.yaml",
  accounts: "manifests/20-service-accounts.yaml",
  machineConfigs: "manifests/40-machine-configs.yaml",
  nodes: "nodes/all-nodes.yaml",
  terraform: "cdk.tf.json",
  cluster: "workload-identity.json",
} as const;
