import { describe, expect, it } from "vitest";
import { type Known, Reference, known, textOf, unread } from "../../../../lib/model/known";
import { type Tree, parsedTree } from "../../../../lib/model/tree";
import { readPolicy } from "../../../../lib/rules/aws/policy/policy";
import { ResourcePolicy } from "../../../../lib/rules/aws/policy/permission";
import { oneResource } from "../../../../lib/rules/aws/policy/asked-resource";

const role = "arn:aws:iam::111122223333:role/prod/web";
const action = "ecr:BatchGetImage";

const SESSION = "arn:aws:sts::111122223333:assumed-role/web/ecr-credential-provider";

/** The policy as it speaks to a role of the account. */
function spoken(document: unknown, arn: Known<string> = known(role)): ResourcePolicy {
  const asking = { arn, partition: known("aws"), account: known("111122223333") };
  return new ResourcePolicy(readPolicy(document, "resource"), asking);
}

function policy(statement: object): unknown {
  return { Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "ecr:*", ...statement }] };
}

// "Cross-account policy evaluation logic" and "AWS JSON policy elements: Principal" in the IAM user guide.
it.each<[string, unknown, string, "allowed" | "denied" | "unknown"]>([
  ["the role itself", policy({ Principal: { AWS: role } }), role, "allowed"],
  [
    "its account as root",
    policy({ Principal: { AWS: ["x", "arn:aws:iam::111122223333:root"] } }),
    role,
    "allowed",
  ],
  ["its account as a number", policy({ Principal: { AWS: "111122223333" } }), role, "allowed"],
  ["everybody", policy({ Principal: "*" }), role, "allowed"],
  // "Private repository policy examples" in the ECR user guide have Sids with spaces.
  ["everybody, under a Sid of words", policy({ Sid: "new statement", Principal: "*" }), role, "allowed"],
  ["everybody as AWS", policy({ Principal: { AWS: "*" } }), role, "allowed"],
  ["another role", policy({ Principal: { AWS: `${role}2` } }), role, "denied"],
  ["a service", policy({ Principal: { Service: "codebuild.amazonaws.com" } }), role, "denied"],
  ["another action", policy({ Principal: "*", Action: "ecr:PutImage" }), role, "denied"],
  // "NotPrincipal": not supported with Allow; one that excepts a role must name account, role and session.
  ["everybody but the role", policy({ NotPrincipal: { AWS: role } }), role, "unknown"],
  ["everybody but another", policy({ NotPrincipal: { AWS: `${role}2` } }), role, "unknown"],
  [
    "a deny of everybody but another",
    policy({ Effect: "Deny", NotPrincipal: { AWS: `${role}2` } }),
    role,
    "denied",
  ],
  ["a session", policy({ Principal: { AWS: SESSION } }), role, "unknown"],
  ["a kind that AWS does not define", policy({ Principal: { "*": "*" } }), role, "unknown"],
  ["a deny", policy({ Effect: "Deny", Principal: "*" }), role, "denied"],
  [
    "a condition",
    policy({ Principal: "*", Condition: { StringEquals: { "aws:PrincipalOrgID": "o-1" } } }),
    role,
    "unknown",
  ],
  ["a reference", policy({ Principal: { AWS: "${aws_iam_role.web.arn}" } }), role, "unknown"],
  ["a role that is known after apply", policy({ Principal: { AWS: role } }), "", "unknown"],
  ["everybody, of such a role", policy({ Principal: "*" }), "", "allowed"],
  ["no JSON", "{", role, "unknown"],
])("%s", (_, document, roleArn, outcome) => {
  const arn = roleArn === "" ? unread("an annotation of another stack gives it") : known(roleArn);
  expect(spoken(document, arn).lets(action).decide(undefined).outcome).toBe(outcome);
});

// Excepting the role alone may still deny its sessions, and with nothing that allows there is nothing to deny.
it.each<[string, object, "allowed" | "unknown"]>([
  ["excepts the role", { NotPrincipal: { AWS: [role, "111122223333"] } }, "unknown"],
  ["is for one session", { Principal: { AWS: SESSION } }, "unknown"],
  ["is for another role", { Principal: { AWS: `${role}2` } }, "allowed"],
])("a denial that %s", (_, deny, outcome) => {
  const statements = [
    { Effect: "Allow", Action: "ecr:*", Principal: "*" },
    { Effect: "Deny", Action: "ecr:*", ...deny },
  ];
  expect(spoken({ Statement: statements }).lets(action).decide(undefined).outcome).toBe(outcome);
});

// "AWS global condition context keys" in the IAM user guide: what is known of whoever acts as the role.
it.each<[string, object, "yes" | "no" | "unknown"]>([
  ["without TLS", { Bool: { "aws:SecureTransport": "false" } }, "no"],
  ["of accounts but the role's", { StringNotEquals: { "aws:PrincipalAccount": "111122223333" } }, "no"],
  ["of accounts but another", { StringNotEquals: { "aws:PrincipalAccount": "444455556666" } }, "yes"],
  ["of roles without the path", { ArnNotLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/prod/*" } }, "no"],
  ["of roles with the path", { ArnLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/prod/*" } }, "yes"],
  ["of other organizations", { StringNotEquals: { "aws:PrincipalOrgID": "o-1" } }, "unknown"],
  ["from elsewhere", { NotIpAddress: { "aws:SourceIp": "10.0.0.0/8" } }, "unknown"],
])("a denial of requests %s", (_, Condition, holds) => {
  const document = policy({ Effect: "Deny", Principal: "*", Condition });
  expect(spoken(document).lets(action).denial(undefined).holds).toBe(holds);
});

it("an account that is admitted with the roles of one path", () => {
  const admitted = (path: string): unknown =>
    policy({
      Principal: { AWS: "arn:aws:iam::111122223333:root" },
      Condition: { ArnLike: { "aws:PrincipalArn": `arn:aws:iam::111122223333:role/${path}/*` } },
    });
  expect(spoken(admitted("prod")).lets(action).decide(undefined).outcome).toBe("allowed");
  expect(spoken(admitted("test")).lets(action).decide(undefined).outcome).toBe("denied");
});

// "Private registry policy examples" in the ECR user guide: statements name repositories by Resource.
it.each<[string, object, "allowed" | "denied" | "unknown"]>([
  ["that covers it", { Resource: "arn:aws:ecr:*:111122223333:repository/shop/*" }, "allowed"],
  ["of another repository", { Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/base/*" }, "denied"],
  ["that excepts it", { NotResource: "arn:aws:ecr:eu-west-1:111122223333:repository/shop/web" }, "denied"],
  ["that is absent", {}, "unknown"],
])("a resource %s", (_, more, outcome) => {
  const resource = oneResource("arn:aws:ecr:eu-west-1:111122223333:repository/shop/web");
  const document = policy({ Principal: { AWS: role }, ...more });
  expect(spoken(document).lets(action).decide(resource).outcome).toBe(outcome);
});

// "Identity-based policies and resource-based policies" under "Policy evaluation logic" in the IAM user guide.
it.each<[string, unknown, "allowed" | "denied" | "unknown"]>([
  ["the role itself", policy({ Principal: { AWS: role } }), "allowed"],
  ["the role beside its account", policy({ Principal: { AWS: ["111122223333", role] } }), "allowed"],
  ["its account as root", policy({ Principal: { AWS: "arn:aws:iam::111122223333:root" } }), "denied"],
  ["its account as a number", policy({ Principal: { AWS: "111122223333" } }), "denied"],
  ["everybody", policy({ Principal: "*" }), "unknown"],
  ["everybody as AWS", policy({ Principal: { AWS: ["*"] } }), "unknown"],
  ["everybody but another", policy({ NotPrincipal: { AWS: `${role}2` } }), "unknown"],
  ["another role", policy({ Principal: { AWS: `${role}2` } }), "denied"],
  ["a deny of everybody", policy({ Effect: "Deny", Principal: "*" }), "denied"],
])("grants to a role itself: %s", (_, document, outcome) => {
  expect(spoken(document).grants(action).decide(undefined).outcome).toBe(outcome);
});

// Two equal references are one value, whatever it is.
describe("a role whose ARN is known only after apply", () => {
  const own = new Reference("aws_iam_role.web.arn");
  const named = (reference: Reference): Tree =>
    parsedTree(
      textOf(['{"Statement":{"Effect":"Allow","Action":"ecr:*","Principal":{"AWS":"', reference, '"}}}']),
    );

  it("is let in where the policy names it by the same reference", () => {
    const arn = textOf([own]);
    expect(spoken(named(own), arn).lets(action).decide(undefined).outcome).toBe("allowed");
    expect(spoken(named(own), arn).grants(action).decide(undefined).outcome).toBe("allowed");
    expect(
      spoken(named(new Reference("aws_iam_role.api.arn")), arn)
        .lets(action)
        .decide(undefined),
    ).toMatchObject({
      outcome: "unknown",
    });
  });
});
