/*
 * May the identity log in at the registry and read the repository?
 */

import { type Known, type Ternary, and, andThen, known, match, or, orElse, shown } from "../../model/known";
import type { AskedName } from "../../rules/asked-names";
import type { Limit } from "../../rules/azure/abac-condition";
import { azureCloud } from "../../rules/azure/clouds";
import type { RoleAssignmentMode } from "../../rules/azure/pull-permission";
import { readRepositoryCondition } from "../../rules/azure/repository-condition";
import { type OperationList, permits } from "../../rules/azure/role-permissions";
import { type Answer, broken, later, pass, seen, unknown } from "../answer";
import type { AskedRepository } from "../asked-image";
import type { PullRights, ReachedRepositories } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import type { Assignment } from "./assignments";
import type { Identity } from "./identity";
import { type Registries, type Registry, scopedRegistry } from "./registry";
import { roleLabel } from "./roles";
import { NO_IDENTITY } from "./trust";

const LEGACY = "LegacyRegistryPermissions";
const ABAC = "AbacRepositoryPermissions";
const REPOSITORIES = "Microsoft.ContainerRegistry/registries/repositories";

/** What a pull asks for in each mode. Source: learn.microsoft.com, "Azure permissions for Containers". */
const PULL: Readonly<
  Record<RoleAssignmentMode, readonly [list: OperationList, operations: readonly string[]]>
> = {
  [LEGACY]: ["actions", ["Microsoft.ContainerRegistry/registries/pull/read"]],
  [ABAC]: ["dataActions", [`${REPOSITORIES}/content/read`, `${REPOSITORIES}/metadata/read`]],
};
const MODES = [LEGACY, ABAC] as const;

const NOT_READ = "event 401 Unauthorized, or insufficient scope";
const UNAUTHORIZED = "Www-Authenticate: auth url … responded with status code 401";

/** The answer where others may have assigned it more. */
export const NOT_ALL: Answer = unknown(
  "not every role assignment of the identity is known: it is only looked up, or the principal of one is known only after apply",
  "name the Terraform that declares them as well",
);

/** What an identity may do at one registry. */
interface AtRegistry {
  readonly login: Answer;
  /** Assignments on the registry that its mode honours, as far as it is known. */
  readonly honoured: readonly Assignment[];
  /** What may cover the registry, with a role that may pull in its mode. */
  readonly open: readonly Assignment[];
  /** True where there may be more that was not read. */
  readonly hasMore: boolean;
}

/** The rights of an identity that was not found. */
export const NO_RIGHTS: PullRights = {
  login: () => NO_IDENTITY,
  repository: () => NO_IDENTITY,
  reach: () => [],
};

/** The rights of an identity at registries. */
export class AcrRights implements PullRights {
  readonly #identity: Identity;
  readonly #registries: Registries;
  readonly #recorded: ClusterFacts["registries"];
  readonly #known = new Map<string, AtRegistry>();

  /** `recorded` is what is known of registries besides Terraform. */
  constructor(identity: Identity, registries: Registries, recorded: ClusterFacts["registries"]) {
    this.#identity = identity;
    this.#registries = registries;
    this.#recorded = recorded;
  }

  /** Whether it may log in at a host. */
  login(host: string): Answer {
    return this.#at(host).login;
  }

  /** Whether it may read the repository, or all repositories of a pattern. */
  repository({ host, paths }: AskedRepository): Answer {
    const { login, honoured, open, hasMore } = this.#at(host);
    if (honoured.length === 0)
      return login.status === "unknown" ? login : unknown("there is no login", login.remedy);
    const worst = paths.worst((name) => readable(honoured, name), badnessOf);
    if (worst === undefined)
      return unknown(`which repositories ${paths.text} covers is too much to try`, "declare them one by one");
    const { said, example } = worst;
    if (said === "no" && open.length > 0) return mayCover(open);
    if (said === "no" && hasMore) return NOT_ALL;
    const text = paths.isOne || said === "yes" ? paths.text : `${example} (of ${paths.text})`;
    return said === "yes"
      ? later("pass", () =>
          pass(`the role assignment covers ${text}`, ...places("role assignment", honoured)),
        )
      : notCovered(said, honoured, text);
  }

  /** What it may read at all. */
  reach(): readonly ReachedRepositories[] {
    const suffix = azureCloud(orElse(this.#identity.cloud, () => undefined) ?? "AzurePublicCloud").acrSuffix;
    return this.#identity.roles.held.flatMap((each): readonly ReachedRepositories[] => {
      const name = orElse(scopedRegistry(each.scope), () => "");
      const patterns = patternsOf(each);
      if (name === "" || patterns === undefined)
        return [{ pattern: `${roleLabel(each)} on ${shown(each.scope.text)}`, comparable: false }];
      return patterns.map((pattern) => ({ pattern: `${name}.${suffix}/${pattern}`, comparable: true }));
    });
  }

  #at(host: string): AtRegistry {
    const before = this.#known.get(host) ?? this.#judged(host);
    this.#known.set(host, before);
    return before;
  }

  #judged(host: string): AtRegistry {
    const registry = this.#registries.of(host, this.#recorded);
    const only = (login: Answer): AtRegistry => ({ login, honoured: [], open: [], hasMore: true });
    if (registry === undefined)
      return only(unknown(`${host} is no host of ACR`, "pull by the registry's login server"));
    const elsewhere = otherCloud(this.#identity, host);
    if (elsewhere) return only(elsewhere);
    const denied = deniedAt(registry, this.#identity);
    if (denied?.status === "fail") return only(denied);
    const mode = orElse(registry.mode, () => undefined);
    const onRegistry = this.#identity.roles.held.filter(({ scope }) => registry.isIn(scope) === "yes");
    const honoured = onRegistry.filter((each) => isHonoured(each, mode));
    const open = this.#open(registry, mode);
    const given = this.#identity.given ?? registry.given;
    const login =
      given ??
      denied ??
      (honoured.length > 0
        ? loggedIn(honoured, registry)
        : notLoggedIn(this.#identity, registry, onRegistry, open));
    return { login, honoured, open, hasMore: this.#identity.hasMoreRoles || given !== undefined };
  }

  #open(registry: Registry, mode: RoleAssignmentMode | undefined): readonly Assignment[] {
    const { held, possible } = this.#identity.roles;
    const isUseless = (each: Assignment): boolean =>
      registry.isIn(each.scope) === "no" || (modesOf(each) !== undefined && !isHonoured(each, mode));
    const unclear = held.filter(
      (each) => registry.isIn(each.scope) === "unknown" || modesOf(each) === undefined,
    );
    return [...unclear, ...possible].filter((each) => !isUseless(each));
  }
}

/** Registries take tokens of their own cloud's Entra alone. */
function otherCloud({ cloud, label, source }: Identity, host: string): Answer | undefined {
  const remedy = "pull with an identity of the registry's cloud";
  return match(
    cloud,
    (name) =>
      name === undefined || host.endsWith(`.${azureCloud(name).acrSuffix}`)
        ? undefined
        : broken(
            `${label} is of ${name}, and ${host} is a registry of another cloud`,
            remedy,
            UNAUTHORIZED,
            seen("identity", source),
          ),
    () =>
      unknown(`whether ${label} is of the cloud of ${host} is not known`, remedy, seen("identity", source)),
  );
}

/** Deny assignments are above all roles. */
function deniedAt({ name, mode, isIn }: Registry, { roles }: Identity): Answer | undefined {
  const outcomes = roles.denials.map((denial) => {
    const ways = orElse(mode, () => undefined);
    const each = (ways === undefined ? MODES : [ways]).map((way) => {
      const [list, operations] = PULL[way];
      return or(...operations.map((operation) => denial.denies(operation, list, isIn)));
    });
    return { denial, outcome: and(...each) === "yes" ? "yes" : or(...each) };
  });
  const denied = outcomes.find(({ outcome }) => outcome === "yes");
  if (denied)
    return broken(
      `a deny assignment keeps the identity from reading the registry ${name}`,
      "exclude the identity from the deny assignment",
      NOT_READ,
      seen("deny assignment", denied.denial.source),
    );
  const open = outcomes.find(({ outcome }) => outcome === "unknown");
  return (
    open &&
    unknown(
      `whether a deny assignment keeps the identity from reading the registry ${name} cannot be told`,
      "see the deny assignment",
      seen("deny assignment", open.denial.source),
    )
  );
}

/** The modes in which a role may pull; `undefined` where its permissions are not known. */
function modesOf({ builtIn, definition, isRefused }: Assignment): readonly RoleAssignmentMode[] | undefined {
  if (isRefused) return [];
  if (builtIn) {
    const { pulls } = builtIn;
    return pulls === "unknown" ? undefined : pulls === undefined ? [] : [pulls];
  }
  const permissions = orElse(definition?.permissions ?? known(undefined), () => undefined);
  if (permissions === undefined) return undefined;
  const judged = MODES.map((mode) => {
    const [list, operations] = PULL[mode];
    return { mode, held: operations.map((operation) => permits(permissions, operation, list)) };
  });
  // With one of two operations it depends on what the runtime asks the registry for.
  if (judged.some(({ held }) => held.includes("unknown") || new Set(held).size > 1)) return undefined;
  return judged.filter(({ held }) => !held.includes("no")).map(({ mode }) => mode);
}

/** Whether the registry's mode honours the role, as far as it is known. */
function isHonoured(assignment: Assignment, mode: RoleAssignmentMode | undefined): boolean {
  const modes = modesOf(assignment) ?? [];
  return mode === undefined ? modes.length > 0 : modes.includes(mode);
}

/** With the mode not known, a role may be one that the registry ignores. */
function loggedIn(honoured: readonly Assignment[], { name, mode, made }: Registry): Answer {
  const evidence = honoured.map((each) => seen(roleLabel(each), each.source));
  const presumed = orElse(mode, () => made);
  const certain = presumed && honoured.find((each) => modesOf(each)?.includes(presumed));
  if (certain)
    return pass(
      `the identity is ${roleLabel(certain)} on the registry ${name}, whose mode is ${presumed}`,
      ...evidence,
    );
  const roles = honoured.map(
    (each) => `${roleLabel(each)}, which counts in mode ${modesOf(each)?.join(", ") ?? ""}`,
  );
  return unknown(
    `the identity is ${roles.join(", and ")}; whether the registry ${name} is in that mode is not known`,
    `look with \`az acr show --name ${name} --query roleAssignmentMode\` and state it in \`registries\` of the cluster's facts`,
    ...evidence,
  );
}

function notLoggedIn(
  { hasMoreRoles }: Identity,
  { name, mode }: Registry,
  onRegistry: readonly Assignment[],
  open: readonly Assignment[],
): Answer {
  if (open.length > 0) return mayCover(open);
  const ignored = onRegistry.filter((each) => (modesOf(each) ?? []).length > 0);
  if (hasMoreRoles) return NOT_ALL;
  if (ignored.length > 0)
    return broken(
      `the registry ${name} is in mode ${shown(mode)}, which ignores ${ignored.map(roleLabel).join(", ")}`,
      `assign ${shown(mode) === ABAC ? "Container Registry Repository Reader" : "AcrPull"} on the registry ${name}`,
      NOT_READ,
      ...ignored.map((each) => seen(roleLabel(each), each.source)),
    );
  return broken(
    `the identity has no role on the registry ${name}${onRegistry.some(({ isRefused }) => isRefused) ? "; Azure refuses to assign a custom role outside of its assignable_scopes" : ""}`,
    "assign AcrPull, or Container Registry Repository Reader where the registry is in ABAC mode",
    UNAUTHORIZED,
  );
}

function mayCover(open: readonly Assignment[]): Answer {
  return unknown(
    "a role assignment may cover the registry: its role, its scope or whose it is cannot be judged here",
    "assign AcrPull, or Container Registry Repository Reader, on the registry itself",
    ...open.map((each) => seen(roleLabel(each), each.source)),
  );
}

function badnessOf(said: Ternary): number {
  return said === "yes" ? 0 : said === "unknown" ? 1 : 2;
}

/**
 * Whether one of the assignments lets read a repository. Whether a condition, which names data actions, limits a role
 * without such is not documented.
 */
function readable(honoured: readonly Assignment[], name: AskedName): Ternary {
  let best: Ternary = "no";
  for (const each of honoured) {
    const outcome = and(...limitsOf(each).map((limit) => (typeof limit === "string" ? limit : limit(name))));
    if (outcome === "yes") return "yes";
    if (outcome === "unknown" || modesOf(each)?.includes(ABAC) !== true) best = "unknown";
  }
  return best;
}

const limits = new WeakMap<Assignment, readonly Limit[]>();

/** What the condition of an assignment says of reading. */
function limitsOf(assignment: Assignment): readonly Limit[] {
  const { limit } = assignment;
  const before = limits.get(assignment) ?? (limit ? PULL[ABAC][1].map((operation) => limit(operation)) : []);
  limits.set(assignment, before);
  return before;
}

function places(what: string, honoured: readonly Assignment[]): ReturnType<typeof seen>[] {
  return honoured.map(({ source }) => seen(what, source));
}

function notCovered(said: Ternary, honoured: readonly Assignment[], path: string): Answer {
  if (said === "unknown")
    return later("unknown", () =>
      unknown(
        "what the condition of the role assignment limits cannot be told: it has another form than is read here, or the role has no data actions",
        "see the condition",
        ...places("condition", honoured),
      ),
    );
  return later("fail", () => {
    const patterns = honoured.map(patternsOf);
    const covered = patterns.includes(undefined) ? "other repositories" : patterns.flat().join(", ");
    return broken(
      `the condition of the role assignment covers ${covered}, not ${path}`,
      "add the repository to the condition",
      NOT_READ,
      ...places("condition", honoured),
    );
  });
}

/** The repositories of an assignment whose condition has the documented form. */
function patternsOf({ condition }: Assignment): readonly string[] | undefined {
  const text: Known<string> = andThen(condition, (each) => known(each ?? ""));
  return match(
    text,
    (each) => (each === "" ? ["*"] : readRepositoryCondition(each)),
    () => undefined,
  );
}
