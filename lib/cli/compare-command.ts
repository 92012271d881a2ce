import {
  Explainer,
  type Change,
  type Comparison,
  renderCompareJson,
  renderCompareMarkdown,
  renderCompareSarif,
  renderCompareText,
  renderHtml,
} from "../explain";
import { comparison } from "../explain/compare/compare";
import { compareVerdicts } from "../explain/result";
import { readBefore } from "../explain/explainer";
import { type Stated, printSkipped, readAsked, statedOptions } from "./asked-folders";
import type { Asked, CommandIo } from "./command";

const EXIT_FINE = 0;
const EXIT_FAILED = 1;

type Renderer = (
  comparison: Comparison,
  made: Explainer,
  options: Pick<Values, "verbose" | "about">,
) => Iterable<string>;

const RENDERERS: Readonly<Record<"html" | "json" | "markdown" | "sarif" | "text", Renderer>> = {
  html: (comparison, made, { about = "" }) => renderHtml(made.all(), { comparison, about }),
  json: (comparison) => [renderCompareJson(comparison)],
  markdown: (comparison) => [renderCompareMarkdown(comparison)],
  sarif: (comparison) => renderCompareSarif(comparison),
  text: (comparison, _, { verbose = false }) => [renderCompareText(comparison, { verbose })],
};

/** Whether a difference fails the command. What cannot be compared, or has another identity, counts as both more and less. */
const FAILS: Readonly<Record<"any" | "lost" | "widened", (change: Change) => boolean>> = {
  any: () => true,
  lost: (change) => isOf(change, ["removed", "narrowed"], -1),
  widened: (change) => isOf(change, ["added", "widened"], 1),
};

interface Values extends Stated {
  readonly format: keyof typeof RENDERERS;
  readonly verbose?: true;
  readonly about?: string;
  readonly "fail-on"?: keyof typeof FAILS;
}

/**
 * `compare`: what service accounts may do on the new side but not on the old one, and the other way round.
 *
 * Exits with 0 whatever differs; with `--fail-on`, exits with 1 if it finds a difference of that kind.
 */
export function run({ values, operands }: Asked<Values>, io: CommandIo): number {
  const [first = "", second = first] = operands;
  // One plan holds both sides.
  const old = operands.length === 1 ? readBefore([first], statedOptions(values)) : readAsked([first], values);
  const made = readAsked([second], values);
  const changes = comparison(old, made);
  for (const piece of RENDERERS[values.format](changes, made, values)) io.out(piece);
  for (const side of [old, made]) printSkipped(side, io, values.verbose);
  const fails = values["fail-on"] && FAILS[values["fail-on"]];
  return fails && changes.changes.some(fails) ? EXIT_FAILED : EXIT_FINE;
}

function isOf(change: Change, kinds: readonly Change["kind"][], sign: 1 | -1): boolean {
  const { kind, before, after } = change;
  if (kind !== "verdict") return [...kinds, "identity", "incomparable"].includes(kind);
  return sign * compareVerdicts(after?.verdict ?? "denied", before?.verdict ?? "denied") > 0;
}
