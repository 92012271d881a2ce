import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTrustPolicy } from "../../../../lib/explain/clouds/aws/trust-policy";
import { evaluateAwsTrust } from "../../../../lib/rules/aws/evaluate/evaluate-trust";

const HOST = "oidc.example.com/c1";
const ARN = `arn:aws:iam::111122223333:oidc-provider/${HOST}`;
const SUB = "system:serviceaccount:shop:web";
const claims = { iss: `https://${HOST}`, sub: SUB, aud: "sts.amazonaws.com" };
const trusted = { arn: ARN, partition: "aws", account: "111122223333", hostPath: HOST };
const allow = { Effect: "Allow", Principal: { Federated: ARN }, Action: "sts:AssumeRoleWithWebIdentity" };

describe("trusted", () => {
  it.each([
    ["a list of statements", { Statement: [allow, allow] }, [trusted, trusted]],
    ["one statement", { Statement: allow }, [trusted]],
    ["a list of ARNs", { Statement: { ...allow, Principal: { Federated: [ARN, "x"] } } }, [trusted]],
    ["a Deny", { Statement: { ...allow, Effect: "Deny" } }, []],
    ["another type", { Statement: { ...allow, Principal: { AWS: ARN } } }, []],
    ["no statement", {}, []],
  ])("%s", (_, document, expected) => {
    expect(readTrustPolicy(JSON.stringify(document)).trusted).toEqual(expected);
  });
});

describe("document", () => {
  // A text that is no object stays text, so that the evaluator says what is wrong with it.
  it.each(["", "{", "${data.x.json}", '"{}"', "[]", "1", "null"])("%j stays text", (text) => {
    const { document, withoutSubject } = readTrustPolicy(text);
    expect([document, withoutSubject()]).toEqual([text, text]);
  });
});

describe("withoutSubject", () => {
  const condition = fc.dictionary(
    fc.constantFrom(
      "StringEquals",
      "StringLike",
      "StringNotEquals",
      "ForAnyValue:StringLike",
      "Null",
      "Other",
    ),
    fc.dictionary(
      fc.constantFrom(`${HOST}:sub`, `${HOST}:SUB`, `${HOST}:aud`, "aws:SourceIp"),
      fc.constantFrom<unknown>(SUB, "system:*", "${aws:x}", "sts.amazonaws.com", "true", [], 1, {}),
      { maxKeys: 2 },
    ),
    { maxKeys: 2 },
  );
  const statement = fc.record({
    Effect: fc.constantFrom("Allow", "Allow", "Allow", "Deny"),
    Principal: fc.constantFrom<unknown>({ Federated: ARN }, "*", { AWS: "1" }),
    Action: fc.constantFrom("sts:AssumeRoleWithWebIdentity", "sts:*", "s3:*"),
    Condition: condition,
  });
  const document = fc.record(
    {
      Version: fc.constantFrom("2012-10-17", "2008-10-17"),
      Statement: fc.array(statement, { maxLength: 3 }),
    },
    { requiredKeys: ["Statement"] },
  );

  it("allows whatever all conditions allow", () => {
    let allowed = 0;
    fc.assert(
      fc.property(document, (value) => {
        const policy = readTrustPolicy(JSON.stringify(value));
        const request = { providerArn: ARN, claims };
        if (evaluateAwsTrust(policy.document, request).outcome !== "allowed") return;
        allowed++;
        expect(evaluateAwsTrust(policy.withoutSubject(), request).outcome).toBe("allowed");
      }),
      { numRuns: 3000 },
    );
    expect(allowed).toBeGreaterThan(100);
  });
});
