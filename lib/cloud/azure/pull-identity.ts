import type { UserAssignedIdentity } from "@cdktf/provider-azurerm/lib/user-assigned-identity/index.js";
import type { Construct } from "constructs";
import { at } from "../../errors";
import type { FederatedCredential } from "../../rules/azure/trust";
import {
  type PullIdentityAttributes,
  AdoptedPullIdentity,
  PULL_IDENTITY_ATTRIBUTES,
} from "./adopted-pull-identity";
import { type IdentityLedger, newLedger } from "./identity-ledger";
import {
  type IPullIdentity,
  type PullIdentityScope,
  PULL_IDENTITY_SCOPE,
  PullIdentityBase,
} from "./pull-identity-base";
import { type PullTrust, PULL_TRUST, trustCredentials } from "./trust";
import { checkIdentity, declareIdentity } from "./user-assigned-identity";
import { type ObjectKind, checkProps, list, object, optional, record, text } from "../../model/shape";

/** A user-assigned identity to declare. */
export interface PullIdentityProps extends PullIdentityScope {
  /** Name, 3 to 128 letters, digits, `_` and `-`; Azure compares names without regard to letter case. */
  readonly identityName: string;
  /** Resource group that will hold the identity; may be late. */
  readonly resourceGroupName: string;
  /**
   * Region of the identity, for example `westeurope`; may be late. It need not be the cluster's; a few regions
   * cannot hold federated identity credentials.
   */
  readonly location: string;
  /**
   * Tags of the identity.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Tenant of the identity, a GUID. Stating it makes the annotation final at synth.
   *
   * @defaultValue - the identity's own attribute, known after apply
   */
  readonly tenantId?: string;
  /**
   * Service accounts that may act as the identity; more can be added with `addTrust`.
   *
   * @defaultValue - none
   */
  readonly trusts?: readonly PullTrust[];
}

const PULL_IDENTITY_PROPS: ObjectKind<PullIdentityProps> = object({
  ...PULL_IDENTITY_SCOPE.shape,
  identityName: text,
  resourceGroupName: text,
  location: text,
  tags: optional(record(text)),
  tenantId: optional(text),
  trusts: optional(list(PULL_TRUST)),
});

/**
 * A user-assigned identity that pulls images for service accounts.
 *
 * Each service account is one federated identity credential: exact issuer, subject and audience, since Azure has no
 * wildcards for Kubernetes issuers. Credentials of one identity are chained with `depends_on`, in the order in which
 * they were added and within one trust by subject, because Azure refuses two writes at once. At most 20 fit;
 * credentials made outside of this stack count too, but cannot be seen here.
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
  /** What the annotation holds; late. */
  override readonly clientId: string;
  /** Object id of the identity's service principal; late. */
  override readonly principalId: string;
  /** Tenant as given; late otherwise. */
  override readonly tenantId: string;
  /** The name as given. */
  protected override readonly label: string;
  /** Its own: nobody else can name the identity. */
  protected override readonly ledger: IdentityLedger = newLedger();

  /**
   * Throws `azure-name-invalid`, `azure-guid-invalid`, the refusals of `addTrust`, and `azure-identity-name-taken` where
   * the app declares an identity of that name in the same resource group and subscription already, in any stack.
   */
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
   * An identity that exists. Literal ids are used as they are; for missing ones a data source is declared.
   *
   * Constructs of one stack that adopt the same literal id share its chain and its count; other stacks and tools do
   * not see it. Throws `azure-resource-id-invalid`, `azure-guid-invalid`, `azure-name-invalid`,
   * `azure-subscription-mismatch` or `azure-identity-incomplete`.
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
