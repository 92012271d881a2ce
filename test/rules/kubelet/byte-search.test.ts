import fc from "fast-check";
import { expect, it } from "vitest";
import { indexOf } from "../../../lib/rules/kubelet/go-match";

it("finds what String.prototype.indexOf finds, for parts longer than the engine's search is trusted with", () => {
  const part = fc.stringMatching(/^[ab]{64,80}$/);
  fc.assert(
    fc.property(part, fc.stringMatching(/^[ab]{0,90}$/), fc.nat(60), (needle, noise, from) => {
      for (const text of [noise + needle + noise, noise + needle.slice(1) + noise]) {
        expect(indexOf(text, needle, from)).toBe(text.indexOf(needle, from));
      }
    }),
    { numRuns: 500 },
  );
});
