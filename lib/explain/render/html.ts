import type { CheckResult, Evidence } from "../answer";
import type { CheckId } from "../check-ids";
import { accessRunners } from "../jobs/access";
import { fleetRunner } from "../jobs/fleet-links";
import { PULL_LINKS } from "../jobs/pull";
import type { FleetWarning } from "../cloud";
import type { ExplainResult } from "../result";
import { placeText } from "../read/source-lines";
import type { Verdict } from "../verdict";
import { HTML_STYLE } from "./html-style";
import { htmlText } from "./html-text";
import { jobTitle, jobWords } from "./jobs";

/** The worst first, as everywhere on the page. */
const VERDICTS: readonly Verdict[] = ["denied", "unknown", "allowed"];

/** No page may load anything or run anything, whatever texts it shows. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

const ASKED: ReadonlyMap<CheckId, string> = new Map(
  [fleetRunner.links, ...Object.values(accessRunners).map(({ links }) => links), PULL_LINKS].flatMap(
    (links) => links.map(({ id, question }) => [id, question] as const),
  ),
);

/**
 * The results as one HTML page, piece by piece: how many of each verdict, a table of all results, and each chain with its
 * evidence, the denied ones opened.
 *
 * The page loads nothing, runs nothing and holds no time, so that the same results give the same bytes. The results are
 * held until the first piece is taken, because their number stands first.
 */
export function* renderHtml(results: Iterable<ExplainResult>): Generator<string> {
  const all = [...results];
  const counts = VERDICTS.map(
    (verdict) => [verdict, all.filter((each) => each.verdict === verdict).length] as const,
  );
  const title = jobTitle(all);
  const counted = counts.map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  yield `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n`;
  yield `<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n`;
  yield `<meta name="viewport" content="width=device-width, initial-scale=1">\n`;
  yield `<title>${title}: ${counted}</title>\n<style>${HTML_STYLE}</style>\n</head>\n<body>\n<main>\n`;
  yield `<h1>${title}</h1>\n<p class="lead">${LEAD} Judged from files alone: no cluster and no cloud was asked.</p>\n`;
  yield* summary(all, counts);
  yield `<section aria-labelledby="chains">\n<h2 id="chains">Chains</h2>\n`;
  for (const [index, result] of all.entries()) yield* chain(result, index + 1);
  yield `</section>\n</main>\n</body>\n</html>\n`;
}

function* summary(
  all: readonly ExplainResult[],
  counts: readonly (readonly [Verdict, number])[],
): Generator<string> {
  yield `<section aria-labelledby="summary">\n<h2 id="summary">Summary</h2>\n<dl class="counts">\n`;
  for (const [verdict, count] of counts) yield `<div><dt>${word(verdict)}</dt><dd>${count}</dd></div>\n`;
  yield `</dl>\n<fieldset><legend>Show</legend>\n${choice("all", true)}`;
  for (const [verdict] of counts) yield choice(verdict, false);
  yield `</fieldset>\n<div class="wide">\n<table>\n<caption>Every result, in the order of jobs and stacks</caption>\n<thead><tr>`;
  for (const title of COLUMNS) yield `<th scope="col">${title}</th>`;
  yield `</tr></thead>\n<tbody>\n`;
  for (const [index, result] of all.entries()) yield row(result, index + 1);
  yield `</tbody>\n</table>\n</div>\n</section>\n`;
}

const LEAD = "Will the pods get what they ask for, as whom, and if not, which link is broken.";

const COLUMNS: readonly string[] = [
  "Verdict",
  "Stack",
  "Service account",
  "Target",
  "As",
  "Does not hold at",
];

const NOBODY: Readonly<Record<Verdict, string>> = { allowed: "", denied: "no one", unknown: "not known" };

function choice(what: Verdict | "all", checked: boolean): string {
  const id = `only-${what}`;
  return `<label><input type="radio" name="only" id="${id}"${checked ? " checked" : ""}> ${what}</label>\n`;
}

function row({ job, verdict, stack, subject, target, as, checks }: ExplainResult, number: number): string {
  const open = checks.find(({ status }) => status === "fail" || status === "unknown");
  const cells = [
    word(verdict),
    htmlText(stack) || "none",
    code(subject),
    `${htmlText(jobWords[job].target)} ${code(target)}`,
    as === null ? NOBODY[verdict] : code(as),
    `<a href="#chain-${number}">${open ? htmlText(open.id) : "none"}</a>`,
  ];
  return `<tr data-verdict="${verdict}">${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>\n`;
}

function* chain(result: ExplainResult, number: number): Generator<string> {
  const { job, verdict, stack, subject, target, as, checks, warnings = [] } = result;
  const where = stack === "" ? "" : ` in ${htmlText(stack)}`;
  yield `<details id="chain-${number}" data-verdict="${verdict}"${verdict === "denied" ? " open" : ""}>\n`;
  yield `<summary>${word(verdict)} <h3>${code(subject)} ${jobWords[job].verb} ${code(target)}${where}</h3></summary>\n`;
  if (as !== null) yield `<p>${asSentence(job, verdict, as)}</p>\n`;
  yield `<table>\n<caption>The links in their order</caption>\n`;
  yield `<thead><tr><th scope="col">Link</th><th scope="col">Status</th><th scope="col">Why</th></tr></thead>\n<tbody>\n`;
  for (const check of checks) yield link(check);
  yield `</tbody>\n</table>\n`;
  if (warnings.length > 0) yield `<h4>Warnings</h4>\n<ul>${warnings.map(warningItem).join("")}</ul>\n`;
  yield `</details>\n`;
}

function warningItem({ id, reason, evidence, remedy }: FleetWarning): string {
  const seen = evidence.length === 0 ? "" : `<br>${evidence.map(shown).join("<br>")}`;
  return `<li><strong>${htmlText(id)}</strong>: ${htmlText(reason)}; ${htmlText(remedy)}${seen}</li>`;
}

function asSentence(job: ExplainResult["job"], verdict: Verdict, as: string): string {
  if (job !== "image-pull") return `Acts as ${code(as)}.`;
  return verdict === "allowed"
    ? `Pulls as ${code(as)}.`
    : `The chain does not hold by itself; the pull may be served as ${code(as)}.`;
}

function link({ id, status, reason, evidence, remedy, log }: CheckResult): string {
  const facts = [
    ...(log === undefined ? [] : [["Seen by an operator", code(log)]]),
    ...(remedy === "" ? [] : [["Remedy", htmlText(remedy)]]),
    ...(evidence.length === 0 ? [] : [["Evidence", evidence.map(shown).join("</dd><dd>")]]),
  ];
  const list = facts.map(([title, text]) => `<dt>${title}</dt><dd>${text}</dd>`).join("");
  const asks = htmlText(ASKED.get(id) ?? "");
  return `<tr><th scope="row">${htmlText(id)}<span class="asks">${asks}</span></th><td>${word(status)}</td><td><p>${htmlText(reason)}</p>${list === "" ? "" : `<dl>${list}</dl>`}</td></tr>\n`;
}

function shown({ text, source }: Evidence): string {
  return source === undefined ? htmlText(text) : `${htmlText(text)}, ${code(placeText(source))}`;
}

/** Status and verdict are words; colour only repeats them. */
function word(status: Verdict | CheckResult["status"]): string {
  return `<span class="word ${status}">${status}</span>`;
}

function code(text: string): string {
  return `<code>${htmlText(text)}</code>`;
}
