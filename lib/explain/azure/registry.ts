/*
 * Container registries, and which roles each honours. No argument of azurerm sets the role assignment mode: it is
 * recorded at synth, stated by the caller, or read from azapi resources.
 */

import {
  type Known,
  type Ternary,
  and,
  allOf,
  is,
  isAbsent,
  known,
  map,
  anyOf,
  orElse,
  same,
  shown,
  unread,
  whyNot,
  whether,
} from "../../model/known";
import { parsedTree, treeAt } from "../../model/tree";
import { azureClouds } from "../../rules/azure/clouds";
import type { RoleAssignmentMode } from "../../rules/azure/permission";
import { type Answer, type Evidence, seen } from "../answer";
import type { Granted } from "../cloud";
import type { Resource } from "../read/block";
import type { ClusterFacts } from "../read/cluster-record";
import type { Terraform } from "../read/terraform";
import type { ClosedWorld } from "../coverage/closed-world";
import { lowered, remembered } from "../shared/references";
import { type ResourceId, azapiResources, changedId, holds, idOf, sameId } from "./ids";

export interface Registry {
  readonly name: string;
  readonly mode: Known<RoleAssignmentMode>;
  /** The mode in which azurerm creates it, which may have been changed since; `undefined` if that is not known. */
  readonly made: RoleAssignmentMode | undefined;
  /** The answer if a module that was not read is given the registry; otherwise `undefined`. */
  readonly given: Answer | undefined;
  readonly isIn: (scope: ResourceId) => Ternary;
}

export const LEGACY = "LegacyRegistryPermissions";
export const ABAC = "AbacRepositoryPermissions";
const TYPE = "microsoft.containerregistry/registries";
const MODE = "roleAssignmentMode";
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
  /** `undefined` where nothing says it. */
  readonly mode: Known<string | undefined>;
}

export class Registries {
  readonly #declared: readonly Declared[];
  readonly #found = new Map<ClusterFacts["registries"], Map<string, Registry | undefined>>();
  readonly #world: ClosedWorld;
  /** Resources that change registries created elsewhere. */
  readonly #changing: readonly Resource[];

  constructor(terraform: Terraform, world: ClosedWorld) {
    this.#world = world;
    this.#changing = ["azapi_update_resource", "azapi_resource_action"].flatMap((kind) =>
      azapiResources(terraform, kind, TYPE),
    );
    const changes = this.#changing.map((each) => ({
      id: changedId(each),
      mode: propertyIn(each, MODE),
    }));
    const ofAzapi = azapiResources(terraform, "azapi_resource", TYPE);
    this.#declared = [...terraform.ofType("azurerm_container_registry"), ...ofAzapi].map((resource) => {
      const id = idOf(resource);
      const stated = ofAzapi.includes(resource)
        ? propertyIn(resource, MODE)
        : resource.text("role_assignment_mode");
      return { resource, id, name: lowered(resource.stated("name")), mode: changed(stated, id, changes) };
    });
  }

  /** What registries grant without role assignments. */
  get granted(): readonly Granted[] {
    const declared = this.#declared.map(({ resource, name }) => ({ resource, name: shown(name) }));
    const changed = this.#changing.map((resource) => ({ resource, name: shown(changedId(resource).text) }));
    return [...declared, ...changed].flatMap(({ resource, name }) =>
      SWITCHES.flatMap(([argument, property, to, what]): readonly Granted[] => {
        const isOn = is(switched(resource, argument, property), "true");
        if (isOn === "no" || resource.adopted) return [];
        const [text, limits] = [`${what} on the registry ${name}`, isOn !== "yes"];
        const right = { text: limits ? `perhaps ${text}` : text, limits, source: resource.source };
        return [{ to, isHeld: false, isOwn: false, rights: () => [right] }];
      }),
    );
  }

  /** Where anonymous pulls from a host's registry are switched on, provided that nothing may switch them off. */
  readByAll(host: string): Evidence | undefined {
    const name = HOST.exec(host)?.[1];
    if (name === undefined || this.#changing.length > 0) return undefined;
    const written = this.#declared.filter((each) => is(each.name, name) === "yes" && !each.resource.adopted);
    const [argument, property] = SWITCHES[0];
    const isOn = written.map(({ resource }) => is(switched(resource, argument, property), "true"));
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
    const texts = [...ids.map(({ text }) => text), known(`registries/${name}`), known(host)];
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

/** A property in a body, which releases of azapi before 2.0 hold as text. */
function propertyIn(resource: Resource, name: string): Known<string | undefined> {
  const body = resource.tree("body");
  const isText =
    whyNot(body)?.kind === "apply" || whether(body, (value) => typeof value === "string") === "yes";
  const properties = treeAt(isText ? parsedTree(body as Known<string>) : body, "properties");
  return map(treeAt(properties, name), (value) =>
    typeof value === "string" || typeof value === "boolean" ? String(value) : undefined,
  );
}

function switched(resource: Resource, argument: string, property: string): Known<string | undefined> {
  return resource.type.startsWith("azapi_") ? propertyIn(resource, property) : resource.text(argument);
}

/** Access without a role: argument of azurerm, property in a body, who is admitted, and to do what. */
const SWITCHES = [
  ["anonymous_pull_enabled", "anonymousPullEnabled", "everyone", "pull without signing in"],
  ["admin_enabled", "adminUserEnabled", "whoever has the admin password", "pull and push"],
] as const;

/** The mode after all changes; unknown if a change may concern another registry. */
function changed(
  stated: Known<string | undefined>,
  id: ResourceId,
  changes: readonly Pick<Declared, "id" | "mode">[],
): Known<string | undefined> {
  return changes.reduce((mode, change) => {
    const isOwn = sameId(change.id, id);
    if (isOwn === "no" || isAbsent(change.mode)) return mode;
    return isOwn === "yes" ? change.mode : NO_MODE;
  }, stated);
}

/** The mode in Terraform, or else as recorded; azurerm creates registries without the newer mode. */
function modeOf(found: readonly Declared[], recorded: string | undefined): Pick<Registry, "mode" | "made"> {
  const stated = found.map(({ mode }) => mode).filter((mode) => !isAbsent(mode));
  const [first = NO_MODE, ...others] = stated;
  const isOne = others.every((each) => same(each, first) === "yes");
  // The record decides where Terraform does not say the mode, but not which of two modes in it is right.
  const isContested = others.some((each) => same(each, first) === "no");
  const text = orElse(isOne ? first : NO_MODE, () => (isContested ? undefined : recorded));
  const isPlain = found.every(({ resource }) => !resource.adopted && resource.type.startsWith("azurerm_"));
  return {
    mode: text === LEGACY || text === ABAC ? known(text) : NO_MODE,
    made: found.length > 0 && stated.length === 0 && isPlain ? LEGACY : undefined,
  };
}
