import { ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member/index.js";
import { Annotations } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { DURATION, Duration } from "../../model/duration";
import type { AccountRequest } from "../../model/identity";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import { isLate, literal } from "../../model/late";
import type { IPullIdentities, IPullSource, PullDeclaration, PullRequest } from "../../model/pulls";
import {
  type ObjectKind,
  checkGiven,
  checkProps,
  choice,
  either,
  object,
  optional,
  text,
} from "../../model/shape";
import { SUBJECT, Subject } from "../../model/subject";
import { projectId, projectNumber, refuseUnused } from "../../rules/google/names";
import { checkPolicySize } from "../../rules/google/permission";
import { managedPoolId } from "../../rules/google/provider";
import {
  NODE_IDENTITY_ARGUMENTS,
  OPT_IN_ANNOTATION,
  OPT_IN_VALUE,
  cacheEnvironment,
  customPoolArguments,
  managedIdentityProvider,
  managedPoolArguments,
  parseManagedIdentityProvider,
} from "../../rules/google/pull";
import { gcp } from "../../registries/artifact-registry";
import { waitFor } from "../shared/across-stacks";
import { waitForDeclared } from "../shared/declared-names";
import { PerStack } from "../shared/per-scope";
import {
  type PoolProviderSettings,
  POOL_PROVIDER_SETTINGS,
  checkClusterPool,
  clusterPoolProvider,
  givenPool,
} from "./place";
import {
  type IPrincipals,
  type IWorkloadIdentityPool,
  type PullPoolProps,
  ManagedPool,
  PRINCIPALS,
  PULL_POOL_PROPS,
  WORKLOAD_IDENTITY_POOL,
} from "./pool";
import { type DeclaredProps, DECLARED_PROPS } from "./props";
import { ARTIFACT_REGISTRY_REPOSITORY, ArtifactRegistryRepository } from "./registry";
import { refuseBinding } from "./role";

/** Settings of `pullPrincipals`. */
export interface PullPrincipalsProps extends PoolProviderSettings {
  /** Id of the project that owns the workload identity pool; for `"fleet"` the GKE or fleet host project. */
  readonly project: string;
  /** Number of that project, as text: `"123456789012"`. Late only for `"fleet"`. */
  readonly projectNumber: string;
  /**
   * The pool: one to declare, a construct or an adopted one (`WorkloadIdentityPool.fromPoolId`), or `"fleet"` for the
   * managed pool of GKE and fleet clusters.
   *
   * @defaultValue - a pool named `k8s-<cluster>` is declared
   */
  readonly pool?: PullPoolProps | IWorkloadIdentityPool | "fleet";
  /**
   * Audience of the service account tokens in a custom pool.
   *
   * @defaultValue - the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`
   */
  readonly audience?: string;
  /**
   * Literal URL of the GKE cluster or fleet membership, only for `pool: "fleet"`. It consists of project, location and
   * name: `https://container.googleapis.com/v1/projects/<project>/locations/<location>/clusters/<cluster>`.
   *
   * @defaultValue - the cluster's issuer if it is a GKE cluster; otherwise required
   */
  readonly identityProvider?: string;
  /**
   * How long the kubelet caches credentials, less than an hour. An answer without credentials is cached as long, so a
   * corrected permission takes effect late. Refused with mixed mode in one entry (`pool: "fleet"`): the node's own
   * token would be cached as long, and may expire sooner.
   *
   * @defaultValue - no caching: one token exchange per pull (quota: 6,000 per minute and project)
   */
  readonly cacheDuration?: Duration;
}

const PULL_PRINCIPALS_PROPS: ObjectKind<PullPrincipalsProps> = object({
  ...POOL_PROVIDER_SETTINGS.shape,
  project: text,
  projectNumber: text,
  pool: optional(either(choice(["fleet"]), PULL_POOL_PROPS, WORKLOAD_IDENTITY_POOL)),
  audience: optional(text),
  identityProvider: optional(text),
  cacheDuration: optional(DURATION),
});

/**
 * Identities for pulls from Artifact Registry without Google service accounts: each Kubernetes service account is a
 * principal of a workload identity pool and gets `roles/artifactregistry.reader` on the repositories that it pulls
 * from.
 *
 * A custom pool needs a plugin with `--sts-audience`, which no release of auth-provider-gcp has; the cluster's facts
 * must state it (`abilities: ["custom-pools"]`). The shipped plugin serves `pool: "fleet"` since v36.2.5.
 *
 * Warns if the GKE cluster is in another project than `project`.
 */
export function pullPrincipals(props: PullPrincipalsProps): IPullIdentities<Construct> {
  checkGiven("pullPrincipals()", PULL_PRINCIPALS_PROPS, props);
  projectNumber(props.projectNumber);
  cacheEnvironment(props.cacheDuration);
  checkPool(props);
  return { cloud: "google", job: "pulls", declare: (scope, request) => declarePulls(scope, request, props) };
}

function declarePulls(
  scope: Construct,
  request: PullRequest<Construct>,
  props: PullPrincipalsProps,
): PullDeclaration {
  const { accounts } = request;
  const bindings = accounts.flatMap(bindingsOf);
  refuseTooManyPrincipals(bindings);
  const federation = federate(scope, request, props);
  const { principals } = federation;
  principals.addSubjects(accounts.map(({ subject }) => subject));
  for (const binding of bindings) {
    const { owner } = binding.repository;
    const provider = owner ? owner.provider : props.provider;
    PullBinding.forServiceAccount(owner?.scope ?? scope, { ...binding, principals, provider });
  }
  const annotations = { [OPT_IN_ANNOTATION]: OPT_IN_VALUE };
  return {
    grants: accounts.map(({ subject }) => {
      const identity = principals.principal(subject);
      return {
        subject,
        identity,
        principal: { name: identity, dependencies: principals.dependencies },
        annotations,
      };
    }),
    provider: credentialProvider(federation, bindings, props.cacheDuration),
    nodeFiles: [],
  };
}

function credentialProvider(
  { principals, args, needs }: ReturnType<typeof federate>,
  bindings: readonly WantedBinding[],
  cacheDuration: Duration | undefined,
): ImageCredentialProvider {
  return {
    plugin: "gcp",
    name: gcp.executable,
    matchImages: [...new Set(bindings.map(({ repository }) => repository.host))].sort(),
    defaultCacheDuration: Duration.minutes(1),
    args,
    nodeIdentityArgs: NODE_IDENTITY_ARGUMENTS,
    env: cacheEnvironment(cacheDuration),
    audience: principals.audience,
    cacheType: "ServiceAccount",
    annotationKeys: [OPT_IN_ANNOTATION],
    needs,
  };
}

function federate(scope: Construct, request: PullRequest<Construct>, props: PullPrincipalsProps) {
  const { pool, audience, ...others } = props;
  if (pool !== "fleet") {
    const audiences = audience === undefined ? undefined : [audience];
    const principals = clusterPoolProvider(
      scope,
      { ...request, job: undefined, audiences, subjects: request.accounts.map(({ subject }) => subject) },
      { ...others, ...(pool && { pool }) },
    );
    const args = customPoolArguments(principals.stsAudience);
    return { principals, args, needs: ["tokens", "custom-pools"] };
  }
  const { url } = request.issuer;
  const isManaged = parseManagedIdentityProvider(url) !== undefined;
  const identityProvider = managedIdentityProvider(props.identityProvider ?? (isManaged ? url : undefined));
  const warning = checkClusterProject(identityProvider, props);
  if (warning !== undefined) Annotations.of(scope).addWarning(warning);
  const { project, projectNumber: number } = props;
  return {
    principals: new ManagedPool({ project, projectNumber: number }),
    args: managedPoolArguments(project, identityProvider),
    needs: ["tokens"],
  };
}

function bindingsOf({
  subject,
  asks,
  existing,
}: AccountRequest<IPullSource<Construct>>): readonly WantedBinding[] {
  if (existing)
    fail("google-unsupported", {
      problem: `service account ${subject.key} cannot pull as an existing identity of Google Cloud: the plugin acts as no Google service account`,
      value: existing.cloud,
      allowed: "the principal of the service account itself",
      remedy: "leave `as` out: its principal then gets roles/artifactregistry.reader on the repositories",
    });
  return asks.map((source) =>
    source instanceof ArtifactRegistryRepository
      ? { serviceAccount: subject, repository: source }
      : fail("google-foreign", {
          problem: "a pull source of cloud google was not created by this library's google subpath",
          value: source.images,
          allowed: "artifactRegistry(…) and gcrRepository(…)",
          remedy: "create the source with one of these functions, from the same copy of the package",
        }),
  );
}

interface WantedBinding {
  readonly serviceAccount: Subject;
  readonly repository: ArtifactRegistryRepository;
}

const CUSTOM_ONLY = ["oidcProvider", "providerId", "namePrefix", "jwks", "keys", "audience"] as const;
const NUMBER = /^[0-9]+$/;

function checkPool({ pool, ...props }: PullPrincipalsProps): void {
  if (pool === "fleet") {
    projectId(props.project);
    const custom = CUSTOM_ONLY.find((setting) => props[setting] !== undefined);
    if (custom) refuseUnused(custom, "with the pool of GKE and fleet");
    return;
  }
  if (props.identityProvider !== undefined) refuseUnused("identityProvider", 'without pool: "fleet"');
  const settings = { ...props, ...(pool && { pool }) };
  checkClusterPool("pullPrincipals()", settings, ["project", "projectNumber"]);
  const number = givenPool(settings)?.projectNumber ?? props.projectNumber;
  literal(number, "projectNumber (part of the plugin's arguments in the kubelet's file)");
}

function refuseTooManyPrincipals(bindings: readonly WantedBinding[]): void {
  const holders = new Map<string, Set<string>>();
  for (const { repository, serviceAccount } of bindings) {
    const key = repositoryKey(repository);
    holders.set(key, (holders.get(key) ?? new Set<string>()).add(serviceAccount.key));
  }
  for (const [repository, { size }] of holders) checkRepositoryPolicy(repository, size);
}

/**
 * What to say of an identity provider of another project. A membership is in the fleet's host project, whose pool it
 * is, so another one is refused; a GKE cluster may be of any project of its fleet,
 * and has the pool of its own project besides, so that the mistake cannot be told from intent.
 */
function checkClusterProject(
  identityProvider: string,
  { project, projectNumber }: Pick<PullPrincipalsProps, "project" | "projectNumber">,
): string | undefined {
  const named = parseManagedIdentityProvider(identityProvider);
  if (named === undefined || [project, projectNumber].includes(named.project)) return undefined;
  if (isLate(projectNumber) && NUMBER.test(named.project)) return undefined;
  if (named.kind === "membership")
    fail("google-mismatch", {
      problem: `identityProvider is a membership in the fleet of project ${named.project}, whose tokens the pool ${managedPoolId(project)} refuses`,
      value: identityProvider,
      allowed: `https://gkehub.googleapis.com/projects/${project}/locations/<location>/memberships/<membership>`,
      remedy: "state the fleet's host project, and its number, in project and projectNumber",
    });
  return `the GKE cluster is in project ${named.project}, but the pool ${managedPoolId(project)} belongs to project ${project}: tokens are exchanged only if the cluster is registered in the fleet of ${project}; otherwise state the cluster's own project`;
}

/** Settings of a {@link PullBinding}. */
export interface PullBindingProps extends DeclaredProps {
  /** The repository, from `artifactRegistry()` or `gcrRepository()`. */
  readonly repository: ArtifactRegistryRepository;
  /** Who may pull, as `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /** The OIDC provider that trusts the cluster, or `WorkloadIdentityPool.fleet(…)` for GKE and fleet clusters. */
  readonly principals: IPrincipals;
}

const PULL_BINDING_PROPS: ObjectKind<PullBindingProps> = object({
  ...DECLARED_PROPS.shape,
  repository: ARTIFACT_REGISTRY_REPOSITORY,
  serviceAccount: SUBJECT,
  principals: PRINCIPALS,
});

const ROLE = "roles/artifactregistry.reader";

/** The bindings of a stack, by repository and by principal. */
const bindings = new PerStack<Map<string, PullBinding>>();

/**
 * Allows one service account to pull from one repository: `roles/artifactregistry.reader` for its principal, added to
 * the repository's policy without changing other members.
 *
 * Depends on the pool provider, so that no principal gets rights before its issuer and condition are in force. A
 * repository's policy holds at most 1,500 principals (https://cloud.google.com/iam/quotas); those of the stack are
 * counted.
 */
export class PullBinding extends Construct {
  /** The IAM policy member. */
  readonly member: string;
  /** The Terraform resource. */
  readonly resource: ArtifactRegistryRepositoryIamMember;

  constructor(scope: Construct, id: string, props: PullBindingProps) {
    checkProps(new.target.name, scope, id, PULL_BINDING_PROPS, props);
    const { principals, repository, provider } = props;
    const holders = bindingsOn(scope, repository);
    const member = memberOf(props);
    const holder = holders.get(member);
    if (holder) refuseBinding(ROLE, member, holder, "PullBinding.forServiceAccount");
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
    waitForDeclared(this.resource, "google_artifact_registry_repository", {
      repositoryId: repository.repository,
      location: repository.location,
    });
    this.member = member;
    holders.set(member, this);
  }

  /**
   * Returns the stack's binding of a service account and repository, declared in the scope at the first call. Clusters
   * that share a pool share principals, and of two equal bindings removing one would remove both.
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
function repositoryKey({ location, repository, project }: ArtifactRegistryRepository): string {
  return `projects/${project}/locations/${location}/repositories/${repository}`;
}

function checkRepositoryPolicy(key: string, count: number): void {
  checkPolicySize(
    `repository ${key}`,
    count,
    "split the images into several repositories, each for fewer service accounts; this library never writes a principalSet for a namespace, because it admits every service account of the namespace",
  );
}

function bindingsOn(scope: Construct, repository: ArtifactRegistryRepository): Map<string, PullBinding> {
  const key = repositoryKey(repository);
  return bindings.ensure(scope, key, () => new Map<string, PullBinding>());
}
