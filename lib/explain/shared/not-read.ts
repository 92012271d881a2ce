import { type Known, andThen, known, match, shown, whyText } from "../../model/known";
import { plainOf } from "../../model/tree";
import type { Granted } from "../cloud";
import type { Terraform } from "../read/terraform";

/** Resources that grant something but are not judged, with their arguments, so that a change of them is seen. */
export function grantsNotRead(terraform: Terraform, types: readonly string[]): readonly Granted[] {
  const all = types.flatMap((type) => terraform.ofType(type)).filter(({ adopted }) => !adopted);
  return all.map((resource) => {
    const textOf = (name: string): string =>
      JSON.stringify(plainOf(resource.evaluate(resource.written([name])), shown));
    const names = resource.names.filter((name) => !META.includes(name)).sort();
    const says = names.map((name) => `${name} = ${textOf(name)}`).join(", ");
    const right = { text: says, limits: true, source: resource.source };
    return { to: `${resource.type}, which is not judged`, isHeld: false, isOwn: true, rights: () => [right] };
  });
}

const META: readonly string[] = ["//", "depends_on", "lifecycle", "provider"];

/** The texts of a list; if it is not known, why. */
export function shownEach(all: Known<readonly Known<string>[]>): readonly string[] {
  return match(
    all,
    (each) => each.map(shown),
    (why) => [whyText(why)],
  );
}

/** An argument that names principals, within a block or not, and what they are by it. */
export type NamingRow = readonly [type: string, block: string, argument: string, what: string];

/** What principals may do that no grant says, such as changing what they own. */
export function grantsInArguments(terraform: Terraform, rows: readonly NamingRow[]): readonly Granted[] {
  return rows.flatMap(([type, block, argument, what]) =>
    terraform
      .ofType(type)
      .filter(({ adopted }) => !adopted)
      .flatMap((resource) => {
        const holder = block === "" ? known(resource) : resource.block(block);
        const all = andThen(holder, (each) => each?.list(argument) ?? known([]));
        const rights = [{ text: `${what} ${resource.address}`, source: resource.source }];
        return shownEach(all).map((name) => ({
          to: `principal ${name}`,
          isHeld: false,
          isOwn: true,
          rights: () => rights,
        }));
      }),
  );
}
