import { Construct } from "constructs";
import type { UserAssignedIdentity } from "@cdktf/provider-azurerm/lib/user-assigned-identity/index.js";
import { at, fail } from "../../errors";
import { type AccountGrant, accountsRequestShape } from "../../model/identity";
import type { ImageCredentialProvider } from "../../model/image-credential-provider";
import { isLate } from "../../model/late";
import { type NodeFile, nodeFile } from "../../model/node-file";
import { type IPullIdentities, type PullDeclaration, type PullRequest, PULL_SOURCE } from "../../model/pulls";
import {
  checkGiven,
  checkProps,
  type ObjectKind,
  example,
  number,
  object,
  optional,
  text,
  list,
} from "../../model/shape";
import type { Subject } from "../../model/subject";
import { type AzureCloudName, azureCloud } from "../../rules/azure/clouds";
import { guid } from "../../rules/azure/names";
import { pullPermissions } from "../../rules/azure/permission";
import { acrCredentialProvider, pluginAnnotations, renderAzureJson } from "../../rules/azure/plugin";
import { spread } from "../../rules/azure/pull";
import type { LoginServer } from "../../rules/azure/registry";
import { federatedCredentials, type FederatedCredential } from "../../rules/azure/trust";
import {
  type IdentitySettings,
  type PullTrust,
  principalOf,
  requiredSettings,
  IDENTITY_SETTINGS,
  type DeclaredIdentityProps,
  DECLARED_IDENTITY_PROPS,
  PULL_TRUST,
  checkIdentity,
  declareIdentity,
  trustCredentials,
} from "./identity";
import { refuseTakenName } from "./names";
import {
  type IPullIdentity,
  existingIdentity,
  type IdentityLedger,
  type PullIdentityAttributes,
  type PullIdentityScope,
  AdoptedPullIdentity,
  PULL_IDENTITY_ATTRIBUTES,
  PULL_IDENTITY_SCOPE,
  PullIdentityBase,
  newLedger,
} from "./adopted";
import { AcrSource, acrSource } from "./registry";

/** A user-assigned identity to declare. */
export interface PullIdentityProps extends DeclaredIdentityProps, PullIdentityScope {
  /**
   * Service accounts that may act as the identity; more can be added with `addTrust`.
   *
   * @defaultValue - none
   */
  readonly trusts?: readonly PullTrust[];
}

const PULL_IDENTITY_PROPS: ObjectKind<PullIdentityProps> = object({
  ...PULL_IDENTITY_SCOPE.shape,
  ...DECLARED_IDENTITY_PROPS.shape,
  trusts: optional(list(PULL_TRUST)),
});

/**
 * A user-assigned identity that pulls images for service accounts.
 *
 * Each service account is one federated identity credential: exact issuer, subject and audience, because Azure has no
 * wildcards for Kubernetes issuers. Credentials of one identity are chained with `depends_on`, in the order in which
 * they were added and within one trust by subject, because Azure refuses two writes at once. An identity has at most
 * 20; credentials declared outside this stack count too, but are not visible here.
 *
 * Children: `Resource`, one credential per service account under the credential's name, one role assignment per
 * registry under the registry's own host.
 */
export class PullIdentity extends PullIdentityBase {
  /** The declared identity. */
  readonly resource: UserAssignedIdentity;
  /** Resource id of the declared identity; late. */
  override readonly resourceId: string;
  /** Resource group as given. */
  override readonly resourceGroupName: string;
  /** Client id, the value of the annotation; late. */
  override readonly clientId: string;
  /** Object id of the identity's service principal; late. */
  override readonly principalId: string;
  /** Tenant as given; late otherwise. */
  override readonly tenantId: string;
  /** The name as given. */
  protected override readonly label: string;
  /** A separate ledger, because no other construct can name the identity. */
  protected override readonly ledger: IdentityLedger = newLedger();

  constructor(scope: Construct, id: string, props: PullIdentityProps) {
    checkProps(new.target.name, scope, id, PULL_IDENTITY_PROPS, props);
    super(scope, id, props);
    const credentials = at(this, () => checkedCredentials(props));
    this.resource = declareIdentity(this, props);
    this.resourceId = this.resource.id;
    this.resourceGroupName = props.resourceGroupName;
    this.clientId = this.resource.clientId;
    this.principalId = this.resource.principalId;
    this.tenantId = props.tenantId ?? this.resource.tenantId;
    this.label = props.identityName;
    this.declareCredentials(credentials);
  }

  /**
   * Returns an existing identity. Literal ids are used as they are; for missing ones a data source is declared.
   *
   * Constructs of one stack that adopt the same literal id share its chain and its count of credentials; other stacks
   * and tools do not.
   */
  static fromResourceId(scope: Construct, id: string, attributes: PullIdentityAttributes): IPullIdentity {
    checkProps("PullIdentity.fromResourceId()", scope, id, PULL_IDENTITY_ATTRIBUTES, attributes);
    return new AdoptedPullIdentity(scope, id, attributes);
  }
}

function checkedCredentials(props: PullIdentityProps): readonly FederatedCredential[] {
  checkIdentity(props);
  return trustCredentials(props.identityName, props.trusts ?? [], props.cloud, []);
}

/**
 * Properties of {@link pullIdentities}. Resource group and location are required unless every service account acts as
 * an existing identity (`as`). Identities and registries must be in one tenant.
 */
export interface PullIdentitiesSettings extends Partial<IdentitySettings> {
  /**
   * The Azure cloud; written to azure.json.
   *
   * @defaultValue - the cloud of the registries
   */
  readonly cloud?: AzureCloudName;
  /**
   * Audience of the service account tokens, the same in credentials, RBAC and the kubelet's file.
   *
   * @defaultValue "api://AzureADTokenExchange"
   */
  readonly audience?: string;
  /**
   * Number of shared identities per permission set, 1 to 65536. Jump consistent hashing of a service account's name
   * chooses its identity; raising the number from n to n + 1 moves one service account in n + 1.
   *
   * @defaultValue - one identity per service account
   */
  readonly shards?: number;
  /**
   * Prefix of the names of declared identities, 1 to 63 letters, digits and hyphens.
   *
   * @defaultValue - the cluster's name
   */
  readonly namePrefix?: string;
  /**
   * Path of the plugin's configuration file on the nodes.
   *
   * @defaultValue "/etc/kubernetes/acr-azure.json"
   */
  readonly azureJsonPath?: string;
  /**
   * GUID of a subscription, written to azure.json; the plugin does not need it.
   *
   * @defaultValue - left out
   */
  readonly subscriptionId?: string;
}

export const PULL_IDENTITIES_SETTINGS: ObjectKind<PullIdentitiesSettings> = object({
  ...IDENTITY_SETTINGS.shape,
  resourceGroupName: optional(text),
  location: optional(example(text, '"westeurope"')),
  cloud: optional(text),
  audience: optional(text),
  shards: optional(number),
  namePrefix: optional(text),
  azureJsonPath: optional(text),
  subscriptionId: optional(text),
});

/** One cluster's pulls from container registries, which are requested with `acr()`. */
export interface PullIdentitiesProps extends PullIdentitiesSettings, PullRequest<Construct> {}

export const PULL_IDENTITIES_PROPS: ObjectKind<PullIdentitiesProps> = object({
  ...PULL_IDENTITIES_SETTINGS.shape,
  ...accountsRequestShape(PULL_SOURCE),
});

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

type PullPlan = ReturnType<typeof planPulls>;

/** Checks a request as a whole and decides who acts as which identity. */
function planPulls(scope: Construct, props: PullIdentitiesProps) {
  const { clusterName, issuer, namePrefix = clusterName, shards } = props;
  const sources = props.accounts.flatMap(({ asks }) => asks.map(acrSource));
  const loginServers = sources.map((source) => source.loginServer);
  const cloud = oneCloud(props, loginServers);
  // Rights of existing identities on the registries are not declared.
  const existing = props.accounts.flatMap(({ subject, existing: each }) =>
    each ? [{ subject, identity: existingIdentity(each) }] : [],
  );
  const created = props.accounts
    .filter((account) => account.existing === undefined)
    .map(({ subject, asks }) => ({ subject, permissions: pullPermissions(asks.map(acrSource)) }));
  const planned = spread(created, { namePrefix, shards, issuers: issuer.accepted.length });
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
