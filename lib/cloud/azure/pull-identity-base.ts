import { FederatedIdentityCredential } from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { Construct, type IConstruct } from "constructs";
import { at } from "../../errors";
import { Issuer } from "../../model/issuer";
import type { IPullSource } from "../../model/pulls";
import { Subject } from "../../model/subject";
import { CLIENT_ID_ANNOTATION, TENANT_ID_ANNOTATION } from "../../rules/azure/acr-credential-provider";
import { type AzureCloudName, azureCloud } from "../../rules/azure/clouds";
import {
  type FederatedCredential,
  checkCredentials,
  federatedCredentials,
} from "../../rules/azure/federated-credential";
import { type PullPermission, pullPermissions } from "../../rules/azure/pull-permission";
import { CONDITION_VERSION } from "../../rules/azure/repository-condition";
import { acrSource } from "./acr";
import type { IdentityLedger } from "./identity-ledger";

/** Service accounts of one cluster that may act as an identity. */
export interface PullTrust {
  /** Name of the cluster, a DNS label; begins the credentials' names. */
  readonly clusterName: string;
  /** The cluster's issuer, to the letter; may be late. */
  readonly issuer: string | Issuer;
  /** `namespace/name` each; there are no wildcards in Azure. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /**
   * The audience of the tokens.
   *
   * @defaultValue "api://AzureADTokenExchange"
   */
  readonly audience?: string;
}

/** A user-assigned identity for pulls, declared or adopted. */
export interface IPullIdentity extends IConstruct {
  /** Resource id of the identity; late when declared here. */
  readonly resourceId: string;
  /** Resource group of the identity. */
  readonly resourceGroupName: string;
  /** What the service account's annotation holds; late unless adopted with a literal one. */
  readonly clientId: string;
  /** Object id of the identity's service principal, which roles are assigned to. */
  readonly principalId: string;
  /** Tenant of the identity. */
  readonly tenantId: string;
  /** The two annotations that the acr plugin reads. */
  readonly annotations: Readonly<Record<string, string>>;
  /** The federated identity credentials that this stack declares on the identity, in the order of writing. */
  readonly credentials: readonly FederatedIdentityCredential[];
  /** The role assignments that this stack declares for the identity, by the registry's own host. */
  readonly roleAssignments: ReadonlyMap<string, RoleAssignment>;
  /**
   * Lets service accounts act as the identity: one federated identity credential each.
   *
   * Throws `azure-credentials-too-many`, `azure-credential-duplicate`, `azure-issuer-refused`, `name-taken` and the
   * refusals of issuers, subjects and audiences; nothing is declared then.
   */
  addTrust(trust: PullTrust): void;
  /**
   * Lets the identity pull from registries made by `acr()`: one role assignment per registry.
   *
   * Throws `acr-registry-contradiction`, `acr-condition-too-long` or `azure-source-foreign`; nothing is declared then.
   */
  grantPull(...sources: readonly IPullSource<Construct>[]): void;
}

/** Where an identity's further resources are declared. */
export interface PullIdentityScope {
  /**
   * The Azure cloud of the identity.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
  /**
   * The Terraform provider of the identity's subscription. azurerm writes credentials into the provider's own
   * subscription, so an identity of another subscription needs that subscription's provider.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

/**
 * The credentials of trusts that are added to an identity, trust by trust and by subject within each, checked
 * together with the ones that the identity has; throws what `addTrust` throws.
 */
export function trustCredentials(
  identity: string,
  trusts: readonly PullTrust[],
  cloud: AzureCloudName | undefined,
  existing: readonly FederatedCredential[],
): readonly FederatedCredential[] {
  const added = trusts.flatMap((trust) =>
    federatedCredentials({
      clusterName: trust.clusterName,
      issuer: Issuer.of(trust.issuer),
      audience: trust.audience ?? azureCloud(cloud ?? "AzurePublicCloud").audience,
      subjects: trust.serviceAccounts.map((serviceAccount) => Subject.of(serviceAccount)),
    }),
  );
  const remedy = "put the service accounts on more identities; pullIdentities makes one each";
  checkCredentials(identity, [...existing, ...added], remedy);
  return added;
}

/** What declared and adopted identities have in common: credentials in a chain, one role assignment per registry. */
export abstract class PullIdentityBase extends Construct implements IPullIdentity {
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
  protected abstract readonly ledger: IdentityLedger;
  readonly #props: PullIdentityScope;

  constructor(scope: Construct, id: string, props: PullIdentityScope) {
    super(scope, id);
    this.#props = props;
  }

  /** The two annotations that the acr plugin reads; it accepts neither absent nor empty. */
  get annotations(): Readonly<Record<string, string>> {
    return { [CLIENT_ID_ANNOTATION]: this.clientId, [TENANT_ID_ANNOTATION]: this.tenantId };
  }

  /** The federated identity credentials that this stack declares on the identity. */
  get credentials(): readonly FederatedIdentityCredential[] {
    return this.ledger.resources;
  }

  /** The role assignments that this stack declares for the identity. */
  get roleAssignments(): ReadonlyMap<string, RoleAssignment> {
    return this.ledger.assignments;
  }

  /** Declares one federated identity credential per service account. */
  addTrust(trust: PullTrust): void {
    const { credentials } = this.ledger;
    this.declareCredentials(
      at(this, () => trustCredentials(this.label, [trust], this.#props.cloud, credentials)),
    );
  }

  /** Declares or widens one role assignment per registry. */
  grantPull(...sources: readonly IPullSource<Construct>[]): void {
    const permissions = at(this, () => {
      const pulls = sources.map(acrSource);
      const all = pullPermissions([...this.ledger.pulls, ...pulls]);
      this.ledger.pulls.push(...pulls);
      return all;
    });
    for (const permission of permissions) this.#declareAssignment(permission);
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

  #credential(
    credential: FederatedCredential,
    previous: FederatedIdentityCredential | undefined,
  ): FederatedIdentityCredential {
    return new FederatedIdentityCredential(this, credential.name, {
      name: credential.name,
      resourceGroupName: this.resourceGroupName,
      parentId: this.resourceId,
      issuer: credential.issuer,
      subject: credential.subject,
      audience: [credential.audience],
      ...(previous && { dependsOn: [previous] }),
      ...this.#provider(),
    });
  }

  #declareAssignment({ loginServer, registry, roleDefinitionName, condition }: PullPermission): void {
    const known = this.ledger.assignments.get(loginServer.home);
    if (known) return condition === undefined ? resetCondition(known) : void (known.condition = condition);
    const resource = new RoleAssignment(this, loginServer.home, {
      scope: registry,
      roleDefinitionName,
      principalId: this.principalId,
      // A new identity's service principal reaches Entra's replicas late; with its type stated and the look-up
      // skipped the assignment does not fail on the replica that has not seen it yet.
      principalType: "ServicePrincipal",
      skipServicePrincipalAadCheck: true,
      ...(condition !== undefined && { condition, conditionVersion: CONDITION_VERSION }),
      ...this.#provider(),
    });
    this.ledger.assignments.set(loginServer.home, resource);
  }

  #provider(): { readonly provider?: AzurermProvider } {
    return this.#props.provider ? { provider: this.#props.provider } : {};
  }
}

function resetCondition(assignment: RoleAssignment): void {
  assignment.resetCondition();
  assignment.resetConditionVersion();
}
