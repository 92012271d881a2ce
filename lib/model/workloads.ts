/*
 * What clouds and Kubernetes share about users' workloads; `identity.ts` describes the contract.
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
  checkGiven,
  choice,
  like,
  made,
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

/** What a service account may do in one cloud, returned by `awsAccess()`, `azureAccess()`, `googleAccess()`. */
export interface IAccess<Scope> extends IIdentitySource<IWorkloadIdentities<Scope>> {
  /**
   * The permissions that `workload-identity.json` records for `explain`: lists by name, as in the `providerSpec` of the
   * cloud's CredentialsRequests. Values may be late.
   */
  readonly rights: AccessRights;
}

/** All workloads of one cluster that use one cloud. */
export interface AccessRequest<Scope> extends AccountsRequest<IAccess<Scope>> {
  /**
   * True if the cluster lacks the cloud's pod identity webhook: the pod fragment then has what the webhook would add.
   *
   * @defaultValue - not known; the fragment then has it unless the issuer shows that the webhook runs
   */
  readonly withoutWebhook?: boolean;
}

/** A file that pods read, in a ConfigMap of the service account's namespace. */
export interface CredentialFile {
  /** Name of the ConfigMap. */
  readonly configMap: string;
  /** Key in the ConfigMap, and file name in the pod. */
  readonly fileName: string;
  /** The text; may be late. */
  readonly content: string | LateEncoding;
}

/**
 * Fields of the Kubernetes API that pods of a service account need; literal, except the variables of pods without
 * webhook, which may be late.
 */
export interface PodFragment {
  /** Labels of the pod. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * Annotations of the pod.
   *
   * @defaultValue - none
   */
  readonly annotations?: Readonly<Record<string, string>>;
  /** `env` of each container. */
  readonly env: readonly Readonly<Record<string, unknown>>[];
  /** `volumeMounts` of each container. */
  readonly volumeMounts: readonly Readonly<Record<string, unknown>>[];
  /** `volumes` of the pod. */
  readonly volumes: readonly Readonly<Record<string, unknown>>[];
}

/** A right that RBAC of the cluster must give a service account: one rule of a ClusterRole. */
export interface ClusterRight {
  /** The verb. */
  readonly verb: string;
  /** The API group. */
  readonly apiGroup: string;
  /** The resource; may be late. */
  readonly resource: string;
}

/** The identity of a workload's service account in a cloud, with the annotations that the cloud's webhook reads. */
export interface AccessGrant extends AccountGrant {
  /** Fields that the pods need. */
  readonly pod: PodFragment;
  /**
   * What its cloud asks RBAC of the cluster for.
   *
   * @defaultValue - nothing
   */
  readonly clusterRight?: ClusterRight;
  /**
   * A file for the pods.
   *
   * @defaultValue - none
   */
  readonly credentialFile?: CredentialFile;
}

/** What a cloud declared for workloads. */
export interface AccessDeclaration {
  /**
   * Name in the cloud of the cluster whose service accounts get the identities.
   *
   * @defaultValue - the identities do not depend on it
   */
  readonly cloudName?: string;
  /** One grant per service account of the request. */
  readonly grants: readonly AccessGrant[];
}

/** How a cloud's identities for workloads are made: by `workloadRoles()` and its like in other clouds. */
export interface IWorkloadIdentities<Scope> extends IIdentities<
  Scope,
  AccessRequest<Scope>,
  AccessDeclaration
> {
  /** Distinguishes these identities from those for other jobs. */
  readonly job: "workloads";
}

/**
 * Permissions of software that many clusters run, for `workloads` of `WorkloadAccess`. If it runs as another service
 * account, spread the value: `{ ...externalDns({ … }), serviceAccount: "dns/external-dns" }`.
 */
export interface ReadyWorkload<Access> {
  /** `namespace/name`, as the project's own chart or manifests install it. */
  readonly serviceAccount: string;
  /** The software's installer declares the service account; the manifests only annotate it by server-side apply. */
  readonly declareServiceAccount: false;
  /** The permissions. */
  readonly may: Access;
}

/** A row of the tables of ready permissions, which `docs/workloads.md` describes. */
export interface ReadyPermissions<Props, Rights> {
  readonly serviceAccount: string;
  /** The upstream document that the list is taken from, and its version. */
  readonly source: string;
  /** Optional features of the software that these permissions do not cover. */
  readonly leavesOut: string;
  readonly props: ObjectKind<Props>;
  rights(props: Props): Rights;
}

/** Returns the workload of a row, for the function of that name. */
export function readyWorkload<Props, Rights, Access>(
  name: string,
  { serviceAccount, props: kind, rights }: ReadyPermissions<Props, Rights>,
  props: Props,
  access: (rights: Rights) => Access,
): ReadyWorkload<Access> {
  checkGiven(`${name}()`, kind, props);
  return { serviceAccount, declareServiceAccount: false, may: access(rights(props)) };
}

export const ACCESS: Kind<IAccess<never>> = made(
  "access: awsAccess(), azureAccess(), googleAccess()",
  "awsAccess(…)",
  {
    cloud: text,
    rights: record(list(anything)),
    defaultIdentities: method,
  },
);

export const WORKLOAD_IDENTITIES: Kind<IWorkloadIdentities<never>> = made(
  "identities for workloads: workloadRoles(), workloadIdentities(), workloadServiceAccounts()",
  "workloadRoles(…)",
  { cloud: text, job: choice(["workloads"]), declare: method },
);

export const ACCESS_REQUEST: ObjectKind<AccessRequest<never>> = object({
  ...accountsRequestShape(ACCESS),
  withoutWebhook: optional(boolean),
});

export const POD_FRAGMENT: ObjectKind<PodFragment> = object({
  labels: record(text),
  annotations: optional(record(text)),
  env: list(anyObject),
  volumeMounts: list(anyObject),
  volumes: list(anyObject),
});

export const ACCESS_GRANT: Kind<AccessGrant> = like("a grant, as declarations of workloads hold it", {
  subject: SUBJECT,
  identity: text,
  annotations: record(text),
  pod: POD_FRAGMENT,
});
