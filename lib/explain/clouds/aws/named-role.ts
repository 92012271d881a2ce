import { type Terraform, isLateText } from "../../facts/terraform";
import type { Roles } from "./iam";
import type { RoleFact } from "./role-fact";

/** An IAM role as an ARN names it. */
export interface NamedRole {
  /** The role; `undefined` where it was not read. */
  readonly role: RoleFact | undefined;
  /** The ARN, or the role's name where the ARN is known only after apply. */
  readonly label: string;
  /** Its account; empty where it is not known. */
  readonly account: string;
  /** Its partition, `aws`; `undefined` where it is known only after apply. */
  readonly partition: string | undefined;
}

const ROLE_ARN = /^arn:([a-z-]+):iam::(\d{12}):role\/(\S+)$/;

/** The role of an ARN, which may be a reference. */
export function namedRole(arn: string, terraform: Terraform, roles: Roles): NamedRole {
  const resource = terraform.referred(arn, "arn");
  const [, partition, account = "", pathName = ""] = ROLE_ARN.exec(arn) ?? [];
  const role = resource ? roles.ofResource(resource) : roles.ofArn(account, pathName);
  return {
    role,
    label: isLateText(arn) && role ? `IAM role ${role.pathName}` : arn,
    account: account || role?.account || "",
    partition,
  };
}

/** True for the ARN of a role, and for a reference to one. */
export function isRoleArn(arn: string): boolean {
  return isLateText(arn) || ROLE_ARN.test(arn);
}
