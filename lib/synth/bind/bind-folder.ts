import { readdirSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { fail } from "../../errors";
import { boundFiles } from "./bound-files";
import { type StackFolder, errorCode, readSynthFolder, readText } from "../../artefact/synth-folder";
import { type WrittenFiles, writeTargetFolder } from "./target-folder";
import { type TerraformOutputs, readTerraformOutputs } from "./terraform-outputs";

/** What `bind` reads and where it writes. */
export interface BindProps {
  /** File of `terraform output -json` (one stack), or of `--outputs-file` of `cdktf deploy` or `cdktf output` (any number). */
  readonly outputs: string;
  /** Folder for the finished files; made where it does not exist. */
  readonly to: string;
  /**
   * Synth output folder, or the folder of one stack in it.
   *
   * @defaultValue "cdktf.out"
   */
  readonly from?: string;
  /**
   * Folder of YAML files to finish instead of the stack's own: the output of a cdk8s `App` that has the
   * `LateValueResolver`. They keep their paths below it. `from` must then hold one stack.
   *
   * @defaultValue - the manifests and node files of every stack, written to `<to>/<stack>/`
   */
  readonly manifests?: string;
}

const YAML_FILE = /\.ya?ml$/;

/**
 * Fills the placeholders of synthesized manifests from Terraform outputs and writes finished files, all or none.
 *
 * Files of an earlier `bind` into the same folder that are no longer produced are removed; files that it never wrote
 * stay. Throws, with the target untouched: `bind-folder-invalid`, `bind-file-unreadable`, `bind-file-invalid`,
 * `bind-outputs-invalid`, `bind-outputs-ambiguous`, `bind-output-missing`, `bind-output-type`,
 * `bind-placeholder-unknown`, `bind-target-is-source`, `bind-target-unwritable`.
 */
export function bind(props: BindProps): WrittenFiles {
  const { to, from = "cdktf.out", manifests } = props;
  const stacks = readSynthFolder(from);
  const outputs = readTerraformOutputs(readText(props.outputs), props.outputs);
  const late = stacks.filter(({ identity }) => Object.keys(identity.placeholders).length > 0);
  if (outputs.form === "terraform" && late.length > 1)
    return fail(
      "bind-outputs-ambiguous",
      props.outputs,
      late.map(({ identity }) => identity.stack),
    );
  const sources = stacks.flatMap(({ path }) => [path, join(path, "..")]);
  checkTarget(to, manifests === undefined ? sources : [manifests]);
  const files =
    manifests === undefined
      ? stacks.flatMap((stack) => [...boundStack(stack, outputs)])
      : boundCharts(manifests, onlyStack(stacks, from), outputs);
  return writeTargetFolder(to, new Map(files));
}

/** The stack's own files, under the stack's name. */
function boundStack({ path, identity }: StackFolder, outputs: TerraformOutputs): Map<string, string> {
  const names = [...identity.manifests, ...identity.nodes].map(({ file }) => file);
  const { stack, placeholders } = identity;
  const files = new Map(names.map((name) => [`${stack}/${name}`, readText(join(path, name))]));
  return boundFiles({ stack, placeholders, files, outputs });
}

/** The files of a cdk8s app. */
function boundCharts(
  folder: string,
  { identity }: StackFolder,
  outputs: TerraformOutputs,
): Map<string, string> {
  const files = new Map(yamlFiles(folder).map((name) => [name, readText(join(folder, name))]));
  const { stack, placeholders } = identity;
  return boundFiles({ stack, placeholders, files, outputs });
}

function onlyStack(stacks: readonly StackFolder[], from: string): StackFolder {
  const [stack, ...others] = stacks;
  return stack !== undefined && others.length === 0
    ? stack
    : fail("bind-folder-invalid", from, `holds ${stacks.length} stacks, and the manifests are of one`);
}

function yamlFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => YAML_FILE.test(name))
      .sort();
  } catch (error) {
    return fail("bind-folder-invalid", folder, `cannot be read (${errorCode(error)})`);
  }
}

/** Finished files over their own source would leave nothing to bind the next time. */
function checkTarget(to: string, sources: readonly string[]): void {
  if (sources.map(realPath).includes(realPath(to))) fail("bind-target-is-source", to);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
