import type { TerraformProvider } from "cdktf";
import { type Issuer, GivenIssuer, ISSUER } from "../../model/issuer";
import { type IssuerKey, ISSUER_KEY } from "../../model/issuer-keys";
import { type Subject, SUBJECT } from "../../model/subject";
import type { AttributeMapping } from "../../rules/google/mapping";
import type { PublicJsonWebKeySet } from "../../model/json-web-key";
import type { IPrincipals } from "./principals";
import { type IWorkloadIdentityPool, WORKLOAD_IDENTITY_POOL } from "./workload-identity-pool";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  boolean,
  either,
  like,
  list,
  method,
  object,
  optional,
  record,
  text,
} from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** A pool provider for one issuer: declared, or existing. */
export interface IOidcProvider extends IPrincipals {
  /** The pool that it belongs to. */
  readonly pool: IWorkloadIdentityPool;
  /** Whose tokens are trusted; may be late, and `undefined` for an existing pool provider whose issuer was not stated. */
  readonly issuer: Issuer | undefined;
  /** Id of the pool provider; literal. */
  readonly providerId: string;
  /** `//iam.googleapis.com/projects/…/providers/<id>`, the audience of the token exchange; late when the project number is. */
  readonly stsAudience: string;
}

/** The kind of an {@link IOidcProvider}. */
export const OIDC_PROVIDER: Kind<IOidcProvider> = like(
  "an OIDC provider: new OidcProvider(…), OidcProvider.fromProviderId(…) or another of its statics",
  { pool: WORKLOAD_IDENTITY_POOL, providerId: text, addSubjects: method, principal: method },
);

/** Settings of an {@link OidcProvider}. */
export interface OidcProviderProps {
  /** The workload identity pool. */
  readonly pool: IWorkloadIdentityPool;
  /** Id of the pool provider: 4 to 32 of a-z, 0-9 and -, not starting with `gcp-`. A deleted id stays taken for 30 days. */
  readonly providerId: string;
  /** `iss` of the cluster's service account tokens, compared to the letter; may be late. */
  readonly issuer: GivenIssuer;
  /**
   * The cluster's public keys, JSON text or object, as `kubectl get --raw /openid/v1/jwks` prints them. With them the
   * issuer need not be public, or even answer. While the cluster rotates its keys, give the old and the new.
   *
   * @defaultValue - Google fetches the keys from the issuer's discovery document
   */
  readonly jwks?: string | PublicJsonWebKeySet;
  /**
   * The issuer's public keys as PEM, in place of `jwks`; while they are rotated, the current and the next one.
   *
   * @defaultValue - `jwks`, where it is given; otherwise Google fetches the keys from the issuer's discovery document
   */
  readonly keys?: readonly IssuerKey[];
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
   * A condition of your own in CEL, 1 to 4096 characters; it then has to admit each service account itself, and needs
   * a `reason`. One that plainly admits every token is refused.
   *
   * @defaultValue - the list of service accounts; of their namespaces once the list is over 4096 characters; any
   * service account of the issuer once that is
   */
  readonly attributeCondition?: string;
  /**
   * Why the list of service accounts will not do as a condition; needed beside `attributeCondition`, and appended to
   * the description: at most 256 characters together.
   *
   * @defaultValue - none, which `attributeCondition` does not allow
   */
  readonly reason?: string;
  /**
   * Name for people, at most 32 characters.
   *
   * @defaultValue - none
   */
  readonly displayName?: string;
  /**
   * Description, at most 256 characters.
   *
   * Where the condition is wider than the list of service accounts, the reason for that is appended; a description
   * that leaves no room for it is cut.
   *
   * @defaultValue - none; the reason alone, where there is one
   */
  readonly description?: string;
  /**
   * The pool provider exists already: a Terraform `import` block takes it into the state, so that it is changed and
   * not made.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * Terraform provider of the resource.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

/** The kind of {@link OidcProviderProps}. */
export const OIDC_PROVIDER_PROPS: ObjectKind<OidcProviderProps> = object({
  pool: WORKLOAD_IDENTITY_POOL,
  providerId: text,
  issuer: ISSUER,
  jwks: optional(either(text, anyObject)),
  keys: optional(list(ISSUER_KEY)),
  audiences: optional(list(text)),
  serviceAccounts: optional(list(SUBJECT)),
  attributeMapping: optional(record(text)),
  attributeCondition: optional(text),
  reason: optional(text),
  displayName: optional(text),
  description: optional(text),
  adopt: optional(boolean),
  provider: optional(PROVIDER),
});

/** What must be known of an existing pool provider. */
export interface OidcProviderAttributes {
  /** The workload identity pool. */
  readonly pool: IWorkloadIdentityPool;
  /** Id of the pool provider. */
  readonly providerId: string;
  /**
   * `iss` that the pool provider trusts, to the letter; where stated, pulls of another cluster are refused.
   *
   * @defaultValue - unknown; nothing is compared
   */
  readonly issuer?: GivenIssuer;
  /**
   * The audience that service account tokens shall carry; must be one that the pool provider allows.
   *
   * @defaultValue - the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`
   */
  readonly audience?: string;
  /**
   * Custom attribute that the pool provider maps the whole `sub` claim to, 1 to 100 of a-z, 0-9 and `_`, without
   * `attribute.`; needed for subjects over 127 bytes.
   *
   * @defaultValue - none; longer subjects are refused
   */
  readonly subjectAttribute?: string;
}

/** The kind of {@link OidcProviderAttributes}. */
export const OIDC_PROVIDER_ATTRIBUTES: ObjectKind<OidcProviderAttributes> = object({
  pool: WORKLOAD_IDENTITY_POOL,
  providerId: text,
  issuer: optional(ISSUER),
  audience: optional(text),
  subjectAttribute: optional(text),
});
