import type { TerraformProvider } from "cdktf";
import { type ObjectKind, object, optional, record, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** What can be given to whatever is declared in AWS. */
export interface AwsProps {
  /**
   * Tags of what is declared.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * Terraform provider of what is declared; a different one stands for a different account.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
}

export const AWS_PROPS: ObjectKind<AwsProps> = object({
  tags: optional(record(text)),
  provider: optional(PROVIDER),
});
