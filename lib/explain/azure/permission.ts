/*
 * May the identity log in to the registry and read the repository?
 */

import { type Ternary, anyOf, orElse, shown, whether } from "../../model/known";
import { remembered } from "../../model/once";
import type { AskedName } from "../../rules/asked-names";
import { azureCloud } from "../../rules/azure/clouds";
import type { RoleAssignmentMode } from "../../rules/azure/permission";
import { type OperationList, permits } from "../../rules/azure/roles";
import { type Answer, type Evidence, broken, later, pass, seen, unknown } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { PullRights, ReachedRepositories } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import { type Pattern, literalPattern, prefixPattern } from "../../rules/wildcard";
import { named } from "../shared/words";
import { type Assignment, roleLabel } from "./assignments";
import { heldRoles } from "./held";
import type { Identity } from "./identity";
import { ABAC, LEGACY, type Registries, type Registry, scopedRegistry } from "./registry";

const REPOSITORIES = "Microsoft.ContainerRegistry/registries/repositories";

/** The operations that a pull needs in each mode. Source: learn.microsoft.com, "Azure permissions for Containers". */
const PULL: Readonly<
  Record<RoleAssignmentMode, readonly [list: OperationList, operations: readonly string[]]>
> = {
  [LEGACY]: ["actions", ["Microsoft.ContainerRegistry/registries/pull/read"]],
  [ABAC]: ["dataActions", [`${REPOSITORIES}/content/read`, `${REPOSITORIES}/metadata/read`]],
};
const MODES: readonly RoleAssignmentMode[] = [LEGACY, ABAC];

const NOT_READ = "event 401 Unauthorized, or insufficient scope";
const UNAUTHORIZED = "Www-Authenticate: auth url … responded with status code 401";

/** The answer if the identity may have further role assignments. */
export const NOT_ALL: Answer = unknown(
  "not every role assignment of the identity is known: the identity is only looked up, or the principal of an assignment is known only after apply",
  "also give explain the Terraform that declares them",
);

/** The answer for an identity that may have roles that were not read; `undefined` if it has no others. */
export function moreRoles({ hasMoreRoles, isOfState, roles, principals }: Identity): Answer | undefined {
  if (hasMoreRoles) return NOT_ALL;
  const [principal] = principals.flatMap((each) => orElse(each, () => undefined) ?? []);
  return isOfState && roles.held.length + roles.possible.length === 0
    ? unknown(
        "no role of the identity is among what was read, and another state may hold its role assignments",
        `also give explain the Terraform that declares them; \`az role assignment list --all --assignee ${principal ?? "<principal id>"}\` lists them`,
      )
    : undefined;
}

interface AtRegistry {
  readonly login: Answer;
  /** Assignments on the registry that its mode honours, as far as the mode is known. */
  readonly honoured: readonly Assignment[];
  /** Assignments that may cover the registry, with a role that may pull in its mode. */
  readonly open: readonly Assignment[];
  readonly hasMore: boolean;
}

/** The rights of an identity on registries; `recorded` holds facts about them from outside Terraform. */
export function acrRights(
  identity: Identity,
  registries: Registries,
  recorded: ClusterFacts["registries"],
): PullRights {
  const byHost = new Map<string, AtRegistry>();
  const at = (host: string): AtRegistry =>
    remembered(byHost, host, () => atRegistry(identity, registries.of(host, recorded), host));
  return {
    login: (host) => at(host).login,
    repository: (asked) => repositoryAnswer(at(asked.host), asked),
    held: () => heldRoles(identity, (each) => (readsOnly(each) ? imagesOf(each, identity) : undefined)),
    reach: () =>
      identity.roles.held.flatMap((each): readonly ReachedRepositories[] => {
        const patterns = imagesOf(each, identity);
        return (
          patterns?.map((pattern) => ({ pattern, comparable: true })) ?? [
            { pattern: `${roleLabel(each)} on ${shown(each.scope.text)}`, comparable: false },
          ]
        );
      }),
  };
}

/** The images that a role's scope and condition cover; `undefined` if they are not known. */
function imagesOf({ scope, limit = ["*"] }: Assignment, { cloud }: Identity): readonly string[] | undefined {
  const { acrSuffix } = azureCloud(orElse(cloud, () => undefined) ?? "AzurePublicCloud");
  const name = orElse(scopedRegistry(scope), () => "");
  if (name === "" || limit === "unknown") return undefined;
  return limit.map((pattern) => `${name}.${acrSuffix}/${pattern}`);
}

const READERS: readonly string[] = ["AcrPull", "Container Registry Repository Reader"];

/** True for a role that permits pulls only. */
function readsOnly({ builtIn }: Assignment): boolean {
  return builtIn !== undefined && READERS.includes(builtIn.name);
}

function atRegistry(identity: Identity, registry: Registry | undefined, host: string): AtRegistry {
  const only = (login: Answer): AtRegistry => ({ login, honoured: [], open: [], hasMore: true });
  if (registry === undefined)
    return only(unknown(`${host} is not an ACR host name`, "pull by the registry's login server"));
  const foreign = otherCloud(identity, host);
  if (foreign) return only(foreign);
  const { held, possible } = identity.roles;
  const onRegistry = held.filter(({ scope }) => registry.isIn(scope) === "yes");
  const honoured = onRegistry.filter((each) => isHonoured(each, registry) === "yes");
  const open = [...held.filter((each) => !honoured.includes(each)), ...possible].filter(
    (each) => registry.isIn(each.scope) !== "no" && isHonoured(each, registry) !== "no",
  );
  const unread = identity.given ?? registry.given;
  const answer = honoured.length > 0 ? loggedIn(honoured, registry) : undefined;
  const judged = answer ?? notLoggedIn(identity, registry, onRegistry, open);
  const login = judged.status === "unknown" ? judged : (unread ?? judged);
  return { login, honoured, open, hasMore: identity.hasMoreRoles || unread !== undefined };
}

function repositoryAnswer(
  { login, honoured, open, hasMore }: AtRegistry,
  { paths }: AskedRepository,
): Answer {
  if (honoured.length === 0)
    return login.status === "unknown" ? login : unknown("the identity cannot log in", login.remedy);
  const worst = paths.worst((name) => readable(honoured, name), badnessOf);
  if (worst === undefined)
    return unknown(`${paths.text} covers too many repositories to judge`, "declare them one by one");
  const { said: covers, example } = worst;
  if (covers === "no" && open.length > 0) return mayCover(open);
  if (covers === "no" && hasMore) return NOT_ALL;
  if (covers === "yes")
    return later("pass", () =>
      pass(`the identity's role assignment covers ${paths.text}`, places(honoured, "role assignment")),
    );
  if (covers === "unknown")
    return later("unknown", () =>
      unknown(
        "what the condition of the role assignment limits cannot be determined: explain does not read its form, or the role has no data actions",
        "see the condition",
        places(honoured, "condition"),
      ),
    );
  return later("fail", () => {
    const limits = honoured.map(({ limit }) => limit);
    const covered = limits.every(Array.isArray) ? limits.flat().join(", ") : "other repositories";
    return broken(
      `the condition of the role assignment covers ${covered}, not ${paths.isOne ? paths.text : `${example} (of ${paths.text})`}`,
      "add the repository to the condition",
      NOT_READ,
      places(honoured, "condition"),
    );
  });
}

/** A registry accepts only tokens from the Entra of its own cloud. */
function otherCloud({ cloud, label, source }: Identity, host: string): Answer | undefined {
  const isOwn = whether(cloud, (name) => !name || host.endsWith(`.${azureCloud(name).acrSuffix}`));
  if (isOwn === "yes") return undefined;
  const remedy = "pull with an identity in the registry's cloud";
  const where = seen("identity", source);
  if (isOwn === "unknown")
    return unknown(`whether ${label} is in the cloud of ${host} is not known`, remedy, where);
  const reason = `${label} is in ${shown(cloud)}, but ${host} is a registry in another cloud`;
  return broken(reason, remedy, UNAUTHORIZED, where);
}

/** The modes in which a role may pull; `undefined` if its permissions are not known. */
function modesOf({ builtIn, definition }: Assignment): readonly RoleAssignmentMode[] | undefined {
  if (builtIn?.pulls === "unknown") return undefined;
  if (builtIn) return builtIn.pulls ? [builtIn.pulls] : [];
  const permissions = definition && orElse(definition.permissions, () => undefined);
  if (permissions === undefined) return undefined;
  const judged = MODES.map((mode) => {
    const [list, operations] = PULL[mode];
    return { mode, held: operations.map((operation) => permits(permissions, operation, list)) };
  });
  // With only one of the two operations it depends on what the runtime requests.
  if (judged.some(({ held }) => held.includes("unknown") || new Set(held).size > 1)) return undefined;
  return judged.filter(({ held }) => !held.includes("no")).map(({ mode }) => mode);
}

/** Whether the registry's mode honours the role; in an unknown mode it honours every role that may pull at all. */
function isHonoured(assignment: Assignment, { mode }: Registry): Ternary {
  const modes = modesOf(assignment);
  if (modes === undefined) return "unknown";
  const isOpen = modes.length > 0 && whether(mode, (one) => modes.includes(one)) !== "no";
  return isOpen ? "yes" : "no";
}

/** If the mode is not known, the registry may ignore the role. */
function loggedIn(honoured: readonly Assignment[], { name, mode, made }: Registry): Answer {
  const presumed = orElse(mode, () => made);
  const certain = presumed && honoured.find((each) => modesOf(each)?.includes(presumed));
  if (certain)
    return pass(
      `the identity is ${roleLabel(certain)} on the registry ${name}, whose mode is ${presumed}`,
      places(honoured),
    );
  const roles = honoured.map(
    (each) => `${roleLabel(each)}, which takes effect in mode ${modesOf(each)?.join(", ") ?? ""}`,
  );
  return unknown(
    `the identity is ${roles.join(", and ")}; whether the registry ${name} is in that mode is not known`,
    `look it up with \`az acr show --name ${name} --query roleAssignmentMode\`, and state it with --facts in cluster.registries`,
    places(honoured),
  );
}

function notLoggedIn(
  identity: Identity,
  { name, mode }: Registry,
  onRegistry: readonly Assignment[],
  open: readonly Assignment[],
): Answer {
  const { held } = identity.roles;
  if (open.length > 0) return mayCover(open);
  const unread = moreRoles(identity);
  if (unread) return unread;
  const ignored = onRegistry.filter((each) => (modesOf(each) ?? []).length > 0);
  if (ignored.length > 0)
    return broken(
      `the registry ${name} is in mode ${shown(mode)}, which ignores ${ignored.map(roleLabel).join(", ")}`,
      `assign ${shown(mode) === ABAC ? "Container Registry Repository Reader" : "AcrPull"} on the registry ${name}`,
      NOT_READ,
      places(ignored),
    );
  const elsewhere = held.filter((each) => modesOf(each)?.length !== 0);
  const near =
    onRegistry.length > 0
      ? ` that permits pulls; it is ${named(onRegistry.map(roleLabel))} there`
      : elsewhere.length > 0
        ? `; it is ${named(elsewhere.map((each) => `${roleLabel(each)} on ${shown(each.scope.text)}`))}`
        : "";
  return broken(
    `the identity has no role on the registry ${name}${near}`,
    "assign AcrPull, or Container Registry Repository Reader if the registry is in ABAC mode",
    UNAUTHORIZED,
    places(onRegistry.length > 0 ? onRegistry : elsewhere),
  );
}

function mayCover(open: readonly Assignment[]): Answer {
  return unknown(
    "a role assignment may cover the registry: explain cannot judge its role, its scope or its principal",
    "assign AcrPull, or Container Registry Repository Reader, on the registry itself",
    places(open),
  );
}

function badnessOf(said: Ternary): number {
  return said === "yes" ? 0 : said === "unknown" ? 1 : 2;
}

/**
 * Whether one of the assignments permits reading a repository. Whether a condition, which names data actions, limits a
 * role without data actions is not documented.
 */
function readable(honoured: readonly Assignment[], name: AskedName): Ternary {
  let best: Ternary = "no";
  for (const each of honoured) {
    const outcome = coveredBy(each, name);
    if (outcome === "yes") return "yes";
    if (outcome === "unknown" || modesOf(each)?.includes(ABAC) !== true) best = "unknown";
  }
  return best;
}

function coveredBy({ limit }: Assignment, name: AskedName): Ternary {
  if (limit === undefined) return "yes";
  return limit === "unknown" ? "unknown" : anyOf(limit.map((each) => name.matches(patternOf(each))));
}

const patterns = new Map<string, Pattern>();

function patternOf(text: string): Pattern {
  return remembered(patterns, text, () =>
    text.endsWith("*") ? prefixPattern(literalPattern(text.slice(0, -1))) : literalPattern(text),
  );
}

function places(assignments: readonly Assignment[], what?: string): readonly Evidence[] {
  return assignments.map((each) => seen(what ?? roleLabel(each), each.source));
}
