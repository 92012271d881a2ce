import { UserAssignedIdentity } from "@cdktf/provider-azurerm/lib/user-assigned-identity/index.js";
import type { Construct } from "constructs";
import { at } from "../../errors";
import { guid, identityName, location, resourceGroupName } from "../../rules/azure/ids";
import { checkedTags, tagsArgument } from "../../rules/azure/tags";
import type { AccessPrincipal } from "../../model/access-principal";
import { type IdentityPlace, claimName, refuseTakenName } from "./identity-names";

/** A user-assigned identity to declare. */
export interface IdentityDeclaration extends IdentityPlace {
  /** Region; may be late. */
  readonly location: string;
  /**
   * Its tags.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Its tenant, a GUID.
   *
   * @defaultValue - the identity's own attribute, known after apply
   */
  readonly tenantId?: string;
  /**
   * Its subscription, a GUID.
   *
   * @defaultValue - that of the provider
   */
  readonly subscriptionId?: string;
}

/** Throws `azure-name-invalid`, `azure-guid-invalid` or `azure-tag-invalid`. */
export function checkIdentity(props: IdentityDeclaration): void {
  identityName(props.identityName);
  resourceGroupName(props.resourceGroupName);
  location(props.location);
  if (props.tenantId !== undefined) guid("tenantId", props.tenantId);
  checkedTags(props.tags);
}

/** Declares the identity as `Resource` of a construct and claims its name; throws `azure-identity-name-taken`. */
export function declareIdentity(construct: Construct, props: IdentityDeclaration): UserAssignedIdentity {
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

/** The service principal of an identity, which roles are assigned to; its late id is made when it is asked for. */
export function principalOf(identity: { readonly principalId: string }): AccessPrincipal {
  return {
    get name(): string {
      return identity.principalId;
    },
    dependencies: [],
  };
}
