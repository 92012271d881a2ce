import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { derivedName, stableHash } from "../../lib/rules/names";

const rules = { max: 64, allowed: /[\w+=,.@-]/, separator: "_" };

describe("derivedName", () => {
  it.each([
    [["prod-eu", "shop", "web"], "prod-eu_shop_web"],
    // What the separator cannot tell apart, a replaced character and a cut get the hash of the exact parts.
    [["a_b", "c"], "a_b_c_4b3ae4b1"],
    [["a", "b_c"], "a_b_c_aa4f0c3f"],
  ])("joins %j", (parts, name) => {
    expect(derivedName(parts, rules).replace(/_[0-9a-f]{8}$/, "_#")).toBe(
      name.replace(/_[0-9a-f]{8}$/, "_#"),
    );
  });

  it("cuts to the limit and stays different", () => {
    const long = (tail: string): string => derivedName(["prod-eu", "n".repeat(63), tail], rules);
    expect(long("a")).toHaveLength(64);
    expect(long("a")).not.toBe(long("b"));
    expect(long("a")).toMatch(/^prod-eu_n+_[0-9a-f]{8}$/);
  });

  it("never gives two lists of parts one name", () => {
    const part = fc.stringMatching(/^[a-z_.é-]{1,5}$/);
    const list = fc.array(part, { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b));
        expect(derivedName(a, { ...rules, max: 12 })).not.toBe(derivedName(b, { ...rules, max: 12 }));
      }),
      { numRuns: 2000 },
    );
  });

  it("keeps the hash stable, since names are part of what is deployed", () => {
    expect(stableHash(["shop", "web"])).toBe("dcc20a2c");
    expect(stableHash(["shopw", "eb"])).not.toBe(stableHash(["shop", "web"]));
  });
});
