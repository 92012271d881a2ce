/* Plain texts for rules that know no late ones: names that stay apart, and lead back. */

import { expect, it } from "vitest";
import {
  type Known,
  Reference,
  known,
  match,
  notKnown,
  same,
  textOf,
  unread,
  whyText,
} from "../../../lib/model/known";
import { lateName, namedText } from "../../../lib/explain/read/late-text";

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

it.each<[string, Known<string>, string]>([
  ["a text", known("a"), "a"],
  ["a reference within a text", textOf(["x", one, "y"]), "x<a.b.c>y"],
  ["what was not read", unread("it is far"), "it is far"],
])("%s is itself again", (_, value, text) => {
  const again = namedText(lateName(value));
  expect(match(again, (found) => found, whyText)).toBe(text);
  expect(same(again, value)).toBe(text === "it is far" ? "unknown" : "yes");
});
