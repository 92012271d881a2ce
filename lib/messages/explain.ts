import type { Problem } from "./problem";

/** Refusals of the verifier: what it was given cannot be read, so that no verdict would be worth anything. */
export const explainMessages = {
  "explain-path-missing": (path: string): Problem => ({
    problem: "there is no such file or folder",
    value: path,
    allowed:
      "a synth output folder, the folder of one stack, a manifest, a folder of manifests, or Terraform JSON",
    remedy: "run `cdktf synth` first, or check the path",
  }),
  "explain-nothing-found": (paths: readonly string[]): Problem => ({
    problem: "nothing to explain was found: no Terraform JSON and no Kubernetes object",
    value: paths,
    allowed:
      "a synth output folder, the folder of one stack, a manifest, a folder of manifests, or Terraform JSON",
    remedy: "run `cdktf synth` first, or name the folder that holds the manifests",
  }),
  "explain-file-unreadable": (path: string, reason: string): Problem => ({
    problem: `file cannot be read (${reason})`,
    value: path,
    remedy: "check permissions, and that nothing removes the file meanwhile",
  }),
  "explain-bind-interrupted": (folder: string): Problem => ({
    problem:
      "files of the folder may be a mixture of old and new: a bind into it was interrupted, or still runs",
    value: folder,
    allowed: "a folder in which bind has ended",
    remedy: "run the same bind again: it undoes what the interrupted one changed, and then writes all files",
  }),
  "explain-file-too-large": (path: string, bytes: number, most: number): Problem => ({
    problem: `file of ${bytes} bytes is larger than the verifier reads`,
    value: path,
    allowed: `at most ${most} bytes`,
    remedy: "split the file, or name only the files that belong to the pull",
  }),
  "explain-file-invalid": (
    file: string,
    line: number,
    reason: string,
    allowed: string = "YAML or JSON in UTF-8",
  ): Problem => ({
    problem: `file ${reason}`,
    value: `${file}:${line}`,
    allowed,
    remedy: "correct the file; a verdict over half of the facts would be worth nothing",
  }),
  "explain-stack-unknown": (stack: string, known: readonly string[]): Problem => ({
    problem: "no stack of that name was read",
    value: stack,
    allowed: known.length > 0 ? known.join(", ") : "none was read",
    remedy: "name one of the stacks, or leave --stack out",
  }),
  "explain-spoke-unknown": (spoke: string, known: readonly string[]): Problem => ({
    problem: "no spoke of that name was read",
    value: spoke,
    allowed: known.length > 0 ? known.join(", ") : "none was read",
    remedy: "name one of the spokes by its profile, or leave --spoke out",
  }),
  "explain-late-value": (what: string, value: string): Problem => ({
    problem: `${what} is known only after apply`,
    value,
    allowed: "a literal",
    remedy: "ask with the literal text that the pod will have",
  }),
};
