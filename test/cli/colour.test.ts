import { expect, it } from "vitest";
import { usesColour } from "../../lib/cli/colour";

it.each<[boolean, Record<string, string>, boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: "1" }, false],
  // https://no-color.org: "when present and not an empty string"
  [true, { NO_COLOR: "" }, true],
  [false, { FORCE_COLOR: "1" }, true],
  [true, { FORCE_COLOR: "0" }, false],
  [true, { FORCE_COLOR: "false" }, false],
  [true, { NO_COLOR: "1", FORCE_COLOR: "1" }, false],
  [true, { TERM: "dumb" }, false],
  [true, { TERM: "xterm-256color" }, true],
  [false, { TERM: "dumb", FORCE_COLOR: "1" }, true],
])("terminal %j, %j: %j", (isTerminal, environment, expected) => {
  expect(usesColour(isTerminal, environment)).toBe(expected);
});
