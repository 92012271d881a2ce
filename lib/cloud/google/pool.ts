import { IamWorkloadIdentityPool } from "@cdktf/provider-google/lib/iam-workload-identity-pool/index.js";
import { type ITerraformDependable, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  checkProps,
  made,
  method,
  object,
  optional,
  text,
} from "../../model/shape";
import type { Subject } from "../../model/subject";
import { projectId, projectNumber, workloadIdentityId, refuseTaken } from "../../rules/google/names";
import { managedPoolId, managedSubject, poolPath, renderPrincipal } from "../../rules/google/provider";
import { shortText } from "../../rules/google/text";
import { optionalTerraformText } from "../../rules/terraform-text";
import { withinStack } from "../shared/across-stacks";
import { keepNames } from "../shared/kept-names";
import { PerApp } from "../shared/per-scope";
import { type AdoptableProps, ADOPTABLE_PROPS } from "./props";

/** The full name of a workload identity pool. */
export interface PoolName {
  /** Id of the project that owns the pool. */
  readonly project: string;
  /** Id of the pool. */
  readonly poolId: string;
}

/** Turns service accounts into IAM principals: an OIDC provider of a custom pool, or the pool of GKE and fleet. */
export interface IPrincipals {
  /** The pool whose principals they are; literal. */
  readonly pool: PoolName;
  /** The audience of the service account tokens; always literal. */
  readonly audience: string;
  /** What must exist before a principal is used in a policy; empty for an existing pool. */
  readonly dependencies: readonly ITerraformDependable[];
  /** Admits the tokens of these service accounts; may be called at any time before synthesis. */
  addSubjects(subjects: readonly Subject[]): void;
  /** IAM policy member of one service account; late when the project number is. */
  principal(subject: Subject): string;
}

export const PRINCIPALS: Kind<IPrincipals> = made(
  "whose principals are meant: an OidcProvider, or WorkloadIdentityPool.fleet(…)",
  "WorkloadIdentityPool.fleet(…)",
  { addSubjects: method, principal: method },
);

/** Identifies the managed pool of a project. */
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
 * `<project>.svc.id.goog`. It already exists, so nothing is declared, and it cannot get pool providers or conditions.
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

/** A workload identity pool that can have pool providers: declared, or existing. */
export interface IWorkloadIdentityPool {
  /** Id of the project that owns the pool. */
  readonly project: string;
  /** Number of that project, as text; principals and audiences name it. May be late. */
  readonly projectNumber: string;
  /** Id of the pool; literal. */
  readonly poolId: string;
  /** The pool as a pool provider refers to it: a Terraform reference when declared here, the id otherwise. */
  readonly poolReference: string;
  /** What must exist before the pool is used; empty for an existing one that no part of the app declares. */
  readonly dependencies: readonly ITerraformDependable[];
}

export const WORKLOAD_IDENTITY_POOL: Kind<IWorkloadIdentityPool> = made(
  "a pool: new WorkloadIdentityPool(…), WorkloadIdentityPool.fromPoolId(…)",
  "WorkloadIdentityPool.fromPoolId(…)",
  { project: text, projectNumber: text, poolId: text, poolReference: text },
);

/** Identifies a workload identity pool. */
export interface WorkloadIdentityPoolAttributes {
  /** Id of the project that owns the pool. */
  readonly project: string;
  /** Number of that project, as text: `"123456789012"`. May be late; then an audience must be stated elsewhere. */
  readonly projectNumber: string;
  /** Id of the pool: 4 to 32 of a-z, 0-9 and -, not starting with `gcp-`. */
  readonly poolId: string;
}

const WORKLOAD_IDENTITY_POOL_ATTRIBUTES: ObjectKind<WorkloadIdentityPoolAttributes> = object({
  project: text,
  projectNumber: text,
  poolId: text,
});

/** A workload identity pool to declare. */
export interface PullPoolProps {
  /** Id of the pool: 4 to 32 of a-z, 0-9 and -, not starting with `gcp-`. */
  readonly poolId: string;
  /**
   * Name for people, at most 32 characters.
   *
   * @defaultValue - none
   */
  readonly displayName?: string;
  /**
   * Description, at most 256 characters.
   *
   * @defaultValue - none
   */
  readonly description?: string;
}

export const PULL_POOL_PROPS: ObjectKind<PullPoolProps> = object({
  poolId: text,
  displayName: optional(text),
  description: optional(text),
});

/** Settings of a {@link WorkloadIdentityPool}. */
export interface WorkloadIdentityPoolProps
  extends WorkloadIdentityPoolAttributes, PullPoolProps, AdoptableProps {}

const WORKLOAD_IDENTITY_POOL_PROPS: ObjectKind<WorkloadIdentityPoolProps> = object({
  ...WORKLOAD_IDENTITY_POOL_ATTRIBUTES.shape,
  ...PULL_POOL_PROPS.shape,
  ...ADOPTABLE_PROPS.shape,
});

const DISPLAY_NAME_MAX = 32;
const DESCRIPTION_MAX = 256;
const ELSEWHERE =
  "within a stack use WorkloadIdentityPool.forPoolId, which declares a pool once and returns it to every caller; in another stack give that construct as `pool`, or its pool provider as `oidcProvider`, or adopt it with WorkloadIdentityPool.fromPoolId; another cluster of the same name needs a namePrefix or its own poolId";

/** The pools that an app declares, by project and id: a project has each once, whatever the stack. */
const declared = new PerApp<WorkloadIdentityPool>();

/**
 * A workload identity pool: the namespace in which tokens of outside issuers become IAM principals.
 *
 * Use one pool per cluster: principals do not name the issuer, so two clusters in one pool share them: `shop/web` of
 * one is also `shop/web` of the other.
 *
 * A deleted pool keeps its id for 30 days. `terraform destroy` followed by `apply` therefore ends with status 409;
 * undelete the pool (`gcloud iam workload-identity-pools undelete`) and import it, adopt it with {@link
 * WorkloadIdentityPool.fromPoolId}, or take another id. `pool.resource.lifecycle = { preventDestroy: true }` guards
 * against it.
 *
 * Limits: REST reference of projects.locations.workloadIdentityPools.
 */
export class WorkloadIdentityPool extends Construct implements IWorkloadIdentityPool {
  /** Id of the project that owns the pool. */
  readonly project: string;
  /** Number of that project, as text. */
  readonly projectNumber: string;
  /** Id of the pool. */
  readonly poolId: string;
  /** Reference to the declared pool. */
  readonly poolReference: string;
  /** The declared pool. */
  readonly dependencies: readonly ITerraformDependable[];
  /** The Terraform resource. */
  readonly resource: IamWorkloadIdentityPool;

  constructor(scope: Construct, id: string, props: WorkloadIdentityPoolProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_IDENTITY_POOL_PROPS, props);
    const { project, projectNumber: number, poolId } = checkAttributes(props);
    const what = "workload identity pool";
    const displayName = shortText(`display name of a ${what}`, props.displayName, DISPLAY_NAME_MAX);
    const description = shortText(`description of a ${what}`, props.description, DESCRIPTION_MAX);
    const key = keyOf(props);
    const holder = declared.get(scope, key);
    if (holder) refuseTaken(what, poolId, holder.node.path, ELSEWHERE);
    super(scope, id);
    declared.set(this, key, this);
    this.resource = new IamWorkloadIdentityPool(this, "Resource", {
      project,
      workloadIdentityPoolId: poolId,
      displayName: optionalTerraformText(displayName),
      description: optionalTerraformText(description),
      provider: props.provider,
    });
    keepNames(this.resource, {
      names: { workload_identity_pool_id: poolId, project },
      statedBy: "poolId, or namePrefix; project",
    });
    if (props.adopt) this.resource.importFrom(poolPath(project, poolId), props.provider);
    this.project = project;
    this.projectNumber = number;
    this.poolId = poolId;
    this.poolReference = this.resource.workloadIdentityPoolId;
    this.dependencies = [this.resource];
  }

  /** Returns an existing pool; nothing is declared. If another stack of the app declares it, this one waits for it. */
  static fromPoolId(
    scope: Construct,
    id: string,
    attributes: WorkloadIdentityPoolAttributes,
  ): IWorkloadIdentityPool {
    checkProps("WorkloadIdentityPool.fromPoolId()", scope, id, WORKLOAD_IDENTITY_POOL_ATTRIBUTES, attributes);
    return new AdoptedWorkloadIdentityPool(scope, id, attributes);
  }

  /** Returns the managed pool of a project's GKE clusters and fleet; nothing is declared. */
  static fleet(props: ManagedPoolProps): ManagedPool {
    return new ManagedPool(props);
  }

  /** Returns the stack's pool of this project and id, declared at the first call. */
  static forPoolId(scope: Construct, props: WorkloadIdentityPoolProps): WorkloadIdentityPool {
    checkGiven("WorkloadIdentityPool.forPoolId()", WORKLOAD_IDENTITY_POOL_PROPS, props);
    const { project, poolId } = checkAttributes(props);
    const stack = TerraformStack.of(scope);
    const existing = declared.get(scope, keyOf(props));
    // The constructor refuses a pool of another stack.
    if (!existing || !sameStack(existing, stack))
      return new WorkloadIdentityPool(stack, `workload-identity-pool_${project}_${poolId}`, props);
    const { resource } = existing;
    const settings: readonly (readonly [string, unknown, unknown])[] = [
      ["projectNumber", existing.projectNumber, props.projectNumber],
      ["displayName", resource.displayNameInput, optionalTerraformText(props.displayName)],
      ["description", resource.descriptionInput, optionalTerraformText(props.description)],
      ["provider", resource.provider, props.provider],
    ];
    const differs = settings.find(([, before, now]) => before !== now);
    return differs
      ? fail("google-conflict", {
          problem: `workload identity pool is already declared in this stack with another ${differs[0]}`,
          value: poolId,
          remedy: "declare the pool once and pass the construct to everything that uses it",
        })
      : existing;
  }
}

class AdoptedWorkloadIdentityPool extends Construct implements IWorkloadIdentityPool {
  readonly project: string;
  readonly projectNumber: string;
  readonly poolId: string;
  readonly poolReference: string;
  readonly dependencies: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, attributes: WorkloadIdentityPoolAttributes) {
    const { project, projectNumber: number, poolId } = checkAttributes(attributes);
    super(scope, id);
    this.dependencies = declared.get(this, keyOf(attributes))?.dependencies ?? [];
    // The id is literal, and no reference would tell the order of two stacks.
    withinStack(this, this.dependencies);
    this.project = project;
    this.projectNumber = number;
    this.poolId = poolId;
    this.poolReference = poolId;
  }
}

function keyOf({ project, poolId }: WorkloadIdentityPoolAttributes): string {
  return `${project}/${poolId}`;
}

function checkAttributes(attributes: WorkloadIdentityPoolAttributes): WorkloadIdentityPoolAttributes {
  return {
    project: projectId(attributes.project),
    projectNumber: projectNumber(attributes.projectNumber),
    poolId: workloadIdentityId("pool", attributes.poolId),
  };
}

export function sameStack(one: Construct, other: Construct): boolean {
  return TerraformStack.of(one) === TerraformStack.of(other);
}
