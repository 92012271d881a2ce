import { expect, it } from "vitest";
import { Memory, Recent } from "../../lib/explain/memory";

it("remembers by both keys", () => {
  const memory = new Memory<object, string, object>();
  const [one, other] = [{}, {}];
  const made = memory.get(one, "a", () => ({}));
  expect(memory.get(one, "a", () => ({}))).toBe(made);
  expect(memory.get(one, "b", () => ({}))).not.toBe(made);
  expect(memory.get(other, "a", () => ({}))).not.toBe(made);
});

it("remembers what takes turns, and not everything", () => {
  const made: number[] = [];
  const recent = new Recent((key: number) => ({ place: made.push(key) }));
  for (const key of [1, 2, 1, 2]) recent.get(key);
  expect(made).toEqual([1, 2]);
  for (let key = 3; key < 100; key++) recent.get(key);
  recent.get(1);
  expect(made.at(-1)).toBe(1);
  expect(made).toHaveLength(100);
});

it("remembers as many keys as it is told", () => {
  const made: number[] = [];
  const recent = new Recent((key: number) => ({ place: made.push(key) }), 2);
  for (const key of [1, 2, 1, 2, 3, 3, 1]) recent.get(key);
  expect(made).toEqual([1, 2, 3, 1]);
});
