import { expect, it } from "vitest";
import {
  evaluateAwsDirectGrant,
  evaluateAwsResourcePolicy,
} from "../../../../lib/rules/aws/evaluate/evaluate-resource-policy";

const role = "arn:aws:iam::111122223333:role/prod/web";
const action = "ecr:BatchGetImage";

const SESSION = "arn:aws:sts::111122223333:assumed-role/web/ecr-credential-provider";

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
  ["a role that is known after apply", policy({ Principal: "*" }), "", "unknown"],
  ["no JSON", "{", role, "unknown"],
])("%s", (_, document, roleArn, outcome) => {
  expect(evaluateAwsResourcePolicy(document, { roleArn, action }).outcome).toBe(outcome);
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
  expect(evaluateAwsResourcePolicy({ Statement: statements }, { roleArn: role, action }).outcome).toBe(
    outcome,
  );
});

// "AWS global condition context keys" in the IAM user guide: what is known of whoever acts as the role.
it.each<[string, object, boolean | undefined]>([
  ["without TLS", { Bool: { "aws:SecureTransport": "false" } }, false],
  ["of accounts but the role's", { StringNotEquals: { "aws:PrincipalAccount": "111122223333" } }, false],
  ["of accounts but another", { StringNotEquals: { "aws:PrincipalAccount": "444455556666" } }, true],
  ["of roles without the path", { ArnNotLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/prod/*" } }, false],
  ["of roles with the path", { ArnLike: { "aws:PrincipalArn": "arn:aws:iam::*:role/prod/*" } }, true],
  ["of other organizations", { StringNotEquals: { "aws:PrincipalOrgID": "o-1" } }, undefined],
  ["from elsewhere", { NotIpAddress: { "aws:SourceIp": "10.0.0.0/8" } }, undefined],
])("a denial of requests %s", (_, Condition, holds) => {
  const document = policy({ Effect: "Deny", Principal: "*", Condition });
  expect(evaluateAwsResourcePolicy(document, { roleArn: role, action }).denial.holds).toBe(holds);
});

it("an account that is admitted with the roles of one path", () => {
  const admitted = (path: string): unknown =>
    policy({
      Principal: { AWS: "arn:aws:iam::111122223333:root" },
      Condition: { ArnLike: { "aws:PrincipalArn": `arn:aws:iam::111122223333:role/${path}/*` } },
    });
  expect(evaluateAwsResourcePolicy(admitted("prod"), { roleArn: role, action }).outcome).toBe("allowed");
  expect(evaluateAwsResourcePolicy(admitted("test"), { roleArn: role, action }).outcome).toBe("denied");
});

// "Private registry policy examples" in the ECR user guide: statements name repositories by Resource.
it.each<[string, object, "allowed" | "denied" | "unknown"]>([
  ["that covers it", { Resource: "arn:aws:ecr:*:111122223333:repository/shop/*" }, "allowed"],
  ["of another repository", { Resource: "arn:aws:ecr:eu-west-1:111122223333:repository/base/*" }, "denied"],
  ["that excepts it", { NotResource: "arn:aws:ecr:eu-west-1:111122223333:repository/shop/web" }, "denied"],
  ["that is absent", {}, "unknown"],
])("a resource %s", (_, more, outcome) => {
  const resource = "arn:aws:ecr:eu-west-1:111122223333:repository/shop/web";
  const document = policy({ Principal: { AWS: role }, ...more });
  expect(evaluateAwsResourcePolicy(document, { roleArn: role, action, resource }).outcome).toBe(outcome);
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
  expect(evaluateAwsDirectGrant(document, { roleArn: role, action }).outcome).toBe(outcome);
});
