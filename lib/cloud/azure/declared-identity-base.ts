import type { UserAssignedIdentity } from "@cdktf/provider-azurerm/lib/user-assigned-identity/index.js";
import type { Construct } from "constructs";
import { at } from "../../errors";
import type { FederatedCredential } from "../../rules/azure/trust";
import { attributeOf, dependsOn } from "../shared/references";
import { FederatedIdentityBase } from "./federated-identity-base";
import type { CredentialLedger } from "./identity-ledger";
import { type ResourceGroupPlace, declaredGroups } from "./resource-groups";
import { type IdentityDeclaration, checkIdentity, declareIdentity } from "./user-assigned-identity";

/** What identities of components and of workloads have in common: a declared identity and its credentials. */
export abstract class DeclaredIdentityBase extends FederatedIdentityBase {
  /** The declared identity. */
  readonly resource: UserAssignedIdentity;
  /** Name of the identity. */
  readonly identityName: string;
  /** Resource group as given. */
  override readonly resourceGroupName: string;
  /** Client id of the identity; late. */
  override readonly clientId: string;
  /** Tenant as given; late otherwise. */
  override readonly tenantId: string;
  protected override readonly label: string;
  protected override readonly ledger: CredentialLedger = { credentials: [], resources: [] };

  /** `check` gives the credentials; it and the identity's own settings are checked before anything is declared. */
  constructor(
    scope: Construct,
    id: string,
    props: IdentityDeclaration,
    check: (construct: Construct) => readonly FederatedCredential[],
  ) {
    super(scope, id, props.provider);
    const credentials = at(this, () => {
      checkIdentity(props);
      return check(this);
    });
    this.resource = declareIdentity(this, props);
    dependsOn(this.resource, declaredGroups(this, [groupOf(props)]));
    this.identityName = props.identityName;
    this.resourceGroupName = props.resourceGroupName;
    this.clientId = this.resource.clientId;
    this.tenantId = props.tenantId ?? this.resource.tenantId;
    this.label = props.identityName;
    this.declareCredentials(credentials);
  }

  /** Object id of the identity's service principal; late. */
  override get principalId(): string {
    return this.resource.principalId;
  }

  /** References within the stack, without a late value of cdktf for each of thousands. */
  protected override get parentId(): string {
    return attributeOf(this.resource, "id");
  }

  /** What role assignments refer to. */
  protected get principalReference(): string {
    return attributeOf(this.resource, "principal_id");
  }
}

function groupOf({ resourceGroupName, subscriptionId, provider }: IdentityDeclaration): ResourceGroupPlace {
  return { name: resourceGroupName, subscriptionId, provider };
}
