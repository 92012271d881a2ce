import { afterEach, expect, it, vi } from "vitest";
import { isSampled, runsOf, sampleNote, sampleOf } from "./sample";

const CASES = Array.from({ length: 800 }, (_, place) => `case ${place}`);
const sample = (cases: readonly string[]): readonly string[] => sampleOf(cases, 8, (each) => each);

afterEach(() => {
  vi.unstubAllEnvs();
});

it("is about one in so many, and says so", () => {
  vi.stubEnv("ALL_CASES", "");
  expect(sample(CASES).length).toBeGreaterThan(70);
  expect(sample(CASES).length).toBeLessThan(130);
  expect([runsOf(100, 8), sampleNote(8)]).toEqual([13, " (1 of 8)"]);
});

it("is the same when others come or go", () => {
  vi.stubEnv("ALL_CASES", "");
  const later = sample(["another", ...CASES.slice(100)]).filter((each) => each !== "another");
  expect(later).toEqual(sample(CASES).filter((each) => CASES.indexOf(each) >= 100));
});

it("is not empty", () => {
  vi.stubEnv("ALL_CASES", "");
  for (const each of CASES) expect(sample([each])).toEqual([each]);
  expect(sample([])).toEqual([]);
});

it("is everything with ALL_CASES=1", () => {
  vi.stubEnv("ALL_CASES", "1");
  expect(sample(CASES)).toEqual(CASES);
  expect([runsOf(100, 8), sampleNote(8)]).toEqual([100, ""]);
});

it("is a part of what is tried of all cases, where these are too many", () => {
  const tried = (): readonly string[] => CASES.filter((each) => isSampled(each, 4, 10));
  vi.stubEnv("ALL_CASES", "");
  const few = tried();
  vi.stubEnv("ALL_CASES", "1");
  expect(few.length).toBeGreaterThan(10);
  expect(few.filter((each) => !tried().includes(each))).toEqual([]);
  expect(tried().length).toBeGreaterThan(2 * few.length);
});
