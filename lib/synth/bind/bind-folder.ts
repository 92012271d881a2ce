import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fail } from "../../errors";
import { placeholdersIn } from "../../artefact/placeholder";
import { type StackFolder, errorCode, readSynthFolder, readText } from "../../artefact/synth-folder";
import { type BoundFilesInput, Growth, assertOutputs, boundFiles } from "./bound-files";
import { type TerraformOutputs, readOutputsFile } from "./outputs";
import {
  type WrittenFiles,
  assertTargetOutside,
  compareTargetFolder,
  writeTargetFolder,
} from "./target-folder";
import type { FileOwner } from "../../artefact/written-files-list";
import { type ObjectKind, boolean, checkGiven, object, optional, text } from "../../model/shape";
import { refuseFile, refuseFolder } from "../../artefact/problems";
import { jsonObject } from "../../artefact/parsed-documents";
import { type Json, record } from "../../model/parsed";
import { refuseManifestsFolder } from "./problems";

/** Properties of {@link bind}: what it reads and where it writes. */
export interface BindProps {
  /** File of `terraform output -json` (one stack), or of `--outputs-file` of `cdktf deploy` or `cdktf output` (any number). */
  readonly outputs: string;
  /** Folder for the finished files, outside the synth output; created if it does not exist. */
  readonly to: string;
  /**
   * Synth output folder, or the folder of one stack in it.
   *
   * @defaultValue "cdktf.out"
   */
  readonly from?: string;
  /**
   * Folder of YAML files to finish instead of the stack's own: the output of a cdk8s `App` with the
   * `LateValueResolver`. The files keep their relative paths. `from` must then hold exactly one stack.
   *
   * @defaultValue - the manifests and node files of every stack, written to `<to>/<stack>/`
   */
  readonly manifests?: string;
  /**
   * Returns what would be done, and writes nothing.
   *
   * @defaultValue false
   */
  readonly dryRun?: boolean;
}

const BIND_PROPS: ObjectKind<BindProps> = object({
  outputs: text,
  to: text,
  from: optional(text),
  manifests: optional(text),
  dryRun: optional(boolean),
});

const YAML_FILE = /\.ya?ml$/;

/** Files to finish, and who owns the results. */
interface Source extends BoundFilesInput {
  readonly owner: FileOwner;
}

/**
 * Fills the placeholders of synthesized manifests from Terraform outputs and writes the finished files, all or none.
 *
 * A `bind` that is killed leaves `.workload-identity-bind` in the target, from which the next `bind` undoes its
 * changes; until then the verifier refuses the target. If another `bind` is writing there, it waits for its end.
 *
 * Files that an earlier `bind` wrote for the same stack (with `manifests`: from the same folder for the same stack) are
 * removed if they are no longer produced. Files of other stacks, and files that `bind` did not write, are neither
 * removed nor replaced. `.workload-identity-files` in the target records the owner of each file.
 */
export function bind(props: BindProps): WrittenFiles {
  checkGiven("bind()", BIND_PROPS, props);
  const { to, from = "cdktf.out", manifests, dryRun = false } = props;
  const stacks = readSynthFolder(from);
  const outputs = readOutputsFile(props.outputs);
  const late = stacks.filter(({ identity }) => Object.keys(identity.placeholders).length > 0);
  if (outputs.form === "terraform" && late.length > 1)
    return fail("bind-conflict", {
      problem: "outputs of one stack were given for several stacks",
      value: props.outputs,
      allowed: `outputs of one of the stacks ${late.map(({ identity }) => identity.stack).join(", ")}`,
      remedy:
        "bind each stack's folder with the outputs of that stack, or use the file of `cdktf output --outputs-file` for all",
    });
  assertTargetOutside(to, stacks, manifests === undefined ? [from] : [from, manifests]);
  const sources =
    manifests === undefined
      ? stacks.map((stack) => stackSource(stack, outputs))
      : [chartsSource(manifests, onlyStack(stacks, from), outputs, to)];
  const delivery = stacks.find(({ identity }) => identity.delivery)?.identity.delivery;
  if (delivery && sources.every(({ files }) => files.size === 0))
    fail("bind-unused", {
      problem:
        "there is no file to finish: the objects are resources of a Terraform stack, which fills them in itself",
      value: from,
      allowed: "stacks whose objects are in files",
      remedy: `run \`cdktf deploy ${delivery.stack}\` after the stack that it depends on`,
    });
  assertOutputs(sources);
  const growth = new Growth();
  const sets = sources.map((source) => ({ owner: source.owner, files: boundFiles(source, growth) }));
  return dryRun ? compareTargetFolder(to, sets) : writeTargetFolder(to, sets);
}

/** The stack's own files, under the stack's name. */
function stackSource({ path, identity }: StackFolder, outputs: TerraformOutputs): Source {
  const { stack, manifests, nodes, controlPlane = [], pods = [], registries = [] } = identity;
  const { placeholders, rules, clusters } = identity;
  const names = [...manifests, ...nodes, ...controlPlane, ...pods, ...registries].map(({ file }) => file);
  if (names.length === 0 && hasForeignPlaceholders(identity))
    fail("bind-missing", {
      problem: `stack ${stack} has placeholders but no manifests of its own to finish`,
      value: path,
      allowed: "a stack with manifests, or the files of the cdk8s app that has its placeholders",
      remedy:
        "name the cdk8s app's output folder with --manifests (`manifests` of bind()), and this stack's folder",
    });
  const files = new Map(names.map((name) => [`${stack}/${name}`, readText(join(path, name))]));
  const resources = declaredResources(path);
  return { owner: { stack }, stack, placeholders, rules, clusters, files, outputs, resources };
}

/** Whether a stack without files has placeholders other than those in its recorded facts of clusters. */
function hasForeignPlaceholders({ clusters, placeholders }: StackFolder["identity"]): boolean {
  const templates = Object.values(placeholders).map((entry) => ("encoding" in entry ? entry.text : ""));
  const known = new Set(placeholdersIn(JSON.stringify(clusters) + templates.join("")));
  return Object.keys(placeholders).some((placeholder) => !known.has(placeholder));
}

function chartsSource(
  folder: string,
  { path, identity }: StackFolder,
  outputs: TerraformOutputs,
  to: string,
): Source {
  const { stack, placeholders, clusters } = identity;
  const names = yamlFiles(folder);
  if (names.length === 0) refuseManifestsFolder(folder, "holds no .yaml or .yml file");
  const files = new Map(names.map((name) => [name, readText(join(folder, name))]));
  const charts = relative(resolve(to), resolve(folder)).replaceAll("\\", "/").replace(/\s/g, " ");
  const resources = declaredResources(path);
  return { owner: { stack, charts }, stack, placeholders, clusters, files, outputs, resources };
}

/** The resources of a stack's Terraform configuration; none where only the record was copied. */
function declaredResources(folder: string): Json {
  const file = join(folder, "cdk.tf.json");
  if (!existsSync(file)) return {};
  return record(jsonObject(readText(file), (reason) => refuseFile(file, reason))["resource"]);
}

function onlyStack(stacks: readonly StackFolder[], from: string): StackFolder {
  const [stack, ...others] = stacks;
  return stack !== undefined && others.length === 0
    ? stack
    : refuseFolder(from, `holds ${stacks.length} stacks, and the manifests are of one`);
}

function yamlFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((name) => name.replaceAll("\\", "/"))
      .filter((name) => YAML_FILE.test(name))
      .sort();
  } catch (error) {
    return refuseManifestsFolder(folder, `cannot be read (${errorCode(error)})`);
  }
}
