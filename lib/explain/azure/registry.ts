/*
 * Container registries, and which roles each honours. Before 4.81 azurerm has no argument for the role assignment mode:
 * it is recorded at synth, or stated by the caller.
 */

import {
  type Known,
  type Ternary,
  and,
  allOf,
  is,
  isAbsent,
  known,
  anyOf,
  orElse,
  same,
  shown,
  unread,
} from "../../model/known";
import { remembered } from "../../model/once";
import { azureClouds } from "../../rules/azure/clouds";
import type { RoleAssignmentMode } from "../../rules/azure/permission";
import { type Answer, type Evidence, seen } from "../answer";
import type { Granted } from "../cloud";
import type { Resource } from "../read/block";
import type { ClusterFacts } from "../read/cluster-record";
import type { Terraform } from "../read/terraform";
import type { ClosedWorld } from "../coverage/closed-world";
import { lowered } from "../shared/references";
import { type ResourceId, holds, idOf } from "./ids";

export interface Registry {
  readonly name: string;
  readonly mode: Known<RoleAssignmentMode>;
  /** The mode in which azurerm creates it, which may have been changed since; `undefined` if that is not known. */
  readonly made: RoleAssignmentMode | undefined;
  /** The answer if something that was not understood may change the registry; otherwise `undefined`. */
  readonly given: Answer | undefined;
  readonly isIn: (scope: ResourceId) => Ternary;
}

export const LEGACY = "LegacyRegistryPermissions";
export const ABAC = "AbacRepositoryPermissions";
const SUFFIXES = [...azureClouds.map(({ acrSuffix }) => acrSuffix), "azurecr.de"]
  .join("|")
  .replaceAll(".", "\\.");
const HOST = new RegExp(`^([a-z0-9]+)(?:-[a-z0-9]+)?(?:\\.[a-z0-9]+\\.geo)?\\.(?:${SUFFIXES})$`);
const REGISTRY_DEPTH = 8;
const NO_MODE = unread("no source states the mode, or two sources disagree");

/** The name of the registry that a scope denotes; empty for any other scope. */
export function scopedRegistry({ segments = [] }: ResourceId): Known<string> {
  const [provider, type, name] = segments.slice(-3);
  if (segments.length !== REGISTRY_DEPTH || provider === undefined || type === undefined) return known("");
  const isRegistry = and(is(type, "registries"), is(provider, "microsoft.containerregistry"));
  return isRegistry === "yes" && name !== undefined ? name : known("");
}

interface Declared {
  readonly resource: Resource;
  readonly id: ResourceId;
  readonly name: Known<string>;
}

export class Registries {
  readonly #declared: readonly Declared[];
  readonly #found = new Map<ClusterFacts["registries"], Map<string, Registry | undefined>>();
  readonly #world: ClosedWorld;

  constructor(terraform: Terraform, world: ClosedWorld) {
    this.#world = world;
    this.#declared = terraform
      .ofType("azurerm_container_registry")
      .map((resource) => ({ resource, id: idOf(resource), name: lowered(resource.stated("name")) }));
  }

  /** What registries grant without role assignments. */
  get granted(): readonly Granted[] {
    return this.#declared.flatMap(({ resource, name }) =>
      SWITCHES.flatMap(([argument, to, what]): readonly Granted[] => {
        const isOn = is<string | undefined>(resource.text(argument), "true");
        if (isOn === "no" || resource.adopted) return [];
        const [text, limits] = [`${what} on the registry ${shown(name)}`, isOn !== "yes"];
        const right = { text: limits ? `perhaps ${text}` : text, limits, source: resource.source };
        return [{ to, isHeld: false, isOwn: false, rights: () => [right] }];
      }),
    );
  }

  /** Where anonymous pulls from a host's registry are switched on, provided that nothing may switch them off. */
  readByAll(host: string): Evidence | undefined {
    const name = HOST.exec(host)?.[1];
    if (name === undefined || this.of(host, undefined)?.given) return undefined;
    const written = this.#declared.filter((each) => is(each.name, name) === "yes" && !each.resource.adopted);
    const [argument] = SWITCHES[0];
    const isOn = written.map(({ resource }) => is<string | undefined>(resource.text(argument), "true"));
    const source = written[0]?.resource.source;
    return source && allOf(isOn) === "yes" ? seen("anonymous pull", source) : undefined;
  }

  /** The registry of a host; `undefined` for a host outside ACR. */
  of(host: string, recorded: ClusterFacts["registries"]): Registry | undefined {
    const hosts = remembered(this.#found, recorded, () => new Map<string, Registry | undefined>());
    return remembered(hosts, host, () => this.#made(host, recorded));
  }

  #made(host: string, recorded: ClusterFacts["registries"]): Registry | undefined {
    const name = HOST.exec(host)?.[1];
    if (name === undefined) return undefined;
    const perhaps = this.#declared.filter((each) => is(each.name, name) !== "no");
    const certain = perhaps.filter((each) => is(each.name, name) === "yes");
    const stated = recorded?.[host.replace(/\.[a-z0-9]+\.geo\./, ".")]?.["roleAssignmentMode"];
    const ids = certain.map(({ id }) => id);
    const texts = [...ids.map(({ text }) => text), known(name), known(host)];
    const resources = perhaps.map(({ resource }) => resource);
    return {
      name,
      ...modeOf(certain, stated),
      given: this.#world.answer(`the registry ${name}`, resources, texts),
      isIn: (scope) => isIn(scope, name, ids),
    };
  }
}

/** A registry's name is unique in its cloud, so the name in a scope decides if no id was read. */
function isIn(scope: ResourceId, name: string, ids: readonly ResourceId[]): Ternary {
  const held = ids.length === 0 ? "unknown" : anyOf(ids.map((id) => holds(scope, id)));
  if (held !== "unknown" || scope.segments === undefined) return held;
  const scoped = scopedRegistry(scope);
  if (is(scoped, name) === "yes") return "yes";
  // Every id of a resource has `<type>/<name>`, also one directly below a subscription.
  const isResource = scope.segments.some((segment, place) => place > 1 && is(segment, "providers") === "yes");
  if (!isResource) return "unknown";
  return is(scoped, "") === "yes" ? "no" : is(scoped, name);
}

/** Access without a role: the argument, who is admitted, and to do what. */
const SWITCHES = [
  ["anonymous_pull_enabled", "everyone", "pull without signing in"],
  ["admin_enabled", "whoever has the admin password", "pull and push"],
] as const;

/** The mode in Terraform, or else as recorded; azurerm creates registries without the newer mode. */
function modeOf(twins: readonly Declared[], recorded: string | undefined): Pick<Registry, "mode" | "made"> {
  const modes = twins.map(({ resource }) => resource.text("role_assignment_mode"));
  const stated = modes.filter((mode) => !isAbsent(mode));
  const [first = NO_MODE, ...others] = stated;
  const isOne = others.every((each) => same(each, first) === "yes");
  // The record decides where Terraform does not say the mode, but not which of two modes in it is right.
  const isContested = others.some((each) => same(each, first) === "no");
  const text = orElse(isOne ? first : NO_MODE, () => (isContested ? undefined : recorded));
  const isPlain = twins.every(({ resource }) => !resource.adopted);
  return {
    mode: text === LEGACY || text === ABAC ? known(text) : NO_MODE,
    made: twins.length > 0 && stated.length === 0 && isPlain ? LEGACY : undefined,
  };
}
