import { describe, expect, it } from "vitest";
import { type PullResult, renderJson, renderMermaid, renderText } from "../../lib/explain";

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

  it("is coloured only when asked", () => {
    const plain = [...renderText([result])].join("");
    const coloured = [...renderText([result], { colour: true })].join("");
    expect(plain).not.toContain("\u001b");
    expect(coloured.replace(/\u001b\[\d+m/g, "")).toBe(plain);
    expect(coloured.startsWith("\u001b[31mdenied\u001b[0m")).toBe(true);
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
