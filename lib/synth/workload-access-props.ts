import type { Construct } from "constructs";
import type { Subject } from "../model/subject";
import type { IAccess, IWorkloadIdentities } from "../model/workloads";
import type { GivenIssuer } from "./issuer-of";

/** The cluster that workloads run in; the facts of `openShift()` and `kubernetes()` fit as well. */
export interface WorkloadCluster {
  /** DNS label; begins the names of roles and identities. */
  readonly name: string;
  /** Who signs the cluster's service account tokens. */
  readonly issuer: GivenIssuer;
}

/** One line of intent: this service account may do this. */
export interface Workload {
  /** `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /** What, in one or several clouds: `awsAccess()`, `azureAccess()`, `googleAccess()`. */
  readonly may: IAccess<Construct> | readonly IAccess<Construct>[];
  /**
   * Whether the manifests declare the service account. `false` for one that somebody else owns: then they hold
   * only its annotations, for server-side apply. The same for each line of one service account, and in `ImagePulls`.
   *
   * @defaultValue true
   */
  readonly declareServiceAccount?: boolean;
}

/** What the workloads of one cluster may do, and how their identities are made. */
export interface WorkloadAccessProps {
  /** The cluster. */
  readonly cluster: WorkloadCluster;
  /** Who may do what. Several lines for one service account are joined. */
  readonly workloads: readonly Workload[];
  /**
   * How each cloud's identities are made, at most one per cloud: `workloadRoles()`, `workloadIdentities()`,
   * `workloadServiceAccounts()`.
   *
   * @defaultValue - the cloud's own defaults; Azure and Google have none and say what they need
   */
  readonly identities?: readonly IWorkloadIdentities<Construct>[];
}
