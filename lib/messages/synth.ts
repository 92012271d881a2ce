import type { Problem } from "./problem";

/** Refusals of the manifest writer, of late values in manifests, and of `bind`. */
export const synthMessages = {
  "late-value-kind": (where: string, kind: string): Problem => ({
    problem: `${where} is a late ${kind}, and a manifest can only hold late text`,
    allowed: "a late text, alone or inside other text",
    remedy:
      "take one text out of it (Fn.element, Fn.lookup, getStringAttribute), turn a number into text (Fn.tostring), or give the literal",
  }),
  "late-map-key": (where: string, key: string): Problem => ({
    problem: `${where} has a key that Terraform knows only after apply`,
    value: key,
    allowed: "a literal key",
    remedy: "give the key as a literal; its value may be late",
  }),
  "late-object-name": (where: string): Problem => ({
    problem: `${where} is known only after Terraform apply, but it says which object the manifest is`,
    allowed: "literal apiVersion, kind, metadata.name and metadata.namespace",
    remedy: "name the object with a literal; put the late value into an annotation, a label or a field",
  }),
  "late-value-scope": (where: string, reference: string): Problem => ({
    problem: `${where} refers to a value that exists only inside one Terraform block`,
    value: reference,
    allowed: "attributes of resources and data sources, variables, locals, module outputs",
    remedy: "use the resource's attribute from outside of the iterator",
  }),
  "placeholder-literal": (where: string, value: string): Problem => ({
    problem: `${where} holds the text that begins a placeholder for late values`,
    value,
    allowed: "any text without @late(",
    remedy: "change the text; `bind` could not tell it from a placeholder",
  }),
  "manifest-name-invalid": (value: unknown, exact: boolean = false): Problem => ({
    problem: exact
      ? "name of a file is not one that Kubernetes objects may have, or is too long"
      : "name of a manifest or node file is not a DNS label",
    value,
    allowed: exact
      ? "1 to 250 of a-z, 0-9, - and ., starting and ending with a letter or digit"
      : "1 to 63 of a-z, 0-9 and -, starting and ending with a letter or digit",
    remedy: "use a name like service-accounts; it becomes the file's name",
  }),
  "manifest-file-taken": (file: string, name: string, first: string): Problem => ({
    problem: `the manifests ${first} and ${name} would be one file`,
    value: file,
    allowed: "one manifest per file",
    remedy: "give one of them another name",
  }),
  "manifest-object-twice": (object: string, first: string, file: string): Problem => ({
    problem: `${object} is written twice, into ${first} and into ${file}, and the one applied last would replace the other`,
    allowed: "each Secret and ConfigMap once per cluster",
    remedy: "put all its keys into one, or give one of them another name",
  }),
  "manifest-order-invalid": (name: string, order: unknown): Problem => ({
    problem: `order of the manifest ${name} is not a whole number of two digits`,
    value: order,
    allowed: "0 to 99",
    remedy: "choose where the file stands among the others: namespaces and RBAC early, workloads late",
  }),
  "manifest-options-differ": (name: string, option: string, value: unknown, first: unknown): Problem => ({
    problem: `the manifest ${name} was already begun with another ${option}`,
    value,
    allowed: JSON.stringify(first),
    remedy: `use the same ${option}, or another name for a second file`,
  }),
  "manifests-twice": (path: string, first: string): Problem => ({
    problem: `a second Manifests in one stack at ${path} would write the files of the first`,
    allowed: `one per stack, here ${first}`,
    remedy: "use Manifests.of(stack)",
  }),
  "comment-invalid": (name: string, line: string): Problem => ({
    problem: `comment of the manifest ${name} holds a line break`,
    value: line,
    allowed: "one line per entry",
    remedy: "split the comment into lines",
  }),
  "node-setup-taken": (name: string): Problem => ({
    problem: "another setup for these nodes is already written",
    value: name,
    allowed: "one setup per name; the same setup may be given again",
    remedy: "give the second group of nodes another name",
  }),
  "output-name-taken": (name: string, path: string): Problem => ({
    problem: `a Terraform output for a late value would replace the output at ${path}`,
    value: name,
    remedy: "rename the other output",
  }),
  "bind-folder-invalid": (path: string, reason: string): Problem => ({
    problem: `folder ${reason}`,
    value: path,
    allowed: "a synth output folder (cdktf.out) or the folder of one stack in it",
    remedy: "run `cdktf synth` first, then name its output folder",
  }),
  "bind-file-unreadable": (path: string, reason: string): Problem => ({
    problem: `file cannot be read (${reason})`,
    value: path,
    remedy: "check the path; files of a synth output folder come back with another `cdktf synth`",
  }),
  "bind-file-invalid": (file: string, reason: string): Problem => ({
    problem: `file ${reason}`,
    value: file,
    allowed: "the file as this release of the library wrote it",
    remedy: "run `cdktf synth` again, and `bind` with the same release",
  }),
  "bind-outputs-invalid": (file: string, reason: string): Problem => ({
    problem: `outputs file ${reason}`,
    value: file,
    allowed: "what `terraform output -json`, or `cdktf output` or `cdktf deploy` with --outputs-file, wrote",
    remedy: "write it again after apply",
  }),
  "bind-outputs-ambiguous": (file: string, stacks: readonly string[]): Problem => ({
    problem: "outputs of one stack were given for several stacks",
    value: file,
    allowed: `one of the stacks ${stacks.join(", ")}`,
    remedy:
      "bind each stack's folder with the outputs of that stack, or use the file of `cdktf output --outputs-file` for all",
  }),
  "bind-output-missing": (
    where: string,
    output: string,
    others: readonly (readonly [where: string, output: string])[] = [],
  ): Problem => ({
    problem:
      others.length === 0
        ? `${where} needs a Terraform output that the outputs file does not hold`
        : `the outputs file does not hold ${others.length + 1} Terraform outputs that are needed (${neededBy([[where, output], ...others])})`,
    value: others.length === 0 ? output : [output, ...others.map(([, name]) => name)],
    allowed: "outputs of the same configuration, after apply",
    remedy:
      "apply the configuration and write the outputs again; cdktf leaves sensitive ones out unless --outputs-file-include-sensitive-outputs is given",
  }),
  "bind-output-type": (where: string, output: string, kind: string): Problem => ({
    problem: `${where} needs a text, but the Terraform output ${output} is ${kind}`,
    allowed: "a text that is not empty",
    remedy: "check that the resource has the attribute after apply",
  }),
  "bind-output-placeholder": (where: string, output: string, value: string): Problem => ({
    problem: `${where} needs the Terraform output ${output}, which itself holds the text of a placeholder`,
    value,
    allowed: "the value after apply, without @late(",
    remedy: "write the outputs of the applied configuration again",
  }),
  "bind-text-broken": (where: string, format: string, reason: string): Problem => ({
    problem: `${where} is not the ${format} that it was written as once the Terraform outputs are filled in: ${reason}`,
    allowed: "values that can stand in the text as they are, without quotes, backslashes and line breaks",
    remedy: "correct the value in Terraform, or give the literal",
  }),
  "bind-placeholder-unknown": (where: string, text: string): Problem => ({
    problem: `${where} holds a placeholder that no Terraform output fills`,
    value: text,
    allowed: "placeholders that workload-identity.json of the stack lists",
    remedy: "run `cdktf synth` again and do not edit what it wrote; a placeholder cannot be the key of a map",
  }),
  "bind-target-is-source": (path: string): Problem => ({
    problem: "finished files would stand among the files they are made from",
    value: path,
    allowed: "a folder outside of the synth output and of the folder of manifests",
    remedy: "choose another folder",
  }),
  "bind-target-unwritable": (path: string, reason: string, interrupted: boolean = false): Problem => ({
    problem: `folder cannot be written (${reason}); ${interrupted ? "it holds changes of a bind that has not ended" : "nothing in it was changed"}`,
    value: path,
    allowed: "a folder without symbolic links in it, or a path where one can be made",
    remedy: `check permissions, free space and whether a part of the path is a file or a link${interrupted ? ", and run bind again: it undoes those changes first" : ""}`,
  }),
  "bind-target-taken": (folder: string, files: readonly string[]): Problem => ({
    problem: `files in ${folder} that bind did not write for the same stack would be replaced`,
    value: files,
    allowed: "files that .workload-identity-files in the folder lists for the stack, and free paths",
    remedy:
      "move them away or choose another folder; where an earlier bind wrote them, put its .workload-identity-files back beside them",
  }),
  "bind-manifests-invalid": (folder: string, reason: string): Problem => ({
    problem: `folder of manifests ${reason}`,
    value: folder,
    allowed: "the folder that a cdk8s app with the LateValueResolver wrote",
    remedy:
      "synthesize the cdk8s app first, then name its output folder with --manifests (`manifests` of bind())",
  }),
  "bind-manifests-missing": (path: string, stack: string): Problem => ({
    problem: `stack ${stack} has placeholders but no manifests of its own to finish`,
    value: path,
    allowed: "a stack with manifests, or the files of the cdk8s app that has its placeholders",
    remedy:
      "name the cdk8s app's output folder with --manifests (`manifests` of bind()), and this stack's folder",
  }),
  "late-value-after-synth": (where: string, reference: string): Problem => ({
    problem: `${where} has a late value for which the Terraform configuration, already written, has no output`,
    value: reference,
    allowed: "late values that cdk8s meets before the cdktf app is synthesized",
    remedy: "call synth() of the cdk8s app before synth() of the cdktf app",
  }),
};

const SHOWN_NEEDS = 20;

/** Outputs and where each is needed, as many as can be read. */
function neededBy(needs: readonly (readonly [where: string, output: string])[]): string {
  const shown = needs.slice(0, SHOWN_NEEDS).map(([where, output]) => `${output} by ${where}`);
  const more = needs.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
