/*
 * Whether the network of a storage account lets Microsoft Entra, which comes from the internet, read documents there.
 * Source: learn.microsoft.com, "Azure Storage firewall rules": a denied request is denied at every endpoint, that of
 * static websites too, and Entra is none of the trusted services that `bypass` lets in.
 */

import { type Answer, broken, seen, unknown } from "../../answer";
import { obstacle } from "../../obstacle";
import { type Json, own } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { knownBlocks, listed, plainText } from "../../facts/terraform-values";

/** What decides from where an account is read. */
export interface AccountNetwork {
  /** Every declaration of the account. */
  readonly accounts: readonly TerraformResource[];
  /** Network rules that are declared beside it. */
  readonly rules: readonly TerraformResource[];
  /** Network rules of an account that only apply tells. */
  readonly strayRules: readonly TerraformResource[];
}

const REMEDY =
  "let requests from everywhere through: public_network_access_enabled, and the default_action Allow or no network rules; or serve the documents from elsewhere";

/** What keeps Entra out; `undefined` where nothing is known to. */
export function networkRefusal(network: AccountNetwork, terraform: Terraform): Answer | undefined {
  const { accounts, rules, strayRules } = network;
  const answers = [
    ...accounts.flatMap((account) => [publicAccess(account, terraform), inlineRules(account, terraform)]),
    ...rules.map((each) => firewall(each.values, each, terraform)),
    ...strayRules.map((each) => perhaps(firewall(each.values, each, terraform))),
  ];
  return obstacle(answers);
}

function publicAccess(account: TerraformResource, terraform: Terraform): Answer | undefined {
  const enabled = terraform.text(account, "public_network_access_enabled");
  const where = seen("public_network_access_enabled", account.source);
  if (enabled === "false")
    return broken("the storage account takes no requests from public networks", REMEDY, undefined, where);
  return isLateText(enabled)
    ? unknown(
        "whether the storage account takes requests from public networks is known only after apply",
        REMEDY,
        where,
      )
    : undefined;
}

function inlineRules(account: TerraformResource, terraform: Terraform): Answer | undefined {
  const written = own(account.values, "network_rules") ?? [];
  const blocks = knownBlocks(written);
  if (blocks === undefined)
    return unknown(
      "the network rules of the storage account are known only after apply",
      REMEDY,
      seen("network_rules", account.source),
    );
  return blocks.map((block) => firewall(block, account, terraform)).find((each) => each);
}

function firewall(
  rules: Json,
  { scope, source }: TerraformResource,
  terraform: Terraform,
): Answer | undefined {
  const action = terraform.resolve(plainText(own(rules, "default_action")) ?? "", scope);
  const where = seen("default_action of the network rules", source);
  if (isLateText(action))
    return unknown("what the firewall of the storage account does is known only after apply", REMEDY, where);
  if (action.toLowerCase() !== "deny") return undefined;
  return listed(own(rules, "ip_rules")).length === 0
    ? broken(
        "the firewall of the storage account denies requests from the internet",
        REMEDY,
        undefined,
        where,
      )
    : unknown(
        "the firewall of the storage account denies requests from the internet, but for some addresses, which may be those of Microsoft Entra",
        REMEDY,
        where,
      );
}

/** Rules that may be another account's. */
function perhaps(answer: Answer | undefined): Answer | undefined {
  return (
    answer && unknown(`${answer.reason}, if its rules are of this account`, answer.remedy, ...answer.evidence)
  );
}
