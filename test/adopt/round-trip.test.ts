/*
 * From what the command lines print of clusters that ccoctl made to a program, and from the program to the import
 * blocks of a synth: each names an object that exists, and all that exists is named.
 */

import { describe, expect, it } from "vitest";
import { compileErrors } from "../support/compile";
import type { RequestCloud } from "../support/credentials-requests";
import { type Answers, adopt, awsAnswers, azureAnswers, googleAnswers } from "./answers";
import { block, importsOf, synthesize } from "./printed";

const CASES: readonly (readonly [string, RequestCloud, () => Answers])[] = [
  ["AWS, public bucket", "aws", () => awsAnswers("public")],
  ["AWS, private bucket behind CloudFront", "aws", () => awsAnswers("private")],
  ["Azure", "azure", azureAnswers],
  ["Google Cloud", "google", googleAnswers],
];

describe.each(CASES)("%s", (_, cloud, answers) => {
  it("is taken over whole by the printed program", async () => {
    const result = await adopt(cloud, answers());
    expect([result.code, result.err]).toEqual([0, ""]);
    const json = JSON.parse((await adopt(cloud, answers(), "--format", "json")).out) as {
      clusters: { imports: { type: string; id: string }[]; missing: unknown[] }[];
    };
    const [cluster] = json.clusters;
    expect(importsOf(synthesize(result.out, "adoptMycluster", result.folder))).toEqual(
      cluster?.imports.map(({ type, id }) => `${type} ${id}`).sort(),
    );
  });

  it("prints the same for the same answers", async () => {
    for (const format of ["typescript", "json", "imports"]) {
      const [first, second] = [
        await adopt(cloud, answers(), "--format", format),
        await adopt(cloud, answers(), "--format", format),
      ];
      expect(second.out.replaceAll(second.folder, "")).toBe(first.out.replaceAll(first.folder, ""));
    }
  });
});

it("prints programs that compile in a strict project", async () => {
  const programs = await Promise.all(
    CASES.map(async ([, cloud, answers]) => (await adopt(cloud, answers())).out),
  );
  expect(compileErrors(programs.map(block))).toEqual([]);
});
