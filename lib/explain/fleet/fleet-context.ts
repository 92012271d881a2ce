/*
 * The links of a controller's way into a spoke, in the order in which they come to it.
 */

import type { ExecResolution, ResolvedExec } from "../../rules/fleet/resolve-exec";
import type { AccountReading, AccessTrust } from "../clouds/cloud-access";
import type { CloudSpokes, SpokeReading } from "../clouds/cloud-spokes";
import type { Check } from "../checks/check";
import type { Json } from "../facts/access";
import type { ClusterArtefacts } from "../facts/facts";
import type { ProfileFact } from "../facts/fleet-facts";
import type { DeclaredSpoke } from "../facts/fleet-record";
import type { Controller } from "./controllers";

/** Everything that a check of a fleet access may look at. */
export interface FleetContext {
  /** The hub. */
  readonly artefacts: ClusterArtefacts;
  /** Who enters. */
  readonly controller: Controller;
  /** Namespace of its service account. */
  readonly namespace: string;
  /** Name of its service account; `*` where it is not known. */
  readonly name: string;
  /** The spoke's profile. */
  readonly profile: ProfileFact;
  /** Main object and status of the profile. */
  readonly document: Json;
  /** Which provider the list chooses, or why none. */
  readonly resolution: ExecResolution;
  /** What is run; `undefined` where nothing is. */
  readonly exec: ResolvedExec | undefined;
  /** Variables of the plugin, those of the container included. */
  readonly env: ReadonlyMap<string, string>;
  /** Key of the plugin's cloud; `undefined` where it is not known. */
  readonly cloud: string | undefined;
  /** How that cloud judges its spokes; `undefined` where it is not known, and for a spoke of no cloud. */
  readonly cloudSpokes: CloudSpokes | undefined;
  /** The spoke as somebody recorded it; `undefined` where nobody did. */
  readonly recorded: DeclaredSpoke | undefined;
  /** What names the identity in that cloud; `undefined` where nothing does, and for a spoke that takes the hub's tokens. */
  readonly reading: AccountReading | undefined;
  /** What cloud or spoke say of the token. */
  readonly trust: AccessTrust | undefined;
  /** What cloud or spoke say of the identity. */
  readonly spoke: SpokeReading | undefined;
  /** As whom. */
  readonly as: string | undefined;
}

/** One link. */
export type FleetCheck = Check<FleetContext>;
