/*
 * The functions of Terraform that are evaluated. Source: developer.hashicorp.com/terraform/language/functions.
 */

import {
  type Known,
  type Reference,
  andThen,
  isSensitive,
  isKnown,
  known,
  map,
  match,
  notKnown,
  orElse,
  unread,
  withoutPrefix,
  withoutSuffix,
} from "../../model/known";
import { type Tree, isTreeList, isTreeObject } from "../../model/tree";
import { hiddenTree } from "./sensitive";

/** `undefined` where the call is kept as it is. */
type TerraformFunction = (...args: readonly Tree[]) => Tree | undefined;

const itself: TerraformFunction = (value) => value;

/** The functions that are evaluated; any other stays a reference. */
export const FUNCTIONS: ReadonlyMap<string, TerraformFunction> = new Map<string, TerraformFunction>([
  ["trimprefix", trimmedBy(withoutPrefix)],
  ["trimsuffix", trimmedBy(withoutSuffix)],
  ["tostring", (value = known(undefined)) => (isNothing(value) ? undefined : asText(value))],
  ["base64encode", (value = known(undefined)) => (isKnown(value) ? encoded(value) : undefined)],
  ["sensitive", (value = known(undefined)) => hiddenTree(value)],
  ...["toset", "tolist", "nonsensitive"].map((name) => [name, itself] as const),
]);

function encoded(value: Tree): Tree {
  return map(asText(value), (text) => Buffer.from(text).toString("base64"));
}

function isNothing(value: Tree): boolean {
  return orElse(value, () => null) === undefined;
}

function trimmedBy(trim: (text: Known<string>, what: string) => Known<string>): TerraformFunction {
  return (text = known(undefined), what = known(undefined)) => {
    const literal = orElse(what, () => undefined);
    return !isNothing(text) && typeof literal === "string" ? trim(asText(text), literal) : undefined;
  };
}

/** The normal form of a call, so that calls with the same arguments are one value. */
export function canonical(name: string, args: readonly Tree[]): string | undefined {
  const quoted = (part: string | Reference): string =>
    typeof part === "string" ? JSON.stringify(part) : part.expression;
  const texts = args.map((arg) =>
    match(
      isSensitive(arg) ? unread("it is sensitive") : arg,
      (value) => (typeof value === "object" ? undefined : JSON.stringify(value)),
      (why) => (why.kind === "apply" ? why.parts.map(quoted).join(" + ") : undefined),
    ),
  );
  return texts.includes(undefined) ? undefined : `${name}(${texts.join(", ")})`;
}

/** A value converted to text as Terraform does it. */
export function asText(value: Tree): Known<string> {
  return andThen(value, (each) =>
    isTreeList(each) || isTreeObject(each) || each === null || each === undefined
      ? notKnown({ kind: "malformed", what: "a list, an object or nothing where a string is expected" })
      : known(String(each)),
  );
}
