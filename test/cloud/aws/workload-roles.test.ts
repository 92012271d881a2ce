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
import { evaluateAwsTrust } from "../../../lib/rules/aws/policy/trust";
import {
  ACCOUNT,
  ISSUER,
  OWNER,
  REGION,
  code,
  document,
  newStack,
  only,
  own,
  resources,
  warnings,
} from "./synthesized";
import type { Construct } from "constructs";

const READ = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::orders/*" } as const;
const ADMIN = "arn:aws:iam::aws:policy/AdministratorAccess";
const MANAGED = "arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess";
const PROVIDER = `arn:aws:iam::${ACCOUNT}:oidc-provider/oidc.example.com/c1`;
const web = Subject.of("shop/web");

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
    const claims = { iss: ISSUER, aud: ["sts.amazonaws.com"], sub: "system:serviceaccount:shop:web" };
    const trust = only(stack, "aws_iam_role")["assume_role_policy"];
    const outcome = (change: object): string =>
      evaluateAwsTrust(trust, { providerArn: PROVIDER, claims: { ...claims, ...change } }).outcome;
    expect([outcome({}), outcome({ aud: ["openshift"] })]).toEqual(["allowed", "denied"]);
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

  it.each<[string, WorkloadRolesProps, readonly IAccess<Construct>[] | undefined, string]>([
    [
      "a managed policy of another partition",
      { region: "cn-north-1" },
      [awsAccess({ managedPolicyArns: [MANAGED] })],
      "aws-mismatch: is in another AWS partition than the rest of the chain",
    ],
    [
      "a managed policy of another account",
      { account: ACCOUNT },
      [awsAccess({ managedPolicyArns: [`arn:aws:iam::${OWNER}:policy/p`] })],
      "aws-mismatch: the managed policy belongs to another account than the IAM role",
    ],
    [
      "two statements of one Sid",
      {},
      [
        awsAccess({ statements: [{ ...READ, Sid: "A" }] }),
        awsAccess({ statements: [{ ...READ, Sid: "A" }] }),
      ],
      "aws-conflict: two statements of one policy have the same Sid, which IAM refuses",
    ],
    [
      "more managed policies than a role holds",
      {},
      [
        awsAccess({
          managedPolicyArns: Array.from({ length: 26 }, (_, i) => `arn:aws:iam::aws:policy/P${i}`),
        }),
      ],
      "aws-limit: the IAM role has too many managed policies",
    ],
    [
      "access of another cloud",
      {},
      [{ cloud: "google", rights: {}, defaultIdentities: () => workloadRoles() }],
      "aws-foreign: access was not created by awsAccess()",
    ],
    [
      "an OIDC provider of another account",
      {
        account: OWNER,
        oidcProvider: {
          arn: PROVIDER,
          issuer: Issuer.of(ISSUER),
          conditionPrefix: "oidc.example.com/c1",
          audiences: undefined,
          dependencies: [],
        },
      },
      undefined,
      "aws-mismatch: the OIDC provider is in another account than the IAM role that trusts it",
    ],
  ])("refuses %s before anything is declared", (_, props, access, refusal) => {
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

  it.each<[string, AwsAccessProps, string]>([
    ["nothing", {}, "aws-missing: awsAccess() permits nothing"],
    [
      "everything",
      { statements: [{ Effect: "Allow", Action: "*", Resource: "*" }] },
      "aws-unsafe: the permission covers every action, or every action of a service, on every resource, but no reason is stated",
    ],
    [
      "all of a service",
      { statements: [{ Effect: "Allow", Action: ["sqs:*"], Resource: ["*"] }] },
      "aws-unsafe: the permission covers every action, or every action of a service, on every resource, but no reason is stated",
    ],
    ["a principal", { statements: [{ ...READ, Principal: "*" }] }, "aws-invalid"],
    ["no resource", { statements: [{ Effect: "Allow", Action: "s3:GetObject" }] }, "aws-invalid"],
    ["an action without service", { statements: [{ ...READ, Action: "GetObject" }] }, "aws-invalid"],
    [
      "a bucket's name in the place of an ARN",
      { statements: [{ ...READ, Resource: "orders" }] },
      "aws-invalid",
    ],
    ["a Sid with blanks", { statements: [{ ...READ, Sid: "read orders" }] }, "aws-invalid"],
    [
      "an operator that IAM does not have",
      { statements: [{ ...READ, Condition: { "ForAnyValues:StringEquals": { "aws:TagKeys": "a" } } }] },
      "aws-invalid",
    ],
    ["a condition without keys", { statements: [{ ...READ, Condition: { Bool: {} } }] }, "aws-invalid"],
    [
      "a role's ARN as managed policy",
      { managedPolicyArns: [`arn:aws:iam::${ACCOUNT}:role/x`] },
      "aws-invalid: is not an ARN of that kind",
    ],
    ["too much", { statements: Array.from({ length: 200 }, () => READ) }, "aws-limit: is too long"],
  ])("refuses %s", (_, props, refusal) => {
    expect(() => awsAccess(props)).toThrowError(code(refusal));
  });

  it.each<[string, unknown, string]>([
    ["nothing at all", undefined, "property-missing"],
    ["statements that are no list", { statements: READ }, "property-invalid"],
    ["policies that are no list", { managedPolicyArns: MANAGED }, "property-invalid"],
    [
      "a policy for administrators",
      { managedPolicyArns: [ADMIN] },
      "aws-unsafe: the permission covers every action, or every action of a service, on every resource, but no reason is stated",
    ],
    [
      "every action of a service by ?",
      { statements: [{ Effect: "Allow", Action: "iam:?*", Resource: "*" }] },
      "aws-unsafe: the permission covers every action, or every action of a service, on every resource, but no reason is stated",
    ],
    [
      "every resource as an ARN",
      { statements: [{ Effect: "Allow", Action: "*", Resource: "arn:aws:*" }] },
      "aws-unsafe: the permission covers every action, or every action of a service, on every resource, but no reason is stated",
    ],
  ])("refuses %s", (_, props, refusal) => {
    expect(() => awsAccess(props as AwsAccessProps)).toThrowError(code(refusal));
  });

  it("takes a policy for administrators with a reason", () => {
    const wide = { managedPolicyArns: [ADMIN], wideReason: "break glass" };
    expect(awsAccess(wide).rights).toEqual({ managedPolicyArns: [ADMIN] });
  });

  it("warns of more managed policies than the default quota", () => {
    const [ten, eleven] = [10, 11].map((count) => {
      const stack = newStack();
      const managedPolicyArns = Array.from({ length: count }, (_, i) => `arn:aws:iam::aws:policy/P${i}`);
      declare(stack, {}, [awsAccess({ managedPolicyArns })]);
      return warnings(stack);
    });
    expect([ten, eleven]).toEqual([
      [],
      [expect.stringMatching(/^11 managed policies, over the default of 10/)],
    ]);
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
      { Effect: "Allow", Action: "s3:*", Resource: "arn:aws:s3:::orders/*" },
      { Effect: "Deny", Action: "*", Resource: "*" },
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
});
