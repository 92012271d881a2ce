import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { Annotations } from "cdktf";
import { Construct } from "constructs";
import { at } from "../../errors";
import { isLate } from "../../model/late";
import type { AccountRequest, IExistingIdentity } from "../../model/identity";
import { serviceAccountText } from "../../model/namespaced-name";
import { type ObjectKind, checkGiven, checkProps, object } from "../../model/shape";
import type { Subject } from "../../model/subject";
import {
  type AccessDeclaration,
  type AccessGrant,
  type AccessRequest,
  type IAccess,
  type IWorkloadIdentities,
  type PodFragment,
  ACCESS_REQUEST,
} from "../../model/workloads";
import { type AccessRole, accessRoles, isRoleDefinitionId, roleKey } from "../../rules/azure/access";
import { azureCloud } from "../../rules/azure/clouds";
import {
  IDENTITY_BINDING_ANNOTATION,
  USE_IDENTITY,
  checkIdentityBinding,
  identityBindingName,
} from "../../rules/azure/identity-binding";
import { WEBHOOK_USE_LABEL, podToken, webhookAnnotations } from "../../rules/azure/pod";
import { CONDITION_VERSION } from "../../rules/azure/permission";
import { IDENTITY_NAME, identityNamePrefix } from "../../rules/azure/pull";
import { roleWarnings } from "../../rules/azure/roles";
import { type WorkloadIdentityAdoption, UNREAD, checkExistingCredentials } from "../../rules/azure/adoption";
import { federatedCredentialId, roleAssignmentId, userAssignedIdentityId } from "../../rules/azure/ids";
import { type FederatedCredential, checkCredentials } from "../../rules/azure/trust";
import { derivedName, stableHash } from "../../rules/names";
import { terraformText } from "../../rules/terraform-text";
import {
  type IWorkloadIdentity,
  type PullIdentityAttributes,
  AdoptedPullIdentity,
  AdoptedWorkloadIdentity,
  PULL_IDENTITY_ATTRIBUTES,
  existingIdentity,
} from "./adopted";
import { azureAccessOf } from "./access";
import {
  type PullTrust,
  DeclaredIdentityBase,
  checkIdentity,
  principalOf,
  requiredSettings,
  trustCredentials,
} from "./identity";
import {
  type BoundIdentity,
  type WorkloadIdentityBinding,
  bindOnce,
  clusterLimits,
  nameOf,
  identityBindingSettings,
} from "./identity-binding";
import { refuseTakenName } from "./names";
import {
  type WorkloadIdentitiesSettings,
  type WorkloadIdentityProps,
  WORKLOAD_IDENTITIES_SETTINGS,
  WORKLOAD_IDENTITY_PROPS,
} from "./workload-props";

/** The workloads of one cluster. */
export interface WorkloadIdentitiesProps extends WorkloadIdentitiesSettings, AccessRequest<Construct> {}

const WORKLOAD_IDENTITIES_PROPS: ObjectKind<WorkloadIdentitiesProps> = object({
  ...WORKLOAD_IDENTITIES_SETTINGS.shape,
  ...ACCESS_REQUEST.shape,
});

/**
 * A user-assigned identity for workloads, with the annotations that Azure's pod identity webhook reads.
 *
 * Children: `Resource`, one credential per service account under the credential's name, one assignment per role:
 * `Access_<hash of role and scope>`, or where one of them is late `Access_<place among the late ones>`.
 */
export class WorkloadIdentity extends DeclaredIdentityBase implements IExistingIdentity {
  /** Always `azure`. */
  readonly cloud: string = "azure";
  /** Resource id of the identity; late. */
  override readonly resourceId: string;
  /** The role assignments, in the order of the roles. */
  readonly roleAssignments: readonly RoleAssignment[];

  constructor(scope: Construct, id: string, props: WorkloadIdentityProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_IDENTITY_PROPS, props);
    super(scope, id, props, () => checkedCredentials(props));
    this.resourceId = this.resource.id;
    this.roleAssignments = assignmentIds(accessRoles(props.roles)).map(([own, role]) =>
      this.#assignment(own, role),
    );
    if (props.adopt) this.#import(props, props.adopt);
    for (const warning of roleWarnings(props.roles.map(({ role }) => role)))
      Annotations.of(this).addWarning(warning);
  }

  /** The two annotations of a service account that the webhook reads; the client id is late. */
  get annotations(): Readonly<Record<string, string>> {
    return webhookAnnotations(this);
  }

  /** Returns an existing identity, for `as` of a workload; like `PullIdentity.fromResourceId`. */
  static fromResourceId(scope: Construct, id: string, attributes: PullIdentityAttributes): IWorkloadIdentity {
    checkProps("WorkloadIdentity.fromResourceId()", scope, id, PULL_IDENTITY_ATTRIBUTES, attributes);
    return new AdoptedWorkloadIdentity(scope, id, attributes);
  }

  /** What lines with `as` call: declares the credentials that are not declared yet. */
  addTrustOnce(trust: PullTrust): void {
    const { credentials } = this.ledger;
    const added = at(this, () => trustCredentials(this.label, [trust], undefined, credentials, true));
    this.declareCredentials(added);
  }

  #import(
    { resourceGroupName, identityName, provider }: WorkloadIdentityProps,
    adopt: WorkloadIdentityAdoption,
  ): void {
    const place = { subscriptionId: adopt.subscriptionId, resourceGroupName };
    const id = at(this, () => userAssignedIdentityId(place, identityName));
    this.resource.importFrom(id, provider);
    const existing = Object.values(adopt.credentials ?? {});
    for (const [index, { name }] of this.ledger.credentials.entries())
      if (existing.includes(name))
        this.credentials[index]?.importFrom(federatedCredentialId(id, name), provider);
  }

  #assignment(id: string, { role, scope, reason, condition, assignment }: AccessRole): RoleAssignment {
    const declared = this.declareRoleAssignment(id, undefined, {
      scope,
      ...(isRoleDefinitionId(role) ? { roleDefinitionId: role } : { roleDefinitionName: role }),
      principalId: this.principalReference,
      ...(reason !== undefined && { description: reason }),
      ...(condition !== undefined && {
        condition: terraformText(condition),
        conditionVersion: CONDITION_VERSION,
      }),
      ...(assignment !== undefined && { lifecycle: { ignoreChanges: [...UNREAD] } }),
    });
    if (assignment === undefined) return declared;
    const importId = at(this, () => roleAssignmentId(scope, assignment));
    declared.importFrom(importId, this.providerArgument.provider);
    return declared;
  }
}

function checkedCredentials(props: WorkloadIdentityProps): readonly FederatedCredential[] {
  const { adopt, identityName: identity, trusts, cloud } = props;
  accessRoles(props.roles);
  const remedy =
    "distribute the service accounts over more identities; workloadIdentities makes one for each";
  const derived = trustCredentials(identity, trusts, cloud, [], false, remedy);
  if (!adopt) return derived;
  const keys = derived.map(({ subject }) => serviceAccountText(subject));
  checkExistingCredentials(adopt, keys);
  const credentials = derived.map((each, index) => ({
    ...each,
    name: adopt.credentials?.[keys[index] ?? ""] ?? each.name,
  }));
  checkCredentials(identity, credentials, remedy);
  return credentials;
}

/** Late values are never hashed, so these are numbered. */
function assignmentIds(roles: readonly AccessRole[]): readonly (readonly [string, AccessRole])[] {
  let late = 0;
  return roles.map((role) => {
    const known = !isLate(role.role) && !isLate(role.scope);
    return [`Access_${known ? stableHash([roleKey(role.role, role.scope)]) : String(late++)}`, role];
  });
}

/** The webhook adds the rest to pods with the label; it overwrites no variable that a container has. */
function podOf(
  props: WorkloadIdentitiesProps,
  { clientId, tenantId }: Pick<IWorkloadIdentity, "clientId" | "tenantId">,
): PodFragment {
  const { withoutWebhook, identityBinding } = props;
  if (identityBinding !== undefined)
    return {
      labels: WEBHOOK_USE_LABEL,
      annotations: { [IDENTITY_BINDING_ANNOTATION]: "true" },
      env: [],
      volumeMounts: [],
      volumes: [],
    };
  const labels = withoutWebhook === true ? {} : WEBHOOK_USE_LABEL;
  return withoutWebhook === false
    ? { labels, env: [], volumeMounts: [], volumes: [] }
    : { ...podToken({ ...props, clientId, tenantId }), labels };
}

/**
 * One identity for each service account that uses Azure, with trust, roles, annotations and the pods' label.
 *
 * Pods get the token from Azure's pod identity webhook, which AKS has as an option, and which OpenShift runs once the
 * Secret `azure-credentials` exists (`ComponentIdentities` writes it). Where it is not known to run, they mount it
 * themselves.
 *
 * Children: one `WorkloadIdentity` per service account, `<namespace>_<name>`, and with `identityBinding` one
 * `IdentityBinding` per identity, `Binding_<namespace>_<name>`.
 */
export class WorkloadIdentities extends Construct implements AccessDeclaration {
  /** The declared identity of each service account, by `namespace/name`. */
  readonly identities: ReadonlyMap<string, WorkloadIdentity>;
  /** The grant of each service account, in the order of the workloads. */
  readonly grants: readonly AccessGrant[];
  /** With `identityBinding`, the cluster's name in AKS, if it is literal. */
  readonly cloudName?: string;

  constructor(scope: Construct, id: string, props: WorkloadIdentitiesProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_IDENTITIES_PROPS, props);
    super(scope, id);
    const binding = identityBindingSettings(props.identityBinding);
    if (binding) {
      const { issuer, cloud, audience } = props;
      const { cluster, federatedCredentials: federated = false } = binding;
      const limits = clusterLimits(cluster);
      at(this, () => checkIdentityBinding({ issuer, cloud, audience, federated, ...limits }));
    }
    const cloudName = binding && nameOf(binding.cluster);
    if (cloudName !== undefined) this.cloudName = cloudName;
    const isFederated = binding?.federatedCredentials ?? binding === undefined;
    const planned = at(this, () =>
      props.accounts.map((account) => planWorkload(this, account, props, isFederated)),
    );
    const identities = new Map<string, WorkloadIdentity>();
    this.grants = planned.map(({ subject, trust, existing, identity }) => {
      const id = `${subject.namespace}_${subject.name}`;
      const acting = existing ?? new WorkloadIdentity(this, id, identity);
      if (!existing && acting instanceof WorkloadIdentity) identities.set(subject.key, acting);
      if (existing && isFederated) existing.addTrustOnce(trust);
      if (binding && isBindable(acting)) this.#bind(subject, acting, binding, props.clusterName);
      return {
        subject,
        identity: acting.clientId,
        principal: principalOf(acting),
        annotations: webhookAnnotations(acting),
        pod: podOf(props, acting),
        ...(binding && { clusterRight: { ...USE_IDENTITY, resource: acting.clientId } }),
      };
    });
    this.identities = identities;
  }

  #bind(
    { namespace, name }: Subject,
    identity: BoundIdentity,
    { cluster, provider }: WorkloadIdentityBinding,
    clusterName: string,
  ): void {
    bindOnce(this, `Binding_${namespace}_${name}`, {
      cluster,
      identity,
      bindingName: identityBindingName([clusterName, namespace, name]),
      ...(provider && { provider }),
    });
  }
}

/** Those of an existing identity may exist, too: its owner writes them. */
function isBindable(identity: BoundIdentity): boolean {
  return !(identity instanceof AdoptedPullIdentity) || identity.declaresTrust;
}

/**
 * Returns the identities of one cluster's workloads, for the composed constructs.
 *
 * Declares a {@link WorkloadIdentities} with the id `Default`.
 */
export function workloadIdentities(
  settings: WorkloadIdentitiesSettings = {},
): IWorkloadIdentities<Construct> {
  checkGiven("workloadIdentities()", WORKLOAD_IDENTITIES_SETTINGS, settings);
  return {
    cloud: "azure",
    job: "workloads",
    declare: (scope, request) => new WorkloadIdentities(scope, "Default", { ...settings, ...request }),
  };
}

/** Suffix of the names of workloads' identities; identities for pulls of the same service account do not have it. */
const SUFFIX = "access";

/** What acts for a service account: an identity to declare, or one that exists. */
type PlannedWorkload = { readonly subject: Subject; readonly trust: PullTrust } & (
  | { readonly existing: IWorkloadIdentity | WorkloadIdentity; readonly identity?: never }
  | { readonly existing?: never; readonly identity: WorkloadIdentityProps }
);

/** Checks the request of a service account before anything is declared. */
function planWorkload(
  scope: Construct,
  { subject, asks, existing }: AccountRequest<IAccess<Construct>>,
  props: WorkloadIdentitiesProps,
  isFederated: boolean,
): PlannedWorkload {
  const { clusterName, issuer, cloud } = props;
  const audience = props.audience ?? azureCloud(cloud ?? "AzurePublicCloud").audience;
  const trust = { clusterName, issuer, serviceAccounts: [subject], audience };
  const access = asks.map(azureAccessOf);
  if (existing instanceof WorkloadIdentity) return { subject, trust, existing };
  if (existing) return { subject, trust, existing: existingIdentity(existing) };
  const prefix = identityNamePrefix(props.namePrefix ?? clusterName);
  const identity: WorkloadIdentityProps = {
    ...requiredSettings(props, subject, "workloadIdentities"),
    identityName: derivedName([prefix, subject.namespace, subject.name, SUFFIX], IDENTITY_NAME),
    roles: accessRoles(access.flatMap((own) => own.roles)),
    trusts: isFederated ? [trust] : [],
    ...(cloud && { cloud }),
  };
  checkIdentity(identity);
  checkedCredentials(identity);
  refuseTakenName(scope, identity);
  return { subject, trust, identity };
}
