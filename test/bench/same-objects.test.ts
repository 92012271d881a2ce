import { expect, it } from "vitest";
// @ts-expect-error: the benchmarks are plain JavaScript.
import { assertSameObjects } from "./same-objects.mjs";

// The benchmark itself is run by hand; this part of it is what changes of the library break.
it("compares the benchmark's own stack with one by hand that writes the same", () => {
  expect(assertSameObjects).not.toThrow();
});
