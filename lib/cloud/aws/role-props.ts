import type { ITerraformDependable } from "cdktf";
import type { IExistingIdentity } from "../../model/identity";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  made,
  list,
  object,
  optional,
  record,
  text,
} from "../../model/shape";
import { type Subject, SUBJECT } from "../../model/subject";
import { type AwsProps, AWS_PROPS } from "./props";
import { type IOidcProvider, OIDC_PROVIDER } from "./provider-props";

/** An IAM role that service accounts act as: declared, or existing. */
export interface IWorkloadRole extends IExistingIdentity {
  /** Its ARN; late if account or partition is unknown. */
  readonly arn: string;
  /** Annotations that a service account needs to use it. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What must exist before something is granted to it; empty for an existing role. */
  readonly dependencies: readonly ITerraformDependable[];
}

/** An IAM role with which service accounts pull: declared, or existing. */
export interface IPullRole extends IWorkloadRole {
  /**
   * Length that a late ARN will have, in characters; counted in policies that name it.
   *
   * @defaultValue - the length of a literal ARN; a typical length for a late one
   */
  readonly arnLength?: number;
}

export const PULL_ROLE: Kind<IPullRole> = made(
  "a role: new PullRole(…), PullRole.fromArn(…) or fromRoleName(…)",
  "PullRole.fromArn(…)",
  {
    arn: text,
    annotations: record(text),
    dependencies: list(anyObject),
  },
);

/** Service accounts admitted by a wildcard. */
export interface SubjectWildcard {
  /**
   * `namespace/name` with `*` for any text or `?` for one character, for example `shop/*`. The namespace is literal,
   * or begins with at least three literal characters.
   */
  readonly pattern: string;
  /** Why exact names do not suffice; becomes part of the IAM role's description. Printable Latin-1. */
  readonly reason: string;
}

const SUBJECT_WILDCARD: ObjectKind<SubjectWildcard> = object({
  pattern: text,
  reason: text,
});

/** The tokens that an IAM role accepts: one OIDC provider, one audience, and service accounts. */
export interface RoleTrust {
  /** The OIDC provider of the cluster's issuer. */
  readonly oidcProvider: IOidcProvider;
  /**
   * Service accounts as `namespace/name`, compared exactly.
   *
   * @defaultValue - none; then `wildcards` must admit some
   */
  readonly serviceAccounts?: readonly (string | Subject)[];
  /**
   * Service accounts by wildcard.
   *
   * @defaultValue - none
   */
  readonly wildcards?: readonly SubjectWildcard[];
  /**
   * The audience of the tokens, always compared exactly; must be one that the OIDC provider accepts, if that is known.
   *
   * @defaultValue "sts.amazonaws.com"
   */
  readonly audience?: string;
}

const ROLE_TRUST: ObjectKind<RoleTrust> = object({
  oidcProvider: OIDC_PROVIDER,
  serviceAccounts: optional(list(SUBJECT)),
  wildcards: optional(list(SUBJECT_WILDCARD)),
  audience: optional(text),
});

/** Properties of every role for service accounts. */
export interface RolePlace extends AwsProps {
  /**
   * Account that the role is declared in.
   *
   * @defaultValue - that of a literal OIDC provider's ARN
   */
  readonly account?: string;
  /**
   * Path of the role.
   *
   * @defaultValue "/"
   */
  readonly path?: string;
  /**
   * ARN of the role's permissions boundary.
   *
   * @defaultValue - none
   */
  readonly permissionsBoundary?: string;
}

export const ROLE_PLACE: ObjectKind<RolePlace> = object({
  ...AWS_PROPS.shape,
  account: optional(text),
  path: optional(text),
  permissionsBoundary: optional(text),
});

/** Properties of a role for stated service accounts. */
export interface TrustingRoleProps extends RolePlace {
  /** The tokens that it accepts, of one or several clusters. */
  readonly trusts: readonly RoleTrust[];
  /**
   * Name of the role; over 64 characters it is cut and ends with a hash.
   *
   * @defaultValue - derived from the construct's path
   */
  readonly roleName?: string;
  /**
   * Description of the role in Latin-1; with the stated reasons for wide access at most 1000 characters.
   *
   * @defaultValue - names the service accounts that use it
   */
  readonly description?: string;
}

export const TRUSTING_ROLE_PROPS: ObjectKind<TrustingRoleProps> = object({
  ...ROLE_PLACE.shape,
  trusts: list(ROLE_TRUST),
  roleName: optional(text),
  description: optional(text),
});

/** Properties of the functions that make one role per service account of a cluster. */
export interface AccountRolesProps extends RolePlace {
  /**
   * Any region of the partition; with `account` it makes the roles' ARNs and the annotations literal. For pulls it must
   * be in the registries' partition, and the plugin calls STS in this region for ECR Public.
   *
   * @defaultValue - the partition of an `oidcProvider` with a literal ARN, for pulls that of the registries; otherwise
   * unknown
   */
  readonly region?: string;
  /**
   * The OIDC provider of the cluster's issuer.
   *
   * @defaultValue - declared once per stack
   */
  readonly oidcProvider?: IOidcProvider;
  /**
   * The audience of the tokens; for workloads, any other than the default is annotated for the pod identity webhook.
   *
   * @defaultValue "sts.amazonaws.com"
   */
  readonly audience?: string;
  /**
   * Prefix of every role name `<cluster>_<namespace>_<service account>`, at most 32 characters.
   *
   * @defaultValue - none
   */
  readonly namePrefix?: string;
}

export const ACCOUNT_ROLES_PROPS: ObjectKind<AccountRolesProps> = object({
  ...ROLE_PLACE.shape,
  region: optional(text),
  oidcProvider: optional(OIDC_PROVIDER),
  audience: optional(text),
  namePrefix: optional(text),
});
