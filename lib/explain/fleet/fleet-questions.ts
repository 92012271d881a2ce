/*
 * Which ways into spokes are explained: each controller with each profile that is for it.
 */

import type { ClusterArtefacts } from "../facts/facts";
import type { ProfileFact } from "../facts/fleet-facts";
import type { DeclaredSpoke } from "../facts/fleet-record";
import { profileProviders } from "../../rules/fleet/resolve-exec";
import { own } from "../facts/access";
import { type Controller, controllersOf } from "./controllers";
import { builtinProviders } from "./plugin-call";
import { profileDocument } from "./profile-document";

/** A controller and a spoke. */
export interface FleetQuestion {
  /** The hub. */
  readonly artefacts: ClusterArtefacts;
  /** Who enters. */
  readonly controller: Controller;
  /** The spoke's profile. */
  readonly profile: ProfileFact;
  /** The spoke as somebody recorded it; `undefined` where nobody did. */
  readonly recorded: DeclaredSpoke | undefined;
}

/** Every controller of a hub with each of its profiles, controllers in their order. */
export function fleetQuestions(artefacts: ClusterArtefacts): readonly FleetQuestion[] {
  const { cluster, fleet } = artefacts;
  const controllers = controllersOf(artefacts);
  const read = new Map(fleet.profiles.map((profile) => [profile.key, profile]));
  const recorded = new Map((cluster.fleet?.spokes ?? []).map((spoke) => [spoke.profile, spoke]));
  const declared = controllers.filter((controller) => controller.declared);
  const found = controllers.filter((controller) => !controller.declared);
  const question = (controller: Controller, profile: ProfileFact): FleetQuestion => ({
    artefacts,
    controller,
    profile,
    recorded: recorded.get(profile.key),
  });
  const others = fleet.profiles.filter(({ key }) => !recorded.has(key));
  return [
    ...declared.flatMap((controller) =>
      [...recorded.keys()].map((key) => question(controller, read.get(key) ?? unread(key))),
    ),
    ...served(found, others).map(([controller, profile]) => question(controller, profile)),
  ];
}

/** A controller serves the profiles that name one of its providers; one that nobody serves is everybody's. */
function served(
  controllers: readonly Controller[],
  profiles: readonly ProfileFact[],
): readonly (readonly [Controller, ProfileFact])[] {
  const names = controllers.map(
    (controller) => [controller, new Set((controller.list?.providers ?? []).map(nameOf))] as const,
  );
  const pairs = profiles.flatMap((profile) => {
    const offered = [...profileProviders(profileDocument(profile)).keys()];
    const serving = names.filter(
      ([{ kind }, listed]) =>
        offered.some((name) => listed.has(name)) ||
        (kind === "argocd" && builtinProviders(profileDocument(profile)).length > 0),
    );
    const near = serving.filter(
      ([controller]) => controller.kind !== "argocd" || isBeside(controller, profile),
    );
    const chosen = near.length > 0 ? near : serving;
    const all = chosen.length > 0 ? chosen.map(([controller]) => controller) : controllers;
    return (all.length > 0 ? all : [nobody(profile)]).map((controller) => [controller, profile] as const);
  });
  const order = new Map(controllers.map((controller, index) => [controller, index]));
  return pairs.sort(([one], [other]) => (order.get(one) ?? -1) - (order.get(other) ?? -1));
}

/** Each Argo CD takes the profiles of its own namespace. */
function isBeside({ account }: Controller, { namespace }: ProfileFact): boolean {
  return account.startsWith(`${namespace}/`);
}

function nameOf(provider: unknown): string {
  return String(own(provider, "name"));
}

/** Stands for the controller where none was read. */
function nobody({ namespace }: ProfileFact): Controller {
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

function unread(key: string): ProfileFact {
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
