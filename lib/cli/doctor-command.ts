import { OF_WORKLOADS, TOKEN_SENT } from "../doctor/messages/row";
import { type FoundMessage, messagesIn, secretIn } from "../doctor/messages";
import { collectionScript, collectionText } from "../doctor/collect";
import { printable, printableLines } from "../explain/render/printable";
import type { CloudName } from "../model/clouds";
import { type Asked, type CommandIo, UsageError } from "./command";
import { inputText } from "./input-text";

interface Values {
  readonly message?: string;
  readonly collect?: CloudName | "other";
  readonly script?: true;
  readonly format: "text" | "json";
}

const EXIT_BROKEN = 1;
const EXIT_UNKNOWN = 3;

const BEGIN = `1. Find the message: kubectl describe pod POD, or the log of the program that could not log in.
2. doctor --message 'TEXT', or doctor --message - < FILE, says which link it proves to be broken.
3. doctor --collect aws (or azure, google, other) prints the commands that show what cluster and cloud have.
4. explain FOLDER judges what they printed, and what terraform show -json prints, link by link.
5. If explain says allowed and the cluster disagrees, the files differ from what is there: terraform plan, kubectl diff.
`;

/** `doctor`: what messages prove, and how to collect what decides the rest. */
export async function run({ values }: Asked<Values>, io: CommandIo): Promise<number> {
  const { message, collect, script, format } = values;
  if (message !== undefined && collect !== undefined)
    throw new UsageError("--message and --collect are two questions: ask one at a time");
  if (script && collect === undefined) throw new UsageError("--script is a form of --collect");
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

/** Links that only the chain of a pull has. */
const OF_PULLS: readonly string[] = TOKEN_SENT.filter((id) => !OF_WORKLOADS.includes(id));

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
  const messages = found.map(
    ({ row: { text, by, means, broken, holds, fix, decide = null }, line, count }) => ({
      message: text,
      by,
      line,
      count,
      means,
      broken,
      holds,
      fix,
      decide,
    }),
  );
  return `${printableLines(JSON.stringify({ version: 1, messages }, undefined, 2))}\n`;
}
