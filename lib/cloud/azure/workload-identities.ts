import { Construct } from "constructs";
import { at } from "../../errors";
import type { AccessDeclaration, AccessGrant, IWorkloadIdentities, PodFragment } from "../../model/workloads";
import { podToken } from "../../rules/azure/pod-token";
import { WEBHOOK_USE_LABEL } from "../../rules/azure/pod-identity-webhook";
import {
  type WorkloadIdentitiesProps,
  type WorkloadIdentitiesSettings,
  WORKLOAD_IDENTITIES_PROPS,
  WORKLOAD_IDENTITIES_SETTINGS,
} from "./workload-identities-props";
import { type PlannedWorkload, planWorkloads } from "./workload-plan";
import { WorkloadIdentity } from "./workload-identity";
import { principalOf } from "./user-assigned-identity";
import { checkGiven, checkProps } from "../../model/shape";

/** The webhook adds the rest to pods with the label. */
const OF_WEBHOOK: PodFragment = { labels: WEBHOOK_USE_LABEL, env: [], volumeMounts: [], volumes: [] };

/**
 * One identity for each service account that uses Azure, with trust, roles, annotations and the pods' label.
 *
 * Azure's pod identity webhook must run in the cluster: OpenShift runs it once the Secret `azure-credentials` exists
 * (`ComponentIdentities` gives it); elsewhere install it.
 *
 * Children: one `WorkloadIdentity` per service account, `<namespace>_<name>`.
 *
 * Throws `azure-access-foreign`, `azure-identity-name-taken`, and what `WorkloadIdentity` throws.
 */
export class WorkloadIdentities extends Construct implements AccessDeclaration {
  /** The identity of each service account, by `namespace/name`. */
  readonly identities: ReadonlyMap<string, WorkloadIdentity>;
  /** What each service account got, in the order of the workloads. */
  readonly grants: readonly AccessGrant[];

  constructor(scope: Construct, id: string, props: WorkloadIdentitiesProps) {
    checkProps(new.target.name, scope, id, WORKLOAD_IDENTITIES_PROPS, props);
    super(scope, id);
    const planned = at(this, () => planWorkloads(this, props));
    const made = planned.map((workload) => ({ workload, identity: this.#identity(props, workload) }));
    this.identities = new Map(made.map(({ workload, identity }) => [workload.subject.key, identity]));
    this.grants = made.map(({ workload, identity }) => ({
      subject: workload.subject,
      identity: identity.clientId,
      principal: principalOf(identity),
      annotations: identity.annotations,
      pod: props.withoutWebhook ? podToken({ ...props, ...idsOf(identity) }) : OF_WEBHOOK,
    }));
  }

  #identity(
    props: WorkloadIdentitiesProps,
    { id, identityName, roles, trust }: PlannedWorkload,
  ): WorkloadIdentity {
    return new WorkloadIdentity(this, id, {
      identityName,
      roles,
      trusts: [trust],
      resourceGroupName: props.resourceGroupName,
      location: props.location,
      ...(props.tenantId !== undefined && { tenantId: props.tenantId }),
      ...(props.tags && { tags: props.tags }),
      ...(props.cloud && { cloud: props.cloud }),
      ...(props.provider && { provider: props.provider }),
    });
  }
}

/**
 * How the identities of one cluster's workloads are made; for the composed constructs.
 *
 * Declares a {@link WorkloadIdentities} with the id `Default`, and throws what it throws.
 */
export function workloadIdentities(settings: WorkloadIdentitiesSettings): IWorkloadIdentities<Construct> {
  checkGiven("workloadIdentities()", WORKLOAD_IDENTITIES_SETTINGS, settings);
  return {
    cloud: "azure",
    job: "workloads",
    declare: (scope, request) => new WorkloadIdentities(scope, "Default", { ...settings, ...request }),
  };
}

function idsOf({ clientId, tenantId }: WorkloadIdentity): Pick<WorkloadIdentity, "clientId" | "tenantId"> {
  return { clientId, tenantId };
}
