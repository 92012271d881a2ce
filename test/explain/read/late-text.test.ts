/* Plain texts for rules that know no late ones: names that stay apart. */

import { expect, it } from "vitest";
import { type Known, Reference, known, notKnown, textOf, unread } from "../../../lib/model/known";
import { lateName } from "../../../lib/explain/read/late-text";

const [one, other] = [new Reference("a.b.c"), new Reference("a.b.c")];

it.each<[string, Known<string>, Known<string>, boolean]>([
  ["texts", known("a"), known("a"), true],
  ["other texts", known("a"), known("b"), false],
  ["one reference", textOf(["x", one]), textOf(["x", one]), true],
  ["two references of one expression", textOf([one]), textOf([other]), false],
  ["what was not read", unread("it is far"), unread("it is far"), false],
  [
    "what documents contradict",
    notKnown({ kind: "contested", what: "a" }),
    notKnown({ kind: "contested", what: "a" }),
    false,
  ],
  ["a reference and its expression", textOf([one]), known("a.b.c"), false],
])("%s have names as equal as they are", (_, a, b, equal) => {
  expect(lateName(a) === lateName(b)).toBe(equal);
});
