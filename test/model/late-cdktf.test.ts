import { Token } from "cdktf";
import { describe, expect, it } from "vitest";
import { isLate } from "../../lib/model/late";

// `model/` knows the texts of late values, not cdktf; this holds the two together.
const late = { resolve: () => 1, creationStack: [] };

describe("isLate agrees with cdktf", () => {
  it.each([
    ["string", Token.asString(late)],
    ["number", Token.asNumber(late)],
    ["list", Token.asList(late)],
    ["number list", Token.asNumberList(late)],
    ["string map", Token.asStringMap(late)],
    ["map", Token.asMap(late, undefined)],
  ])("for a late %s", (_, value) => {
    expect(Token.isUnresolved(value) || typeof value === "object").toBe(true);
    expect(isLate(value)).toBe(true);
  });
});
