/*
 * What `app.synth()` says at its end: where the manifests are and what comes next, and the warnings, which cdktf itself
 * shows only through its own command line.
 */

import type { App } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { relative } from "node:path";
import { grouped } from "../model/grouped";
import { boolean, checkGiven } from "../model/shape";
import { afterSynth } from "./after-synth";

/** Key of the app's context that leaves the summary out with `false`. */
const SUMMARY_CONTEXT = "cdktf-workload-identity/summary";

/** The type of metadata that `Annotations.addWarning` adds. */
const WARNING = "@cdktf/warn";

/** What one stack's folder got. */
export interface WrittenStack {
  readonly stack: string;
  /** The folder; the working directory is left out of what is shown. */
  readonly folder: string;
  /** Paths below the folder. */
  readonly files: readonly string[];
  /** How many values the files need that Terraform knows only after apply. */
  readonly late: number;
  /** What applying a file does to nodes, a sentence each. */
  readonly effects: readonly string[];
  /**
   * The stack whose resources are the other objects.
   *
   * @defaultValue - all objects are in files
   */
  readonly delivering?: string;
}

const perApp = new WeakMap<IConstruct, WrittenStack[]>();

/** Has the summary say what was written for the construct's stack. */
export function summarize(construct: Construct, written: WrittenStack): void {
  perApp.get(construct.node.root)?.push(written);
}

/**
 * Has `app.synth()` print a summary on standard error, unless the app's context says otherwise. Tests are spared it:
 * vitest and jest set `NODE_ENV`.
 */
export function summarizeAtEnd(construct: Construct): void {
  const { root } = construct.node;
  const wanted: boolean = construct.node.tryGetContext(SUMMARY_CONTEXT) ?? process.env["NODE_ENV"] !== "test";
  checkGiven("the app", boolean, wanted, `context ${SUMMARY_CONTEXT}`);
  if (!wanted || perApp.has(root)) return;
  perApp.set(root, []);
  afterSynth(construct, "summary", (app) => {
    const written = perApp.get(app)?.splice(0) ?? [];
    process.stderr.write(summaryText(written, shownElsewhere() ? [] : warningsOf(app)));
  });
}

/** The command line of cdktf gives the app its context, and shows the warnings itself. */
function shownElsewhere(): boolean {
  return process.env["CDKTF_CONTEXT_JSON"] !== undefined;
}

/** A warning and the constructs that have it. */
interface Warning {
  readonly text: string;
  readonly paths: readonly string[];
}

function warningsOf(app: App): readonly Warning[] {
  const all = app.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === WARNING)
        .map(({ data }) => ({ text: String(data), path: node.path })),
    );
  return [...grouped(all, ({ text }) => text)].map(([text, group]) => ({
    text,
    paths: group.map(({ path }) => path),
  }));
}

/** The summary as text; each line ends with a line feed. */
export function summaryText(stacks: readonly WrittenStack[], warnings: readonly Warning[]): string {
  const lines = [...warnings.map(warningLine), ...stacks.flatMap(stackLines)];
  return lines.map((line) => `${line}\n`).join("");
}

function warningLine({ text, paths: [first, ...others] }: Warning): string {
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `warning: ${text} (${first}${more})`;
}

/** Kinds of files, and what is to be done with them. */
const FILES: readonly (readonly [files: RegExp, what: string])[] = [
  [/^manifests\/\d\d-/, "to apply in the order of their numbers: manifests/NN-*.yaml"],
  [/^manifests\/(?!\d\d-)/, "for OpenShift's installer: manifests/ without a number"],
  [/^spokes\//, "for the spokes that they are named after: spokes/"],
  [/^nodes\//, "with files and kubelet flags, for whatever makes the nodes: nodes/"],
  [/^pods\//, "with what pods need besides the service account: pods/"],
];

function stackLines({ stack, folder, files, late, effects, delivering }: WrittenStack): readonly string[] {
  const shown = relative(process.cwd(), folder).replaceAll("\\", "/") || ".";
  const counted = FILES.flatMap(([pattern, what]) => {
    const count = files.filter((file) => pattern.test(file)).length;
    return count === 0 ? [] : [`  ${count} ${count === 1 ? "file" : "files"} ${what}`];
  });
  const deployed = delivering === undefined ? stack : `${stack} ${delivering}`;
  const resources =
    delivering === undefined
      ? []
      : [
          `stack ${stack}: Kubernetes objects are resources of stack ${delivering}, which is deployed after it`,
        ];
  if (counted.length === 0)
    return resources.length === 0 ? [] : [...resources, `  next: \`cdktf deploy ${deployed}\``];
  const where = `stack ${stack}: Kubernetes files are in ${shown}`;
  const done = effects.map((effect) => `  ${effect}`);
  return [...resources, where, ...counted, ...done, `  next: ${nextStep(deployed, late)}`];
}

function nextStep(stack: string, late: number): string {
  if (late === 0) return `\`cdktf deploy ${stack}\`, then apply the files, which are final as they are`;
  return (
    `\`cdktf deploy ${stack} --outputs-file outputs.json\`, then \`cdktf-workload-identity bind --outputs outputs.json --to DIR\`, ` +
    `which fills in ${late} ${late === 1 ? "value" : "values"} known only after apply; then apply the files in DIR`
  );
}
