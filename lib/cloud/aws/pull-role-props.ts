import type { ITerraformDependable, TerraformProvider } from "cdktf";
import type { Subject } from "../../model/subject";
import type { EcrSource } from "./ecr-source";
import type { IOidcProvider } from "./oidc-provider-props";

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

/** Service accounts admitted by a wildcard. */
export interface SubjectWildcard {
  /**
   * `namespace/name` with `*` for any text or `?` for one character, for example `shop/*`. The namespace is literal,
   * or begins with at least three literal characters.
   */
  readonly pattern: string;
  /** Why exact names will not do; stands in the description of the IAM role. Printable Latin-1. */
  readonly reason: string;
}

/** Whose tokens an IAM role accepts: one OIDC provider and audience. */
export interface PullRoleTrust {
  /** The OIDC provider of the cluster's issuer. */
  readonly oidcProvider: IOidcProvider;
  /**
   * Service accounts as `namespace/name`, each exactly.
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
   * The audience of the tokens; always compared exactly, and one that the OIDC provider accepts where that is known.
   *
   * @defaultValue "sts.amazonaws.com"
   */
  readonly audience?: string;
}

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
