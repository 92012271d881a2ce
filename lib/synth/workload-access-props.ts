import type { Construct } from "constructs";
import { type Subject, SUBJECT } from "../model/subject";
import { type IAccess, type IWorkloadIdentities, ACCESS, WORKLOAD_IDENTITIES } from "../model/workloads";
import { type GivenIssuer, ISSUER } from "../model/issuer";
import {
  type Kind,
  type ObjectKind,
  boolean,
  either,
  like,
  list,
  object,
  optional,
  text,
} from "../model/shape";

/** The cluster that workloads run in; the facts of `openShift()` and `kubernetes()` fit as well. */
export interface WorkloadCluster {
  /** DNS label; begins the names of roles and identities. */
  readonly name: string;
  /** Who signs the cluster's service account tokens. */
  readonly issuer: GivenIssuer;
}

const WORKLOAD_CLUSTER: Kind<WorkloadCluster> = like("a cluster, by name and issuer", {
  name: text,
  issuer: ISSUER,
});

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

const WORKLOAD: ObjectKind<Workload> = object({
  serviceAccount: SUBJECT,
  may: either(ACCESS, list(ACCESS)),
  declareServiceAccount: optional(boolean),
});

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
  /**
   * Whether `app.synth()` ends with an error where the verifier finds, in the files that were written, that a cloud
   * would refuse a workload.
   * With `false` they are written whatever they hold. The app's context
   * `cdktf-workload-identity/proof` with `false`, or cdktf's `skipValidation`, leaves it out for all.
   *
   * @defaultValue true
   */
  readonly proof?: boolean;
}

/** The kind of {@link WorkloadAccessProps}. */
export const WORKLOAD_ACCESS_PROPS: ObjectKind<WorkloadAccessProps> = object({
  cluster: WORKLOAD_CLUSTER,
  workloads: list(WORKLOAD),
  identities: optional(list(WORKLOAD_IDENTITIES)),
  proof: optional(boolean),
});
