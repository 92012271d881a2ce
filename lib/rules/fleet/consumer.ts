import { CONTROLLER_WORKLOAD, type ControllerWorkload } from "../../model/fleet";
import type { FleetPluginKey } from "./plugins";
import { type Kind, anyObject, boolean, like, list, record, text } from "../../model/shape";

/** How a consumer takes its list of access providers. */
export type ProviderListForm =
  | {
      readonly kind: "file";
      /** Name of the ConfigMap that holds the file. */
      readonly configMap: string;
      /** Key in it, and name of the file. */
      readonly key: string;
    }
  | {
      readonly kind: "kueue";
      /** Name of the list in `multiKueue.clusterProfile`. */
      readonly field: "accessProviders" | "credentialsProviders";
      /**
       * True where the feature gate stands on the manager's command line and must not be in the configuration.
       *
       * @defaultValue false
       */
      readonly gateByFlag?: boolean;
    };

/** What the fleet must know about a consumer; made by `argoCd()`, `multiKueue()`, `knativeOperator()` or `controller()`. */
export interface FleetConsumer {
  /** Name for people. */
  readonly title: string;
  /** Workloads that run the plugin and so need it and the identity, each. */
  readonly workloads: readonly ControllerWorkload[];
  /** Workload that reads profiles and the list of providers. */
  readonly reader: ControllerWorkload;
  /** The only namespace whose profiles it reads, `undefined` for any. */
  readonly profileNamespace: string | undefined;
  /** How the list of providers is written. */
  readonly form: ProviderListForm;
  /** The plugin per cloud, where the caller does not choose one. */
  readonly plugins: Readonly<Record<string, FleetPluginKey>>;
  /** Programs that the image has on its PATH. */
  readonly onPath: readonly string[];
  /** True for an image with neither shell nor libraries, or where that is not known. */
  readonly isDistroless: boolean;
  /** True where it can take variables from the profile. */
  readonly takesProfileEnv: boolean;
  /** True where it waits for the condition ControlPlaneHealthy. */
  readonly needsHealthy: boolean;
  /** True where it takes plugins by image volume alone. */
  readonly imageVolumeOnly: boolean;
  /** True where its own manifests let it read profiles. */
  readonly readsProfiles: boolean;
}

/** The kind of a {@link FleetConsumer}. */
export const FLEET_CONSUMER: Kind<FleetConsumer> = like(
  "a controller: argoCd(…), multiKueue(…), knativeOperator(…) or controller(…)",
  {
    title: text,
    workloads: list(CONTROLLER_WORKLOAD),
    reader: CONTROLLER_WORKLOAD,
    form: anyObject,
    plugins: record(text),
    onPath: list(text),
    isDistroless: boolean,
  },
);
