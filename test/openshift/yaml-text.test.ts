import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { LateEncoding, LateText, encodeNow } from "../../lib/model/late";
import { yamlText } from "../../lib/openshift/machine-config";

const LATE = "${TfToken[TOKEN.1]}";

/** What `bind` makes of it once the late values are known. */
const bound = (text: string | LateText): string =>
  text instanceof LateText
    ? text.parts
        .map((part) => (part instanceof LateEncoding ? encodeNow(part.encoding, part.text) : part))
        .join("")
    : text;

describe("yamlText", () => {
  it("writes a literal document at once, readable by YAML 1.1 parsers", () => {
    expect(yamlText({ a: "yes", b: [420, "1e3"] })).toBe('a: "yes"\nb:\n  - 420\n  - "1e3"\n');
  });

  it("keeps late encodings as parts", () => {
    const text = yamlText({ a: 1, source: new LateEncoding("data-url", LATE), z: "end" });
    expect(text).toEqual(
      new LateText(['a: 1\nsource: "', new LateEncoding("data-url", LATE), '"\nz: end\n']),
    );
  });

  it("is YAML also with a placeholder in place of the encoding", () => {
    const text = yamlText({ source: new LateEncoding("base64", LATE) }) as LateText;
    const placed = text.parts.map((part) => (typeof part === "string" ? part : "@late(x)@")).join("");
    expect(parse(placed)).toEqual({ source: "@late(x)@" });
  });

  it("keeps apart what looks like its own marks", () => {
    const document = { a: "late-encoding-0-", b: new LateEncoding("base64", LATE), c: "x-late-encoding-0-" };
    expect(parse(bound(yamlText(document)))).toEqual({ ...document, b: encodeNow("base64", LATE) });
  });

  it("gives the document back when bound", () => {
    const text = fc.string({ unit: "grapheme" });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (files) => {
        const document = files.map(([path, content]) => ({
          path,
          source: new LateEncoding("data-url", content),
        }));
        const expected = files.map(([path, content]) => ({ path, source: encodeNow("data-url", content) }));
        expect(parse(bound(yamlText(document)), { version: "1.1" })).toEqual(expected);
      }),
    );
  });
});
