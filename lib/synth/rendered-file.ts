import { type FillingOf, expression, jsonTemplate } from "./terraform-template";
import { withoutUnboundComment } from "./bind/bound-files";
import { boundYaml } from "./bind/yaml";

/** Stands in a YAML text for a scalar that Terraform writes; a plain scalar everywhere, and in no file by itself. */
const MARK = /(__rendered_by_terraform_\d+__)/;

/**
 * The finished text of a YAML file as a template of Terraform's JSON syntax.
 *
 * A scalar with a late value becomes a string of JSON, which is YAML as well, whatever Terraform puts into it; everything
 * else keeps its bytes.
 */
export function renderedFile(file: string, text: string, fillingOf: FillingOf): string {
  const late: string[] = [];
  const marked = boundYaml(withoutUnboundComment(text), file, (scalar) => {
    late.push(scalar);
    return `__rendered_by_terraform_${late.length - 1}__`;
  });
  const scalars = late.map((scalar) => `\${jsonencode(${expression(scalar, fillingOf)})}`);
  return marked
    .split(MARK)
    .map((piece, place) =>
      place % 2 === 0 ? jsonTemplate(piece, fillingOf) : (scalars[Number(/\d+/.exec(piece)?.[0])] ?? piece),
    )
    .join("");
}
