import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeholder, placeholderPieces, placeholdersIn } from "../../lib/artefact/placeholder";

describe("placeholdersIn", () => {
  it.each([
    ["nothing", []],
    ["@late(a.b)@", ["@late(a.b)@"]],
    [
      "x@late(a.b)@y@late(data-url.0f)@@late(a.b[0].c)@",
      ["@late(a.b)@", "@late(data-url.0f)@", "@late(a.b[0].c)@"],
    ],
    // Text around one can neither begin it earlier nor take its end.
    ["@late@late(a)@", ["@late(a)@"]],
    ["@late(a)@late(b)@", ["@late(a)@"]],
    ["@late(@late(a)@", ["@late(a)@"]],
    ["@late()@ @late(a b)@ @late(a)", []],
  ])("%s", (text, expected) => {
    expect(placeholdersIn(text)).toEqual(expected);
  });

  it("is linear in what could begin one", () => {
    const hostile = `${"@late(".repeat(200_000)}${"a".repeat(1_000_000)}`;
    expect(placeholdersIn(hostile)).toEqual([]);
  });
});

describe("placeholderPieces", () => {
  it("joins to the text, with the placeholders at odd places", () => {
    const name = fc.string({ unit: fc.constantFrom(..."aZ0_.:[]-"), minLength: 1, maxLength: 20 });
    const literal = fc.string({ unit: "binary" }).filter((text) => !text.includes("@late("));
    fc.assert(
      fc.property(fc.array(fc.tuple(literal, name)), literal, (pairs, end) => {
        const pieces = [...pairs.flatMap(([text, id]) => [text, placeholder(id)]), end];
        expect(placeholderPieces(pieces.join(""))).toEqual(pieces);
      }),
    );
  });
});
