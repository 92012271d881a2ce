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

/** The addresses with which a path may begin, and where they end: a text after a module's name may be its key. */
export function addressesOf(path: Path): readonly { readonly address: string; readonly end: number }[] {
  const [word, name, key] = path;
  if (word !== "module" || name === undefined) {
    const end = word === "data" ? 3 : 2;
    return [{ address: addressOf(path.slice(0, end)), end }];
  }
  const within = (module: string, steps: number): ReturnType<typeof addressesOf> =>
    addressesOf(path.slice(steps)).map(({ address, end }) => ({
      address: `${module}.${address}`,
      end: end + steps,
    }));
  const isKey = key !== undefined && key !== "module" && key !== "data";
  return [
    ...(typeof key === "number" ? [] : within(`module.${name}`, 2)),
    ...(isKey ? within(`module.${name}[${JSON.stringify(key)}]`, 3) : []),
  ];
}

/** `aws_iam_role.web`, `identity[0].oidc`. */
export function addressOf(path: Path): string {
  return path
    .map((step, place) => (typeof step === "number" ? `[${step}]` : place === 0 ? step : `.${step}`))
    .join("");
}
