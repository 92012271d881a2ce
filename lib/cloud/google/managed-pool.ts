import type { ITerraformDependable } from "cdktf";
import type { Subject } from "../../model/subject";
import { projectId, projectNumber } from "../../rules/google/names";
import { managedPoolId, managedSubject, renderPrincipal } from "../../rules/google/provider";
import type { IPrincipals, PoolName } from "./principals";
import { type ObjectKind, checkGiven, object, text } from "../../model/shape";

/** Whose managed pool it is. */
export interface ManagedPoolProps {
  /** Id of the GKE clusters' project, or of the fleet's host project. */
  readonly project: string;
  /** Number of that project, as text; may be late. */
  readonly projectNumber: string;
}

const MANAGED_POOL_PROPS: ObjectKind<ManagedPoolProps> = object({
  project: text,
  projectNumber: text,
});

/**
 * The workload identity pool that Google keeps for the GKE clusters and the fleet of a project:
 * `<project>.svc.id.goog`. Exists already; nothing is declared, and it takes no pool provider or condition of ours.
 *
 * All clusters of the project or fleet share its principals: `shop/web` of one cluster is `shop/web` of every other
 * (https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity, "identity sameness").
 */
export class ManagedPool implements IPrincipals {
  /** Id of the project. */
  readonly project: string;
  /** Number of the project, as text. */
  readonly projectNumber: string;
  /** `<project>.svc.id.goog`. */
  readonly poolId: string;
  /** Project and id of the pool. */
  readonly pool: PoolName;
  /** The pool's id is also the audience of its tokens. */
  readonly audience: string;
  /** Empty: the pool exists. */
  readonly dependencies: readonly ITerraformDependable[] = [];

  /** Throws `google-project-invalid` or `google-project-number-invalid`. */
  constructor(props: ManagedPoolProps) {
    checkGiven(new.target.name, MANAGED_POOL_PROPS, props);
    this.project = projectId(props.project);
    this.projectNumber = projectNumber(props.projectNumber);
    this.poolId = managedPoolId(this.project);
    this.pool = { project: this.project, poolId: this.poolId };
    this.audience = this.poolId;
  }

  /** Does nothing: the pool admits each service account of its clusters. */
  addSubjects(_subjects: readonly Subject[]): void {}

  /** `principal://…/<project>.svc.id.goog/subject/ns/<namespace>/sa/<name>`. */
  principal(subject: Subject): string {
    return renderPrincipal(this, { kind: "subject", subject: managedSubject(subject) });
  }
}
