/*
 * What was not read although Terraform applies it, calls of modules above all: what it is given tells what it may touch.
 */

import { match } from "../../model/known";
import { Resource } from "../read/block";
import type { NotRead } from "../read/scope";
import type { Terraform } from "../read/terraform";

/** What stands between names in texts and expressions. */
const BETWEEN = /[^\w.@:-]+/;

/** Finds what mentions a name. */
export class Mentions {
  readonly #all: readonly { readonly call: NotRead; readonly names: ReadonlySet<string> }[];

  /** `naming` are the arguments that name resources, those that a call refers to. */
  constructor({ scopes }: Terraform, naming: readonly string[]) {
    this.#all = scopes
      .flatMap(({ notRead }) => notRead)
      .map((call) => ({ call, names: new Set(namesIn(call, naming)) }));
  }

  /** The first that mentions one of the names; a name that is not known is not looked for. */
  of(...names: readonly (string | undefined)[]): NotRead | undefined {
    if (this.#all.length === 0) return undefined;
    return this.#all.find((each) => names.some((name) => name !== undefined && each.names.has(name)))?.call;
  }
}

function namesIn({ texts, mentions }: NotRead, naming: readonly string[]): readonly string[] {
  const referred = [...mentions].flatMap((each) =>
    each instanceof Resource ? naming.flatMap((name) => known(each, name)) : [],
  );
  return [...texts.flatMap((text) => [text, ...text.split(BETWEEN)]), ...referred].filter(
    (each) => each !== "",
  );
}

function known(resource: Resource, name: string): readonly string[] {
  return match(
    resource.attribute(name),
    (text) => [text],
    () => [],
  );
}
