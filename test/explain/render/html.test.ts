import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PullResult, type Verdict, renderHtml } from "../../../lib/explain";
import { printable } from "../../../lib/explain/render/printable";

interface Texts {
  readonly stack: string;
  readonly subject: string;
  readonly target: string;
  readonly as: string;
  readonly reason: string;
  readonly remedy: string;
  readonly log: string;
  readonly seen: string;
  readonly file: string;
  readonly path: string;
}

function result(verdict: Verdict, texts: Partial<Texts> = {}): PullResult {
  const { reason = "because", remedy = "mend it", log = "silent", seen = "entry", file = "m.yaml" } = texts;
  const evidence = [{ text: seen, source: { file, path: texts.path ?? "providers[0]" } }];
  return {
    job: "image-pull",
    stack: texts.stack ?? "prod",
    subject: texts.subject ?? "shop/web",
    target: texts.target ?? "r.example.com/web",
    verdict,
    as: texts.as ?? "somebody",
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

/** Everything that a browser takes for markup: tags, comments and the doctype. */
const markup = (html: string): readonly string[] => html.match(/<[^>]*>/g) ?? [];

/** What a browser shows of a text. */
const decoded = (html: string): string =>
  html
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(
      fc.constantFrom(
        ...[
          "<script>alert(1)</script>",
          "</style>",
          "<!--",
          "-->",
          '"',
          "'",
          "&lt;",
          "&",
          "<",
          ">",
          "`",
          "]]>",
          "\0",
        ],
        ...["\u202e", "\u2066", "\u200f", "\ud800", "\n", "\u001b[31m", "javascript:", "x", " onload=x "],
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join("")),
);
const fields = [
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

/** Of a certain length, since an empty stack, log or remedy is left out. */
const texts = fc.record(
  Object.fromEntries(fields.map((field) => [field, nasty.map((text) => `.${text}`)])) as Record<
    keyof Texts,
    fc.Arbitrary<string>
  >,
);

describe("no text of the artefacts", () => {
  it("is markup", () => {
    const expected = markup(page(result("denied", Object.fromEntries(fields.map((field) => [field, ".x"])))));
    fc.assert(
      fc.property(texts, (given) => {
        expect(markup(page(result("denied", given)))).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  it("is lost, and control and bidirectional characters are shown as escapes", () => {
    fc.assert(
      fc.property(texts, (given) => {
        const html = page(result("denied", given));
        const shown = decoded(html.replace(/<[^>]*>/g, "\n"));
        for (const field of fields) expect(shown).toContain(printable(given[field]));
        expect(html).not.toMatch(
          /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/,
        );
        // Halves of a pair alone.
        expect(html).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the page", () => {
  const html = page(result("allowed"), result("denied"), result("unknown"), result("denied", { stack: "" }));

  it("begins with how many there are of each verdict", () => {
    expect(html).toContain("<title>Image pulls: 2 denied, 1 unknown, 1 allowed</title>");
    expect(
      [...html.matchAll(/<dt><span class="word \w+">(\w+)<\/span><\/dt><dd>(\d+)<\/dd>/g)].map((row) =>
        row.slice(1),
      ),
    ).toEqual([
      ["denied", "2"],
      ["unknown", "1"],
      ["allowed", "1"],
    ]);
    expect(html.indexOf('class="counts"')).toBeLessThan(html.indexOf("<details"));
  });

  it("has a chain per pull, the denied ones opened, each linked from the table", () => {
    expect(html.match(/<details [^>]*>/g)).toEqual([
      '<details id="chain-1" data-verdict="allowed">',
      '<details id="chain-2" data-verdict="denied" open>',
      '<details id="chain-3" data-verdict="unknown">',
      '<details id="chain-4" data-verdict="denied" open>',
    ]);
    expect(html.match(/href="[^"]*"/g)).toEqual([1, 2, 3, 4].map((number) => `href="#chain-${number}"`));
  });

  it("says the status as a word, what was asked, what an operator sees, the remedy and the evidence", () => {
    expect(html).toContain(
      '<tr><th scope="row">provider-matches-image<span class="asks">Does an entry of the nodes&#39; CredentialProviderConfig match the image?</span></th><td><span class="word fail">fail</span></td><td><p>because</p><dl><dt>Seen by an operator</dt><dd><code>silent</code></dd><dt>Remedy</dt><dd>mend it</dd><dt>Evidence</dt><dd>entry, <code>m.yaml providers[0]</code></dd></dl></td></tr>',
    );
  });

  it("loads nothing and runs nothing", () => {
    expect(html).not.toMatch(/<script|<link|<img|<iframe|\bsrc=|\bon\w+=|url\(|@import|https?:/i);
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  it("opens and closes every element", () => {
    const open: string[] = [];
    for (const tag of markup(html)) {
      const [, slash, name = ""] = /^<(\/?)([a-z0-9]+)/.exec(tag) ?? [];
      if (name === "" || ["meta", "input"].includes(name)) continue;
      if (slash === "/") expect(open.pop()).toBe(name);
      else open.push(name);
    }
    expect(open).toEqual([]);
  });

  it("is whole without results, and the same bytes for the same results", () => {
    expect(page()).toContain("0 denied, 0 unknown, 0 allowed");
    expect(page(result("denied"))).toBe(page(result("denied")));
  });

  it("shows who serves a pull whose chain is broken as something else than success", () => {
    expect(html).toContain("<p>Pulls as <code>somebody</code>.</p>");
    expect(html).toContain(
      "<p>The chain does not hold by itself; the pull may be served as <code>somebody</code>.</p>",
    );
  });
});
