import { own, text, texts } from "../../facts/access";
import { type TerraformResource, providerOf } from "../../facts/terraform";

const ACCOUNT_IN_ARN = /^arn:[a-z-]+:[a-z]+:[a-z0-9-]*:(\d{12}):/;

/** The account that a resource's ARN names or its provider is limited to; empty where that is none or several. */
export function accountOf(resource: TerraformResource): string {
  const [, fromArn] = ACCOUNT_IN_ARN.exec(text(resource.values["arn"])) ?? [];
  const allowed = texts(own(providerOf(resource), "allowed_account_ids"));
  const [only] = allowed;
  return fromArn ?? (allowed.length === 1 && only !== undefined ? only : "");
}
