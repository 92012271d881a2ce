import type { TerraformProvider } from "cdktf";
import { GivenIssuer, ISSUER } from "../../model/issuer";
import { type IOidcProvider, OIDC_PROVIDER } from "./oidc-provider-props";
import { PROVIDER } from "../shared/kinds";
import { type ObjectKind, list, object, optional, record, text } from "../../model/shape";

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

/** The kind of {@link PullRolesProps}. */
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
