import { Construct } from "constructs";
import { clusterName } from "../../model/kubernetes-name";
import { Subject } from "../../model/subject";
import type { AccessGrant } from "../../model/workloads";
import {
  type PodCredentials,
  CREDENTIAL_FILE,
  externalAccountFile,
  podCredentials,
  podFragment,
  tokenPath,
  universeDomain,
} from "../../rules/google/workload";
import {
  DESCRIPTION_MAX,
  DISPLAY_NAME_MAX,
  derivedAccountId,
  serviceAccountId,
} from "../../rules/google/names";
import { cutText, utf8Bytes, withReason } from "../../rules/google/text";
import { type NameRules, derivedName } from "../../rules/names";
import { FederatedServiceAccount } from "./federated-service-account";
import type { GoogleGrantee } from "./google-access";
import { RoleBinding } from "./role-binding";
import { universeIn } from "./universe";
import {
  type WorkloadServiceAccountProps,
  WORKLOAD_SERVICE_ACCOUNT_PROPS,
} from "./workload-service-account-props";
import { checkProps } from "../../model/shape";

/** A workload's parts, checked, none declared. */
interface WorkloadPlan {
  readonly subject: Subject;
  readonly accountId: string | undefined;
  readonly displayName: string;
  /** The reasons for what is refused without one; the record of the cluster has them with their roles. */
  readonly description: string | undefined;
  readonly universe: string;
  readonly layout: PodCredentials;
}

const CONFIG_MAP: NameRules = { max: 253, allowed: /[a-z0-9.-]/, separator: "--" };

/**
 * What one Kubernetes service account of a user acts as on Google Cloud: a Google service account of its own, or the
 * pool's principal itself; its roles; and what its pods need.
 */
export class WorkloadServiceAccount extends Construct {
  /** The Google service account; `undefined` where the principal itself has the roles. */
  readonly account: FederatedServiceAccount | undefined;
  /** Who has the roles. */
  readonly grantee: GoogleGrantee;
  /** The roles on projects and buckets. */
  readonly bindings: readonly RoleBinding[];
  /** What Kubernetes must write. */
  readonly grant: AccessGrant;

  /**
   * Throws what {@link FederatedServiceAccount} and {@link RoleBinding} throw, `cluster-name-invalid`,
   * `google-universe-invalid`, `google-universe-mismatch`, `google-token-path`, `google-token-lifetime`.
   */
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
  }

  /** Throws where the workload cannot be declared in the scope. */
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
        ...(kind === "project" ? { project: target } : { bucket: target }),
        member,
        dependencies,
        condition,
        reason,
        provider,
      }),
    );
  }
}

function planWorkload(props: Omit<WorkloadServiceAccountProps, "oidcProvider">): WorkloadPlan {
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
    description: joinedReasons(reasons),
    universe: universeDomain(props.universeDomain),
    layout: podCredentials(props.credentialDirectory, props.tokenLifetime),
  };
}

function joinedReasons(reasons: readonly (string | undefined)[]): string | undefined {
  const all = [...new Set(reasons)].reduce(withReason, undefined);
  return all === undefined ? undefined : cutText(all, DESCRIPTION_MAX, utf8Bytes);
}

function grantOf(
  { subject, universe, layout }: WorkloadPlan,
  { oidcProvider }: WorkloadServiceAccountProps,
  { member, dependencies }: GoogleGrantee,
  email: string | undefined,
): AccessGrant {
  const configMap = derivedName([`google-credentials-${subject.name}`], CONFIG_MAP);
  const content = externalAccountFile({
    stsAudience: oidcProvider.stsAudience,
    tokenPath: tokenPath(layout),
    impersonate: email,
    universeDomain: universe,
  });
  return {
    subject,
    identity: email ?? oidcProvider.principal(subject),
    principal: { name: member, dependencies },
    annotations: {},
    pod: podFragment(layout, oidcProvider.audience, configMap),
    credentialFile: { configMap, fileName: CREDENTIAL_FILE, content },
  };
}
