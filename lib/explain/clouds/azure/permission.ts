/*
 * May the identity log in at the registry and read the repository?
 */

import { azureCloud } from "../../../rules/azure/clouds";
import { readRepositoryCondition } from "../../../rules/azure/repository-condition";
import { coversRepository } from "../../../rules/azure/repository-pattern";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { isLateText } from "../../facts/terraform";
import type { PermissionAnswer, Repository } from "../cloud";
import type { AssignmentFact, IdentityFact } from "./entra";
import type { RegistryFact } from "./registries";
import { permits } from "./role-definitions";

const LEGACY = "LegacyRegistryPermissions";
const ABAC = "AbacRepositoryPermissions";

/**
 * Roles that may pull, and the registries' mode that honours them.
 *
 * Source: learn.microsoft.com, "Azure Container Registry permissions and role assignments overview".
 */
const ROLES: Readonly<Record<string, string>> = {
  AcrPull: LEGACY,
  AcrPush: LEGACY,
  Reader: LEGACY,
  Contributor: LEGACY,
  Owner: LEGACY,
  "Container Registry Repository Reader": ABAC,
  "Container Registry Repository Writer": ABAC,
  "Container Registry Repository Contributor": ABAC,
};

/** What a pull asks for in each mode. Source: as above, and "Azure permissions for Containers". */
const PULL: readonly (readonly [
  mode: string,
  list: "actions" | "dataActions",
  operations: readonly string[],
])[] = [
  [LEGACY, "actions", ["Microsoft.ContainerRegistry/registries/pull/read"]],
  [
    ABAC,
    "dataActions",
    [
      "Microsoft.ContainerRegistry/registries/repositories/content/read",
      "Microsoft.ContainerRegistry/registries/repositories/metadata/read",
    ],
  ],
];

const NOT_READ = "event 401 Unauthorized, or insufficient scope";
const UNAUTHORIZED = "Www-Authenticate: auth url … responded with status code 401";

const REGISTRY = /\/providers\/microsoft\.containerregistry\/registries\/([^/]+)$/i;
/** Scopes that hold others: a subscription, a resource group, a management group, all of a tenant. */
const ABOVE =
  /^(?:\/|\/subscriptions\/[^/]+(?:\/resourcegroups\/[^/]+)?|\/providers\/microsoft\.management\/managementgroups\/[^/]+)$/i;

/** The name of the registry that a scope is, in lower case; empty for any other scope. */
export function scopedRegistry(scope: string): string {
  return (REGISTRY.exec(scope)?.[1] ?? "").toLowerCase();
}

/** `<name>` of `<name>.azurecr.io`, `<name>-<hash>.<region>.geo.azurecr.io`; empty for another host. */
export function registryName(host: string): string {
  return /^([a-z0-9]+)(?:-[a-z0-9]+)?(?:\.[a-z0-9]+\.geo)?\.azurecr\.(?:io|cn|de|us)$/.exec(host)?.[1] ?? "";
}

/** The registry's own host, which its regional hosts share. */
export function registryHome(host: string): string {
  return host.replace(/\.[a-z0-9]+\.geo\./, ".");
}

/** Judges login and repository; `recordedMode` is the registry's mode as somebody stated it, empty where nobody did. */
export function acrPermission(
  identity: IdentityFact,
  repository: Repository,
  registries: readonly RegistryFact[],
  recordedMode: string,
): PermissionAnswer {
  const name = registryName(repository.host);
  if (name === "") {
    const answer = unknown(`${repository.host} is no host of ACR`, "pull by the registry's login server");
    return { login: answer, repository: answer };
  }
  const elsewhere = otherCloud(identity, repository.host);
  if (elsewhere) return { login: elsewhere, repository: unknown("no login", elsewhere.remedy) };
  const registry = registries.find((each) => each.name === name);
  const onRegistry = identity.assignments.filter((each) => covers(each.scope, name, registry) === true);
  const mode = registry?.mode || recordedMode;
  const honoured = onRegistry.filter((each) => isHonoured(each, mode));
  if (honoured.length > 0) {
    const login = loggedIn(honoured, mode || (registry?.isPlain ? LEGACY : ""), name);
    const read = repositoryRead(honoured, repository.path);
    const open = read.status === "fail" ? openAssignments(identity, name, registry, mode) : [];
    return { login, repository: open.length > 0 ? mayCover(open) : read };
  }
  const login = notLoggedIn(identity, name, { registry, mode }, onRegistry);
  return { login, repository: login.status === "unknown" ? login : unknown("no login", login.remedy) };
}

/** Registries take tokens of their own cloud's Entra alone. */
function otherCloud({ cloud, label, source }: IdentityFact, host: string): Answer | undefined {
  if (cloud === undefined || host.endsWith(`.${azureCloud(cloud).acrSuffix}`)) return undefined;
  return broken(
    `${label} is of ${cloud}, and ${host} is a registry of another cloud`,
    "pull with an identity of the registry's cloud",
    UNAUTHORIZED,
    seen("identity", source),
  );
}

/** The modes in which a role may pull; `undefined` where its permissions are not known. */
function modesOf({ role, permissions, isRefused }: AssignmentFact): readonly string[] | undefined {
  if (isRefused) return [];
  if (Object.hasOwn(ROLES, role)) return [ROLES[role] ?? ""];
  if (permissions === undefined) return undefined;
  const judged = PULL.map(([mode, list, operations]) => ({
    mode,
    held: operations.map((operation) => permits(permissions, operation, list)),
  }));
  // With one of two operations it depends on what the runtime asks the registry for.
  if (judged.some(({ held }) => held.includes(undefined) || new Set(held).size > 1)) return undefined;
  return judged.filter(({ held }) => !held.includes(false)).map(({ mode }) => mode);
}

/** Whether the registry's mode honours the role, as far as it is known. */
function isHonoured(assignment: AssignmentFact, mode: string): boolean {
  const modes = modesOf(assignment) ?? [];
  return mode === "" ? modes.length > 0 : modes.includes(mode);
}

/** Whether a role assignment's scope holds the registry; `undefined` where that cannot be told. */
function covers(scope: string, name: string, registry: RegistryFact | undefined): boolean | undefined {
  const lower = scope.toLowerCase();
  if (registry?.ids.includes(lower)) return true;
  if (lower === "" || isLateText(lower) || ABOVE.test(lower)) return undefined;
  return scopedRegistry(lower) === name;
}

/** With the mode not known, a role may be one that the registry ignores. */
function loggedIn(honoured: readonly AssignmentFact[], mode: string, name: string): Answer {
  const evidence = honoured.map((each) => seen(labelOf(each), each.source));
  const certain = honoured.find((each) => modesOf(each)?.includes(mode));
  if (certain)
    return pass(
      `the identity is ${labelOf(certain)} on the registry ${name}, whose mode is ${mode}`,
      ...evidence,
    );
  const roles = honoured.map(
    (each) => `${labelOf(each)}, which counts in mode ${modesOf(each)?.join(", ") ?? ""}`,
  );
  return unknown(
    `the identity is ${roles.join(", and ")}; whether the registry ${name} is in that mode is not known`,
    `look with \`az acr show --name ${name} --query roleAssignmentMode\` and state it in \`registries\` of the cluster's facts`,
    ...evidence,
  );
}

function notLoggedIn(
  identity: IdentityFact,
  name: string,
  { registry, mode }: { readonly registry: RegistryFact | undefined; readonly mode: string },
  onRegistry: readonly AssignmentFact[],
): Answer {
  const ignored = onRegistry.filter((each) => (modesOf(each) ?? []).length > 0);
  const open = openAssignments(identity, name, registry, mode);
  if (ignored.length > 0 && open.length === 0)
    return broken(
      `the registry ${name} is in mode ${mode}, which ignores ${ignored.map(labelOf).join(", ")}`,
      mode === ABAC
        ? `assign Container Registry Repository Reader on the registry ${name}`
        : `assign AcrPull on the registry ${name}`,
      NOT_READ,
      ...ignored.map((each) => seen(labelOf(each), each.source)),
    );
  if (open.length > 0) return mayCover(open);
  if (identity.adopted)
    return unknown(
      "not every role assignment of the identity is known: it is only looked up, or the principal of one is known only after apply",
      "name the Terraform that declares them as well",
    );
  return broken(
    `the identity has no role on the registry ${name}${onRegistry.some(({ isRefused }) => isRefused) ? "; Azure refuses to assign a custom role outside of its assignable_scopes" : ""}`,
    "assign AcrPull, or Container Registry Repository Reader where the registry is in ABAC mode",
    UNAUTHORIZED,
  );
}

/** What may cover the registry, with a role that may pull in its mode. */
function openAssignments(
  identity: IdentityFact,
  name: string,
  registry: RegistryFact | undefined,
  mode: string,
): readonly AssignmentFact[] {
  const isClear = (each: AssignmentFact): boolean =>
    covers(each.scope, name, registry) === true && modesOf(each) !== undefined;
  const isUseless = (each: AssignmentFact): boolean =>
    covers(each.scope, name, registry) === false || (modesOf(each) !== undefined && !isHonoured(each, mode));
  return [...identity.assignments.filter((each) => !isClear(each)), ...identity.possible].filter(
    (each) => !isUseless(each),
  );
}

function mayCover(open: readonly AssignmentFact[]): Answer {
  return unknown(
    "a role assignment may cover the registry: its role, its scope or whose it is cannot be judged here",
    "assign AcrPull, or Container Registry Repository Reader, on the registry itself",
    ...open.map((each) => seen(labelOf(each), each.source)),
  );
}

function labelOf({ role }: AssignmentFact): string {
  return role || "a custom role";
}

function repositoryRead(honoured: readonly AssignmentFact[], path: string): Answer {
  const read = honoured.map((each) => ({
    each,
    patterns: each.condition === "" ? undefined : readRepositoryCondition(each.condition),
  }));
  const covering = read.find(
    ({ each, patterns }) => each.condition === "" || (patterns && coversRepository(patterns, path)),
  );
  if (covering)
    return pass(`the role assignment covers ${path}`, seen("role assignment", covering.each.source));
  // The condition names data actions; whether Azure lets it limit a role without such is not documented.
  const unreadable = read.find(
    ({ each, patterns }) => patterns === undefined || modesOf(each)?.includes(ABAC) !== true,
  );
  if (unreadable)
    return unknown(
      "what the condition of the role assignment limits cannot be told: it has another form than is read here, or the role has no data actions",
      "see the condition",
      seen("condition", unreadable.each.source),
    );
  const all = read.flatMap(({ patterns }) => patterns ?? []);
  return broken(
    `the condition of the role assignment covers ${all.join(", ")}, not ${path}`,
    "add the repository to the condition",
    NOT_READ,
    ...honoured.map((each) => seen("condition", each.source)),
  );
}
