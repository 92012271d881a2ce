import type { Construct } from "constructs";
import { fail } from "../../errors";
import {
  COMPONENT_AUDIENCE,
  type ComponentsDeclaration,
  type ComponentsRequest,
  type IComponentIdentities,
} from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { ofRequest, requestLabel } from "../../model/request-label";
import { ccoctlTags } from "../../rules/aws/names";
import type { ComponentNaming } from "../../rules/aws/component";
import { awsProviderKind } from "../../rules/aws/provider-spec";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { ComponentRole } from "./component-role";
import { componentRolePlan } from "./component-role-plan";
import {
  type ComponentRoleProps,
  type ComponentRolesProps,
  COMPONENT_ROLES_PROPS,
} from "./component-role-props";
import { type CheckedAdoption, checkedAdoption, checkOverrides, namingOf } from "./component-roles-checks";
import type { IOidcProvider } from "./oidc-provider-props";
import { declaredProvider, expectedProvider } from "./trusted-provider";
import { checkGiven } from "../../model/shape";

/**
 * One role per CredentialsRequest, named `<cluster>-<namespace>-<secret>`, and the OIDC provider that they trust: what
 * `ccoctl aws create-all` makes, declared. `ComponentRole.ofGrant` finds the role of a grant.
 *
 * Throws, when the components are declared, what `OidcProvider.forIssuer` and `ComponentRole` throw; besides,
 * `aws-issuer-mismatch` for an OIDC provider of another issuer, `aws-override-unknown`, `aws-adopt-unknown`,
 * `aws-ccoctl-name-invalid`, `aws-ccoctl-name-unused`, and `aws-ccoctl-name-clash` where two requests would share a
 * role. Everything is checked before a role is declared.
 */
export function componentRoles(props: ComponentRolesProps = {}): IComponentIdentities<Construct> {
  checkGiven("componentRoles()", COMPONENT_ROLES_PROPS, props);
  return {
    cloud: "aws",
    job: "components",
    providerKind: awsProviderKind,
    declare: (scope, request) => declareComponents(scope, request, props),
  };
}

function declareComponents(
  scope: Construct,
  { clusterName, issuer, requests }: ComponentsRequest,
  props: ComponentRolesProps,
): ComponentsDeclaration {
  checkOverrides(requests, props);
  const adoption = checkedAdoption(clusterName, requests, props);
  const expected = expectedProvider(issuer, audiences(props), props);
  const planned = requests.map((request) => roleProps(request, { clusterName, adoption }, expected, props));
  checkRoles(scope, planned);
  const oidcProvider = declaredProvider(scope, issuer, audiences(props), {
    ...props,
    adopt: adoption.any,
    ...(adoption.tagged ? { tags: { ...ccoctlTags(adoption.ccoctlName), ...props.tags } } : {}),
  });
  const grants = planned.map((own) => {
    const { request } = own;
    // Neither a namespace nor the name of a Secret can hold `_`, so two Secrets never share an id.
    const id = `${request.secret.namespace}_${request.secret.name}`;
    return new ComponentRole(scope, id, { ...own, oidcProvider }).grant;
  });
  return { grants, secrets: [] };
}

/** Components present tokens for the one, workloads that the pod identity webhook serves for the other. */
function audiences({ audience = COMPONENT_AUDIENCE }: ComponentRolesProps): readonly string[] {
  return [audience, defaultAwsAudience];
}

function roleProps(
  request: CredentialsRequest,
  { clusterName, adoption }: { readonly clusterName: string; readonly adoption: CheckedAdoption },
  oidcProvider: IOidcProvider,
  props: ComponentRolesProps,
): ComponentRoleProps {
  const { overrides = {}, adopt: _, ccoctlName: __, ...settings } = props;
  const adopt = adoption.requests.has(request.name);
  const naming = namingOf(props, adopt);
  return {
    ...settings,
    ...(Object.hasOwn(overrides, request.name) ? overrides[request.name] : {}),
    request,
    clusterName: naming === "ccoctl" ? adoption.ccoctlName : clusterName,
    oidcProvider,
    naming,
    adopt,
  };
}

/** All roles at once, so that what is wrong with one is found before the first is declared. */
function checkRoles(scope: Construct, planned: readonly ComponentRoleProps[]): void {
  const byName = new Map<string, ComponentRoleProps>();
  for (const props of planned) {
    const { request, naming } = props;
    const { settings } = ofRequest(request, () => componentRolePlan(scope, props));
    const { name } = settings.identity;
    const other = byName.get(name.toLowerCase());
    if (other) refuseClash(name, requestLabel(other.request), requestLabel(request), naming);
    byName.set(name.toLowerCase(), props);
  }
}

function refuseClash(name: string, first: string, second: string, naming?: ComponentNaming): never {
  return naming === "ccoctl"
    ? fail("aws-conflict", {
        problem: `${first} and ${second} would share one IAM role, since ccoctl cuts names after 64 characters`,
        value: name,
        allowed: "one role per request",
        remedy:
          'leave both out of the list `adopt` and state naming: "derived", which ends a cut name with a hash: they get roles of their own; the one that ccoctl shared in this way holds the permissions of one of them only',
      })
    : fail("aws-conflict", {
        problem: `${first} and ${second} would share one IAM role`,
        value: name,
        allowed: "one role per request",
        remedy: "give one of the two another name: overrides: { <request>: { roleName } }",
      });
}
