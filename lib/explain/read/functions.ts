/*
 * The functions of Terraform that are evaluated. Source: developer.hashicorp.com/terraform/language/functions.
 */

import {
  type Known,
  known,
  map,
  notKnown,
  orElse,
  andThen,
  withoutPrefix,
  withoutSuffix,
} from "../../model/known";
import type { Tree } from "../../model/tree";

/** By name; one that is not here stays a reference. */
export const FUNCTIONS: ReadonlyMap<string, (...args: readonly Tree[]) => Tree | undefined> = new Map<
  string,
  (...args: readonly Tree[]) => Tree | undefined
>([
  ["trimprefix", (text, prefix) => trimmedBy(withoutPrefix, text, prefix)],
  ["trimsuffix", (text, suffix) => trimmedBy(withoutSuffix, text, suffix)],
  ["toset", (list) => list],
  ["tolist", (list) => list],
  ["tostring", (value) => value && asText(value)],
  ["nonsensitive", (value) => value],
  ["sensitive", (value) => value],
]);

function trimmedBy(
  trim: (text: Known<string>, what: string) => Known<string>,
  text: Tree | undefined,
  what: Tree | undefined,
): Tree | undefined {
  const literal = what && orElse(what, () => undefined);
  return text !== undefined && typeof literal === "string" ? trim(asText(text), literal) : undefined;
}

/** Two calls with the same arguments are one value, however they are spelled. */
export function canonical(name: string, args: readonly Tree[]): string | undefined {
  const texts = args.map((arg) =>
    orElse(
      map(arg, (value) => (typeof value === "object" ? undefined : JSON.stringify(value))),
      (why) =>
        why.kind === "apply"
          ? why.parts
              .map((part) => (typeof part === "string" ? JSON.stringify(part) : part.expression))
              .join(" + ")
          : undefined,
    ),
  );
  return texts.includes(undefined) ? undefined : `${name}(${texts.join(", ")})`;
}

/** A value as Terraform makes a text of it. */
export function asText(value: Tree): Known<string> {
  return andThen(value, (each) =>
    typeof each === "string" || typeof each === "number" || typeof each === "boolean"
      ? known(String(each))
      : notKnown({ kind: "malformed", what: "a list, an object or nothing stands where a text should" }),
  );
}
