/*
 * May the identity log in at the registry and read the repository?
 */

import { readRepositoryCondition } from "../../../rules/azure/repository-condition";
import { coversRepository } from "../../../rules/azure/repository-pattern";
import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { isLateText } from "../../facts/terraform";
import type { PermissionAnswer, Repository } from "../cloud";
import type { AssignmentFact, IdentityFact } from "./entra";
import type { RegistryFact } from "./registries";

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

const NOT_READ = "event 401 Unauthorized, or insufficient scope";
const UNAUTHORIZED = "Www-Authenticate: auth url … responded with status code 401";

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
  const registry = registries.find((each) => each.name === name);
  const onRegistry = identity.assignments.filter((each) => covers(each.scope, name, registry) === true);
  const mode = registry?.mode || recordedMode;
  const honoured = onRegistry.filter(({ role }) => isHonoured(role, mode));
  if (honoured.length > 0) {
    const login = loggedIn(honoured, mode || (registry?.isPlain ? LEGACY : ""), name);
    return { login, repository: repositoryRead(honoured, repository.path) };
  }
  const login = notLoggedIn(identity, name, { registry, mode }, onRegistry);
  return { login, repository: login.status === "unknown" ? login : unknown("no login", login.remedy) };
}

function isHonoured(role: string, mode: string): boolean {
  return Object.hasOwn(ROLES, role) && (mode === "" || ROLES[role] === mode);
}

/** Whether a role assignment's scope holds the registry; `undefined` where that cannot be told. */
function covers(scope: string, name: string, registry: RegistryFact | undefined): boolean | undefined {
  const lower = scope.toLowerCase();
  if (registry?.ids.includes(lower)) return true;
  if (isLateText(lower)) return undefined;
  const [, resource] = /\/registries\/([^/]+)$/.exec(lower) ?? [];
  if (resource !== undefined) return resource === name;
  return /^\/subscriptions\/[^/]+(?:\/resourcegroups\/[^/]+)?$/.test(lower) ? undefined : false;
}

/** With the mode not known, a role may be one that the registry ignores. */
function loggedIn(honoured: readonly AssignmentFact[], mode: string, name: string): Answer {
  const evidence = honoured.map((each) => seen(each.role, each.source));
  const certain = honoured.find(({ role }) => ROLES[role] === mode);
  if (certain)
    return pass(
      `the identity is ${certain.role} on the registry ${name}, whose mode is ${mode}`,
      ...evidence,
    );
  const roles = honoured.map(({ role }) => `${role}, which counts in mode ${ROLES[role]}`);
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
  const ignored = onRegistry.filter(({ role }) => Object.hasOwn(ROLES, role));
  if (ignored.length > 0)
    return broken(
      `the registry ${name} is in mode ${mode}, which ignores ${ignored.map(({ role }) => role).join(", ")}`,
      mode === ABAC
        ? `assign Container Registry Repository Reader on the registry ${name}`
        : `assign AcrPull on the registry ${name}`,
      NOT_READ,
      ...ignored.map((each) => seen(each.role, each.source)),
    );
  const open = identity.assignments.filter((each) => covers(each.scope, name, registry) === undefined);
  if (open.length > 0 || onRegistry.length > 0)
    return unknown(
      "a role assignment may cover the registry: its role or scope cannot be judged here",
      "assign AcrPull, or Container Registry Repository Reader, on the registry itself",
      ...[...open, ...onRegistry].map((each) => seen(each.role || "role assignment", each.source)),
    );
  if (identity.adopted)
    return unknown(
      "not every role assignment of the identity is known: it is only looked up, or the principal of one is known only after apply",
      "name the Terraform that declares them as well",
    );
  return broken(
    `the identity has no role on the registry ${name}`,
    "assign AcrPull, or Container Registry Repository Reader where the registry is in ABAC mode",
    UNAUTHORIZED,
  );
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
  const unreadable = read.find(({ patterns }) => patterns === undefined);
  if (unreadable)
    return unknown(
      "the condition of the role assignment has another form than is read here",
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
