/*
 * Identities that exist, and what one stack declares on an identity, be it declared or adopted.
 */

import { DataAzurermUserAssignedIdentity } from "@cdktf/provider-azurerm/lib/data-azurerm-user-assigned-identity/index.js";
import type { FederatedIdentityCredential } from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import type { Construct, IConstruct } from "constructs";
import { at, fail } from "../../errors";
import type { IExistingIdentity } from "../../model/identity";
import { isLate } from "../../model/late";
import { type IPullSource, PULL_SOURCE } from "../../model/pulls";
import {
  type Kind,
  type ObjectKind,
  boolean,
  checkGiven,
  list,
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
import { pluginAnnotations } from "../../rules/azure/plugin";
import { webhookAnnotations } from "../../rules/azure/pod";
import { PROVIDER } from "../shared/kinds";
import type { RegistryStack } from "../shared/registry-stack";
import { PerStack } from "../shared/per-scope";
import {
  type CredentialLedger,
  type PullTrust,
  FederatedIdentityBase,
  PULL_TRUST,
  trustCredentials,
} from "./identity";
import { checkSubscription } from "./place";
import { type AcrSource, acrSource, waitForRegistry } from "./registry";

/** A user-assigned identity that service accounts act as. */
export interface IWorkloadIdentity extends IConstruct, IExistingIdentity {
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
  /** The two annotations that the pod identity webhook reads, or for pulls the acr plugin. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The federated identity credentials that this stack declares on the identity, in the order of writing. */
  readonly credentials: readonly FederatedIdentityCredential[];
  /** Allows service accounts to use the identity: declares one federated identity credential for each. */
  addTrust(trust: PullTrust): void;
  /** What lines with `as` call: declares the credentials that are not declared yet, unless they exist elsewhere. */
  addTrustOnce(trust: PullTrust): void;
}

/** A user-assigned identity for pulls, declared or adopted. */
export interface IPullIdentity extends IWorkloadIdentity {
  /** The role assignments that this stack declares for the identity, by the registry's own host. */
  readonly roleAssignments: ReadonlyMap<string, RoleAssignment>;
  /** Allows the identity to pull from registries of `acr()`: declares one role assignment per registry. */
  grantPull(...sources: readonly IPullSource<Construct>[]): void;
}

const SOURCES: Kind<readonly IPullSource<Construct>[]> = list(PULL_SOURCE);

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
  /** Always `azure`. */
  readonly cloud: string = "azure";
  /** What this stack has declared on the identity. */
  protected abstract override readonly ledger: IdentityLedger;
  readonly #cloud: AzureCloudName | undefined;

  constructor(scope: Construct, id: string, props: PullIdentityScope) {
    super(scope, id, props.provider);
    this.#cloud = props.cloud;
  }

  /** The two annotations that the acr plugin reads; both are required and must not be empty. */
  get annotations(): Readonly<Record<string, string>> {
    return pluginAnnotations(this);
  }

  /** The role assignments that this stack declares for the identity. */
  get roleAssignments(): ReadonlyMap<string, RoleAssignment> {
    return this.ledger.assignments;
  }

  /** Declares one federated identity credential per service account. */
  addTrust(trust: PullTrust): void {
    at(this, () => checkGiven("addTrust()", PULL_TRUST, trust, "trust"));
    this.#trust(trust, false);
  }

  /** Declares those of the credentials that are not declared yet: pulls and workloads may name one identity. */
  addTrustOnce(trust: PullTrust): void {
    this.#trust(trust, true);
  }

  #trust(trust: PullTrust, once: boolean): void {
    const { credentials } = this.ledger;
    const added = at(this, () => trustCredentials(this.label, [trust], this.#cloud, credentials, once));
    this.declareCredentials(added);
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
  /**
   * Whether service accounts that act as the identity (`as`) get a federated identity credential. Set `false` if the
   * credentials exist: Azure refuses a second one with the same issuer and subject.
   *
   * @defaultValue true
   */
  readonly declareTrust?: boolean;
}

export const PULL_IDENTITY_ATTRIBUTES: ObjectKind<PullIdentityAttributes> = object({
  ...PULL_IDENTITY_SCOPE.shape,
  resourceId: text,
  resourceGroupName: optional(text),
  clientId: optional(text),
  principalId: optional(text),
  tenantId: optional(text),
  declareTrust: optional(boolean),
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
  /** Whether lines with `as` declare how service accounts may use it. */
  readonly declaresTrust: boolean;

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
    this.declaresTrust = attributes.declareTrust ?? true;
  }

  override addTrustOnce(trust: PullTrust): void {
    if (this.declaresTrust) super.addTrustOnce(trust);
  }
}

/** The same identity with the annotations of workloads. */
export class AdoptedWorkloadIdentity extends AdoptedPullIdentity implements IWorkloadIdentity {
  override get annotations(): Readonly<Record<string, string>> {
    return webhookAnnotations(this);
  }
}

/** Returns the identity that a line states in `as`. */
export function existingIdentity(existing: IExistingIdentity): IPullIdentity {
  return isIdentity(existing)
    ? existing
    : fail("azure-foreign", {
        problem: "an existing identity of cloud azure is not a user-assigned identity of this library",
        value: existing.cloud,
        allowed: "WorkloadIdentity.fromResourceId(…), PullIdentity.fromResourceId(…), or new PullIdentity(…)",
        remedy: "adopt the identity with one of these",
      });
}

function isIdentity(existing: IExistingIdentity): existing is IPullIdentity {
  return existing.cloud === "azure" && "grantPull" in existing;
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
  return ledgers.ensure(scope, key, newLedger);
}
