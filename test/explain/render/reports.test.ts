/*
 * What machines and pull requests read: whole reports as committed files below `__snapshots__/reports`, which only
 * `npm run test:update` writes, and the published schemas of SARIF and JUnit and our own that readers rely on.
 */

import Ajv2020 from "ajv/dist/2020.js";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { run } from "../../../examples/denied-pulls/run";
import {
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
import { grouped } from "../../../lib/model/grouped";
import { accountFleet, damagedFleet } from "../../fixtures/explain/account-fleet";
import { type Artefacts, edited, folderOf, synthesized } from "../../fixtures/explain/artefacts";
import { junitProblems, sarifProblems } from "../../support/report-schemas";
import { temporaryFolder } from "../../fixtures/synth/stack-fixture";

const GOLDEN = resolve(__dirname, "../../__snapshots__/reports");
const SCHEMA = resolve(__dirname, "../../../docs/explain.schema.json");

type Render = (results: Iterable<ExplainResult>, options?: RenderReportOptions) => Iterable<string>;

/** Megabytes of chains that hold, of which the first lines and a digest stand for all. */
const LONG = 20_000;
const FIRST_LINES = 40;

function shortened(text: string): string {
  if (text.length <= LONG) return text;
  const [lines, digest] = [text.split("\n"), createHash("sha256").update(text).digest("hex")];
  return [...lines.slice(0, FIRST_LINES), `… ${lines.length} lines, sha256 ${digest}`, ""].join("\n");
}

const DATA = /<script type="application\/json" id="data">([^<]*)<\/script>/;

/** The page without its style, script and data, which is said in numbers and by the digest of all of it. */
function* pageOutline(results: Iterable<ExplainResult>, options?: RenderReportOptions): Generator<string> {
  const html = [...renderHtml(results, options)].join("");
  const data = JSON.parse(DATA.exec(html)?.[1] ?? "") as Record<string, unknown>;
  const outline = html
    .replace(DATA, '<script type="application/json" id="data"></script>')
    .replace(/(<style>)[^]*?(<\/style>)/, "$1$2")
    .replace(/(<script>)[^]*(<\/script>)/, "$1$2")
    .replace(/'sha256-[^']*'/g, "'sha256-…'");
  yield outline;
  for (const [key, value] of Object.entries(data)) {
    const count = Array.isArray(value) ? value.length : Object.keys(Object(value) as object).length;
    yield `${key}: ${count}\n`;
  }
  const rows = (data["results"] as readonly (readonly unknown[])[]).map((row) => JSON.stringify(row));
  yield* (data["texts"] as readonly string[]).map((text, place) => `text ${place}: ${text}\n`);
  yield* rows.map((row) => `${row}\n`);
}

/** Refused where there are too many edges, which the reports say as well. */
function* mermaidOrRefusal(results: Iterable<ExplainResult>): Generator<string> {
  try {
    yield [...renderMermaid(results)].join("");
  } catch (error) {
    yield `${(error as Error).message}\n`;
  }
}

const FORMATS: Readonly<Record<string, Render>> = {
  "text.txt": renderText,
  "verbose.txt": (results, options) => renderText(results, { ...options, verbose: true }),
  "page.txt": pageOutline,
  "map.mermaid": mermaidOrRefusal,
  "github.txt": renderGithub,
  "junit.xml": renderJunit,
  "markdown.md": renderMarkdown,
  "report.json": renderJson,
  "report.sarif": renderSarif,
};

/** Results, the audit, and the folder that the reports name, which differs from run to run. */
interface Case {
  readonly folder: string;
  readonly results: readonly ExplainResult[];
  readonly audit: readonly Finding[];
}

function read(artefacts: Artefacts): Case {
  const folder = folderOf(artefacts);
  const explainer = Explainer.read([folder]);
  return { folder, results: [...explainer.all()], audit: explainer.audit() };
}

const flagship = synthesized("three-clouds");
const whole = accountFleet();
const damaged = damagedFleet(whole);

const cases: Readonly<Record<string, () => Case>> = {
  "three-clouds": () => read(flagship),
  "denied-pulls": () => {
    const folder = temporaryFolder();
    return { folder, results: run(folder).map(({ after }) => after), audit: [] };
  },
  "two-hundred-accounts": () => read(damaged),
};

const LONG_ONES: readonly string[] = ["verbose.txt", "page.txt", "map.mermaid"];

/** Lines of the Terraform JSON, which releases of providers move. */
const TERRAFORM_LINE = /(cdk\.tf\.json(?::|,line=|",\s*"line": |"\},"region":\{"startLine":))\d+/g;

function rendered({ folder, results, audit }: Case, render: Render): string {
  return [...render(results, { audit })]
    .join("")
    .replaceAll(`file://${folder}`, "cdktf.out")
    .replaceAll(folder, "cdktf.out")
    .replace(TERRAFORM_LINE, (_, place: string) => `${place}1`);
}

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

describe.each(Object.entries(cases))("%s", (name, make) => {
  const isLarge = name === "two-hundred-accounts";

  it("has the committed reports, and JSON of the schema", async () => {
    const given = make();
    const isValid = new Ajv2020({ formats: { date: true } }).compile(
      JSON.parse(readFileSync(SCHEMA, "utf8")) as object,
    );
    const json: unknown = JSON.parse(rendered(given, renderJson));
    expect(isValid(json) ? [] : isValid.errors).toEqual([]);
    for (const [file, render] of Object.entries(FORMATS))
      // Megabytes of chains that hold: what matters of them is in the schema.
      if (!isLarge || file !== "report.json")
        await expect(
          LONG_ONES.includes(file) ? shortened(rendered(given, render)) : rendered(given, render),
          `${name}/${file}`,
        ).toMatchFileSnapshot(`${GOLDEN}/${name}/${file}`);
  });
});

describe("compare", () => {
  const other = edited(flagship, [["cdk.tf.json", "repository/shop/*", "repository/*"]]);
  const sides: Readonly<Record<string, readonly [Artefacts, Artefacts]>> = {
    "three-clouds": [flagship, other],
    "two-hundred-accounts": [whole, damaged],
  };

  /** What differs between two folders, in each form. */
  function compared(old: string, made: string): Readonly<Record<string, string>> {
    const comparison = compare([old], [made]);
    const formats = {
      "compare.txt": renderCompareText(comparison),
      "compare.md": renderCompareMarkdown(comparison),
      "compare.json": renderCompareJson(comparison),
    };
    const texts = Object.entries(formats).map(([file, pieces]) => [
      file,
      [...pieces]
        .join("")
        .replaceAll("&#45;", "-")
        .replaceAll(old, "main/cdktf.out")
        .replaceAll(made, "cdktf.out")
        .replace(TERRAFORM_LINE, (_, place: string) => `${place}1`),
    ]);
    return Object.fromEntries(texts) as Readonly<Record<string, string>>;
  }

  it.each(Object.entries(sides))("has the committed reports of %s", async (name, [old, made]) => {
    for (const [file, text] of Object.entries(compared(folderOf(old), folderOf(made))))
      await expect(shortened(text), `${name}/${file}`).toMatchFileSnapshot(`${GOLDEN}/${name}/${file}`);
  });

  it("has the committed reports of each mistake of denied-pulls", async () => {
    const folder = temporaryFolder();
    const each = run(folder).map(({ variant: { id, stack } }) =>
      Object.entries(compared(join(folder, "good/stacks", stack), join(folder, id))).map(
        ([file, text]) => [file, `== ${id}\n\n${text}\n`] as const,
      ),
    );
    for (const [file, all] of grouped(each.flat(), ([name]) => name)) {
      const text = all.map(([, part]) => part).join("");
      // The others say once more what the text does.
      const said = file === "compare.txt" ? text : shortened(text);
      await expect(said, file).toMatchFileSnapshot(`${GOLDEN}/denied-pulls/${file}`);
    }
  });
});

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
    [
      "a verdict that is none",
      {
        version: 1,
        results: [
          {
            job: "image-pull",
            stack: "",
            subject: "a/b",
            target: "c",
            verdict: "maybe",
            as: null,
            checks: [],
          },
        ],
      },
    ],
    ["a key that is not documented", { version: 1, results: [], more: true }],
  ])("refuses %s", (_, json) => {
    const isValid = new Ajv2020({ formats: { date: true } }).compile(
      JSON.parse(readFileSync(SCHEMA, "utf8")) as object,
    );
    expect(isValid(json)).toBe(false);
  });
});

describe("SARIF", () => {
  it("lists every rule and no result where everything is allowed, so that alerts close", () => {
    const { results, audit } = read(flagship);
    const { tool, results: reported } = sarifOf(results, { audit });
    expect(reported).toEqual([]);
    const ids = tool.driver.rules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(CHECK_HELP.map(({ id }) => id)));
    expect(ids).toContain("subject-wide");
    expect(tool.driver.rules.filter(({ help }) => help.text === "")).toEqual([]);
  });

  it("has only known rules, levels by verdict, and a file with a line for each result", () => {
    const { folder, results, audit } = read(damaged);
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
    const fingerprints = (artefacts: Artefacts): readonly (string | undefined)[] => {
      const { results, audit } = read(artefacts);
      return sarifOf(results, { audit }).results.map(
        ({ partialFingerprints }) => partialFingerprints["primaryLocationLineHash"],
      );
    };
    const moved = new Map(
      [...damaged].map(([path, text]) => [path, path.endsWith(".yaml") ? `# moved\n\n${text}` : text]),
    );
    const before = fingerprints(damaged);
    expect(fingerprints(moved)).toEqual(before);
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
    const text = rendered(read(damaged), renderJunit);
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
    const given = read(damaged);
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

/** A result that is denied at one link. */
const DENIED: ExplainResult = {
  ...{ job: "image-pull", stack: "", subject: "a/b", target: "c", verdict: "denied", as: null },
  checks: [{ id: "image-parses", status: "fail", reason: "{0} [x](http://y)", evidence: [], remedy: "" }],
};

describe("annotations", () => {
  it("stand on a line each, with escapes in properties and text", () => {
    const [line = ""] = [
      ...renderGithub([
        {
          ...{ job: "image-pull", stack: "a,b", subject: "a/b", target: "c", verdict: "denied", as: null },
          checks: [
            {
              id: "image-parses",
              status: "fail",
              reason: "50%\n::set-output::x",
              evidence: [{ text: "t", source: { file: "a,b:c.yaml", path: "" } }],
              remedy: "",
            },
          ],
        },
      ]),
    ];
    expect(line).toBe(
      "::error file=a%2Cb%3Ac.yaml,line=1,title=a%2Cb%3A image-parses::a/b pulls c: 50%25\\u000a::set-output::x\n",
    );
  });
});

describe("Markdown", () => {
  it("shows other people's texts as code: no link, mention, column or HTML", () => {
    const [, , row = ""] = [
      ...renderMarkdown([
        {
          ...{ job: "image-pull", stack: "", subject: "a/b", target: "c", verdict: "denied", as: null },
          checks: [
            {
              id: "image-parses",
              status: "fail",
              reason: "see @team <b>|x| [a](b) `code` https://x.y",
              evidence: [],
              remedy: "",
            },
          ],
        },
      ]),
    ];
    expect(row).toBe(
      "| denied | `a/b` pulls c | image-parses | see `@team` `<b>\\|x\\|` `[a]`(b) `` `code` `` `https://x.y` |  |\n",
    );
  });
});
