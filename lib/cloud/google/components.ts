import { Annotations } from "cdktf";
import type { Construct } from "constructs";
import { refuseUnused } from "../../rules/google/names";
import { fail } from "../../errors";
import {
  type ComponentsDeclaration,
  type ComponentsRequest,
  type IComponentIdentities,
  COMPONENT_AUDIENCE,
} from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { clusterName } from "../../model/kubernetes-name";
import { ofRequest } from "../../model/request-label";
import {
  type ObjectKind,
  boolean,
  checkGiven,
  choice,
  either,
  list,
  object,
  optional,
  record,
  text,
} from "../../model/shape";
import { SUBJECT, Subject } from "../../model/subject";
import { CCOCTL_DESCRIPTION, PROVIDER_KIND } from "../../rules/google/component";
import { universeDomain } from "../../rules/google/workload";
import {
  type ComponentPlan,
  type UnboundComponent,
  ComponentServiceAccount,
  checkComponentAudience,
  planComponent,
  refuseClashes,
} from "./component";
import {
  type ComponentNaming,
  type ComponentOverride,
  type RoleSharing,
  COMPONENT_OVERRIDE,
} from "./component-props";
import {
  type ClusterPoolProps,
  CLUSTER_POOL_PROPS,
  checkClusterPool,
  clusterPoolProvider,
  universeIn,
} from "./place";
import { RoleBinding } from "./role";

/** Settings of `componentServiceAccounts`. */
export interface ComponentServiceAccountsProps extends ClusterPoolProps {
  /**
   * Names of pool, pool provider, service accounts and roles.
   *
   * @defaultValue - `derived`; `ccoctl` with `adopt`
   */
  readonly naming?: ComponentNaming;
  /**
   * The `--name` that was given to ccoctl, the id of pool and pool provider.
   *
   * @defaultValue - the cluster's name
   */
  readonly ccoctlName?: string;
  /**
   * Ids of service accounts by `metadata.name` of the request: the part of the e-mail address before the @. Those of
   * ccoctl end with five random characters; `gcloud iam service-accounts list` shows them with the display name
   * `<name>-<request>`. Keep them stated as long as the service accounts exist.
   *
   * @defaultValue - derived; with `naming: "ccoctl"`, each request must be here or in `absentAccounts`
   */
  readonly accountIds?: Readonly<Record<string, string>>;
  /**
   * With `naming: "ccoctl"`: `metadata.name` of requests for which ccoctl has not created a service account, for
   * example those of a newer release. One is created with an id of ccoctl's form. `all` stands for every request that
   * is not in `accountIds`.
   *
   * @defaultValue - none
   */
  readonly absentAccounts?: readonly string[] | "all";
  /**
   * Adopts ccoctl's resources with Terraform `import` blocks: pool, pool provider, the service accounts of `accountIds`
   * and their custom roles. Bindings need none. Remove it after the first apply, but keep the other settings.
   *
   * @defaultValue false
   */
  readonly adopt?: boolean;
  /**
   * With `adopt`: `metadata.name` of the requests whose custom roles exist, if these are not exactly the ones in
   * `accountIds`. For example, a sibling cluster of the project may already have created a role.
   *
   * @defaultValue - those with an entry in `accountIds`; none with `roleSharing: "cluster"`
   */
  readonly adoptRoles?: readonly string[];
  /**
   * Further Kubernetes service accounts, as `namespace/name`, that use the pool provider, for example operators of the
   * Operator Lifecycle Manager. The condition admits them; their permissions are granted elsewhere.
   *
   * @defaultValue - none; with `adopt`, a warning says that others lose access
   */
  readonly serviceAccounts?: readonly (string | Subject)[];
  /**
   * Owner of the custom roles. ccoctl has one per request for all clusters of a project: with `project` this stack owns
   * it, and removes permissions that a sibling cluster of another release may need; the sibling must state `existing`.
   * `overrides` can differ for single requests.
   *
   * @defaultValue - `cluster`; `project` with `naming: "ccoctl"`
   */
  readonly roleSharing?: RoleSharing;
  /**
   * Roles, rights and conditions of single requests, by `metadata.name`.
   *
   * @defaultValue - everything is as in the requests
   */
  readonly overrides?: Readonly<Record<string, ComponentOverride>>;
}

const COMPONENT_SERVICE_ACCOUNTS_PROPS: ObjectKind<ComponentServiceAccountsProps> = object({
  ...CLUSTER_POOL_PROPS.shape,
  naming: optional(choice(["derived", "ccoctl"])),
  ccoctlName: optional(text),
  accountIds: optional(record(text)),
  absentAccounts: optional(either(list(text), choice(["all"]))),
  adopt: optional(boolean),
  adoptRoles: optional(list(text)),
  serviceAccounts: optional(list(SUBJECT)),
  roleSharing: optional(choice(["cluster", "project", "existing"])),
  overrides: optional(record(COMPONENT_OVERRIDE)),
});

/** Ends the id of the pool provider. */
const JOB = "openshift";

/**
 * Identities for OpenShift's components on Google Cloud, like those of `ccoctl gcp create-all`.
 *
 * Declares a pool for the cluster, a pool provider that accepts tokens with audience `openshift` only from the
 * components' service accounts, and a {@link ComponentServiceAccount} per request. Everything is checked first.
 *
 * Warns if an adopted pool provider would only admit the components.
 */
export function componentServiceAccounts(
  props: ComponentServiceAccountsProps,
): IComponentIdentities<Construct> {
  checkGiven("componentServiceAccounts()", COMPONENT_SERVICE_ACCOUNTS_PROPS, props);
  checkClusterPool("componentServiceAccounts()", props);
  universeDomain(props.universeDomain);
  if (props.oidcProvider) checkComponentAudience(props.oidcProvider);
  const settings = componentSettings(props);
  return {
    cloud: "google",
    job: "components",
    providerKind: PROVIDER_KIND,
    declare: (scope, request) => declareComponents(scope, request, props, settings),
  };
}

function declareComponents(
  scope: Construct,
  request: ComponentsRequest,
  props: ComponentServiceAccountsProps,
  settings: ComponentSettings,
): ComponentsDeclaration {
  const { issuer, requests } = request;
  const cluster = clusterName(request.clusterName);
  if (requests.length === 0)
    fail("google-missing", {
      problem: `cluster ${cluster} has no CredentialsRequest for Google Cloud`,
      allowed: "at least one request",
      remedy: "read the requests from the release payload, or remove PlatformComponents",
    });
  universeIn(scope, props);
  checkRequestNames(requests, props, settings);
  const components = requests.map((each) => componentOf(each, cluster, props, settings));
  checkAll(scope, components);
  const others = (props.serviceAccounts ?? []).map(Subject.of);
  const subjects = [...others, ...requests.flatMap((each) => each.subjects)];
  const job = { clusterName: cluster, issuer, job: JOB, audiences: [COMPONENT_AUDIENCE], subjects };
  const { naming, adopt } = settings;
  const known = { id: props.ccoctlName ?? cluster, description: CCOCTL_DESCRIPTION, adopt };
  const oidcProvider = clusterPoolProvider(scope, job, props, naming === "ccoctl" ? known : undefined);
  oidcProvider.addSubjects(others);
  if (adopt && !props.oidcProvider && props.serviceAccounts === undefined)
    Annotations.of(scope).addWarning(othersWarning(oidcProvider.providerId));
  const accounts = components.map(
    (component) =>
      new ComponentServiceAccount(scope, `component_${component.request.name}`, {
        ...component,
        oidcProvider,
      }),
  );
  return { grants: accounts.map(({ grant }) => grant), secrets: [] };
}

function checkAll(scope: Construct, components: readonly UnboundComponent[]): void {
  const plans: ComponentPlan[] = [];
  for (const component of components) {
    const plan = planComponent(component);
    plans.push(plan);
    ofRequest(component.request, () => ComponentServiceAccount.check(scope, plan, component));
  }
  refuseClashes(plans);
  RoleBinding.checkRoom(
    scope,
    plans.flatMap(({ grants }) => grants),
  );
}

function componentOf(
  request: CredentialsRequest,
  cluster: string,
  props: ComponentServiceAccountsProps,
  { naming, adopt, accountIds, overrides }: ComponentSettings,
): UnboundComponent {
  const { project, universeDomain: universe, provider } = props;
  const override = overrides.get(request.name);
  const accountId = accountIds.get(request.name);
  return {
    ...override,
    request,
    clusterName: naming === "ccoctl" ? (props.ccoctlName ?? cluster) : cluster,
    project,
    naming,
    adopt: adopt && accountId !== undefined,
    adoptRole: props.adoptRoles?.includes(request.name),
    accountId,
    roleSharing: override?.roleSharing ?? props.roleSharing,
    universeDomain: universe,
    provider,
  };
}

function othersWarning(providerId: string): string {
  return `pool provider ${providerId} has admitted every service account of the cluster, and will only admit the components: others that use it, for example operators of the Operator Lifecycle Manager, lose access. List the members of roles/iam.workloadIdentityUser on the project's service accounts, and add the further ones to serviceAccounts; an empty list states that there are none`;
}

type ComponentSettings = ReturnType<typeof componentSettings>;

/** What the caller stated of all requests and of single ones, checked as far as it can be without them. */
function componentSettings(props: ComponentServiceAccountsProps) {
  const { adopt = false, naming = adopt ? "ccoctl" : "derived", ccoctlName, absentAccounts } = props;
  if (ccoctlName !== undefined) clusterName(ccoctlName);
  if (adopt && naming === "derived")
    refuseUnused('naming: "derived"', "with adopt, which needs ccoctl's names");
  if (!adopt && props.adoptRoles !== undefined) refuseUnused("adoptRoles", "without adopt");
  for (const [setting, value] of Object.entries({ ccoctlName, absentAccounts }))
    if (naming === "derived" && value !== undefined) refuseUnused(setting, 'without naming: "ccoctl"');
  const accountIds = new Map(Object.entries(props.accountIds ?? {}));
  const absent = absentAccounts ?? [];
  const both = [...accountIds.keys()].find((name) => absent !== "all" && absent.includes(name));
  if (both !== undefined)
    fail("google-conflict", {
      problem: "a request is listed both in accountIds and in absentAccounts",
      value: both,
      allowed: "one of the two for each request",
      remedy: "keep the entry in accountIds if the service account exists, and remove the other one",
    });
  return { naming, adopt, accountIds, absent, overrides: new Map(Object.entries(props.overrides ?? {})) };
}

/**
 * Each name that the caller states is one of a request; with ccoctl's names, each request has an id or is stated
 * absent: a service account with another id would be another one.
 */
function checkRequestNames(
  requests: readonly CredentialsRequest[],
  { adoptRoles = [] }: ComponentServiceAccountsProps,
  { accountIds, absent, overrides, naming }: ComponentSettings,
): void {
  const known = requests.map(({ name }) => name);
  const stated = {
    overrides: [...overrides.keys()],
    accountIds: [...accountIds.keys()],
    absentAccounts: absent === "all" ? [] : absent,
    adoptRoles,
  };
  for (const [setting, names] of Object.entries(stated)) {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined)
      fail("google-unknown", {
        problem: `${setting} names a CredentialsRequest that is not among the requests`,
        value: unknown,
        allowed: known.join(", "),
        remedy: "use metadata.name of a request, or remove the entry",
      });
  }
  if (naming === "derived" || absent === "all") return;
  const missing = known.filter((name) => !accountIds.has(name) && !absent.includes(name));
  if (missing.length > 0)
    fail("google-missing", {
      problem:
        "ids of ccoctl's service accounts are missing; they end with random characters that cannot be computed, and with another id the component would get another service account",
      value: missing,
      allowed:
        'accountIds with an entry for each request, or the request\'s name in absentAccounts ("all" for a cluster without ccoctl)',
      remedy:
        "take the id, the part before the @, from `gcloud iam service-accounts list --format='value(displayName,email)'`; the display name is <name>-<request>",
    });
}
