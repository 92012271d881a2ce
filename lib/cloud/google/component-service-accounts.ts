import type { Construct } from "constructs";
import { fail } from "../../errors";
import { oneOf } from "../../model/choice";
import { COMPONENT_AUDIENCE } from "../../model/components";
import type { ComponentsDeclaration, ComponentsRequest, IComponentIdentities } from "../../model/components";
import type { CredentialsRequest } from "../../model/credentials-request";
import { literal } from "../../model/late";
import { ofRequest } from "../../model/request-label";
import { CCOCTL_DESCRIPTION } from "../../rules/google/ccoctl-names";
import { universeDomain } from "../../rules/google/external-account";
import { PROVIDER_KIND } from "../../rules/google/provider-spec";
import {
  type KnownNames,
  checkClusterPool,
  clusterPoolProvider,
  poolProjectNumber,
} from "./cluster-pool-provider";
import { type ComponentPlan, planComponent, refuseClashes } from "./component-plan";
import { ComponentServiceAccount, checkComponentAudience } from "./component-service-account";
import type { ComponentServiceAccountProps } from "./component-service-account-props";
import type { ComponentServiceAccountsProps } from "./component-service-accounts-props";
import { RoleBinding } from "./role-binding";

/** Settings of one component before its pool provider is there. */
type UnboundComponent = Omit<ComponentServiceAccountProps, "oidcProvider">;

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
 * `google-setting-contradicts`, `google-universe-invalid`, `choice-unknown`, `late-value`; while declaring, also
 * `google-request-unknown`, `google-adopt-missing`, `google-requests-clash`, `google-issuer-mismatch`, and what pool,
 * pool provider and {@link ComponentServiceAccount} throw.
 */
export function componentServiceAccounts(
  props: ComponentServiceAccountsProps,
): IComponentIdentities<Construct> {
  checkClusterPool(props);
  universeDomain(props.universeDomain);
  if (props.oidcProvider) checkComponentAudience(props.oidcProvider);
  if (props.adopt) {
    if (oneOf("naming", props.naming ?? "ccoctl", ["ccoctl", "derived"]) === "derived")
      fail("google-setting-contradicts", 'naming: "derived"', "with adopt, which needs ccoctl's names");
    literal(poolProjectNumber(props), "projectNumber (part of import ids)");
  }
  return {
    cloud: "google",
    providerKind: PROVIDER_KIND,
    declare: (scope, request) => declareComponents(scope, request, props),
  };
}

function declareComponents(
  scope: Construct,
  { clusterName, issuer, requests }: ComponentsRequest,
  props: ComponentServiceAccountsProps,
): ComponentsDeclaration {
  checkNames(requests, props);
  const components = requests.map((request) => componentOf(request, clusterName, props));
  checkAll(scope, components);
  const job = { clusterName, issuer, job: JOB, audiences: [COMPONENT_AUDIENCE] };
  const oidcProvider = clusterPoolProvider(scope, job, props, knownNames(clusterName, props));
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
    plans.flatMap(({ grants }) => grants.map(({ grant }) => grant)),
  );
}

function componentOf(
  request: CredentialsRequest,
  clusterName: string,
  props: ComponentServiceAccountsProps,
): UnboundComponent {
  const { adopt, overrides, project, roleSharing, universeDomain: universe, provider } = props;
  const naming = namingOf(props);
  const adopted = adopt?.accounts[request.name];
  const { accountId = adopted, ...override } = overrides?.[request.name] ?? {};
  return {
    ...override,
    request,
    clusterName: naming === "ccoctl" ? (props.ccoctlName ?? clusterName) : clusterName,
    project,
    naming,
    adopt: adopted !== undefined,
    accountId,
    roleSharing,
    universeDomain: universe,
    provider,
  };
}

function namingOf({ naming, adopt }: ComponentServiceAccountsProps): "derived" | "ccoctl" {
  return naming ?? (adopt ? "ccoctl" : "derived");
}

function knownNames(clusterName: string, props: ComponentServiceAccountsProps): KnownNames | undefined {
  if (namingOf(props) === "derived") return undefined;
  const id = props.ccoctlName ?? clusterName;
  return { id, description: CCOCTL_DESCRIPTION, adopt: props.adopt !== undefined };
}

/** Each name that the caller states is one of a request; each request is adopted or stated absent. */
function checkNames(requests: readonly CredentialsRequest[], props: ComponentServiceAccountsProps): void {
  const { adopt, overrides } = props;
  const known = requests.map(({ name }) => name);
  const stated: readonly (readonly [string, readonly string[]])[] = [
    ["overrides", Object.keys(overrides ?? {})],
    ["adopt.accounts", Object.keys(adopt?.accounts ?? {})],
    ["adopt.absent", adopt?.absent ?? []],
  ];
  for (const [setting, names] of stated) {
    const unknown = names.find((name) => !known.includes(name));
    if (unknown !== undefined) fail("google-request-unknown", setting, unknown, known);
  }
  if (!adopt) return;
  const twice = known.find((name) => adopt.accounts[name] !== undefined && overrides?.[name]?.accountId);
  if (twice !== undefined)
    fail("google-setting-contradicts", `overrides.${twice}.accountId`, "beside adopt.accounts");
  const given = new Set([...Object.keys(adopt.accounts), ...(adopt.absent ?? [])]);
  const missing = known.filter((name) => !given.has(name));
  if (missing.length > 0) fail("google-adopt-missing", missing);
}
