import { describe, expect, it } from "vitest";
import type { ExplainResult, Finding, Status } from "../../lib/explain";
import { jsonSchemaOf } from "../../lib/artefact/fact-shape";
import { BASELINE, Baseline } from "../../lib/explain/baseline";
import { findingsOf } from "../../lib/explain/findings";
import { folderOf } from "../fixtures/explain/artefacts";

const TODAY = "2026-11-23";

function baseline(...lines: readonly string[]): Baseline {
  return Baseline.read(
    `${folderOf({ "baseline.yaml": `accepted:\n${lines.map((line) => `  - ${line}\n`).join("")}` })}/baseline.yaml`,
    TODAY,
  );
}

function result(links: Readonly<Record<string, Status>>, stack = "prod"): ExplainResult {
  const statuses = Object.values(links);
  return {
    job: "image-pull",
    stack,
    subject: "shop/web",
    target: "r.example.com/a:1",
    as: null,
    verdict: statuses.includes("fail") ? "denied" : statuses.includes("unknown") ? "unknown" : "allowed",
    checks: Object.entries(links).map(([id, status]) => ({
      id: id as "image-parses",
      status,
      reason: "why",
      evidence: [],
      remedy: "",
    })),
  };
}

const LINE =
  "{ check: audience-granted, subject: shop/web, target: 'r.example.com/a:1', reason: the RBAC comes in January, expires: 2027-01-31 }";
const DENIED = result({ "image-parses": "pass", "audience-granted": "fail" });

function accepted(base: Baseline, ...results: readonly ExplainResult[]): readonly unknown[] {
  return [...base.results(results)].map((each) =>
    each.accepted?.map(({ check, expires }) => [check, expires]),
  );
}

describe("a finding is accepted", () => {
  it("with reason and expiry, and its verdict stays", () => {
    const [marked] = baseline(LINE).results([DENIED]);
    expect(marked).toEqual({
      ...DENIED,
      accepted: [{ check: "audience-granted", reason: "the RBAC comes in January", expires: "2027-01-31" }],
    });
  });

  it.each<[string, string, ExplainResult]>([
    ["another check", LINE.replace("audience-granted", "issuer-trusted"), DENIED],
    ["another service account", LINE.replace("shop/web", "shop/jobs"), DENIED],
    ["another image", LINE.replace("a:1", "a:2"), DENIED],
    ["another stack", LINE.replace("{ check", "{ stack: dev, check"), DENIED],
    ["a day that has passed", LINE.replace("2027-01-31", "2026-11-22"), DENIED],
    ["a result that is allowed", LINE, result({ "audience-granted": "pass" })],
    [
      "one of two unknown links",
      LINE,
      result({ "audience-granted": "unknown", "issuer-trusted": "unknown" }),
    ],
  ])("not with %s", (_, line, given) => {
    expect(accepted(baseline(line), given)).toEqual([undefined]);
  });

  it("on the last day, of every stack where none is named, and for each link that is unknown", () => {
    expect(
      accepted(baseline(LINE.replace("2027-01-31", TODAY)), DENIED, { ...DENIED, stack: "dev" }),
    ).toEqual([[["audience-granted", TODAY]], [["audience-granted", TODAY]]]);
    expect(
      accepted(
        baseline(LINE, LINE.replace("audience-granted", "issuer-trusted")),
        result({ "audience-granted": "unknown", "issuer-trusted": "unknown" }),
      ),
    ).toEqual([
      [
        ["audience-granted", "2027-01-31"],
        ["issuer-trusted", "2027-01-31"],
      ],
    ]);
  });

  it("of the audit too, by its row", () => {
    const finding: Finding = {
      id: "subject-wide",
      severity: "error",
      stack: "prod",
      subject: "shop/web",
      target: "role",
      reason: "",
      evidence: [],
      remedy: "",
    };
    const line =
      "{ check: subject-wide, subject: shop/web, target: role, reason: a sandbox, expires: 2027-01-31 }";
    expect(
      baseline(line)
        .findings([finding, { ...finding, target: "other" }])
        .map((each) => each.accepted?.reason),
    ).toEqual(["a sandbox", undefined]);
  });

  it("with the reason of its own link, where several are accepted", () => {
    const base = baseline(
      LINE,
      LINE.replace("audience-granted", "issuer-trusted").replace("the RBAC comes in January", "a new issuer"),
    );
    const open = result({ "audience-granted": "unknown", "issuer-trusted": "unknown" });
    const findings = [...base.results([open])].flatMap(findingsOf);
    expect(findings.map(({ id, accepted }) => [id, accepted?.reason])).toEqual([
      ["audience-granted", "the RBAC comes in January"],
      ["issuer-trusted", "a new issuer"],
    ]);
  });
});

it("names lines that have expired, and lines that accept nothing any more", () => {
  const base = baseline(
    LINE,
    LINE.replace("audience-granted", "issuer-trusted"),
    LINE.replace("2027-01-31", "2026-01-31"),
  );
  expect(accepted(base, DENIED)).toHaveLength(1);
  expect(base.leftovers).toEqual([
    "issuer-trusted shop/web r.example.com/a:1 is accepted but was not found: remove the line",
    "audience-granted shop/web r.example.com/a:1 was accepted until 2026-01-31 and counts again",
  ]);
});

describe("a file is refused", () => {
  it.each([
    [
      "without a reason",
      LINE.replace("reason: the RBAC comes in January, ", ""),
      "accepted[0] with no reason",
    ],
    ["with a blank reason", LINE.replace("the RBAC comes in January", '" "'), "has another form"],
    ["without an expiry", LINE.replace(", expires: 2027-01-31", ""), "has accepted[0] with no expires"],
    ["with no such day", LINE.replace("01-31", "02-30"), "names 2027-02-30, which is not a date"],
    ["with another key", LINE.replace("{ check", "{ image: x, check"), "accepted[0].image, which is unknown"],
  ])("%s, with the line", (_, line, text) => {
    expect(() => baseline(line)).toThrow(text);
    expect(() => baseline(line)).toThrow(/baseline\.yaml:2/);
  });
});

it("has a JSON schema for editors", async () => {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Accepted findings for cdktf-workload-identity explain --baseline",
    ...jsonSchemaOf(BASELINE),
  };
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot("../../docs/baseline.schema.json");
});
