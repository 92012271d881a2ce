import { fail } from "../errors";
import { syntaxOf } from "../model/node-document";
import { withoutUnboundComment } from "./bind/bound-files";
import { filledText } from "./bind/filled-text";
import { type FillingOf, expression, jsonTemplate } from "./terraform-template";

/** Stands in a YAML text for a scalar that Terraform writes; a plain scalar everywhere, and in no file by itself. */
const MARKS = {
  yaml: /(__rendered_by_terraform_\d+__)/,
  json: /("__rendered_by_terraform_\d+__")/,
};

/**
 * Terraform's plugin protocol takes no larger message, of which a file resource's text is a part. Source:
 * hashicorp/terraform-plugin-go, tfprotov5/tf5server/server.go (`grpcMaxMessageSize`).
 */
const LENGTH_MAX = 256 * 1024 * 1024;

/**
 * The finished text of a file as a template of Terraform's JSON syntax.
 *
 * A text of YAML or JSON with a late value becomes a string of JSON, which is YAML as well, whatever Terraform puts into
 * it; everything else keeps its bytes. Of other files, only encoded parts may be late.
 */
export function renderedFile(file: string, text: string, fillingOf: FillingOf): string {
  if (text.length > LENGTH_MAX)
    fail("delivery-limit", {
      problem: `${file} is longer than a text that Terraform hands to a provider`,
      value: `${text.length} characters`,
      allowed: `at most ${LENGTH_MAX}`,
      remedy: "finish it with `bind`, or spread the objects over several files",
    });
  const syntax = syntaxOf(file);
  if (syntax === "text") return renderedText(file, text, fillingOf);
  const late: string[] = [];
  const marked = filledText(withoutUnboundComment(text), file, (scalar) => {
    late.push(scalar);
    return `__rendered_by_terraform_${late.length - 1}__`;
  });
  const scalars = late.map((scalar) => `\${jsonencode(${expression(scalar, fillingOf)})}`);
  return marked
    .split(MARKS[syntax])
    .map((piece, place) =>
      place % 2 === 0 ? jsonTemplate(piece, fillingOf) : (scalars[Number(/\d+/.exec(piece)?.[0])] ?? piece),
    )
    .join("");
}

/** Terraform cannot see whether a value needs an escape. */
function renderedText(file: string, text: string, fillingOf: FillingOf): string {
  filledText(text, file, (placeholder) => {
    if ("output" in fillingOf(placeholder))
      fail("manifest-unsupported", {
        problem: `${file} holds a value that Terraform knows only after apply, and Terraform cannot write it into this format safely`,
        value: placeholder,
        allowed: "values that are known at synth, or a file of YAML or JSON",
        remedy: "finish the file with `bind`, or give the literal value",
      });
    return "filled";
  });
  return jsonTemplate(text, fillingOf);
}
