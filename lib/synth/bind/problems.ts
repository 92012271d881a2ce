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
    remedy: "run `cdktf synth` again and do not edit its files; a placeholder cannot be the key of a map",
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
        ? `${where} needs a Terraform output that is missing from the outputs file`
        : `the outputs file lacks ${others.length + 1} Terraform outputs that are needed${neededBy([[where, output], ...others])}`,
    ...(others.length === 0 && { value: output }),
    allowed: "outputs of the same configuration, after apply",
    remedy:
      "apply the configuration and write the outputs again; cdktf leaves sensitive ones out unless --outputs-file-include-sensitive-outputs is given",
  });
}

export function refuseGrowth(where: string, most: number): never {
  return fail("bind-invalid", {
    problem: `with ${where} the filled texts are longer than ${most} characters`,
    allowed: `${most} characters in all files together`,
    remedy: "check the outputs file for values that are far too long, and write it again",
  });
}

export function refuseBrokenText(where: string, format: string, reason: string): never {
  return fail("bind-unsafe", {
    problem: `${where} is no longer the intended ${format} once the Terraform outputs are filled in: ${reason}`,
    allowed: "values that fit into the text as they are, without quotes, backslashes and line breaks",
    remedy: "correct the value in Terraform, or write the literal value in the configuration",
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

/** Outputs and where each is needed, one per line, limited to a readable number. */
function neededBy(needs: readonly (readonly [where: string, output: string])[]): string {
  const shown = needs.slice(0, SHOWN_NEEDS).map(([where, output]) => `${output} by ${where}`);
  const more = needs.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].map((line) => `\n  ${line}`).join("");
}

export function refuseValue(where: string, placeholders: readonly string[], reason: string): never {
  return fail("bind-invalid", {
    problem: `${where} now has its value, from ${placeholders.join(", ")}, and cannot be written: ${reason}`,
    allowed: "the values that the property accepts at synth",
    remedy: "correct the Terraform value, apply, and write the outputs file again; nothing was written",
  });
}
