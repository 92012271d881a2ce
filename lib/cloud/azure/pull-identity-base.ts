import type { FederatedIdentityCredential } from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import type { RoleAssignment } from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import type { Construct, IConstruct } from "constructs";
import { at } from "../../errors";
import { type IPullSource, PULL_SOURCE } from "../../model/pulls";
import { CLIENT_ID_ANNOTATION, TENANT_ID_ANNOTATION } from "../../rules/azure/acr-credential-provider";
import type { AzureCloudName } from "../../rules/azure/clouds";
import { type PullPermission, CONDITION_VERSION, pullPermissions } from "../../rules/azure/permission";
import { acrSource } from "./acr";
import { FederatedIdentityBase } from "./federated-identity-base";
import type { IdentityLedger } from "./identity-ledger";
import { type PullTrust, PULL_TRUST, trustCredentials } from "./trust";
import {
  type Kind,
  type ObjectKind,
  checkGiven,
  like,
  list,
  method,
  object,
  optional,
  text,
} from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

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

const SOURCES: Kind<readonly IPullSource<Construct>[]> = list(PULL_SOURCE);

/** The kind of an {@link IPullIdentity}. */
export const PULL_IDENTITY: Kind<IPullIdentity> = like(
  "an identity: new PullIdentity(…) or PullIdentity.fromResourceId(…)",
  { addTrust: method, grantPull: method },
);

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
   * subscription, so an identity of another subscription needs that subscription's provider. A provider that states
   * another one is refused; what `ARM_SUBSCRIPTION_ID` says is not seen, so state `subscriptionId` on the provider.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

/** The kind of {@link PullIdentityScope}. */
export const PULL_IDENTITY_SCOPE: ObjectKind<PullIdentityScope> = object({
  cloud: optional(text),
  provider: optional(PROVIDER),
});

/** What declared and adopted identities for pulls have in common: one role assignment per registry. */
export abstract class PullIdentityBase extends FederatedIdentityBase implements IPullIdentity {
  /** What this stack has declared on the identity. */
  protected abstract override readonly ledger: IdentityLedger;
  readonly #cloud: AzureCloudName | undefined;

  constructor(scope: Construct, id: string, props: PullIdentityScope) {
    super(scope, id, props.provider);
    this.#cloud = props.cloud;
  }

  /** The two annotations that the acr plugin reads; it accepts neither absent nor empty. */
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
      const all = pullPermissions([...this.ledger.pulls, ...pulls]);
      this.ledger.pulls.push(...pulls);
      return all;
    });
    for (const permission of permissions) this.#declareAssignment(permission);
  }

  #declareAssignment({ loginServer, registry, roleDefinitionName, condition }: PullPermission): void {
    const known = this.ledger.assignments.get(loginServer.home);
    if (known) return condition === undefined ? resetCondition(known) : void (known.condition = condition);
    const resource = this.declareRoleAssignment(loginServer.home, {
      scope: registry,
      roleDefinitionName,
      principalId: this.principalId,
      ...(condition !== undefined && { condition, conditionVersion: CONDITION_VERSION }),
    });
    this.ledger.assignments.set(loginServer.home, resource);
  }
}

function resetCondition(assignment: RoleAssignment): void {
  assignment.resetCondition();
  assignment.resetConditionVersion();
}
