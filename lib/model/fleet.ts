/*
 * How clouds meet the fleet. A cloud's spoke object says where a spoke is and what a plugin needs as arguments to get
 * credentials for it; that cloud lets the hub's controllers in and answers with who they are on the spoke. The
 * controllers' own identities are those of any workload (`IWorkloadIdentities` of workloads.ts, with no permissions).
 */

import type { NodeSetup } from "./node-file";
import { SUBJECT, type Subject } from "./subject";
import type { AccessGrant } from "./workloads";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  boolean,
  choice,
  like,
  list,
  method,
  object,
  optional,
  text,
} from "./shape";

/** Where a spoke's API server is, and whom its certificate is from. */
export interface SpokeEndpoint {
  /** URL of the API server, with `https://`; may be late. */
  readonly server: string;
  /**
   * Base64 of the PEM certificates that sign the server's certificate, as all clouds give it; may be late.
   *
   * @defaultValue - none; then `publicCertificate` must say so
   */
  readonly certificateAuthorityData?: string;
  /**
   * True where the system's certificates cover the server: Connect Gateway, DNS endpoints, a public certificate.
   *
   * @defaultValue false
   */
  readonly publicCertificate?: boolean;
}

/** What plugins need to know about one spoke; each plugin takes what it knows. All literal. */
export interface SpokeParameters {
  /**
   * Name of the EKS cluster; or the cluster id that the spoke's aws-iam-authenticator server has.
   *
   * @defaultValue - none
   */
  readonly clusterName?: string;
  /**
   * Region of the EKS cluster, which must be that of the STS that signs.
   *
   * @defaultValue - that of the controller's environment
   */
  readonly region?: string;
  /**
   * ARN of an IAM role to assume for this spoke.
   *
   * @defaultValue - none: the controller's own role enters
   */
  readonly roleArn?: string;
  /**
   * Application id of the server that the Entra token is for.
   *
   * @defaultValue - that of all AKS clusters, 6dae42f8-4368-4678-94ff-3960e28e3630
   */
  readonly serverId?: string;
  /**
   * Client id of the identity for this spoke, where it is not the one of the controller's environment.
   *
   * @defaultValue - that of the controller's environment
   */
  readonly clientId?: string;
  /**
   * Tenant of the identity for this spoke.
   *
   * @defaultValue - that of the controller's environment
   */
  readonly tenantId?: string;
  /**
   * Audience of the service account token that the spoke takes, for spokes that trust the hub's issuer themselves.
   *
   * @defaultValue - none
   */
  readonly tokenAudience?: string;
  /**
   * Path of that token in the controller's containers.
   *
   * @defaultValue - where `HubConsumer` mounts it
   */
  readonly tokenFile?: string;
}

/** Who a controller is on the spoke, for RBAC there. */
export interface SpokeUser {
  /** The hub's service account. */
  readonly subject: Subject;
  /**
   * Name of the user on the spoke; may be late.
   *
   * @defaultValue - not known; RBAC then needs a group
   */
  readonly user?: string;
  /** Groups of the user on the spoke; may be late. */
  readonly groups: readonly string[];
  /** True where the cloud itself allows what the controller needs, so that no RBAC is needed. */
  readonly authorized: boolean;
}

/** Controllers that want to enter one spoke. */
export interface SpokeEntryRequest {
  /** Name of the hub. */
  readonly hub: string;
  /** Name of the spoke, as in its ClusterProfile. */
  readonly spoke: string;
  /** The controllers' identities in the spoke's cloud, one per executing service account, sorted by subject. */
  readonly controllers: readonly AccessGrant[];
}

/** What a cloud declared to let controllers in. */
export interface SpokeEntry {
  /** One per controller of the request. */
  readonly users: readonly SpokeUser[];
  /**
   * Objects of the spoke that must be there besides RBAC of the users, each with apiVersion, kind and metadata.
   *
   * @defaultValue - none
   */
  readonly objects?: readonly Readonly<Record<string, unknown>>[];
  /**
   * Lines for whoever applies the objects.
   *
   * @defaultValue - none
   */
  readonly comment?: readonly string[];
}

/** A spoke as its profile and the plugins see it. */
export interface SpokeFacts {
  /** Key of the cloud: `aws`, `azure`, `google`, or `kubernetes` for a spoke that trusts the hub's issuer itself. */
  readonly cloud: string;
  /** Where the spoke is. */
  readonly endpoint: SpokeEndpoint;
  /** What the plugins get as arguments. */
  readonly parameters: SpokeParameters;
  /**
   * Id of the project whose policy lets controllers in, literal; it is recorded for `explain`, since an address does not
   * say it.
   *
   * @defaultValue - none: the cloud has no projects
   */
  readonly project?: string;
  /**
   * Number of that project, where the address has it; recorded where it is literal.
   *
   * @defaultValue - none
   */
  readonly projectNumber?: string;
}

/** Whose tokens a spoke takes that trusts the hub's issuer itself. */
export interface SpokeTrust {
  /** URL of the issuer; may be late. */
  readonly issuer: string;
  /** The hub's service accounts that may sign in, `namespace/name`, sorted. */
  readonly serviceAccounts: readonly string[];
}

/** A spoke as its cloud knows it; made by the function of the cloud's subpath. */
export interface ISpokeAccess<Scope> extends SpokeFacts {
  /**
   * Whose tokens the spoke itself takes.
   *
   * @defaultValue - a cloud stands between
   */
  readonly trusts?: SpokeTrust;
  /**
   * True where the cloud itself allows what each controller needs, so that no RBAC is needed.
   *
   * @defaultValue false
   */
  readonly authorizes?: boolean;
  /**
   * Files for the nodes of the spoke's control plane.
   *
   * @defaultValue - none
   */
  readonly nodeSetup?: NodeSetup;
  /** Declares in the scope what lets the controllers in: access entries, role assignments, IAM roles. */
  declare(scope: Scope, request: SpokeEntryRequest): SpokeEntry;
}

/** A workload of the hub that opens connections to spokes, and so runs the plugin. */
export interface ControllerWorkload {
  /** Kind of the workload. */
  readonly kind: "Deployment" | "StatefulSet";
  /** Its namespace. */
  readonly namespace: string;
  /** Its name. */
  readonly name: string;
  /** Name of the container that runs the plugin. */
  readonly container: string;
  /** Name of its service account, in the same namespace. */
  readonly serviceAccount: string;
}

/** The kind of a {@link SpokeEndpoint}. */
export const SPOKE_ENDPOINT: ObjectKind<SpokeEndpoint> = object({
  server: text,
  certificateAuthorityData: optional(text),
  publicCertificate: optional(boolean),
});

/** The kind of a {@link SpokeUser}. */
export const SPOKE_USER: ObjectKind<SpokeUser> = object({
  subject: SUBJECT,
  user: optional(text),
  groups: list(text),
  authorized: boolean,
});

const TITLE =
  "access to a spoke: eksSpoke(), aksSpoke(), gkeSpoke(), connectGatewaySpoke(), selfManagedSpoke()";
const FACTS = { cloud: text, endpoint: SPOKE_ENDPOINT, parameters: anyObject };

/** The kind of {@link SpokeFacts}. */
export const SPOKE_FACTS: Kind<SpokeFacts> = like(TITLE, FACTS);

/** The kind of an {@link ISpokeAccess}. */
export const SPOKE_ACCESS: Kind<ISpokeAccess<never>> = like(TITLE, { ...FACTS, declare: method });

/** The kind of a {@link ControllerWorkload}. */
export const CONTROLLER_WORKLOAD: ObjectKind<ControllerWorkload> = object({
  kind: choice(["Deployment", "StatefulSet"]),
  namespace: text,
  name: text,
  container: text,
  serviceAccount: text,
});
