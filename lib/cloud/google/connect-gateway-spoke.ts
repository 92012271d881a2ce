import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import type { ISpokeAccess } from "../../model/fleet";
import { type GatewayRoleName, GATEWAY_ROLES, gatewayServer } from "../../rules/google/spoke";
import { projectId, projectNumber } from "../../rules/google/names";
import { enterProject } from "./gke-spoke-entry";
import { type ObjectKind, boolean, checkGiven, choice, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Settings of {@link connectGatewaySpoke}. */
export interface ConnectGatewaySpokeProps {
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
   * Whether the member is a GKE cluster. In any other one, an attached OpenShift cluster say, RBAC must let the Connect
   * agent impersonate the controllers' users: it stands in the spoke's manifest, for Google service accounts alone.
   *
   * @defaultValue true
   */
  readonly gke?: boolean;
  /** What the gateway lets each controller send: reads, reads and writes, or everything. RBAC of the member decides then. */
  readonly role: GatewayRoleName;
  /**
   * Terraform provider that may set the policy of the fleet's project.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

const CONNECT_GATEWAY_SPOKE_PROPS: ObjectKind<ConnectGatewaySpokeProps> = object({
  project: text,
  projectNumber: text,
  membership: text,
  location: optional(text),
  gke: optional(boolean),
  role: choice(GATEWAY_ROLES),
  provider: optional(PROVIDER),
});

/**
 * A member of a fleet as a spoke, reached through Connect Gateway: no route to the cluster is needed, and the
 * certificate is Google's.
 *
 * Declares a `RoleBinding` for each controller, once per stack, project and role. Rights come from RBAC of the member,
 * which knows a controller that acts as a Google service account by its e-mail address.
 *
 * Throws `google-project-invalid`, `google-project-number-invalid`, `google-membership-invalid`,
 * `late-value`; when it is declared, `google-spoke-member-invalid`, `google-unknown`,
 * `google-mismatch` and `google-policy-full`.
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
