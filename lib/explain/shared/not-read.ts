/*
 * Calls of modules, which are not followed: a module may change what it receives, so what depends on that is not known.
 */

import { type Known, orElse, shown } from "../../model/known";
import { plainOf } from "../../model/tree";
import { type Answer, seen, unknown } from "../answer";
import type { Granted } from "../cloud";
import type { Resource } from "../read/block";
import type { NotRead } from "../read/scope";
import type { Terraform } from "../read/terraform";

/** The module calls that were not read, except modules whose resources a plan or state has. */
export class Unread {
  readonly #calls: readonly NotRead[];
  /** The texts of a call, one a line. */
  readonly #texts = new Map<NotRead, string>();

  constructor(terraform: Terraform) {
    const calls = terraform.scopes.flatMap(({ notRead }) => notRead);
    const read = new Set(
      calls.length === 0
        ? []
        : terraform.scopes.flatMap(({ isLiteral, resources }) =>
            isLiteral ? [...resources.keys()].flatMap((address) => MODULE.exec(address)?.[1] ?? []) : [],
          ),
    );
    this.#calls = calls.filter(({ source }) => !read.has(NAME.exec(source.path)?.[1] ?? ""));
  }

  /** True where there is none. */
  get isEmpty(): boolean {
    return this.#calls.length === 0;
  }

  #textsOf(call: NotRead): string {
    const text = this.#texts.get(call) ?? [...call.texts].join("\n").toLowerCase();
    this.#texts.set(call, text);
    return text;
  }

  /** The answer if a call receives one of the resources or texts, in any letter case; otherwise `undefined`. */
  answer(
    what: string,
    resources: readonly object[],
    texts: readonly Known<string | undefined>[],
  ): Answer | undefined {
    if (this.#calls.length === 0) return undefined;
    const literal = texts.flatMap((text) => orElse(text, () => undefined)?.toLowerCase() ?? []);
    const found = this.#calls.find(
      (call) =>
        resources.some((resource) => call.mentions.has(resource)) ||
        literal.some((each) => names(this.#textsOf(call), each)),
    );
    return (
      found &&
      unknown(
        `${found.reason}, is given ${what}: what the module does with it is not known`,
        "also give explain what `terraform show -json` prints of the plan or state",
        seen("call", found.source),
      )
    );
  }
}

/** Resources that grant something but are not judged, with their arguments, so that a change of them is seen. */
export function grantsNotRead(terraform: Terraform, types: readonly string[]): readonly Granted[] {
  const all = types.flatMap((type) => terraform.ofType(type)).filter(({ adopted }) => !adopted);
  return all.map((resource) => {
    const arguments_ = resource.names.filter((name) => !META.includes(name)).sort();
    const says = arguments_.map((name) => `${name} = ${writtenText(resource, name)}`).join(", ");
    const right = { text: says, limits: true, source: resource.source };
    return { to: `${resource.type}, which is not judged`, isHeld: false, isOwn: true, rights: () => [right] };
  });
}

function writtenText(resource: Resource, name: string): string {
  return JSON.stringify(plainOf(resource.evaluate(resource.written([name])), shown));
}

const META: readonly string[] = ["//", "depends_on", "lifecycle", "provider"];

/** Whether a text contains another one, not as a part of a longer name. */
function names(text: string, name: string): boolean {
  for (let at = text.indexOf(name); name !== "" && at >= 0; at = text.indexOf(name, at + 1))
    if (!LETTER.test(text[at - 1] ?? "") && !LETTER.test(text[at + name.length] ?? "")) return true;
  return false;
}

const LETTER = /[\w-]/;
const MODULE = /^module\.([^.[]+)/;
const NAME = /^module(?:\.|\[")([^".\]]+)/;
