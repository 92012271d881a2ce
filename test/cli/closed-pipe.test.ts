import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { allowClosedPipe } from "../../lib/cli/run";

it.each([
  ["EPIPE", false],
  ["ENOSPC", true],
])("%s is thrown: %s", (code, isThrown) => {
  const stream = new EventEmitter();
  allowClosedPipe(stream);
  const error = Object.assign(new Error(code), { code });
  const emit = (): boolean => stream.emit("error", error);
  if (isThrown) expect(emit).toThrowError(error);
  else expect(emit()).toBe(true);
});
