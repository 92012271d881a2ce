import { partitions } from "../../../rules/aws/partitions";
import { blocks, own, text, texts } from "../../facts/access";
import { type TerraformResource, providerOf } from "../../facts/terraform";

const ACCOUNT_IN_ARN = /^arn:[a-z-]+:[a-z]+:[a-z0-9-]*:(\d{12}):/;
const PARTITION_IN_ARN = /^arn:([a-z-]+):/;
/** Whom a provider acts as, the last one of the first that is written. */
const ASSUMED: readonly string[] = ["assume_role", "assume_role_with_web_identity"];

/**
 * The account that a resource's ARN names, or that its provider is limited to or takes a role in; empty where that is
 * none or several.
 */
export function accountOf(resource: TerraformResource): string {
  const [, fromArn] = ACCOUNT_IN_ARN.exec(text(resource.values["arn"])) ?? [];
  if (fromArn !== undefined) return fromArn;
  const provider = providerOf(resource);
  const allowed = texts(own(provider, "allowed_account_ids"));
  const [only] = allowed;
  if (only !== undefined) return allowed.length === 1 ? only : "";
  const roles = ASSUMED.map((key) => blocks(own(provider, key)).at(-1)).find((block) => block !== undefined);
  return ACCOUNT_IN_ARN.exec(text(roles?.["role_arn"]))?.[1] ?? "";
}

/** The partition that a resource's ARN names or its provider's region is of; `undefined` where neither is known. */
export function partitionOfResource(resource: TerraformResource): string | undefined {
  const [, fromArn] = PARTITION_IN_ARN.exec(text(resource.values["arn"])) ?? [];
  if (fromArn !== undefined) return fromArn;
  const region = text(own(providerOf(resource), "region"));
  return partitions.find(({ regionCodes }) => regionCodes.includes(region))?.name;
}
