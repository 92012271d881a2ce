import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member/index.js";
import type { TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { SUBJECT, Subject } from "../../model/subject";
import { checkPolicySize } from "../../rules/google/permission";
import { waitFor } from "../shared/across-stacks";
import { PerStack } from "../shared/per-stack";
import { type ArtifactRegistryRepository, ARTIFACT_REGISTRY_REPOSITORY } from "./artifact-registry";
import { type IPrincipals, PRINCIPALS } from "./principals";
import { type ObjectKind, checkGiven, checkProps, object, optional } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Settings of a {@link PullBinding}. */
export interface PullBindingProps {
  /** The repository, from `artifactRegistry()` or `gcrRepository()`. */
  readonly repository: ArtifactRegistryRepository;
  /** Who may pull, as `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /** The OIDC provider that trusts the cluster, or `WorkloadIdentityPool.fleet(…)` for GKE and fleet clusters. */
  readonly principals: IPrincipals;
  /**
   * Terraform provider of the resource; must be allowed to set the IAM policy of the repository.
   *
   * @defaultValue - the stack's default google provider
   */
  readonly provider?: TerraformProvider;
}

const PULL_BINDING_PROPS: ObjectKind<PullBindingProps> = object({
  repository: ARTIFACT_REGISTRY_REPOSITORY,
  serviceAccount: SUBJECT,
  principals: PRINCIPALS,
  provider: optional(PROVIDER),
});

const ROLE = "roles/artifactregistry.reader";

/** The bindings of a stack, by repository and by principal. */
const bindings = new PerStack<Map<string, PullBinding>>();

/**
 * Lets one service account pull from one repository: `roles/artifactregistry.reader` for its principal, added to the
 * repository's policy without touching other members.
 *
 * Follows the pool provider, so that no principal is granted before its issuer and condition are in force. A
 * repository's policy holds at most 1,500 principals (https://cloud.google.com/iam/quotas); those of the stack are
 * counted.
 */
export class PullBinding extends Construct {
  /** The IAM policy member. */
  readonly member: string;
  /** The Terraform resource. */
  readonly resource: ArtifactRegistryRepositoryIamMember;

  /**
   * Throws `subject-invalid`, `google-principals-too-many`, what the principals throw, and `google-binding-taken` where
   * the stack has the binding already; {@link PullBinding.forServiceAccount} shares it.
   */
  constructor(scope: Construct, id: string, props: PullBindingProps) {
    checkProps(new.target.name, scope, id, PULL_BINDING_PROPS, props);
    const { principals, repository, provider } = props;
    const holders = bindingsOn(scope, repository);
    const member = memberOf(props);
    const holder = holders.get(member);
    if (holder) fail("google-binding-taken", ROLE, member, holder.node.path, "PullBinding.forServiceAccount");
    checkRepositoryPolicy(repositoryKey(repository), holders.size + 1);
    super(scope, id);
    this.resource = new ArtifactRegistryRepositoryIamMember(this, "Resource", {
      project: repository.project,
      location: repository.location,
      repository: repository.repository,
      role: ROLE,
      member,
      provider,
    });
    waitFor(this.resource, principals.dependencies);
    this.member = member;
    holders.set(member, this);
  }

  /**
   * The stack's binding of a service account and repository, declared in the scope at the first call. Clusters that
   * share a pool share principals, and a binding declared twice would be taken away when one of the two is.
   */
  static forServiceAccount(scope: Construct, props: PullBindingProps): PullBinding {
    checkGiven("PullBinding.forServiceAccount()", PULL_BINDING_PROPS, props);
    const { repository, principals } = props;
    const { namespace, name } = Subject.of(props.serviceAccount);
    const existing = bindingsOn(scope, repository).get(memberOf(props));
    if (existing) return existing;
    const { project, poolId } = principals.pool;
    const pool = project === repository.project ? [poolId] : [project, poolId];
    // Underscores occur in no name of Kubernetes or Google; the prefix keeps digits from starting a Terraform name.
    const parts = [namespace, name, repository.location, repository.repository, repository.project];
    return new PullBinding(scope, ["pull", ...parts, ...pool].join("_"), props);
  }
}

function memberOf({ principals, serviceAccount }: PullBindingProps): string {
  const subject = Subject.of(serviceAccount);
  principals.addSubjects([subject]);
  return principals.principal(subject);
}

/** The full name of a repository, as Artifact Registry's API writes it. */
export function repositoryKey({ location, repository, project }: ArtifactRegistryRepository): string {
  return `projects/${project}/locations/${location}/repositories/${repository}`;
}

/** Checks how many principals the policy of a repository would name. */
export function checkRepositoryPolicy(key: string, count: number): void {
  checkPolicySize(
    `repository ${key}`,
    count,
    "split the images over several repositories, each for fewer service accounts; a principalSet for a whole namespace is never written here, since it admits every service account of the namespace",
  );
}

function bindingsOn(scope: Construct, repository: ArtifactRegistryRepository): Map<string, PullBinding> {
  const key = repositoryKey(repository);
  return bindings.get(scope, key) ?? bindings.set(scope, key, new Map());
}
