import type { Construct } from "constructs";
import type { Subject } from "../../model/subject";
import { type AccessRole, accessRoles } from "../../rules/azure/roles";
import { IDENTITY_NAME, identityNamePrefix } from "../../rules/azure/pull";
import { derivedName } from "../../rules/names";
import { azureAccessOf } from "./azure-access";
import { refuseTakenName } from "./identity-names";
import { type PullTrust, trustCredentials } from "./trust";
import { checkIdentity } from "./user-assigned-identity";
import type { WorkloadIdentitiesProps } from "./workload-identities-props";

/** One identity to declare. */
export interface PlannedWorkload {
  /** Id of the construct. */
  readonly id: string;
  /** Who acts as it. */
  readonly subject: Subject;
  /** Name in Azure. */
  readonly identityName: string;
  /** What it may do. */
  readonly roles: readonly AccessRole[];
  /** Who may act as it. */
  readonly trust: PullTrust;
}

/** Ends the names of workloads' identities, so that the one that pulls a service account's images has another name. */
const SUFFIX = "access";

/** Checks a request as a whole and decides each identity; throws what `WorkloadIdentities` documents. */
export function planWorkloads(scope: Construct, props: WorkloadIdentitiesProps): readonly PlannedWorkload[] {
  const prefix = identityNamePrefix(props.namePrefix ?? props.clusterName);
  const { resourceGroupName, location, tags, tenantId, provider } = props;
  const place = {
    resourceGroupName,
    location,
    ...(tags && { tags }),
    ...(tenantId !== undefined && { tenantId }),
    ...(provider && { provider }),
  };
  return props.accounts.map(({ subject, asks }) => {
    const identityName = derivedName([prefix, subject.namespace, subject.name, SUFFIX], IDENTITY_NAME);
    const roles = accessRoles(asks.map(azureAccessOf).flatMap((own) => own.roles));
    const { clusterName, issuer, audience } = props;
    const trust: PullTrust = {
      clusterName,
      issuer,
      serviceAccounts: [subject],
      ...(audience !== undefined && { audience }),
    };
    checkIdentity({ ...place, identityName });
    trustCredentials(identityName, [trust], props.cloud, []);
    refuseTakenName(scope, { ...place, identityName });
    return { id: `${subject.namespace}_${subject.name}`, subject, identityName, roles, trust };
  });
}
