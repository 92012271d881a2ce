import { TerraformOutput, type TerraformStack, Testing } from "cdktf";
import type { IConstruct } from "constructs";

/** Warnings that cdktf prints at synthesis, of a construct and what is below it. */
export function warnings(construct: IConstruct): string[] {
  return construct.node
    .findAll()
    .flatMap(({ node }) => node.metadata)
    .filter(({ type }) => type === "@cdktf/warn")
    .map(({ data }) => String(data));
}

/** A value as Terraform reads it. */
export function rendered(stack: TerraformStack, value: unknown): unknown {
  new TerraformOutput(stack, "rendered", { value });
  const { output } = JSON.parse(Testing.synth(stack)) as { output: { rendered: { value: unknown } } };
  return output.rendered.value;
}
