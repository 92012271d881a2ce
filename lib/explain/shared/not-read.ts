import { shown } from "../../model/known";
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
