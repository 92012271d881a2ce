import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatGoDuration, parseGoDuration } from "../../../lib/rules/kubelet/go-duration";

const LIMIT = 2n ** 63n;

describe("parseGoDuration", () => {
  // Outcomes of time.ParseDuration of Go 1.26.
  it.each([
    ["0", 0n],
    ["-0", 0n],
    ["1h30m", 5_400_000_000_000n],
    ["-1.5s", -1_500_000_000n],
    [".5s", 500_000_000n],
    ["5.s", 5_000_000_000n],
    ["1µs", 1_000n],
    ["1μs", 1_000n],
    ["+5ns", 5n],
    ["1m1m", 120_000_000_000n],
    ["9223372036854775807ns", LIMIT - 1n],
    ["-9223372036854775808ns", -LIMIT],
    ["0.000000000000000000000000001h", 0n],
    ["1.99999999999999999999999s", 2_000_000_000n],
    ["0.3333333333333333333h", 1_200_000_000_000n],
  ])("%j", (text, nanoseconds) => {
    expect(parseGoDuration(text)).toEqual({ nanoseconds });
  });

  it.each([
    ["1ns", 1n],
    ["1us", 1_000n],
    ["1\u00b5s", 1_000n],
    ["1\u03bcs", 1_000n],
    ["1ms", 1_000_000n],
    ["1s", 1_000_000_000n],
    ["1m", 60_000_000_000n],
    ["1h", 3_600_000_000_000n],
  ])("knows the unit of %s", (text, nanoseconds) => {
    expect(parseGoDuration(text)).toEqual({ nanoseconds });
  });

  it.each([
    ["", 'time: invalid duration ""'],
    ["-", 'time: invalid duration "-"'],
    ["--1s", 'time: invalid duration "--1s"'],
    [".s", 'time: invalid duration ".s"'],
    ["1", 'time: missing unit in duration "1"'],
    ["1h1", 'time: missing unit in duration "1h1"'],
    ["1d", 'time: unknown unit "d" in duration "1d"'],
    ["1s ", 'time: unknown unit "s " in duration "1s "'],
    ["1e3s", 'time: unknown unit "e" in duration "1e3s"'],
    ["1constructor", 'time: unknown unit "constructor" in duration "1constructor"'],
    ["é", 'time: invalid duration "\\xc3\\xa9"'],
    ['"\n', 'time: invalid duration "\\"\\x0a"'],
    ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
    ["3000000h", 'time: invalid duration "3000000h"'],
    ["99999999999999999999999s", 'time: invalid duration "99999999999999999999999s"'],
  ])("refuses %j", (text, error) => {
    expect(parseGoDuration(text)).toEqual({ error });
  });

  it("reads what formatGoDuration writes", () => {
    // Up to a day: further out Go's own fractions are only as good as floating point.
    const day = 86_400_000_000_000n;
    fc.assert(
      fc.property(fc.bigInt({ min: -day, max: day }), (nanoseconds) => {
        expect(parseGoDuration(formatGoDuration(nanoseconds))).toEqual({ nanoseconds });
      }),
    );
  });
});

describe("formatGoDuration", () => {
  it.each([
    [0n, "0s"],
    [-1n, "-1ns"],
    [999n, "999ns"],
    [1_000n, "1µs"],
    [999_999n, "999.999µs"],
    [1_000_000n, "1ms"],
    [999_999_999n, "999.999999ms"],
    [1_000_000_000n, "1s"],
    [59_999_999_999n, "59.999999999s"],
    [3_599_000_000_000n, "59m59s"],
    [3_600_000_000_000n, "1h0m0s"],
    [1_500n, "1.5µs"],
    [-1_500_000n, "-1.5ms"],
    [60_000_000_000n, "1m0s"],
    [360_000_500_000_000n, "100h0m0.5s"],
    [-LIMIT, "-2562047h47m16.854775808s"],
  ])("%s ns is %s", (nanoseconds, text) => {
    expect(formatGoDuration(nanoseconds)).toBe(text);
  });
});
