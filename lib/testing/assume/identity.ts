/*
 * What a cloud's part of `toAllowAssume` is: the identities of a stack, each asked with a token's claims.
 */

import type { Answer } from "../../explain/answer";
import type { Terraform, TerraformResource } from "../../explain/facts/terraform";
import { type ObjectKind, object, text } from "../../model/shape";

/** The claims of a service account token that clouds compare. */
export interface TokenClaims {
  /** The issuer. */
  readonly iss: string;
  /** The subject, `system:serviceaccount:<namespace>:<name>` for a service account. */
  readonly sub: string;
  /** The audience; tokens that a kubelet requests have one. */
  readonly aud: string;
}

/** The kind of {@link TokenClaims}. */
export const TOKEN_CLAIMS: ObjectKind<TokenClaims> = object({
  iss: text,
  sub: text,
  aud: text,
});

/** Something that trusts tokens. */
export interface TrustingIdentity {
  /** Terraform address, for people. */
  readonly address: string;
  /** Everything that a test can name it by, the address among them. */
  readonly names: readonly string[];
  /** The links: issuer, audience and subject where they are judged apart. */
  readonly admits: (claims: TokenClaims) => readonly AssumeLink[];
}

/** One link of the trust. */
export interface AssumeLink extends Pick<Answer, "status" | "reason"> {
  /** The check that `explain` has for it. */
  readonly id: "issuer-trusted" | "audience-accepted" | "subject-admitted";
}

/** Reads the identities of one cloud among the resources of a stack. */
export type ReadIdentities = (
  terraform: Terraform,
  own: (type: string) => readonly TerraformResource[],
) => readonly TrustingIdentity[];

/** The three answers of a cloud as links. */
export function links([issuer, audience, subject]: readonly [Answer, Answer, Answer]): readonly AssumeLink[] {
  return [
    { id: "issuer-trusted", status: issuer.status, reason: issuer.reason },
    { id: "audience-accepted", status: audience.status, reason: audience.reason },
    { id: "subject-admitted", status: subject.status, reason: subject.reason },
  ];
}
