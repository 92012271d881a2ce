import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { AREAS, type Area, KINDS, type MistakeKind, SPECIAL } from "../lib/error-kinds";

const LIB = resolve(__dirname, "../lib");
const PAGE = resolve(__dirname, "../docs/errors.md");

/** The codes that some place of the library throws, sorted. */
function thrownCodes(): readonly string[] {
  const codes = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ["fail", "refusal"].includes(node.expression.getText()))
      for (const code of textsOf(node.arguments[0])) codes.add(code);
    ts.forEachChild(node, visit);
  };
  for (const file of readdirSync(LIB, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  ))
    visit(ts.createSourceFile(file, readFileSync(join(LIB, file), "utf8"), ts.ScriptTarget.Latest, true));
  return [...codes].sort();
}

function textsOf(node: ts.Node | undefined): readonly string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteral(node)) return [node.text];
  return ts.isConditionalExpression(node) ? [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)] : [];
}

function meaningOf(code: string): string | undefined {
  const special = (SPECIAL as Readonly<Record<string, string>>)[code];
  if (special !== undefined) return special;
  const cut = code.lastIndexOf("-");
  const area = AREAS[code.slice(0, cut) as Area] as string | undefined;
  const kind = KINDS[code.slice(cut + 1) as MistakeKind] as string | undefined;
  return area === undefined || kind === undefined ? undefined : kind;
}

function page(codes: readonly string[]): string {
  const rows = Object.entries(AREAS).flatMap(([area, what]) => {
    const own = codes.filter((code) => code.slice(0, code.lastIndexOf("-")) === area && !(code in SPECIAL));
    if (own.length === 0) return [];
    return ["", `## ${what}`, "", ...own.map((code) => `- \`${code}\`: ${meaningOf(code) ?? ""}`)];
  });
  const special = Object.entries(SPECIAL).map(([code, what]) => `- \`${code}\`: ${what}`);
  return [
    "# Errors",
    "",
    "Everything that is refused throws a `WorkloadIdentityError`. Its message says what is wrong, the value, what is allowed and",
    "what to do; the same four parts are the properties `problem`, `value`, `allowed` and `remedy`. Its `code` says where the",
    "mistake is and of which kind, and stays the same across releases while the words may change:",
    "",
    "```ts",
    'import { isWorkloadIdentityError } from "cdktf-workload-identity";',
    "",
    "export function isMissingSetting(error: unknown): boolean {",
    '  return isWorkloadIdentityError(error) && error.code.endsWith("-missing");',
    "}",
    "```",
    ...rows,
    "",
    "## Codes of their own",
    "",
    ...special,
    "",
  ].join("\n");
}

describe("error codes", () => {
  const codes = thrownCodes();

  it("are area and kind, or have a meaning of their own", () => {
    expect(codes.filter((code) => meaningOf(code) === undefined)).toEqual([]);
  });

  it("are at most 200", () => {
    expect(codes.length).toBeLessThanOrEqual(200);
  });

  it("are all thrown where they have a meaning of their own", () => {
    expect(Object.keys(SPECIAL).filter((code) => !codes.includes(code))).toEqual([]);
  });

  it("are listed in docs/errors.md", async () => {
    await expect(page(codes)).toMatchFileSnapshot(PAGE);
  });
});
