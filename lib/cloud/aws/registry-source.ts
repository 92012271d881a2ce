import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import type { IPullSource } from "../../model/pulls";
import { isRecord } from "../../model/record";
import {
  type Kind,
  type ObjectKind,
  anyObject,
  like,
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

/** How the owner of repositories in another account lets the role in. */
export interface OwnerPolicy {
  /**
   * Terraform provider of the owning account; another one than the roles' where their account is another.
   *
   * @defaultValue - the stack's default aws provider
   */
  readonly provider?: TerraformProvider;
  /**
   * The repositories to write a policy for, exact names.
   *
   * @defaultValue - the `repositories` of the source, which must then hold no pattern
   */
  readonly repositories?: readonly string[];
  /**
   * Statements to keep in the policy: a repository has one policy, and Terraform writes it whole.
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

/** Who declares the owner's half of pulls, for the roles of all stacks: a `SharedRegistry`. */
export interface IRegistryOwner {
  /** Throws where the owner's half of such a pull cannot be declared. */
  check(grant: PrivateEcrGrant): void;
  /** Lets a role pull. */
  admit(role: IPullRole, grant: PrivateEcrGrant): void;
}

/** The kind of an {@link IRegistryOwner}. */
export const REGISTRY_OWNER: Kind<IRegistryOwner> = like("a SharedRegistry", {
  check: method,
  admit: method,
});

/** Whether the owner's half is declared elsewhere in the app. */
export function isRegistryOwner(ownerPolicy: unknown): ownerPolicy is IRegistryOwner {
  return isRecord(ownerPolicy) && typeof ownerPolicy["admit"] === "function";
}

/** Repositories of ECR to pull from; made by `ecr()` and `ecrPublic()`. */
export interface EcrSource extends IPullSource<Construct> {
  /** What the role must be permitted. */
  readonly grant: EcrGrant;
  /** How the owner lets the role in; `elsewhere` where the owner takes care of it, `undefined` where nothing is said. */
  readonly ownerPolicy: OwnerPolicy | IRegistryOwner | "elsewhere" | undefined;
}

export function ecrSource(source: IPullSource<Construct>): EcrSource {
  return isEcrSource(source)
    ? source
    : fail("aws-foreign", {
        problem: "registry was not made by ecr() or ecrPublic()",
        value: source.cloud,
        allowed: "what ecr() and ecrPublic() of the aws subpath return",
        remedy: "hand registries of other clouds to their own identities",
      });
}

function isEcrSource(source: IPullSource<Construct>): source is EcrSource {
  return source.cloud === "aws" && "grant" in source;
}
