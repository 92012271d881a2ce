import type { TerraformStack } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  type AwsAccessProps,
  OidcProvider,
  WorkloadRole,
  type WorkloadRolesProps,
  awsAccess,
  pullRoles,
  workloadRoles,
} from "../../../lib/cloud/aws";
import { Issuer } from "../../../lib/model/issuer";
import { Subject } from "../../../lib/model/subject";
import type { AccessDeclaration, AccessRequest, IAccess } from "../../../lib/model/workloads";
import {
  ACCOUNT,
  ISSUER,
  OWNER,
  PROVIDER,
  REGION,
  code,
  document,
  newStack,
  numbered,
  only,
  otherProvider,
  own,
  refusedBy,
  resources,
  trusts,
  warnings,
} from "./synthesized";
import type { Construct } from "constructs";

const READ = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::orders/*" } as const;
const ADMIN = "arn:aws:iam::aws:policy/AdministratorAccess";
const MANAGED = "arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess";
const web = Subject.of("shop/web");
const policies = (count: number): string[] => numbered(count, (index) => `arn:aws:iam::aws:policy/P${index}`);

function declare(
  stack: TerraformStack,
  props: WorkloadRolesProps = {},
  access: readonly IAccess<Construct>[] = [awsAccess({ statements: [READ] })],
  more: Partial<AccessRequest<Construct>> = { withoutWebhook: false },
): AccessDeclaration {
  return workloadRoles(props).declare(stack, {
    clusterName: "prod",
    issuer: Issuer.of(ISSUER),
    accounts: [{ subject: web, asks: access }],
    ...more,
  });
}

describe("workloadRoles", () => {
  it("declares what IRSA needs, with a literal annotation", () => {
    const stack = newStack();
    const access = [awsAccess({ statements: [READ], managedPolicyArns: [MANAGED] })];
    const { grants } = declare(stack, { account: ACCOUNT, region: REGION, path: "/apps/" }, access);
    const arn = `arn:aws:iam::${ACCOUNT}:role/apps/prod_shop_web_access`;
    expect(grants).toEqual([
      {
        subject: web,
        identity: arn,
        principal: {
          name: arn,
          dependencies: [expect.objectContaining({ terraformResourceType: "aws_iam_role" })],
        },
        annotations: { "eks.amazonaws.com/role-arn": arn },
        pod: { labels: {}, env: [], volumeMounts: [], volumes: [] },
      },
    ]);
    expect(only(stack, "aws_iam_role")).toMatchObject({
      name: "prod_shop_web_access",
      path: "/apps/",
      description: "Access to AWS for shop/web",
    });
    expect(document(only(stack, "aws_iam_role_policy"), "policy").Statement).toEqual([READ]);
    expect(only(stack, "aws_iam_role_policy_attachment")).toEqual({
      policy_arn: MANAGED,
      role: expect.stringMatching(/^\$\{aws_iam_role\.\w+\.name\}$/),
    });
    expect(trusts(stack, "sts.amazonaws.com", "shop/web")).toBe("allowed");
    expect(trusts(stack, "openshift", "shop/web")).toBe("denied");
  });

  it("makes a role without permissions, for what is granted elsewhere", () => {
    const stack = newStack();
    const [grant] = declare(stack, { account: ACCOUNT, region: REGION }, []).grants;
    expect(grant?.principal?.name).toBe(grant?.identity);
    expect(only(stack, "aws_iam_role")).toMatchObject({ name: "prod_shop_web_access" });
    expect(resources(stack, "aws_iam_role_policy")).toEqual([]);
    expect(resources(stack, "aws_iam_role_policy_attachment")).toEqual([]);
  });

  // EKS user guide, "IAM roles for service accounts": the webhook is part of the control plane.
  it.each<[string, Partial<AccessRequest<Construct>>, boolean]>([
    ["with the webhook", { withoutWebhook: false }, false],
    ["without the webhook", { withoutWebhook: true }, true],
    ["where nothing says whether it runs", {}, true],
    ["on EKS", { issuer: Issuer.of(`https://oidc.eks.${REGION}.amazonaws.com/id/0123456789ABCDEF`) }, false],
  ])("writes a token for the pods or not: %s", (_, more, isWritten) => {
    const [grant] = declare(newStack(), { account: ACCOUNT, region: REGION }, undefined, more).grants;
    expect(grant?.annotations).toHaveProperty(["eks.amazonaws.com/role-arn"]);
    expect(grant?.pod.env.map(({ name }) => name).includes("AWS_WEB_IDENTITY_TOKEN_FILE")).toBe(isWritten);
    expect(grant?.pod.volumes).toHaveLength(isWritten ? 1 : 0);
  });

  it("tells the webhook another audience", () => {
    const [grant] = declare(newStack(), { account: ACCOUNT, region: REGION, audience: "aws" }).grants;
    expect(grant?.annotations["eks.amazonaws.com/audience"]).toBe("aws");
  });

  it("shares the OIDC provider with pulls of the same service account, and not the role", () => {
    const stack = newStack();
    declare(stack, { account: ACCOUNT, region: REGION });
    pullRoles({ account: ACCOUNT, region: REGION }).declare(stack, {
      clusterName: "prod",
      issuer: Issuer.of(ISSUER),
      accounts: [{ subject: Subject.of("shop/api"), asks: [own()] }],
    });
    expect(resources(stack, "aws_iam_openid_connect_provider")).toHaveLength(1);
    expect(resources(stack, "aws_iam_role").map(({ name }) => name)).toEqual([
      "prod_shop_api",
      "prod_shop_web_access",
    ]);
  });

  it("needs no inline policy where managed policies permit everything", () => {
    const stack = newStack();
    declare(stack, {}, [awsAccess({ managedPolicyArns: [MANAGED] })]);
    expect(resources(stack, "aws_iam_role_policy")).toEqual([]);
  });

  it("writes down why everything is permitted", () => {
    const stack = newStack();
    const statements = [{ Effect: "Allow", Action: "s3:*", Resource: "*" }] as const;
    declare(stack, {}, [awsAccess({ statements, wideReason: "backup of all buckets" })]);
    expect(only(stack, "aws_iam_role")["description"]).toBe(
      "Access to AWS for shop/web. Every resource: backup of all buckets",
    );
  });

  const twice = awsAccess({ statements: [{ ...READ, Sid: "A" }] });
  const managed = (...managedPolicyArns: string[]): IAccess<Construct> => awsAccess({ managedPolicyArns });
  const foreign = { cloud: "google", rights: {}, defaultIdentities: () => workloadRoles() };

  it.each(
    refusedBy<readonly [WorkloadRolesProps, ...IAccess<Construct>[]]>({
      "aws-mismatch: is in another AWS partition than the rest of the chain": {
        "a managed policy of another partition": [{ region: "cn-north-1" }, managed(MANAGED)],
      },
      "aws-mismatch: the managed policy belongs to another account than the IAM role": {
        "a managed policy of another account": [
          { account: ACCOUNT },
          managed(`arn:aws:iam::${OWNER}:policy/p`),
        ],
      },
      "aws-conflict: two statements of one policy have the same Sid, which IAM refuses": {
        "two statements of one Sid": [{}, twice, twice],
      },
      "aws-limit: the IAM role has too many managed policies": {
        "more managed policies than a role holds": [{}, managed(...policies(26))],
      },
      "aws-foreign: access was not created by awsAccess()": { "access of another cloud": [{}, foreign] },
      "aws-mismatch: the OIDC provider is in another account than the IAM role that trusts it": {
        "an OIDC provider of another account": [
          { account: OWNER, oidcProvider: otherProvider() },
          awsAccess({ statements: [READ] }),
        ],
      },
    }),
  )("refuses %s before anything is declared", (_, [props, ...access], refusal) => {
    const stack = newStack();
    expect(() => declare(stack, props, access)).toThrowError(code(refusal));
    expect(resources(stack, "aws_iam_role")).toEqual([]);
    expect(resources(stack, "aws_iam_openid_connect_provider")).toEqual([]);
  });
});

describe("awsAccess", () => {
  it("says what it permits", () => {
    const deny = {
      Effect: "Deny",
      Action: ["s3:DeleteObject"],
      Resource: "*",
      Condition: { Bool: { "aws:SecureTransport": false } },
    } as const;
    expect(awsAccess({ statements: [READ, deny], managedPolicyArns: [MANAGED] }).rights).toEqual({
      statementEntries: [
        { effect: "Allow", action: ["s3:GetObject"], resource: "arn:aws:s3:::orders/*" },
        { effect: "Deny", action: ["s3:DeleteObject"], resource: "*", policyCondition: deny.Condition },
      ],
      managedPolicyArns: [MANAGED],
    });
  });

  // "Condition operators for multivalued context keys" in the IAM user guide.
  it.each(["ForAnyValue:StringEquals", "ForAllValues:StringLikeIfExists", "Null"])("takes %s", (operator) => {
    const statements = [{ ...READ, Condition: { [operator]: { "aws:TagKeys": ["true"] } } }];
    expect(awsAccess({ statements }).rights).toMatchObject({
      statementEntries: [{ policyCondition: { [operator]: { "aws:TagKeys": ["true"] } } }],
    });
  });

  const everything = { Effect: "Allow", Action: "*", Resource: "*" } as const;
  const statement = (change: object): AwsAccessProps => ({ statements: [{ ...READ, ...change }] });

  it.each(
    refusedBy<unknown>({
      "aws-missing: awsAccess() permits nothing": { nothing: {} },
      "aws-unsafe: the permission covers every action, or every action of a service": {
        everything: { statements: [everything] },
        "all of a service": { statements: [{ ...everything, Action: ["sqs:*"], Resource: ["*"] }] },
        "a policy for administrators": { managedPolicyArns: [ADMIN] },
        "every action of a service by ?": { statements: [{ ...everything, Action: "iam:?*" }] },
        "every resource as an ARN": { statements: [{ ...everything, Resource: "arn:aws:*" }] },
      },
      "aws-invalid": {
        "a principal": statement({ Principal: "*" }),
        "no resource": statement({ Resource: undefined }),
        "an action without service": statement({ Action: "GetObject" }),
        "a bucket's name in the place of an ARN": statement({ Resource: "orders" }),
        "a Sid with blanks": statement({ Sid: "read orders" }),
        "an operator that IAM does not have": statement({
          Condition: { "ForAnyValues:StringEquals": { "aws:TagKeys": "a" } },
        }),
        "a condition without keys": statement({ Condition: { Bool: {} } }),
      },
      "aws-invalid: is not an ARN of that kind": {
        "a role's ARN as managed policy": { managedPolicyArns: [`arn:aws:iam::${ACCOUNT}:role/x`] },
      },
      "aws-limit: is too long": { "too much": { statements: Array.from({ length: 200 }, () => READ) } },
    }),
  )("refuses %s", (_, props, refusal) => {
    expect(() => awsAccess(props as AwsAccessProps)).toThrowError(code(refusal));
  });

  it("takes a policy for administrators with a reason", () => {
    const wide = { managedPolicyArns: [ADMIN], wideReason: "break glass" };
    expect(awsAccess(wide).rights).toEqual({ managedPolicyArns: [ADMIN] });
  });

  it("warns of more managed policies than the default quota", () => {
    const warned = (count: number): readonly string[] => {
      const stack = newStack();
      declare(stack, {}, [awsAccess({ managedPolicyArns: policies(count) })]);
      return warnings(stack);
    };
    expect(warned(10)).toEqual([]);
    expect(warned(11)).toEqual([expect.stringMatching(/^11 managed policies, over the default of 10/)]);
  });

  it("warns of statements that permit nothing", () => {
    const stack = newStack();
    const Resource = "arn:aws:s3:::orders";
    declare(stack, {}, [awsAccess({ statements: [{ Effect: "Allow", Action: "s3:GetObject", Resource }] })]);
    expect(warnings(stack)).toEqual([
      expect.stringContaining("applies to objects of S3, and arn:aws:s3:::orders is none"),
    ]);
  });

  it("permits a wide action on named resources, and a wide Deny", () => {
    const statements = [
      { ...READ, Action: "s3:*" },
      { ...everything, Effect: "Deny" },
    ] as const;
    expect(awsAccess({ statements }).statements).toEqual(statements);
  });
});

describe("WorkloadRole", () => {
  it("serves several clusters, named by its path", () => {
    const stack = newStack();
    const trusts = [1, 2].map((cluster) => ({
      oidcProvider: OidcProvider.fromArn(stack, `oidc${cluster}`, `${PROVIDER}${cluster}`),
      serviceAccounts: ["shop/web"],
    }));
    const role = new WorkloadRole(stack, "orders", { trusts, access: [awsAccess({ statements: [READ] })] });
    expect(document(only(stack, "aws_iam_role"), "assume_role_policy").Statement).toHaveLength(2);
    expect(role.arn).toBe(`arn:aws:iam::${ACCOUNT}:role/prod_orders`);
    expect(role.node.defaultChild).toBe(role.resource);
  });

  it("is taken as it is where it exists", () => {
    const stack = newStack();
    const arn = `arn:aws:iam::${ACCOUNT}:role/teams/orders`;
    const role = WorkloadRole.fromArn(stack, "orders", arn);
    expect(role).toMatchObject({ arn, annotations: { "eks.amazonaws.com/role-arn": arn }, dependencies: [] });
    expect(resources(stack, "aws_iam_role")).toEqual([]);
    expect(() => WorkloadRole.fromArn(stack, "user", `arn:aws:iam::${ACCOUNT}:user/ada`)).toThrowError(
      code("aws-invalid: the IAM role is not an ARN of that kind"),
    );
  });
});
