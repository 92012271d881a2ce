import type { FederatedIdentityCredential } from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import {
  RoleAssignment,
  type RoleAssignmentConfig,
} from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { Construct } from "constructs";
import type { FederatedCredential } from "../../rules/azure/trust";
import { terraformText } from "../../rules/terraform-text";
import { IdentityCredential } from "./identity-credential";
import type { CredentialLedger } from "./identity-ledger";

/** What every identity with federated trust has: credentials in a chain, and role assignments for a new principal. */
export abstract class FederatedIdentityBase extends Construct {
  /** Resource id of the identity. */
  abstract readonly resourceId: string;
  /** Resource group of the identity. */
  abstract readonly resourceGroupName: string;
  /** Client id of the identity. */
  abstract readonly clientId: string;
  /** Object id of the identity's service principal. */
  abstract readonly principalId: string;
  /** Tenant of the identity. */
  abstract readonly tenantId: string;
  /** How refusals name the identity. */
  protected abstract readonly label: string;
  /** What this stack has declared on the identity. */
  protected abstract readonly ledger: CredentialLedger;
  readonly #provider: AzurermProvider | undefined;

  constructor(scope: Construct, id: string, provider: AzurermProvider | undefined) {
    super(scope, id);
    this.#provider = provider;
  }

  /** The federated identity credentials that this stack declares on the identity. */
  get credentials(): readonly FederatedIdentityCredential[] {
    return this.ledger.resources;
  }

  /** What the credentials refer to; by default the resource id. */
  protected get parentId(): string {
    return this.resourceId;
  }

  /** The Terraform provider as an argument of resources; nothing for the stack's default one. */
  protected get providerArgument(): {
    /**
     * The Terraform provider.
     *
     * @defaultValue - the stack's default azurerm provider
     */
    readonly provider?: AzurermProvider;
  } {
    return this.#provider ? { provider: this.#provider } : {};
  }

  /**
   * Azure answers two writes on one identity at once with 409
   * `ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity`, so each credential waits for the one
   * before. azurerm locks within one run only as far as it sees one provider (hashicorp/terraform-provider-azurerm
   * issue 29242).
   */
  protected declareCredentials(added: readonly FederatedCredential[]): void {
    for (const credential of added) {
      const previous = this.ledger.resources.at(-1);
      this.ledger.resources.push(this.#credential(credential, previous));
      this.ledger.credentials.push(credential);
    }
  }

  /** One role assignment for the identity. */
  protected declareRoleAssignment(
    id: string,
    config: Pick<
      RoleAssignmentConfig,
      | "scope"
      | "roleDefinitionName"
      | "roleDefinitionId"
      | "principalId"
      | "condition"
      | "conditionVersion"
      | "description"
      | "lifecycle"
      | "name"
    >,
  ): RoleAssignment {
    const { description, ...rest } = config;
    return new RoleAssignment(this, id, {
      ...rest,
      ...(description !== undefined && { description: terraformText(description) }),
      // A new identity's service principal reaches Entra's replicas late; with its type stated and the look-up
      // skipped the assignment does not fail on the replica that has not seen it yet.
      principalType: "ServicePrincipal",
      skipServicePrincipalAadCheck: true,
      ...this.providerArgument,
    });
  }

  #credential(
    credential: FederatedCredential,
    previous: FederatedIdentityCredential | undefined,
  ): FederatedIdentityCredential {
    return new IdentityCredential(this, credential, {
      identityId: this.parentId,
      resourceGroupName: this.resourceGroupName,
      ...(previous && { dependsOn: [previous] }),
      ...this.providerArgument,
    });
  }
}
