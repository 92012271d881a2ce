/*
 * Paths in Terraform's expressions: the address of a resource, and what follows it.
 */

import { andThen, known } from "../../model/known";
import { type Tree, isTreeList, treeAt } from "../../model/tree";
import { SPLAT } from "./expression";

/** Names and indexes. */
export type Path = readonly (string | number)[];

/** A step whose index is evaluated. */
export type PlainStep = string | number | typeof SPLAT;

/** What is at the end of the steps, `undefined` if there is nothing; a splat makes a list of what is behind it. */
export function followed(value: Tree, steps: readonly PlainStep[]): Tree {
  const place = steps.indexOf(SPLAT);
  if (place < 0) return treeAt(value, ...(steps as Path));
  return andThen(treeAt(value, ...(steps.slice(0, place) as Path)), (items) =>
    isTreeList(items) ? known(items.map((item) => followed(item, steps.slice(place + 1)))) : known(undefined),
  );
}

/** The number of steps in the address: `[data.]<type>.<name>`, with modules before it. */
export function endOfAddress(path: Path): number {
  let at = 0;
  while (path[at] === "module") at += typeof path[at + 2] === "number" ? 3 : 2;
  return at + (path[at] === "data" ? 3 : 2);
}

/** `aws_iam_role.web`, `identity[0].oidc`. */
export function addressOf(path: Path): string {
  return path
    .map((step, place) => (typeof step === "number" ? `[${step}]` : place === 0 ? step : `.${step}`))
    .join("");
}
