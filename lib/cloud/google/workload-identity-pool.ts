import { IamWorkloadIdentityPool } from "@cdktf/provider-google/lib/iam-workload-identity-pool/index.js";
import { type ITerraformDependable, type TerraformProvider, TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { projectId, projectNumber, workloadIdentityId } from "../../rules/google/names";
import { poolPath } from "../../rules/google/provider";
import { shortText } from "../../rules/google/text";
import { optionalTerraformText } from "../../rules/terraform-text";
import { withinStack } from "../shared/across-stacks";
import { keepNames } from "../shared/kept-names";
import { PerApp } from "../shared/per-app";
import { type ManagedPoolProps, ManagedPool } from "./managed-pool";
import { sameStack } from "./pool-siblings";
import {
  type Kind,
  type ObjectKind,
  boolean,
  checkGiven,
  checkProps,
  like,
  object,
  optional,
  text,
} from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** A workload identity pool that takes pool providers: declared, or existing. */
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

/** The kind of an {@link IWorkloadIdentityPool}. */
export const WORKLOAD_IDENTITY_POOL: Kind<IWorkloadIdentityPool> = like(
  "a pool: new WorkloadIdentityPool(…), WorkloadIdentityPool.fromPoolId(…)",
  { project: text, projectNumber: text, poolId: text, poolReference: text },
);

/** Where a workload identity pool is. */
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

/** Settings of a {@link WorkloadIdentityPool}. */
export interface WorkloadIdentityPoolProps extends WorkloadIdentityPoolAttributes {
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
  /**
   * The pool exists already: a Terraform `import` block takes it into the state, so that it is changed and not made.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * Terraform provider of the resource.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

const WORKLOAD_IDENTITY_POOL_PROPS: ObjectKind<WorkloadIdentityPoolProps> = object({
  ...WORKLOAD_IDENTITY_POOL_ATTRIBUTES.shape,
  displayName: optional(text),
  description: optional(text),
  adopt: optional(boolean),
  provider: optional(PROVIDER),
});

const DISPLAY_NAME_MAX = 32;
const DESCRIPTION_MAX = 256;

/** The pools that an app declares, by project and id: a project has each once, whatever the stack. */
const declared = new PerApp<WorkloadIdentityPool>();

/**
 * A workload identity pool: the namespace in which tokens of outside issuers become IAM principals.
 *
 * Use one pool per cluster: principals do not name the issuer, so that two clusters in one pool share them, and
 * `shop/web` of one is `shop/web` of the other.
 *
 * A deleted pool keeps its id for 30 days. `terraform destroy` followed by `apply` therefore ends with status 409;
 * undelete the pool (`gcloud iam workload-identity-pools undelete`) and import it, adopt it with
 * {@link WorkloadIdentityPool.fromPoolId}, or take another id. `pool.resource.lifecycle = { preventDestroy: true }`
 * guards against it.
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

  /**
   * Throws `google-project-invalid`, `google-project-number-invalid`, `google-workload-identity-id-invalid`,
   * `name-too-long`, and `google-pool-taken` where the app declares the pool already.
   */
  constructor(scope: Construct, id: string, props: WorkloadIdentityPoolProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_IDENTITY_POOL_PROPS, props);
    const { project, projectNumber: number, poolId } = checkAttributes(props);
    const displayName = shortText(
      "display name of a workload identity pool",
      props.displayName,
      DISPLAY_NAME_MAX,
    );
    const description = shortText(
      "description of a workload identity pool",
      props.description,
      DESCRIPTION_MAX,
    );
    const key = keyOf(props);
    const holder = declared.get(scope, key);
    if (holder) fail("google-pool-taken", poolId, holder.node.path);
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

  /**
   * An existing pool; nothing is declared. Where another stack of the app declared it before, this one comes after.
   *
   * Throws what the constructor throws for these settings.
   */
  static fromPoolId(
    scope: Construct,
    id: string,
    attributes: WorkloadIdentityPoolAttributes,
  ): IWorkloadIdentityPool {
    checkProps("WorkloadIdentityPool.fromPoolId()", scope, id, WORKLOAD_IDENTITY_POOL_ATTRIBUTES, attributes);
    return new AdoptedWorkloadIdentityPool(scope, id, attributes);
  }

  /** The pool that GKE and the fleet of a project bring along; nothing is declared. Throws like {@link ManagedPool}. */
  static fleet(props: ManagedPoolProps): ManagedPool {
    return new ManagedPool(props);
  }

  /**
   * The pool of that project and id in the stack, declared at the first call.
   *
   * Throws `google-pool-conflict` when it was declared with other settings, and `google-pool-taken` when another stack
   * declares it.
   */
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
    return differs ? fail("google-pool-conflict", poolId, differs[0]) : existing;
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
