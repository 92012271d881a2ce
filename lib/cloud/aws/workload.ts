import { IamRolePolicyAttachment } from "@cdktf/provider-aws/lib/iam-role-policy-attachment/index.js";
import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { EksPodIdentityAssociation } from "@cdktf/provider-aws/lib/eks-pod-identity-association/index.js";
import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { Annotations, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import type { AccountRolesProps, IWorkloadRole } from "./role-props";
import { fail, at } from "../../errors";
import type { AccountRequest, IExistingIdentity } from "../../model/identity";
import { isLate } from "../../model/late";
import { checkProps, checkGiven } from "../../model/shape";
import type {
  IAccess,
  AccessDeclaration,
  AccessGrant,
  AccessRequest,
  IWorkloadIdentities,
  PodFragment,
} from "../../model/workloads";
import { isEksIssuer } from "../../rules/aws/cluster";
import { roleName, derivedRoleName } from "../../rules/aws/names";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { type RoleReason, describedRole, namedSubjects } from "../../rules/aws/role";
import {
  accessPolicy,
  managedPolicies,
  managedPoliciesWarnings,
  accessAnnotations,
  podToken,
  accessPermissions,
  accessRights,
} from "../../rules/aws/workload";
import { statementWarnings } from "../../rules/aws/statement-warnings";
import { Subject } from "../../model/subject";
import { attributeOf } from "../shared/references";
import { adoptedWorkloadRole, existingRole } from "./adopted";
import {
  type PodIdentitySettings,
  checkPodIdentity,
  declareAssociations,
  podIdentitiesOf,
  podIdentitySettings,
  podIdentityTrusts,
  targetRights,
  type PodIdentity,
  hasAssociation,
} from "./pod-identity";
import { declaredProviders, expectedProviders } from "./provider";
import type { IOidcProvider } from "./provider-props";
import {
  roleNameOfPath,
  federatedRoleSettings,
  partitionOfProviders,
  declareInlinePolicy,
  declareRole,
} from "./role";
import { eksClusterNames } from "./spoke";
import {
  type AwsAccess,
  type AwsAccessProps,
  AWS_ACCESS_PROPS,
  type WorkloadRoleProps,
  WORKLOAD_ROLE_PROPS,
  type WorkloadRolesProps,
  WORKLOAD_ROLES_PROPS,
  checkAdoption,
} from "./workload-props";
import { validateAudience } from "../../model/audience";

function awsAccessOf(access: IAccess<Construct>): AwsAccess {
  return isAwsAccess(access)
    ? access
    : fail("aws-foreign", {
        problem: "access was not created by awsAccess()",
        value: access.cloud,
        allowed: "what awsAccess() of the aws subpath returns",
        remedy: "pass access to other clouds to the identities of those clouds",
      });
}

function isAwsAccess(access: IAccess<Construct>): access is AwsAccess {
  return access.cloud === "aws" && "managedPolicyArns" in access;
}

const POLICY_NAME = "access";

function workloadRolePlan(construct: Construct, props: WorkloadRoleProps) {
  const { trusts, description, podIdentities = [] } = props;
  const others = podIdentityTrusts(construct, podIdentities, props);
  const subjects = podIdentities.map(({ serviceAccount }) => Subject.of(serviceAccount));
  const access = props.access.map(awsAccessOf);
  const partition = partitionOfProviders(
    props.region,
    trusts.map(({ oidcProvider }) => oidcProvider),
  );
  const document = accessPolicy([...access, { statements: targetRights(podIdentities) }]);
  const settings = federatedRoleSettings(
    construct,
    {
      trusts,
      anyAudience: false,
      name: props.roleName === undefined ? roleNameOfPath(construct) : roleName(props.roleName),
      partition,
      others,
      describe: (federated) =>
        describedRole(
          description ?? `Access to AWS for ${namedSubjects([...federated, { subjects }])}`,
          wideReasons(access, trusts),
        ),
    },
    props,
  );
  const managedPolicyArns = managedPolicies(access, partition, settings.identity.account);
  if (props.adopt) checkAdoption(props.adopt, props.roleName, document !== undefined, managedPolicyArns);
  return {
    policy: document && { name: props.adopt?.policyName ?? POLICY_NAME, document },
    managedPolicyArns,
    settings,
    warnings: [
      ...managedPoliciesWarnings(managedPolicyArns),
      ...statementWarnings(access.flatMap(({ statements }) => statements)),
    ],
  };
}

function wideReasons(
  access: readonly AwsAccess[],
  trusts: WorkloadRoleProps["trusts"],
): readonly RoleReason[] {
  const wildcards = trusts.flatMap((trust) => trust.wildcards ?? []);
  return [
    ...access.flatMap(({ wideReason: reason }) =>
      reason === undefined ? [] : [{ what: "Every resource", reason }],
    ),
    ...wildcards.map(({ pattern, reason }) => ({ what: `Wildcard ${pattern}`, reason })),
  ];
}

/**
 * An IAM role for service accounts of one or several clusters. Their pods get it by the pod identity webhook (IRSA),
 * which runs on EKS and on OpenShift on AWS, or by EKS Pod Identity.
 */
export class WorkloadRole extends Construct implements IWorkloadRole {
  /** Always `aws`. */
  readonly cloud: string = "aws";
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy; `undefined` if all permissions are in managed policies. */
  readonly policy: IamRolePolicy | undefined;
  /** The managed policies of the role. */
  readonly attachments: readonly IamRolePolicyAttachment[];
  /** The associations of EKS Pod Identity. */
  readonly associations: readonly EksPodIdentityAssociation[];
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal if account and partition are known at synth. */
  readonly arn: string;
  /**
   * Annotations for the service accounts in `trusts`: `eks.amazonaws.com/role-arn`, and the audience if it is not the
   * usual one. Empty for a role that is only used by EKS Pod Identity.
   */
  readonly annotations: Readonly<Record<string, string>>;
  /** The role's resource, for policies that name the literal ARN and must wait for it. */
  readonly dependencies: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, props: WorkloadRoleProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_ROLE_PROPS, props);
    super(scope, id);
    const plan = at(this, () => workloadRolePlan(this, props));
    const { adopt, provider } = props;
    const role = declareRole(this, plan.settings, { adopt: adopt !== undefined });
    const policyExists = { adopt: adopt?.policyName !== undefined };
    this.policy = plan.policy && declareInlinePolicy(this, role, plan.policy, policyExists);
    this.attachments = plan.managedPolicyArns.map((policyArn, index) => {
      const attachment = new IamRolePolicyAttachment(this, attachmentId(policyArn, index), {
        role: attributeOf(role.resource, "name"),
        policyArn,
        ...(provider ? { provider } : {}),
      });
      if (adopt?.managedPolicyArns?.includes(policyArn))
        attachment.importFrom(`${role.roleName}/${policyArn}`, provider);
      return attachment;
    });
    for (const warning of plan.warnings) Annotations.of(this).addWarning(warning);
    this.resource = role.resource;
    this.roleName = role.roleName;
    this.arn = role.arn;
    const [trust] = props.trusts;
    this.annotations = trust ? accessAnnotations(role.arn, trust.audience ?? defaultAwsAudience) : {};
    this.dependencies = role.dependencies;
    this.associations = declareAssociations(this, this, props.podIdentities ?? [], props);
  }

  /** Returns an existing role, for `as` of a workload; its ARN may be late. Its trust policy is its owner's. */
  static fromArn(scope: Construct, id: string, arn: string): IWorkloadRole {
    return adoptedWorkloadRole(scope, id, arn);
  }
}

/** Derived from a literal ARN, so that another policy does not change the ids of the others. */
function attachmentId(arn: string, index: number): string {
  return isLate(arn) ? `Managed${index}` : arn.split(":").slice(4).join("-").replaceAll("/", "-");
}

/** Distinguishes the role from the one with which the service account pulls images. */
const NAME_END = "access";
const NOTHING: PodFragment = { labels: {}, env: [], volumeMounts: [], volumes: [] };

/**
 * Declares one role per service account, named `<cluster>_<namespace>_<service account>_access`, and the OIDC provider
 * that they trust. Pods of the annotated service account get the role by the pod identity webhook, where it is not known
 * to run by a token that they mount themselves, or with `podIdentity` by an association.
 */
export function workloadRoles(props: WorkloadRolesProps = {}): IWorkloadIdentities<Construct> {
  checkGiven("workloadRoles()", WORKLOAD_ROLES_PROPS, props);
  return {
    cloud: "aws",
    job: "workloads",
    declare: (scope, request) => declareWorkloads(scope, request, props),
  };
}

function declareWorkloads(
  scope: Construct,
  { clusterName, issuer, accounts, withoutWebhook }: AccessRequest<Construct>,
  props: WorkloadRolesProps,
): AccessDeclaration {
  const { region, audience = defaultAwsAudience } = props;
  const settings = podIdentitySettings(props.podIdentity);
  const { podIdentity, irsa } = settings;
  if (podIdentity) checkPodIdentity(settings, props, { issuer, accounts });
  const place = { ...props, ...settings };
  // The OIDC provider of existing roles exists with them.
  const needsProvider = irsa && accounts.some(({ existing }) => existing === undefined);
  const expected = needsProvider ? expectedProviders(issuer, [audience], props) : [];
  for (const account of accounts)
    at({ node: { path: `workload ${account.subject.key}` } }, () => {
      if (account.existing) checkActing(scope, account.subject, account.existing, place);
      else workloadRolePlan(scope, roleProps(account, clusterName, expected, place));
    });
  const oidcProviders = needsProvider ? declaredProviders(scope, issuer, [audience], props) : [];
  // EKS runs the webhook in its control plane.
  const isBare = podIdentity === undefined && (withoutWebhook ?? (issuer.late || !isEksIssuer(issuer)));
  const roleOf = (account: AccountRequest<IAccess<Construct>>): ActingRole => {
    // Names of namespaces and service accounts have no `_`, so two subjects never share an id.
    const id = `${account.subject.namespace}_${account.subject.name}`;
    return account.existing
      ? actingAs(scope, id, account.subject, account.existing, place)
      : new WorkloadRole(scope, id, roleProps(account, clusterName, oidcProviders, place));
  };
  return {
    ...(podIdentity && { cloudName: eksClusterNames(podIdentity.cluster).name }),
    grants: accounts.map((account): AccessGrant => {
      const { arn, annotations, dependencies } = roleOf(account);
      const identity = podIdentity?.targetRoleArn ?? arn;
      return {
        subject: account.subject,
        identity,
        principal: { name: identity, dependencies },
        annotations,
        // Otherwise the webhook or EKS adds volume, mount and environment to the pods.
        pod: isBare ? podToken({ roleArn: arn, audience, region }) : NOTHING,
      };
    }),
  };
}

function roleProps(
  { subject, asks }: AccountRequest<IAccess<Construct>>,
  clusterName: string,
  oidcProviders: readonly IOidcProvider[],
  props: AccountRolesProps & PodIdentitySettings,
): WorkloadRoleProps {
  const { audience, namePrefix, oidcProvider: _, podIdentity, irsa, associations, ...place } = props;
  const podIdentities = podIdentitiesOf({ podIdentity, irsa, associations }, subject);
  return {
    ...place,
    trusts: oidcProviders.map((oidcProvider) => ({
      oidcProvider,
      serviceAccounts: [subject],
      audience: audience ?? defaultAwsAudience,
    })),
    ...(podIdentities.length > 0 && { podIdentities }),
    // What pods may do is granted to the role as which they act.
    access: podIdentity?.targetRoleArn === undefined || irsa ? asks.map(awsAccessOf) : [],
    roleName: derivedRoleName([clusterName, subject.namespace, subject.name, NAME_END], namePrefix),
  };
}

/** Returns access to AWS for a service account. */
export function awsAccess(props: AwsAccessProps): AwsAccess {
  checkGiven("awsAccess()", AWS_ACCESS_PROPS, props);
  const permissions = accessPermissions({
    statements: props.statements ?? [],
    managedPolicyArns: props.managedPolicyArns ?? [],
    wideReason: props.wideReason,
  });
  return {
    cloud: "aws",
    ...permissions,
    rights: accessRights(permissions),
    defaultIdentities: () => workloadRoles(),
  };
}

export type ActingRole = Pick<IWorkloadRole, "arn" | "annotations" | "dependencies">;

interface ActingPlace
  extends
    Pick<AccountRolesProps, "account" | "region" | "audience" | "provider" | "tags">,
    PodIdentitySettings {}

export function checkActing(
  scope: Construct,
  serviceAccount: Subject,
  existing: IExistingIdentity,
  place: ActingPlace,
): void {
  validateAudience(place.audience ?? defaultAwsAudience);
  podIdentityTrusts(scope, missingAssociations(scope, serviceAccount, existing, place), place);
}

/** The association of the service account, unless the role declares it itself. */
function missingAssociations(
  scope: Construct,
  serviceAccount: Subject,
  existing: IExistingIdentity,
  place: ActingPlace,
): readonly PodIdentity[] {
  const role = existingRole(existing, place);
  return podIdentitiesOf(place, serviceAccount).filter((each) => !hasAssociation(scope, role, each, place));
}

/** The existing role of a workload. It keeps its trust policy, but an association is a resource of the cluster. */
export function actingAs(
  scope: Construct,
  id: string,
  serviceAccount: Subject,
  existing: IExistingIdentity,
  place: ActingPlace,
): ActingRole {
  const { arn, dependencies } = existingRole(existing, place);
  const { irsa, audience = defaultAwsAudience } = place;
  const identities = missingAssociations(scope, serviceAccount, existing, place);
  if (identities.length > 0)
    declareAssociations(new Construct(scope, id), { arn, dependencies }, identities, place);
  return { arn, dependencies, annotations: irsa ? accessAnnotations(arn, audience) : {} };
}
