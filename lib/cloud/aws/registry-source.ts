import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { IPullSource } from "../../model/pulls";
import { isRecord } from "../../model/record";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  made,
  list,
  method,
  object,
  optional,
  text,
} from "../../model/shape";
import type { EcrGrant, PrivateEcrGrant } from "../../rules/aws/permission";
import type { PolicyStatement } from "../../rules/aws/policy-document";
import { PROVIDER } from "../shared/kinds";
import type { IPullRole } from "./role-props";

/** How the owner of repositories in another account allows the role to pull. */
export interface OwnerPolicy {
  /**
   * Terraform provider of the owning account; must differ from the roles' provider if the accounts differ.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
  /**
   * The repositories to write a policy for, exact names.
   *
   * @defaultValue - the `repositories` of the source, which must not contain patterns then
   */
  readonly repositories?: readonly string[];
  /**
   * Statements to keep in the policy: a repository has one policy, and Terraform replaces all of it.
   *
   * @defaultValue - none
   */
  readonly additionalStatements?: readonly PolicyStatement[];
}

export const OWNER_POLICY: ObjectKind<OwnerPolicy> = object({
  provider: optional(PROVIDER),
  repositories: optional(list(text)),
  additionalStatements: optional(list(anyObject)),
});

/** Declares the owner's half of pulls for roles in all stacks: a `SharedRegistry`. */
export interface IRegistryOwner {
  /** The repositories that a grant means, exact names for patterns; throws if the owner's half cannot be declared. */
  check(grant: PrivateEcrGrant): readonly string[];
  /** Allows a role to pull. */
  admit(role: IPullRole, grant: PrivateEcrGrant): void;
}

export const REGISTRY_OWNER: Kind<IRegistryOwner> = made("a SharedRegistry", "new SharedRegistry(…)", {
  check: method,
  admit: method,
});

/** Whether the owner's half is declared elsewhere in the app. */
export function isRegistryOwner(ownerPolicy: unknown): ownerPolicy is IRegistryOwner {
  return isRecord(ownerPolicy) && typeof ownerPolicy["admit"] === "function";
}

/** ECR repositories to pull from, returned by `ecr()` and `ecrPublic()`. */
export interface EcrSource extends IPullSource<Construct> {
  /** Permissions that the role needs. */
  readonly grant: EcrGrant;
  /** How the owner allows the pull; `elsewhere` if that is declared elsewhere, `undefined` if nothing is stated. */
  readonly ownerPolicy: OwnerPolicy | IRegistryOwner | "elsewhere" | undefined;
}

export function ecrSource(source: IPullSource<Construct>): EcrSource {
  return isEcrSource(source)
    ? source
    : fail("aws-foreign", {
        problem: "registry was not created by ecr() or ecrPublic()",
        value: source.cloud,
        allowed: "what ecr() and ecrPublic() of the aws subpath return",
        remedy: "pass registries of other clouds to the identities of those clouds",
      });
}

function isEcrSource(source: IPullSource<Construct>): source is EcrSource {
  return source.cloud === "aws" && "grant" in source;
}
