import type { Construct } from "constructs";
import { accessPolicy, managedPolicies, managedPoliciesWarning } from "../../rules/aws/workload";
import { type RoleReason, describedRole, namedSubjects } from "../../rules/aws/trust";
import { roleName } from "../../rules/aws/names";
import { awsAccessOf } from "./aws-access";
import { type InlinePolicy, roleNameOfPath } from "./federated-role";
import {
  type FederatedRoleSettings,
  federatedRoleSettings,
  partitionOfProviders,
} from "./federated-role-settings";
import type { WorkloadRoleProps } from "./workload-role-props";
import { checkProviderPlace } from "./provider-place";

/** The role of a workload, checked and computed, not yet declared. */
export interface WorkloadRolePlan {
  /** Its inline policy; `undefined` where it has none. */
  readonly policy: InlinePolicy | undefined;
  /** Its managed policies. */
  readonly managedPolicyArns: readonly string[];
  /** The role. */
  readonly settings: FederatedRoleSettings;
  /** Text of a warning of its policies; `undefined` where there is none. */
  readonly policiesWarning: string | undefined;
}

const POLICY_NAME = "access";

/** Checks everything before anything is declared. */
export function workloadRolePlan(construct: Construct, props: WorkloadRoleProps): WorkloadRolePlan {
  const { trusts, description } = props;
  const access = props.access.map(awsAccessOf);
  const partition = partitionOfProviders(
    props.region,
    trusts.map(({ oidcProvider }) => oidcProvider),
  );
  const document = accessPolicy(access);
  const wildcards = trusts.flatMap((trust) => trust.wildcards ?? []);
  const reasons: RoleReason[] = [
    ...access.flatMap(({ wideReason: reason }) =>
      reason === undefined ? [] : [{ what: "Every resource", reason }],
    ),
    ...wildcards.map(({ pattern, reason }) => ({ what: `Wildcard ${pattern}`, reason })),
  ];
  const settings = federatedRoleSettings(
    construct,
    {
      trusts,
      anyAudience: false,
      name: props.roleName === undefined ? roleNameOfPath(construct) : roleName(props.roleName),
      partition,
      describe: (federated) =>
        describedRole(description ?? `Access to AWS for ${namedSubjects(federated)}`, reasons),
    },
    props,
  );
  checkProviderPlace(construct, settings.identity);
  const managedPolicyArns = managedPolicies(access, partition, settings.identity.account);
  return {
    policy: document && { name: POLICY_NAME, document },
    managedPolicyArns,
    settings,
    policiesWarning: managedPoliciesWarning(managedPolicyArns),
  };
}
