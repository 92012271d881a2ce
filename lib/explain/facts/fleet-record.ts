/*
 * What `workload-identity.json` records of a hub's fleet.
 */

import { list, own, text } from "./access";

/** A workload of the hub that opens connections to spokes, or reads their profiles. */
export interface DeclaredController {
  /** `Deployment argocd/argocd-server`. */
  readonly title: string;
  /** Its service account, `namespace/name`. */
  readonly serviceAccount: string;
  /** Name of the container that runs the plugin. */
  readonly container: string;
}

/** A fleet that somebody declared. */
export interface DeclaredFleet {
  /** Name of the controller for people. */
  readonly title: string;
  /** The workloads that run the plugin. */
  readonly workloads: readonly DeclaredController[];
  /** The workload that reads profiles; `undefined` where it is not recorded. */
  readonly reader: DeclaredController | undefined;
  /** Keys of the profiles, `namespace/name`. */
  readonly profiles: readonly string[];
}

/** Reads `fleet` of a recorded cluster. */
export function declaredFleet(fleet: unknown): DeclaredFleet {
  const namespace = text(own(fleet, "namespace"));
  const reader = own(fleet, "reader");
  return {
    title: text(own(own(fleet, "consumer"), "title")),
    workloads: list(own(fleet, "workloads")).map(controller),
    reader: reader === undefined ? undefined : controller(reader),
    profiles: list(own(fleet, "spokes")).map((spoke) => `${namespace}/${text(own(spoke, "name"))}`),
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
