import type { ITerraformDependable, TerraformProvider } from "cdktf";
import { GivenIssuer, ISSUER } from "../../model/issuer";
import { PULL_SOURCE } from "../../model/pulls";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  like,
  list,
  object,
  optional,
  record,
  text,
} from "../../model/shape";
import { PROVIDER } from "../shared/kinds";
import type { EcrSource } from "./registry-source";
import { type IOidcProvider, OIDC_PROVIDER } from "./provider-props";
import { type RoleTrust, ROLE_TRUST } from "./role";

/** An IAM role that service accounts pull as: declared, or existing. */
export interface IPullRole {
  /** Its ARN; late where account or partition are not known. */
  readonly arn: string;
  /**
   * Length that a late ARN will have, in characters; counted in policies that name it.
   *
   * @defaultValue - the length of a literal ARN; a usual one for a late ARN
   */
  readonly arnLength?: number;
  /** What a service account needs in order to use it. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What must exist before somebody grants it something; empty for an existing role. */
  readonly dependencies: readonly ITerraformDependable[];
}

/** The kind of an {@link IPullRole}. */
export const PULL_ROLE: Kind<IPullRole> = like(
  "a role: new PullRole(…), PullRole.fromArn(…) or fromRoleName(…)",
  {
    arn: text,
    annotations: record(text),
    dependencies: list(anyObject),
  },
);

/** Whose tokens a pull role accepts. */
export type PullRoleTrust = RoleTrust;

/** Settings of a {@link PullRole}. */
export interface PullRoleProps {
  /** Whose tokens it accepts, one or several clusters. */
  readonly trusts: readonly PullRoleTrust[];
  /** What it may pull from, all of one partition; at least one of `ecr()` and `ecrPublic()`. */
  readonly sources: readonly EcrSource[];
  /**
   * Account that the role is declared in, 12 digits.
   *
   * @defaultValue - that of a literal OIDC provider's ARN; otherwise unknown, and the ARN, with the annotation, known after apply
   */
  readonly account?: string;
  /**
   * Name of the role; over 64 characters it is cut and ends with a hash.
   *
   * @defaultValue - derived from the construct's path
   */
  readonly roleName?: string;
  /**
   * Path of the role, at most 512 characters.
   *
   * @defaultValue "/"
   */
  readonly path?: string;
  /**
   * What the role is for, Latin-1; with the reasons for wildcards at most 1000 characters.
   *
   * @defaultValue - says who pulls
   */
  readonly description?: string;
  /**
   * ARN of the policy that bounds the role's permissions, of the role's account or of AWS; may be late.
   *
   * @defaultValue - none
   */
  readonly permissionsBoundary?: string;
  /**
   * Tags of the role.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Terraform provider of the role.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const PULL_ROLE_PROPS: ObjectKind<PullRoleProps> = object({
  trusts: list(ROLE_TRUST),
  sources: list(PULL_SOURCE),
  account: optional(text),
  roleName: optional(text),
  path: optional(text),
  description: optional(text),
  permissionsBoundary: optional(text),
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});

/** What must be known of an existing role. */
export interface PullRoleAttributes {
  /** Name of the role, without path. */
  readonly roleName: string;
  /**
   * Its account, 12 digits.
   *
   * @defaultValue - looked up by Terraform; the ARN is known after apply
   */
  readonly account?: string;
  /**
   * Any region of the partition.
   *
   * @defaultValue - looked up by Terraform; the ARN is known after apply
   */
  readonly region?: string;
  /**
   * Path of the role.
   *
   * @defaultValue "/"
   */
  readonly path?: string;
  /**
   * Terraform provider of the lookup.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const PULL_ROLE_ATTRIBUTES: ObjectKind<PullRoleAttributes> = object({
  roleName: text,
  account: optional(text),
  region: optional(text),
  path: optional(text),
  provider: optional(PROVIDER),
});

/** How the pull roles of one cluster are made. */
export interface PullRolesProps {
  /**
   * Account that the roles are declared in, 12 digits; makes their ARNs, and the annotations with them, literal.
   *
   * @defaultValue - that of `oidcProvider` with a literal ARN; otherwise unknown, and the annotations known after apply
   */
  readonly account?: string;
  /**
   * The region that ECR Public's plugin signs for, and the partition of the roles.
   *
   * @defaultValue - the partition of the registries; for ECR Public the region given there
   */
  readonly region?: string;
  /**
   * The OIDC provider of the cluster's issuer.
   *
   * @defaultValue - declared once per stack
   */
  readonly oidcProvider?: IOidcProvider;
  /**
   * Further issuers whose tokens the roles accept, for example while a cluster moves to a new issuer; each gets an
   * OIDC provider, declared once per stack.
   *
   * @defaultValue - none
   */
  readonly additionalIssuers?: readonly GivenIssuer[];
  /**
   * The audience of the service account tokens.
   *
   * @defaultValue "sts.amazonaws.com"
   */
  readonly audience?: string;
  /**
   * Put before every role name `<cluster>_<namespace>_<service account>`, at most 32 characters.
   *
   * @defaultValue - none
   */
  readonly namePrefix?: string;
  /**
   * Path of the roles.
   *
   * @defaultValue "/"
   */
  readonly path?: string;
  /**
   * ARN of the policy that bounds the roles' permissions, of the roles' account or of AWS; may be late.
   *
   * @defaultValue - none
   */
  readonly permissionsBoundary?: string;
  /**
   * Tags of roles and OIDC providers.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Terraform provider of everything that is declared.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const PULL_ROLES_PROPS: ObjectKind<PullRolesProps> = object({
  account: optional(text),
  region: optional(text),
  oidcProvider: optional(OIDC_PROVIDER),
  additionalIssuers: optional(list(ISSUER)),
  audience: optional(text),
  namePrefix: optional(text),
  path: optional(text),
  permissionsBoundary: optional(text),
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});
