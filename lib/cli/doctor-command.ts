import { OF_PULLS, OF_WORKLOADS } from "../doctor/messages/row";
import { type FoundMessage, messagesIn, secretIn } from "../doctor/messages";
import { collectionScript, collectionText } from "../doctor/collect";
import { type Report, diagnose } from "../doctor/diagnosis";
import { reportJson, reportMarkdown, reportText } from "../doctor/report";
import { renderHtml } from "../explain";
import { printable, printableJson } from "../explain/render/printable";
import type { CloudName } from "../model/clouds";
import { type Stated, printSkipped, statedOptions } from "./asked-folders";
import { type Asked, type CommandIo, UsageError } from "./command";
import { inputText } from "./input-text";

interface Values extends Stated {
  readonly message?: string;
  readonly collect?: CloudName | "other";
  readonly script?: true;
  readonly pod?: string;
  readonly "service-account"?: string;
  readonly image?: string;
  readonly declared?: string;
  readonly format: "html" | "json" | "markdown" | "text";
}

const EXIT_HOLDS = 0;
const EXIT_BROKEN = 1;
const EXIT_UNKNOWN = 3;

const BEGIN = `1. Find the message: kubectl describe pod POD, or the log of the program that could not log in.
2. doctor --message 'TEXT', or doctor --message - < FILE, says which link it proves to be broken.
3. doctor --collect aws --script > collect.sh (or azure, google, other): read it, set its variables, run it.
4. doctor bundle says of each chain that fails which links are broken, and what would decide those that are open.
5. doctor bundle --declared cdktf.out also says what differs from what was synthesized.
`;

/**
 * `doctor`: which links of a chain that fails are broken, by what was collected of the running system; what a message
 * proves; and how to collect the rest.
 *
 * Returns 0 if every link of all chains holds, 1 if one is broken, 3 if one is open and none is broken.
 */
export async function run({ values, operands }: Asked<Values>, io: CommandIo): Promise<number> {
  const { message, collect, script, format } = values;
  refuseContradictions(values, operands);
  if (operands.length > 0) return diagnosed(operands, values, io);
  if (collect !== undefined) {
    io.out(script ? collectionScript(collect) : collectionText(collect));
    return 0;
  }
  if (message === undefined) {
    io.out(BEGIN);
    return 0;
  }
  const text = message === "-" ? await inputText(io) : message;
  refuseSecrets(text);
  const found = messagesIn(text);
  io.out(format === "json" ? messagesJson(found) : messagesText(found));
  return found.some(({ row }) => row.broken.length > 0) ? EXIT_BROKEN : EXIT_UNKNOWN;
}

type Renderer = (report: Report) => Iterable<string>;

const RENDERERS: Readonly<Record<Values["format"], Renderer>> = {
  html: ({ diagnoses }) => renderHtml(diagnoses, { about: "what doctor found" }),
  json: (report) => [reportJson(report)],
  markdown: (report) => [reportMarkdown(report)],
  text: (report) => [reportText(report)],
};

function diagnosed(operands: readonly string[], values: Values, io: CommandIo): number {
  const [bundle = "", ...besides] = operands;
  const { pod, image, declared, format, "service-account": serviceAccount } = values;
  const options = { ...statedOptions(values), besides, declared };
  const report = diagnose(bundle, { pod, serviceAccount, image }, options);
  if (report.diagnoses.length === 0) throw new UsageError(NOTHING_ASKED);
  for (const piece of RENDERERS[format](report)) io.out(piece);
  printSkipped(report, io);
  const verdicts = new Set(report.diagnoses.map(({ verdict }) => verdict));
  if (verdicts.has("denied")) return EXIT_BROKEN;
  return verdicts.has("unknown") ? EXIT_UNKNOWN : EXIT_HOLDS;
}

const NOTHING_ASKED =
  "the bundle has no pull and no login to look at: give --service-account and --image, or collect objects.json";

function refuseContradictions(values: Values, operands: readonly string[]): void {
  const { message, collect, script, format, pod, image, declared, "service-account": account } = values;
  if (message !== undefined && collect !== undefined)
    throw new UsageError("--message and --collect are two questions: ask one at a time");
  if (operands.length > 0 && (message ?? collect) !== undefined)
    throw new UsageError("a bundle is asked about without --message and --collect");
  if (script && collect === undefined) throw new UsageError("--script is a form of --collect");
  if (operands.length === 0) {
    const [of] = Object.entries({ pod, image, declared, "service-account": account }).filter(
      ([, value]) => value !== undefined,
    );
    if (of) throw new UsageError(`--${of[0]} is about a bundle: name its folder`);
    if (format !== "text" && format !== "json")
      throw new UsageError(`--format ${format} is for bundles; messages have text and json`);
  }
  if (pod !== undefined && (image ?? account) !== undefined)
    throw new UsageError("--pod says service account and images by itself; leave out the others");
  if (image !== undefined && account === undefined)
    throw new UsageError("--image needs --service-account, whose tokens pull it");
}

function refuseSecrets(text: string): void {
  const secret = secretIn(text);
  if (secret !== undefined)
    throw new UsageError(
      `line ${secret.line} of the message holds ${secret.what}: take it out; nothing secret is needed here`,
    );
}

function messagesText(found: readonly FoundMessage[]): string {
  if (found.length === 0)
    return "no known message; docs/troubleshooting.md lists those that are known, and `doctor --collect` what else decides\n";
  return `${found.map(messageText).join("\n\n")}\n`;
}

/** Of a long line of a log, the beginning is enough. */
const SHOWN = 300;

function messageText({ row, line, text, count }: FoundMessage): string {
  const more = count > 1 ? `, and ${count - 1} more` : "";
  const shown = text.trim();
  const ofPull = row.holds.filter((id) => !OF_WORKLOADS.includes(id));
  const ofWorkload = row.holds.filter((id) => !OF_PULLS.includes(id));
  const links = (label: string, ids: readonly string[]): readonly string[] =>
    ids.length === 0 ? [] : [`  ${label}: ${ids.join(", ")}`];
  return [
    printable(`line ${line}${more}: ${shown.length > SHOWN ? `${shown.slice(0, SHOWN)}…` : shown}`),
    `  ${row.by}: ${row.means}`,
    ...links(row.broken.length === 1 ? "broken" : "broken, one of", row.broken),
    ...links("holds for a pull", ofPull),
    ...links("holds for a workload", ofWorkload),
    `  fix: ${row.fix}`,
    ...(row.decide === undefined ? [] : [`  decide: ${row.decide}`]),
  ].join("\n");
}

function messagesJson(found: readonly FoundMessage[]): string {
  const messages = found.map(({ row, line, count }) => {
    const { text: message, by, means, broken, holds, fix, decide = null } = row;
    return { message, by, line, count, means, broken, holds, fix, decide };
  });
  return `${printableJson({ version: 1, messages })}\n`;
}
