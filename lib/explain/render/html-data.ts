/*
 * The results as the page's script reads them: every text, check and chain once. Names of the result (its service
 * account, target and identity) are taken out of texts, so that ten thousand similar texts become one.
 */

import { namespacedName } from "../../model/namespaced-name";
import type { CheckId } from "../check-ids";
import { CHECK_HELP } from "../check-help";
import type { CheckResult, Evidence } from "../answer";
import { type Finding, openLinks } from "../findings";
import type { ExplainResult, FleetWarning } from "../result";
import { placeText } from "../read/source-lines";
import { jobWords } from "./jobs";
import { cloudTitle } from "../every-cloud";
import { printable, printableText } from "./printable";

/** Marks in place of the target, subject, identity, name and namespace; no printable text contains them. */
const MARKS: readonly string[] = ["\u0001", "\u0002", "\u0003", "\u0004", "\u0005"];
/** Shorter names are part of too many words. */
const MARKED_MIN = 4;

const STAGES = ["Service account", "Token and audience", "Issuer", "Identity", "Permission"] as const;

/** Where a check is on the map; one without a stage belongs to the stage of the check before it. */
const STAGE_OF: Readonly<Partial<Record<CheckId, (typeof STAGES)[number]>>> = {
  "service-account-present": "Service account",
  "account-present": "Service account",
  "controller-present": "Service account",
  "secret-present": "Service account",
  "image-parses": "Token and audience",
  "audience-granted": "Token and audience",
  "audience-accepted": "Token and audience",
  "issuer-configured": "Token and audience",
  "token-mounted": "Token and audience",
  "pods-configured": "Token and audience",
  "issuer-trusted": "Issuer",
  "identity-found": "Identity",
  "subject-admitted": "Identity",
  "identity-named": "Identity",
  "login-permitted": "Permission",
  "repository-permitted": "Permission",
  "permissions-granted": "Permission",
  "spoke-authorizes": "Permission",
};

const QUESTIONS: ReadonlyMap<string, string> = new Map(CHECK_HELP.map(({ id, question }) => [id, question]));

/** Gives each text, or each list made of numbers, its number. */
class Table {
  readonly all: unknown[] = [];
  readonly #numbers = new Map<string, number>();

  number(value: unknown): number {
    const key = typeof value === "string" ? value : JSON.stringify(value);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.all.push(value) - 1;
    this.#numbers.set(key, number);
    return number;
  }
}

/** Differences with one cause as the page shows them. */
export interface ShownChange {
  readonly kind: string;
  readonly danger: string;
  /** The heading of their rank. */
  readonly title: string;
  readonly text: string;
  readonly count: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** What the page shows in addition to results. */
interface Besides {
  readonly audit: readonly Finding[] | undefined;
  readonly changes: readonly ShownChange[] | undefined;
  readonly about: string;
  readonly lookedAt: string;
}

/** Everything that the page shows, as JSON that a script element can hold. */
export class PageData {
  readonly #texts = new Table();
  readonly #evidence = new Table();
  readonly #checks = new Table();
  readonly #chains = new Table();
  readonly #results: unknown[] = [];
  readonly #questions: Record<string, string> = {};

  add(result: ExplainResult): void {
    const { job, stack, subject, target, verdict, as, checks, warnings = [], accepted = [] } = result;
    const marked = new Marked(result);
    const text = (value: string): number => this.#texts.number(marked.text(value));
    const plain = (value: string): number => this.#texts.number(printable(value));
    const chain = this.#chains.number(checks.map((check) => this.#check(check, text)));
    this.#results.push([
      ...[job, plain(stack), plain(subject), plain(target), verdict, as === null ? -1 : plain(as), chain],
      ...[plain(cloudOf(checks)), openLinks(result)[0]?.id ?? ""],
      warnings.map((each) => this.#warning(each, text)),
      accepted.map(({ check, reason, expires }) => plain(`${check}: ${reason} (until ${expires})`)),
    ]);
  }

  /** The JSON, in which nothing ends the element. */
  json({ audit, changes, about, lookedAt }: Besides): string {
    const findings = audit?.map((finding) => {
      const { id, severity, stack, subject, target, reason, remedy } = finding;
      const accepted = finding.accepted?.reason ?? "";
      const evidence = finding.evidence.map(({ text, source }) =>
        source ? `${text}, ${placeText(source)}` : text,
      );
      return { id, severity, stack, subject, target, reason, remedy, accepted, evidence };
    });
    const data = {
      texts: this.#texts.all,
      evidence: this.#evidence.all,
      checks: this.#checks.all,
      chains: this.#chains.all,
      results: this.#results,
      questions: this.#questions,
      jobs: jobWords,
      stages: STAGES.map((title) => [
        title,
        Object.entries(STAGE_OF).flatMap(([id, stage]) => (stage === title ? [id] : [])),
      ]),
      audit: printed(findings),
      changes: printed(changes),
      about: printable(about),
      lookedAt: lookedAt === "" ? "" : ` in ${printable(lookedAt)}`,
    };
    return JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, escaped);
  }

  #check(
    { id, status, reason, evidence, remedy, log }: CheckResult,
    text: (value: string) => number,
  ): number {
    this.#questions[id] ??= QUESTIONS.get(id) ?? "";
    const seen = evidence.map((each) => this.#seen(each, text));
    return this.#checks.number([
      id,
      status,
      text(reason),
      seen,
      text(remedy),
      log === undefined ? -1 : text(log),
    ]);
  }

  #warning({ id, reason, evidence, remedy }: FleetWarning, text: (value: string) => number): unknown {
    return [id, text(reason), evidence.map((each) => this.#seen(each, text)), text(remedy)];
  }

  #seen({ text: said, source }: Evidence, text: (value: string) => number): number {
    return this.#evidence.number([text(said), source === undefined ? -1 : text(placeText(source))]);
  }
}

/** Texts of a result with marks in place of what only it has. */
class Marked {
  readonly #values: readonly (readonly [value: string, mark: string])[];

  constructor({ target, subject, as }: ExplainResult) {
    const { namespace, name } = namespacedName(subject);
    const values = [target, subject, as ?? "", name, namespace];
    this.#values = values
      .map((value, place) => [printable(value), MARKS[place] ?? ""] as const)
      .filter(([value]) => value.length >= MARKED_MIN)
      .sort(([one], [other]) => other.length - one.length);
  }

  text(value: string): string {
    return this.#values.reduce((text, [own, mark]) => text.replaceAll(own, mark), printable(value));
  }
}

/** The cloud whose resources the chain rests on most; empty if it rests on none. */
function cloudOf(checks: readonly CheckResult[]): string {
  const counts = new Map<string, number>();
  for (const { source } of checks.flatMap(({ evidence }) => evidence)) {
    const [, name] = /(?:^|\.)resource\.(?:data\.)?([a-z0-9]+)_/.exec(source?.path ?? "") ?? [];
    const title = name === undefined ? undefined : (cloudTitle(name) ?? name);
    if (title !== undefined) counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}

function printed<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value, printableText)) as T);
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
