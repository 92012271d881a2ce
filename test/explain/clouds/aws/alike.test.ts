/*
 * What is judged once for many roles must be what each would be judged by itself.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AlikeRoles } from "../../../../lib/explain/clouds/aws/alike-roles";
import { AlikeTrust } from "../../../../lib/explain/clouds/aws/alike-trust";
import type { OidcProviderFact } from "../../../../lib/explain/clouds/aws/iam";
import type { RoleFact } from "../../../../lib/explain/clouds/aws/role-fact";
import { judgeOf } from "../../../../lib/explain/clouds/aws/regional-role";
import { type AwsTrustQuestion, awsTrust } from "../../../../lib/explain/clouds/aws/trust";

const ISSUER = "https://oidc.example.com/id";
const PROVIDER = "arn:aws:iam::111122223333:oidc-provider/oidc.example.com/id";
const source = { file: "cdk.tf.json", path: "" };
const role = (trustPolicy: string, policies: readonly string[]): RoleFact => ({
  pathName: "web",
  account: "111122223333",
  trustPolicy,
  policies,
  perhaps: [],
  boundary: undefined,
  adopted: false,
  source,
});
/** Answers that find their words later, as they are read. */
const read = (answers: unknown): unknown =>
  JSON.parse(
    JSON.stringify(answers, (_, value: unknown) => {
      if (typeof value !== "object" || value === null || !("reason" in value)) return value;
      const { status, reason, evidence, remedy, log } = value as Record<string, unknown>;
      return { status, reason, evidence, remedy, log };
    }),
  );

describe("trust", () => {
  const oidcProviders: readonly OidcProviderFact[] = [
    { address: "", url: ISSUER, arn: "", account: "111122223333", clientIds: ["sts.amazonaws.com"], source },
  ];
  const names = fc.constantFrom("a", "b", "c", "a*", "*");
  const subject = names.map((name) => `system:serviceaccount:shop:${name}`);
  const condition = fc.tuple(
    fc.constantFrom("StringEquals", "StringLike", "StringNotEquals"),
    fc.constantFrom("oidc.example.com/id:sub", "oidc.example.com/id:aud", "OIDC.example.com/id:SUB"),
    fc.oneof({ weight: 4, arbitrary: subject }, fc.constant("sts.amazonaws.com"), fc.constant("${x}")),
  );
  const statement = fc.record({
    effect: fc.constantFrom("Allow", "Allow", "Allow", "Deny"),
    conditions: fc.array(condition, { maxLength: 2 }),
    sid: fc.oneof(fc.constant(undefined), subject),
  });
  const policy = fc.array(statement, { minLength: 1, maxLength: 2 }).map((statements) =>
    JSON.stringify({
      Version: "2012-10-17",
      Statement: statements.map(({ effect, conditions, sid }) => ({
        Sid: sid,
        Effect: effect,
        Principal: { Federated: PROVIDER },
        Action: "sts:AssumeRoleWithWebIdentity",
        Condition: Object.fromEntries(
          conditions.map(([operator, key, value]) => [operator, { [key]: value }]),
        ),
      })),
    }),
  );
  const ours = (name: string): string =>
    JSON.stringify({
      Version: "2012-10-17",
      Statement: {
        Effect: "Allow",
        Principal: { Federated: PROVIDER },
        Action: "sts:AssumeRoleWithWebIdentity",
        Condition: { StringEquals: { "oidc.example.com/id:sub": name } },
      },
    });
  const asked = (trustPolicy: string, who: string, audience: string): AwsTrustQuestion => ({
    role: role(trustPolicy, []),
    account: "111122223333",
    issuer: ISSUER,
    subject: who,
    audience,
    oidcProviders,
  });

  it("is for roles in a row what it is for each", () => {
    const question = fc
      .tuple(fc.oneof(policy, subject.map(ours)), subject, fc.constantFrom("sts.amazonaws.com", "other"))
      .map(([text, who, audience]) => asked(text, who, audience));
    fc.assert(
      fc.property(fc.array(question, { maxLength: 6 }), (questions) => {
        const alike = new AlikeTrust();
        for (const each of questions) expect(read(alike.of(each))).toEqual(read(awsTrust(each)));
      }),
      { numRuns: 500 },
    );
  });

  it("is found without reading the policy of a role that differs in its subject alone", () => {
    const alike = new AlikeTrust();
    alike.of(
      asked(ours("system:serviceaccount:shop:a"), "system:serviceaccount:shop:a", "sts.amazonaws.com"),
    );
    const next = asked(
      ours("system:serviceaccount:shop:b"),
      "system:serviceaccount:shop:b",
      "sts.amazonaws.com",
    );
    expect(Object.keys(alike.of(next)[2])).not.toContain("reason");
  });
});

describe("permissions", () => {
  const arn = (name: string): string => `arn:aws:ecr:eu-west-1:111122223333:repository/shop/${name}`;
  const resource = fc.constantFrom(arn("a"), arn("b"), arn("a*"), arn("?"), "*", "${x}");
  const statement = fc.record({
    Effect: fc.constantFrom("Allow", "Allow", "Allow", "Deny"),
    Action: fc.constantFrom("*", "ecr:*", "ecr:BatchGetImage", "ecr:GetAuthorizationToken", "s3:*"),
    Resource: fc.oneof({ weight: 3, arbitrary: resource }, fc.array(resource, { maxLength: 2 })),
  });
  const policy = fc
    .array(statement, { minLength: 1, maxLength: 3 })
    .map((Statement) => JSON.stringify({ Version: "2012-10-17", Statement }));
  const ours = (name: string): string =>
    JSON.stringify({
      Statement: [
        { Effect: "Allow", Action: "ecr:GetAuthorizationToken", Resource: "*" },
        { Effect: "Allow", Action: "ecr:*", Resource: arn(name) },
      ],
    });
  const formed = fc.constantFrom("a", "b", "c").map(ours);
  const role1 = fc
    .array(fc.oneof(policy, formed), { minLength: 1, maxLength: 2 })
    .map((all) => role("", all));

  it("are for roles in a row what they are for each", () => {
    const repository = fc.constantFrom(arn("a"), arn("b"), arn("c"));
    fc.assert(
      fc.property(fc.array(fc.tuple(role1, repository), { maxLength: 8 }), (questions) => {
        const alike = new AlikeRoles();
        for (const [each, where] of questions) {
          const [one, other] = [alike.of(each), judgeOf(each)];
          const said = [
            one.login("private", "eu-west-1"),
            one.login("public", ""),
            one.refusal(where),
            one.mayImport(where),
          ];
          expect(read(said)).toEqual(
            read([
              other.login("private", "eu-west-1"),
              other.login("public", ""),
              other.refusal(where),
              other.mayImport(where),
            ]),
          );
          expect(one.outcome("ecr:BatchGetImage", where, true)).toBe(
            other.outcome("ecr:BatchGetImage", where, true),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it("have one key where policies are equal, and two where they are not", () => {
    const alike = new AlikeRoles();
    alike.of(role("", [ours("a")]));
    const keys = ["a", "b", "a"].map((name) => alike.keyOf(role("", [ours(name)])));
    expect(keys).toEqual([`1 ${arn("a")}`, `1 ${arn("b")}`, `1 ${arn("a")}`]);
    expect(alike.keyOf(role("", [ours("a"), ours("a")]))).toBeUndefined();
  });
});
