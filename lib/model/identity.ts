/*
 * How clouds meet Kubernetes without importing each other. What a line of intent asks for says which cloud it is of;
 * that cloud's identities are declared for all service accounts of a cluster at once, and answer with what Kubernetes
 * must write. Image pulls, workloads and OpenShift's components are three forms of it.
 */

import type { AccessPrincipal } from "./access-principal";
import { CHECKED_ISSUER, type Issuer } from "./issuer";
import { type Kind, type Shape, list, object, text } from "./shape";
import { SUBJECT, type Subject } from "./subject";

/** What identities are for. */
export type IdentityJob = "pulls" | "workloads" | "components";

/** What a line of intent asks of one cloud; made by `ecr()`, `awsAccess()` and the like. */
export interface IIdentitySource<Identities> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** The identities to declare when the caller states none; throws where the cloud cannot do without settings. */
  defaultIdentities(): Identities;
}

/** How one cloud's identities for one job are declared: account, names, boundaries. At most one per cloud and cluster. */
export interface IIdentities<Scope, Request, Declaration> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** What they are for. */
  readonly job: IdentityJob;
  /** Declares trust, identities and permissions in the scope; checks the whole request before it declares anything. */
  declare(scope: Scope, request: Request): Declaration;
}

/** Whose tokens the identities of a request trust. */
export interface IdentityRequest {
  /** Name of the cluster; begins the names of roles and identities. */
  readonly clusterName: string;
  /** Who signs the tokens; its URL may be late. */
  readonly issuer: Issuer;
}

/** One service account and what it asks of one cloud. */
export interface AccountRequest<Asked> {
  /** Who. */
  readonly subject: Subject;
  /** What, all of the cloud that is asked. */
  readonly asks: readonly Asked[];
}

/** All service accounts of one cluster that ask something of one cloud. */
export interface AccountsRequest<Asked> extends IdentityRequest {
  /** Sorted by subject, each subject once. */
  readonly accounts: readonly AccountRequest<Asked>[];
}

/** What an identity of a cloud is called. */
export interface IdentityGrant {
  /** The identity for people: an ARN, a client id or resource id, an e-mail address or principal; may be late. */
  readonly identity: string;
  /**
   * The identity for policies of its cloud.
   *
   * @defaultValue - `identity` names it, where a policy can; what is granted to it waits for nothing
   */
  readonly principal?: AccessPrincipal;
}

/** What one service account gets from a cloud. */
export interface AccountGrant extends IdentityGrant {
  /** Who. */
  readonly subject: Subject;
  /** Annotations of the service account; values may be late. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** The kind of an {@link AccountsRequest}, given that of what is asked. */
export function accountsRequestShape<Asked>(asked: Kind<Asked>): Shape<AccountsRequest<Asked>> {
  return {
    clusterName: text,
    issuer: CHECKED_ISSUER,
    accounts: list(object<AccountRequest<Asked>>({ subject: SUBJECT, asks: list(asked) })),
  };
}
