/* The page as bytes: what stands in it is data, its script alone runs, and alike results stand in it once. */

import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PullResult, type Verdict, renderHtml } from "../../../lib/explain";
import { printable } from "../../../lib/explain/render/printable";

const FIELDS = [
  "stack",
  "subject",
  "target",
  "as",
  "reason",
  "remedy",
  "log",
  "seen",
  "file",
  "path",
] as const;
type Texts = Readonly<Record<(typeof FIELDS)[number], string>>;

function result(verdict: Verdict, texts: Partial<Texts> = {}): PullResult {
  const {
    reason = "because",
    remedy = "correct it",
    log = "silent",
    seen = "entry",
    file = "m.yaml",
  } = texts;
  const evidence = [{ text: seen, source: { file, path: texts.path ?? "providers[0]" } }];
  return {
    job: "image-pull",
    stack: texts.stack ?? "prod",
    subject: texts.subject ?? "shop/web",
    target: texts.target ?? "r.example.com/web",
    verdict,
    as: texts.as ?? "someone",
    checks: [
      { id: "image-parses", status: "pass", reason, evidence: [], remedy: "" },
      {
        id: "provider-matches-image",
        status: verdict === "allowed" ? "pass" : "fail",
        reason,
        evidence,
        remedy,
        log,
      },
      { id: "otherwise", status: "skipped", reason: "not reached", evidence: [], remedy: "" },
    ],
  };
}

const page = (...results: readonly PullResult[]): string => [...renderHtml(results)].join("");

const ELEMENT = /<script type="application\/json" id="data">([^<]*)<\/script>/;

interface Data {
  readonly texts: readonly string[];
  readonly chains: readonly unknown[];
  readonly checks: readonly unknown[];
}

function dataOf(html: string): Data {
  return JSON.parse(ELEMENT.exec(html)?.[1] ?? "") as Data;
}

const PARTS: readonly string[] = [
  ...[
    "<script>alert(1)</script>",
    "</style>",
    "</script>",
    "<!--",
    "-->",
    '"',
    "'",
    "&lt;",
    "&",
    "<",
    ">",
    "`",
  ],
  ...["\0", "\u0001", "\u202e", "\u2066", "\u200f", "\ud800", "\n", "\u001b[31m", "\u2028", "x", "$&"],
];
const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 8 }).map((parts) => parts.join("")),
);
const texts = fc.record(
  Object.fromEntries(FIELDS.map((field) => [field, nasty.map((text) => `.${text}`)])) as Record<
    keyof Texts,
    fc.Arbitrary<string>
  >,
);

describe("texts of artefacts", () => {
  it("are data and no markup, and control characters are escapes", () => {
    const bare = (html: string): string => html.replace(ELEMENT, "");
    const expected = bare(page(result("denied")));
    fc.assert(
      fc.property(texts, (given) => {
        const html = page(result("denied", given));
        expect(ELEMENT.test(html)).toBe(true);
        expect(bare(html)).toBe(expected);
        expect(html).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029\u2066-\u2069]/,
        );
        expect(html).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 200 },
    );
  });

  it("are all there, with marks only in the place of what the result says of itself", () => {
    fc.assert(
      fc.property(texts, (given) => {
        const { subject, target, as } = given;
        const slash = subject.indexOf("/");
        const own = [target, subject, as, subject.slice(slash + 1), subject.slice(0, Math.max(0, slash))];
        const marks = own.map(printable);
        const shown = dataOf(page(result("denied", given))).texts.map((text) =>
          text.replace(/[\u0001-\u0005]/g, (mark) => marks[mark.charCodeAt(0) - 1] ?? ""),
        );
        for (const field of ["stack", "subject", "target", "as", "reason", "remedy", "log", "seen"] as const)
          expect(shown).toContain(printable(given[field]));
        expect(shown).toContain(printable(`${given.file} ${given.path}`));
      }),
      { numRuns: 200 },
    );
  });
});

describe("the page", () => {
  const html = page(result("allowed"), result("denied"), result("unknown"), result("denied", { stack: "" }));

  it("begins with how many there are of each verdict", () => {
    expect(html).toContain("<title>Image pulls: 2 denied, 1 unknown, 1 allowed</title>");
  });

  it("names its script and its style by hash, and allows nothing else", () => {
    const hash = (text = ""): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const script = hash(/<script>([^]*)<\/script>/.exec(html)?.[1]);
    const style = hash(/<style>([^]*)<\/style>/.exec(html)?.[1]);
    const policy = `default-src 'none'; script-src ${script}; style-src ${style}; base-uri 'none'; form-action 'none'`;
    expect(html).toContain(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
    expect(html).not.toMatch(
      /<link|<img|<iframe|\bsrc=|url\(|@import|innerHTML|insertAdjacentHTML|\beval\b/i,
    );
  });

  it("is the same bytes for the same results, and whole without any", () => {
    expect(page(result("denied"))).toBe(page(result("denied")));
    expect(page()).toContain("0 denied, 0 unknown, 0 allowed");
  });

  it("holds what results have in common once", () => {
    const alike = Array.from({ length: 500 }, (_, number) =>
      result("allowed", {
        subject: `team/app-${number}`,
        target: `r.example.com/app-${number}`,
        as: `role-app-${number}`,
        reason: `role-app-${number} may pull app-${number}`,
        path: `roles.app-${number}`,
      }),
    );
    const { chains, checks } = dataOf(page(...alike));
    expect([chains.length, checks.length]).toEqual([1, 3]);
  });

  it("holds it once too where a target is the beginning of a longer name", () => {
    const entering = ["edge", "west"].map((target) =>
      result("allowed", { subject: "edge-hub/kueue", target, reason: `edge-hub/kueue enters ${target}` }),
    );
    expect(dataOf(page(...entering)).chains).toHaveLength(1);
  });
});
