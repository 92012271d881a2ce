import { Annotations } from "cdktf";
import type { Construct } from "constructs";
import { SWITCH, oneOf } from "../../model/choice";
import { COMPONENT_AUDIENCE } from "../../model/components";
import { componentPolicy } from "../../rules/aws/component-policy";
import {
  type ComponentNaming,
  ccoctlTags,
  componentDescription,
  componentNamings,
  componentPolicyName,
  componentRoleName,
} from "../../rules/aws/component-role";
import { describedRole } from "../../rules/aws/federated-role";
import { kmsKeyAccount, kmsKeyPolicyStatements } from "../../rules/aws/kms-key";
import { requestStatements } from "../../rules/aws/provider-spec";
import { roleName } from "../../rules/aws/role-name";
import type { ComponentRoleProps } from "./component-role-props";
import type { InlinePolicy } from "./federated-role";
import {
  type FederatedRoleSettings,
  type RolePlace,
  federatedRoleSettings,
  partitionOfProviders,
} from "./federated-role-settings";

/** The role of a component, checked and computed, not yet declared. */
export interface ComponentRolePlan {
  /** Its permissions. */
  readonly policy: InlinePolicy;
  /** The role. */
  readonly settings: FederatedRoleSettings;
  /** True where it exists. */
  readonly adopt: boolean;
}

/** Checks everything before anything is declared. */
export function componentRolePlan(construct: Construct, props: ComponentRoleProps): ComponentRolePlan {
  const { request, clusterName, oidcProvider, anyAudienceReason } = props;
  const adopt = oneOf("adopt", props.adopt ?? false, SWITCH);
  const naming = oneOf("naming", props.naming ?? (adopt ? "ccoctl" : "derived"), componentNamings);
  const document = componentPolicy(requestStatements(request), props);
  const name =
    props.roleName === undefined
      ? componentRoleName(clusterName, request.secret, naming)
      : roleName(props.roleName);
  const reasons =
    anyAudienceReason === undefined ? [] : [{ what: "Any audience", reason: anyAudienceReason }];
  const settings = federatedRoleSettings(
    construct,
    {
      trusts: [
        { oidcProvider, serviceAccounts: request.subjects, audience: props.audience ?? COMPONENT_AUDIENCE },
      ],
      anyAudience: anyAudienceReason !== undefined,
      name,
      partition: partitionOfProviders(props.region, [oidcProvider]),
      describe: () => describedRole(componentDescription(request.secret), reasons),
    },
    placed(props, naming),
  );
  return { policy: { name: componentPolicyName(name, naming), document }, settings, adopt };
}

/** Warns of keys of other accounts: their own policy must let the role in, whatever IAM says. */
export function warnOfForeignKeys(
  construct: Construct,
  kmsKeys: readonly string[],
  account: string | undefined,
  arn: string,
): void {
  const foreign = kmsKeys.filter((key) => ![undefined, account].includes(kmsKeyAccount(key)));
  if (foreign.length === 0 || account === undefined) return;
  Annotations.of(construct).addWarning(
    `${foreign.join(", ")} ${foreign.length === 1 ? "is" : "are"} in another account than the IAM role: ` +
      `the policy of each key must hold these statements: ${JSON.stringify(kmsKeyPolicyStatements(arn))}`,
  );
}

function placed(props: ComponentRoleProps, naming: ComponentNaming): RolePlace {
  const { tags } = props;
  if (naming === "derived") return props;
  return { ...props, tags: { ...ccoctlTags(props.clusterName), ...tags } };
}
