import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import type { IConstruct } from "constructs";
import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { DefaultProvider } from "../shared/default-provider";

const defaults = new DefaultProvider<AzurermProvider>("azurerm");

/** The stack's default azurerm provider, where it has been added to the stack already. */
export function defaultProvider(construct: IConstruct): AzurermProvider | undefined {
  return defaults.of(construct);
}

/**
 * Refuses an identity of another subscription than its Terraform provider's, as far as both are literal.
 *
 * azurerm declares identities in the provider's subscription, and of a credential's `parent_id` or
 * `user_assigned_identity_id` it takes resource group and name alone (federated_identity_credential_resource.go, 4.0 to
 * 5.2): the credential would be put on an identity of the same name there. A subscription from ARM_SUBSCRIPTION_ID is
 * not seen. Throws `azure-subscription-mismatch`.
 */
export function checkSubscription(
  construct: IConstruct,
  what: string,
  subscriptionId: string,
  provider: AzurermProvider | undefined,
): void {
  const stated = (provider ?? defaultProvider(construct))?.subscriptionIdInput;
  if (stated === undefined || isLate(stated) || stated.includes("${")) return;
  if (stated.toLowerCase() !== subscriptionId.toLowerCase())
    fail("azure-mismatch", {
      problem: `${what} is of another subscription than the azurerm provider, in whose subscription azurerm puts identities and credentials, whatever their ids say`,
      value: subscriptionId,
      allowed: stated,
      remedy:
        "give an azurerm provider of that subscription, with an alias, as `provider`; or state the same subscription in both",
    });
}
