import { fail } from "../../errors";
import { type ComponentIntent, type ComponentsRequest, COMPONENT_AUDIENCE } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest } from "../../model/request-label";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";
import { refuseSameNames } from "../openshift/credentials-request";
import { checkReason } from "./roles";
import {
  type ComponentNaming,
  type NamedComponent,
  componentNames,
  invalidCcoctlName,
} from "./component-names";
import {
  type ClusterResourceGroups,
  assignableScopes,
  checkBroadScopes,
  checkResourceGroups,
  componentScopes,
} from "./component-scopes";
import { type ClusterTrust, type FederatedCredential, checkCredentials, federatedCredentials } from "./trust";
import { type ComponentPermissions, componentPermissions } from "./provider-spec";
import { statedScopes, subscriptionScope } from "./ids";

/** What the caller wants otherwise for one request. */
export interface ComponentOverride {
  /**
   * Resource ids of what the roles count for, in place of the cluster's resource groups.
   *
   * @defaultValue - the resource groups that `ccoctl` goes by
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

/** The kind of {@link ComponentOverride}. */
export const COMPONENT_OVERRIDE: ObjectKind<ComponentOverride> = object({
  scopes: optional(list(text)),
  reason: optional(text),
  withoutPermissions: optional(list(text)),
});

/** How components are planned. */
export interface ComponentPlanOptions {
  /** How things are named. */
  readonly naming: ComponentNaming;
  /** Where roles count by default. */
  readonly resourceGroups: ClusterResourceGroups;
  /** By the name of the request. */
  readonly overrides: Readonly<Record<string, ComponentOverride>>;
}

/** The identity of one request. */
export interface PlannedComponent extends NamedComponent {
  /** What it may do. */
  readonly permissions: ComponentPermissions;
  /** Resource ids of what the roles count for. */
  readonly scopes: readonly string[];
  /** True where something that the request asks for is not granted. */
  readonly withheld: boolean;
  /** Why one of the scopes is broad. */
  readonly reason: string | undefined;
  /** Who acts as it. */
  readonly credentials: readonly FederatedCredential[];
}

/**
 * Checks all requests of a cluster and decides their identities, in the order of the requests.
 *
 * What is wrong with the cluster is refused first, without naming a request: a wrong name, issuer or resource group.
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
      checkCredentials(identityName, credentials, "split the request's service accounts over two requests");
      const scopes = override.scopes ?? componentScopes(request.name, resourceGroups);
      if (hasCustomRole(permissions))
        assignableScopes(subscription, scopes, permissions.dataActions.length > 0);
      const { reason, withoutPermissions = [] } = override;
      const withheld = withoutPermissions.length > 0;
      return { request, identityName, roleName, permissions, scopes, withheld, reason, credentials };
    }),
  );
}

/** True where a component needs a custom role. */
export function hasCustomRole({ actions, dataActions }: ComponentPermissions): boolean {
  return actions.length + dataActions.length > 0;
}

/** Refuses a setting for a request that does not exist. */
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

/** What a record of the caller's holds itself: a request may be called `constructor`. */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Scopes in their final form. */
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
 * The credentials of a component's service accounts. `ccoctl` names each as its service account, without the cluster's
 * name, which two clusters could not do on one identity.
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
  const credentials = federatedCredentials(trust);
  if (naming === "unique") return credentials;
  return credentials.map((credential) => {
    const name = credential.subject.slice(credential.subject.lastIndexOf(":") + 1);
    return CREDENTIAL_NAME.test(name)
      ? { ...credential, name }
      : invalidCcoctlName("a federated identity credential", name);
  });
}

/** The intent, in the form of a request's provider part; `undefined` where the request counts as it is. */
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
