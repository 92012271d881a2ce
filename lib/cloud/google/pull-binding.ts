import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member/index.js";
import type { TerraformProvider } from "cdktf";
import { Construct } from "constructs";
import { Subject } from "../../model/subject";
import { dependsOn } from "../shared/references";
import { PerStack } from "../shared/per-stack";
import type { ArtifactRegistryRepository } from "./artifact-registry";
import type { IPrincipals } from "./principals";

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

const ROLE = "roles/artifactregistry.reader";

/** The bindings of a stack, by principal and repository. */
const bindings = new PerStack<PullBinding>();

/**
 * Lets one service account pull from one repository: `roles/artifactregistry.reader` for its principal, added to the
 * repository's policy without touching other members.
 *
 * Follows the pool provider, so that no principal is granted before its issuer and condition are in force. A
 * repository's policy holds at most 1,500 principals (https://cloud.google.com/iam/quotas).
 */
export class PullBinding extends Construct {
  /** The IAM policy member. */
  readonly member: string;
  /** The Terraform resource. */
  readonly resource: ArtifactRegistryRepositoryIamMember;

  /** Throws `subject-invalid` and what the principals throw. */
  constructor(scope: Construct, id: string, props: PullBindingProps) {
    const { principals, repository, provider } = props;
    const member = memberOf(props);
    super(scope, id);
    this.resource = new ArtifactRegistryRepositoryIamMember(this, "Resource", {
      project: repository.project,
      location: repository.location,
      repository: repository.repository,
      role: ROLE,
      member,
      provider,
    });
    dependsOn(this.resource, principals.dependencies);
    this.member = member;
    bindings.set(this, keyOf(member, repository), this);
  }

  /**
   * The stack's binding of a service account and repository, declared in the scope at the first call. Clusters that
   * share a pool share principals, and a binding declared twice would be taken away when one of the two is.
   */
  static forServiceAccount(scope: Construct, props: PullBindingProps): PullBinding {
    const { repository } = props;
    const subject = Subject.of(props.serviceAccount);
    const existing = bindings.get(scope, keyOf(memberOf(props), repository));
    // Underscores occur in no name of Kubernetes or Google; the prefix keeps digits from starting a Terraform name.
    const id = `pull_${subject.namespace}_${subject.name}_${repository.location}_${repository.repository}_${repository.project}`;
    return existing ?? new PullBinding(scope, id, props);
  }
}

function memberOf({ principals, serviceAccount }: PullBindingProps): string {
  const subject = Subject.of(serviceAccount);
  principals.addSubjects([subject]);
  return principals.principal(subject);
}

function keyOf(member: string, { location, repository, project }: ArtifactRegistryRepository): string {
  return `${location}:${repository}:${project}:${member}`;
}
