/*
 * The catalogue of mistakes: each is named by the link that it breaks, and no link before.
 */

import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { catalogue, stopped } from "../examples/denied-pulls/catalogue";
import { run } from "../examples/denied-pulls/run";
import { variants } from "../examples/denied-pulls/variants";
import type { CheckId } from "../lib/explain/check-ids";
import { PULL_LINKS } from "../lib/explain/jobs/pull";
import { temporaryFolder } from "./fixtures/synth/stack-fixture";

const README = resolve(__dirname, "../examples/denied-pulls/README.md");
/** Not what happens without a chain, nor the one that never fails. */
const APART: readonly CheckId[] = ["otherwise", "all-understood"];
const LINKS: readonly CheckId[] = PULL_LINKS.map(({ id }) => id).filter((id) => !APART.includes(id));

const outcomes = run(temporaryFolder());

describe.each(outcomes.map((outcome) => [outcome.variant.id, outcome] as const))("%s", (_, outcome) => {
  const { variant, before, after } = outcome;

  it("would be allowed without the mistake, every link by itself", () => {
    expect(before.verdict).toBe("allowed");
    expect(before.checks.filter(({ status }) => status !== "pass")).toEqual([]);
  });

  it("stops at the named link", () => {
    const { id, status } = stopped(after);
    expect({ id, status, verdict: after.verdict }).toEqual({
      id: variant.stopsAt,
      status: variant.verdict === "denied" ? "fail" : "unknown",
      verdict: variant.verdict,
    });
  });

  it("says why, and what to do", () => {
    const { reason, remedy } = stopped(after);
    expect(reason).not.toBe("");
    expect(remedy).not.toBe("");
  });

  it("says what serves the pull all the same", () => {
    const servedBy = after.verdict === "denied" ? after.as : null;
    expect(servedBy).toBe(variant.servedBy ?? null);
  });
});

describe("the catalogue", () => {
  it("has a mistake for every link, in the order of the links", () => {
    const stops = variants.map(({ stopsAt }) => LINKS.indexOf(stopsAt));
    expect([...new Set(stops)]).toEqual(LINKS.map((_, index) => index));
    expect(stops).toEqual([...stops].sort((one, other) => one - other));
  });

  it("gives each mistake a name of its own", () => {
    expect(new Set(variants.map(({ id }) => id)).size).toBe(variants.length);
  });

  it("is README.md", async () => {
    await expect(catalogue(outcomes)).toMatchFileSnapshot(README);
  });
});
