import { Annotations } from "cdktf";
import { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import type { AccountRequest } from "../../model/identity";
import { clusterName } from "../../model/kubernetes-name";
import { literal } from "../../model/late";
import {
  type ObjectKind,
  checkGiven,
  checkProps,
  choice,
  either,
  list,
  object,
  optional,
  text,
} from "../../model/shape";
import { SUBJECT, Subject } from "../../model/subject";
import {
  type AccessDeclaration,
  type AccessGrant,
  type AccessRequest,
  type IAccess,
  type IWorkloadIdentities,
  ACCESS,
} from "../../model/workloads";
import { NO_FRAGMENT, nativeAnnotation } from "../../rules/google/cluster";
import {
  DESCRIPTION_MAX,
  DISPLAY_NAME_MAX,
  derivedAccountId,
  serviceAccountId,
} from "../../rules/google/names";
import { roleWarnings } from "../../rules/google/role";
import { cutText, joinedReasons } from "../../rules/google/text";
import {
  CREDENTIAL_FILE,
  externalAccountFile,
  podCredentials,
  podFragment,
  tokenPath,
  universeDomain,
} from "../../rules/google/workload";
import { type NameRules, derivedName } from "../../rules/names";
import { type GoogleGrantee, GoogleAccess } from "./access";
import {
  type IWorkloadServiceAccount,
  type WorkloadServiceAccountAttributes,
  AdoptedServiceAccount,
  WORKLOAD_SERVICE_ACCOUNT_ATTRIBUTES,
  existingAccount,
} from "./adopted";
import { checkGkePool, gkePrincipals } from "./cluster";
import { FederatedServiceAccount } from "./identity";
import {
  type ClusterPoolProps,
  CLUSTER_POOL_PROPS,
  checkClusterPool,
  clusterPoolProvider,
  universeIn,
} from "./place";
import {
  type IPrincipals,
  type PullPoolProps,
  type IWorkloadIdentityPool,
  PRINCIPALS,
  PULL_POOL_PROPS,
  WORKLOAD_IDENTITY_POOL,
} from "./pool";
import type { IOidcProvider } from "./provider-props";
import { RoleBinding } from "./role";
import {
  type DeclaredProps,
  type UniverseProps,
  type WorkloadCredentialProps,
  DECLARED_PROPS,
  UNIVERSE_PROPS,
  WORKLOAD_CREDENTIAL_PROPS,
} from "./props";

/** Settings of a {@link WorkloadServiceAccount}. */
export interface WorkloadServiceAccountProps extends WorkloadCredentialProps, DeclaredProps, UniverseProps {
  /** The Kubernetes service account, as `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /** What it may do, from `googleAccess()`; empty for an identity that gets its rights elsewhere. */
  readonly access: readonly GoogleAccess[];
  /** Name of the cluster; the id of the Google service account begins with it. */
  readonly clusterName: string;
  /** Id of the project of the Google service account. */
  readonly project: string;
  /** The pool provider that trusts the cluster, or `WorkloadIdentityPool.fleet(…)` for GKE's own pool. */
  readonly oidcProvider: IPrincipals;
  /**
   * Id of the Google service account.
   *
   * @defaultValue - derived from cluster, namespace and name
   */
  readonly accountId?: string;
}

export const WORKLOAD_SERVICE_ACCOUNT_PROPS: ObjectKind<WorkloadServiceAccountProps> = object({
  ...DECLARED_PROPS.shape,
  ...UNIVERSE_PROPS.shape,
  ...WORKLOAD_CREDENTIAL_PROPS.shape,
  serviceAccount: SUBJECT,
  access: list(ACCESS),
  clusterName: text,
  project: text,
  oidcProvider: PRINCIPALS,
  accountId: optional(text),
});

type WorkloadPlan = ReturnType<typeof planWorkload>;

const CONFIG_MAP: NameRules = { max: 253, allowed: /[a-z0-9.-]/, separator: "--" };

/**
 * The identity of one workload's Kubernetes service account on Google Cloud: its own Google service account, or the
 * pool's principal itself; its roles; and what its pods need.
 */
export class WorkloadServiceAccount extends Construct {
  /** The Google service account; `undefined` if the principal itself has the roles. */
  readonly account: FederatedServiceAccount | undefined;
  /** The identity that has the roles. */
  readonly grantee: GoogleGrantee;
  /** The roles on projects and buckets. */
  readonly bindings: readonly RoleBinding[];
  /** What the manifests need. */
  readonly grant: AccessGrant;

  constructor(scope: Construct, id: string, props: WorkloadServiceAccountProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_SERVICE_ACCOUNT_PROPS, props);
    const { oidcProvider, access } = props;
    const plan = planWorkload(props);
    WorkloadServiceAccount.check(scope, props);
    oidcProvider.addSubjects([plan.subject]);
    super(scope, id);
    this.account = this.#declareAccount(plan, props);
    this.grantee = this.account ?? {
      member: oidcProvider.principal(plan.subject),
      dependencies: oidcProvider.dependencies,
    };
    this.bindings = this.#bind(props);
    for (const [index, { declare }] of access.entries())
      declare?.(new Construct(this, `own_${index}`), this.grantee);
    this.grant = grantOf(plan, props, this.grantee, this.account?.email);
    const roles = access.flatMap(({ grants }) => grants.map(({ role }) => role));
    for (const warning of roleWarnings(roles)) Annotations.of(this).addWarning(warning);
  }

  /** Returns an existing Google service account, for `as` of a workload; nothing but its users is declared on it. */
  static fromEmail(
    scope: Construct,
    id: string,
    attributes: WorkloadServiceAccountAttributes,
  ): IWorkloadServiceAccount {
    const to = "WorkloadServiceAccount.fromEmail()";
    checkProps(to, scope, id, WORKLOAD_SERVICE_ACCOUNT_ATTRIBUTES, attributes);
    return new AdoptedServiceAccount(scope, id, attributes);
  }

  /** Throws if the workload cannot be declared in the scope. */
  static check(scope: Construct, props: Omit<WorkloadServiceAccountProps, "oidcProvider">): void {
    const { accountId } = planWorkload(props);
    universeIn(scope, props);
    if (accountId !== undefined) FederatedServiceAccount.check(scope, { accountId, project: props.project });
    RoleBinding.checkRoom(
      scope,
      props.access.flatMap(({ grants }) => grants),
    );
  }

  #declareAccount(
    { subject, accountId, displayName, description }: WorkloadPlan,
    props: WorkloadServiceAccountProps,
  ): FederatedServiceAccount | undefined {
    const { project, oidcProvider, provider } = props;
    if (accountId === undefined) return undefined;
    const account = new FederatedServiceAccount(this, "account", {
      project,
      accountId,
      displayName,
      description,
      principals: oidcProvider,
      serviceAccounts: [subject],
      provider,
    });
    this.node.defaultChild = account;
    return account;
  }

  #bind({ access, provider }: WorkloadServiceAccountProps): readonly RoleBinding[] {
    const { member, dependencies } = this.grantee;
    const grants = access.flatMap((each) => each.grants);
    return grants.map(({ kind, target, role, condition, reason }, index) =>
      RoleBinding.once(this, `grant_${index}`, {
        role,
        [kind]: target,
        member,
        dependencies,
        condition,
        reason,
        provider,
      }),
    );
  }
}

function planWorkload(props: Omit<WorkloadServiceAccountProps, "oidcProvider">) {
  const subject = Subject.of(props.serviceAccount);
  const { namespace, name } = subject;
  const cluster = clusterName(props.clusterName);
  const impersonate = props.impersonate ?? true;
  const accountId = props.accountId ?? derivedAccountId(cluster, `${namespace}-${name}`, [namespace, name]);
  const reasons = props.access.flatMap(({ grants }) => grants.map(({ reason }) => reason));
  return {
    subject,
    accountId: impersonate ? serviceAccountId(accountId) : undefined,
    displayName: cutText(`${cluster} ${subject.key}`, DISPLAY_NAME_MAX),
    // The reasons for what is refused without one; the record of the cluster has them with their roles.
    description: joinedReasons(reasons, DESCRIPTION_MAX),
    universe: universeDomain(props.universeDomain),
    layout: podCredentials(props.credentialDirectory, props.tokenLifetime),
  };
}

const isOidcProvider = (each: IPrincipals): each is IOidcProvider => "stsAudience" in each;

function grantOf(
  { subject, universe, layout }: WorkloadPlan,
  { oidcProvider }: Pick<WorkloadServiceAccountProps, "oidcProvider">,
  { member, dependencies }: GoogleGrantee,
  email: string | undefined,
): AccessGrant {
  const grant = {
    subject,
    identity: email ?? oidcProvider.principal(subject),
    principal: { name: member, dependencies },
  };
  if (!isOidcProvider(oidcProvider))
    return { ...grant, annotations: email === undefined ? {} : nativeAnnotation(email), pod: NO_FRAGMENT };
  const configMap = derivedName([`google-credentials-${subject.name}`], CONFIG_MAP);
  const content = externalAccountFile({
    stsAudience: oidcProvider.stsAudience,
    tokenPath: tokenPath(layout),
    impersonate: email,
    universeDomain: universe,
  });
  return {
    ...grant,
    annotations: {},
    pod: podFragment(layout, oidcProvider.audience, configMap),
    credentialFile: { configMap, fileName: CREDENTIAL_FILE, content },
  };
}

/** Settings of {@link workloadServiceAccounts}. */
export interface WorkloadServiceAccountsProps
  extends Omit<ClusterPoolProps, "pool">, WorkloadCredentialProps {
  /**
   * The pool, as for components; or `"gke"` for the one that Google keeps for the GKE clusters of the cluster's project:
   * pods need no token and no credential file, and `projectNumber` is needed only with `impersonate: false`.
   *
   * @defaultValue - a pool named `k8s-<cluster>`, which image pulls, components and workloads of the cluster share
   */
  readonly pool?: "gke" | PullPoolProps | IWorkloadIdentityPool;
  /**
   * Audience of the tokens in the pods; must differ from other jobs' audiences if their tokens shall not be accepted
   * here.
   *
   * @defaultValue - the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`, which needs
   * a literal project number; with an `oidcProvider`, its audience
   */
  readonly audience?: string;
}

const WORKLOAD_SERVICE_ACCOUNTS_PROPS: ObjectKind<WorkloadServiceAccountsProps> = object({
  ...CLUSTER_POOL_PROPS.shape,
  ...WORKLOAD_CREDENTIAL_PROPS.shape,
  pool: optional(either(choice(["gke"]), PULL_POOL_PROPS, WORKLOAD_IDENTITY_POOL)),
  audience: optional(text),
});

/** Settings of one workload before its pool provider is there. */
type UnboundWorkload = Omit<WorkloadServiceAccountProps, "oidcProvider">;

/** Ends the id of the pool provider. */
const JOB = "workloads";

/**
 * Identities for users' workloads on Google Cloud in the cluster's pool, with a pool provider that accepts tokens with
 * the workloads' audience only from their service accounts.
 *
 * All pool providers of a pool share principals: roles that a principal holds itself (`impersonate: false`) can also be
 * used with a token for image pulls or a component, if the same service account has one.
 *
 * With `pool: "gke"`, all GKE clusters of the project share principals: `shop/web` of each of them gets the rights
 * (https://cloud.google.com/kubernetes-engine/docs/concepts/workload-identity, "identity sameness").
 */
export function workloadServiceAccounts(props: WorkloadServiceAccountsProps): IWorkloadIdentities<Construct> {
  checkGiven("workloadServiceAccounts()", WORKLOAD_SERVICE_ACCOUNTS_PROPS, props);
  const { pool, ...others } = props;
  if (pool === "gke") checkGkePool(props);
  else checkClusterPool("workloadServiceAccounts()", { ...others, ...(pool && { pool }) });
  universeDomain(props.universeDomain);
  podCredentials(props.credentialDirectory, props.tokenLifetime);
  if (props.audience !== undefined) validateAudience(props.audience);
  else if (!props.oidcProvider && pool !== "gke")
    literal(props.projectNumber, "projectNumber (state an audience instead)");
  return {
    cloud: "google",
    job: "workloads",
    declare: (scope, request) => declareWorkloads(scope, request, props),
  };
}

function declareWorkloads(
  scope: Construct,
  { clusterName: name, issuer, accounts }: AccessRequest<Construct>,
  props: WorkloadServiceAccountsProps,
): AccessDeclaration {
  const cluster = clusterName(name);
  universeIn(scope, props);
  const unbound = accounts.map((account) => {
    const existing = account.existing && existingAccount(account.existing);
    return { workload: workloadOf(account, cluster, props), existing };
  });
  const own = unbound.flatMap(({ workload, existing }) => (existing ? [] : [workload]));
  for (const workload of own) WorkloadServiceAccount.check(scope, workload);
  RoleBinding.checkRoom(
    scope,
    own.flatMap(({ access }) => access.flatMap(({ grants }) => grants)),
  );
  const subjects = accounts.map(({ subject }) => subject);
  const audiences = props.audience === undefined ? undefined : [props.audience];
  const { pool, ...others } = props;
  const job = { clusterName: cluster, issuer, job: JOB, audiences, subjects };
  const oidcProvider =
    pool === "gke"
      ? gkePrincipals(scope, issuer, props)
      : clusterPoolProvider(scope, job, { ...others, ...(pool && { pool }) });
  oidcProvider.addSubjects(subjects);
  return {
    grants: unbound.map(({ workload, existing }) => {
      const subject = Subject.of(workload.serviceAccount);
      const id = `workload_${subject.namespace}_${subject.name}`;
      if (!existing) return new WorkloadServiceAccount(scope, id, { ...workload, oidcProvider }).grant;
      existing.admit(new Construct(scope, id), subject, oidcProvider);
      return grantOf(planWorkload(workload), { oidcProvider }, existing, existing.email);
    }),
  };
}

function workloadOf(
  { subject, asks }: AccountRequest<IAccess<Construct>>,
  cluster: string,
  props: WorkloadServiceAccountsProps,
): UnboundWorkload {
  const { project, credentialDirectory, tokenLifetime, impersonate, provider } = props;
  return {
    serviceAccount: subject,
    access: asks.map((each) =>
      each instanceof GoogleAccess
        ? each
        : fail("google-foreign", {
            problem: "an access of cloud google was not created by this library's google subpath",
            value: each.rights,
            allowed: "googleAccess(…)",
            remedy: "create the access with this function, from the same copy of the package",
          }),
    ),
    clusterName: cluster,
    project,
    credentialDirectory,
    tokenLifetime,
    impersonate,
    universeDomain: props.universeDomain,
    provider,
  };
}
