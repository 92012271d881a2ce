import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { Annotations, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { fail, type Problem, at } from "../../errors";
import {
  COMPONENT_AUDIENCE,
  type ComponentGrant,
  type ComponentSecret,
  type ComponentsDeclaration,
  type ComponentsRequest,
  type IComponentIdentities,
} from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { requestLabel, ofRequest } from "../../model/request-label";
import { checkProps, checkGiven } from "../../model/shape";
import {
  type ComponentNaming,
  componentIntent,
  componentPolicy,
  componentDescription,
  componentPolicyName,
  componentRoleName,
  componentSecret,
  requestStatements,
  awsProviderKind,
} from "../../rules/aws/component";
import { ccoctlNameOf, ccoctlTags, roleName } from "../../rules/aws/names";
import { kmsKeyAccount, kmsKeyPolicyStatements, requireKeyPartition } from "../../rules/aws/narrowing";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import { defaultAwsAudience } from "../../rules/aws/pull";
import { type RoleReason, describedRole } from "../../rules/aws/role";
import { TOKEN_PATH_FORM, isTokenPath, requestProblem } from "../../rules/openshift/credentials-request";
import {
  type ComponentRolesProps,
  type ComponentRoleProps,
  COMPONENT_ROLE_PROPS,
  COMPONENT_ROLES_PROPS,
} from "./component-props";
import { type TrustedProviders, declaredProviders, expectedProviders, trustedProviders } from "./provider";
import { federatedRoleSettings, partitionOfProviders, declareInlinePolicy, declareRole } from "./role";
import type { RolePlace } from "./role-props";

function requireRequests(
  names: readonly string[],
  requests: readonly CredentialsRequest[],
  by: string,
): void {
  const known = requests.map(({ name }) => name);
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined)
    fail("aws-unknown", {
      problem: `${by} a CredentialsRequest that is not among the requests`,
      value: strange,
      allowed: known.join(", "),
      remedy: `use the \`metadata.name\` of a request that was not filtered out, or remove the entry`,
    });
}

function checkedAdoption(
  clusterName: string,
  requests: readonly CredentialsRequest[],
  props: ComponentRolesProps,
) {
  const { adopt = false, naming, ccoctlName } = props;
  if (isNames(adopt)) requireRequests(adopt, requests, "adopt names");
  if (adopt === true && naming === "derived") fail("aws-mismatch", namedByCcoctl(naming));
  const any = isNames(adopt) || adopt;
  const tagged = any || naming === "ccoctl";
  if (ccoctlName !== undefined && !tagged)
    fail("aws-unused", {
      problem: "ccoctlName is set, but nothing is adopted or named as ccoctl does",
      value: ccoctlName,
      allowed: '`ccoctlName` with `adopt`, or with naming: "ccoctl"',
      remedy: "leave it out, or state what is adopted",
    });
  return {
    any,
    requests: new Set(isNames(adopt) ? adopt : adopt ? requests.map(({ name }) => name) : []),
    tagged,
    ccoctlName: tagged ? ccoctlNameOf(ccoctlName ?? clusterName) : clusterName,
  };
}

/** Existing roles have ccoctl's name; others are named as stated, by default like adopted ones if there are any. */
function namingOf(props: ComponentRolesProps, adopted: boolean): ComponentNaming {
  const { adopt = false, naming } = props;
  return adopted ? "ccoctl" : (naming ?? (isNames(adopt) ? "ccoctl" : "derived"));
}

function isNames(adopt: boolean | readonly string[]): adopt is readonly string[] {
  return Array.isArray(adopt);
}

function namedByCcoctl(value: string): Problem {
  return {
    problem: "an adopted role keeps ccoctl's name",
    value,
    allowed: '"ccoctl"; or `adopt` with the names of some requests, so that `naming` applies to the others',
    remedy: "leave `naming` out, or remove the request from `adopt` so that a new role is created",
  };
}

const NO_BOUNDARY = "none";

function componentRolePlan(construct: Construct, props: ComponentRoleProps) {
  const { request, oidcProvider, additionalOidcProviders = [], kmsKeys = [], audience } = props;
  const oidcProviders = [oidcProvider, ...additionalOidcProviders];
  requireTokenPath(request);
  const { adopt = false, naming = adopt ? "ccoctl" : "derived" } = props;
  if (adopt) requireAdoptable(props, naming);
  const document = componentPolicy(requestStatements(request), props);
  const partition = partitionOfProviders(props.region, oidcProviders);
  for (const key of kmsKeys) requireKeyPartition(key, partition);
  const name =
    props.roleName === undefined
      ? componentRoleName(props.clusterName, request.secret, naming)
      : roleName(props.roleName);
  const settings = federatedRoleSettings(
    construct,
    {
      trusts: oidcProviders.map((each) => ({
        oidcProvider: each,
        serviceAccounts: request.subjects,
        audience: audience ?? COMPONENT_AUDIENCE,
      })),
      anyAudience: props.anyAudienceReason !== undefined,
      name,
      partition,
      describe: () => describedRole(componentDescription(request.secret), reasonsOf(props)),
    },
    placed(props, naming),
  );
  const intends = componentIntent(document, props);
  return { policy: { name: componentPolicyName(name, naming), document }, settings, intends, adopt };
}

/** Warns of keys in other accounts: their key policy must allow the role too. */
function warnOfForeignKeys(
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
      `add these statements to the policy of each key: ${JSON.stringify(kmsKeyPolicyStatements(arn))}`,
  );
}

function reasonsOf({ anyAudienceReason, wideReason }: ComponentRoleProps): readonly RoleReason[] {
  return [
    ...(anyAudienceReason === undefined ? [] : [{ what: "Any audience", reason: anyAudienceReason }]),
    ...(wideReason === undefined ? [] : [{ what: "Every resource", reason: wideReason }]),
  ];
}

/** The reader has not checked requests created in code, and the path is written to a file that is read by line. */
function requireTokenPath(request: CredentialsRequest): void {
  const { cloudTokenPath: path } = request;
  if (path === undefined || isTokenPath(path)) return;
  fail(
    "openshift-invalid",
    requestProblem(`${requestLabel(request)}: spec.cloudTokenPath`, path, TOKEN_PATH_FORM),
  );
}

/** An existing role must be found by its name, not be replaced, and not lose its permissions boundary silently. */
function requireAdoptable(
  { path = "/", permissionsBoundary }: ComponentRoleProps,
  naming: ComponentNaming,
): void {
  if (naming !== "ccoctl") fail("aws-mismatch", namedByCcoctl(naming));
  if (path !== "/")
    fail("aws-unsupported", {
      problem:
        "an adopted role would be replaced: ccoctl creates roles without a path, and a path cannot be changed",
      value: path,
      allowed: 'no path, or "/"',
      remedy:
        "leave `path` out while roles are adopted; declare roles that need a path with another componentRoles()",
    });
  if (permissionsBoundary === undefined)
    fail("aws-missing", {
      problem:
        "`permissionsBoundary` is not stated, so adopting would remove any permissions boundary of the existing role",
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
    tags,
    ...(boundary === undefined || boundary === NO_BOUNDARY ? {} : { permissionsBoundary: boundary }),
  };
}

const byGrant = new WeakMap<ComponentGrant, ComponentRole>();

/**
 * An IAM role for the service accounts of one OpenShift component: what `ccoctl aws create-iam-roles` creates from a
 * CredentialsRequest, but the trust policy also compares the audience.
 */
export class ComponentRole extends Construct {
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy with the permissions. */
  readonly policy: IamRolePolicy;
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal if account and partition are known at synth. */
  readonly arn: string;
  /** The Secret that the component reads. */
  readonly secret: ComponentSecret;
  /**
   * Statements that the policy of each key of `kmsKeys` needs, unless that policy delegates to IAM policies of the
   * role's account; empty without `kmsKeys`.
   */
  readonly keyPolicyStatements: readonly PolicyStatement[];
  /** The component's grant, in the form that `PlatformComponents` needs. */
  readonly grant: ComponentGrant;
  /** The role's resource, for policies that name the literal ARN and must wait for it. */
  readonly dependencies: readonly ITerraformDependable[];

  constructor(scope: Construct, id: string, props: ComponentRoleProps) {
    checkProps(new.target.name, scope, id, COMPONENT_ROLE_PROPS, props);
    super(scope, id);
    const { request, kmsKeys = [] } = props;
    const plan = at(this, () => ofRequest(request, () => componentRolePlan(this, props)));

    const role = declareRole(this, plan.settings, plan);
    this.policy = declareInlinePolicy(this, role, plan.policy, plan);

    this.resource = role.resource;
    this.roleName = role.roleName;
    this.arn = role.arn;
    this.secret = componentSecret(request, role.arn);
    this.keyPolicyStatements = kmsKeys.length === 0 ? [] : kmsKeyPolicyStatements(role.arn);
    this.dependencies = role.dependencies;
    this.grant = {
      request,
      identity: this.arn,
      secret: this.secret,
      ...(plan.intends && { intends: plan.intends }),
    };
    byGrant.set(this.grant, this);

    warnOfForeignKeys(this, kmsKeys, plan.settings.identity.account, role.arn);
  }

  /** Returns the role of a grant of `componentRoles()`, for example to get its `keyPolicyStatements`. */
  static ofGrant(grant: ComponentGrant): ComponentRole {
    return (
      byGrant.get(grant) ??
      fail("aws-foreign", {
        problem: "grant was not created by componentRoles()",
        value: grant.identity,
        allowed: "an entry of `grants` that componentRoles() declared",
        remedy: "use `ofGrant` of the cloud that the grant belongs to",
      })
    );
  }
}

/**
 * Declares one role per CredentialsRequest, named `<cluster>-<namespace>-<secret>`, and the OIDC provider that they
 * trust, like `ccoctl aws create-all`. `ComponentRole.ofGrant` returns the role of a grant.
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
  requireRequests(Object.keys(props.overrides ?? {}), requests, "override is for");
  const adoption = checkedAdoption(clusterName, requests, props);
  const { oidcProvider: stated, account, region } = props;
  const place = { ...(stated && { oidcProvider: stated }), account, region };
  const expected = trustedProviders(expectedProviders(issuer, audiences(props), place));
  const planned = requests.map((request) => roleProps(request, { clusterName, adoption }, expected, props));
  checkRoles(scope, planned);
  const declared = declaredProviders(scope, issuer, audiences(props), {
    ...props,
    adopt: adoption.any,
    ...(adoption.tagged ? { tags: { ...ccoctlTags(adoption.ccoctlName), ...props.tags } } : {}),
  });
  const oidcProviders = trustedProviders(declared);
  const grants = planned.map((own) => {
    const { request } = own;
    // Names of namespaces and Secrets have no `_`, so two Secrets never share an id.
    const id = `${request.secret.namespace}_${request.secret.name}`;
    return new ComponentRole(scope, id, { ...own, ...oidcProviders }).grant;
  });
  return { grants, secrets: [] };
}

/** Components use the first audience, workloads with the pod identity webhook the second. */
function audiences({ audience = COMPONENT_AUDIENCE }: ComponentRolesProps): readonly string[] {
  return [audience, defaultAwsAudience];
}

function roleProps(
  request: CredentialsRequest,
  {
    clusterName,
    adoption,
  }: { readonly clusterName: string; readonly adoption: ReturnType<typeof checkedAdoption> },
  oidcProviders: TrustedProviders,
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
    ...oidcProviders,
    naming,
    adopt,
  };
}

/** Checks all roles, so that a mistake in one is found before the first is declared. */
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
        problem: `${first} and ${second} would share one IAM role, because ccoctl cuts names after 64 characters`,
        value: name,
        allowed: "one role per request",
        remedy:
          'remove both from the list `adopt` and set naming: "derived", which ends a cut name with a hash, so that each gets its own role; the role that they shared has the permissions of only one of them',
      })
    : fail("aws-conflict", {
        problem: `${first} and ${second} would share one IAM role`,
        value: name,
        allowed: "one role per request",
        remedy: "give one of the two another name: overrides: { <request>: { roleName } }",
      });
}
