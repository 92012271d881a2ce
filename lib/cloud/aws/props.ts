import type { TerraformProvider } from "cdktf";
import { type ObjectKind, object, optional, record, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** Properties of everything that is declared in AWS. */
export interface AwsProps {
  /**
   * Tags of the declared resources.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Terraform provider of the declared resources; a different provider is treated as a different account.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const AWS_PROPS: ObjectKind<AwsProps> = object({
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});
