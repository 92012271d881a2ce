/*
 * What machines and pull requests read: one small report in every format, as committed files below
 * `__snapshots__/reports` that only `npm run test:update` writes; what holds of every report; and the published schemas
 * of SARIF and JUnit and our own that readers rely on.
 */

import Ajv2020 from "ajv/dist/2020.js";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../../examples/denied-pulls/run";
import {
  type Comparison,
  type ExplainResult,
  Explainer,
  type Finding,
  type RenderReportOptions,
  compare,
  renderCompareJson,
  renderCompareMarkdown,
  renderCompareText,
  renderGithub,
  renderHtml,
  renderJson,
  renderJunit,
  renderMarkdown,
  renderMermaid,
  renderSarif,
  renderText,
} from "../../../lib/explain";
import { CHECK_HELP } from "../../../lib/explain/check-help";
import { findingsOf, warningsOf } from "../../../lib/explain/findings";
import { printable, printableLines } from "../../../lib/explain/render/printable";
import { accountFleet, damagedFleet } from "../../fixtures/explain/account-fleet";
import { type Artefacts, putInto, synthesized } from "../../fixtures/explain/artefacts";
import { REPORT_FILES, reportAudit, reportComparison, reportResults } from "../../fixtures/explain/report";
import { compact } from "../../support/compact";
import { junitProblems, sarifProblems } from "../../support/report-schemas";
import { temporaryFolder } from "../../fixtures/synth/stack-fixture";

const GOLDEN = resolve(__dirname, "../../__snapshots__/reports");
const SCHEMA = resolve(__dirname, "../../../docs/explain.schema.json");

type Render = (results: Iterable<ExplainResult>, options?: RenderReportOptions) => Iterable<string>;

const DATA = /<script type="application\/json" id="data">([^<]*)<\/script>/;

interface PageData {
  readonly texts: readonly string[];
  readonly results: readonly unknown[];
  readonly audit?: readonly unknown[];
  readonly jobs: unknown;
  readonly stages: unknown;
}

const pageData = (html: string): PageData => JSON.parse(DATA.exec(html)?.[1] ?? "") as PageData;

/** The page without its style and script, and its data as a reader can follow it. */
function outline(html: string): string {
  const bare = html
    .replace(DATA, '<script type="application/json" id="data"></script>')
    .replace(/(<style>)[^]*?(<\/style>)/, "$1$2")
    .replace(/(<script>)[^]*(<\/script>)/, "$1$2")
    .replace(/'sha256-[^']*'/g, "'sha256-…'");
  const { jobs: _, stages: __, ...data } = pageData(html);
  return bare + printableLines(`${compact(data)}\n`);
}

const firstOf = <T>(all: readonly T[], key: (each: T) => string): readonly T[] =>
  all.filter((each, place) => all.findIndex((other) => key(other) === key(each)) === place);

/** One result of each job, and one finding of each severity. */
function shortJson(text: string): string {
  const { results, audit, ...rest } = JSON.parse(text) as { results: ExplainResult[]; audit: Finding[] };
  const short = {
    ...rest,
    results: firstOf(results, ({ job }) => job),
    audit: firstOf(audit, ({ severity }) => severity),
  };
  return printableLines(`${compact(short)}\n`);
}

/** The log with the first of its rules alone. */
function shortSarif(text: string): string {
  const unversioned = text.replace(/"semanticVersion": "[^"]*"/, '"semanticVersion": "…"');
  return unversioned.replace(/("rules": \[\s*\{[^]*?\n( +)\}),[^]*?\n\2\}\n(?= +\]\n)/, "$1\n");
}

/** The formats, and what of them is committed. */
const FORMATS: readonly [file: string, render: Render, shown?: (text: string) => string][] = [
  ["text.txt", renderText],
  ["verbose.txt", verbose],
  ["page.txt", renderHtml, outline],
  ["map.mermaid", renderMermaid],
  ["github.txt", renderGithub],
  ["junit.xml", renderJunit],
  ["markdown.md", renderMarkdown],
  ["report.json", renderJson, shortJson],
  ["report.sarif", renderSarif, shortSarif],
];

function verbose(results: Iterable<ExplainResult>, options?: RenderReportOptions): Iterable<string> {
  return renderText(results, { ...options, verbose: true });
}

/** Results, the audit, and the folder that the reports name, which differs from run to run. */
interface Case {
  readonly folder: string;
  readonly results: readonly ExplainResult[];
  readonly audit: readonly Finding[];
}

function read(artefacts: Artefacts): Case {
  const folder = putInto(temporaryFolder(), artefacts);
  const explainer = Explainer.read([folder]);
  return { folder, results: [...explainer.all()], audit: explainer.audit() };
}

/** The same object each time, made when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const damaged = once(() => damagedFleet(accountFleet()));

const flagship = once(() => read(synthesized("three-clouds")));
const fleet = once(() => read(damaged()));
const mistakes = once(() => {
  const folder = temporaryFolder();
  return { folder, outcomes: run(folder) };
});
const small = once((): Case => {
  const folder = putInto(temporaryFolder(), REPORT_FILES);
  return { folder, results: reportResults(folder), audit: reportAudit(folder) };
});

const cases: Readonly<Record<string, () => Case>> = {
  "three-clouds": flagship,
  "denied-pulls": once(() => {
    const { folder, outcomes } = mistakes();
    return { folder, results: outcomes.map(({ after }) => after), audit: [] };
  }),
  "two-hundred-accounts": fleet,
  "what reports show": small,
};

const placed = (text: string, folder: string): string =>
  text
    .replaceAll(`file://${folder}`, "cdktf.out")
    .replaceAll(folder, "cdktf.out")
    .replaceAll(folder.replaceAll("-", "&#45;"), "cdktf.out");

function rendered({ folder, results, audit }: Case, render: Render): string {
  return placed([...render(results, { audit })].join(""), folder);
}

const isValid = new Ajv2020({ formats: { date: true } }).compile(
  JSON.parse(readFileSync(SCHEMA, "utf8")) as object,
);

it.each(FORMATS)("has the committed %s", async (file, render, shown = (text: string) => text) => {
  await expect(shown(rendered(small(), render))).toMatchFileSnapshot(`${GOLDEN}/${file}`);
});

it.each<[string, (comparison: Comparison) => string, ((text: string) => string)?]>([
  ["compare.txt", renderCompareText],
  ["compare.md", renderCompareMarkdown],
  ["compare.json", renderCompareJson, (text) => printableLines(`${compact(JSON.parse(text))}\n`)],
])("has the committed %s", async (file, render, shown = (text) => text) => {
  const { folder } = small();
  const text = placed(render(reportComparison(folder)), folder);
  await expect(shown(text)).toMatchFileSnapshot(`${GOLDEN}/${file}`);
});

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { readonly rules: readonly { id: string; help: { text: string } }[] } };
    readonly results: readonly {
      ruleId: string;
      level: string;
      message: { text: string };
      locations: readonly {
        physicalLocation?: { artifactLocation: { uri: string }; region: { startLine: number } };
      }[];
      partialFingerprints: Readonly<Record<string, string>>;
      suppressions: readonly { kind: string; status: string; justification: string }[];
    }[];
  }[];
}

function sarifOf(results: Iterable<ExplainResult>, options: RenderReportOptions = {}): Sarif["runs"][number] {
  const { version, runs } = JSON.parse([...renderSarif(results, options)].join("")) as Sarif;
  expect([version, runs.length]).toEqual(["2.1.0", 1]);
  return runs[0] as Sarif["runs"][number];
}

const VERDICT_COUNTS = /(\d+) allowed, (\d+) denied, (\d+) unknown/;

describe.each(Object.entries(cases))("reports of %s", (_, make) => {
  it("are JSON of the schema: every result in the order given, indented by two", () => {
    const { results, audit } = make();
    const text = [...renderJson(results, { audit })].join("");
    const json = JSON.parse(text) as { results: ExplainResult[] };
    expect(isValid(json) ? [] : isValid.errors).toEqual([]);
    expect(text).toBe(`${printableLines(JSON.stringify(json, null, 2))}\n`);
    const named = (all: readonly ExplainResult[]): readonly string[] =>
      all.map(({ stack, subject, target, verdict }) => printable(`${stack} ${subject} ${target} ${verdict}`));
    expect(named(json.results)).toEqual(named(results));
  });

  it("are the same bytes again", () => {
    const given = make();
    for (const render of [renderText, renderHtml, renderGithub, renderJunit, renderMarkdown, renderSarif])
      expect(rendered(given, render)).toBe(rendered(given, render));
  });

  it("agree on how many there are of each verdict", () => {
    const given = make();
    const count = (of: string): number => given.results.filter(({ verdict }) => verdict === of).length;
    const [allowed, denied, unknown] = ["allowed", "denied", "unknown"].map(count);
    for (const render of [renderText, verbose, renderGithub, renderMarkdown])
      expect(VERDICT_COUNTS.exec(rendered(given, render))?.slice(1).map(Number)).toEqual([
        allowed,
        denied,
        unknown,
      ]);
    const page = rendered(given, renderHtml);
    expect(page).toContain(`: ${denied} denied, ${unknown} unknown, ${allowed} allowed</title>`);
    const junit = rendered({ ...given, audit: [] }, renderJunit);
    const open = given.results.filter(({ accepted = [] }) => accepted.length > 0).length;
    expect(junit.split("<testcase ").length - 1).toBe(given.results.length);
    expect(junit.split(/<(?:failure|error) /).length - 1).toBe(Number(denied) + Number(unknown) - open);
  });

  it("are complete: the page and the log of SARIF have everything", () => {
    const { results, audit } = make();
    const page = pageData([...renderHtml(results, { audit })].join(""));
    expect([page.results.length, page.audit?.length]).toEqual([results.length, audit.length]);
    const texts = new Set(page.texts);
    const named = results.flatMap(({ subject, target }) => [printable(subject), printable(target)]);
    expect(named.filter((each) => !texts.has(each))).toEqual([]);
    const found = results.flatMap((each) => [...findingsOf(each), ...warningsOf(each)]);
    const ids = sarifOf(results, { audit }).results.map(({ ruleId }) => ruleId);
    expect(ids).toEqual([...found, ...audit].map(({ id }) => id));
  });
});

it("Mermaid refuses a map that it would not draw, and says how much it draws", () => {
  expect(() => rendered(fleet(), renderMermaid)).toThrow("up to 500 links, which are about 38 pulls");
});

it("Markdown lists twenty of the results of one cause, and says how many more there are", () => {
  const [first] = reportResults("x");
  const results = Array.from({ length: 22 }, (_, number) => ({
    ...(first as ExplainResult),
    stack: `prod-${number}`,
  }));
  const lines = [...renderMarkdown(results)].join("").split("\n");
  expect(lines.filter((line) => line.startsWith("- "))).toHaveLength(21);
  expect(lines).toContain("- and 2 more");
});

it("compare says of each mistake of denied-pulls that the pull changed, in every form alike", () => {
  const { folder, outcomes } = mistakes();
  for (const { variant, after } of outcomes) {
    const { id, stack } = variant;
    const comparison = compare([join(folder, "good/stacks", stack)], [join(folder, id)]);
    const { changes } = comparison;
    // A mistake in the image that is asked for is none in what was written.
    const changed = changes.map(({ subject }) => subject);
    if (variant.goodImage === undefined) expect(changed, id).toContain(after.subject);
    if (changes.length === 0) continue;
    const { changes: json } = JSON.parse(renderCompareJson(comparison)) as { changes: readonly unknown[] };
    const count = (text: string, line: RegExp): number => text.match(line)?.length ?? 0;
    const rows = count(renderCompareMarkdown(comparison), /^\| /gm);
    const lines = count(renderCompareText(comparison), /^[a-z]/gm);
    const all = count(renderCompareText(comparison, { verbose: true }), /^[a-z]/gm);
    expect([json.length, all, rows - 2], id).toEqual([changes.length, changes.length, lines]);
  }
});

/** A result that is denied at its one link for this reason. */
const deniedFor = (reason: string, file?: string): ExplainResult => ({
  job: "image-pull",
  stack: "",
  subject: "a/b",
  target: "c",
  verdict: "denied",
  as: null,
  checks: [
    {
      id: "image-parses",
      status: "fail",
      reason,
      evidence: file === undefined ? [] : [{ text: "t", source: { file, path: "" } }],
      remedy: "",
    },
  ],
});
const DENIED = deniedFor("{0} [x](http://y)");

describe("the schema of JSON", () => {
  it("shows what is accepted", () => {
    const accepted = [{ check: "image-parses", reason: "known", expires: "2027-01-31" }];
    const { results } = JSON.parse([...renderJson([{ ...DENIED, accepted }])].join("")) as {
      results: unknown;
    };
    expect(results).toEqual([{ ...DENIED, accepted }]);
  });

  it.each<[string, object]>([
    ["another version", { version: 2, results: [] }],
    ["a verdict that is none", { version: 1, results: [{ ...DENIED, verdict: "maybe" }] }],
    ["a key that is not documented", { version: 1, results: [], more: true }],
  ])("refuses %s", (_, json) => {
    expect(isValid(json)).toBe(false);
  });
});

describe("SARIF", () => {
  it("lists every rule and no result where everything is allowed, so that alerts close", () => {
    const { results, audit } = flagship();
    const { tool, results: reported } = sarifOf(results, { audit });
    expect(reported).toEqual([]);
    const ids = tool.driver.rules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(CHECK_HELP.map(({ id }) => id)));
    expect(ids).toContain("subject-wide");
    expect(tool.driver.rules.filter(({ help }) => help.text === "")).toEqual([]);
  });

  it("has only known rules, levels by verdict, and a file with a line for each result", () => {
    const { folder, results, audit } = fleet();
    const { tool, results: reported } = sarifOf(results, { audit });
    const denied = results.filter(({ verdict }) => verdict === "denied");
    expect(reported.filter(({ level }) => level === "error").length).toBe(
      denied.length + audit.filter(({ severity }) => severity === "error").length,
    );
    const ids = tool.driver.rules.map(({ id }) => id);
    for (const { ruleId, message, locations, suppressions } of reported) {
      expect(ids).toContain(ruleId);
      expect(message.text).not.toBe("");
      const place = locations[0]?.physicalLocation;
      expect(place?.artifactLocation.uri).toMatch(new RegExp(`^file://${folder}/`));
      expect(place?.region.startLine).toBeGreaterThan(0);
      expect(suppressions).toEqual([]);
    }
  });

  it("keeps fingerprints while lines move, and has another one for each service account", () => {
    const fingerprints = ({ results, audit }: Case): readonly (string | undefined)[] => {
      return sarifOf(results, { audit }).results.map(
        ({ partialFingerprints }) => partialFingerprints["primaryLocationLineHash"],
      );
    };
    const moved = new Map(
      [...damaged()].map(([path, text]) => [path, path.endsWith(".yaml") ? `# moved\n\n${text}` : text]),
    );
    const before = fingerprints(fleet());
    expect(fingerprints(read(moved))).toEqual(before);
    expect(new Set(before).size).toBe(before.length);
  });

  it("makes neither placeholders nor links of other people's texts, and suppresses what is accepted", () => {
    const [result] = sarifOf([
      { ...DENIED, accepted: [{ check: "image-parses", reason: "known", expires: "2027-01-31" }] },
    ]).results;
    expect(result?.message.text).toBe("a/b pulls c: {{0}} [x] (http://y)");
    expect(result?.suppressions).toEqual([
      { kind: "external", status: "accepted", justification: "until 2027-01-31: known" },
    ]);
  });
});

describe("JUnit", () => {
  it("counts what it lists", () => {
    const text = rendered(fleet(), renderJunit);
    for (const [, tests, failures, errors, body = ""] of text.matchAll(
      /<testsuite name="[^"]*" tests="(\d+)" failures="(\d+)" errors="(\d+)" skipped="0">([^]*?)<\/testsuite>/g,
    ))
      expect([tests, failures, errors].map(Number)).toEqual(
        ["testcase", "failure", "error"].map((each) => body.split(`<${each} `).length - 1),
      );
  });
});

describe("published schemas", () => {
  const NONE = { folder: "none", results: [], audit: [] };
  const every = (): readonly Case[] => [...Object.values(cases).map((make) => make()), NONE];
  const accepted = (): Case => {
    const given = fleet();
    const { results } = JSON.parse(rendered(given, renderJson)) as { results: ExplainResult[] };
    const until = { reason: 'moved <next> "year" & \u0007later', expires: "2027-01-31" };
    return {
      ...given,
      results: results.map((each) => ({ ...each, accepted: [{ check: "otherwise", ...until }] })),
    };
  };

  it("allow each SARIF log", () => {
    const logs = [...every(), accepted()].map((given) => rendered(given, renderSarif));
    expect(logs.flatMap(sarifProblems)).toEqual([]);
  });

  it.each([
    ["another version", '"2.1.0"', '"2.2.0"', "/version must be equal to one of the allowed values"],
    [
      "a property that it does not know",
      '"rules"',
      '"rulez"',
      "/runs/0/tool/driver must NOT have additional properties",
    ],
    [
      "another level",
      '"level":"error"',
      '"level":"fatal"',
      "/runs/0/results/0/level must be equal to one of the allowed values",
    ],
  ])("refuse a SARIF log with %s", (_, what, by, problem) => {
    const log = [...renderSarif([DENIED])].join("");
    expect(sarifProblems(log)).toEqual([]);
    expect(sarifProblems(log.replace(what, by))).toContain(problem);
  });

  it("allow each JUnit report", () => {
    const reports = [...every(), accepted()].map((given) => rendered(given, renderJunit));
    expect(reports.flatMap(junitProblems)).toEqual([]);
  });

  it.each([
    ["an unknown attribute", "<testsuite ", '<testsuite colour="red" ', "colour of testsuite"],
    ["an unknown element", "<testcase ", "<note/><testcase ", "note in testsuite"],
    ["a missing attribute", / tests="\d+"/, "", "testsuite without tests"],
    ["a count that is not a number", / failures="\d+"/, ' failures="no"', 'failures="no"'],
    ["a bare ampersand", "</testsuite>", "&</testsuite>", "bare characters"],
    ["an element left open", /<\/testsuites>\s*$/, "", "testsuites is not closed"],
  ])("refuse a JUnit report with %s", (_, what, by, problem) => {
    const report = [...renderJunit([DENIED])].join("");
    expect(junitProblems(report)).toEqual([]);
    expect(junitProblems(report.replace(what, by))).toContain(problem);
  });
});

describe("annotations", () => {
  it("stand on a line each, with escapes in properties and text", () => {
    const result = deniedFor("50%\n::set-output::x", "a,b:c.yaml");
    const [line = ""] = [...renderGithub([{ ...result, stack: "a,b" }])];
    expect(line).toBe(
      "::error file=a%2Cb%3Ac.yaml,line=1,title=a%2Cb%3A image-parses::a/b pulls c: 50%25\\u000a::set-output::x\n",
    );
  });
});

describe("Markdown", () => {
  it("shows other people's texts as code: no link, mention, column or HTML", () => {
    const result = deniedFor("see @team <b>|x| [a](b) `code` https://x.y");
    const [, , row = ""] = [...renderMarkdown([result])];
    expect(row).toBe(
      "| denied | `a/b` pulls c | image-parses | see `@team` `<b>\\|x\\|` `[a]`(b) `` `code` `` `https://x.y` |  |\n",
    );
  });
});
