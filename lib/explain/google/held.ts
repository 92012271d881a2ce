/*
 * What is granted to whom.
 */

import { match } from "../../model/known";
import { type Grant, type Grants, anyMember } from "./grants";
import { type Bearer, LOOSE, memberKeys } from "./members";

/** Grants that a bearer certainly has, and those that it may have. */
export interface Held {
  /** Equal exactly where the grants are. */
  readonly key: string;
  /** To members that stand for the bearer, by resources that are certainly there. */
  readonly certain: readonly Grant[];
  /** To members that may, and policies that only apply tells. */
  readonly possible: readonly Grant[];
}

/** Finds grants by the members that they are to. */
export class GrantIndex {
  readonly #all: readonly Grant[];
  readonly #byKey = new Map<string, number[]>();

  constructor({ all }: Pick<Grants, "all">) {
    this.#all = all;
    all.forEach((grant, number) => {
      const keys = match(
        grant.members,
        (members) => members.flatMap(memberKeys),
        () => [LOOSE],
      );
      for (const key of new Set(keys)) {
        const same = this.#byKey.get(key);
        if (same) same.push(number);
        else this.#byKey.set(key, [number]);
      }
    });
  }

  /** The grants to a bearer. */
  of({ keys, isMember }: Bearer): Held {
    const known = !keys.includes(LOOSE);
    const numbers = known
      ? [...new Set([LOOSE, ...keys].flatMap((key) => this.#byKey.get(key) ?? []))].sort((a, b) => a - b)
      : this.#all.keys();
    const [certain, possible]: [number[], number[]] = [[], []];
    for (const number of numbers) {
      const grant = this.#all[number];
      const outcome = grant ? anyMember(grant, isMember) : "no";
      if (outcome !== "no") (outcome === "yes" && grant?.resource.certain ? certain : possible).push(number);
    }
    return {
      key: `${certain.join()}|${possible.join()}`,
      certain: certain.flatMap((number) => this.#all[number] ?? []),
      possible: possible.flatMap((number) => this.#all[number] ?? []),
    };
  }
}
