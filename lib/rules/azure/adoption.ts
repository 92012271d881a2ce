/*
 * Resources that `ccoctl` or you created and Terraform takes over. The ids of custom roles and role assignments are random
 * GUIDs, which the user must look up.
 */

import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { anyObject, list, object, optional, record, text, type ObjectKind } from "../../model/shape";
import { type PlannedComponent, checkKnown, hasCustomRole, own } from "./component";
import { resourceGroupScope } from "./ids";
import { guid } from "./names";
import { scopeResourceGroup } from "./scope";

/** The existing resources of one cluster's identities. */
export interface ComponentAdoption {
  /**
   * GUID of the custom role of each request, by the name of the request; `absent` if it does not exist yet.
   *
   * @defaultValue - none; required for a request with a custom role that is not absent
   */
  readonly roleDefinitions?: Readonly<Record<string, string>>;
  /**
   * GUIDs of the role assignments of each request, by the name of the request, then by the resource group (for a role
   * of `roleBindings` by `<role> at <resource group>`, for other scopes by the whole scope). `absent` if an assignment
   * does not exist yet, which includes all assignments of a custom role that is `absent`.
   *
   * @defaultValue - none; required for a request that is not absent
   */
  readonly roleAssignments?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Requests for which nothing exists, by name, and individual service accounts without a credential, as
   * `<request>/<service account>`.
   *
   * @defaultValue - none
   */
  readonly absent?: readonly string[];
}

export const COMPONENT_ADOPTION: ObjectKind<ComponentAdoption> = object({
  roleDefinitions: optional(record(text)),
  roleAssignments: optional(record(record(text))),
  absent: optional(list(text)),
});

/** Value for something that does not exist yet. */
const ABSENT = "absent";

/** The existing parts of a component's identity, which itself exists. */
export interface IdentityAdoption {
  /**
   * GUID of the custom role.
   *
   * @defaultValue - the custom role is created
   */
  readonly roleDefinition?: string | undefined;
  /**
   * GUIDs of role assignments: by resource group for the custom role, by `<role> at <resource group>` for other roles,
   * by the whole scope if that is not a resource group of the subscription.
   *
   * @defaultValue - role assignments are created
   */
  readonly roleAssignments?: ReadonlyMap<string, string>;
  /**
   * Names of the service accounts that have a credential.
   *
   * @defaultValue - credentials are created
   */
  readonly serviceAccounts?: readonly string[];
}

export const IDENTITY_ADOPTION: ObjectKind<IdentityAdoption> = object({
  roleDefinition: optional(text),
  roleAssignments: optional(anyObject),
  serviceAccounts: optional(list(text)),
});

/** What exists of a workload's identity, besides the identity itself. */
export interface WorkloadIdentityAdoption {
  /** Subscription of the identity, a GUID. */
  readonly subscriptionId: string;
  /**
   * Names of credentials that exist, which they keep, by `namespace/name` of the service account.
   *
   * @defaultValue - all credentials are created
   */
  readonly credentials?: Readonly<Record<string, string>>;
}

export const WORKLOAD_IDENTITY_ADOPTION: ObjectKind<WorkloadIdentityAdoption> = object({
  subscriptionId: text,
  credentials: optional(record(text)),
});

/**
 * Arguments of a role assignment that azurerm cannot read back or, in older versions, update. They are set on creation
 * and ignored on assignments that existed: a change would fail or replace the assignment.
 */
export const UNREAD: readonly string[] = ["skip_service_principal_aad_check", "description"];

/** Refuses credentials of service accounts that the identity does not trust. */
export function checkExistingCredentials(
  { credentials = {} }: WorkloadIdentityAdoption,
  serviceAccounts: readonly string[],
): void {
  const surplus = Object.keys(credentials).filter((key) => !serviceAccounts.includes(key));
  if (surplus.length > 0) refuseUnused("credentials of service accounts", surplus, serviceAccounts);
}

/** The name of a role assignment in {@link ComponentAdoption} and as a construct. */
export function assignmentKey(role: string | undefined, scope: string, subscriptionId: string): string {
  const group = scopeResourceGroup(scope, subscriptionId);
  const whole =
    group !== undefined && resourceGroupScope(subscriptionId, group).toLowerCase() === scope.toLowerCase();
  const place = whole ? group : scope;
  return role === undefined ? place : `${role} at ${place}`;
}

/** What to import for each existing request, by the request's name. */
export function adoptedComponents(
  adopt: ComponentAdoption,
  components: readonly PlannedComponent[],
  subscriptionId: string,
): ReadonlyMap<string, IdentityAdoption> {
  const { absent = [] } = adopt;
  checkNames(
    adopt,
    components.map(({ request }) => request),
  );
  const existing = components.filter(({ request }) => !absent.includes(request.name));
  refuseSurplus(adopt, components, subscriptionId);
  refuseMissing(adopt, existing, subscriptionId);
  return new Map(existing.map(({ request }) => [request.name, adoptedComponent(adopt, request)]));
}

export function assignmentKeys(
  { permissions, scopes }: PlannedComponent,
  subscriptionId: string,
): readonly string[] {
  const roles = [...(hasCustomRole(permissions) ? [undefined] : []), ...permissions.roles];
  return roles.flatMap((role) => scopes.map((scope) => assignmentKey(role, scope, subscriptionId)));
}

function checkNames(adopt: ComponentAdoption, requests: readonly CredentialsRequest[]): void {
  const { roleDefinitions = {}, roleAssignments = {}, absent = [] } = adopt;
  checkKnown("adopt.roleDefinitions", Object.keys(roleDefinitions), requests);
  checkKnown("adopt.roleAssignments", Object.keys(roleAssignments), requests);
  const accounts = requests.flatMap(({ name, subjects }) =>
    subjects.map((subject) => `${name}/${subject.name}`),
  );
  const named = absent.filter((entry) => !accounts.includes(entry));
  checkKnown("adopt.absent", named, requests);
}

/** Throws for entries that import nothing, and for those with which Terraform would replace what it imports. */
function refuseSurplus(
  { roleDefinitions = {}, roleAssignments = {}, absent = [] }: ComponentAdoption,
  components: readonly PlannedComponent[],
  subscriptionId: string,
): void {
  for (const component of components) {
    const { name } = component.request;
    const [definition, assigned] = [own(roleDefinitions, name), own(roleAssignments, name)];
    if (absent.includes(name) && (definition !== undefined || assigned !== undefined))
      contradicts(name, "the request is in adopt.absent, but has entries");
    const keys = assignmentKeys(component, subscriptionId);
    const surplus = Object.keys(assigned ?? {}).filter((key) => !keys.includes(key));
    if (surplus.length > 0) refuseUnused(`role assignments of ${name}`, surplus, keys);
    if (definition === undefined) continue;
    if (!hasCustomRole(component.permissions))
      refuseUnused(`custom roles, which ${name} does not have,`, [definition], []);
    const custom = component.scopes.map((scope) => assignmentKey(undefined, scope, subscriptionId));
    const held = custom.filter((key) => assigned !== undefined && (own(assigned, key) ?? ABSENT) !== ABSENT);
    if (definition === ABSENT && held.length > 0)
      contradicts(name, `a new custom role would replace the assignments ${held.join(", ")}`);
  }
}

function refuseMissing(
  { roleDefinitions = {}, roleAssignments = {} }: ComponentAdoption,
  existing: readonly PlannedComponent[],
  subscriptionId: string,
): void {
  const definitions = existing
    .filter(({ request, permissions }) => hasCustomRole(permissions) && !own(roleDefinitions, request.name))
    .map(({ request }) => request.name);
  if (definitions.length > 0)
    lacks(
      "custom roles in roleDefinitions",
      definitions,
      "list them with `az role definition list --custom-role-only --query \"[?starts_with(description,'Custom role for OpenShift')].[roleName,name]\"`",
    );
  const assignments = existing.flatMap((component) => {
    const assigned = own(roleAssignments, component.request.name) ?? {};
    return assignmentKeys(component, subscriptionId)
      .filter((key) => !own(assigned, key))
      .map((key) => `${component.request.name}: ${key}`);
  });
  if (assignments.length > 0)
    lacks(
      "role assignments in roleAssignments",
      assignments,
      'list those of each identity with `az role assignment list --all --assignee PRINCIPAL_ID --query "[].[roleDefinitionName,scope,name]"`',
    );
}

function contradicts(value: string, why: string): never {
  return fail("azure-conflict", {
    problem: `adopt contradicts itself: ${why}`,
    value,
    allowed: 'GUIDs of existing objects, "absent" for all others',
    remedy: "for each request, state either what exists or that it does not exist yet",
  });
}

function refuseUnused(what: string, value: readonly string[], known: readonly string[]): never {
  return fail("azure-unused", {
    problem: `adopt names ${what} that are not declared, so nothing would be imported`,
    value,
    allowed: known.join(", "),
    remedy: "correct the names, or remove the entries",
  });
}

function lacks(what: string, value: readonly string[], remedy: string): never {
  return fail("azure-missing", {
    problem: `adopt lacks ${what}, whose names are random and cannot be computed`,
    value,
    allowed: "one entry for each, or the request's name in adopt.absent if nothing exists yet",
    remedy,
  });
}

function adoptedComponent(
  { roleDefinitions = {}, roleAssignments = {}, absent = [] }: ComponentAdoption,
  { name, subjects }: CredentialsRequest,
): IdentityAdoption {
  const ids = Object.entries(own(roleAssignments, name) ?? {}).flatMap(([key, value]) => {
    const id = present("role assignment", value);
    return id === undefined ? [] : [[key, id] as const];
  });
  return {
    roleDefinition: present("role definition", own(roleDefinitions, name)),
    roleAssignments: new Map(ids),
    serviceAccounts: subjects
      .map((subject) => subject.name)
      .filter((account) => !absent.includes(`${name}/${account}`)),
  };
}

function present(what: string, value: string | undefined): string | undefined {
  return value === undefined || value === ABSENT ? undefined : guid(what, value);
}
