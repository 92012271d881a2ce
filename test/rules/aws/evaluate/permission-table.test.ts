import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type AwsPermissionRequest,
  evaluateAwsPermission,
} from "../../../../lib/rules/aws/evaluate/evaluate-permission";
import { PermissionTable } from "../../../../lib/rules/aws/evaluate/permission-table";

const ACTIONS = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer", "ecr:GetAuthorizationToken"];
const RESOURCES = [
  "*",
  "arn:aws:ecr:eu-west-1:111122223333:repository/shop/web",
  "arn:aws:ecr:eu-west-1:111122223333:repository/shop/api",
  "arn:aws:ecr:us-east-1:111122223333:repository/shop/*",
];

const oneOrMore = (values: readonly string[]): fc.Arbitrary<string | string[]> =>
  fc.oneof(fc.constantFrom(...values), fc.array(fc.constantFrom(...values), { maxLength: 3 }));

const actions = oneOrMore([...ACTIONS, "*", "ecr:*", "ECR:batch*", "ecr:?atchGetImage", "s3:*", "${x}"]);
const resources = oneOrMore([
  ...RESOURCES,
  "arn:aws:ecr:*:*:repository/*",
  "arn:aws:ecr:eu*3:repository/shop/web",
  "arn:aws:ecr:eu-west-1:111122223333:repository/shop/???",
  "arn:aws:ecr:us-east-1:111122223333:repository/shop/${*}",
  "arn:aws:ecr:*:*:repository/${aws:PrincipalTag/team}",
  "${TfToken[TOKEN.1]}",
  "#{TfToken[TOKEN.1]}",
]);

/** What is known of requests. */
const CONTEXTS: readonly AwsPermissionRequest["context"][] = [
  undefined,
  {},
  { "aws:sourcevpc": "vpc-1" },
  { "aws:SourceVpc": null, "aws:PrincipalTag/team": "shop" },
];

/** The element, its `Not…` form, none or both. */
const selection = (name: string, values: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.oneof(
    { weight: 6, arbitrary: values.map((value) => ({ [name]: value })) },
    { weight: 3, arbitrary: values.map((value) => ({ [`Not${name}`]: value })) },
    { weight: 1, arbitrary: fc.constantFrom({}, { [name]: 1 }) },
  );

const conditions = fc.constantFrom(
  {},
  {},
  {},
  { Condition: {} },
  { Condition: { StringEquals: { "aws:SourceVpc": "vpc-1" } } },
  { Condition: { StringEquals: [] } },
  { Principal: "*" },
  { Sid: "One" },
  { Sid: "not one" },
);
const statement = fc
  .tuple(
    fc.constantFrom("Allow", "Allow", "Deny"),
    selection("Action", actions),
    selection("Resource", resources),
    conditions,
  )
  .map(([Effect, ...parts]): object => Object.assign({ Effect }, ...parts) as object);
const document = fc.record({
  Version: fc.constantFrom("2012-10-17", "2012-10-17", "2008-10-17", "2020-01-01"),
  Statement: fc.array(statement, { maxLength: 4 }),
});
const policy = fc.oneof(
  { weight: 9, arbitrary: document.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.oneof(document, fc.constantFrom("${data.x.json}", "{", null)) },
);

describe("outcome", () => {
  it("is that of evaluateAwsPermission", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(fc.array(policy, { maxLength: 3 }), fc.constantFrom(...CONTEXTS), (policies, context) => {
        const table = new PermissionTable(policies, context);
        for (const action of ACTIONS)
          for (const resource of RESOURCES) {
            const { outcome } = evaluateAwsPermission(policies, {
              action,
              resource,
              ...(context && { context }),
            });
            seen.add(outcome);
            expect(table.outcome(action, resource)).toBe(outcome);
          }
      }),
      { numRuns: 2000 },
    );
    expect([...seen].sort()).toEqual(["allowed", "denied", "unknown"]);
  });
});

describe("of", () => {
  const allow = (Action: unknown, Resource: string): object => ({ Effect: "Allow", Action, Resource });
  const [batch = "", layer = ""] = ACTIONS;

  it.each([
    ["no statement tells them apart", [allow([batch, layer], "a"), allow("s3:*", "b")], true],
    ["one has a statement of its own", [allow("ecr:*", "a"), allow(batch, "b")], false],
    ["each has one", [allow(batch, "a"), allow(layer, "a")], false],
    ["of one it cannot be told", [allow([batch, "${x}"], "a")], false],
  ])("is one function for two actions where %s: %s", (_, Statement, same) => {
    const table = new PermissionTable([{ Version: "2012-10-17", Statement }]);
    expect(table.of(batch) === table.of(layer)).toBe(same);
  });
});
