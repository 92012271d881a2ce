import { fail } from "../errors";
import { syntaxOf } from "../model/node-document";
import { withoutUnboundComment } from "./bind/bound-files";
import { filledText } from "./bind/filled-text";
import { type FillingOf, expression, jsonTemplate } from "./terraform-template";

/** Marks a scalar that Terraform fills in: a plain scalar in every YAML context, with a text that no file contains. */
const MARKS = {
  yaml: /(__rendered_by_terraform_\d+__)/,
  json: /("__rendered_by_terraform_\d+__")/,
};

/**
 * Limit of a message in Terraform's plugin protocol; the text of a file resource is part of one. Source:
 * hashicorp/terraform-plugin-go, tfprotov5/tf5server/server.go (`grpcMaxMessageSize`).
 */
const LENGTH_MAX = 256 * 1024 * 1024;

/**
 * Returns the finished text of a file as a template in Terraform's JSON syntax.
 *
 * In YAML and JSON, a text with a late value becomes a JSON string, which is also valid YAML whatever the value is;
 * everything else keeps its bytes. In other files only encoded parts may be late.
 */
export function renderedFile(file: string, text: string, fillingOf: FillingOf): string {
  if (text.length > LENGTH_MAX)
    fail("delivery-limit", {
      problem: `${file} is longer than the texts that Terraform can pass to a provider`,
      value: `${text.length} characters`,
      allowed: `at most ${LENGTH_MAX}`,
      remedy: "finish it with `bind`, or split the objects into several files",
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
        problem: `${file} has a value that Terraform knows only after apply and cannot write safely into this format`,
        value: placeholder,
        allowed: "values that are known at synth, or a file of YAML or JSON",
        remedy: "finish the file with `bind`, or give the literal value",
      });
    return "filled";
  });
  return jsonTemplate(text, fillingOf);
}
