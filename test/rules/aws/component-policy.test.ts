import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { componentPolicy } from "../../../lib/rules/aws/component";
import { type RequestStatement } from "../../../lib/rules/aws/policy-document";
import { evaluateAwsPermission } from "../../../lib/rules/aws/policy/permission";

const ACTIONS = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "ec2:RunInstances"];
const RESOURCES = ["arn:aws:s3:::a/x", "arn:aws:s3:::b/x"];

const request = fc
  .array(
    fc.record({
      Effect: fc.constantFrom("Allow" as const, "Deny" as const),
      Action: fc.uniqueArray(fc.constantFrom(...ACTIONS), { minLength: 1 }),
      Resource: fc.constantFrom("*", "arn:aws:s3:::*"),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .filter((statements) =>
    statements.some(({ Effect, Action }) => Effect === "Allow" && Action.includes("s3:GetObject")),
  );

const outcome = (
  statements: readonly RequestStatement[] | readonly object[],
  action: string,
  resource: string,
): string =>
  evaluateAwsPermission([{ Version: "2012-10-17", Statement: statements }], { action, resource }).outcome;

describe("componentPolicy", () => {
  it("keeps a request as it is where nothing is overridden", () => {
    fc.assert(
      fc.property(request, (statements) => {
        expect(componentPolicy(statements).Statement).toEqual(statements);
      }),
    );
  });

  it("never permits what the request does not, and narrows what it is told to", () => {
    fc.assert(
      fc.property(request, fc.constantFrom(...RESOURCES), (statements, kept) => {
        const narrow = [{ actions: ["s3:get*"], resources: [kept] }];
        const narrowed = componentPolicy(statements, { narrow }).Statement;
        for (const action of ACTIONS)
          for (const resource of RESOURCES) {
            const before = outcome(statements, action, resource);
            const after = outcome(narrowed, action, resource);
            const cut = action === "s3:GetObject" && resource !== kept;
            expect([action, resource, after]).toEqual([action, resource, cut ? "denied" : before]);
          }
      }),
    );
  });
});
