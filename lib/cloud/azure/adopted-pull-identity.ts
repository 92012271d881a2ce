import { DataAzurermUserAssignedIdentity } from "@cdktf/provider-azurerm/lib/data-azurerm-user-assigned-identity/index.js";
import type { Construct } from "constructs";
import { at, fail } from "../../errors";
import { isLate } from "../../model/late";
import { guid, invalidName, parseIdentityId, resourceGroupName } from "../../rules/azure/ids";
import { type IdentityLedger, ledgerOf } from "./identity-ledger";
import { checkSubscription } from "./provider-place";
import { type PullIdentityScope, PULL_IDENTITY_SCOPE, PullIdentityBase } from "./pull-identity-base";
import { type ObjectKind, object, optional, text } from "../../model/shape";

/** An existing user-assigned identity. */
export interface PullIdentityAttributes extends PullIdentityScope {
  /**
   * Resource id, `/subscriptions/…/providers/Microsoft.ManagedIdentity/userAssignedIdentities/<name>`.
   *
   * May be late when everything below is given.
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
   * @defaultValue - read by a data source, and late then
   */
  readonly clientId?: string;
  /**
   * Object id of the identity's service principal, a GUID.
   *
   * @defaultValue - read by a data source, and late then
   */
  readonly principalId?: string;
  /**
   * Tenant of the identity, a GUID.
   *
   * @defaultValue - read by a data source, and late then
   */
  readonly tenantId?: string;
}

/** The kind of {@link PullIdentityAttributes}. */
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

/** An identity that exists; declares at most a data source for what is not given. */
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
    problem: `the resource id of the identity is known only after apply, and ${missing} cannot be read from it`,
    allowed: "a literal resource id, or resourceGroupName, clientId, principalId and tenantId beside it",
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
