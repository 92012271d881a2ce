import { type Known, orElse } from "../../model/known";
import type { NotRead } from "../read/scope";
import type { Source } from "../read/source";
import type { Terraform } from "../read/terraform";

const NAME = /^module(?:\.|\[")([^".\]]+)/;
const MODULE = /^module\.([^.[]+)/;

/** What to do about what a configuration alone does not say. */
export const moduleRemedy = "name what `terraform show -json` prints of the plan or state as well";

/**
 * Calls of modules, which are not followed: what they are given they may change. Those whose resources a plan or state
 * among what was read has are left out.
 */
export class ModuleCalls {
  readonly #calls: readonly NotRead[];

  constructor(terraform: Terraform) {
    const calls = terraform.scopes.flatMap(({ notRead }) => notRead);
    const literal = calls.length === 0 ? [] : terraform.scopes.filter(({ isLiteral }) => isLiteral);
    const addresses = literal.flatMap(({ resources }) => [...resources.keys()]);
    const read = new Set(addresses.map((address) => MODULE.exec(address)?.[1]));
    this.#calls = calls.filter(({ source }) => !read.has(NAME.exec(source.path)?.[1] ?? ""));
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  /** A call that is given one of these resources, or exactly one of these texts; `undefined` where none is. */
  given(resources: readonly object[], texts: readonly Known<string>[]): Source | undefined {
    const literal = texts.flatMap((text) => orElse(text, () => "") || []);
    return this.#calls.find(
      (call) =>
        resources.some((resource) => call.mentions.has(resource)) ||
        call.texts.some((text) => literal.includes(text)),
    )?.source;
  }
}
