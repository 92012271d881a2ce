/*
 * Quantities as the API server writes them.
 *
 * Source: kubernetes/apimachinery, pkg/api/resource/quantity.go (comment of Quantity) and quantity_test.go.
 */

import { expect, it } from "vitest";
import { canonicalQuantity } from "../../lib/rules/quantity";

it.each([
  ["1000m", "1"],
  ["1.5", "1500m"],
  ["1.5Gi", "1536Mi"],
  ["0.5Gi", "512Mi"],
  ["1024Mi", "1Gi"],
  ["1023", "1023"],
  ["1000", "1k"],
  ["1000000k", "1G"],
  ["0.1Ki", "102400m"],
  ["512", "512"],
  ["0", "0"],
  ["0Mi", "0"],
  ["-1000m", "-1"],
  ["+5", "5"],
  [".5", "500m"],
  ["5.", "5"],
  ["100m", "100m"],
  ["1e3", "1e3"],
  ["1000e3", "1e6"],
  ["12E2", "1200"],
  ["1E", "1E"],
  ["500n", "500n"],
  // Finer than 10^-9: the API server rounds, so that the text stays for it.
  ["0.1n", "0.1n"],
  ["1Zi", "1Zi"],
  ["", ""],
  ["m", "m"],
  ["@late(x)@", "@late(x)@"],
])("%s is written as %s", (text, expected) => {
  expect(canonicalQuantity(text)).toBe(expected);
});
