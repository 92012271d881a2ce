import type { Construct } from "constructs";
import { fail } from "../../errors";
import { validateAudience } from "../../model/audience";
import { clusterName } from "../../model/kubernetes-name";
import { literal } from "../../model/late";
import type { AccountRequest } from "../../model/identity";
import type { AccessDeclaration, AccessRequest, IAccess, IWorkloadIdentities } from "../../model/workloads";
import { podCredentials, universeDomain } from "../../rules/google/workload";
import { checkClusterPool, clusterPoolProvider } from "./cluster-pool-provider";
import { type ClusterPoolProps, CLUSTER_POOL_PROPS } from "./cluster-pool-props";
import { GoogleAccess } from "./google-access";
import { RoleBinding } from "./role-binding";
import { WorkloadServiceAccount } from "./workload-service-account";
import {
  type WorkloadCredentialProps,
  type WorkloadServiceAccountProps,
  WORKLOAD_CREDENTIAL_PROPS,
} from "./workload-service-account-props";
import { type ObjectKind, checkGiven, object, optional, text } from "../../model/shape";

/** Settings of {@link workloadServiceAccounts}. */
export interface WorkloadServiceAccountsProps extends ClusterPoolProps, WorkloadCredentialProps {
  /**
   * Audience of the tokens in the pods; must differ from that of other jobs where their tokens shall not serve here.
   *
   * @defaultValue - the pool provider's full name, `https://iam.googleapis.com/projects/…/providers/<id>`, which needs
   * a literal project number; with an `oidcProvider`, its audience
   */
  readonly audience?: string;
}

const WORKLOAD_SERVICE_ACCOUNTS_PROPS: ObjectKind<WorkloadServiceAccountsProps> = object({
  ...CLUSTER_POOL_PROPS.shape,
  ...WORKLOAD_CREDENTIAL_PROPS.shape,
  audience: optional(text),
});

/** Settings of one workload before its pool provider is there. */
type UnboundWorkload = Omit<WorkloadServiceAccountProps, "oidcProvider">;

/** Ends the id of the pool provider. */
const JOB = "workloads";

/**
 * Identities for users' workloads on Google Cloud, all in the cluster's pool, with a pool provider that takes tokens of
 * the workloads' audience from exactly their service accounts.
 *
 * A principal is the same for all pool providers of a pool: roles that it holds itself (`impersonate: false`) serve a
 * token of image pulls or of a component as well, where the same service account has one.
 *
 * Throws `google-project-invalid`, `google-project-number-invalid`, `google-project-contradicts`,
 * `google-setting-contradicts`, `google-universe-invalid`, `google-token-path`, `google-token-lifetime`,
 * `audience-invalid`, `late-value`; while declaring, also `google-universe-mismatch`,
 * `cluster-name-invalid`, `google-access-foreign`, `google-policy-full`, `google-issuer-mismatch`, and what pool, pool
 * provider and {@link WorkloadServiceAccount} throw.
 */
export function workloadServiceAccounts(props: WorkloadServiceAccountsProps): IWorkloadIdentities<Construct> {
  checkGiven("workloadServiceAccounts()", WORKLOAD_SERVICE_ACCOUNTS_PROPS, props);
  checkClusterPool(props);
  universeDomain(props.universeDomain);
  podCredentials(props.credentialDirectory, props.tokenLifetime);
  if (props.audience !== undefined) {
    if (props.oidcProvider) fail("google-setting-contradicts", "audience", "with an existing oidcProvider");
    validateAudience(props.audience);
  } else if (!props.oidcProvider) literal(props.projectNumber, "projectNumber (state an audience instead)");
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
  const unbound = accounts.map((account) => workloadOf(account, cluster, props));
  for (const workload of unbound) WorkloadServiceAccount.check(scope, workload);
  RoleBinding.checkRoom(
    scope,
    unbound.flatMap(({ access }) => access.flatMap(({ grants }) => grants)),
  );
  const audiences = props.audience === undefined ? undefined : [props.audience];
  const oidcProvider = clusterPoolProvider(
    scope,
    { clusterName: cluster, issuer, job: JOB, audiences },
    props,
  );
  oidcProvider.addSubjects(accounts.map(({ subject }) => subject));
  return {
    grants: unbound.map((workload, index) => {
      const { namespace, name } = accounts[index]?.subject ?? {};
      const id = `workload_${namespace}_${name}`;
      return new WorkloadServiceAccount(scope, id, { ...workload, oidcProvider }).grant;
    }),
  };
}

function workloadOf(
  { subject, asks }: AccountRequest<IAccess<Construct>>,
  cluster: string,
  props: WorkloadServiceAccountsProps,
): UnboundWorkload {
  const {
    project,
    credentialDirectory,
    tokenLifetime,
    impersonate,
    universeDomain: universe,
    provider,
  } = props;
  return {
    serviceAccount: subject,
    access: asks.map((each) =>
      each instanceof GoogleAccess ? each : fail("google-access-foreign", each.rights),
    ),
    clusterName: cluster,
    project,
    credentialDirectory,
    tokenLifetime,
    impersonate,
    universeDomain: universe,
    provider,
  };
}
