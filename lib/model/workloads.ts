/*
 * Workloads that users run, as clouds and Kubernetes both know them: `identity.ts` says how they meet.
 */

import {
  type AccountGrant,
  type AccountsRequest,
  type IIdentities,
  type IIdentitySource,
  accountsRequestShape,
} from "./identity";
import type { LateEncoding } from "./late";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  anything,
  boolean,
  choice,
  like,
  list,
  method,
  object,
  optional,
  record,
  text,
} from "./shape";
import { SUBJECT } from "./subject";

/** Lists of permissions or roles, by their name in the provider part of a CredentialsRequest. */
export type AccessRights = Readonly<Record<string, readonly unknown[]>>;

/** What a service account may do in one cloud; made by `awsAccess()`, `azureAccess()`, `googleAccess()`. */
export interface IAccess<Scope> extends IIdentitySource<IWorkloadIdentities<Scope>> {
  /**
   * What is permitted, as `workload-identity.json` records it for `explain`: lists by name, as the provider part of a
   * CredentialsRequest of the cloud has them. Values may be late.
   */
  readonly rights: AccessRights;
}

/** All workloads of one cluster that use one cloud. */
export interface AccessRequest<Scope> extends AccountsRequest<IAccess<Scope>> {
  /**
   * True where the cluster has no webhook of the cloud that changes pods: what it would add is then written into the pods.
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

/** What one workload's service account gets from a cloud; the cloud's webhook reads its annotations. */
export interface AccessGrant extends AccountGrant {
  /** What the pods need. */
  readonly pod: PodFragment;
  /**
   * A file for the pods.
   *
   * @defaultValue - none
   */
  readonly credentialFile?: CredentialFile;
}

/** What a cloud declared for workloads. */
export interface AccessDeclaration {
  /** One grant per service account of the request. */
  readonly grants: readonly AccessGrant[];
}

/** How one cloud's identities for workloads are made; `workloadRoles()`, `workloadIdentities()`, `workloadServiceAccounts()`. */
export interface IWorkloadIdentities<Scope> extends IIdentities<
  Scope,
  AccessRequest<Scope>,
  AccessDeclaration
> {
  /** Tells them from the identities of the other jobs. */
  readonly job: "workloads";
}

/** The kind of an {@link IAccess}. */
export const ACCESS: Kind<IAccess<never>> = like("access: awsAccess(), azureAccess(), googleAccess()", {
  cloud: text,
  rights: record(list(anything)),
  defaultIdentities: method,
});

/** The kind of {@link IWorkloadIdentities}. */
export const WORKLOAD_IDENTITIES: Kind<IWorkloadIdentities<never>> = like(
  "identities for workloads: workloadRoles(), workloadIdentities(), workloadServiceAccounts()",
  { cloud: text, job: choice(["workloads"]), declare: method },
);

/** The kind of an {@link AccessRequest}. */
export const ACCESS_REQUEST: ObjectKind<AccessRequest<never>> = object({
  ...accountsRequestShape(ACCESS),
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
