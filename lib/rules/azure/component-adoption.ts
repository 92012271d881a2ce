/*
 * What `ccoctl` made and Terraform takes over. Names are ccoctl's; the ids of custom roles and role assignments are
 * random GUIDs, which the caller looks up.
 */

import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { checkKnown, type PlannedComponent } from "./component-plan";
import { guid } from "./resource-id";
import { resourceGroupId } from "./scope-id";

/** What exists already of one cluster's identities. */
export interface ComponentAdoption {
  /**
   * GUID of the custom role of each request, by the name of the request; `absent` where it does not exist yet.
   *
   * @defaultValue - none; refused where a request that is not absent has a custom role
   */
  readonly roleDefinitions?: Readonly<Record<string, string>>;
  /**
   * GUIDs of the role assignments of each request, by the name of the request, then by the resource group (for a role
   * of `roleBindings` by `<role> at <resource group>`, outside of the subscription by the whole scope); `absent` where
   * one does not exist yet.
   *
   * @defaultValue - none; refused where a request is not absent
   */
  readonly roleAssignments?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /**
   * Requests for which nothing exists, by name, and single service accounts without a credential, as
   * `<request>/<service account>`.
   *
   * @defaultValue - none
   */
  readonly absent?: readonly string[];
}

/** Value that says that something does not exist yet. */
const ABSENT = "absent";

/** What is imported of one request's identity. */
export interface AdoptedComponent {
  /** GUID of its custom role; `undefined` where that is made anew. */
  readonly roleDefinition: string | undefined;
  /** GUIDs by {@link assignmentKey}; what is missing is made anew. */
  readonly roleAssignments: ReadonlyMap<string, string>;
  /** Names of the service accounts whose credentials exist. */
  readonly serviceAccounts: readonly string[];
}

const HOW = {
  roleDefinition:
    "list them with `az role definition list --custom-role-only --query \"[?starts_with(description,'Custom role for OpenShift')].[roleName,name]\"`",
  roleAssignment:
    "list them with `az role assignment list --all --query \"[?principalType=='ServicePrincipal'].[roleDefinitionName,scope,name]\"`",
} as const;

/** How a role assignment is named in {@link ComponentAdoption} and as a construct. */
export function assignmentKey(role: string | undefined, scope: string, subscriptionId: string): string {
  const group = scope.slice(scope.lastIndexOf("/") + 1);
  const own = resourceGroupId(subscriptionId, group).toLowerCase() === scope.toLowerCase();
  const place = own ? group : scope;
  return role === undefined ? place : `${role} at ${place}`;
}

/**
 * What is imported of each request that exists already, by the request's name.
 *
 * Throws `azure-adopt-missing` with everything that is missing, `azure-request-unknown` or `azure-guid-invalid`.
 */
export function adoptedComponents(
  adopt: ComponentAdoption,
  components: readonly PlannedComponent[],
  subscriptionId: string,
): ReadonlyMap<string, AdoptedComponent> {
  const { absent = [] } = adopt;
  const requests = components.map(({ request }) => request);
  checkNames(adopt, requests);
  const existing = components.filter(({ request }) => !absent.includes(request.name));
  refuseMissing(adopt, existing, subscriptionId);
  return new Map(existing.map(({ request }) => [request.name, adoptedComponent(adopt, request)]));
}

/** True where a component needs a custom role. */
export function hasCustomRole({ actions, dataActions }: PlannedComponent["permissions"]): boolean {
  return actions.length + dataActions.length > 0;
}

function assignmentKeys(
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
  const accounts = requests.flatMap(({ name, subjects }) => subjects.map((own) => `${name}/${own.name}`));
  const named = absent.filter((entry) => !accounts.includes(entry));
  checkKnown("adopt.absent", named, requests);
}

function refuseMissing(
  { roleDefinitions = {}, roleAssignments = {} }: ComponentAdoption,
  existing: readonly PlannedComponent[],
  subscriptionId: string,
): void {
  const definitions = existing
    .filter(({ request, permissions }) => hasCustomRole(permissions) && !roleDefinitions[request.name])
    .map(({ request }) => request.name);
  if (definitions.length > 0)
    fail("azure-adopt-missing", "custom roles in roleDefinitions", definitions, HOW.roleDefinition);
  const assignments = existing.flatMap((component) =>
    assignmentKeys(component, subscriptionId)
      .filter((key) => !roleAssignments[component.request.name]?.[key])
      .map((key) => `${component.request.name}: ${key}`),
  );
  if (assignments.length > 0)
    fail("azure-adopt-missing", "role assignments in roleAssignments", assignments, HOW.roleAssignment);
}

function adoptedComponent(
  { roleDefinitions = {}, roleAssignments = {}, absent = [] }: ComponentAdoption,
  { name, subjects }: CredentialsRequest,
): AdoptedComponent {
  const ids = Object.entries(roleAssignments[name] ?? {}).flatMap(([key, value]) => {
    const id = present("role assignment", value);
    return id === undefined ? [] : [[key, id] as const];
  });
  return {
    roleDefinition: present("role definition", roleDefinitions[name]),
    roleAssignments: new Map(ids),
    serviceAccounts: subjects
      .map((subject) => subject.name)
      .filter((own) => !absent.includes(`${name}/${own}`)),
  };
}

function present(what: string, value: string | undefined): string | undefined {
  return value === undefined || value === ABSENT ? undefined : guid(what, value);
}
