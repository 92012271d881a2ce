import { namedByCcoctl } from "./component-roles-checks";
import { Annotations } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { COMPONENT_AUDIENCE, type ComponentIntent } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { requestLabel } from "../../model/request-label";
import { ccoctlTags, roleName } from "../../rules/aws/names";
import {
  componentIntent,
  componentPolicy,
  type ComponentNaming,
  componentDescription,
  componentPolicyName,
  componentRoleName,
} from "../../rules/aws/component";
import { type RoleReason, describedRole } from "../../rules/aws/trust";
import { kmsKeyAccount, kmsKeyPolicyStatements, requireKeyPartition } from "../../rules/aws/narrowing";
import { requestStatements } from "../../rules/aws/provider-spec";
import { TOKEN_PATH_FORM, isTokenPath, requestProblem } from "../../rules/openshift/credentials-request";
import type { ComponentRoleProps } from "./component-role-props";
import type { InlinePolicy } from "./federated-role";
import {
  type FederatedRoleSettings,
  type RolePlace,
  federatedRoleSettings,
  partitionOfProviders,
} from "./federated-role-settings";
import { checkProviderPlace } from "./provider-place";

/** The role of a component, checked and computed, not yet declared. */
export interface ComponentRolePlan {
  /** Its permissions. */
  readonly policy: InlinePolicy;
  /** The role. */
  readonly settings: FederatedRoleSettings;
  /** What it is meant to get other than its request asks for. */
  readonly intends: ComponentIntent | undefined;
  /** True where it exists. */
  readonly adopt: boolean;
}

/** What {@link ComponentRoleSettings.permissionsBoundary} says of a role without boundary. */
const NO_BOUNDARY = "none";

/** Checks everything before anything is declared. */
export function componentRolePlan(construct: Construct, props: ComponentRoleProps): ComponentRolePlan {
  const { request, oidcProvider, kmsKeys = [] } = props;
  requireTokenPath(request);
  const { adopt = false, naming = adopt ? "ccoctl" : "derived" } = props;
  if (adopt) requireAdoptable(props, naming);
  const document = componentPolicy(requestStatements(request), props);
  const partition = partitionOfProviders(props.region, [oidcProvider]);
  for (const key of kmsKeys) requireKeyPartition(key, partition);
  const name = nameOf(props, naming);
  const settings = federatedRoleSettings(
    construct,
    {
      trusts: [
        { oidcProvider, serviceAccounts: request.subjects, audience: props.audience ?? COMPONENT_AUDIENCE },
      ],
      anyAudience: props.anyAudienceReason !== undefined,
      name,
      partition,
      describe: () => describedRole(componentDescription(request.secret), reasonsOf(props)),
    },
    placed(props, naming),
  );
  checkProviderPlace(construct, settings.identity);
  const intends = componentIntent(document, props);
  return { policy: { name: componentPolicyName(name, naming), document }, settings, intends, adopt };
}

/** Warns of keys of other accounts: their own policy must let the role in, whatever IAM says. */
export function warnOfForeignKeys(
  construct: Construct,
  kmsKeys: readonly string[],
  account: string | undefined,
  arn: string,
): void {
  const foreign = kmsKeys.filter((key) => ![undefined, account].includes(kmsKeyAccount(key)));
  if (foreign.length === 0) return;
  const are = account === undefined ? "may be" : foreign.length === 1 ? "is" : "are";
  Annotations.of(construct).addWarning(
    `${foreign.join(", ")} ${are} in another account than the IAM role: ` +
      `the policy of each key must hold these statements: ${JSON.stringify(kmsKeyPolicyStatements(arn))}`,
  );
}

function nameOf(
  { roleName: stated, clusterName, request }: ComponentRoleProps,
  naming: ComponentNaming,
): string {
  return stated === undefined ? componentRoleName(clusterName, request.secret, naming) : roleName(stated);
}

function reasonsOf({ anyAudienceReason, wideReason }: ComponentRoleProps): readonly RoleReason[] {
  return [
    ...(anyAudienceReason === undefined ? [] : [{ what: "Any audience", reason: anyAudienceReason }]),
    ...(wideReason === undefined ? [] : [{ what: "Every resource", reason: wideReason }]),
  ];
}

/** Requests made by hand did not pass the reader, and the path stands in a file line by line. */
function requireTokenPath(request: CredentialsRequest): void {
  const { cloudTokenPath: path } = request;
  if (path === undefined || isTokenPath(path)) return;
  fail(
    "openshift-invalid",
    requestProblem(`${requestLabel(request)}: spec.cloudTokenPath`, path, TOKEN_PATH_FORM),
  );
}

/** A role that exists must be found under its name, and neither be replaced nor lose its bounds unsaid. */
function requireAdoptable(
  { path = "/", permissionsBoundary }: ComponentRoleProps,
  naming: ComponentNaming,
): void {
  if (naming !== "ccoctl") fail("aws-mismatch", namedByCcoctl(naming));
  if (path !== "/")
    fail("aws-unsupported", {
      problem:
        "role that exists would be replaced: ccoctl makes roles without a path, and a path cannot be changed",
      value: path,
      allowed: 'no path, or "/"',
      remedy:
        "leave `path` out while roles are adopted; make roles of requests with a path in a maker of their own",
    });
  if (permissionsBoundary === undefined)
    fail("aws-missing", {
      problem:
        "adopting takes off whatever permissions boundary the existing role has, unless it is stated, and it is not",
      allowed: 'permissionsBoundary: the ARN, or "none"',
      remedy:
        "look it up: aws iam get-role --role-name NAME --query Role.PermissionsBoundary.PermissionsBoundaryArn",
    });
}

function placed(props: ComponentRoleProps, naming: ComponentNaming): RolePlace {
  const { permissionsBoundary: boundary, ...rest } = props;
  const tags = naming === "ccoctl" ? { ...ccoctlTags(props.clusterName), ...props.tags } : props.tags;
  return {
    ...rest,
    ...(tags ? { tags } : {}),
    ...(boundary === undefined || boundary === NO_BOUNDARY ? {} : { permissionsBoundary: boundary }),
  };
}
