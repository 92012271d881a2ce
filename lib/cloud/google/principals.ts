import type { ITerraformDependable } from "cdktf";
import type { Subject } from "../../model/subject";
import { type Kind, like, method } from "../../model/shape";

/** The full name of a workload identity pool. */
export interface PoolName {
  /** Id of the project that owns the pool. */
  readonly project: string;
  /** Id of the pool. */
  readonly poolId: string;
}

/** Turns service accounts into IAM principals: an OIDC provider of a custom pool, or the pool of GKE and fleet. */
export interface IPrincipals {
  /** The pool whose principals they are; literal. */
  readonly pool: PoolName;
  /** The audience of the service account tokens; always literal. */
  readonly audience: string;
  /** What must exist before a principal is used in a policy; empty for what exists already. */
  readonly dependencies: readonly ITerraformDependable[];
  /** Admits the tokens of these service accounts; may be called at any time before synthesis. */
  addSubjects(subjects: readonly Subject[]): void;
  /** IAM policy member of one service account; late when the project number is. */
  principal(subject: Subject): string;
}

/** The kind of {@link IPrincipals}. */
export const PRINCIPALS: Kind<IPrincipals> = like(
  "whose principals are meant: an OidcProvider, or WorkloadIdentityPool.fleet(…)",
  { addSubjects: method, principal: method },
);
