/*
 * The summary that `app.synth()` prints at its end: where the manifests are, what to do next, and the warnings, which
 * otherwise only cdktf's command line shows.
 */

import { type App, TerraformStack } from "cdktf";
import type { Construct, IConstruct } from "constructs";
import { basename, dirname, relative } from "node:path";
import { placeholdersIn } from "../artefact/placeholder";
import { WORKLOAD_IDENTITY_FILE } from "../artefact/workload-identity-file";
import { grouped } from "../model/grouped";
import { boolean, checkGiven } from "../model/shape";
import { afterSynth } from "./after-synth";
import type { LateValues } from "./late-values";

/** Key of the app's context that turns the summary off with `false`. */
const SUMMARY_CONTEXT = "cdktf-workload-identity/summary";

/** The type of metadata that `Annotations.addWarning` adds. */
const WARNING = "@cdktf/warn";

export interface WrittenStack {
  readonly stack: string;
  /** The folder; shown relative to the working directory. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Number of values in the files that Terraform knows only after apply. */
  readonly late: number;
  /** What the objects of a file do to nodes, one sentence each, by the file; also of files whose objects are resources. */
  readonly effects: readonly (readonly [file: string, effect: string])[];
  /** The stack that has the other objects as resources; without it all objects are in files. */
  readonly delivering?: string;
  /** Stacks without Kubernetes files that depend on it, such as that of a registry's owner who grants the pulls. */
  readonly dependents?: readonly string[];
  /** The namespaces that these resources need and do not create. */
  readonly namespaces?: readonly string[];
}

const perApp = new WeakMap<IConstruct, WrittenStack[]>();

/** Adds what was written for the construct's stack to the summary. */
export function summarize(construct: Construct, written: WrittenStack): void {
  perApp.get(construct.node.root)?.push(written);
}

/**
 * Makes `app.synth()` print a summary, unless the app's context says otherwise or a test runs: vitest and jest set
 * `NODE_ENV`. It goes to standard error, and to standard output under cdktf's command line, which shows every line of the
 * app's standard error in red, as an error.
 */
export function summarizeAtEnd(construct: Construct): void {
  const { root } = construct.node;
  const wanted: boolean = construct.node.tryGetContext(SUMMARY_CONTEXT) ?? process.env["NODE_ENV"] !== "test";
  checkGiven("the app", boolean, wanted, `context ${SUMMARY_CONTEXT}`);
  if (!wanted || perApp.has(root)) return;
  perApp.set(root, []);
  afterSynth(construct, "summary", (app) => {
    const written = withDependents(app, perApp.get(app)?.splice(0) ?? []);
    if (isRunByCommandLine()) process.stdout.write(summaryText(written, []));
    else process.stderr.write(summaryText(written, warningsOf(app)));
  });
}

/** Stacks that the summary names anyway are left out. */
function withDependents(app: App, written: readonly WrittenStack[]): readonly WrittenStack[] {
  const named = new Set(written.flatMap(({ stack, delivering = stack }) => [stack, delivering]));
  const others = app.node
    .findAll()
    .filter((each) => TerraformStack.isStack(each))
    .filter(({ node }) => !named.has(node.id));
  return written.map((each) => {
    const dependents = others
      .filter(({ dependencies }) => dependencies.some(({ node }) => node.id === each.stack))
      .map(({ node }) => node.id);
    return dependents.length === 0 ? each : { ...each, dependents };
  });
}

/** cdktf's command line sets the app's context, and shows the warnings itself. */
function isRunByCommandLine(): boolean {
  return process.env["CDKTF_CONTEXT_JSON"] !== undefined;
}

interface Warning {
  readonly text: string;
  readonly paths: readonly string[];
}

function warningsOf(app: App): readonly Warning[] {
  const warnings = app.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === WARNING)
        .map(({ data }) => ({ text: String(data), path: node.path })),
    );
  return [...grouped(warnings, ({ text }) => text)].map(([text, group]) => ({
    text,
    paths: group.map(({ path }) => path),
  }));
}

/** The summary as text; each line ends with a line feed. Stacks of which the same is to be said are one paragraph. */
export function summaryText(stacks: readonly WrittenStack[], warnings: readonly Warning[]): string {
  const lines = [...warnings.map(warningLine), ...alike(stacks).flatMap(stackLines)];
  return lines.map((line) => `${line}\n`).join("");
}

/** Stacks that differ only in their names, and in the number of late values. */
function alike(stacks: readonly WrittenStack[]): readonly Alike[] {
  const keyOf = (each: WrittenStack): string => {
    const { stack, folder, late, effects, delivering = "", dependents = [], namespaces = [] } = each;
    const place = basename(folder) === stack ? dirname(folder) : folder;
    return JSON.stringify([place, late > 0, countedFiles(each), effects, delivering, dependents, namespaces]);
  };
  return [...grouped(stacks, keyOf).values()].flatMap(([first, ...others]) =>
    first ? [[first, ...others] as const] : [],
  );
}

type Alike = readonly [WrittenStack, ...WrittenStack[]];

function warningLine({ text, paths: [first, ...others] }: Warning): string {
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `warning: ${text} (${first}${more})`;
}

const FILES: readonly (readonly [files: RegExp, what: string])[] = [
  [/^manifests\/\d\d-[^/]*$/, "to apply in the order of their numbers: manifests/NN-*.yaml"],
  [
    /^manifests\/[^/]+\/\d\d-/,
    "to apply to each CLUSTER in the order of their numbers: manifests/CLUSTER/NN-*.yaml",
  ],
  [/^manifests\/(?!\d\d-|.+\/\d\d-)/, "for OpenShift's installer: manifests/ without a number"],
  [/^spokes\//, "for the spokes after which they are named: spokes/"],
  [/^nodes\//, "with files and kubelet flags, for the tool that sets up the nodes: nodes/"],
  [/^control-plane\//, "for the control plane's API servers, before anything else: control-plane/"],
  [/^pods\//, "with fields to add to pods of a service account: pods/"],
];

function countedFiles({ files }: WrittenStack): readonly string[] {
  return FILES.flatMap(([pattern, what]) => {
    const count = files.filter((file) => pattern.test(file)).length;
    return count === 0 ? [] : [`  ${count} ${count === 1 ? "file" : "files"} ${what}`];
  });
}

function stackLines(stacks: Alike): readonly string[] {
  const [first] = stacks;
  const { stack, folder, files, effects, delivering, dependents = [], namespaces = [] } = first;
  const isOne = stacks.length === 1;
  const counted = countedFiles(first);
  const name = isOne ? stack : "STACK";
  const place = isOne ? folder : `${dirname(folder)}/${name}`;
  const title = isOne ? `stack ${stack}` : `stacks ${listed(stacks.map((each) => each.stack))}`;
  const shown = relative(process.cwd(), place).replaceAll("\\", "/") || ".";
  const effectLines = (isWritten: boolean): readonly string[] =>
    effects.flatMap(([file, effect]) => (files.includes(file) === isWritten ? [`  ${file}: ${effect}`] : []));
  const resources =
    delivering === undefined
      ? []
      : [
          `${title}: Kubernetes objects are resources of stack ${delivering}, which is deployed after it`,
          ...(namespaces.length === 0
            ? []
            : [`  needs these namespaces, whose absence only its apply shows: ${namespaces.join(", ")}`]),
          ...effectLines(false),
        ];
  const deployed = [name, ...(delivering === undefined ? [] : [delivering]), ...dependents].join(" ");
  const also = dependents.map((each) => `  stack ${each} depends on it and must be deployed too`);
  const next = isOne ? "next" : "next, for each STACK";
  if (counted.length === 0)
    return resources.length === 0
      ? []
      : [...resources, ...also, `  ${next}: \`npx cdktf deploy ${deployed}\``];
  const where = `${title}: Kubernetes files are in ${shown}`;
  return [
    ...resources,
    where,
    ...counted,
    ...effectLines(true),
    ...also,
    `  ${next}: ${nextStep(deployed, stacks)}`,
  ];
}

const NAMES_MAX = 5;

function listed(names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  const [shown, rest] = more > 1 ? [names.slice(0, NAMES_MAX), ` and ${more} more`] : [names, ""];
  return shown.join(", ") + rest;
}

function nextStep(deployed: string, stacks: Alike): string {
  const late = stacks.map((each) => each.late);
  const [least, most] = [Math.min(...late), Math.max(...late)];
  if (most === 0)
    return `\`npx cdktf deploy ${deployed}\`, then apply the files, which are final as they are`;
  const values = least === most ? `${most} ${most === 1 ? "value" : "values"}` : `${least} to ${most} values`;
  return (
    `\`npx cdktf deploy ${deployed} --outputs-file outputs.json\`, then \`npx cdktf-workload-identity bind --outputs outputs.json --to DIR\`, ` +
    `which fills in ${values} known only after apply; then apply the files in DIR`
  );
}

/** How many values `bind` fills in: those of files, also within encoded texts, but not what only the record holds. */
export function lateValuesIn(
  files: ReadonlyMap<string, string>,
  placeholders: LateValues["placeholders"],
): number {
  const texts = [...files].flatMap(([file, text]) => (file === WORKLOAD_IDENTITY_FILE ? [] : [text]));
  const names = texts.flatMap(placeholdersIn).flatMap((each) => {
    const entry = placeholders[each];
    return entry && "encoding" in entry ? placeholdersIn(entry.text) : [each];
  });
  return new Set(names).size;
}
