import type { FederatedIdentityCredential } from "@cdktf/provider-azurerm/lib/federated-identity-credential/index.js";
import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import {
  type RoleAssignmentConfig,
  RoleAssignment,
} from "@cdktf/provider-azurerm/lib/role-assignment/index.js";
import { UserAssignedIdentity } from "@cdktf/provider-azurerm/lib/user-assigned-identity/index.js";
import { Construct } from "constructs";
import { at, fail } from "../../errors";
import type { AccessPrincipal } from "../../model/access-principal";
import { GivenIssuer, ISSUER, Issuer } from "../../model/issuer";
import { type ObjectKind, example, list, object, optional, record, text } from "../../model/shape";
import { SUBJECT, Subject } from "../../model/subject";
import { type AzureCloudName, azureCloud } from "../../rules/azure/clouds";
import { guid, identityName, location, resourceGroupName } from "../../rules/azure/names";
import { checkedTags, tagsArgument } from "../../rules/azure/tags";
import {
  type FederatedCredential,
  checkCredentials,
  federatedCredentials,
  sameCredential,
} from "../../rules/azure/trust";
import { terraformText } from "../../rules/terraform-text";
import { PROVIDER } from "../shared/kinds";
import type { RegistryStack } from "../shared/registry-stack";
import { attributeOf, dependsOn } from "../shared/references";
import { claimName, refuseTakenName } from "./names";
import { type ResourceGroupPlace, declaredGroups } from "./place";
import { IdentityCredential } from "./renamed-arguments";

/** Settings of declared identities. */
export interface IdentitySettings {
  /** Resource group that will hold the identities; may be late. */
  readonly resourceGroupName: string;
  /**
   * Region of the identities, for example `westeurope`; may be late. It may differ from the cluster's; a few regions do
   * not support federated identity credentials.
   */
  readonly location: string;
  /**
   * Tenant of the identities, a GUID. Stating it makes annotations and Secrets final at synth.
   *
   * @defaultValue - the identity's own attribute, known after apply
   */
  readonly tenantId?: string;
  /**
   * Tags of the identities.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * The Terraform provider of the subscription that holds the identities.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

export const IDENTITY_SETTINGS: ObjectKind<IdentitySettings> = object({
  resourceGroupName: text,
  location: example(text, '"westeurope"'),
  tenantId: optional(text),
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});

/** A user-assigned identity to declare. */
export interface DeclaredIdentityProps extends IdentitySettings {
  /** Name, 3 to 128 letters, digits, `_` and `-`; Azure ignores case in names. */
  readonly identityName: string;
}

export const DECLARED_IDENTITY_PROPS: ObjectKind<DeclaredIdentityProps> = object({
  identityName: text,
  ...IDENTITY_SETTINGS.shape,
});

export function checkIdentity(props: DeclaredIdentityProps): void {
  identityName(props.identityName);
  resourceGroupName(props.resourceGroupName);
  location(props.location);
  if (props.tenantId !== undefined) guid("tenantId", props.tenantId);
  checkedTags(props.tags);
}

/** What is stated of identities that must be declared; `maker` is the function to which it was not. */
export function requiredSettings(
  settings: Partial<IdentitySettings>,
  subject: Subject | undefined,
  maker: string,
): IdentitySettings {
  const { resourceGroupName: group, location: region, tenantId, tags, provider } = settings;
  if (group === undefined || region === undefined) {
    const missing = group === undefined ? "resourceGroupName" : "location";
    return fail("azure-missing", {
      problem: `the identity of ${subject?.key ?? "a service account"} must be declared, but ${missing} is missing`,
      remedy: `set ${missing} in ${maker}, or state an identity that exists as \`as\` of the service account`,
    });
  }
  return {
    resourceGroupName: resourceGroupName(group),
    location: location(region),
    ...(tenantId !== undefined && { tenantId }),
    ...(tags && { tags }),
    ...(provider && { provider }),
  };
}

export function declareIdentity(construct: Construct, props: DeclaredIdentityProps): UserAssignedIdentity {
  at(construct, () => refuseTakenName(construct, props));
  claimName(construct, props);
  return new UserAssignedIdentity(construct, "Resource", {
    name: props.identityName,
    resourceGroupName: props.resourceGroupName,
    location: props.location,
    ...tagsArgument(props.tags),
    ...(props.provider && { provider: props.provider }),
  });
}

/** The service principal of an identity, for role assignments; its late id is only created on use. */
export function principalOf(identity: { readonly principalId: string }): AccessPrincipal {
  return {
    get name(): string {
      return identity.principalId;
    },
    dependencies: [],
  };
}

/** Base of identities with federated trust: a chain of credentials, and role assignments for a new principal. */
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

  /** Value of the credentials' `parent_id`; by default the resource id. */
  protected get parentId(): string {
    return this.resourceId;
  }

  /** The Terraform provider as an argument of resources; empty for the stack's default one. */
  protected get providerArgument(): Pick<IdentitySettings, "provider"> {
    return this.#provider ? { provider: this.#provider } : {};
  }

  /**
   * Azure refuses concurrent writes on one identity with 409
   * `ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity`, so each credential waits for the previous
   * one. azurerm's own lock only works within one provider of one run (hashicorp/terraform-provider-azurerm issue
   * 29242).
   */
  protected declareCredentials(added: readonly FederatedCredential[]): void {
    for (const credential of added) {
      const previous = this.ledger.resources.at(-1);
      const { parentId, resourceGroupName } = this;
      const resource = new IdentityCredential(this, credential.name, {
        ...credential,
        audience: [credential.audience],
        parentId,
        resourceGroupName,
        ...(previous && { dependsOn: [previous] }),
        ...this.providerArgument,
      });
      this.ledger.resources.push(resource);
      this.ledger.credentials.push(credential);
    }
  }

  /** Declares a role assignment for the identity, in the stack of the resource's owner if that is stated. */
  protected declareRoleAssignment(
    id: string,
    owner: RegistryStack | undefined,
    config: Omit<RoleAssignmentConfig, "principalType" | "skipServicePrincipalAadCheck" | "provider">,
  ): RoleAssignment {
    const { description, ...rest } = config;
    const place = owner && new Construct(owner.scope, [...this.node.path.split("/"), id].join("_"));
    return new RoleAssignment(place ?? this, place ? "Resource" : id, {
      ...rest,
      ...(description !== undefined && { description: terraformText(description) }),
      // A new identity's service principal reaches Entra's replicas late; with its type stated and the look-up
      // skipped the assignment does not fail on the replica that has not seen it yet.
      principalType: "ServicePrincipal",
      skipServicePrincipalAadCheck: true,
      ...(owner ? owner.provider && { provider: owner.provider } : this.providerArgument),
    });
  }
}

/** Base of the identities of components and workloads: a declared identity and its credentials. */
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

  /** `check` returns the credentials; it and the checks of the identity's settings run before anything is declared. */
  constructor(
    scope: Construct,
    id: string,
    props: DeclaredIdentityProps & Pick<ResourceGroupPlace, "subscriptionId">,
    check: (construct: Construct) => readonly FederatedCredential[],
  ) {
    super(scope, id, props.provider);
    const credentials = at(this, () => {
      checkIdentity(props);
      return check(this);
    });
    this.resource = declareIdentity(this, props);
    dependsOn(this.resource, declaredGroups(this, [{ ...props, name: props.resourceGroupName }]));
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

/** The federated identity credentials that one stack has declared on one identity. */
export interface CredentialLedger {
  /** Credentials in the order in which they are written. */
  readonly credentials: FederatedCredential[];
  /** Their resources, in the same order. */
  readonly resources: FederatedIdentityCredential[];
}

/** Service accounts of one cluster that may use an identity. */
export interface PullTrust {
  /** Name of the cluster, a DNS label; begins the credentials' names. */
  readonly clusterName: string;
  /** The cluster's issuer, exactly; may be late. */
  readonly issuer: GivenIssuer;
  /** Service accounts as `namespace/name`; Azure does not support wildcards. */
  readonly serviceAccounts: readonly (string | Subject)[];
  /**
   * The audience of the tokens.
   *
   * @defaultValue "api://AzureADTokenExchange"
   */
  readonly audience?: string;
}

export const PULL_TRUST: ObjectKind<PullTrust> = object({
  clusterName: text,
  issuer: ISSUER,
  serviceAccounts: list(SUBJECT),
  audience: optional(text),
});

/**
 * Returns the credentials for trusts that are added to an identity, in the order of the trusts and sorted by subject
 * within each; with `once` without those that the identity already has. They are checked together with the latter.
 */
export function trustCredentials(
  identity: string,
  trusts: readonly PullTrust[],
  cloud: AzureCloudName | undefined,
  existing: readonly FederatedCredential[],
  once = false,
  remedy = "distribute the service accounts over more identities; pullIdentities makes one for each",
): readonly FederatedCredential[] {
  const credentials = trusts.flatMap((trust) =>
    federatedCredentials({
      clusterName: trust.clusterName,
      issuer: Issuer.of(trust.issuer),
      audience: trust.audience ?? azureCloud(cloud ?? "AzurePublicCloud").audience,
      subjects: trust.serviceAccounts.map((serviceAccount) => Subject.of(serviceAccount)),
    }),
  );
  const isKnown = (own: FederatedCredential): boolean => existing.some((each) => sameCredential(each, own));
  const added = once ? credentials.filter((own) => !isKnown(own)) : credentials;
  checkCredentials(identity, [...existing, ...added], remedy);
  return added;
}
