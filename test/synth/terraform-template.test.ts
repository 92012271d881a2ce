import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { EncodedPlaceholder, OutputPlaceholder } from "../../lib/artefact/workload-identity-file";
import { encodeNow } from "../../lib/model/late";
import { type FillingOf, expression, jsonTemplate, jsonTemplates } from "../../lib/synth/terraform-template";
import { temporaryFolder } from "../fixtures/synth/stack-fixture";

const ID = "@late(terraform_data.d.output)@";
const FILE = "@late(data-url.0123456789abcdef)@";
const LATE = 'a "late" \\ value ${x} %{y}\nand é';

const FILLINGS: Readonly<Record<string, OutputPlaceholder | EncodedPlaceholder>> = {
  [ID]: { output: "id", path: ["prod", "id"], expression: "${terraform_data.d.output}" },
  [FILE]: { encoding: "data-url", text: `before "${ID}" \\ ${"$"}{literal}\n` },
};
const fillingOf: FillingOf = (placeholder) => {
  const filling = FILLINGS[placeholder];
  if (filling === undefined) throw new Error(placeholder);
  return filling;
};

describe("a text for Terraform", () => {
  it.each([
    ["plain", "plain"],
    [`id ${ID}!`, "id ${terraform_data.d.output}!"],
    ["a ${x} b", "a $${x} b"],
    ["a %{if} b", "a %%{if} b"],
    ["$$${x}", '${"$$$"}{x}'],
    ["100% {x}", "100% {x}"],
    [
      FILE,
      'data:text/plain;charset=utf-8;base64,${base64encode("before \\"${terraform_data.d.output}\\" \\\\ $${literal}\\n")}',
    ],
  ])("of %s", (text, template) => {
    expect(jsonTemplate(text, fillingOf)).toBe(template);
  });

  it("is an expression too, whole documents included", () => {
    expect(expression({ "a.b/c": [ID, 1, true, null], d: { e: "x\ty" } }, fillingOf)).toBe(
      '{ "a.b/c" = ["${terraform_data.d.output}", 1, true, null], "d" = { "e" = "x\\ty" } }',
    );
  });

  it("refuses a value that is more than one expression", () => {
    const two: FillingOf = () => ({ output: "x", path: [], expression: "a-${aws_iam_role.web.arn}" });
    expect(() => jsonTemplate(ID, two)).toThrowError(
      expect.objectContaining({ code: "manifest-unsupported", value: "a-${aws_iam_role.web.arn}" }),
    );
  });
});

/** What JSON, HCL templates and YAML each read as something else. */
const HOSTILE = [
  "quotes \" ' and \\ backslash",
  'templates ${x} %{if true} $${y} %%{z} $$${a} %%%{b} ${"$$"} $',
  "lines\nand\r\nmore\n\ttab",
  "null",
  "é 日本 \u{1f600} \u2028 \u0085 \u007f",
  "~!@#^&*()_+{}[]|;:<>?,./",
];

const absent = spawnSync("terraform", ["version"]).status !== 0;

it.skipIf(absent)(
  `comes out of Terraform as it is${absent ? " (skipped: no terraform on PATH)" : ""}`,
  { timeout: 120_000 },
  () => {
    const texts = [...HOSTILE, ...HOSTILE.map((text) => `${text}${ID}${text}`), FILE];
    const folder = temporaryFolder();
    const base64 = Buffer.from(LATE, "utf8").toString("base64");
    const configuration = {
      resource: { terraform_data: { d: { input: `\${base64decode("${base64}")}` } } },
      output: {
        texts: { value: jsonTemplates(texts, fillingOf) },
        nested: { value: `\${jsonencode(${expression(texts, fillingOf)})}` },
      },
    };
    writeFileSync(join(folder, "main.tf.json"), JSON.stringify(configuration));
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, CHECKPOINT_DISABLE: "1" };
    const run = (...args: string[]): string => {
      const done = spawnSync("terraform", args, { cwd: folder, env, encoding: "utf8" });
      if (done.status !== 0) throw new Error(`terraform ${args.join(" ")}: ${done.stderr}`);
      return done.stdout;
    };
    run("init", "-input=false");
    run("apply", "-auto-approve", "-input=false");
    const outputs = JSON.parse(run("output", "-json")) as Record<string, { value: unknown }>;
    const filled = (text: string): string => text.replaceAll(ID, LATE);
    const expected = [
      ...texts.slice(0, -1).map(filled),
      encodeNow("data-url", filled((FILLINGS[FILE] as EncodedPlaceholder).text)),
    ];
    expect(outputs["texts"]?.value).toEqual(expected);
    expect(JSON.parse(String(outputs["nested"]?.value))).toEqual(expected);
  },
);
