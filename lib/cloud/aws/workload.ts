import {
  type TrustingRoleProps,
  TRUSTING_ROLE_PROPS,
  type AccountRolesProps,
  ACCOUNT_ROLES_PROPS,
} from "./role-props";
import { IamRolePolicyAttachment } from "@cdktf/provider-aws/lib/iam-role-policy-attachment/index.js";
import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { Annotations, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { fail, at } from "../../errors";
import type { AccountRequest } from "../../model/identity";
import { isLate } from "../../model/late";
import {
  type ObjectKind,
  list,
  object,
  optional,
  text,
  checkProps,
  checkGiven,
  anyObject,
} from "../../model/shape";
import {
  ACCESS,
  type IAccess,
  type AccessDeclaration,
  type AccessGrant,
  type AccessRequest,
  type IWorkloadIdentities,
  type PodFragment,
} from "../../model/workloads";
import { roleName, derivedRoleName } from "../../rules/aws/names";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { type RoleReason, describedRole, namedSubjects } from "../../rules/aws/role";
import {
  type AccessPermissions,
  accessPolicy,
  managedPolicies,
  managedPoliciesWarning,
  accessAnnotations,
  podToken,
  accessPermissions,
  accessRights,
} from "../../rules/aws/workload";
import { attributeOf } from "../shared/references";
import { checkProviderPlace } from "./place";
import { declaredProviders, expectedProviders } from "./provider";
import { type IOidcProvider } from "./provider-props";
import {
  type InlinePolicy,
  roleNameOfPath,
  type FederatedRoleSettings,
  federatedRoleSettings,
  partitionOfProviders,
  declareInlinePolicy,
  declareRole,
} from "./role";

/** Settings of a {@link WorkloadRole}. */
export interface WorkloadRoleProps extends TrustingRoleProps {
  /** What it may do by its own policies; none for a role that is only let in elsewhere, by an EKS cluster say. */
  readonly access: readonly AwsAccess[];
  /**
   * Any region of the partition; IAM itself has none.
   *
   * @defaultValue - the partition of a literal OIDC provider's ARN; otherwise unknown, and the ARN known after apply
   */
  readonly region?: string;
}

const WORKLOAD_ROLE_PROPS: ObjectKind<WorkloadRoleProps> = object({
  ...TRUSTING_ROLE_PROPS.shape,
  access: list(ACCESS),
  region: optional(text),
});

/** How the roles of one cluster's workloads are made; their names end with `_access`. */
export type WorkloadRolesProps = AccountRolesProps;

/** What a service account may do in AWS; made by `awsAccess()`. */
export interface AwsAccess extends IAccess<Construct>, AccessPermissions {}

function awsAccessOf(access: IAccess<Construct>): AwsAccess {
  return isAwsAccess(access)
    ? access
    : fail("aws-foreign", {
        problem: "access was not made by awsAccess()",
        value: access.cloud,
        allowed: "what awsAccess() of the aws subpath returns",
        remedy: "hand access of other clouds to their own identities",
      });
}

function isAwsAccess(access: IAccess<Construct>): access is AwsAccess {
  return access.cloud === "aws" && "managedPolicyArns" in access;
}

interface WorkloadRolePlan {
  readonly policy: InlinePolicy | undefined;
  readonly managedPolicyArns: readonly string[];
  readonly settings: FederatedRoleSettings;
  readonly policiesWarning: string | undefined;
}

const POLICY_NAME = "access";

function workloadRolePlan(construct: Construct, props: WorkloadRoleProps): WorkloadRolePlan {
  const { trusts, description } = props;
  const access = props.access.map(awsAccessOf);
  const partition = partitionOfProviders(
    props.region,
    trusts.map(({ oidcProvider }) => oidcProvider),
  );
  const document = accessPolicy(access);
  const wildcards = trusts.flatMap((trust) => trust.wildcards ?? []);
  const reasons: RoleReason[] = [
    ...access.flatMap(({ wideReason: reason }) =>
      reason === undefined ? [] : [{ what: "Every resource", reason }],
    ),
    ...wildcards.map(({ pattern, reason }) => ({ what: `Wildcard ${pattern}`, reason })),
  ];
  const settings = federatedRoleSettings(
    construct,
    {
      trusts,
      anyAudience: false,
      name: props.roleName === undefined ? roleNameOfPath(construct) : roleName(props.roleName),
      partition,
      describe: (federated) =>
        describedRole(description ?? `Access to AWS for ${namedSubjects(federated)}`, reasons),
    },
    props,
  );
  checkProviderPlace(construct, settings.identity);
  const managedPolicyArns = managedPolicies(access, partition, settings.identity.account);
  return {
    policy: document && { name: POLICY_NAME, document },
    managedPolicyArns,
    settings,
    policiesWarning: managedPoliciesWarning(managedPolicyArns),
  };
}

/**
 * An IAM role that service accounts of one or several clusters act as, handed to their pods by the pod identity
 * webhook (IRSA), which OpenShift runs on AWS and EKS everywhere.
 */
export class WorkloadRole extends Construct {
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy; `undefined` where managed policies permit everything. */
  readonly policy: IamRolePolicy | undefined;
  /** The managed policies of the role. */
  readonly attachments: readonly IamRolePolicyAttachment[];
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal where account and partition are known at synth. */
  readonly arn: string;
  /** `eks.amazonaws.com/role-arn`, for the service accounts; with another audience than usual that too. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The role, for policies that name its literal ARN. */
  readonly dependencies: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, props: WorkloadRoleProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_ROLE_PROPS, props);
    super(scope, id);
    const plan = at(this, () => workloadRolePlan(this, props));

    const role = declareRole(this, plan.settings);
    this.policy = plan.policy && declareInlinePolicy(this, role, plan.policy);
    this.attachments = plan.managedPolicyArns.map(
      (policyArn, index) =>
        new IamRolePolicyAttachment(this, attachmentId(policyArn, index), {
          role: attributeOf(role.resource, "name"),
          policyArn,
          ...(props.provider ? { provider: props.provider } : {}),
        }),
    );

    if (plan.policiesWarning !== undefined) Annotations.of(this).addWarning(plan.policiesWarning);

    this.resource = role.resource;
    this.roleName = role.roleName;
    this.arn = role.arn;
    this.annotations = accessAnnotations(role.arn, props.trusts[0]?.audience ?? defaultAwsAudience);
    this.dependencies = role.dependencies;
  }
}

/** From the ARN where it is literal, so that a further policy moves no other. */
function attachmentId(arn: string, index: number): string {
  return isLate(arn) ? `Managed${index}` : arn.split(":").slice(4).join("-").replaceAll("/", "-");
}

/** Keeps a service account's role apart from the one that it pulls images as. */
const NAME_END = "access";
const NOTHING: PodFragment = { labels: {}, env: [], volumeMounts: [], volumes: [] };

/**
 * One role per service account, named `<cluster>_<namespace>_<service account>_access`, and the OIDC provider that they
 * trust. The pod identity webhook hands the role to pods whose service account has the annotation.
 */
export function workloadRoles(props: WorkloadRolesProps = {}): IWorkloadIdentities<Construct> {
  checkGiven("workloadRoles()", ACCOUNT_ROLES_PROPS, props);
  return {
    cloud: "aws",
    job: "workloads",
    declare: (scope, request) => declareWorkloads(scope, request, props),
  };
}

function declareWorkloads(
  scope: Construct,
  { clusterName, issuer, accounts, withoutWebhook = false }: AccessRequest<Construct>,
  props: WorkloadRolesProps,
): AccessDeclaration {
  const audience = props.audience ?? defaultAwsAudience;
  const expected = expectedProviders(issuer, [audience], props);
  const planned = accounts.map((account) => roleProps(account, clusterName, expected, props));
  planned.forEach((own, index) =>
    at({ node: { path: `workload ${accounts[index]?.subject.key ?? ""}` } }, () =>
      workloadRolePlan(scope, own),
    ),
  );
  const oidcProviders = declaredProviders(scope, issuer, [audience], props);
  return {
    grants: accounts.map((account): AccessGrant => {
      const { subject } = account;
      // Neither a namespace nor a service account name can hold `_`, so two subjects never share an id.
      const id = `${subject.namespace}_${subject.name}`;
      const role = new WorkloadRole(scope, id, roleProps(account, clusterName, oidcProviders, props));
      return {
        subject,
        identity: role.arn,
        principal: { name: role.arn, dependencies: role.dependencies },
        annotations: role.annotations,
        // The webhook adds volume, mount and environment to the pods.
        pod: withoutWebhook ? podToken({ roleArn: role.arn, audience, region: props.region }) : NOTHING,
      };
    }),
  };
}

function roleProps(
  { subject, asks }: AccountRequest<IAccess<Construct>>,
  clusterName: string,
  oidcProviders: readonly IOidcProvider[],
  { audience = defaultAwsAudience, namePrefix, oidcProvider: _, ...place }: WorkloadRolesProps,
): WorkloadRoleProps {
  return {
    ...place,
    trusts: oidcProviders.map((oidcProvider) => ({ oidcProvider, serviceAccounts: [subject], audience })),
    access: asks.map(awsAccessOf),
    roleName: derivedRoleName([clusterName, subject.namespace, subject.name, NAME_END], namePrefix),
  };
}

/** Settings of {@link awsAccess}. */
export interface AwsAccessProps {
  /**
   * Statements of the role's inline policy; all of a role's within 10,240 characters.
   *
   * @defaultValue - none; then `managedPolicyArns` must permit something
   */
  readonly statements?: readonly PolicyStatement[];
  /**
   * ARNs of managed policies, of the account or of AWS; may be late.
   *
   * @defaultValue - none
   */
  readonly managedPolicyArns?: readonly string[];
  /**
   * Why a statement permits every action, or every action of a service, on every resource, or why a managed policy of
   * AWS for administrators is among them; becomes part of the description of the role.
   *
   * @defaultValue - such a statement is refused
   */
  readonly wideReason?: string;
}

const AWS_ACCESS_PROPS: ObjectKind<AwsAccessProps> = object({
  statements: optional(list(anyObject)),
  managedPolicyArns: optional(list(text)),
  wideReason: optional(text),
});

/** What a service account may do in AWS. */
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
