import type { Construct } from "constructs";
import { fail } from "../../errors";
import {
  COMPONENT_AUDIENCE,
  type ComponentGrant,
  type ComponentsDeclaration,
  type ComponentsRequest,
  type IComponentIdentities,
} from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { SWITCH, oneOf } from "../../model/choice";
import { ofRequest, requestLabel } from "../../model/request-label";
import { type ComponentNaming, ccoctlTags } from "../../rules/aws/component-role";
import { awsProviderKind } from "../../rules/aws/provider-spec";
import { defaultAwsAudience } from "../../rules/aws/pull-annotation";
import { ComponentRole } from "./component-role";
import { componentRolePlan } from "./component-role-plan";
import type { ComponentRoleProps, ComponentRolesProps } from "./component-role-props";
import type { IOidcProvider } from "./oidc-provider-props";
import { declaredProvider, expectedProvider } from "./trusted-provider";

/**
 * One role per CredentialsRequest, named `<cluster>-<namespace>-<secret>`, and the OIDC provider that they trust: what
 * `ccoctl aws create-all` makes, declared.
 *
 * Throws, when the components are declared, what `OidcProvider.forIssuer` and `ComponentRole` throw; besides,
 * `aws-issuer-mismatch` for an OIDC provider of another issuer, `aws-override-unknown`, `aws-adopt-unknown`, and
 * `aws-ccoctl-name-clash` where two requests would share a role. Everything is checked before a role is declared.
 */
export function componentRoles(props: ComponentRolesProps = {}): IComponentIdentities<Construct> {
  return {
    cloud: "aws",
    providerKind: awsProviderKind,
    declare: (scope, request) => declareComponents(scope, request, props),
  };
}

function declareComponents(
  scope: Construct,
  { clusterName, issuer, requests }: ComponentsRequest,
  props: ComponentRolesProps,
): ComponentsDeclaration {
  requireKnown(requests, props);
  const expected = expectedProvider(issuer, audiences(props), props);
  const name = namingOf(props) === "ccoctl" ? (props.ccoctlName ?? clusterName) : clusterName;
  const planned = requests.map((request) => roleProps(request, name, expected, props));
  checkRoles(scope, planned);
  const oidcProvider = declaredProvider(scope, issuer, audiences(props), {
    ...props,
    adopt: adopts(props),
    ...(namingOf(props) === "ccoctl" ? { tags: { ...ccoctlTags(name), ...props.tags } } : {}),
  });
  const grants = planned.map((own): ComponentGrant => {
    const { request } = own;
    // Neither a namespace nor the name of a Secret can hold `_`, so two Secrets never share an id.
    const id = `${request.secret.namespace}_${request.secret.name}`;
    const role = new ComponentRole(scope, id, { ...own, oidcProvider });
    return { request, identity: role.arn, secret: role.secret };
  });
  return { grants, secrets: [] };
}

/** Components present tokens for the one, workloads that the pod identity webhook serves for the other. */
function audiences({ audience = COMPONENT_AUDIENCE }: ComponentRolesProps): readonly string[] {
  return [audience, defaultAwsAudience];
}

function adopts({ adopt = false }: ComponentRolesProps): boolean {
  return Array.isArray(adopt) || adopt === true;
}

function namingOf(props: ComponentRolesProps): ComponentNaming {
  return props.naming ?? (adopts(props) ? "ccoctl" : "derived");
}

function requireKnown(
  requests: readonly CredentialsRequest[],
  { overrides = {}, adopt = false }: ComponentRolesProps,
): void {
  const known = requests.map(({ name }) => name);
  const stray = Object.keys(overrides).find((name) => !known.includes(name));
  if (stray !== undefined) fail("aws-override-unknown", stray, known);
  if (!isNames(adopt)) oneOf("adopt", adopt, SWITCH);
  const strange = isNames(adopt) ? adopt.find((name) => !known.includes(name)) : undefined;
  if (strange !== undefined) fail("aws-adopt-unknown", strange, known);
}

function isNames(adopt: boolean | readonly string[]): adopt is readonly string[] {
  return Array.isArray(adopt);
}

function roleProps(
  request: CredentialsRequest,
  clusterName: string,
  oidcProvider: IOidcProvider,
  props: ComponentRolesProps,
): ComponentRoleProps {
  const { overrides = {}, adopt = false, ccoctlName: _, ...settings } = props;
  return {
    ...settings,
    ...overrides[request.name],
    request,
    clusterName,
    oidcProvider,
    naming: namingOf(props),
    adopt: isNames(adopt) ? adopt.includes(request.name) : adopt,
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
    ? fail("aws-ccoctl-name-clash", name, first, second)
    : fail("aws-component-name-clash", name, first, second);
}
