import type { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import type { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import { type TerraformProvider, Annotations, TerraformStack } from "cdktf";
import type { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { AccessPrincipal } from "../../model/access-principal";
import type {
  ISpokeAccess,
  SpokeEndpoint,
  SpokeEntry,
  SpokeEntryRequest,
  SpokeUser,
} from "../../model/fleet";
import { isLate } from "../../model/late";
import {
  type Kind,
  type ObjectKind,
  boolean,
  checkGiven,
  choice,
  either,
  object,
  optional,
  text,
} from "../../model/shape";
import type { AccessGrant } from "../../model/workloads";
import { projectId, projectNumber, refuseUnused } from "../../rules/google/names";
import {
  type GatewayRoleName,
  type GkeRole,
  GATEWAY_ROLES,
  GKE_DEFAULT_ROLE,
  agentImpersonation,
  gatewayServer,
  gkeRole,
  gkeServer,
  rbacUser,
} from "../../rules/google/spoke";
import { stableHash } from "../../rules/names";
import { withinStack } from "../shared/across-stacks";
import { elementOf } from "../shared/kinds";
import { checkCluster } from "./place";
import { RoleBinding } from "./role";
import { type DeclaredProps, DECLARED_PROPS } from "./props";

/** A GKE cluster described by its endpoint. */
export interface ExistingGkeCluster {
  /** Address of the control plane, as Google shows it without `https://`, or a URL; may be late. */
  readonly endpoint: string;
  /**
   * Base64 of the PEM certificate, `masterAuth.clusterCaCertificate`; may be late.
   *
   * @defaultValue - none; only allowed with the DNS endpoint
   */
  readonly clusterCaCertificate?: string;
}

/** The kind of {@link ExistingGkeCluster}. */
export const EXISTING_GKE_CLUSTER: ObjectKind<ExistingGkeCluster> = object({
  endpoint: text,
  clusterCaCertificate: optional(text),
});

type GkeCluster = ContainerCluster | DataGoogleContainerCluster | ExistingGkeCluster;

/** Where a cluster is that is declared, looked up, or described. Of `master_auth` the one public attribute is read. */
export function gkeEndpoint(cluster: GkeCluster, dnsEndpoint: boolean): SpokeEndpoint {
  if (dnsEndpoint) return { server: gkeServer(dnsNameOf(cluster)), publicCertificate: true };
  const certificate = certificateOf(cluster);
  return {
    server: gkeServer(cluster.endpoint),
    ...(certificate !== undefined && { certificateAuthorityData: certificate }),
  };
}

function dnsNameOf(cluster: GkeCluster): string {
  if (isDeclared(cluster)) return cluster.controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint;
  if ("masterAuth" in cluster)
    return cluster.controlPlaneEndpointsConfig.get(0).dnsEndpointConfig.get(0).endpoint;
  return cluster.clusterCaCertificate === undefined
    ? cluster.endpoint
    : refuseUnused("clusterCaCertificate", "with dnsEndpoint");
}

function certificateOf(cluster: GkeCluster): string | undefined {
  if (isDeclared(cluster)) return cluster.masterAuth.clusterCaCertificate;
  return "masterAuth" in cluster
    ? cluster.masterAuth.get(0).clusterCaCertificate
    : cluster.clusterCaCertificate;
}

function isDeclared(cluster: GkeCluster): cluster is ContainerCluster {
  return "masterAuthInput" in cluster;
}

export const GKE_CLUSTER: Kind<ContainerCluster | DataGoogleContainerCluster> = elementOf(
  "a ContainerCluster or DataGoogleContainerCluster",
  "google_container_cluster",
);

/** Settings of {@link gkeSpoke}. */
export interface GkeSpokeProps extends DeclaredProps {
  /** The cluster: declared, looked up, or described by its endpoint. */
  readonly cluster: ContainerCluster | DataGoogleContainerCluster | ExistingGkeCluster;
  /** Id of the cluster's project, literal. */
  readonly project: string;
  /**
   * Role of each controller on the project: `roles/container.clusterViewer` only admits it, and RBAC of the spoke gives
   * its rights; `roles/container.viewer`, `.developer` and `.admin` give rights in every cluster of the project. Or a
   * custom role with `container.clusters.get`.
   *
   * @defaultValue "roles/container.clusterViewer"
   */
  readonly role?: string;
  /**
   * Whether to use the cluster's DNS endpoint, which has a public certificate and also needs the IAM permission
   * `container.clusters.connect`.
   *
   * @defaultValue false
   */
  readonly dnsEndpoint?: boolean;
}

const GKE_SPOKE_PROPS: ObjectKind<GkeSpokeProps> = object({
  ...DECLARED_PROPS.shape,
  cluster: either(EXISTING_GKE_CLUSTER, GKE_CLUSTER),
  project: text,
  role: optional(text),
  dnsEndpoint: optional(boolean),
});

/**
 * Returns a GKE cluster as a spoke, reached at its own endpoint.
 *
 * Declares a `RoleBinding` for each controller, once per stack, project and role; all spokes of the project share it.
 * In RBAC the user of a controller with a Google service account is its e-mail address; the user name of a pool's
 * principal is not documented, so such a controller needs a role that gives rights.
 */
export function gkeSpoke(props: GkeSpokeProps): ISpokeAccess<Construct> {
  checkGiven("gkeSpoke()", GKE_SPOKE_PROPS, props);
  const { cluster, project, role, provider } = props;
  if ("masterAuth" in cluster) checkCluster(cluster, { project });
  const entry = { ...gkeRole(role ?? GKE_DEFAULT_ROLE), project: projectId(props.project), provider };
  return {
    cloud: "google",
    endpoint: gkeEndpoint(cluster, props.dnsEndpoint ?? false),
    parameters: {},
    project: entry.project,
    authorizes: entry.authorizes,
    declare: (scope, request) => enterProject(scope, request, entry),
  };
}

/** Settings of {@link connectGatewaySpoke}. */
export interface ConnectGatewaySpokeProps extends DeclaredProps {
  /** Id of the fleet's project, literal. */
  readonly project: string;
  /** Number of the fleet's project, as text; may be late. */
  readonly projectNumber: string;
  /** Name of the membership, literal. */
  readonly membership: string;
  /**
   * Location of the membership: a region, or `global`.
   *
   * @defaultValue "global"
   */
  readonly location?: string;
  /**
   * Whether the member is a GKE cluster. In any other, for example an attached OpenShift cluster, RBAC must allow the
   * Connect agent to impersonate the controllers' users: it is written to the spoke's manifest, only for Google service
   * accounts.
   *
   * @defaultValue true
   */
  readonly gke?: boolean;
  /** Requests that the gateway passes on: reads, reads and writes, or everything. RBAC of the member then decides. */
  readonly role: GatewayRoleName;
}

const CONNECT_GATEWAY_SPOKE_PROPS: ObjectKind<ConnectGatewaySpokeProps> = object({
  ...DECLARED_PROPS.shape,
  project: text,
  projectNumber: text,
  membership: text,
  location: optional(text),
  gke: optional(boolean),
  role: choice(GATEWAY_ROLES),
});

/**
 * Returns a member of a fleet as a spoke, reached through Connect Gateway: it needs no route to the cluster, and the
 * certificate is Google's.
 *
 * Declares a `RoleBinding` for each controller, once per stack, project and role. Rights come from RBAC of the member,
 * in which the user of a controller with a Google service account is its e-mail address.
 */
export function connectGatewaySpoke(props: ConnectGatewaySpokeProps): ISpokeAccess<Construct> {
  checkGiven("connectGatewaySpoke()", CONNECT_GATEWAY_SPOKE_PROPS, props);
  const { membership, location = "global", gke = true, provider, role } = props;
  const entry = {
    role,
    authorizes: false,
    project: projectId(props.project),
    provider,
    impersonated: !gke,
  };
  const number = projectNumber(props.projectNumber);
  const server = gatewayServer({ projectNumber: number, location, membership, gke });
  return {
    cloud: "google",
    endpoint: { server, publicCertificate: true },
    parameters: {},
    project: entry.project,
    projectNumber: number,
    declare: (scope, request) => enterProject(scope, request, entry),
  };
}

export interface ProjectEntry extends GkeRole {
  readonly project: string;
  /** Terraform provider that sets the project's policy; `undefined` for the stack's default one. */
  readonly provider: TerraformProvider | undefined;
  /** True where the Connect agent of a member that is not a GKE cluster must impersonate the controllers. */
  readonly impersonated?: boolean;
}

const POOL_PRINCIPAL = "principal://";

export function enterProject(scope: Construct, request: SpokeEntryRequest, entry: ProjectEntry): SpokeEntry {
  const { spoke, controllers } = request;
  const members = at({ node: { path: `spoke ${spoke}` } }, () =>
    controllers.map((grant) => [grant, memberOf(grant)] as const),
  );
  const users = members.map(([{ subject }, { name }]): SpokeUser => {
    const user = rbacUser(name);
    return { subject, ...(user !== undefined && { user }), groups: [], authorized: entry.authorizes };
  });
  const agent = entry.impersonated === true ? impersonation(request, users) : {};
  for (const [grant, principal] of members) bind(scope, grant, principal, entry);
  const nameless = users.filter(({ user, authorized }) => user === undefined && !authorized);
  if (nameless.length > 0) Annotations.of(scope).addWarning(namelessWarning(spoke, nameless));
  return { users, ...agent };
}

/** The Connect agent's right to act as the controllers' users, which members outside of GKE do not give it. */
function impersonation(
  { hub, spoke }: SpokeEntryRequest,
  users: readonly SpokeUser[],
): Pick<SpokeEntry, "objects" | "comment"> {
  const objects = users.flatMap(({ subject, user }) =>
    agentImpersonation(
      `connect-agent:${hub}:${subject.namespace}:${subject.name}`,
      user ??
        fail("google-unknown", {
          problem: `the Connect agent of spoke ${spoke} must be allowed to impersonate the user of ${subject.key}, but its name is not known at synth`,
          value: subject.key,
          allowed: "a Google service account in a literal project",
          remedy: "use Google service accounts: workloadServiceAccounts() without impersonate: false",
        }),
    ),
  );
  return { objects, comment: ["The Connect agent of the member must run in the namespace gke-connect."] };
}

function bind(
  scope: Construct,
  { subject }: AccessGrant,
  { name, dependencies }: AccessPrincipal,
  { project, role, authorizes, provider }: ProjectEntry,
): void {
  const stack = TerraformStack.of(scope);
  const shortRole = role.slice(role.lastIndexOf("/") + 1);
  const who = isLate(name) ? [] : [stableHash([name, role])];
  const id = ["spokes", project, shortRole, subject.namespace, subject.name, ...who].join("_");
  const known = stack.node.tryFindChild(id) !== undefined;
  const binding = RoleBinding.once(stack, id, {
    project,
    role,
    member: name,
    dependencies: withinStack(scope, dependencies),
    ...(provider && { provider }),
  });
  if (binding.resource.provider !== provider)
    fail("google-mismatch", {
      problem: `two spokes of project ${project} give ${subject.key} ${role} through different Terraform providers, but share one binding`,
      value: project,
      allowed: "one `provider` for all spokes of a project",
      remedy: "pass the same provider to both",
    });
  if (authorizes && !known)
    Annotations.of(binding).addWarning(
      `${role} of ${subject.key} applies to every cluster of project ${project}; with roles/container.clusterViewer and RBAC it would have rights only in the spokes`,
    );
}

function memberOf({ subject, identity, principal }: AccessGrant): AccessPrincipal {
  if (principal !== undefined) return principal;
  const direct = !isLate(identity) && identity.startsWith(POOL_PRINCIPAL);
  if (direct) return { name: identity, dependencies: [] };
  if (isLate(identity) || !identity.includes("@"))
    return fail("google-invalid", {
      problem: `identity of controller ${subject.key} cannot be named in a policy of Google Cloud`,
      value: identity,
      allowed: "the e-mail address of a Google service account, or principal://iam.googleapis.com/…",
      remedy:
        "declare the identities with workloadServiceAccounts(), or state the member as `principal.name`",
    });
  return { name: `serviceAccount:${identity}`, dependencies: [] };
}

function namelessWarning(spoke: string, users: readonly SpokeUser[]): string {
  const who = users.map(({ subject }) => subject.key).join(", ");
  return `RBAC of spoke ${spoke} must give rights to ${who}, but Google does not document the user name of a pool's principal: use Google service accounts (workloadServiceAccounts() without impersonate: false), whose user is the e-mail address`;
}
