/*
 * How clouds meet the workloads that users run. A cloud's `may` object says what is permitted; that cloud's maker
 * turns all workloads of one cluster into identities and answers with what Kubernetes must write.
 */

import type { AccessPrincipal } from "./access-principal";
import { CHECKED_ISSUER, type Issuer } from "./issuer";
import type { LateEncoding } from "./late";
import { SUBJECT, type Subject } from "./subject";
import { isRecord } from "./record";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  anything,
  boolean,
  like,
  list,
  method,
  object,
  optional,
  record,
  text,
  wrongKind,
} from "./shape";

/** Lists of permissions or roles, by their name in the provider part of a CredentialsRequest. */
export type AccessRights = Readonly<Record<string, readonly unknown[]>>;

/** What a service account may do in one cloud; made by `awsAccess()`, `azureAccess()`, `googleAccess()`. */
export interface IAccess<Scope> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /**
   * What is permitted, as `workload-identity.json` records it for `explain`: lists by name, as the provider part of a
   * CredentialsRequest of the cloud has them. Values may be late.
   */
  readonly rights: AccessRights;
  /** The maker to use when the caller states none; throws where the cloud cannot do without settings. */
  defaultIdentities(): IWorkloadIdentities<Scope>;
}

/** One service account and what it may do in one cloud. */
export interface DeclaredAccess<Scope> {
  /** Who. */
  readonly subject: Subject;
  /** What; all of the maker's own cloud. */
  readonly access: readonly IAccess<Scope>[];
}

/** All workloads of one cluster that use one cloud. */
export interface AccessRequest<Scope> {
  /** Name of the cluster; begins the names of roles and identities. */
  readonly clusterName: string;
  /** Whose tokens are trusted; may be late. */
  readonly issuer: Issuer;
  /** Sorted by subject, each subject once. */
  readonly workloads: readonly DeclaredAccess<Scope>[];
  /**
   * True where the cluster has no webhook of the cloud that changes pods: what it would add then stands in the pods.
   *
   * @defaultValue false
   */
  readonly withoutWebhook?: boolean;
}

/** A file that pods read, carried by a ConfigMap of the service account's namespace. */
export interface CredentialFile {
  /** Name of the ConfigMap. */
  readonly configMap: string;
  /** Key in it, and file name in the pod. */
  readonly fileName: string;
  /** The text; may be late. */
  readonly content: string | LateEncoding;
}

/**
 * What pods that use the service account must have besides it, as fields of the Kubernetes API; literal, but for the
 * variables of pods without webhook.
 */
export interface PodFragment {
  /** Labels of the pod. */
  readonly labels: Readonly<Record<string, string>>;
  /** `env` of each container. */
  readonly env: readonly Readonly<Record<string, unknown>>[];
  /** `volumeMounts` of each container. */
  readonly volumeMounts: readonly Readonly<Record<string, unknown>>[];
  /** `volumes` of the pod. */
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
}

/** What one service account gets from a cloud. */
export interface AccessGrant {
  /** Who. */
  readonly subject: Subject;
  /** What it acts as, for people: an ARN, a client id, an e-mail address or principal; may be late. */
  readonly identity: string;
  /**
   * The identity for policies of its cloud.
   *
   * @defaultValue - `identity` names it, where a policy can; what is granted to it waits for nothing
   */
  readonly principal?: AccessPrincipal;
  /** Annotations of the service account that the cloud's webhook reads; values may be late. */
  readonly annotations: Readonly<Record<string, string>>;
  /** What the pods need. */
  readonly pod: PodFragment;
  /**
   * A file for the pods.
   *
   * @defaultValue - none
   */
  readonly credentialFile?: CredentialFile;
}

/** What a cloud's maker declared. */
export interface AccessDeclaration {
  /** One grant per subject of the request. */
  readonly grants: readonly AccessGrant[];
}

/** How one cloud's identities for workloads are made: account, names, boundaries. */
export interface IWorkloadIdentities<Scope> {
  /** Key of the cloud: `aws`, `azure` or `google`. */
  readonly cloud: string;
  /** Declares identities, trust and permissions in the scope. */
  declare(scope: Scope, request: AccessRequest<Scope>): AccessDeclaration;
}

/** The kind of an {@link IAccess}. */
export const ACCESS: Kind<IAccess<never>> = like("access: awsAccess(), azureAccess(), googleAccess()", {
  cloud: text,
  rights: record(list(anything)),
  defaultIdentities: method,
});

const MAKER = "identities for workloads: workloadRoles(), workloadIdentities(), workloadServiceAccounts()";

const IDENTITIES: Kind<IWorkloadIdentities<never>> = like(MAKER, { cloud: text, declare: method });

/** The kind of {@link IWorkloadIdentities}. */
export const WORKLOAD_IDENTITIES: Kind<IWorkloadIdentities<never>> = {
  title: MAKER,
  mistake: (value) =>
    IDENTITIES.mistake(value) ?? (isForComponents(value) ? wrongKind(value, MAKER) : undefined),
};

/** Those of OpenShift's components have a kind of providerSpec. */
function isForComponents(value: unknown): boolean {
  return isRecord(value) && "providerKind" in value;
}

/** The kind of an {@link AccessRequest}. */
export const ACCESS_REQUEST: ObjectKind<AccessRequest<never>> = object({
  clusterName: text,
  issuer: CHECKED_ISSUER,
  workloads: list(like("a workload", { subject: SUBJECT, access: list(ACCESS) })),
  withoutWebhook: optional(boolean),
});

/** The kind of a {@link PodFragment}. */
export const POD_FRAGMENT: ObjectKind<PodFragment> = object({
  labels: record(text),
  env: list(anyObject),
  volumeMounts: list(anyObject),
  volumes: list(anyObject),
});

/** The kind of an {@link AccessGrant}. */
export const ACCESS_GRANT: Kind<AccessGrant> = like("a grant, as declarations of workloads hold it", {
  subject: SUBJECT,
  identity: text,
  annotations: record(text),
  pod: POD_FRAGMENT,
});
