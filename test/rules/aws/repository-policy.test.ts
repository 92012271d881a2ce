import { describe, expect, it } from "vitest";
import { policySize } from "../../../lib/rules/aws/policy-document";
import {
  type AdmittedRole,
  repositoryPullPolicy,
  repositoryPullStatement,
} from "../../../lib/rules/aws/permission";
import { code } from "../../support/refusal";

const KEEP = { Sid: "Keep", Effect: "Deny", Principal: { AWS: "*" }, Action: "ecr:*" } as const;

function roles(arns: readonly string[]): AdmittedRole[] {
  return arns.map((arn) => ({ arn }));
}

describe("repositoryPullPolicy", () => {
  it("names the roles, sorted, each once, and keeps other statements", () => {
    expect(repositoryPullPolicy("a/b", roles(["b", "a", "b"]), [KEEP]).Statement).toEqual([
      {
        Sid: "Pull",
        Effect: "Allow",
        Principal: { AWS: ["a", "b"] },
        Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
      },
      KEEP,
    ]);
    expect(repositoryPullStatement(["a"]).Principal).toEqual({ AWS: "a" });
  });

  // Amazon ECR service quotas: length of a repository policy
  it("accepts exactly 10,240 characters, literal or late, and refuses one more", () => {
    const size = policySize(repositoryPullPolicy("a/b", roles([""]), []));
    const literal = (length: number): AdmittedRole[] => roles(["r".repeat(length)]);
    const late = (arnLength: number): AdmittedRole[] => [{ arn: "${TfToken[TOKEN.1]}", arnLength }];
    for (const sized of [literal, late]) {
      expect(() => repositoryPullPolicy("a/b", sized(10_240 - size), [])).not.toThrow();
      expect(() => repositoryPullPolicy("a/b", sized(10_241 - size), [])).toThrowError(
        code("aws-limit: policy of the ECR repository"),
      );
    }
  });

  it("writes late ARNs as they are", () => {
    const document = repositoryPullPolicy("a/b", roles(["${TfToken[TOKEN.1]}"]), []);
    expect(document.Statement[0]?.Principal).toEqual({ AWS: "${TfToken[TOKEN.1]}" });
  });
});
