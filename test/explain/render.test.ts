import { describe, expect, it } from "vitest";
import {
  type Finding,
  type PullResult,
  renderGithub,
  renderHtml,
  renderJson,
  renderJunit,
  renderMarkdown,
  renderMermaid,
  renderSarif,
  renderText,
} from "../../lib/explain";

const result: PullResult = {
  job: "image-pull",
  stack: "prod",
  subject: "shop/web",
  target: 'r.example.com/a"b`#<x>\u001b[31m',
  verdict: "denied",
  as: "node identity",
  checks: [
    { id: "image-parses", status: "pass", reason: "fine", evidence: [{ text: "not shown" }], remedy: "" },
    {
      id: "provider-matches-image",
      status: "fail",
      reason: "none matches",
      evidence: [{ text: "entry", source: { file: "m.yaml", document: 1, path: "providers[0]" } }],
      remedy: "add one",
      log: "silent",
    },
    { id: "otherwise", status: "skipped", reason: "not reached", evidence: [], remedy: "" },
  ],
};

describe("text", () => {
  it("shows evidence, log and remedy of what does not hold, and control characters as escapes", () => {
    expect([...renderText([result], { verbose: true })].join(""))
      .toBe(`denied  prod: shop/web pulls r.example.com/a"b\`#<x>\\u001b[31m (node identity)
  fail    provider-matches-image: none matches
            seen: entry (m.yaml#1 providers[0])
            log: silent
            remedy: add one
  pass    image-parses: fine
  skipped otherwise: not reached

0 allowed, 1 denied, 0 unknown
`);
  });

  it("shows place and log of what does not hold without --verbose", () => {
    expect([...renderText([result])].join(""))
      .toBe(`denied   prod: shop/web pulls r.example.com/a"b\`#<x>\\u001b[31m: provider-matches-image: none matches; remedy: add one
         at m.yaml#1 providers[0]
         log: silent
0 allowed, 1 denied, 0 unknown
`);
  });

  it.each([
    [10, "allowed  prod: shop/a0 pulls r.example.com/a as role"],
    [11, "allowed  prod: 11 pulls"],
  ])("shows as whom each of %i pulls is made if they are few", (count, line) => {
    const pulls = Array.from({ length: count }, (_, number): PullResult => ({
      job: "image-pull",
      stack: "prod",
      subject: `shop/a${number}`,
      target: "r.example.com/a",
      verdict: "allowed",
      as: "role",
      checks: [],
    }));
    const lines = [...renderText(pulls)].join("").trimEnd().split("\n");
    expect([lines[0], lines.length]).toEqual([line, count > 10 ? 2 : count + 1]);
  });

  it("is coloured only when asked", () => {
    const plain = [...renderText([result])].join("");
    const coloured = [...renderText([result], { colour: true })].join("");
    expect(plain).not.toContain("\u001b");
    expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
    expect(coloured.startsWith("\u001b[31mdenied\u001b[0m")).toBe(true);
  });
});

describe("the severity of a finding", () => {
  const warned: PullResult = {
    job: "image-pull",
    stack: "",
    subject: "a/b",
    target: "r/x",
    verdict: "allowed",
    as: "role",
    checks: [],
    warnings: [{ id: "wide", reason: "why", evidence: [], remedy: "" }],
  };
  const open: PullResult = {
    ...result,
    verdict: "unknown",
    checks: [{ id: "image-parses", status: "unknown", reason: "why", evidence: [], remedy: "" }],
  };
  const audited = (severity: Finding["severity"]): readonly Finding[] => [
    {
      id: "audited",
      severity,
      stack: "",
      subject: "a/b",
      target: "",
      reason: "why",
      evidence: [],
      remedy: "",
    },
  ];

  it.each<[string, readonly PullResult[], readonly Finding[], string, string, string, string]>([
    ["denied", [result], [], "denied", "error", "error", "<failure "],
    ["unknown", [open], [], "unknown", "warning", "warning", "<error "],
    ["a warning of a result", [warned], [], "note", "note", "notice", "<testcase "],
    ["an error of the audit", [], audited("error"), "error", "error", "error", "<failure "],
    ["a warning of the audit", [], audited("warning"), "warning", "warning", "warning", "<error "],
    ["a note of the audit", [], audited("note"), "note", "note", "notice", "<testcase "],
  ])("is the same in every format: %s", (_, results, audit, word, level, command, element) => {
    const options = { audit };
    expect([...renderText(results, options)].join("")).toMatch(new RegExp(`^${word} `, "m"));
    expect([...renderMarkdown(results, options)].join("")).toContain(`| ${word} |`);
    expect([...renderSarif(results, options)].join("")).toContain(`"level":"${level}"`);
    expect([...renderGithub(results, options)].join("")).toContain(`::${command} `);
    const junit = [...renderJunit(results, options)].join("");
    expect(junit).toContain(element);
    expect(/<(?:failure|error) /.test(junit)).toBe(level !== "note");
    const json = [...renderJson(results, options)].join("");
    if (audit.length > 0) expect(json).toContain(`"severity": "${level}"`);
    const html = [...renderHtml(results, options)].join("");
    if (audit.length > 0) expect(html).toContain(`"severity":"${level}"`);
  });

  it("of a result's warnings is in JSON too", () => {
    expect([...renderJson([warned])].join("")).toContain('"severity": "note"');
  });
});

describe("json", () => {
  it("has the documented shape, keys in order", () => {
    const text = [...renderJson([result, result])].join("");
    expect(JSON.parse(text)).toEqual({ version: 1, results: [result, result] });
    expect(Object.keys((JSON.parse(text) as { results: object[] }).results[0] ?? {})).toEqual([
      "job",
      "stack",
      "subject",
      "target",
      "verdict",
      "as",
      "checks",
    ]);
  });

  it("is JSON without results too", () => {
    expect(JSON.parse([...renderJson([])].join(""))).toEqual({ version: 1, results: [] });
  });
});

it("mermaid is a chain per pull, with what could end a text as an entity", () => {
  expect([...renderMermaid([result])].join("")).toBe(`flowchart LR
  classDef pass fill:#e6f4ea,stroke:#188038
  classDef fail fill:#fce8e6,stroke:#c5221f
  classDef unknown fill:#fef7e0,stroke:#b06000
  classDef skipped fill:#f1f3f4,stroke:#80868b
  subgraph p1["prod: shop/web pulls r.example.com/a#34;b#96;#35;#60;x#62;\\u001b[31m: denied (node identity)"]
    p1c0["image-parses"]:::pass
    p1c1["provider-matches-image"]:::fail
    p1c2["otherwise"]:::skipped
    p1c0 --> p1c1 --> p1c2
  end
`);
});
