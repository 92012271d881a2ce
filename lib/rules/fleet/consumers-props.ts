import { list, object, optional, text, type ObjectKind, boolean } from "../../model/shape";
import { CONTROLLER_WORKLOAD, ControllerWorkload } from "../../model/fleet";

/** What all consumers can be told. */
export interface ConsumerProps {
  /** Version of the consumer, `0.19` or `3.5.1`. */
  readonly version: string;
  /**
   * The workloads that run the plugin. Names of workloads and containers must be those of the installation: Argo CD's
   * Helm chart calls its containers `application-controller` and `server`.
   *
   * @defaultValue - those of the consumer's own manifests (not of its Helm chart), in its usual namespace
   */
  readonly workloads?: readonly ControllerWorkload[];
}

/** The kind of {@link ConsumerProps}. */
export const CONSUMER_PROPS: ObjectKind<ConsumerProps> = object({
  version: text,
  workloads: optional(list(CONTROLLER_WORKLOAD)),
});

/** What `multiKueue()` is told. */
export interface MultiKueueProps extends ConsumerProps {
  /**
   * True where the manager has `--feature-gates` on its command line, as the Helm chart writes it for
   * `controllerManager.featureGates`: `MultiKueueClusterProfile=true` must stand there then, and the configuration has
   * no gates, since Kueue does not start with both.
   *
   * @defaultValue false
   */
  readonly featureGatesByFlag?: boolean;
}

/** The kind of {@link MultiKueueProps}. */
export const MULTI_KUEUE_PROPS: ObjectKind<MultiKueueProps> = object({
  ...CONSUMER_PROPS.shape,
  featureGatesByFlag: optional(boolean),
});

/** What `argoCd()` is told. */
export interface ArgoCdProps extends ConsumerProps {
  /**
   * Workload of the controller that turns profiles into cluster Secrets and reads the provider file.
   *
   * @defaultValue - Deployment, container and service account `argocd-clusterprofile-controller` beside the workloads
   */
  readonly profileController?: ControllerWorkload;
}

/** The kind of {@link ArgoCdProps}. */
export const ARGO_CD_PROPS: ObjectKind<ArgoCdProps> = object({
  ...CONSUMER_PROPS.shape,
  profileController: optional(CONTROLLER_WORKLOAD),
});

/** What `controller()` is told. */
export interface ControllerProps {
  /** Name for people, for example `fleet-controller`. */
  readonly title: string;
  /** The workloads that run the plugin; the first one reads profiles and the file. */
  readonly workloads: readonly ControllerWorkload[];
  /**
   * False where the image has a shell and the usual libraries.
   *
   * @defaultValue true
   */
  readonly isDistroless?: boolean;
  /**
   * Programs on the image's PATH that can stand as command without a mount.
   *
   * @defaultValue - none
   */
  readonly onPath?: readonly string[];
  /**
   * True where it waits for the condition ControlPlaneHealthy, as multicluster-runtime does.
   *
   * @defaultValue false
   */
  readonly needsHealthy?: boolean;
}

/** The kind of {@link ControllerProps}. */
export const CONTROLLER_PROPS: ObjectKind<ControllerProps> = object({
  title: text,
  workloads: list(CONTROLLER_WORKLOAD),
  isDistroless: optional(boolean),
  onPath: optional(list(text)),
  needsHealthy: optional(boolean),
});
