import type { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { Annotations, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";
import { fail, type Problem, at } from "../../errors";
import {
  COMPONENT_AUDIENCE,
  type ComponentIntent,
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
import { checkProviderPlace } from "./place";
import { type TrustedProviders, declaredProviders, expectedProviders, trustedProviders } from "./provider";
import {
  type InlinePolicy,
  type FederatedRoleSettings,
  federatedRoleSettings,
  partitionOfProviders,
  declareInlinePolicy,
  declareRole,
} from "./role";
import type { RolePlace } from "./role-props";

interface CheckedAdoption {
  readonly any: boolean;
  readonly requests: ReadonlySet<string>;
  readonly tagged: boolean;
  readonly ccoctlName: string;
}

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
): CheckedAdoption {
  const { adopt = false, naming, ccoctlName } = props;
  if (isNames(adopt)) requireRequests(adopt, requests, "adopt names");
  if (adopt === true && naming === "derived") fail("aws-mismatch", namedByCcoctl(naming));
  const any = isNames(adopt) || adopt;
  const tagged = any || naming === "ccoctl";
  if (ccoctlName !== undefined && !tagged)
    fail("aws-unused", {
      problem: "name that ccoctl was given is stated, but nothing is adopted or named as ccoctl does",
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

/** A role that exists has ccoctl's name; the others are named as stated, beside adopted ones as these are. */
function namingOf(props: ComponentRolesProps, adopted: boolean): ComponentNaming {
  const { adopt = false, naming } = props;
  return adopted ? "ccoctl" : (naming ?? (isNames(adopt) ? "ccoctl" : "derived"));
}

function isNames(adopt: boolean | readonly string[]): adopt is readonly string[] {
  return Array.isArray(adopt);
}

function namedByCcoctl(value: string): Problem {
  return {
    problem: "role that exists has ccoctl's name and is adopted under it",
    value,
    allowed: '"ccoctl"; or `adopt` with the names of some requests, the others being named as `naming` says',
    remedy: "leave `naming` out, or take the request off `adopt` to have a new role made",
  };
}

interface ComponentRolePlan {
  readonly policy: InlinePolicy;
  readonly settings: FederatedRoleSettings;
  readonly intends: ComponentIntent | undefined;
  readonly adopt: boolean;
}

const NO_BOUNDARY = "none";

function componentRolePlan(construct: Construct, props: ComponentRoleProps): ComponentRolePlan {
  const { request, oidcProvider, additionalOidcProviders = [], kmsKeys = [], audience } = props;
  const oidcProviders = [oidcProvider, ...additionalOidcProviders];
  requireTokenPath(request);
  const { adopt = false, naming = adopt ? "ccoctl" : "derived" } = props;
  if (adopt) requireAdoptable(props, naming);
  const document = componentPolicy(requestStatements(request), props);
  const partition = partitionOfProviders(props.region, oidcProviders);
  for (const key of kmsKeys) requireKeyPartition(key, partition);
  const name = nameOf(props, naming);
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
  checkProviderPlace(construct, settings.identity);
  const intends = componentIntent(document, props);
  return { policy: { name: componentPolicyName(name, naming), document }, settings, intends, adopt };
}

/** Warns of keys of other accounts: their own policy must let the role in, whatever IAM says. */
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

/** Requests made by hand did not pass the reader, and the path is written into a file line by line. */
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
        "leave `path` out while roles are adopted; make roles of requests with a path in their own maker",
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
    tags,
    ...(boundary === undefined || boundary === NO_BOUNDARY ? {} : { permissionsBoundary: boundary }),
  };
}

const byGrant = new WeakMap<ComponentGrant, ComponentRole>();

/**
 * An IAM role that the service accounts of one OpenShift component act as: what `ccoctl aws create-iam-roles` makes
 * of a CredentialsRequest, with the audience compared as well.
 */
export class ComponentRole extends Construct {
  /** The Terraform resource of the role. */
  readonly resource: IamRole;
  /** The inline policy with the permissions. */
  readonly policy: IamRolePolicy;
  /** Name of the role, at most 64 characters. */
  readonly roleName: string;
  /** ARN of the role; literal where account and partition are known at synth. */
  readonly arn: string;
  /** The Secret that the component reads. */
  readonly secret: ComponentSecret;
  /**
   * What the policy of each key of `kmsKeys` needs, unless it leaves the decision to IAM policies of the role's
   * account; empty without `kmsKeys`.
   */
  readonly keyPolicyStatements: readonly PolicyStatement[];
  /** What the component got, as `PlatformComponents` takes it. */
  readonly grant: ComponentGrant;
  /** The role, for policies that name its literal ARN. */
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

  /** The role behind a grant of `componentRoles()`, for example for the `keyPolicyStatements` that a key needs. */
  static ofGrant(grant: ComponentGrant): ComponentRole {
    return (
      byGrant.get(grant) ??
      fail("aws-foreign", {
        problem: "grant was not made by componentRoles()",
        value: grant.identity,
        allowed: "an entry of `grants` that componentRoles() declared",
        remedy: "look the construct up at the maker of that cloud",
      })
    );
  }
}

/**
 * One role per CredentialsRequest, named `<cluster>-<namespace>-<secret>`, and the OIDC provider that they trust: what
 * `ccoctl aws create-all` makes, declared. `ComponentRole.ofGrant` finds the role of a grant.
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
    // Neither a namespace nor the name of a Secret can hold `_`, so two Secrets never share an id.
    const id = `${request.secret.namespace}_${request.secret.name}`;
    return new ComponentRole(scope, id, { ...own, ...oidcProviders }).grant;
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
