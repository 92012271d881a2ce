/* The exit codes and forms of `compare`. */

import { describe, expect, it } from "vitest";
import { DANGERS } from "../../lib/explain/compare/danger";
import { type Edit, edited, folderOf, synthesized } from "../fixtures/explain/artefacts";
import { type Ran, cli as run } from "../support/cli";
import { sarifProblems } from "../support/report-schemas";

interface Run {
  readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
  readonly results: readonly {
    readonly ruleId: string;
    readonly level: string;
    readonly partialFingerprints: object;
  }[];
}

const base = synthesized("three-clouds");
const WIDER: Edit = ["cdk.tf.json", "repository/shop/*", "repository/*"];

const cli = (...args: readonly string[]): Promise<Ran> => run("compare", ...args);

describe("compare", () => {
  it.each([
    [undefined, false, 0],
    ["widened", false, 1],
    ["lost", false, 0],
    ["any", false, 1],
    ["widened", true, 0],
    ["lost", true, 1],
  ] as const)("with --fail-on %s, sides swapped: %s, exits with %i", async (failOn, isSwapped, code) => {
    const sides = [folderOf(base), folderOf(edited(base, [WIDER]))];
    const options = failOn === undefined ? [] : ["--fail-on", failOn];
    const done = await cli(...options, ...(isSwapped ? sides.reverse() : sides));
    expect(done.code).toBe(code);
    expect(done.out).toContain(isSwapped ? "reads less" : "reads more");
  });

  it("fails where it cannot be determined whether someone may do more", async () => {
    const condition: Edit = ["cdk.tf.json", "assertion.sub in [", "true && assertion.sub in ["];
    const sides = [folderOf(base), folderOf(edited(base, [condition]))];
    const { code, out } = await cli("--fail-on", "widened", ...sides);
    expect([code, out]).toEqual([1, expect.stringContaining("incomparable")]);
  });

  it("fails where something that is not read names an identity, and only then", async () => {
    const lambda = (role: string): Edit => [
      "cdk.tf.json",
      '"resource": {',
      `"resource": {"aws_lambda_function":{"more":{"role":"${role}"}},`,
    ];
    for (const [role, code] of [
      ["arn:aws:iam::111122223333:role/edge-1_shop_web", 1],
      ["arn:aws:iam::111122223333:role/other", 0],
    ] as const)
      for (const failOn of ["widened", "lost"]) {
        const sides = [folderOf(base), folderOf(edited(base, [lambda(role)]))];
        const done = await cli("--fail-on", failOn, ...sides);
        expect([done.code, done.out]).toEqual([code, expect.stringContaining("aws_lambda_function")]);
      }
  });

  it("exits with 0 and says so where nothing differs, in every form", async () => {
    const sides = [folderOf(base), folderOf(base)];
    for (const format of ["text", "markdown", "json"])
      expect((await cli("--fail-on", "any", "--format", format, ...sides)).code).toBe(0);
    expect(JSON.parse((await cli("--format", "json", ...sides)).out)).toMatchObject({
      version: 1,
      changes: [],
    });
  });

  it("writes the page of the new side with what changed", async () => {
    const { out } = await cli("--format", "html", folderOf(base), folderOf(edited(base, [WIDER])));
    expect(out).toMatch(/^<!DOCTYPE html>[^]*"changes":\[\{"kind":"widened"[^]*<\/html>\n$/);
  });

  it("writes SARIF with a rule for each rank, and fingerprints that stay while lines move", async () => {
    const wider = edited(base, [WIDER]);
    const moved = edited(wider, [["cdk.tf.json", '"resource": {', '"resource": {\n\n']]);
    const logs = await Promise.all(
      [wider, moved].map(
        async (after) => (await cli("--format", "sarif", folderOf(base), folderOf(after))).out,
      ),
    );
    expect(logs.flatMap(sarifProblems)).toEqual([]);
    const runs = logs.map((log) => (JSON.parse(log) as { runs: readonly Run[] }).runs[0]);
    const [first, second] = runs.map((own) => own?.results.map((each) => each.partialFingerprints));
    expect(first).toHaveLength(1);
    expect(second).toEqual(first);
    expect(runs[0]?.results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ["compare-undeclared", "error"],
    ]);
    expect(runs[0]?.tool.driver.rules.map(({ id }) => id)).toEqual(
      DANGERS.map(({ danger }) => `compare-${danger}`),
    );
  });

  it("refuses what is wrong with 2", async () => {
    expect((await cli(folderOf(base))).code).toBe(2);
    expect((await cli(folderOf(base), "/nowhere")).code).toBe(2);
    expect((await cli("--format", "xml", folderOf(base), folderOf(base))).code).toBe(2);
  });
});
