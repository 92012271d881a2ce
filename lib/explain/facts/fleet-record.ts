/*
 * What `workload-identity.json` records of a hub's fleet.
 */

import { at, list, own, text, texts } from "./access";

/** A workload of the hub that opens connections to spokes, or reads their profiles. */
export interface DeclaredController {
  /** `Deployment argocd/argocd-server`. */
  readonly title: string;
  /** Its service account, `namespace/name`. */
  readonly serviceAccount: string;
  /** Name of the container that runs the plugin. */
  readonly container: string;
}

/** A spoke that somebody declared. */
export interface DeclaredSpoke {
  /** Key of its profile, `namespace/name`. */
  readonly profile: string;
  /** Key of its cloud; `kubernetes` where the spoke takes the hub's own tokens. */
  readonly cloud: string;
  /** Its server; `undefined` where none is recorded: it may be known only after apply. */
  readonly server: string | undefined;
  /** The access provider that is written for it; empty where that is not recorded. */
  readonly provider: string;
  /** Id of the project that lets controllers in; `undefined` where none is recorded. */
  readonly project: string | undefined;
  /** Number of that project; `undefined` where none is recorded. */
  readonly projectNumber: string | undefined;
}

/** A fleet that somebody declared. */
export interface DeclaredFleet {
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
  readonly spokes: readonly DeclaredSpoke[];
  /** Service accounts of the Jobs that write the profiles' status, `namespace/name`. */
  readonly statusWriters: readonly string[];
}

/** Reads `fleet` of a recorded cluster. */
export function declaredFleet(fleet: unknown): DeclaredFleet {
  const namespace = text(own(fleet, "namespace"));
  const reader = own(fleet, "reader");
  const consumer = own(fleet, "consumer");
  const webhooks = own(fleet, "podIdentityWebhooks");
  return {
    title: text(own(consumer, "title")),
    configMap: text(at(consumer, "form", "configMap")),
    onPath: texts(own(consumer, "onPath")),
    isDistroless: own(consumer, "isDistroless") === true,
    gateByFlag: at(consumer, "form", "gateByFlag") === true,
    pluginPaths: new Map(
      list(own(fleet, "plugins")).map((each) => [text(own(each, "plugin")), text(own(each, "path"))]),
    ),
    workloads: list(own(fleet, "workloads")).map(controller),
    reader: reader === undefined ? undefined : controller(reader),
    webhooks: webhooks === undefined ? undefined : texts(webhooks),
    statusWriters: texts(own(fleet, "statusWriters")),
    spokes: list(own(fleet, "spokes")).map((spoke) => ({
      profile: `${namespace}/${text(own(spoke, "name"))}`,
      cloud: text(own(spoke, "cloud")),
      server: text(own(spoke, "server")) || undefined,
      provider: text(own(spoke, "provider")),
      project: text(own(spoke, "project")) || undefined,
      projectNumber: text(own(spoke, "projectNumber")) || undefined,
    })),
  };
}

function controller(recorded: unknown): DeclaredController {
  const part = (key: string): string => text(own(recorded, key));
  const namespace = part("namespace");
  return {
    title: `${part("kind")} ${namespace}/${part("name")}`,
    serviceAccount: `${namespace}/${part("serviceAccount")}`,
    container: part("container"),
  };
}
