import { placeholdersIn } from "../../../lib/artefact/placeholder";
import { inside, record, text } from "../json";
import type { WrittenStack } from "../synth-output";
import { undeclaredReferences } from "../terraform";

/** What the texts of a stack must not hold, and what its references must find. */
export function judgeTexts({ files, identity, terraform }: WrittenStack): readonly string[] {
  const placeholders = record(identity["placeholders"]);
  return [
    ...[...files]
      .filter(([, content]) => content.includes("TfToken"))
      .map(([file]) => `${file} holds a late value as cdktf writes it`),
    ...[...files]
      .filter(([file, content]) => file.endsWith(".yaml") && /[$%]\{/.test(content))
      .map(([file]) => `${file} contains a Terraform expression`),
    ...[...files].flatMap(([file, content]) =>
      placeholdersIn(content)
        .filter((placeholder) => !(placeholder in placeholders))
        .map((placeholder) => `${file}: nothing says what fills ${placeholder}`),
    ),
    ...Object.entries(placeholders)
      .map(([placeholder, entry]) => [placeholder, record(entry)] as const)
      .filter(([, entry]) => entry["encoding"] === undefined)
      .filter(
        ([, { output, expression }]) =>
          inside(terraform, "output", text(output), "value") !== expression || expression === undefined,
      )
      .map(([placeholder]) => `no Terraform output has the value of ${placeholder}`),
    ...undeclaredReferences(terraform).map((finding) => `cdk.tf.json${finding}`),
  ];
}
