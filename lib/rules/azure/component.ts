/*
 * The identities of OpenShift's components, as openshift/cloud-credential-operator creates them
 * (pkg/cmd/provisioning/azure/create_managed_identities.go).
 */

import { fail } from "../../errors";
import { type ComponentIntent, type ComponentsRequest, COMPONENT_AUDIENCE } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest, requestLabel } from "../../model/request-label";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";
import { derivedName, stableHash } from "../names";
import { refuseSameNames } from "../openshift/credentials-request";
import { checkReason } from "./access";
import { subscriptionScope } from "./ids";
import { type ComponentPermissions, componentPermissions } from "./provider-spec";
import { IDENTITY_NAME } from "./pull";
import {
  type ClusterResourceGroups,
  assignableScopes,
  checkBroadScopes,
  checkResourceGroups,
  componentScopes,
  statedScopes,
} from "./scope";
import { type ClusterTrust, type FederatedCredential, checkCredentials, federatedCredentials } from "./trust";

/**
 * How the identities, custom roles and credentials of components are named: `unique` adds a hash if a name would
 * be ambiguous or too long; `ccoctl` cuts it off, as `ccoctl` does.
 */
export type ComponentNaming = "unique" | "ccoctl";

export const COMPONENT_NAMINGS: readonly ComponentNaming[] = ["unique", "ccoctl"];

/** The names of a request's identity and custom role. */
interface NamedComponent {
  readonly request: CredentialsRequest;
  readonly identityName: string;
  readonly roleName: string;
}

const LEGAL = /^[A-Za-z0-9][A-Za-z0-9_-]{2,127}$/;

const NAMES: Readonly<Record<ComponentNaming, (parts: readonly string[]) => string>> = {
  unique: (parts) => derivedName(parts, IDENTITY_NAME),
  // openshift/cloud-credential-operator, pkg/cmd/provisioning/azure/create_managed_identities.go.
  ccoctl: (parts) => parts.join("-").slice(0, IDENTITY_NAME.max),
};

/**
 * Names for each request, in the order of the requests.
 *
 * The names of custom roles are unique in a tenant, across all its subscriptions, which `ccoctl` ignores; with `unique`
 * the role's name ends with a hash of the subscription.
 */
export function componentNames(
  clusterName: string,
  subscriptionId: string,
  requests: readonly CredentialsRequest[],
  naming: ComponentNaming,
): readonly NamedComponent[] {
  const name = NAMES[naming];
  const holders = new Map<string, CredentialsRequest>();
  return requests.map((request) => {
    const { secret } = request;
    const identityName = name([clusterName, secret.namespace, secret.name]);
    if (!LEGAL.test(identityName)) ofRequest(request, () => invalidCcoctlName("an identity", identityName));
    const holder = holders.get(identityName.toLowerCase());
    if (holder)
      fail("azure-conflict", {
        problem: `${requestLabel(holder)} and ${requestLabel(request)} would have the same identity`,
        value: identityName,
        allowed: "one identity per request; letter case makes no difference",
        remedy:
          'remove `naming: "ccoctl"`, which cuts names off at 128 characters, shorten the cluster name, or remove the duplicate request',
      });
    holders.set(identityName.toLowerCase(), request);
    const roleName =
      naming === "ccoctl" ? identityName : `${identityName}_${stableHash([subscriptionId.toLowerCase()])}`;
    return { request, identityName: identityName, roleName };
  });
}

/** Throws for a name that `ccoctl` would use but Azure does not accept. */
function invalidCcoctlName(what: string, value: string): never {
  return fail("azure-invalid", {
    problem: `Azure does not accept the name that ccoctl would give ${what}`,
    value,
    allowed: "3 to 128 of A-Z, a-z, 0-9, _ and -, for a credential at most 120",
    remedy:
      'remove `naming: "ccoctl"`; if ccoctl could not create an identity for the request, there is nothing to adopt',
  });
}

/** Settings for one request that differ from the defaults. */
export interface ComponentOverride {
  /**
   * Resource ids of the roles' scopes, which replace the cluster's resource groups.
   *
   * @defaultValue - the resource groups that `ccoctl` uses
   */
  readonly scopes?: readonly string[];
  /**
   * Why a scope of `scopes` is a subscription or a management group. Becomes the description of the role assignments.
   *
   * @defaultValue - none; such a scope is refused
   */
  readonly reason?: string;
  /**
   * Permissions and data permissions of the request that are not granted.
   *
   * @defaultValue - none
   */
  readonly withoutPermissions?: readonly string[];
}

export const COMPONENT_OVERRIDE: ObjectKind<ComponentOverride> = object({
  scopes: optional(list(text)),
  reason: optional(text),
  withoutPermissions: optional(list(text)),
});

interface ComponentPlanOptions {
  readonly naming: ComponentNaming;
  /** Where roles apply by default. */
  readonly resourceGroups: ClusterResourceGroups;
  readonly overrides: Readonly<Record<string, ComponentOverride>>;
}

/** The identity of one request. */
export interface PlannedComponent extends NamedComponent {
  readonly permissions: ComponentPermissions;
  readonly scopes: readonly string[];
  /** True if a permission that the request asks for is not granted. */
  readonly withheld: boolean;
  readonly reason: string | undefined;
  readonly credentials: readonly FederatedCredential[];
}

/**
 * Checks all requests of a cluster and plans their identities, in the order of the requests.
 *
 * Errors of the cluster itself come first and name no request: an invalid name, issuer or resource group.
 */
export function planComponents(
  { clusterName, issuer, requests }: ComponentsRequest,
  { naming, resourceGroups, overrides }: ComponentPlanOptions,
): readonly PlannedComponent[] {
  const trust = { clusterName, issuer, audience: COMPONENT_AUDIENCE };
  federatedCredentials({ ...trust, subjects: [] });
  checkResourceGroups(resourceGroups);
  refuseSameNames(requests);
  checkKnown("overrides", Object.keys(overrides), requests);
  const subscription = subscriptionScope(resourceGroups.subscriptionId);
  const named = componentNames(clusterName, resourceGroups.subscriptionId, requests, naming);
  return named.map(({ request, identityName, roleName }) =>
    ofRequest(request, () => {
      const override = checkedOverride(own(overrides, request.name));
      const permissions = componentPermissions(request, override.withoutPermissions);
      const credentials = componentCredentials({ ...trust, subjects: request.subjects }, naming);
      checkCredentials(identityName, credentials, "split the request's service accounts into two requests");
      const scopes = override.scopes ?? componentScopes(request.name, resourceGroups);
      if (hasCustomRole(permissions))
        assignableScopes(subscription, scopes, permissions.dataActions.length > 0);
      const { reason, withoutPermissions = [] } = override;
      const withheld = withoutPermissions.length > 0;
      return { request, identityName, roleName, permissions, scopes, withheld, reason, credentials };
    }),
  );
}

export function hasCustomRole({ actions, dataActions }: ComponentPermissions): boolean {
  return actions.length + dataActions.length > 0;
}

export function checkKnown(
  setting: string,
  names: readonly string[],
  requests: readonly CredentialsRequest[],
): void {
  const known = requests.map(({ name }) => name).sort();
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    fail("azure-unknown", {
      problem: `${setting} names a CredentialsRequest that is not among the requests`,
      value: unknown,
      allowed: known.join(", "),
      remedy: "use metadata.name of a request, or remove the entry",
    });
}

/** The record's own property: a request may be called `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function checkedOverride(override: ComponentOverride = {}): ComponentOverride {
  const { scopes: stated, reason } = override;
  if (reason !== undefined) checkReason(reason);
  if (stated === undefined) return override;
  const scopes = statedScopes(stated);
  checkBroadScopes(scopes, reason);
  return { ...override, scopes };
}

const CREDENTIAL_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{2,119}$/;

/**
 * The credentials of a component's service accounts. `ccoctl` names each after its service account, without the
 * cluster's name, so two clusters could not share an identity.
 */
export function componentCredentials(
  trust: ClusterTrust,
  naming: ComponentNaming,
): readonly FederatedCredential[] {
  if (trust.subjects.length === 0)
    fail("azure-missing", {
      problem: "no service account may act as the identity",
      allowed: "1 to 20 service accounts, namespace/name each",
      remedy: "name the service accounts of the component",
    });
  if (naming === "unique") return federatedCredentials(trust);
  return federatedCredentials(trust, ([, , ...accountAndLabel]) => {
    const name = accountAndLabel.join("_");
    return CREDENTIAL_NAME.test(name) ? name : invalidCcoctlName("a federated identity credential", name);
  });
}

/** The permissions as a request's provider part; `undefined` if the request applies unchanged. */
export function componentIntent({
  withheld,
  permissions: { actions, dataActions, roles },
}: Pick<PlannedComponent, "withheld" | "permissions">): ComponentIntent | undefined {
  if (!withheld) return undefined;
  return {
    rights: {
      permissions: actions,
      dataPermissions: dataActions,
      roleBindings: roles.map((role) => ({ role })),
    },
  };
}
