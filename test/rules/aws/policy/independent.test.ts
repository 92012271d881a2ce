/*
 * The evaluator against the plain rules, written a second time: "Policy evaluation logic" and "IAM JSON policy elements"
 * in the IAM user guide.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Known, Reference, known, textOf } from "../../../../lib/model/known";
import { AskedNames } from "../../../../lib/rules/asked-names";
import { requestContext } from "../../../../lib/rules/aws/policy/context";
import { identityPolicies } from "../../../../lib/rules/aws/policy/permission";
import { readPolicy } from "../../../../lib/rules/aws/policy/policy";
import { namedResource, oneResource } from "../../../../lib/rules/aws/policy/asked-resource";

const BEFORE = "arn:aws:ecr:eu-west-1:111122223333:repository/";
const ACTIONS = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"];
const [BATCH = ""] = ACTIONS;
type Outcome = "allowed" | "denied" | "unknown";
type Json = Readonly<Record<string, unknown>>;
type Context = Readonly<Record<string, string | null>>;

/** What the evaluator says. */
function outcomeOf(
  policies: readonly unknown[],
  action: string,
  resource: string,
  context: Context,
): Outcome {
  const counted = policies.map((each) => ({ policy: readPolicy(each, "identity"), doubt: undefined }));
  return identityPolicies(counted, requestContext(context)).question(action).decide(oneResource(resource))
    .outcome;
}

/** What the rules say where everything is known. */
function plainly(policies: readonly Json[], action: string, resource: string, context: Context): Outcome {
  const statements = policies.flatMap(({ Statement }) => Statement as readonly Json[]);
  const applying = statements.filter((each) => applies(each, action, resource, context));
  if (applying.some(({ Effect }) => Effect === "Deny")) return "denied";
  return applying.some(({ Effect }) => Effect === "Allow") ? "allowed" : "denied";
}

function applies(statement: Json, action: string, resource: string, context: Context): boolean {
  const selects = (name: string, text: string, flags: string): boolean => {
    const [plain, negated] = [statement[name], statement[`Not${name}`]];
    const values = [plain ?? negated].flat() as readonly string[];
    return values.some((value) => expression(value, flags).test(text)) === (plain !== undefined);
  };
  const conditions = Object.entries((statement["Condition"] ?? {}) as Record<string, Json>);
  return (
    selects("Action", action, "i") &&
    selects("Resource", resource, "") &&
    conditions.every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) =>
        holds(operator, context[key.toLowerCase()] ?? null, [wanted].flat() as readonly string[]),
      ),
    )
  );
}

function expression(pattern: string, flags: string): RegExp {
  const escaped = pattern
    .replace(/[.+^${}()|[\]\\/]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\?/g, ".");
  return new RegExp(`^${escaped}$`, `s${flags}`);
}

function holds(operator: string, value: string | null, wanted: readonly string[]): boolean {
  if (operator === "Null") return wanted.includes(String(value === null));
  const name = operator.replace("IfExists", "");
  if (value === null) return name !== operator || name.includes("Not");
  const agrees = wanted.some((each) =>
    name.endsWith("Like")
      ? expression(each, "").test(value)
      : name.includes("IgnoreCase")
        ? each.toLowerCase() === value.toLowerCase()
        : each === value,
  );
  return agrees !== name.includes("Not");
}

const oneOrMore = (values: readonly string[]): fc.Arbitrary<string | string[]> =>
  fc.oneof(fc.constantFrom(...values), fc.array(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }));
const either = (name: string, values: readonly string[]): fc.Arbitrary<Json> =>
  fc
    .tuple(oneOrMore(values), fc.constantFrom(name, name, name, `Not${name}`))
    .map(([value, key]) => ({ [key]: value }));
const names = ["shop/*", "shop/web", "shop/???", "*/web", "base/*", "*", "shop/w*b", "s*"];
const OPERATORS = [
  "StringEquals",
  "StringNotEquals",
  "StringLike",
  "StringNotLike",
  "StringEqualsIfExists",
  "StringNotLikeIfExists",
  "StringEqualsIgnoreCase",
];
const condition = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...OPERATORS),
      fc.constantFrom("aws:SourceVpc", "AWS:SourceVpce"),
      oneOrMore(["a", "A", "a*", "?", "b"]),
    )
    .map(([operator, key, values]) => ({ [operator]: { [key]: values } })),
  fc
    .tuple(fc.constantFrom("aws:sourcevpc", "aws:sourcevpce"), fc.constantFrom("true", "false"))
    .map(([key, value]) => ({ Null: { [key]: value } })),
);
const actions = [...ACTIONS, "*", "ecr:*", "ECR:batch*", "ecr:?atchGetImage", "s3:*"];
const statementOf = (resources: readonly string[]): fc.Arbitrary<Json> =>
  fc
    .tuple(
      fc.constantFrom("Allow", "Allow", "Deny"),
      either("Action", actions),
      either("Resource", resources),
      fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, condition),
    )
    .map(([Effect, action, resource, Condition]) => ({
      Effect,
      ...action,
      ...resource,
      ...(Condition && { Condition }),
    }));
const policiesOf = (resources: readonly string[]): fc.Arbitrary<readonly Json[]> =>
  fc.array(
    fc
      .array(statementOf(resources), { minLength: 1, maxLength: 3 })
      .map((Statement) => ({ Version: "2012-10-17", Statement })),
    { maxLength: 2 },
  );
const policies = policiesOf(["*", ...names.map((name) => BEFORE + name)]);
const value = fc.constantFrom("a", "A", "b", null);

describe("decisions of identity policies", () => {
  it("are those of the plain rules where everything is known", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(
        policies,
        fc.constantFrom("shop/web", "shop/api", "base/x"),
        value,
        value,
        (documents, name, vpc, vpce) => {
          const context = { "aws:sourcevpc": vpc, "aws:sourcevpce": vpce };
          for (const action of ACTIONS) {
            const outcome = outcomeOf(documents.map(asText), action, BEFORE + name, context);
            seen.add(outcome);
            expect(outcome).toBe(plainly(documents, action, BEFORE + name, context));
          }
        },
      ),
      { numRuns: 1000 },
    );
    expect([...seen].sort()).toEqual(["allowed", "denied"]);
  });

  it("hold whatever a key holds that is not known", () => {
    const counts = { allowed: 0, denied: 0, unknown: 0 };
    fc.assert(
      fc.property(policies, value, (documents, vpce) => {
        const outcome = outcomeOf(documents, BATCH, `${BEFORE}shop/web`, { "aws:sourcevpce": vpce });
        counts[outcome]++;
        for (const vpc of ["a", "A", "b", "zz", null])
          if (outcome !== "unknown")
            expect(
              plainly(documents, BATCH, `${BEFORE}shop/web`, {
                "aws:sourcevpc": vpc,
                "aws:sourcevpce": vpce,
              }),
            ).toBe(outcome);
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(20);
  });

  it("hold whatever a reference turns out to be", () => {
    const context = { "aws:sourcevpc": "a", "aws:sourcevpce": null };
    const late = ["*", `${BEFORE}<x>`, `${BEFORE}shop/<x>`, `${BEFORE}<y>/*`, `${BEFORE}shop/web`];
    const counts = { allowed: 0, denied: 0, unknown: 0 };
    fc.assert(
      fc.property(policiesOf(late), (documents) => {
        const texts = documents.map((each) => withReferences(JSON.stringify(each)));
        const outcome = outcomeOf(texts, BATCH, `${BEFORE}shop/web`, context);
        counts[outcome]++;
        if (outcome === "unknown") return;
        for (const x of ["web", "api", "*", "shop/web"])
          for (const y of ["shop", "base", "s*"]) {
            const told = documents.map(
              (each) => JSON.parse(asText(each).replaceAll("<x>", x).replaceAll("<y>", y)) as Json,
            );
            expect(plainly(told, BATCH, `${BEFORE}shop/web`, context)).toBe(outcome);
          }
      }),
      { numRuns: 700 },
    );
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(20);
  });

  it("of every repository of a pattern are those of each", () => {
    const some = ["a", "ab", "b", "web", "w/b", "wab", "aa/b"].map((end) => `shop/${end}`);
    const context = { "aws:sourcevpc": "a", "aws:sourcevpce": null };
    const counts = { allowed: 0, denied: 0, unknown: 0 };
    fc.assert(
      fc.property(policies, (documents) => {
        const counted = documents.map((each) => ({ policy: readPolicy(each, "identity"), doubt: undefined }));
        const question = identityPolicies(counted, requestContext(context)).question(BATCH);
        const worst = AskedNames.covered("shop/*").worst(
          (name) => question.decide(namedResource(BEFORE, name)).outcome,
          (outcome) => ["allowed", "unknown", "denied"].indexOf(outcome),
        );
        const said = worst?.said ?? "unknown";
        counts[said]++;
        const each = some.map((name) => plainly(documents, BATCH, BEFORE + name, context));
        if (said === "allowed") expect(each).not.toContain("denied");
        if (said === "denied")
          expect(plainly(documents, BATCH, BEFORE + (worst?.example ?? ""), context)).toBe("denied");
      }),
      { numRuns: 1000 },
    );
    expect(Math.min(counts.allowed, counts.denied)).toBeGreaterThan(20);
  });
});

/** Wildcards within the parts of an ARN that a repository's name is not in are not documented to reach over colons. */
it("an inner star is certain of no repository, and a star at the end of a part of all", () => {
  const decided = (Resource: string): unknown => {
    const policy = readPolicy(
      { Version: "2012-10-17", Statement: { Effect: "Allow", Action: "*", Resource } },
      "identity",
    );
    const question = identityPolicies([{ policy, doubt: undefined }], requestContext({})).question(BATCH);
    return AskedNames.covered("base/*").worst(
      (name) => question.decide(namedResource(BEFORE, name)).outcome,
      (outcome) => ["allowed", "unknown", "denied"].indexOf(outcome),
    )?.said;
  };
  expect(decided("arn:aws:ecr:eu*3:repository/*")).toBe("unknown");
  expect(decided("arn:aws:ecr:eu-*-1:*:repository/base/*")).toBe("allowed");
  expect(decided("arn:aws:ecr:*:repository/base/*")).toBe("allowed");
  expect(decided("arn:aws:ecr:*:*:repository/base/a*")).toBe("denied");
});

function asText(policy: unknown): string {
  return JSON.stringify(policy);
}

const REFERENCES: Readonly<Record<string, Reference>> = {
  x: new Reference("var.x"),
  y: new Reference("var.y"),
};

function withReferences(text: string): Known<string> {
  const parts = text.split(/<([xy])>/);
  return parts.length === 1
    ? known(text)
    : textOf(parts.map((part, place) => (place % 2 === 1 ? (REFERENCES[part] ?? part) : part)));
}
