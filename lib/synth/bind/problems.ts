import { fail } from "../../errors";

export function refuseManifestsFolder(folder: string, reason: string): never {
  return fail("bind-invalid", {
    problem: `folder of manifests ${reason}`,
    value: folder,
    allowed: "the folder that a cdk8s app with the LateValueResolver wrote",
    remedy:
      "synthesize the cdk8s app first, then name its output folder with --manifests (`manifests` of bind())",
  });
}

export function refusePlaceholder(where: string, text: string): never {
  return fail("bind-unknown", {
    problem: `${where} holds a placeholder that no Terraform output fills`,
    value: text,
    allowed: "placeholders that workload-identity.json of the stack lists",
    remedy: "run `cdktf synth` again and do not edit what it wrote; a placeholder cannot be the key of a map",
  });
}

export function refuseMissingOutput(
  where: string,
  output: string,
  others: readonly (readonly [where: string, output: string])[] = [],
): never {
  return fail("bind-missing", {
    problem:
      others.length === 0
        ? `${where} needs a Terraform output that the outputs file does not hold`
        : `the outputs file does not hold ${others.length + 1} Terraform outputs that are needed (${neededBy([[where, output], ...others])})`,
    value: others.length === 0 ? output : [output, ...others.map(([, name]) => name)],
    allowed: "outputs of the same configuration, after apply",
    remedy:
      "apply the configuration and write the outputs again; cdktf leaves sensitive ones out unless --outputs-file-include-sensitive-outputs is given",
  });
}

export function refuseBrokenText(where: string, format: string, reason: string): never {
  return fail("bind-unsafe", {
    problem: `${where} is not the ${format} that it was written as once the Terraform outputs are filled in: ${reason}`,
    allowed: "values that can stand in the text as they are, without quotes, backslashes and line breaks",
    remedy: "correct the value in Terraform, or give the literal",
  });
}

export function refuseOutputsFile(file: string, reason: string): never {
  return fail("bind-invalid", {
    problem: `outputs file ${reason}`,
    value: file,
    allowed: "what `terraform output -json`, or `cdktf output` or `cdktf deploy` with --outputs-file, wrote",
    remedy: "write it again after apply",
  });
}

const SHOWN_NEEDS = 20;

/** Outputs and where each is needed, as many as can be read. */
function neededBy(needs: readonly (readonly [where: string, output: string])[]): string {
  const shown = needs.slice(0, SHOWN_NEEDS).map(([where, output]) => `${output} by ${where}`);
  const more = needs.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

export function refuseValue(where: string, placeholders: readonly string[], reason: string): never {
  return fail("bind-invalid", {
    problem: `${where} is known now, by ${placeholders.join(", ")}, and cannot be written: ${reason}`,
    allowed: "what the property would take at synth",
    remedy: "correct the Terraform value, apply again and write the outputs anew; nothing was written",
  });
}
