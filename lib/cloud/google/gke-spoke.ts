import type { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster/index.js";
import type { DataGoogleContainerCluster } from "@cdktf/provider-google/lib/data-google-container-cluster/index.js";
import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import type { ISpokeAccess } from "../../model/fleet";
import { GKE_DEFAULT_ROLE, gkeRole } from "../../rules/google/spoke";
import { projectId } from "../../rules/google/names";
import { type ExistingGkeCluster, EXISTING_GKE_CLUSTER, GKE_CLUSTER, gkeEndpoint } from "./gke-spoke-cluster";
import { enterProject } from "./gke-spoke-entry";
import { type ObjectKind, boolean, checkGiven, either, object, optional, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Settings of {@link gkeSpoke}. */
export interface GkeSpokeProps {
  /** The cluster: declared, looked up, or described by its endpoint. */
  readonly cluster: ContainerCluster | DataGoogleContainerCluster | ExistingGkeCluster;
  /** Id of the cluster's project, literal. */
  readonly project: string;
  /**
   * Role of each controller on the project: `roles/container.clusterViewer` lets it in and leaves its rights to RBAC
   * of the spoke; `roles/container.viewer`, `.developer` and `.admin` give rights in every cluster of the project. Or a
   * custom role with `container.clusters.get`.
   *
   * @defaultValue "roles/container.clusterViewer"
   */
  readonly role?: string;
  /**
   * Reach the cluster at its DNS endpoint, which has a public certificate and asks IAM for
   * `container.clusters.connect` as well.
   *
   * @defaultValue false
   */
  readonly dnsEndpoint?: boolean;
  /**
   * Terraform provider that may set the policy of the project.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

const GKE_SPOKE_PROPS: ObjectKind<GkeSpokeProps> = object({
  cluster: either(EXISTING_GKE_CLUSTER, GKE_CLUSTER),
  project: text,
  role: optional(text),
  dnsEndpoint: optional(boolean),
  provider: optional(PROVIDER),
});

/**
 * A GKE cluster as a spoke, reached at its own endpoint.
 *
 * Declares a `RoleBinding` for each controller, once per stack, project and role; all spokes of the project share it.
 * RBAC knows a controller that acts as a Google service account by its e-mail address; the user name of a pool's
 * principal is not documented, so that those need a role that gives rights.
 *
 * Throws `google-project-invalid`, `google-role-invalid`, `google-role-basic`, `google-setting-contradicts`,
 * `late-value`; when it is declared, `google-spoke-member-invalid`, `google-mismatch`
 * and `google-policy-full`.
 */
export function gkeSpoke(props: GkeSpokeProps): ISpokeAccess<Construct> {
  checkGiven("gkeSpoke()", GKE_SPOKE_PROPS, props);
  const { cluster, role, provider } = props;
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
