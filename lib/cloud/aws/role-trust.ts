import { type Subject, SUBJECT } from "../../model/subject";
import { type IOidcProvider, OIDC_PROVIDER } from "./oidc-provider-props";
import { type ObjectKind, list, object, optional, text } from "../../model/shape";

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

const SUBJECT_WILDCARD: ObjectKind<SubjectWildcard> = object({
  pattern: text,
  reason: text,
});

/** Whose tokens an IAM role accepts: one OIDC provider and audience. */
export interface RoleTrust {
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

/** The kind of {@link RoleTrust}. */
export const ROLE_TRUST: ObjectKind<RoleTrust> = object({
  oidcProvider: OIDC_PROVIDER,
  serviceAccounts: optional(list(SUBJECT)),
  wildcards: optional(list(SUBJECT_WILDCARD)),
  audience: optional(text),
});
