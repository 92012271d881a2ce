import { Annotations } from "cdktf";
import type { Construct } from "constructs";
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
import { CCOCTL_DESCRIPTION, PROVIDER_KIND } from "../../rules/google/component";
import { universeDomain } from "../../rules/google/workload";
import { type KnownNames, checkClusterPool, clusterPoolProvider } from "./cluster-pool-provider";
import { type ComponentPlan, type UnboundComponent, planComponent, refuseClashes } from "./component-plan";
import { ComponentServiceAccount, checkComponentAudience } from "./component-service-account";
import {
  type ComponentServiceAccountsProps,
  COMPONENT_SERVICE_ACCOUNTS_PROPS,
} from "./component-service-accounts-props";
import { type ComponentSettings, checkRequestNames, componentSettings } from "./component-settings";
import { RoleBinding } from "./role-binding";
import { universeIn } from "./universe";
import { checkGiven } from "../../model/shape";

/** Ends the id of the pool provider. */
const JOB = "openshift";

/**
 * Identities for OpenShift's components on Google Cloud: what `ccoctl gcp create-all` makes, declared.
 *
 * One pool for the cluster, one pool provider that takes tokens of audience `openshift` from exactly the components'
 * service accounts, and for each request a {@link ComponentServiceAccount}. Everything is checked before anything is
 * declared.
 *
 * Throws `google-project-invalid`, `google-project-number-invalid`, `google-project-contradicts`,
 * `google-setting-contradicts`, `google-universe-invalid`, `google-account-ids-contradict`, `cluster-name-invalid`, `subject-invalid`,
 * `late-value`; while declaring, also `google-universe-mismatch`, `google-requests-empty`,
 * `google-request-unknown`, `google-account-ids-missing`, `google-requests-clash`, `google-issuer-mismatch`, and what
 * pool, pool provider and {@link ComponentServiceAccount} throw.
 *
 * Warns of an adopted pool provider that would admit the components alone.
 */
export function componentServiceAccounts(
  props: ComponentServiceAccountsProps,
): IComponentIdentities<Construct> {
  checkGiven("componentServiceAccounts()", COMPONENT_SERVICE_ACCOUNTS_PROPS, props);
  checkClusterPool(props);
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
  if (requests.length === 0) fail("google-requests-empty", cluster);
  universeIn(scope, props);
  checkRequestNames(requests, settings);
  const components = requests.map((each) => componentOf(each, cluster, props, settings));
  checkAll(scope, components);
  const job = { clusterName: cluster, issuer, job: JOB, audiences: [COMPONENT_AUDIENCE] };
  const oidcProvider = clusterPoolProvider(scope, job, props, knownNames(cluster, props, settings));
  oidcProvider.addSubjects(settings.others);
  if (settings.adopt && !props.oidcProvider && props.serviceAccounts === undefined)
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
  { naming, adopt, accountIds, adoptRoles, overrides }: ComponentSettings,
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
    adoptRole: adoptRoles?.has(request.name),
    accountId,
    roleSharing: override?.roleSharing ?? props.roleSharing,
    universeDomain: universe,
    provider,
  };
}

function knownNames(
  cluster: string,
  { ccoctlName }: ComponentServiceAccountsProps,
  { naming, adopt }: ComponentSettings,
): KnownNames | undefined {
  if (naming === "derived") return undefined;
  return { id: ccoctlName ?? cluster, description: CCOCTL_DESCRIPTION, adopt };
}

function othersWarning(providerId: string): string {
  return `pool provider ${providerId} admitted every service account of the cluster, and will admit the components alone: others that use it, operators of the Operator Lifecycle Manager say, are cut off. List the members of roles/iam.workloadIdentityUser on the project's service accounts, and state the further ones in serviceAccounts; an empty list says that there are none`;
}
