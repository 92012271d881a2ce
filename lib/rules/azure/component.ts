/*
 * Where a component's roles count. Source of the default: openshift/cloud-credential-operator,
 * pkg/cmd/provisioning/azure/create_managed_identities.go, which goes by the names of the requests.
 */

/*
 * Secrets of OpenShift's components on Azure. Source: openshift/cloud-credential-operator,
 * pkg/cmd/provisioning/azure/create_managed_identities.go and create_oidc_issuer.go.
 */

import { fail } from "../../errors";
import {
  type ComponentIntent,
  type ComponentSecret,
  type ComponentsRequest,
  COMPONENT_AUDIENCE,
  COMPONENT_TOKEN_PATH,
} from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest, requestLabel } from "../../model/request-label";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";
import { derivedName, stableHash } from "../names";
import { refuseSameNames } from "../openshift/request-names";
import { checkReason } from "./access";
import { resourceGroupId, subscriptionScope } from "./ids";
import { WEBHOOK_SECRET } from "./pod";
import { type ComponentPermissions, componentPermissions } from "./provider-spec";
import { IDENTITY_NAME } from "./pull";
import { isBroadScope, isManagementGroup, oncePerScope, statedScopes } from "./scope";
import { type ClusterTrust, type FederatedCredential, checkCredentials, federatedCredentials } from "./trust";

/**
 * How the identities, custom roles and credentials of components are named: `unique` adds a hash wherever a name would
 * be ambiguous or too long, `ccoctl` cuts, as `ccoctl` does.
 */
export type ComponentNaming = "unique" | "ccoctl";

export const COMPONENT_NAMINGS: readonly ComponentNaming[] = ["unique", "ccoctl"];

/** What the identity of a request and its custom role are called. */
export interface NamedComponent {
  /** The request. */
  readonly request: CredentialsRequest;
  /** Name of the identity, in its resource group. */
  readonly identityName: string;
  /** Name of the custom role, in its tenant. */
  readonly roleName: string;
}

const LEGAL = /^[A-Za-z0-9][A-Za-z0-9_-]{2,127}$/;
const NAMES: Readonly<Record<ComponentNaming, (parts: readonly string[]) => string>> = {
  unique: (parts) => derivedName(parts, IDENTITY_NAME),
  // openshift/cloud-credential-operator, pkg/cmd/provisioning/azure/create_managed_identities.go.
  ccoctl: (parts) => parts.join("-").slice(0, IDENTITY_NAME.max),
};

/**
 * Names for each request; in the order of the requests.
 *
 * A tenant has one custom role of a name, over all its subscriptions, which `ccoctl` does not regard: with `unique` the
 * role's name ends with a hash of the subscription.
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
    const own = name([clusterName, secret.namespace, secret.name]);
    if (!LEGAL.test(own)) ofRequest(request, () => invalidCcoctlName("an identity", own));
    const holder = holders.get(own.toLowerCase());
    if (holder)
      fail("azure-conflict", {
        problem: `${requestLabel(holder)} and ${requestLabel(request)} would have the same identity`,
        value: own,
        allowed: "an identity of its own for each request, letter case aside",
        remedy:
          'leave `naming: "ccoctl"` out, which cuts names at 128 characters, shorten the cluster name, or leave out the request that is there twice',
      });
    holders.set(own.toLowerCase(), request);
    const roleName = naming === "ccoctl" ? own : `${own}_${stableHash([subscriptionId.toLowerCase()])}`;
    return { request, identityName: own, roleName };
  });
}

/** Refuses a name that `ccoctl` would give and Azure does not take. */
export function invalidCcoctlName(what: string, value: string): never {
  return fail("azure-invalid", {
    problem: `the name that ccoctl would give ${what} is not one that Azure takes`,
    value,
    allowed: "3 to 128 of A-Z, a-z, 0-9, _ and -, for a credential at most 120",
    remedy:
      'leave `naming: "ccoctl"` out; a request that ccoctl could not make an identity for has nothing to adopt',
  });
}

/** The resource groups of a cluster. */
export interface ClusterResourceGroups {
  /** Literal GUID of the cluster's subscription. */
  readonly subscriptionId: string;
  /** Resource group that the installer fills. */
  readonly installationResourceGroupName: string;
  /**
   * Resource group of an existing virtual network.
   *
   * @defaultValue - the network is in the installation resource group
   */
  readonly networkResourceGroupName?: string | undefined;
  /**
   * Resource group of the DNS zone.
   *
   * @defaultValue - no role is given there
   */
  readonly dnsZoneResourceGroupName?: string | undefined;
}

const DNS: readonly string[] = ["openshift-ingress-azure"];
const NETWORK: readonly string[] = [
  "azure-file-csi-driver-operator",
  "openshift-azure-cloud-controller-manager",
  "openshift-cloud-network-config-controller-azure",
  "openshift-image-registry-azure",
  "openshift-ingress-azure",
  "openshift-machine-api-azure",
];

/** Checks the groups of a cluster. */
export function checkResourceGroups(groups: ClusterResourceGroups): void {
  for (const request of [...DNS, ...NETWORK]) componentScopes(request, groups);
}

/**
 * Resource ids of the resource groups where a component's roles count, by the name of its request: the installation
 * group, the DNS zone's for the ingress operator, the network's for those that work on subnets.
 */
export function componentScopes(requestName: string, groups: ClusterResourceGroups): readonly string[] {
  const { installationResourceGroupName, networkResourceGroupName, dnsZoneResourceGroupName } = groups;
  const names = [
    installationResourceGroupName,
    DNS.includes(requestName) ? dnsZoneResourceGroupName : undefined,
    NETWORK.includes(requestName) ? networkResourceGroupName : undefined,
  ];
  const scopes = names.flatMap((name) =>
    name === undefined ? [] : [resourceGroupId(groups.subscriptionId, name)],
  );
  return oncePerScope(scopes);
}

/** Refuses roles of a component beyond resource groups without a reason. */
export function checkBroadScopes(scopes: readonly string[], reason: string | undefined): void {
  const broad = reason === undefined ? scopes.find(isBroadScope) : undefined;
  if (broad !== undefined)
    fail("azure-unsafe", {
      problem: "roles of a component would count beyond resource groups, and no reason is stated",
      value: broad,
      allowed: "/subscriptions/<GUID>/resourceGroups/<name> and what is in one, or a written `reason`",
      remedy: "name the resource groups; otherwise state the reason, which is written beside the assignments",
    });
}

/**
 * Resource ids of the subscriptions in which a custom role must be assignable: its own first, the others sorted.
 *
 * Azure takes one management group among them, and then no data actions (learn.microsoft.com, "Azure custom roles",
 * custom role limits).
 */
export function assignableScopes(
  own: string,
  scopes: readonly string[],
  hasDataActions = false,
): readonly string[] {
  const places = scopes.map((scope) => /^\/subscriptions\/[^/]+/i.exec(scope)?.[0] ?? scope);
  const [, ...others] = oncePerScope([own, ...places.sort()]);
  const groups = others.filter(isManagementGroup);
  if (groups.length > (hasDataActions ? 0 : 1))
    fail("azure-limit", {
      problem: "Azure lets no custom role be assignable at these scopes together",
      value: groups,
      allowed: hasDataActions ? "subscriptions, for a role with data actions" : "one management group",
      remedy:
        "give the component scopes in subscriptions, or split it over several roles with ComponentIdentity",
    });
  return [own, ...others];
}

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

/** What a component must know of its identity. */
export interface ComponentCredentials {
  /** Client id; late unless adopted with a literal one. */
  readonly clientId: string;
  /** Tenant; may be late. */
  readonly tenantId: string;
  /** Region of the cluster. */
  readonly region: string;
  /** Subscription of the cluster. */
  readonly subscriptionId: string;
}

/** The Secret that a component reads, keys in the order in which `ccoctl` writes them. */
export function componentSecret(
  { secret, cloudTokenPath }: CredentialsRequest,
  { clientId, tenantId, region, subscriptionId }: ComponentCredentials,
): ComponentSecret {
  return {
    ...secret,
    stringData: {
      azure_client_id: clientId,
      azure_tenant_id: tenantId,
      azure_region: region,
      azure_subscription_id: subscriptionId,
      azure_federated_token_file: cloudTokenPath ?? COMPONENT_TOKEN_PATH,
    },
  };
}

/** The Secret that makes OpenShift run Azure's pod identity webhook. */
export function webhookSecret(tenantId: string): ComponentSecret & {
  /** Name of its file below `manifests/`, without `.yaml`. */
  readonly file: string;
} {
  return { ...WEBHOOK_SECRET, stringData: { azure_tenant_id: tenantId } };
}
