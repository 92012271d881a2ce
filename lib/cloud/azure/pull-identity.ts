import { DataAzurermUserAssignedIdentity } from "@cdktf/provider-azurerm/lib/data-azurerm-user-assigned-identity/index.js";
import type { FederatedIdentityCredential } from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import type { UserAssignedIdentity } from "@cdktf/provider-azurerm/lib/user-assigned-identity/index.js";
import { type IConstruct, Construct } from "constructs";
import { at, fail } from "../../errors";
import { isLate } from "../../model/late";
import { type IPullSource, PULL_SOURCE } from "../../model/pulls";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  checkProps,
  made,
  list,
  method,
  object,
  optional,
  text,
} from "../../model/shape";
import type { AzureCloudName } from "../../rules/azure/clouds";
import { guid, invalidName, parseIdentityId, resourceGroupName } from "../../rules/azure/names";
import {
  type PullPermission,
  type RegistryPull,
  CONDITION_VERSION,
  pullPermissions,
} from "../../rules/azure/permission";
import { CLIENT_ID_ANNOTATION, TENANT_ID_ANNOTATION } from "../../rules/azure/plugin";
import type { FederatedCredential } from "../../rules/azure/trust";
import { PROVIDER } from "../shared/kinds";
import { PerStack } from "../shared/per-stack";
import {
  type CredentialLedger,
  type DeclaredIdentityProps,
  type PullTrust,
  DECLARED_IDENTITY_PROPS,
  FederatedIdentityBase,
  PULL_TRUST,
  checkIdentity,
  declareIdentity,
  trustCredentials,
} from "./identity";
import { checkSubscription } from "./place";
import { type AcrSource, acrSource, waitForRegistry } from "./registry";
import type { RegistryStack } from "../shared/registry-stack";

/** A user-assigned identity for pulls, declared or adopted. */
export interface IPullIdentity extends IConstruct {
  /** Resource id of the identity; late when declared here. */
  readonly resourceId: string;
  /** Resource group of the identity. */
  readonly resourceGroupName: string;
  /** Client id, the value of the service account's annotation; late unless adopted with a literal one. */
  readonly clientId: string;
  /** Object id of the identity's service principal, for role assignments. */
  readonly principalId: string;
  /** Tenant of the identity. */
  readonly tenantId: string;
  /** The two annotations that the acr plugin reads. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The federated identity credentials that this stack declares on the identity, in the order of writing. */
  readonly credentials: readonly FederatedIdentityCredential[];
  /** The role assignments that this stack declares for the identity, by the registry's own host. */
  readonly roleAssignments: ReadonlyMap<string, RoleAssignment>;
  /** Allows service accounts to use the identity: declares one federated identity credential for each. */
  addTrust(trust: PullTrust): void;
  /** Allows the identity to pull from registries of `acr()`: declares one role assignment per registry. */
  grantPull(...sources: readonly IPullSource<Construct>[]): void;
}

const SOURCES: Kind<readonly IPullSource<Construct>[]> = list(PULL_SOURCE);

/** The kind of an {@link IPullIdentity}. */
export const PULL_IDENTITY: Kind<IPullIdentity> = made(
  "an identity: new PullIdentity(…) or PullIdentity.fromResourceId(…)",
  "PullIdentity.fromResourceId(…)",
  { addTrust: method, grantPull: method },
);

/** Settings for an identity's credentials and role assignments. */
export interface PullIdentityScope {
  /**
   * The Azure cloud of the identity.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
  /**
   * The Terraform provider of the identity's subscription. azurerm writes credentials to the provider's own
   * subscription, so an identity in another subscription needs that subscription's provider. A provider that states
   * another one is refused; `ARM_SUBSCRIPTION_ID` is not visible here, so state `subscriptionId` on the provider.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

export const PULL_IDENTITY_SCOPE: ObjectKind<PullIdentityScope> = object({
  cloud: optional(text),
  provider: optional(PROVIDER),
});

/** Base of declared and adopted identities for pulls: one role assignment per registry. */
export abstract class PullIdentityBase extends FederatedIdentityBase implements IPullIdentity {
  /** What this stack has declared on the identity. */
  protected abstract override readonly ledger: IdentityLedger;
  readonly #cloud: AzureCloudName | undefined;

  constructor(scope: Construct, id: string, props: PullIdentityScope) {
    super(scope, id, props.provider);
    this.#cloud = props.cloud;
  }

  /** The two annotations that the acr plugin reads; both are required and must not be empty. */
  get annotations(): Readonly<Record<string, string>> {
    return { [CLIENT_ID_ANNOTATION]: this.clientId, [TENANT_ID_ANNOTATION]: this.tenantId };
  }

  /** The role assignments that this stack declares for the identity. */
  get roleAssignments(): ReadonlyMap<string, RoleAssignment> {
    return this.ledger.assignments;
  }

  /** Declares one federated identity credential per service account. */
  addTrust(trust: PullTrust): void {
    at(this, () => checkGiven("addTrust()", PULL_TRUST, trust, "trust"));
    const { credentials } = this.ledger;
    this.declareCredentials(at(this, () => trustCredentials(this.label, [trust], this.#cloud, credentials)));
  }

  /** Declares or widens one role assignment per registry. */
  grantPull(...sources: readonly IPullSource<Construct>[]): void {
    const permissions = at(this, () => {
      checkGiven("grantPull()", SOURCES, sources, "sources");
      const pulls = sources.map(acrSource);
      for (const source of pulls) this.#ownedBy(source);
      const all = pullPermissions([...this.ledger.pulls, ...pulls]);
      this.ledger.pulls.push(...pulls);
      return all;
    });
    for (const permission of permissions) this.#declareAssignment(permission);
  }

  /** The stack of a registry's role assignment is decided once. */
  #ownedBy({ loginServer: { home }, owner }: AcrSource): void {
    const { owners } = this.ledger;
    if (owners.has(home) && owners.get(home)?.scope !== owner?.scope)
      fail("azure-mismatch", {
        problem: `two sources of the registry ${home} state different owners`,
        value: owner?.scope.node.path,
        allowed: owners.get(home)?.scope.node.path ?? "none",
        remedy: "state the same `owner` in every acr() of this registry",
      });
    owners.set(home, owner);
  }

  #declareAssignment({ loginServer, registry, roleDefinitionName, condition }: PullPermission): void {
    const known = this.ledger.assignments.get(loginServer.home);
    if (known) return condition === undefined ? resetCondition(known) : void (known.condition = condition);
    const owner = this.ledger.owners.get(loginServer.home);
    const resource = this.declareRoleAssignment(loginServer.home, owner, {
      scope: registry,
      roleDefinitionName,
      principalId: this.principalId,
      ...(condition !== undefined && { condition, conditionVersion: CONDITION_VERSION }),
    });
    waitForRegistry(resource, registry);
    this.ledger.assignments.set(loginServer.home, resource);
  }
}

function resetCondition(assignment: RoleAssignment): void {
  assignment.resetCondition();
  assignment.resetConditionVersion();
}

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

/** An existing user-assigned identity. */
export interface PullIdentityAttributes extends PullIdentityScope {
  /**
   * Resource id, `/subscriptions/…/providers/Microsoft.ManagedIdentity/userAssignedIdentities/<name>`.
   *
   * May be late if all other ids are given.
   */
  readonly resourceId: string;
  /**
   * Resource group of the identity.
   *
   * @defaultValue - read from the resource id
   */
  readonly resourceGroupName?: string;
  /**
   * Client id, a GUID.
   *
   * @defaultValue - read by a data source, and then late
   */
  readonly clientId?: string;
  /**
   * Object id of the identity's service principal, a GUID.
   *
   * @defaultValue - read by a data source, and then late
   */
  readonly principalId?: string;
  /**
   * Tenant of the identity, a GUID.
   *
   * @defaultValue - read by a data source, and then late
   */
  readonly tenantId?: string;
}

export const PULL_IDENTITY_ATTRIBUTES: ObjectKind<PullIdentityAttributes> = object({
  ...PULL_IDENTITY_SCOPE.shape,
  resourceId: text,
  resourceGroupName: optional(text),
  clientId: optional(text),
  principalId: optional(text),
  tenantId: optional(text),
});

interface Place {
  readonly resourceGroupName: string;
  readonly name: string | undefined;
}

const IDS = ["clientId", "principalId", "tenantId"] as const;

/** An existing identity; declares at most a data source for missing ids. */
export class AdoptedPullIdentity extends PullIdentityBase {
  /** The data source, `undefined` when every id was given. */
  readonly data: DataAzurermUserAssignedIdentity | undefined;
  override readonly resourceId: string;
  override readonly resourceGroupName: string;
  override readonly clientId: string;
  override readonly principalId: string;
  override readonly tenantId: string;
  protected override readonly label: string;
  protected override readonly ledger: IdentityLedger;

  constructor(scope: Construct, id: string, attributes: PullIdentityAttributes) {
    super(scope, id, attributes);
    const place = at(this, () => checkedPlace(this, attributes));
    const data = missingIds(attributes).length === 0 ? undefined : dataSource(this, place, attributes);
    const known = (key: (typeof IDS)[number]): string => attributes[key] ?? data?.[key] ?? incomplete(key);

    this.data = data;
    this.resourceId = attributes.resourceId;
    this.resourceGroupName = place.resourceGroupName;
    this.clientId = known("clientId");
    this.principalId = known("principalId");
    this.tenantId = known("tenantId");
    this.label = place.name ?? this.node.path;
    this.ledger = ledgerOf(this, attributes.resourceId);
  }
}

function checkedPlace(construct: Construct, attributes: PullIdentityAttributes): Place {
  for (const key of IDS) if (attributes[key] !== undefined) guid(key, attributes[key]);
  const { resourceId, resourceGroupName: stated } = attributes;
  if (isLate(resourceId)) {
    const missing = [...(stated === undefined ? ["resourceGroupName"] : []), ...missingIds(attributes)];
    if (stated === undefined || missing.length > 0) return incomplete(missing.join(", "));
    return { name: undefined, resourceGroupName: resourceGroupName(stated) };
  }
  const place = parseIdentityId(resourceId);
  checkSubscription(construct, "resourceId", place.subscriptionId, attributes.provider);
  if (stated !== undefined && !isLate(stated) && stated !== place.resourceGroupName)
    invalidName("resourceGroupName", stated, `${place.resourceGroupName}, as in resourceId`);
  return place;
}

function incomplete(missing: string): never {
  return fail("azure-missing", {
    problem: `the resource id of the identity is known only after apply, so ${missing} cannot be read from it`,
    allowed: "a literal resource id, or resourceGroupName, clientId, principalId and tenantId in addition",
    remedy: `give ${missing}`,
  });
}

function missingIds(attributes: PullIdentityAttributes): readonly string[] {
  return IDS.filter((key) => attributes[key] === undefined);
}

function dataSource(
  scope: Construct,
  { name, resourceGroupName: group }: Place,
  { provider }: PullIdentityAttributes,
): DataAzurermUserAssignedIdentity {
  return new DataAzurermUserAssignedIdentity(scope, "Resource", {
    name: name ?? incomplete(IDS.join(", ")),
    resourceGroupName: group,
    ...(provider && { provider }),
  });
}

/**
 * What one stack has declared on one identity that pulls.
 *
 * Azure counts and serialises per identity, not per construct, so constructs that adopt the same identity share
 * one ledger: one chain of credentials, one role assignment per registry.
 */
export interface IdentityLedger extends CredentialLedger {
  readonly pulls: RegistryPull[];
  readonly assignments: Map<string, RoleAssignment>;
  /** The owner whose stack each assignment is in, by the registry's own host. */
  readonly owners: Map<string, RegistryStack | undefined>;
}

const ledgers = new PerStack<IdentityLedger>();

/** Returns a separate ledger, for an identity that no other construct can name. */
export function newLedger(): IdentityLedger {
  return { credentials: [], resources: [], pulls: [], assignments: new Map(), owners: new Map() };
}

/** Returns the stack's ledger for a resource id; late ids cannot be compared, so each gets its own. */
export function ledgerOf(scope: Construct, resourceId: string): IdentityLedger {
  if (isLate(resourceId)) return newLedger();
  const key = resourceId.toLowerCase();
  return ledgers.get(scope, key) ?? ledgers.set(scope, key, newLedger());
}
