/*
 * The contract between clouds and Kubernetes, which do not import each other. Each request of a line of intent names
 * its cloud; that cloud's identities are declared for all service accounts of a cluster at once, and return what the
 * manifests need. Image pulls, workloads and OpenShift's components are three forms of this contract.
 */

import type { AccessPrincipal } from "./access-principal";
import { CHECKED_ISSUER, type Issuer } from "./issuer";
import { type Kind, type Shape, list, made, object, optional, text } from "./shape";
import { SUBJECT, type Subject } from "./subject";

/** The job that identities serve. */
export type IdentityJob = "pulls" | "workloads" | "components";

/** A request to one cloud, returned by `ecr()`, `awsAccess()` and the like. */
export interface IIdentitySource<Identities> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** Returns the identities to declare if the caller states none; throws if the cloud needs settings. */
  defaultIdentities(): Identities;
}

/** How one cloud's identities for one job are declared: account, names, boundaries. At most one per cloud and cluster. */
export interface IIdentities<Scope, Request, Declaration> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** The job that they serve. */
  readonly job: IdentityJob;
  /** Declares trust, identities and permissions in the scope; checks the whole request before it declares anything. */
  declare(scope: Scope, request: Request): Declaration;
}

/** Whose tokens the identities of a request trust. */
export interface IdentityRequest {
  /** Name of the cluster; the names of roles and identities begin with it. */
  readonly clusterName: string;
  /** Issuer of the tokens; its URL may be late. */
  readonly issuer: Issuer;
}

/**
 * An identity that a service account acts as, and that has its rights already: `WorkloadRole.fromArn()`,
 * `WorkloadIdentity.fromResourceId()`, `WorkloadServiceAccount.fromEmail()`, `PullRole.fromArn()` and the like. What
 * its cloud needs of it, its own interface says.
 */
export interface IExistingIdentity {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
}

/** A service account and its requests to one cloud. */
export interface AccountRequest<Asked> {
  /** The service account. */
  readonly subject: Subject;
  /** Its requests, all to the same cloud; empty only with `existing`. */
  readonly asks: readonly Asked[];
  /**
   * The identity that it acts as, to which nothing is granted.
   *
   * @defaultValue - one is declared, with what `asks` needs
   */
  readonly existing?: IExistingIdentity;
}

/** All service accounts of one cluster that ask something of one cloud. */
export interface AccountsRequest<Asked> extends IdentityRequest {
  /** The service accounts, sorted by subject, each once. */
  readonly accounts: readonly AccountRequest<Asked>[];
}

/** The names of a cloud identity. */
export interface IdentityGrant {
  /** Name for people to read: an ARN, a client id or resource id, an e-mail address or principal; may be late. */
  readonly identity: string;
  /**
   * Name for policies of its cloud.
   *
   * @defaultValue - `identity`, if a policy can name it; grants to it then have no dependencies
   */
  readonly principal?: AccessPrincipal;
}

/** The identity of one service account in a cloud. */
export interface AccountGrant extends IdentityGrant {
  /** The service account. */
  readonly subject: Subject;
  /** Annotations of the service account; values may be late. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** The kind of an {@link IExistingIdentity}; its cloud checks the rest. */
export const EXISTING_IDENTITY: Kind<IExistingIdentity> = made(
  "an identity: WorkloadRole.fromArn(), WorkloadIdentity.fromResourceId(), WorkloadServiceAccount.fromEmail(), PullRole.fromArn(), PullIdentity.fromResourceId()",
  "WorkloadRole.fromArn(…)",
  { cloud: text },
);

/** The shape of an {@link AccountsRequest}, given the kind of its requests. */
export function accountsRequestShape<Asked>(requestKind: Kind<Asked>): Shape<AccountsRequest<Asked>> {
  return {
    clusterName: text,
    issuer: CHECKED_ISSUER,
    accounts: list(
      object<AccountRequest<Asked>>({
        subject: SUBJECT,
        asks: list(requestKind),
        existing: optional(EXISTING_IDENTITY),
      }),
    ),
  };
}
