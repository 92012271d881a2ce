import { App, TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import { PullRole, RepositoryPullPolicy, type RepositoryPullPolicyProps } from "../../../lib/cloud/aws";
import { ACCOUNT, OWNER, REGION, alias, code, document, newStack, only, resources } from "./synthesized";
import { refusal } from "../../support/refusal";

const TYPE = "aws_ecr_repository_policy";
const ARN = `arn:aws:iam::${ACCOUNT}:role/x`;

function props(stack: Parameters<typeof PullRole.fromArn>[0], name = "x"): RepositoryPullPolicyProps {
  const roles = [PullRole.fromArn(stack, `role-${name}`, ARN.replace(/x$/, name))];
  return { repository: "batch/runner", account: OWNER, region: REGION, roles };
}

describe("RepositoryPullPolicy", () => {
  it("keeps further statements", () => {
    const stack = newStack();
    const keep = { Sid: "Keep", Effect: "Allow", Principal: { AWS: OWNER }, Action: "ecr:*" } as const;
    const made = new RepositoryPullPolicy(stack, "policy", { ...props(stack), additionalStatements: [keep] });
    expect(document(only(stack, TYPE), "policy").Statement).toEqual([
      {
        Sid: "Pull",
        Effect: "Allow",
        Principal: { AWS: ARN },
        Action: ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
      },
      keep,
    ]);
    expect(only(stack, TYPE)["depends_on"] ?? []).toEqual([]);
    expect(made.node.defaultChild).toBe(made.resource);
  });

  it("is one per repository, region and account", () => {
    const stack = newStack();
    const base = props(stack);
    const first = RepositoryPullPolicy.forRepository(stack, base);
    expect(RepositoryPullPolicy.forRepository(stack, props(stack, "y"))).toBe(first);
    const others = [{ repository: "other" }, { region: "us-east-1" }, { account: ACCOUNT }];
    for (const other of others)
      expect(RepositoryPullPolicy.forRepository(stack, { ...base, ...other })).not.toBe(first);
    expect(resources(stack, TYPE)).toHaveLength(4);
    const again = (): unknown => new RepositoryPullPolicy(stack, "again", base);
    expect(again).toThrowError(code("property-conflict"));
  });

  it("is refused a second time, by another Terraform provider or in another stack of the app", () => {
    const app = new App();
    const [one, two] = [new TerraformStack(app, "one"), new TerraformStack(app, "two")];
    RepositoryPullPolicy.forRepository(one, props(one));
    const taken = refusal(
      "aws-conflict: ; AWS has one per repository, and whichever is applied last would remove the other's permissions",
      { message: expect.stringContaining("whichever is applied last would remove the other's permissions") },
    );
    const byAlias = { ...props(one, "y"), provider: alias(one, "b") };
    expect(() => RepositoryPullPolicy.forRepository(one, byAlias)).toThrowError(taken);
    expect(() => RepositoryPullPolicy.forRepository(two, props(two))).toThrowError(taken);
    expect(() => RepositoryPullPolicy.forRepository(newStack(), props(newStack()))).not.toThrow();
  });

  it("refuses two opinions on what else the policy holds", () => {
    const stack = newStack();
    const base = props(stack);
    RepositoryPullPolicy.forRepository(stack, base);
    const keep = { Effect: "Allow", Principal: { AWS: OWNER }, Action: "ecr:*" } as const;
    const run = (): unknown =>
      RepositoryPullPolicy.forRepository(stack, { ...base, additionalStatements: [keep] });
    expect(run).toThrowError(code("property-conflict"));
  });

  it.each([
    [{ repository: "batch/*" }, "aws-invalid: ECR has a policy per repository, but none for a pattern"],
    [{ repository: "Batch" }, "aws-invalid: the ECR repository is not a repository name or pattern"],
    [{ account: "1" }, "aws-invalid: the AWS account is not an account id"],
    [{ region: "moon" }, "aws-unknown: AWS region is not known to this release of the library"],
    [{ roles: [] }, "aws-missing: policy of the ECR repository names no IAM role that may pull"],
  ])("refuses %j", (more, expected) => {
    const stack = newStack();
    const run = (): unknown => new RepositoryPullPolicy(stack, "policy", { ...props(stack), ...more });
    expect(run).toThrowError(code(expected));
    expect(resources(stack, TYPE)).toEqual([]);
  });

  it("counts a late ARN with the length that it will have", () => {
    const roles = (count: number, arnLength?: number): RepositoryPullPolicyProps["roles"] =>
      Array.from({ length: count }, (_, index) => ({
        cloud: "aws",
        arn: `\${TfToken[TOKEN.${index}]}`,
        ...(arnLength === undefined ? {} : { arnLength }),
        annotations: {},
        dependencies: [],
      }));
    const make = (given: RepositoryPullPolicyProps["roles"]) => (): unknown =>
      new RepositoryPullPolicy(newStack(), "policy", { ...props(newStack()), roles: given });
    // 10,240 less 148 around them, divided by 70 (95) and three more of quotes and comma
    expect(make(roles(138))).not.toThrow();
    expect(make(roles(139))).toThrowError(
      code(
        "aws-limit: policy of the ECR repository",
        /batch\/runner is too long: 139 IAM roles, got 10\d{3}; .*elsewhere/,
      ),
    );
    expect(make(roles(102, 95))).not.toThrow();
    expect(make(roles(103, 95))).toThrowError(code("aws-limit: policy of the ECR repository"));
  });

  it("refuses a role too many, and stays as it was", () => {
    const stack = newStack();
    const made = new RepositoryPullPolicy(stack, "policy", props(stack));
    const add = (): void => {
      for (let index = 0; index < 300; index++)
        made.addRole(PullRole.fromArn(stack, `more-${index}`, `${ARN}-${index}`));
    };
    expect(add).toThrowError(code("aws-limit: policy of the ECR repository"));
    expect(String(only(stack, TYPE)["policy"]).length).toBeLessThanOrEqual(10_240);
  });
});
