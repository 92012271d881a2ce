/*
 * Names of IAM roles are unique within an account, whatever the path and whatever the case of the letters.
 * Source: "Name requirements" of the IAM identifiers in the IAM user guide.
 */

import type { TerraformProvider } from "cdktf";
import type { Construct } from "constructs";
import { fail } from "../../errors";
import { type OnceInAccount, declareInAccount, declaredInAccount } from "./once-per-account";
import { declareOnce, declaredOnce, onceKey } from "./once-per-stack";

/** What decides whether two roles can have one name. */
export interface RoleIdentity {
  /** Its name. */
  readonly name: string;
  /** Name of its partition; `undefined` where it is not known at synth. */
  readonly partition: string | undefined;
  /** Its account; `undefined` where it is not known at synth. */
  readonly account: string | undefined;
  /** Its Terraform provider; `undefined` for the stack's default one. */
  readonly provider: TerraformProvider | undefined;
}

/**
 * Throws `aws-role-name-taken` where a role of that name is declared with the same Terraform provider in the stack,
 * or in the same account anywhere in the app.
 */
export function refuseTakenName(construct: Construct, role: RoleIdentity): void {
  const known = declaredOnce(construct, stackKey(role)) ?? declaredInAccount(construct, inAccount(role));
  if (known)
    fail("aws-conflict", {
      problem: `name of an IAM role is already used by ${known.node.path} in the same account; IAM does not tell upper from lower case`,
      value: role.name,
      allowed: "one role of that name per account, whatever its path",
      remedy:
        "give one of the two another roleName; with pullRoles() another namePrefix, or another name to one of the clusters",
    });
}

/** Remembers the name of a role that was declared. */
export function takeName(construct: Construct, role: RoleIdentity): void {
  declareOnce(construct, stackKey(role));
  declareInAccount(construct, inAccount(role));
}

function stackKey({ name, provider }: RoleIdentity): string {
  return onceKey(provider, "role", name.toLowerCase());
}

function inAccount({ name, account }: RoleIdentity): OnceInAccount {
  return { kind: "role", account, name: name.toLowerCase() };
}
