import { Construct } from "constructs";
import { fail } from "../../errors";
import {
  type ComponentGrant,
  type ComponentIntent,
  type ComponentSecret,
  COMPONENT_AUDIENCE,
  COMPONENT_TOKEN_PATH,
} from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { clusterName } from "../../model/kubernetes-name";
import { encode } from "../../model/late";
import { ofRequest, requestLabel } from "../../model/request-label";
import { checkProps } from "../../model/shape";
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
  refuseUnused,
} from "../../rules/google/names";
import { type CheckedRoleGrant, checkedRoleGrant } from "../../rules/google/permission";
import { ROLE_TITLE_MAX, customRoleId, customRoleName, derivedRoleId } from "../../rules/google/role";
import { describedWith, utf8Bytes, writtenReason } from "../../rules/google/text";
import { externalAccountFile } from "../../rules/google/workload";
import {
  type ComponentServiceAccountProps,
  type RoleSharing,
  COMPONENT_SERVICE_ACCOUNT_PROPS,
} from "./component-props";
import { FederatedServiceAccount } from "./identity";
import { universeIn } from "./place";
import { OidcProvider } from "./provider";
import type { IOidcProvider } from "./provider-props";
import { type ProjectRoleProps, ProjectRole, RoleBinding } from "./role";
import { audienceMismatch } from "../../model/problems";

/** Key in the Secret; every component of OpenShift on Google Cloud reads it. */
const SECRET_KEY = "service_account.json";

/**
 * The identity of one OpenShift component on Google Cloud: a service account for its Kubernetes service accounts, a
 * custom role with exactly its permissions, bindings on the project, and the Secret with the credential file.
 *
 * The Secret is final at synth if the project number is literal.
 */
export class ComponentServiceAccount extends Construct {
  /** The Google service account and its users. */
  readonly account: FederatedServiceAccount;
  /** The custom role; `undefined` if the request has no permissions of its own, or shares a role declared elsewhere. */
  readonly role: ProjectRole | undefined;
  /** The roles on the project. */
  readonly bindings: readonly RoleBinding[];
  /** The Secret that the component reads. */
  readonly secret: ComponentSecret;
  /** Request, e-mail address and Secret together. */
  readonly grant: ComponentGrant;

  constructor(scope: Construct, id: string, props: ComponentServiceAccountProps) {
    checkProps(new.target.name, scope, id, COMPONENT_SERVICE_ACCOUNT_PROPS, props);
    const { oidcProvider, request, project, provider } = props;
    const plan = planComponent(props);
    const universe = universeIn(scope, props);
    checkComponentAudience(oidcProvider);
    ComponentServiceAccount.check(scope, plan, props);
    super(scope, id);
    this.role = plan.role && new ProjectRole(this, "role", plan.role);
    this.account = new FederatedServiceAccount(this, "account", {
      ...plan.account,
      project,
      principals: oidcProvider,
      serviceAccounts: request.subjects,
      adopt: props.adopt,
      provider,
    });
    this.node.defaultChild = this.account;
    this.bindings = this.#bind(plan, props);
    const file = externalAccountFile({
      stsAudience: oidcProvider.stsAudience,
      tokenPath: request.cloudTokenPath ?? COMPONENT_TOKEN_PATH,
      impersonate: this.account.email,
      universeDomain: universe,
    });
    this.secret = { ...request.secret, data: { [SECRET_KEY]: encode("base64", file) } };
    this.grant = {
      request,
      identity: this.account.email,
      secret: this.secret,
      places: [`projects/${project}`],
      ...(plan.intends && { intends: plan.intends }),
    };
  }

  /** Throws if an object of the plan cannot be declared in the scope: a name is taken, or a policy is full. */
  static check(
    scope: Construct,
    plan: ComponentPlan,
    { project }: Pick<ComponentServiceAccountProps, "project">,
  ): void {
    FederatedServiceAccount.check(scope, { ...plan.account, project });
    if (plan.role) ProjectRole.check(scope, plan.role);
    RoleBinding.checkRoom(scope, plan.grants);
  }

  #bind(plan: ComponentPlan, { provider }: ComponentServiceAccountProps): readonly RoleBinding[] {
    return plan.grants.map(({ role, target, condition, reason }) => {
      const customRole = this.role?.name === role ? this.role : undefined;
      const id = customRole ? "grant_custom" : `grant_${role.replace(/[^a-zA-Z0-9]+/g, "_")}`;
      return RoleBinding.once(this, id, {
        role,
        project: target,
        member: this.account.member,
        dependencies: [...this.account.dependencies, ...(customRole?.dependencies ?? [])],
        condition,
        reason,
        provider,
      });
    });
  }
}

/** Components ask for tokens of one audience only. */
export function checkComponentAudience(oidcProvider: IOidcProvider): void {
  const allowed = oidcProvider instanceof OidcProvider ? oidcProvider.audiences : [oidcProvider.audience];
  if (!allowed.includes(COMPONENT_AUDIENCE))
    fail(
      "audience-mismatch",
      audienceMismatch(
        `pool provider ${oidcProvider.providerId}`,
        allowed.join(", "),
        COMPONENT_AUDIENCE,
        "allow the audience openshift in the pool provider (`audiences`, or `audience` of an adopted one), or leave oidcProvider out so that one is declared",
      ),
    );
}

/** Settings of one component before its pool provider exists. */
export type UnboundComponent = Omit<ComponentServiceAccountProps, "oidcProvider">;

/** A component's named and checked objects, not yet declared. */
export interface ComponentPlan {
  readonly request: CredentialsRequest;
  readonly account: {
    readonly accountId: string;
    readonly displayName: string;
    /** With the reason for a basic role. */
    readonly description: string | undefined;
  };
  /** Id of the custom role, declared here or elsewhere; `undefined` if the request does not need one. */
  readonly roleId: string | undefined;
  /** The custom role to declare, if any. */
  readonly role: ProjectRoleProps | undefined;
  readonly grants: readonly CheckedRoleGrant[];
  /** The component's intended rights, if they differ from the request. */
  readonly intends: ComponentIntent | undefined;
}

/** Red Hat's own names begin so; what follows is what people look for. */
const COMMON_PREFIX = /^openshift-/;

export function planComponent(props: UnboundComponent): ComponentPlan {
  const { request, condition, reason } = props;
  const cluster = clusterName(props.clusterName);
  const rights = componentRights(request, props);
  return ofRequest(request, () => {
    const project = projectId(props.project);
    const { adopt, naming = "derived" } = props;
    if (adopt && condition !== undefined)
      fail("google-unsupported", {
        problem:
          "a condition cannot be added to an adopted role: the existing binding without a condition would stay",
        remedy: "adopt first, apply, then add the condition without adopt",
      });
    const sharing = props.roleSharing ?? (naming === "ccoctl" ? "project" : "cluster");
    const role = rights.permissions.length === 0 ? undefined : roleOf(props, sharing, rights.permissions);
    const declared = sharing === "existing" ? undefined : role;
    if (props.adoptRole === true && declared === undefined)
      refuseUnused("adoptRole, or an entry of adoptRoles,", "where no role is declared");
    const roles = role ? [...rights.roles, customRoleName(project, role.roleId)] : rights.roles;
    return {
      request,
      account: accountOf(props, cluster),
      roleId: role?.roleId,
      role: declared,
      grants: [...new Set(roles)].map((name) => checkedRoleGrant({ role: name, project, condition, reason })),
      intends: componentIntent(rights, props),
    };
  });
}

/** Refuses two requests of one cluster that would share a name. */
export function refuseClashes(plans: readonly ComponentPlan[]): void {
  const seen = new Map<string, ComponentPlan>();
  for (const plan of plans) {
    const names = {
      name: plan.request.name,
      "service account id": plan.account.accountId,
      "custom role id": plan.roleId,
    };
    for (const [what, value] of Object.entries(names)) {
      const first = value === undefined ? undefined : seen.get(`${what} ${value}`);
      if (first)
        fail("google-conflict", {
          problem: `${requestLabel(first.request)} and ${requestLabel(plan.request)} would have the same ${what}`,
          value,
          allowed: `one ${what} per request`,
          remedy: "give one of the two another one in `overrides`, or remove the duplicate request",
        });
      seen.set(`${what} ${value}`, plan);
    }
  }
}

function accountOf(props: UnboundComponent, cluster: string): ComponentPlan["account"] {
  const { request, reason, naming } = props;
  const derived = derivedNames(cluster, request);
  const displayName = naming === "ccoctl" ? ccoctlDisplayName(cluster, request.name) : derived.displayName;
  const description = naming === "ccoctl" ? ccoctlDescription(displayName) : derived.description;
  const accountId =
    naming === "ccoctl"
      ? ccoctlAccountId(cluster, request.name)
      : derivedAccountId(cluster, request.name.replace(COMMON_PREFIX, ""), [request.name]);
  return {
    accountId: serviceAccountId(props.accountId ?? accountId),
    displayName,
    description: describedWith(description, writtenReason(reason), DESCRIPTION_MAX, utf8Bytes),
  };
}

function roleOf(
  props: UnboundComponent,
  sharing: RoleSharing,
  permissions: readonly string[],
): ProjectRoleProps {
  const { project, request, clusterName: cluster } = props;
  const isOfCluster = sharing === "cluster";
  const names = derivedNames(cluster, request);
  const derived = isOfCluster ? derivedRoleId([cluster, request.name]) : ccoctlRoleId(project, request.name);
  return {
    project,
    roleId: customRoleId(props.roleId ?? derived),
    title: isOfCluster
      ? names.displayName.slice(0, ROLE_TITLE_MAX)
      : ccoctlDisplayName(project, request.name),
    description: isOfCluster
      ? names.description
      : ccoctlDescription(ccoctlDisplayName(cluster, request.name)),
    permissions,
    adopt: props.adoptRole ?? (props.adopt === true && !isOfCluster),
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
