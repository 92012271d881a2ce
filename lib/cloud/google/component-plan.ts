import { fail } from "../../errors";
import type { ComponentIntent } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { clusterName } from "../../model/kubernetes-name";
import { ofRequest, requestLabel } from "../../model/request-label";
import {
  ccoctlAccountId,
  ccoctlDescription,
  ccoctlDisplayName,
  ccoctlRoleId,
  componentIntent,
  componentRights,
} from "../../rules/google/component";
import {
  DESCRIPTION_MAX,
  DISPLAY_NAME_MAX,
  derivedAccountId,
  projectId,
  serviceAccountId,
} from "../../rules/google/names";
import { type CheckedRoleGrant, checkedRoleGrant } from "../../rules/google/permission";
import { ROLE_TITLE_MAX, customRoleId, customRoleName, derivedRoleId } from "../../rules/google/role";
import { describedWith, utf8Bytes, writtenReason } from "../../rules/google/text";
import type {
  ComponentNaming,
  ComponentServiceAccountProps,
  RoleSharing,
} from "./component-service-account-props";
import type { ProjectRoleProps } from "./project-role";

/** Settings of one component before its pool provider is there. */
export type UnboundComponent = Omit<ComponentServiceAccountProps, "oidcProvider">;

/** A component's objects, named and checked, none declared. */
export interface ComponentPlan {
  /** The request. */
  readonly request: CredentialsRequest;
  /** Id, name for people and description of the service account. */
  readonly account: {
    /** Its id. */
    readonly accountId: string;
    /** Its name for people. */
    readonly displayName: string;
    /** Its description, with the reason for a basic role. */
    readonly description: string | undefined;
  };
  /** Id of the custom role, declared here or elsewhere; `undefined` where the request needs none. */
  readonly roleId: string | undefined;
  /** The custom role, where one is declared. */
  readonly role: ProjectRoleProps | undefined;
  /** What the service account is granted on its project. */
  readonly grants: readonly CheckedRoleGrant[];
  /** What the component is meant to get other than its request asks for. */
  readonly intends: ComponentIntent | undefined;
}

/** Red Hat's own names begin so; what follows is what people look for. */
const COMMON_PREFIX = /^openshift-/;

/** How each naming names service accounts. */
const ACCOUNTS: Readonly<
  Record<ComponentNaming, (cluster: string, request: CredentialsRequest) => ComponentPlan["account"]>
> = {
  derived: (cluster, request) => ({
    accountId: derivedAccountId(cluster, request.name.replace(COMMON_PREFIX, ""), [request.name]),
    ...derivedNames(cluster, request),
  }),
  ccoctl: (cluster, { name }) => {
    const displayName = ccoctlDisplayName(cluster, name);
    return {
      accountId: ccoctlAccountId(cluster, name),
      displayName,
      description: ccoctlDescription(displayName),
    };
  },
};

/**
 * Names and checks all objects of a component. Throws `cluster-name-invalid` and, naming the request, what
 * `componentRights` and `checkedRoleGrant` throw, `google-account-id-invalid`, `google-role-id-invalid`,
 * `google-adopt-condition`, `google-setting-contradicts`, and `late-value`.
 */
export function planComponent(props: UnboundComponent): ComponentPlan {
  const { request, condition, reason } = props;
  const cluster = clusterName(props.clusterName);
  const rights = componentRights(request, props);
  return ofRequest(request, () => {
    const project = projectId(props.project);
    const naming = checkedNaming(props);
    const sharing = sharingOf(props, naming);
    const role = rights.permissions.length === 0 ? undefined : roleOf(props, sharing, rights.permissions);
    const declared = sharing === "existing" ? undefined : role;
    if (props.adoptRole === true && declared === undefined)
      fail(
        "google-setting-contradicts",
        "adoptRole, or an entry of adoptRoles,",
        "where no role is declared",
      );
    const roles = role ? [...rights.roles, customRoleName(project, role.roleId)] : rights.roles;
    return {
      request,
      account: accountOf(props, ACCOUNTS[naming](cluster, request)),
      roleId: role?.roleId,
      role: declared,
      grants: [...new Set(roles)].map((name) => checkedRoleGrant({ role: name, project, condition, reason })),
      intends: componentIntent(rights, props),
    };
  });
}

/** Refuses two requests of one cluster that would share a name; throws `google-requests-clash`. */
export function refuseClashes(plans: readonly ComponentPlan[]): void {
  const shared: readonly (readonly [string, (plan: ComponentPlan) => string | undefined])[] = [
    ["name", ({ request }) => request.name],
    ["service account id", ({ account }) => account.accountId],
    ["custom role id", ({ roleId }) => roleId],
  ];
  for (const [what, valueOf] of shared) {
    const seen = new Map<string, ComponentPlan>();
    for (const plan of plans) {
      const value = valueOf(plan);
      if (value === undefined) continue;
      const first = seen.get(value);
      if (first)
        fail("google-requests-clash", what, value, requestLabel(first.request), requestLabel(plan.request));
      seen.set(value, plan);
    }
  }
}

/** A binding that is there already and has no condition would stay beside one that has. */
function checkedNaming({ adopt, condition, naming = "derived" }: UnboundComponent): ComponentNaming {
  return adopt && condition !== undefined ? fail("google-adopt-condition") : naming;
}

function sharingOf({ roleSharing }: UnboundComponent, naming: ComponentNaming): RoleSharing {
  return roleSharing ?? (naming === "ccoctl" ? "project" : "cluster");
}

function accountOf(
  { accountId, reason }: UnboundComponent,
  named: ComponentPlan["account"],
): ComponentPlan["account"] {
  return {
    accountId: serviceAccountId(accountId ?? named.accountId),
    displayName: named.displayName,
    description: describedWith(named.description, writtenReason(reason), DESCRIPTION_MAX, utf8Bytes),
  };
}

function roleOf(
  props: UnboundComponent,
  sharing: RoleSharing,
  permissions: readonly string[],
): ProjectRoleProps {
  const { project, request, clusterName: cluster } = props;
  const own = sharing === "cluster";
  const names = derivedNames(cluster, request);
  const derived = own ? derivedRoleId([cluster, request.name]) : ccoctlRoleId(project, request.name);
  return {
    project,
    roleId: customRoleId(props.roleId ?? derived),
    title: own ? names.displayName.slice(0, ROLE_TITLE_MAX) : ccoctlDisplayName(project, request.name),
    description: own ? names.description : ccoctlDescription(ccoctlDisplayName(cluster, request.name)),
    permissions,
    adopt: props.adoptRole ?? (props.adopt === true && !own),
    provider: props.provider,
  };
}

function derivedNames(
  cluster: string,
  { name }: CredentialsRequest,
): { readonly displayName: string; readonly description: string } {
  return {
    displayName: `${cluster} ${name}`.slice(0, DISPLAY_NAME_MAX),
    description: `OpenShift component of cluster ${cluster}, CredentialsRequest ${name}`.slice(
      0,
      DESCRIPTION_MAX,
    ),
  };
}
