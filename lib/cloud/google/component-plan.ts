import { fail } from "../../errors";
import { SWITCH, oneOf } from "../../model/choice";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest, requestLabel } from "../../model/request-label";
import {
  ccoctlAccountId,
  ccoctlDescription,
  ccoctlDisplayName,
  ccoctlRoleId,
  ccoctlRoleTitle,
} from "../../rules/google/ccoctl-names";
import { ROLE_TITLE_MAX, customRoleId, customRoleName, derivedRoleId } from "../../rules/google/custom-role";
import { projectId } from "../../rules/google/ids";
import { componentRights } from "../../rules/google/provider-spec";
import { checkedRoleGrant } from "../../rules/google/role-grant";
import type { CheckedRoleGrant } from "../../rules/google/role-grant";
import { DISPLAY_NAME_MAX, derivedAccountId, serviceAccountId } from "../../rules/google/service-account";
import type {
  ComponentNaming,
  ComponentServiceAccountProps,
  RoleSharing,
} from "./component-service-account-props";
import type { ProjectRoleProps } from "./project-role";

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
    /** Its description. */
    readonly description: string;
  };
  /** The custom role, where one is declared. */
  readonly role: ProjectRoleProps | undefined;
  /** What the service account is granted on its project. */
  readonly grants: readonly {
    /** The grant. */
    readonly grant: CheckedRoleGrant;
    /** True where it exists already. */
    readonly adopt: boolean;
  }[];
}

const NAMINGS: readonly ComponentNaming[] = ["derived", "ccoctl"];
const SHARINGS: readonly RoleSharing[] = ["cluster", "project", "existing"];

/** Red Hat's own names begin so; what follows is what people look for. */
const COMMON_PREFIX = /^openshift-/;

type Names = Pick<ComponentPlan["account"], "displayName" | "description">;

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
 * Names and checks all objects of a component. Throws, naming the request, what `componentRights` throws,
 * `google-account-id-invalid`, `google-role-id-invalid`, `google-adopt-condition`, `choice-unknown` and `late-value`.
 */
export function planComponent(props: Omit<ComponentServiceAccountProps, "oidcProvider">): ComponentPlan {
  const { request, condition, reason } = props;
  const rights = componentRights(request, props);
  return ofRequest(request, () => {
    const project = projectId(props.project);
    const adopt = oneOf("adopt", props.adopt ?? false, SWITCH);
    if (adopt && condition !== undefined) fail("google-adopt-condition");
    const naming = oneOf("naming", props.naming ?? "derived", NAMINGS);
    const fallback: RoleSharing = naming === "ccoctl" ? "project" : "cluster";
    const sharing = oneOf("roleSharing", props.roleSharing ?? fallback, SHARINGS);
    const named = ACCOUNTS[naming](props.clusterName, request);
    const account = { ...named, accountId: serviceAccountId(props.accountId ?? named.accountId) };
    const role = rights.permissions.length === 0 ? undefined : roleOf(props, sharing, rights.permissions);
    const own = role === undefined ? [] : [customRoleName(project, role.roleId)];
    return {
      request,
      account,
      role: sharing === "existing" ? undefined : role,
      grants: [...rights.roles, ...own].map((name) => ({
        grant: checkedRoleGrant({
          role: name,
          project,
          condition,
          reason,
        }),
        adopt: adopt && (sharing !== "cluster" || !own.includes(name)),
      })),
    };
  });
}

/** Refuses two requests of one cluster that would share a name; throws `google-requests-clash`. */
export function refuseClashes(plans: readonly ComponentPlan[]): void {
  const shared: readonly (readonly [string, (plan: ComponentPlan) => string | undefined])[] = [
    ["name", ({ request }) => request.name],
    ["service account id", ({ account }) => account.accountId],
    ["custom role id", ({ role }) => role?.roleId],
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

function roleOf(
  props: Omit<ComponentServiceAccountProps, "oidcProvider">,
  sharing: RoleSharing,
  permissions: readonly string[],
): ProjectRoleProps {
  const { project, request, clusterName } = props;
  const own = sharing === "cluster";
  const names = derivedNames(clusterName, request);
  const derived = own ? derivedRoleId([clusterName, request.name]) : ccoctlRoleId(project, request.name);
  return {
    project,
    roleId: customRoleId(props.roleId ?? derived),
    title: own ? names.displayName.slice(0, ROLE_TITLE_MAX) : ccoctlRoleTitle(project, request.name),
    description: own ? names.description : ccoctlDescription(ccoctlDisplayName(clusterName, request.name)),
    permissions,
    adopt: props.adopt === true && !own,
    provider: props.provider,
  };
}

function derivedNames(cluster: string, { name }: CredentialsRequest): Names {
  return {
    displayName: `${cluster} ${name}`.slice(0, DISPLAY_NAME_MAX),
    description: `OpenShift component of cluster ${cluster}, CredentialsRequest ${name}`.slice(0, 256),
  };
}
