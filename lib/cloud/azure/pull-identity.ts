import type { UserAssignedIdentity } from "@cdktf/provider-azurerm/lib/user-assigned-identity/index.js";
import type { Construct } from "constructs";
import { at } from "../../errors";
import { type ObjectKind, checkProps, list, object, optional } from "../../model/shape";
import type { FederatedCredential } from "../../rules/azure/trust";
import {
  type IPullIdentity,
  type IdentityLedger,
  type PullIdentityAttributes,
  type PullIdentityScope,
  AdoptedPullIdentity,
  PULL_IDENTITY_ATTRIBUTES,
  PULL_IDENTITY_SCOPE,
  PullIdentityBase,
  newLedger,
} from "./adopted";
import {
  type DeclaredIdentityProps,
  type PullTrust,
  DECLARED_IDENTITY_PROPS,
  PULL_TRUST,
  checkIdentity,
  declareIdentity,
  trustCredentials,
} from "./identity";

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
