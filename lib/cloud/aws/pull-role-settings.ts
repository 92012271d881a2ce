import type { Construct } from "constructs";
import { pullPermissions } from "../../rules/aws/registry";
import { partitionOfGrants, pullRoleDescription } from "../../rules/aws/pull";
import { roleName } from "../../rules/aws/names";
import { type EcrSource, ecrSource } from "./ecr-source";
import { type InlinePolicy, roleNameOfPath } from "./federated-role";
import { type FederatedRoleSettings, federatedRoleSettings } from "./federated-role-settings";
import { checkOwnerPolicies } from "./owner-policies";
import type { PullRoleProps } from "./pull-role-props";

/** A pull role, checked and computed, not yet declared. */
export interface PullRoleSettings extends FederatedRoleSettings {
  /** What it pulls from. */
  readonly sources: readonly EcrSource[];
  /** What it is permitted. */
  readonly policy: InlinePolicy;
}

const POLICY_NAME = "image-pulls";

/** Checks everything before anything is declared. */
export function pullRoleSettings(construct: Construct, props: PullRoleProps): PullRoleSettings {
  const { trusts, description } = props;
  const sources = props.sources.map(ecrSource);
  const grants = sources.map(({ grant }) => grant);
  const policy = { name: POLICY_NAME, document: pullPermissions(grants) };
  const wildcards = trusts.flatMap((trust) => trust.wildcards ?? []);
  const settings = federatedRoleSettings(
    construct,
    {
      trusts,
      anyAudience: false,
      name: props.roleName === undefined ? roleNameOfPath(construct) : roleName(props.roleName),
      partition: partitionOfGrants(grants).name,
      describe: (federated) => pullRoleDescription(description, federated, wildcards),
    },
    props,
  );
  checkOwnerPolicies(construct, [{ arn: settings.expectedArn, sources }], settings.identity);
  return { ...settings, sources, policy };
}
