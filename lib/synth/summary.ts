/*
 * The summary that `app.synth()` prints at its end: where the manifests are, what to do next, and the warnings, which
 * otherwise only cdktf's command line shows.
 */

import type { App } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { relative } from "node:path";
import { grouped } from "../model/grouped";
import { boolean, checkGiven } from "../model/shape";
import { afterSynth } from "./after-synth";

/** Key of the app's context that turns the summary off with `false`. */
const SUMMARY_CONTEXT = "cdktf-workload-identity/summary";

/** The type of metadata that `Annotations.addWarning` adds. */
const WARNING = "@cdktf/warn";

/** The files written for one stack. */
export interface WrittenStack {
  readonly stack: string;
  /** The folder; shown relative to the working directory. */
  readonly folder: string;
  /** Paths below the folder. */
  readonly files: readonly string[];
  /** Number of values in the files that Terraform knows only after apply. */
  readonly late: number;
  /** What applying a file does to nodes, one sentence each. */
  readonly effects: readonly string[];
  /**
   * The stack that has the other objects as resources.
   *
   * @defaultValue - all objects are in files
   */
  readonly delivering?: string;
  /**
   * The namespaces that these resources need and do not create.
   *
   * @defaultValue - none
   */
  readonly namespaces?: readonly string[];
}

const perApp = new WeakMap<IConstruct, WrittenStack[]>();

/** Adds what was written for the construct's stack to the summary. */
export function summarize(construct: Construct, written: WrittenStack): void {
  perApp.get(construct.node.root)?.push(written);
}

/**
 * Makes `app.synth()` print a summary on standard error, unless the app's context says otherwise or a test runs: vitest
 * and jest set `NODE_ENV`.
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

/** cdktf's command line sets the app's context, and shows the warnings itself. */
function shownElsewhere(): boolean {
  return process.env["CDKTF_CONTEXT_JSON"] !== undefined;
}

/** A warning and the constructs that raised it. */
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

/** Kinds of files, and what to do with them. */
const FILES: readonly (readonly [files: RegExp, what: string])[] = [
  [/^manifests\/\d\d-/, "to apply in the order of their numbers: manifests/NN-*.yaml"],
  [/^manifests\/(?!\d\d-)/, "for OpenShift's installer: manifests/ without a number"],
  [/^spokes\//, "for the spokes after which they are named: spokes/"],
  [/^nodes\//, "with files and kubelet flags, for the tool that sets up the nodes: nodes/"],
  [/^pods\//, "with fields to add to pods of a service account: pods/"],
];

function stackLines({
  stack,
  folder,
  files,
  late,
  effects,
  delivering,
  namespaces = [],
}: WrittenStack): readonly string[] {
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
          ...(namespaces.length === 0
            ? []
            : [`  needs these namespaces, whose absence only its apply shows: ${namespaces.join(", ")}`]),
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
