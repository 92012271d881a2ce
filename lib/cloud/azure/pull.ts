import { Construct } from "constructs";
import type { RegistryStack } from "../shared/registry-stack";
import { at, fail } from "../../errors";
import type { AccountGrant } from "../../model/identity";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import { isLate } from "../../model/late";
import { type NodeFile, nodeFile } from "../../model/node-file";
import type { IPullIdentities, PullDeclaration } from "../../model/pulls";
import { checkGiven, checkProps } from "../../model/shape";
import type { Subject } from "../../model/subject";
import { type AzureCloudName, azureCloud } from "../../rules/azure/clouds";
import { guid } from "../../rules/azure/names";
import { pullPermissions } from "../../rules/azure/permission";
import { acrCredentialProvider, pluginAnnotations, renderAzureJson } from "../../rules/azure/plugin";
import { type PlannedIdentity, type PlannedPull, spread } from "../../rules/azure/pull";
import type { LoginServer } from "../../rules/azure/registry";
import { federatedCredentials } from "../../rules/azure/trust";
import { type IdentitySettings, type PullTrust, principalOf, requiredSettings } from "./identity";
import { refuseTakenName } from "./names";
import {
  type PullIdentitiesProps,
  type PullIdentitiesSettings,
  PULL_IDENTITIES_PROPS,
  PULL_IDENTITIES_SETTINGS,
} from "./pull-props";
import { type IPullIdentity, existingIdentity } from "./adopted";
import { type PullIdentityProps, PullIdentity } from "./pull-identity";
import { AcrSource, acrSource } from "./registry";

const AZURE_JSON_PATH = "/etc/kubernetes/acr-azure.json";
/** Readable only by root: the kubelet runs the plugin as root. */
const AZURE_JSON_MODE = 0o600;

/**
 * The identities of all pulls of one cluster, with trust, permissions, annotations and the plugin's files.
 *
 * By default each service account has its own identity. With `shards` identities are shared, and a hash chooses the
 * identity. Filling each up to 20 in order would be wrong: adding a service account in the middle would change the
 * client ids, and so the annotations, of its neighbours on a running cluster. Raising `shards` from n to n + 1 moves
 * one service account in n + 1. Only service accounts with equal permissions share an identity.
 *
 * All identities and registries are in one tenant and one cloud, because the plugin has one azure.json.
 *
 * Children: one `PullIdentity` per identity, named `<namespace>_<name>` of the service account, or `pulls-<hash of the
 * permissions>_<bucket>` with `shards`.
 */
export class PullIdentities extends Construct implements PullDeclaration {
  /** The identity of each service account, by `namespace/name`. */
  readonly identities: ReadonlyMap<string, IPullIdentity>;
  /** The annotations of each service account, in the order of the pulls. */
  readonly grants: readonly AccountGrant[];
  /** The kubelet's entry. */
  readonly provider: ImageCredentialProvider;
  /** The plugin's azure.json. */
  readonly nodeFiles: readonly NodeFile[];
  /** `roleAssignmentMode` of each registry by its own host; azurerm has an argument for it only from 4.81 on. */
  readonly registries: Readonly<Record<string, Readonly<Record<string, string>>>>;

  constructor(scope: Construct, id: string, props: PullIdentitiesProps) {
    checkProps(new.target.name, scope, id, PULL_IDENTITIES_PROPS, props);
    super(scope, id);
    const { tenantId } = props;
    const plan = at(this, () => planPulls(this, props));
    for (const { subject, identity } of plan.existing) identity.addTrustOnce(plan.trust([subject]));
    const existing = plan.existing.map(({ subject, identity }): Entry => [subject.key, identity]);
    this.identities = new Map([...existing, ...this.#declared(plan)]);
    const used = props.accounts.flatMap(({ subject }) => {
      const identity = this.identities.get(subject.key);
      return identity ? [{ subject, identity }] : [];
    });
    this.grants = used.map(({ subject, identity }) => ({
      subject,
      identity: identity.clientId,
      principal: principalOf(identity),
      annotations: pluginAnnotations({
        clientId: identity.clientId,
        tenantId: tenantId ?? identity.tenantId,
      }),
    }));
    this.provider = acrCredentialProvider(plan);
    // All tenants are the same one; a literal one is preferred, because the file is then final at synth.
    const tenants = used.map(({ identity }) => identity.tenantId);
    const tenant = tenantId ?? tenants.find((each) => !isLate(each)) ?? tenants[0] ?? refuseNoPulls();
    const content = renderAzureJson({
      cloud: plan.cloud,
      tenantId: tenant,
      subscriptionId: props.subscriptionId,
    });
    this.nodeFiles = [nodeFile({ path: plan.azureJsonPath, mode: AZURE_JSON_MODE, content })];
    const sources = props.accounts.flatMap(({ asks }) => asks.map(acrSource));
    this.registries = Object.fromEntries(
      sources
        .map(({ loginServer, roleAssignmentMode }) => [loginServer.home, { roleAssignmentMode }] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  }

  #declared(plan: PullPlan): readonly Entry[] {
    return plan.declared.flatMap(({ id, permissions, subjects, ...props }) => {
      const identity = new PullIdentity(this, id, { ...props, trusts: [plan.trust(subjects)] });
      identity.grantPull(
        ...permissions.map(
          (permission) => new AcrSource(permission, plan.owners.get(permission.loginServer.home)),
        ),
      );
      return subjects.map((subject): Entry => [subject.key, identity]);
    });
  }
}

/**
 * Returns the identities of one cluster's pulls from container registries, for the composed constructs.
 *
 * Declares a {@link PullIdentities} with the id `Default`.
 */
export function pullIdentities(settings: PullIdentitiesSettings = {}): IPullIdentities<Construct> {
  checkGiven("pullIdentities()", PULL_IDENTITIES_SETTINGS, settings);
  return {
    cloud: "azure",
    job: "pulls",
    // `Default` is left out of logical ids: the scope already names the cloud.
    declare: (scope, request) => new PullIdentities(scope, "Default", { ...settings, ...request }),
  };
}

type Entry = readonly [string, IPullIdentity];

/** Everything that is decided before the first resource is declared. */
interface PullPlan {
  readonly cloud: AzureCloudName;
  readonly azureJsonPath: string;
  readonly audience: string;
  readonly loginServers: readonly LoginServer[];
  readonly declared: readonly (PlannedIdentity & Omit<PullIdentityProps, "trusts">)[];
  /** Identities of lines with `as`, whose rights on the registries are not declared. */
  readonly existing: readonly { readonly subject: Subject; readonly identity: IPullIdentity }[];
  readonly trust: (serviceAccounts: readonly Subject[]) => PullTrust;
  /** The owner's stack for role assignments on a registry, by the registry's own host. */
  readonly owners: ReadonlyMap<string, RegistryStack | undefined>;
}

interface AzurePull {
  readonly subject: Subject;
  readonly sources: readonly AcrSource[];
}

/** Checks a request as a whole and decides who acts as which identity. */
function planPulls(scope: Construct, props: PullIdentitiesProps): PullPlan {
  const { clusterName, issuer, namePrefix = clusterName, shards } = props;
  const sources = props.accounts.flatMap(({ asks }) => asks.map(acrSource));
  const loginServers = sources.map((source) => source.loginServer);
  const cloud = oneCloud(props, loginServers);
  const existing = props.accounts.flatMap(({ subject, existing: each }) =>
    each ? [{ subject, identity: existingIdentity(each) }] : [],
  );
  const created = props.accounts
    .filter((account) => account.existing === undefined)
    .map(({ subject, asks }) => ({ subject, sources: asks.map(acrSource) }));
  const planned = spread(created.map(permitted), { namePrefix, shards, issuers: issuer.accepted.length });
  checkTenants(
    props,
    existing.map(({ identity }) => identity),
  );
  const audience = props.audience ?? azureCloud(cloud).audience;
  // Checks name, issuer and audience once for all service accounts.
  federatedCredentials({ clusterName, issuer, audience, subjects: [] });
  const azureJsonPath = checkedPath(props);
  const settings = (): IdentitySettings => requiredSettings(props, created[0]?.subject, "pullIdentities");
  const declared = planned.map((identity) => ({ ...identity, ...settings(), cloud }));
  for (const identity of declared) refuseTakenName(scope, identity);
  const trust = (serviceAccounts: readonly Subject[]): PullTrust => ({
    clusterName,
    issuer,
    audience,
    serviceAccounts,
  });
  const owners = new Map(sources.map(({ loginServer, owner }) => [loginServer.home, owner]));
  return { cloud, azureJsonPath, audience, loginServers, declared, existing, trust, owners };
}

/** Checks the file as far as it is known, before the first resource is declared. */
function checkedPath({ azureJsonPath = AZURE_JSON_PATH, subscriptionId }: PullIdentitiesProps): string {
  if (subscriptionId !== undefined) guid("subscriptionId", subscriptionId);
  return nodeFile({ path: azureJsonPath, mode: 0, content: "" }).path;
}

function permitted({ subject, sources }: AzurePull): PlannedPull {
  return { subject, permissions: pullPermissions(sources) };
}

function refuseNoPulls(): never {
  return fail("azure-missing", {
    problem: "the list of pulls is empty",
    remedy: "add at least one pull, or remove the construct",
  });
}

function oneCloud(props: PullIdentitiesProps, loginServers: readonly LoginServer[]): AzureCloudName {
  const [first] = loginServers;
  if (first === undefined) return refuseNoPulls();
  const cloud = props.cloud === undefined ? first.cloud : azureCloud(props.cloud).name;
  const other = loginServers.find((loginServer) => loginServer.cloud !== cloud);
  return other
    ? fail("azure-mismatch", {
        problem: "login server is in another Azure cloud than the others",
        value: other.host,
        allowed: cloud,
        remedy: "pull from one Azure cloud per cluster: the plugin's azure.json names only one",
      })
    : cloud;
}

/** The plugin exchanges all tokens in the tenant of its azure.json, so literal tenants must agree. */
function checkTenants({ tenantId }: PullIdentitiesProps, identities: readonly IPullIdentity[]): void {
  if (tenantId !== undefined) guid("tenantId", tenantId);
  const literals = [...(tenantId === undefined ? [] : [tenantId]), ...identities.map((own) => own.tenantId)];
  const [first, ...others] = literals.filter((id) => !isLate(id));
  const other = others.find((id) => id.toLowerCase() !== first?.toLowerCase());
  if (first !== undefined && other !== undefined)
    fail("azure-mismatch", {
      problem: "an identity is in another tenant than the others",
      value: other,
      allowed: first,
      remedy:
        "use identities and registries in one tenant: the plugin exchanges every token in the tenant of its azure.json",
    });
}
