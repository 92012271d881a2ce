import type { TerraformProvider } from "cdktf";
import type { Issuer } from "../../model/issuer";
import type { Subject } from "../../model/subject";
import type { AttributeMapping } from "../../rules/google/attribute-mapping";
import type { PublicJsonWebKeySet } from "../../rules/google/jwks";
import type { IPrincipals } from "./principals";
import type { IWorkloadIdentityPool } from "./workload-identity-pool";

/** A pool provider for one issuer: declared, or existing. */
export interface IOidcProvider extends IPrincipals {
  /** The pool that it belongs to. */
  readonly pool: IWorkloadIdentityPool;
  /** Id of the pool provider; literal. */
  readonly providerId: string;
  /** `//iam.googleapis.com/projects/…/providers/<id>`, the audience of the token exchange; late when the project number is. */
  readonly stsAudience: string;
}

/** Settings of an {@link OidcProvider}. */
export interface OidcProviderProps {
  /** The workload identity pool. */
  readonly pool: IWorkloadIdentityPool;
  /** Id of the pool provider: 4 to 32 of a-z, 0-9 and -, not starting with `gcp-`. A deleted id stays taken for 30 days. */
  readonly providerId: string;
  /** `iss` of the cluster's service account tokens, compared to the letter; may be late. */
  readonly issuer: string | Issuer;
  /**
   * The cluster's public keys, JSON text or object, as `kubectl get --raw /openid/v1/jwks` prints them. With them the
   * issuer need not be public, or even answer. While the cluster rotates its keys, give the old and the new.
   *
   * @defaultValue - Google fetches the keys from the issuer's discovery document
   */
  readonly jwks?: string | PublicJsonWebKeySet;
  /**
   * Audiences that tokens may carry, 1 to 10, at most 256 characters each.
   *
   * @defaultValue - only the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`
   */
  readonly audiences?: readonly string[];
  /**
   * Service accounts whose tokens are admitted, as `namespace/name`; more come with `addSubjects`.
   *
   * @defaultValue - none yet
   */
  readonly serviceAccounts?: readonly (string | Subject)[];
  /**
   * Further custom attributes, by `attribute.<name>`; the library maps the service account itself.
   *
   * @defaultValue - none
   */
  readonly attributeMapping?: AttributeMapping;
  /**
   * A condition of your own in CEL, 1 to 4096 characters; it then has to admit each service account itself.
   *
   * @defaultValue - the list of service accounts; of their namespaces once the list is over 4096 characters; any
   * service account of the issuer once that is
   */
  readonly attributeCondition?: string;
  /**
   * Name for people, at most 32 characters.
   *
   * @defaultValue - none
   */
  readonly displayName?: string;
  /**
   * Description, at most 256 characters.
   *
   * @defaultValue - none; the reason, where the condition is wider than the list of service accounts
   */
  readonly description?: string;
  /**
   * Terraform provider of the resource.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

/** What must be known of an existing pool provider. */
export interface OidcProviderAttributes {
  /** The workload identity pool. */
  readonly pool: IWorkloadIdentityPool;
  /** Id of the pool provider. */
  readonly providerId: string;
  /**
   * The audience that service account tokens shall carry; must be one that the pool provider allows.
   *
   * @defaultValue - the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`
   */
  readonly audience?: string;
  /**
   * Custom attribute that the pool provider maps the whole `sub` claim to; needed for subjects over 127 bytes.
   *
   * @defaultValue - none; longer subjects are refused
   */
  readonly subjectAttribute?: string;
}
