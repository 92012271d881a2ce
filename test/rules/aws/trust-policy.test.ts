import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import { evaluateAwsTrust } from "../../../lib/rules/aws/policy/trust";
import { policySize, policyText } from "../../../lib/rules/aws/policy-document";
import { trustSizeWarning } from "../../../lib/rules/aws/role";
import {
  type AwsFederatedTrust,
  subjectPattern,
  trustPolicy,
  trustPolicySize,
} from "../../../lib/rules/aws/trust";
import { code } from "../../support/refusal";

const ISSUER = "https://oidc.example.com/c1";
const ARN = "arn:aws:iam::111122223333:oidc-provider/oidc.example.com/c1";

function trust(subjects: readonly string[], more: Partial<AwsFederatedTrust> = {}): AwsFederatedTrust {
  return {
    issuer: Issuer.of(ISSUER),
    oidcProviderArn: ARN,
    conditionPrefix: "oidc.example.com/c1",
    audience: "sts.amazonaws.com",
    subjects: subjects.map((subject) => Subject.of(subject)),
    subjectPatterns: [],
    ...more,
  };
}

describe("trustPolicy", () => {
  it("pins audience and subject exactly", () => {
    expect(trustPolicy([trust(["shop/web"])])).toEqual({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Federated: ARN },
          Action: "sts:AssumeRoleWithWebIdentity",
          Condition: {
            StringEquals: {
              "oidc.example.com/c1:aud": "sts.amazonaws.com",
              "oidc.example.com/c1:sub": "system:serviceaccount:shop:web",
            },
          },
        },
      ],
    });
  });

  it("puts a wildcard into a statement of its own whose audience stays exact", () => {
    const document = trustPolicy([trust(["b/b", "a/a"], { subjectPatterns: [subjectPattern("shop/*")] })]);
    expect(document.Statement.map(({ Condition }) => Condition)).toEqual([
      {
        StringEquals: {
          "oidc.example.com/c1:aud": "sts.amazonaws.com",
          "oidc.example.com/c1:sub": ["system:serviceaccount:a:a", "system:serviceaccount:b:b"],
        },
      },
      {
        StringEquals: { "oidc.example.com/c1:aud": "sts.amazonaws.com" },
        StringLike: { "oidc.example.com/c1:sub": "system:serviceaccount:shop:*" },
      },
    ]);
  });

  it("joins trusts of one OIDC provider and audience, and keeps others apart", () => {
    const other = { oidcProviderArn: `${ARN}2`, conditionPrefix: "oidc.example.com/c12" };
    const document = trustPolicy([trust(["a/a"]), trust(["b/b"]), trust(["a/a"], other)]);
    expect(document.Statement.map(({ Principal }) => Principal)).toEqual([
      { Federated: ARN },
      { Federated: `${ARN}2` },
    ]);
  });

  const NO_ONE = "aws-missing: the IAM role trusts no service account";
  const TWICE =
    "aws-conflict: the service account appears twice in the trust of one IAM role, for the same OIDC provider and the audience";
  it.each([
    ["no one", [trust([])], NO_ONE],
    ["no trust", [], NO_ONE],
    ["one twice", [trust(["a/a", "a/a"])], TWICE],
    ["one twice over two trusts", [trust(["a/a"]), trust(["a/a"])], TWICE],
    [
      "one that a wildcard admits",
      [trust(["shop/web"], { subjectPatterns: [subjectPattern("shop/*")] })],
      TWICE,
    ],
    [
      "a wildcard twice",
      [trust([], { subjectPatterns: [subjectPattern("shop/*"), subjectPattern("shop/*")] })],
      TWICE,
    ],
  ])("refuses %s", (_, trusts, expected) => {
    expect(() => trustPolicy(trusts)).toThrowError(code(expected));
  });

  it.each([["shop/*"], ["a/*"], ["ci-*/runner"], ["tea?/web"], ["team*-x/*"], ["shop/web-?"]])(
    "takes the wildcard %s",
    (pattern) => {
      expect(subjectPattern(pattern)).toBe(`system:serviceaccount:${pattern.replace("/", ":")}`);
    },
  );

  it.each([
    "*",
    "*/*",
    "*/web",
    "*a*/*",
    "?op/web",
    "ab*/web",
    "---*/web",
    "shop.x/*",
    "shop/web",
    "shop:*",
    "Shop/*",
    "a/b/*",
    "",
    "${x}/*",
    1 as never,
  ])("refuses the wildcard %j", (pattern) => {
    expect(() => subjectPattern(pattern)).toThrowError(
      code("aws-invalid: the wildcard for service accounts is not valid"),
    );
  });
});

describe("trustPolicySize", () => {
  /** A trust whose policy has exactly so many characters; a namespace and a name can hold 63 and 253. */
  function sized(characters: number): AwsFederatedTrust[] {
    const subjects = ["n/a", "n/b"];
    const count = (): number => policySize(trustPolicy([trust(subjects)]));
    while (characters - count() > 300) subjects.push(`n/${String(subjects.length).padStart(200, "x")}`);
    subjects.push(`n/${"y".repeat(characters - count() - '"system:serviceaccount:n:",'.length)}`);
    return [trust(subjects)];
  }

  it.each([
    [2048, undefined],
    [2049, /2049 characters, over the default of 2048: .*L-C07B4B0D/],
    [8192, /8192 characters/],
  ])("%i characters", (characters, warning) => {
    const trusts = sized(characters);
    expect(trustPolicySize(trusts)).toEqual({ characters, exact: true });
    const text = trustSizeWarning(trusts);
    if (warning === undefined) expect(text).toBeUndefined();
    else expect(text).toMatch(warning);
  });

  it("refuses 8193 characters, with the numbers and the way out", () => {
    const run = (): unknown => trustPolicySize(sized(8193));
    expect(run).toThrowError(code("aws-limit: trust policy of the IAM role is too long:"));
    expect(run).toThrowError(/1 statements, got 8193; allowed: 8192 .*L-C07B4B0D.*split/);
  });

  it("estimates late values and says so", () => {
    const late = trust(["shop/web"], {
      oidcProviderArn: "${TfToken[TOKEN.1]}",
      conditionPrefix: "${TfToken[TOKEN.2]}",
    });
    const { characters, exact } = trustPolicySize([late]);
    expect(exact).toBe(false);
    // An issuer of EKS has 71 characters and stands in the ARN and in two keys.
    expect(characters).toBe(trustPolicySize([trust(["shop/web"])]).characters + 3 * (71 - 19));
    const many = Array.from({ length: 60 }, (_, index) => Subject.of(`shop/web-${index}`));
    expect(trustSizeWarning([{ ...late, subjects: many }])).toMatch(/estimated: a late ARN/);
  });

  it("counts a late ARN of a literal issuer exactly as long as it will be", () => {
    const late = trust(["shop/web"], { oidcProviderArn: "${TfToken[TOKEN.1]}" });
    expect(trustPolicySize([late])).toEqual({
      characters: trustPolicySize([trust(["shop/web"])]).characters,
      exact: false,
    });
  });
});

describe("render and evaluate", () => {
  const claims = { iss: ISSUER, sub: "system:serviceaccount:shop:web", aud: ["sts.amazonaws.com"] };
  const policy = policyText(trustPolicy([trust(["shop/web"])]));

  it.each([
    ["the service account", {}, "allowed"],
    ["another service account", { sub: "system:serviceaccount:shop:webx" }, "denied"],
    ["another namespace", { sub: "system:serviceaccount:shop2:web" }, "denied"],
    ["another audience", { aud: ["api"] }, "denied"],
    ["another issuer", { iss: "https://oidc.example.com/c2" }, "denied"],
    ["the issuer with a slash", { iss: `${ISSUER}/` }, "denied"],
    ["no subject", { sub: undefined }, "denied"],
    ["no audience", { aud: undefined }, "denied"],
  ])("%s is %s", (_, change, outcome) => {
    const decision = evaluateAwsTrust(policy, { providerArn: ARN, claims: { ...claims, ...change } });
    expect(decision).toMatchObject({ outcome });
  });

  it("admits exactly the declared subjects, whatever they are", () => {
    const name = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
    const subject = fc.tuple(name, name).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(fc.uniqueArray(subject, { minLength: 1, maxLength: 6 }), subject, (declared, asked) => {
        const text = policyText(trustPolicy([trust(declared)]));
        const sub = Subject.of(asked).toString();
        const { outcome } = evaluateAwsTrust(text, { providerArn: ARN, claims: { ...claims, sub } });
        expect(outcome).toBe(declared.includes(asked) ? "allowed" : "denied");
      }),
    );
  });
});
