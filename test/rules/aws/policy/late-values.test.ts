/*
 * Policies in known only after apply some texts: what is certain without them is said, and nothing else.
 */

import { describe, expect, it } from "vitest";
import { type Known, Reference, known, textOf, unread } from "../../../../lib/model/known";
import { requestContext } from "../../../../lib/rules/aws/policy/context";
import { identityPolicies } from "../../../../lib/rules/aws/policy/permission";
import { readPolicy } from "../../../../lib/rules/aws/policy/policy";
import { inlineCharactersMax } from "../../../../lib/rules/aws/policy/refusals";
import { everyResource, oneResource, resourceOf } from "../../../../lib/rules/aws/policy/asked-resource";
import { decideTrust } from "../../../../lib/rules/aws/policy/trust";

const references = new Map<string, Reference>();

/** A JSON document in which `<name>` is a reference, the same for equal names. */
const late = (document: unknown): Known<string> => lateText(JSON.stringify(document));

function lateText(text: string): Known<string> {
  const parts = text.split(/<([\w.]+)>/);
  return textOf(
    parts.map((part, place) => {
      if (place % 2 === 0) return part;
      const reference = references.get(part) ?? new Reference(part);
      references.set(part, reference);
      return reference;
    }),
  );
}

describe("trust in an issuer known only after apply", () => {
  const SUB = "system:serviceaccount:shop:web";
  const OTHER = "system:serviceaccount:shop:other";
  const statement = {
    Effect: "Allow",
    Principal: { Federated: "<provider>" },
    Action: "sts:AssumeRoleWithWebIdentity",
    Condition: { StringEquals: { "<issuer>:sub": SUB, "<issuer>:aud": "sts.amazonaws.com" } },
  };
  const outcome = (more: object): string => {
    const policy = readPolicy(late({ Version: "2012-10-17", Statement: { ...statement, ...more } }), "trust");
    const provider = late("<provider>");
    const claims = { sub: SUB, aud: "sts.amazonaws.com" };
    const text = (name: string): Known<string> => textOf([references.get(name) ?? ""]);
    return decideTrust(policy, { provider: provider && text("provider"), host: text("issuer"), claims })
      .outcome;
  };
  const when = (Condition: object): object => ({ Condition });

  it.each<[string, object, string]>([
    ["the same references", {}, "allowed"],
    ["another subject", when({ StringEquals: { "<issuer>:sub": "x" } }), "denied"],
    ["another case of the key", when({ StringEquals: { "<issuer>:SUB": SUB } }), "allowed"],
    ["the key of another reference", when({ StringEquals: { "<other>:sub": SUB } }), "unknown"],
    ["a literal key", when({ StringEquals: { "oidc.example.com:sub": SUB } }), "unknown"],
    ["a literal key that no token has", when({ Null: { "oidc.example.com:amr": "true" } }), "allowed"],
    ["methods that the token lacks", when({ StringEquals: { "<issuer>:amr": "x" } }), "denied"],
    ["a key of AWS", when({ StringEquals: { "aws:SourceIp": "10.0.0.1" } }), "unknown"],
    ["a reference as the subject", when({ StringEquals: { "<issuer>:sub": "<subject>" } }), "unknown"],
    [
      "part of it",
      when({ StringLike: { "<issuer>:sub": "system:serviceaccount:<namespace>:*" } }),
      "unknown",
    ],
    ["part of another", when({ StringLike: { "<issuer>:sub": "system:node:<name>" } }), "denied"],
    // Only subjects have the form of a service account's, so any key that would admit another one refuses this one.
    ["another account under a key that is a reference", when({ StringEquals: { "<key>": OTHER } }), "denied"],
    ["other accounts by a pattern", when({ StringLike: { "<key>": [`${OTHER}*`, OTHER] } }), "denied"],
    ["this account under such a key", when({ StringEquals: { "<key>": SUB } }), "unknown"],
    ["it beside another", when({ StringEquals: { "<key>": [OTHER, SUB] } }), "unknown"],
    ["an audience under such a key", when({ StringEquals: { "<key>": "sts.amazonaws.com" } }), "unknown"],
    ["all but another account", when({ StringNotEquals: { "<key>": OTHER } }), "unknown"],
    ["another, if there is such a key", when({ StringEqualsIfExists: { "<key>": OTHER } }), "unknown"],
    ["all of its values", when({ "ForAllValues:StringEquals": { "<key>": OTHER } }), "unknown"],
    ["another provider", { Principal: { Federated: "<other>" } }, "unknown"],
    ["a literal provider", { Principal: { Federated: "arn:aws:iam::1:oidc-provider/x" } }, "unknown"],
  ])("%s", (_, more, expected) => {
    expect(outcome(more)).toBe(expected);
  });
});

// `${*}` is IAM's escape for the character itself.
it.each([
  ["*", "allowed"],
  ["arn:aws:s3:::b/x*", "allowed"],
  ["arn:aws:s3:::b/x${*}", "unknown"],
  ["arn:aws:s3:::b/${*}", "denied"],
  ["arn:aws:s3:::b/x${?}", "unknown"],
  ["${*}", "denied"],
])("a policy for %s, asked about every object whose name begins with x", (Resource, expected) => {
  const Statement = { Effect: "Allow", Action: "s3:GetObject", Resource };
  const policy = readPolicy(known(JSON.stringify({ Version: "2012-10-17", Statement })), "identity");
  const question = identityPolicies([{ policy, doubt: undefined }], requestContext({})).question(
    "s3:GetObject",
  );
  expect(question.decide(everyResource(known("arn:aws:s3:::b/x*"))).outcome).toBe(expected);
});

it.each([
  ["arn:aws:s3:::<bucket>/*", "unknown"],
  ["<arn>", "unknown"],
])("a policy for %s, asked about every object of a bucket", (Resource, expected) => {
  const Statement = { Effect: "Allow", Action: "s3:GetObject", Resource };
  const policy = readPolicy(late({ Version: "2012-10-17", Statement }), "identity");
  const question = identityPolicies([{ policy, doubt: undefined }], requestContext({})).question(
    "s3:GetObject",
  );
  expect(question.decide(everyResource(known("arn:aws:s3:::b/*"))).outcome).toBe(expected);
});

describe("an identity policy", () => {
  const WEB = "arn:aws:ecr:eu-west-1:111122223333:repository/shop/web";
  const allow = { Effect: "Allow", Action: "ecr:BatchGetImage", Resource: WEB };
  const decide = (...policies: readonly Known<string>[]): { outcome: string; reason: string } => {
    const counted = policies.map((each) => ({ policy: readPolicy(each, "identity"), doubt: undefined }));
    const context = requestContext({ "aws:SourceVpc": "vpc-1" });
    return identityPolicies(counted, context).question("ecr:BatchGetImage").decide(oneResource(WEB));
  };
  const policy = (...Statement: readonly unknown[]): Known<string> =>
    late({ Version: "2012-10-17", Statement });

  it.each<[string, object, string]>([
    [
      "the region of the resource",
      { Resource: "arn:aws:ecr:<region>:111122223333:repository/shop/web" },
      "unknown",
    ],
    ["the region of another", { Resource: "arn:aws:ecr:<region>:111122223333:repository/other" }, "denied"],
    ["a resource that is a reference", { Resource: "<arn>" }, "unknown"],
    ["such a resource beside the right one", { Resource: ["<arn>", WEB] }, "allowed"],
    ["what is excepted", { Resource: undefined, NotResource: "<arn>" }, "unknown"],
    ["another action", { Action: "s3:<action>" }, "denied"],
    ["an action", { Action: "ecr:<action>" }, "unknown"],
    ["a condition's value", { Condition: { StringEquals: { "aws:SourceVpc": "<vpc>" } } }, "unknown"],
    [
      "a condition's value that begins otherwise",
      { Condition: { StringEquals: { "aws:SourceVpc": "x-<vpc>" } } },
      "denied",
    ],
    ["a condition's ARN", { Condition: { ArnLike: { "aws:SourceVpc": "<vpc>" } } }, "unknown"],
    [
      "a condition's ARN that begins otherwise",
      { Condition: { ArnLike: { "aws:SourceVpc": "x-<vpc>" } } },
      "denied",
    ],
    [
      "a part beside a policy variable",
      { Resource: "arn:aws:ecr:*:*:repository/${aws:username}/<x>" },
      "unknown",
    ],
    ["a condition's key", { Condition: { StringEquals: { "<key>": "vpc-1" } } }, "unknown"],
    ["a condition's operator", { Condition: { "<operator>": { "aws:SourceVpc": "vpc-1" } } }, "unknown"],
    ["the effect", { Effect: "<effect>" }, "unknown"],
    ["the label", { Sid: "<sid>" }, "allowed"],
    ["a key of the statement", { "<element>": "x" }, "unknown"],
  ])("with %s known after apply", (_, more, outcome) => {
    expect(decide(policy({ ...allow, ...more })).outcome).toBe(outcome);
  });

  it("of an effect known only after apply may deny what another allows", () => {
    expect(decide(policy(allow, { ...allow, Effect: "<effect>" })).outcome).toBe("unknown");
    expect(decide(policy(allow, "<statement>")).outcome).toBe("unknown");
    expect(decide(policy({ ...allow, Effect: "Deny" }, "<statement>")).outcome).toBe("denied");
  });

  // A wildcard works within a part of the ARN, and where the parts of a late one end is not known.
  it.each([
    ["<repository>", "allowed"],
    ["*", "allowed"],
    ["<other>", "unknown"],
    ["arn:aws:ecr:*", "allowed"],
    ["arn:aws:ecr:eu-*:repository/<name>", "allowed"],
    ["arn:aws:ecr:eu-*2223333:repository/<name>", "unknown"],
    ["arn:aws:ecr:eu-west-1:111122223333:repository/<name>", "allowed"],
    ["arn:aws:ecr:eu-*-1:111122223333:repository/<name>", "unknown"],
    ["arn:aws:ecr:eu-*-1:111122223333:repository/*", "unknown"],
    ["arn:aws:ecr:eu-west-1:111122223333:repository/*", "allowed"],
    ["arn:aws:ecr:us-*-1:111122223333:repository/*", "unknown"],
    // IAM's escape for the character itself.
    ["${*}", "unknown"],
    ["arn:aws:ecr:eu-west-1:111122223333:repository/${*}", "unknown"],
    ["arn:aws:ecr:eu-west-1:111122223333:repository/*${*}*", "unknown"],
  ])("for %s, of a repository known only after apply", (resource, expected) => {
    const asked = lateText(
      resource === "<repository>" ? resource : "arn:aws:ecr:eu-west-1:111122223333:repository/<name>",
    );
    const counted = {
      policy: readPolicy(policy({ ...allow, Resource: resource }), "identity"),
      doubt: undefined,
    };
    const question = identityPolicies([counted], requestContext({})).question("ecr:BatchGetImage");
    expect(question.decide(resourceOf(asked)).outcome).toBe(expected);
  });

  it("that was not read may allow and may deny, and says why", () => {
    const notRead = unread("a policy of the role is not declared in what was read");
    expect(decide(notRead)).toMatchObject({
      outcome: "unknown",
      reason: "a policy of the role is not declared in what was read",
    });
    expect(decide(policy(allow), notRead).outcome).toBe("unknown");
    expect(decide(policy({ ...allow, Effect: "Deny" }), notRead).outcome).toBe("denied");
  });

  // "IAM and AWS STS quotas" in the IAM user guide, which do not count white space.
  it.each<[string, Known<string>, string]>([
    ["of 10,240 characters", known(padded(10_240)), "read"],
    ["of more", known(padded(10_241)), "refused"],
    ["of more with white space", known(padded(10_240).replaceAll('":', '": \n')), "read"],
    [
      "of fewer besides what is known only after apply",
      textOf([padded(10_240).slice(0, -1), new Reference("x"), "}"]),
      "unread",
    ],
    [
      "of more besides what is known only after apply",
      textOf([padded(10_241), new Reference("x")]),
      "refused",
    ],
  ])("%s", (_, text, kind) => {
    expect(readPolicy(text, "identity", inlineCharactersMax).kind).toBe(kind);
  });

  function padded(length: number): string {
    const text = JSON.stringify({ Version: "2012-10-17", Statement: { ...allow, Resource: [WEB, ""] } });
    return text.replace('""', `"arn:aws:s3:::${"x".repeat(length - text.length - 13)}"`);
  }
});
