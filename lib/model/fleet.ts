/*
 * The contract between clouds and the fleet. A cloud's spoke object states the spoke's address and the arguments that a
 * plugin needs to get credentials for it. The cloud admits the hub's controllers, and returns their users on the spoke.
 * The controllers' identities are those of any workload (`IWorkloadIdentities` of workloads.ts), without permissions.
 */

import type { NodeDocument } from "./node-document";
import type { NodeSetup } from "./node-file";
import { SUBJECT, type Subject } from "./subject";
import type { AccessGrant } from "./workloads";
import {
  type ObjectKind,
  type Kind,
  anyObject,
  boolean,
  choice,
  example,
  made,
  list,
  method,
  object,
  optional,
  text,
} from "./shape";

/** Address of a spoke's API server, and what its certificate is verified with. */
export interface SpokeEndpoint {
  /** URL of the API server, with `https://`; may be late. */
  readonly server: string;
  /**
   * PEM certificates of the server's certificate authority in base64, the form that all clouds return; may be late.
   *
   * @defaultValue - none; then `publicCertificate` must be true
   */
  readonly certificateAuthorityData?: string;
  /**
   * Whether the system's root certificates verify the server: Connect Gateway, DNS endpoints, a public certificate.
   *
   * @defaultValue false
   */
  readonly publicCertificate?: boolean;
}

/** Parameters of one spoke for plugins, all literal; each plugin uses those that it supports. */
export interface SpokeParameters {
  /**
   * Name of the EKS cluster, or the cluster id of the spoke's aws-iam-authenticator server.
   *
   * @defaultValue - none
   */
  readonly clusterName?: string;
  /**
   * Region of the EKS cluster; must be the region of the STS endpoint that signs.
   *
   * @defaultValue - that of the controller's environment
   */
  readonly region?: string;
  /**
   * ARN of an IAM role to assume for this spoke.
   *
   * @defaultValue - none: the controller uses its own role
   */
  readonly roleArn?: string;
  /**
   * Application id of the server for which the Entra token is issued.
   *
   * @defaultValue - that of all AKS clusters, 6dae42f8-4368-4678-94ff-3960e28e3630
   */
  readonly serverId?: string;
  /**
   * Client id of the identity for this spoke, if it differs from the one in the controller's environment.
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
   * Audience of the service account token that the spoke accepts, for spokes that trust the hub's issuer themselves.
   *
   * @defaultValue - none
   */
  readonly tokenAudience?: string;
  /**
   * Path of that token in the controller's containers.
   *
   * @defaultValue - the path where `HubConsumer` mounts it
   */
  readonly tokenFile?: string;
}

/** A controller's user on the spoke, for RBAC there. */
export interface SpokeUser {
  /** The hub's service account. */
  readonly subject: Subject;
  /**
   * Name of the user on the spoke; may be late.
   *
   * @defaultValue - unknown; RBAC then needs a group
   */
  readonly user?: string;
  /** Groups of the user on the spoke; may be late. */
  readonly groups: readonly string[];
  /** True if the cloud itself gives the controller its rights, so that RBAC is not needed. */
  readonly authorized: boolean;
}

/** The controllers that shall enter one spoke. */
export interface SpokeEntryRequest {
  /** Name of the hub. */
  readonly hub: string;
  /** Name of the spoke, as in its ClusterProfile. */
  readonly spoke: string;
  /** Identities in the spoke's cloud, one per service account that opens connections, sorted by subject. */
  readonly controllers: readonly AccessGrant[];
}

/** What a cloud declared to admit the controllers. */
export interface SpokeEntry {
  /** One per controller of the request. */
  readonly users: readonly SpokeUser[];
  /**
   * Objects that the spoke needs in addition to the users' RBAC, each with apiVersion, kind and metadata.
   *
   * @defaultValue - none
   */
  readonly objects?: readonly Readonly<Record<string, unknown>>[];
  /**
   * Comment lines for the person who applies the objects.
   *
   * @defaultValue - none
   */
  readonly comment?: readonly string[];
}

/** Facts of a spoke for its profile and the plugins. */
export interface SpokeFacts {
  /** Key of the cloud: `aws`, `azure`, `google`, or `kubernetes` for a spoke that trusts the hub's issuer itself. */
  readonly cloud: string;
  /** The spoke's API server. */
  readonly endpoint: SpokeEndpoint;
  /** Parameters for the plugins. */
  readonly parameters: SpokeParameters;
  /**
   * Literal id of the project whose policy admits controllers; recorded for `explain`, because the address does not
   * contain it.
   *
   * @defaultValue - none: the cloud has no projects
   */
  readonly project?: string;
  /**
   * Number of that project, if the address contains it; recorded if it is literal.
   *
   * @defaultValue - none
   */
  readonly projectNumber?: string;
}

/** The tokens that a spoke accepts if it trusts the hub's issuer itself. */
export interface SpokeTrust {
  /** URL of the issuer; may be late. */
  readonly issuer: string;
  /** The hub's service accounts that may sign in, `namespace/name`, sorted. */
  readonly serviceAccounts: readonly string[];
}

/** Access to a spoke; each cloud's subpath has a function that returns it. */
export interface ISpokeAccess<Scope> extends SpokeFacts {
  /**
   * The tokens that the spoke itself accepts.
   *
   * @defaultValue - none: a cloud authenticates the controllers
   */
  readonly trusts?: SpokeTrust;
  /**
   * True if the cloud itself gives every controller its rights, so that RBAC is not needed.
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
  /**
   * The documents that bring these files to the control plane and name them in arguments of its API servers.
   *
   * @defaultValue - the files are written as data
   */
  readonly controlPlane?: readonly NodeDocument[];
  /** Declares in the scope what admits the controllers: access entries, role assignments, IAM roles. */
  declare(scope: Scope, request: SpokeEntryRequest): SpokeEntry;
}

/** A workload of the hub that opens connections to spokes, and therefore runs the plugin. */
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

export const SPOKE_ENDPOINT: ObjectKind<SpokeEndpoint> = object({
  server: text,
  certificateAuthorityData: optional(text),
  publicCertificate: optional(boolean),
});

export const SPOKE_USER: ObjectKind<SpokeUser> = object({
  subject: SUBJECT,
  user: optional(text),
  groups: list(text),
  authorized: boolean,
});

const TITLE =
  "access to a spoke: eksSpoke(), aksSpoke(), gkeSpoke(), connectGatewaySpoke(), selfManagedSpoke()";
const FACTS = { cloud: text, endpoint: SPOKE_ENDPOINT, parameters: anyObject };

export const SPOKE_FACTS: Kind<SpokeFacts> = made(TITLE, "eksSpoke(…)", FACTS);

export const SPOKE_ACCESS: Kind<ISpokeAccess<never>> = made(TITLE, "eksSpoke(…)", {
  ...FACTS,
  declare: method,
});

export const CONTROLLER_WORKLOAD: ObjectKind<ControllerWorkload> = object({
  kind: choice(["Deployment", "StatefulSet"]),
  namespace: text,
  name: text,
  container: text,
  serviceAccount: example(text, '"controller"'),
});
