/*
 * Which ways into spokes are explained: each controller with each profile that is for it.
 */

import type { Known } from "../../model/known";
import { at } from "../../model/parsed";
import { profileProviders } from "../../rules/fleet/resolve-exec";
import type { ClusterArtefacts } from "../read/facts";
import type { ProfileFact } from "../read/fleet-facts";
import type { DeclaredSpoke } from "../read/fleet-record";
import { type Controller, controllersOf } from "./fleet-controllers";
import { listEntries, profileDocument } from "./fleet-profile";
import { builtinName } from "./plugin-call";

/** A controller and a spoke. */
export interface FleetQuestion {
  readonly artefacts: ClusterArtefacts;
  readonly controller: Controller;
  readonly profile: ProfileFact;
  /** The spoke as it is recorded; `undefined` where it is not. */
  readonly recorded: DeclaredSpoke<Known<string>> | undefined;
}

const ASKED = new WeakMap<ClusterArtefacts, readonly FleetQuestion[]>();

/** Every controller of a hub with each of its profiles, controllers in their order. */
export function fleetQuestions(artefacts: ClusterArtefacts): readonly FleetQuestion[] {
  const before = ASKED.get(artefacts);
  if (before) return before;
  const { cluster, fleet } = artefacts;
  const controllers = controllersOf(artefacts);
  const read = new Map(fleet.profiles.map((profile) => [profile.key, profile]));
  const recorded = new Map((cluster.fleet?.spokes ?? []).map((spoke) => [spoke.profile, spoke]));
  const question = (controller: Controller, profile: ProfileFact): FleetQuestion => ({
    artefacts,
    controller,
    profile,
    recorded: recorded.get(profile.key),
  });
  const found = controllers.filter(({ declared }) => !declared);
  const others = fleet.profiles.filter(({ key }) => !recorded.has(key));
  // One that was not read is one fact for all who ask.
  const profiles = [...recorded.keys()].map((key) => read.get(key) ?? unreadProfile(key));
  const made = [
    ...controllers
      .filter(({ declared }) => declared)
      .flatMap((controller) => profiles.map((profile) => question(controller, profile))),
    ...served(found, others).map(([controller, profile]) => question(controller, profile)),
  ];
  ASKED.set(artefacts, made);
  return made;
}

/** A controller serves the profiles that name one of its providers; one that none serves is for all of them. */
function served(
  controllers: readonly Controller[],
  profiles: readonly ProfileFact[],
): readonly (readonly [Controller, ProfileFact])[] {
  const names = controllers.map(
    (controller) =>
      [controller, new Set(listEntries(controller.list).map((each) => String(at(each, "name"))))] as const,
  );
  const pairs = profiles.flatMap((profile) => {
    const { plain } = profileDocument(profile);
    const offered = [...profileProviders(plain).keys()];
    const isBuiltin = builtinName(plain) !== undefined;
    const serving = names.filter(
      ([{ kind }, listed]) => offered.some((name) => listed.has(name)) || (kind === "argocd" && isBuiltin),
    );
    // Each Argo CD takes the profiles of its own namespace.
    const near = serving.filter(
      ([{ kind, account }]) => kind !== "argocd" || account.startsWith(`${profile.namespace}/`),
    );
    const chosen = (near.length > 0 ? near : serving).map(([controller]) => controller);
    const all = chosen.length > 0 ? chosen : controllers;
    return (all.length > 0 ? all : [unreadController(profile)]).map(
      (controller) => [controller, profile] as const,
    );
  });
  const order = new Map(controllers.map((controller, index) => [controller, index]));
  return pairs.sort(([one], [other]) => (order.get(one) ?? -1) - (order.get(other) ?? -1));
}

function unreadController({ namespace }: ProfileFact): Controller {
  return {
    account: `${namespace}/*`,
    title: "the controller",
    kind: "other",
    reader: undefined,
    workloads: [],
    readers: [],
    list: undefined,
    onPath: undefined,
    isDistroless: undefined,
    declared: false,
  };
}

function unreadProfile(key: string): ProfileFact {
  const [namespace = "", name = ""] = key.split("/");
  return {
    key,
    namespace,
    name,
    main: undefined,
    status: undefined,
    dropped: undefined,
    writtenFrom: undefined,
  };
}
