import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluateAwsTrust } from "../../../../lib/rules/aws/policy/trust";
import { rowsOf } from "../../../support/tables";

const PREFIX = "oidc.example.com/c1";
const ARN = `arn:aws:iam::111122223333:oidc-provider/${PREFIX}`;
const SUB = "system:serviceaccount:shop:web";
const CLAIMS = { iss: `https://${PREFIX}`, sub: SUB, aud: ["sts.amazonaws.com"] };
const PINNED = {
  StringEquals: { [`${PREFIX}:aud`]: "sts.amazonaws.com", [`${PREFIX}:sub`]: SUB },
};

type Json = Record<string, unknown>;

function statement(more: Json = {}): Json {
  return {
    Effect: "Allow",
    Principal: { Federated: ARN },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: PINNED,
    ...more,
  };
}

function policy(...statements: unknown[]): Json {
  return { Version: "2012-10-17", Statement: statements };
}

function outcomeOf(document: unknown, claims: Json = CLAIMS): string {
  return evaluateAwsTrust(document, { providerArn: ARN, claims }).outcome;
}

const condition = (block: Json): Json => policy(statement({ Condition: block }));

describe("principal and action", () => {
  // IAM user guide, "AWS JSON policy elements: Principal" and "Action". A trust policy that IAM refuses lets no one in.
  it.each([
    ["the OIDC provider", {}, "allowed"],
    ["a list", { Principal: { Federated: ["cognito-identity.amazonaws.com", ARN] } }, "allowed"],
    // The guide says of neither whether it includes web identities.
    ["everybody", { Principal: "*" }, "unknown"],
    ["everybody, written as AWS", { Principal: { AWS: "*" } }, "unknown"],
    ["everybody beside the OIDC provider", { Principal: { AWS: "*", Federated: ARN } }, "allowed"],
    ["a kind that AWS does not define", { Principal: { "*": "*" } }, "unknown"],
    ["another OIDC provider", { Principal: { Federated: `${ARN}2` } }, "denied"],
    [
      "part of the ARN with a wildcard",
      { Principal: { Federated: "arn:aws:iam::111122223333:oidc-provider/*" } },
      "denied",
    ],
    ["the account", { Principal: { AWS: "arn:aws:iam::111122223333:root" } }, "denied"],
    ["a service", { Principal: { Service: "ec2.amazonaws.com" } }, "denied"],
    // "You cannot use the NotPrincipal element in … an IAM role trust policy".
    ["everybody but it", { Principal: undefined, NotPrincipal: { Federated: ARN } }, "denied"],
    ["everybody but another", { Principal: undefined, NotPrincipal: { Federated: `${ARN}2` } }, "denied"],
    [
      "a Terraform reference",
      { Principal: { Federated: "${aws_iam_openid_connect_provider.x.arn}" } },
      "unknown",
    ],
    ["a value of cdktf", { Principal: { Federated: "${TfToken[TOKEN.9]}" } }, "unknown"],
    ["no one", { Principal: undefined }, "denied"],
    ["a number", { Principal: { Federated: 5 } }, "unknown"],
    // No source says whom it lets in.
    ["every OIDC provider by a wildcard", { Principal: { Federated: "*" } }, "unknown"],
    ["lower case action", { Action: "sts:assumerolewithwebidentity" }, "allowed"],
    ["action with a wildcard", { Action: "sts:Assume*" }, "allowed"],
    // "AssumeRole policy may only specify STS AssumeRole actions."
    ["all actions", { Action: "*" }, "denied"],
    ["action among others", { Action: ["sts:TagSession", "STS:AssumeRoleWithWebIdentit?"] }, "allowed"],
    ["another action", { Action: "sts:AssumeRole" }, "denied"],
    ["all but another action", { Action: undefined, NotAction: "sts:AssumeRole" }, "denied"],
    ["an action of another service besides", { Action: ["sts:*", "ecr:BatchGetImage"] }, "denied"],
    ["all but the action", { Action: undefined, NotAction: ["sts:AssumeRole*"] }, "denied"],
    ["an action of Terraform", { Action: "${var.action}" }, "unknown"],
    ["a Resource, refused in trust policies", { Resource: "*" }, "denied"],
  ])("%s: %j is %s", (_, more, outcome) => {
    expect(outcomeOf(policy(statement(more)))).toBe(outcome);
  });
});

describe("conditions", () => {
  const sub = `${PREFIX}:sub`;
  const aud = `${PREFIX}:aud`;
  // IAM user guide, "Condition operators", "Single-valued vs. multivalued context keys"
  it.each(
    rowsOf<Json>({
      allowed: {
        none: {},
        equal: { StringEquals: { [sub]: SUB } },
        "one of several": { StringEquals: { [sub]: ["x", SUB] } },
        "other case, ignored": { StringEqualsIgnoreCase: { [sub]: SUB.toUpperCase() } },
        "key in other case": { StringEquals: { [sub.toUpperCase()]: SUB } },
        "wildcard under StringLike": { StringLike: { [sub]: "system:serviceaccount:shop:*" } },
        "one character": { StringLike: { [sub]: "system:serviceaccount:shop:we?" } },
        "not equal": { StringNotEquals: { [sub]: "x" } },
        "not like": { StringNotLike: { [sub]: "*:ci:*" } },
        "two operators, both hold": {
          StringEquals: { [aud]: "sts.amazonaws.com" },
          StringLike: { [sub]: "*:shop:*" },
        },
        ForAnyValue: { "ForAnyValue:StringEquals": { [aud]: ["x", "sts.amazonaws.com"] } },
        ForAllValues: { "ForAllValues:StringEquals": { [aud]: ["x", "sts.amazonaws.com"] } },
        "Null, present": { Null: { [sub]: "false" } },
        "Null as a JSON boolean": { Null: { [sub]: false } },
        "IfExists, present and equal": { StringEqualsIfExists: { [sub]: SUB } },
        "another issuer's key, IfExists": { StringEqualsIfExists: { "oidc.example.com/c2:sub": "x" } },
        "another issuer's key, negated": { StringNotEquals: { "oidc.example.com/c2:sub": SUB } },
        "another issuer's key, ForAllValues": {
          "ForAllValues:StringEquals": { "oidc.example.com/c2:sub": "x" },
        },
        "another issuer's key, Null": { Null: { "oidc.example.com/c2:sub": "true" } },
        "methods of authentication, which a token of a cluster lacks": {
          Null: { [`${PREFIX}:amr`]: "true" },
        },
        "a Terraform value beside the right one": { StringEquals: { [sub]: ["${var.subject}", SUB] } },
        // Policy variables.
        "a known variable": { StringLike: { [sub]: `\${${sub}}` } },
        "a variable with one value in another key": { StringEquals: { [aud]: `\${${aud}}` } },
      },
      denied: {
        "other case": { StringEquals: { [sub]: SUB.toUpperCase() } },
        "wildcard under StringEquals": { StringEquals: { [sub]: "system:serviceaccount:shop:*" } },
        "another namespace": { StringLike: { [sub]: "system:serviceaccount:shop-2:*" } },
        "StringLike is case-sensitive": { StringLike: { [sub]: "SYSTEM:*" } },
        "not equal, but is": { StringNotEquals: { [sub]: ["x", SUB] } },
        "not equal, case ignored": { StringNotEqualsIgnoreCase: { [sub]: SUB.toUpperCase() } },
        "not like, but is": { StringNotLike: { [sub]: "*:shop:*" } },
        "two operators, one fails": { StringEquals: { [aud]: "x" }, StringLike: { [sub]: "*:shop:*" } },
        "ForAnyValue, none": { "ForAnyValue:StringLike": { [aud]: ["x*"] } },
        "ForAllValues, not one": { "ForAllValues:StringEquals": { [aud]: "x" } },
        "Null, wanted absent": { Null: { [sub]: "true" } },
        "IfExists, present and different": { StringLikeIfExists: { [sub]: "x*" } },
        "ArnLike on what is not an ARN": { ArnLike: { [sub]: "arn:aws:iam::*:role/x" } },
        "Bool on a text": { Bool: { [sub]: "true" } },
        "no values": { StringEquals: { [sub]: [] } },
        // A key of another issuer is never in the request.
        "another issuer's key": { StringEquals: { "oidc.example.com/c2:sub": SUB } },
        "a slash too many": { StringEquals: { [`${PREFIX}/:sub`]: SUB } },
        "a scheme before the key": { StringEquals: { [`https://${sub}`]: SUB } },
        "another issuer's key, ForAnyValue": {
          "ForAnyValue:StringNotEquals": { "oidc.example.com/c2:sub": "x" },
        },
        "a claim that the token lacks": { StringEquals: { [`${PREFIX}:team`]: "x" } },
        "such methods wanted": { "ForAnyValue:StringLike": { [`${PREFIX}:amr`]: "*" } },
        "an unknown key beside one that fails": { StringEquals: { "aws:SourceIp": "x", [sub]: "x" } },
        "an escaped star": { StringLike: { [sub]: "system:serviceaccount:shop:${*}" } },
      },
      unknown: {
        "no values to differ from": { StringNotEquals: { [sub]: [] } },
        // What cannot be known.
        "a key of AWS": { StringEquals: { "aws:SourceIp": "10.0.0.1" } },
        "a tag with a dot": { StringEquals: { "aws:PrincipalTag/a.b": "x" } },
        "the audience of a token with azp": { StringEquals: { [`${PREFIX}:oaud`]: "x" } },
        "the issuer": { StringEquals: { [`${PREFIX}:iss`]: `https://${PREFIX}` } },
        "an IP operator": { IpAddress: { [sub]: "10.0.0.0/8" } },
        "an operator that does not exist": { StringMatches: { [sub]: SUB } },
        "a name of Object.prototype": { constructor: { [sub]: SUB } },
        "a quantifier before Null": { "ForAnyValue:Null": { [sub]: "true" } },
        "Null of nothing": { Null: { [sub]: [] } },
        "Null of something else": { Null: { [sub]: "maybe" } },
        "a Terraform value": { StringEquals: { [sub]: "${var.subject}" } },
        "a Terraform key": { StringEquals: { '${trimprefix(data.x.y, "https://")}:sub': SUB } },
        "an unknown key beside one that holds": { StringEquals: { "aws:SourceIp": "x", [sub]: SUB } },
      },
    }),
  )("%s: %j is %s", (_, block, outcome) => {
    expect(outcomeOf(condition(block))).toBe(outcome);
  });

  it.each<readonly [string, Json, Json, string]>([
    ["azp is read before aud", { azp: "app" }, { StringEquals: { [aud]: "app" } }, "allowed"],
    [
      "aud does not count beside azp",
      { azp: "app" },
      { StringEquals: { [aud]: "sts.amazonaws.com" } },
      "denied",
    ],
    ["aud as one text", { aud: "sts.amazonaws.com" }, PINNED, "allowed"],
    ["one of two audiences", { aud: ["a", "b"] }, { StringEquals: { [aud]: "a" } }, "unknown"],
    ["none of two audiences", { aud: ["a", "b"] }, { StringEquals: { [aud]: "c" } }, "denied"],
    ["both audiences", { aud: ["a", "b"] }, { StringEquals: { [aud]: ["a", "b"] } }, "allowed"],
    ["any of two audiences", { aud: ["a", "b"] }, { "ForAnyValue:StringEquals": { [aud]: "a" } }, "allowed"],
    ["all of two audiences", { aud: ["a", "b"] }, { "ForAllValues:StringEquals": { [aud]: "a" } }, "denied"],
    [
      "any audience but one",
      { aud: ["a", "b"] },
      { "ForAnyValue:StringNotEquals": { [aud]: "a" } },
      "allowed",
    ],
    [
      "all audiences but one",
      { aud: ["a", "b"] },
      { "ForAllValues:StringNotEquals": { [aud]: "a" } },
      "denied",
    ],
    ["no audience, for all values", { aud: [] }, { "ForAllValues:StringEquals": { [aud]: "a" } }, "allowed"],
    ["no audience, for any value", { aud: [] }, { "ForAnyValue:StringEquals": { [aud]: "a" } }, "denied"],
    ["no audience", { aud: undefined }, { StringEquals: { [aud]: "a" } }, "denied"],
    ["a subject that is not a string", { sub: 5 }, PINNED, "unknown"],
    ["issuer left out of the claims", { iss: undefined }, PINNED, "allowed"],
    ["an issuer that is not a string", { iss: 5 }, PINNED, "unknown"],
    ["a longer issuer", { iss: `https://${PREFIX}1` }, PINNED, "denied"],
    [
      "a documented claim that the token has",
      { amr: ["mfa"] },
      { "ForAnyValue:StringEquals": { [`${PREFIX}:amr`]: "mfa" } },
      "allowed",
    ],
    [
      "a claim that no key is documented for",
      { jti: "1" },
      { Null: { [`${PREFIX}:jti`]: "true" } },
      "unknown",
    ],
  ])("%s", (_, claims, block, outcome) => {
    expect(outcomeOf(condition(block), { ...CLAIMS, ...claims })).toBe(outcome);
  });
});

describe("several statements", () => {
  const deny = (block: Json): Json => statement({ Effect: "Deny", Condition: block });
  const unsure = { StringEquals: { "aws:SourceIp": "10.0.0.1" } };
  // IAM user guide, "Policy evaluation logic"
  it.each([
    ["a Deny wins over an Allow", [statement(), deny(PINNED)], "denied"],
    [
      "a Deny that does not apply",
      [statement(), deny({ StringEquals: { [`${PREFIX}:sub`]: "x" } })],
      "allowed",
    ],
    ["a Deny that may apply", [statement(), deny(unsure)], "unknown"],
    ["a certain Deny beside one that may apply", [statement(), deny(unsure), deny({})], "denied"],
    ["an Allow beside one that may apply", [statement({ Condition: unsure }), statement()], "allowed"],
    ["only one that may apply", [statement({ Condition: unsure })], "unknown"],
    ["a Deny that may apply, with nothing to deny", [deny(unsure)], "denied"],
    ["no statement", [], "denied"],
  ])("%s is %s", (_, statements, outcome) => {
    expect(outcomeOf(policy(...statements))).toBe(outcome);
  });
});

describe("documents", () => {
  it.each<readonly [string, unknown, string]>([
    ["JSON text", JSON.stringify(policy(statement())), "allowed"],
    ["one statement without list", { Version: "2012-10-17", Statement: statement() }, "allowed"],
    ["the old language version", { Version: "2008-10-17", Statement: [statement()] }, "allowed"],
    ["no version", { Statement: [statement()] }, "allowed"],
    ["another version", { Version: "2020-01-01", Statement: [statement()] }, "denied"],
    ["no statements", {}, "denied"],
    ["an unknown element", policy(statement({ Conditions: {} })), "denied"],
    ["lower case effect", policy(statement({ Effect: "allow" })), "denied"],
    ["Action and NotAction", policy(statement({ NotAction: "x" })), "denied"],
    ["no action", policy(statement({ Action: undefined })), "denied"],
    ["a condition that is a list", policy(statement({ Condition: [] })), "denied"],
    ["a null in a value", policy(statement({ Condition: { StringEquals: { a: [null] } } })), "denied"],
    ["a key twice", '{"Version":"2012-10-17","Version":"2012-10-17","Statement":[]}', "unknown"],
    ["a Terraform expression", "${data.aws_iam_policy_document.x.json}", "unknown"],
    ["broken JSON", "{", "unknown"],
    ["null", null, "unknown"],
    ["a list", [], "unknown"],
    ["a number", 5, "unknown"],
  ])("%s: %s", (_, document, outcome) => {
    expect(outcomeOf(document)).toBe(outcome);
  });

  it.each([
    "",
    "arn:aws:iam::111122223333:role/x",
    "${aws_iam_openid_connect_provider.x.arn}",
    "${TfToken[TOKEN.1]}",
  ])("cannot tell for the OIDC provider %j", (providerArn) => {
    expect(evaluateAwsTrust(policy(statement()), { providerArn, claims: CLAIMS }).outcome).toBe("unknown");
  });
});

describe("reasons", () => {
  const reason = (document: unknown, claims: Json = CLAIMS): string =>
    evaluateAwsTrust(document, { providerArn: ARN, claims }).reason;

  it("says that a wildcard under StringEquals never matches", () => {
    expect(reason(condition({ StringEquals: { [`${PREFIX}:sub`]: "system:serviceaccount:shop:*" } }))).toBe(
      'no statement allows it; statement 1 comes closest: StringEquals on "oidc.example.com/c1:sub" wants "system:serviceaccount:shop:*", ' +
        'the token has "system:serviceaccount:shop:web"; this operator compares literally, so the wildcard never matches: StringLike honours it',
    );
  });

  it("says whose key a key is", () => {
    expect(reason(condition({ StringEquals: { [`${PREFIX}/:sub`]: SUB } }))).toContain(
      'the condition key does not belong to this OIDC provider, whose keys begin with "oidc.example.com/c1:"',
    );
  });

  it("tells of the statement that came nearest", () => {
    const other = statement({ Sid: "Other", Principal: { Federated: `${ARN}2` } });
    const near = statement({ Sid: "Near", Condition: { StringEquals: { [`${PREFIX}:sub`]: "x" } } });
    expect(reason(policy(other, near, { ...other, Sid: "Another" }))).toMatch(
      /^no statement allows it; statement Near comes closest: StringEquals/,
    );
  });

  it("names the statement that denies", () => {
    expect(reason(policy(statement(), statement({ Sid: "Freeze", Effect: "Deny" })))).toBe(
      "statement Freeze denies it",
    );
  });
});

describe("robustness", () => {
  it("never throws", () => {
    const near = fc.record(
      {
        Effect: fc.oneof(fc.constantFrom("Allow", "Deny"), fc.anything()),
        Principal: fc.oneof(fc.constant({ Federated: ARN }), fc.anything()),
        Action: fc.oneof(fc.constant("*"), fc.anything()),
        Condition: fc.oneof(
          fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.anything())),
          fc.anything(),
        ),
      },
      { requiredKeys: [] },
    );
    const document = fc.oneof(
      fc.anything(),
      fc.string(),
      near.map((one) => policy(one)),
    );
    fc.assert(
      fc.property(
        document,
        fc.anything(),
        fc.oneof(fc.constant(ARN), fc.anything()),
        (given, claims, providerArn) => {
          const { outcome, reason } = evaluateAwsTrust(given, { claims, providerArn } as never);
          expect(["allowed", "denied", "unknown"]).toContain(outcome);
          expect(reason).toMatch(/\S/);
          evaluateAwsTrust(given, claims as never);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["value", { StringLike: { [`${PREFIX}:sub`]: `${"*a".repeat(500_000)}b` } }],
    ["key", { StringEquals: { [`${".".repeat(1_000_000)}:sub`]: SUB } }],
    ["operator", { ["A".repeat(1_000_000)]: { [`${PREFIX}:sub`]: SUB } }],
    ["open variables", { StringEquals: { [`${PREFIX}:sub`]: "${".repeat(500_000) } }],
  ])("judges a megabyte of %s, which would take hours if it were read again from each place", (_, block) => {
    expect(outcomeOf(condition(block))).not.toBe("allowed");
  });
});
