import { type AwsProps, AWS_PROPS } from "./props";
import type { ITerraformDependable, TerraformProvider } from "cdktf";
import { type Issuer, CHECKED_ISSUER, GivenIssuer, ISSUER } from "../../model/issuer";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  boolean,
  made,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** An IAM OIDC provider that a role can trust: declared, or existing. */
export interface IOidcProvider {
  /** Its ARN; late if account or partition is unknown. */
  readonly arn: string;
  /** Its issuer; may be late. */
  readonly issuer: Issuer;
  /** The issuer without `https://`, the prefix of condition keys such as `<prefix>:sub`; may be late. */
  readonly conditionPrefix: string;
  /** The audiences (client ids) that it accepts; `undefined` for an existing one if they are not stated. */
  readonly audiences: readonly string[] | undefined;
  /** What must exist before a role trusts it; empty for an existing one. */
  readonly dependencies: readonly ITerraformDependable[];
}

export const OIDC_PROVIDER: Kind<IOidcProvider> = made(
  "an OIDC provider: new OidcProvider(…), OidcProvider.fromArn(…) or another of its statics",
  "OidcProvider.fromArn(…)",
  { arn: text, issuer: CHECKED_ISSUER, conditionPrefix: text, dependencies: list(anyObject) },
);

/** Settings of an {@link OidcProvider}. */
export interface OidcProviderProps extends AwsProps {
  /** `iss` of the cluster's service account tokens, compared exactly; may be late. */
  readonly issuer: GivenIssuer;
  /** Accepted audiences of tokens, 1 to 100; IAM calls them client ids. `addAudience` adds more. */
  readonly audiences: readonly string[];
  /**
   * SHA-1 fingerprints of the certificate authority of the issuer's host, 40 hexadecimal digits, at most 5. AWS ignores
   * them if the host's certificate chains to a public certificate authority.
   *
   * @defaultValue - left out; with a warning in partition aws-cn, whose documentation still requires one
   */
  readonly thumbprints?: readonly string[];
  /**
   * Account of the OIDC provider, 12 digits. Together with `region` it makes the ARN literal.
   *
   * @defaultValue - unknown; the ARN is known after apply
   */
  readonly account?: string;
  /**
   * Any region of the partition; IAM itself has none.
   *
   * @defaultValue - partition unknown; the ARN is known after apply
   */
  readonly region?: string;
  /**
   * Whether the OIDC provider exists and Terraform adopts it with an import block; needs a literal issuer, `account`
   * and `region`, from which its ARN is built.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
}

export const OIDC_PROVIDER_PROPS: ObjectKind<OidcProviderProps> = object({
  ...AWS_PROPS.shape,
  issuer: ISSUER,
  audiences: list(text),
  thumbprints: optional(list(text)),
  account: optional(text),
  region: optional(text),
  adopt: optional(boolean),
});

const { audiences: _, ...SHARED } = OIDC_PROVIDER_PROPS.shape;

/** Settings of an OIDC provider that is shared within a stack. */
export interface SharedOidcProviderProps extends Omit<OidcProviderProps, "audiences"> {
  /** The audience to add to it. */
  readonly audience: string;
}

export const SHARED_OIDC_PROVIDER_PROPS: ObjectKind<SharedOidcProviderProps> = object({
  ...SHARED,
  audience: text,
});

/** Optional facts about an existing OIDC provider. */
export interface KnownAudiences {
  /**
   * The audiences (client ids) that it accepts; a role that trusts it with another one is refused.
   *
   * @defaultValue - unknown, and not checked
   */
  readonly audiences?: readonly string[];
}

export const KNOWN_AUDIENCES: ObjectKind<KnownAudiences> = object({
  audiences: optional(list(text)),
});

/** Optional facts about an existing OIDC provider of which the ARN is given. */
export interface OidcProviderFacts extends KnownAudiences {
  /**
   * `iss` of the cluster's service account tokens; may be late.
   *
   * @defaultValue - read from the ARN; required if that is late
   */
  readonly issuer?: GivenIssuer;
}

export const OIDC_PROVIDER_FACTS: ObjectKind<OidcProviderFacts> = object({
  ...KNOWN_AUDIENCES.shape,
  issuer: optional(ISSUER),
});

/** Identifies an existing OIDC provider. */
export interface OidcProviderAttributes extends KnownAudiences {
  /** `iss` of the cluster's service account tokens; may be late. */
  readonly issuer: GivenIssuer;
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
   * Terraform provider of the lookup.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const OIDC_PROVIDER_ATTRIBUTES: ObjectKind<OidcProviderAttributes> = object({
  ...KNOWN_AUDIENCES.shape,
  issuer: ISSUER,
  account: optional(text),
  region: optional(text),
  provider: optional(PROVIDER),
});

/** An EKS cluster whose OIDC provider exists. */
export interface EksClusterAttributes extends KnownAudiences {
  /** Name of the cluster in EKS. */
  readonly clusterName: string;
  /**
   * Region of the cluster.
   *
   * @defaultValue - the region of the Terraform provider
   */
  readonly region?: string;
  /**
   * Terraform provider of the lookups.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const EKS_CLUSTER_ATTRIBUTES: ObjectKind<EksClusterAttributes> = object({
  ...KNOWN_AUDIENCES.shape,
  clusterName: text,
  region: optional(text),
  provider: optional(PROVIDER),
});
