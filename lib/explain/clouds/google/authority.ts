/*
 * Resources that rule a policy: `iam_binding` all members of a role, `iam_policy` everything. What they do not name they
 * take away again, whoever granted it.
 * Source: registry.terraform.io/providers/hashicorp/google/latest/docs/resources/google_project_iam.
 */

import type { Source } from "../../facts/source";
import type { Binding } from "./grants";

/** A resource that rules a role of a policy, or all of it. */
export interface Authority {
  /**
   * The role that it rules.
   *
   * @defaultValue - every role
   */
  readonly role?: string;
  /**
   * The condition under which it rules the role.
   *
   * @defaultValue - every condition
   */
  readonly condition?: string;
  /** What it grants. */
  readonly bindings: readonly Binding[];
  /** Where it stands. */
  readonly source: Source;
}

/** Finds what takes grants away again. */
export class Authorities {
  readonly #by = new Map<string, Authority[]>();

  constructor(policies: readonly (Authority & { readonly on: string })[]) {
    for (const policy of policies) {
      const same = this.#by.get(policy.on);
      if (same) same.push(policy);
      else this.#by.set(policy.on, [policy]);
    }
  }

  /** What rules the policy that a grant is of, and names none of the members for it; `undefined` where nothing does. */
  against(
    on: string,
    { role, condition, source }: Pick<Binding, "role" | "condition"> & { readonly source: Source },
    members: readonly string[],
  ): Authority | undefined {
    return this.#by.get(on)?.find((authority) => {
      if (authority.source === source) return false;
      if ((authority.role ?? role) !== role || (authority.condition ?? condition) !== condition) return false;
      return !authority.bindings.some(
        (binding) =>
          binding.role === role &&
          binding.condition === condition &&
          binding.members?.some((member) => members.includes(member)),
      );
    });
  }
}
