import { expect, it } from "vitest";
import { type ExplainResult, renderHtml, renderJson, renderMermaid, renderText } from "../../../lib/explain";
import { explained, synthesized } from "../../fixtures/explain/artefacts";

const artefacts = synthesized("fleet-argocd");
const of = (spoke: string): readonly ExplainResult[] =>
  explained(artefacts, { spoke, serviceAccount: "argocd/argocd-server" });

it("text has warnings below the links, with evidence and remedy", () => {
  const lines = [...renderText(of("shop-aws"), { verbose: true })].join("").split("\n");
  const place = lines.findIndex((line) =>
    line.startsWith("  note    wide-policy: AmazonEKSClusterAdminPolicy"),
  );
  expect(lines[place - 1]).toContain("all-understood");
  expect(lines[place + 1]).toContain("seen: access policy");
  expect(lines[place + 2]).toContain("remedy: use a narrower access policy");
  expect(lines[0]).toMatch(/^allowed {2}gitops-hub: argocd\/argocd-server enters shop-aws as arn:aws:iam::/);
  expect([...renderText(of("shop-aws"), { verbose: true, colour: true })].join("")).toContain("[90mnote");
  expect([...renderText(of("shop-google"), { verbose: true })].join("")).not.toContain("  note ");
});

it("JSON has the same version, and a list of warnings beside the checks", () => {
  const { version, results } = JSON.parse(
    [...renderJson([...of("shop-aws"), ...of("shop-google")])].join(""),
  ) as {
    version: number;
    results: { job: string; warnings: { id: string; remedy: string }[]; checks: unknown[] }[];
  };
  expect(version).toBe(1);
  expect(results.map(({ job, warnings }) => [job, warnings.map(({ id }) => id)])).toEqual([
    ["fleet-access", ["wide-policy"]],
    ["fleet-access", []],
  ]);
  expect(Object.keys(results[0]?.warnings[0] ?? {})).toEqual([
    "id",
    "severity",
    "reason",
    "evidence",
    "remedy",
  ]);
});

it("Mermaid has a node of its own for each warning, outside of the chain", () => {
  const text = [...renderMermaid(of("shop-aws"))].join("");
  expect(text).toContain("  classDef warning ");
  expect(text).toContain('    p1w0["note: wide-policy"]:::warning\n  end\n');
  expect(text).toContain("p1c15 --> p1c16\n");
  expect([...renderMermaid(of("shop-google"))].join("")).not.toContain("warning");
});

it("HTML has the warnings, and says what each check asks", () => {
  const text = [...renderHtml(of("shop-aws"))].join("");
  expect(text).toContain("<h1>Fleet access</h1>");
  expect(text).toContain('[["wide-policy",');
  expect(text).toContain("AmazonEKSClusterAdminPolicy");
  expect(text).toContain("May the identity do anything on the spoke?");
  expect([...renderHtml(of("shop-google"))].join("")).not.toContain("wide-policy");
});
