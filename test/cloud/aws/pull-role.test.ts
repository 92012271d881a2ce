import { describe, expect, it } from "vitest";
import {
  type EcrSource,
  type IOidcProvider,
  OidcProvider,
  PullRole,
  type PullRoleProps,
  ecr,
  ecrPublic,
} from "../../../lib/cloud/aws";
import { isLate } from "../../../lib/model/late";
import {
  ACCOUNT,
  ISSUER,
  OWNER,
  PROVIDER as ARN,
  REGION,
  alias,
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
import { TerraformStack, Testing } from "cdktf";

function role(stack: TerraformStack, more: Partial<PullRoleProps> = {}, id = "pull"): PullRole {
  return new PullRole(stack, id, {
    trusts: [{ oidcProvider: OidcProvider.fromArn(stack, `oidc-${id}`, ARN), serviceAccounts: ["shop/web"] }],
    sources: [own()],
    account: ACCOUNT,
    ...more,
  });
}

describe("PullRole", () => {
  it("declares role and inline policy as one would by hand", () => {
    const stack = newStack();
    const made = role(stack, {
      path: "/pulls/",
      permissionsBoundary: `arn:aws:iam::${ACCOUNT}:policy/boundary`,
      tags: { team: "shop" },
    });
    expect(only(stack, "aws_iam_role")).toEqual({
      name: "prod_pull",
      path: "/pulls/",
      description: "Pulls container images for shop/web",
      assume_role_policy: expect.any(String),
      permissions_boundary: `arn:aws:iam::${ACCOUNT}:policy/boundary`,
      tags: { team: "shop" },
    });
    expect(only(stack, "aws_iam_role_policy")).toEqual({
      name: "image-pulls",
      policy: expect.any(String),
      role: expect.stringMatching(/^\$\{aws_iam_role\.pull_\w+\.name\}$/),
    });
    expect(made.arn).toBe(`arn:aws:iam::${ACCOUNT}:role/pulls/prod_pull`);
    expect(made.annotations).toEqual({ "eks.amazonaws.com/ecr-role-arn": made.arn });
    expect(made.node.defaultChild).toBe(made.resource);
  });

  it("admits exactly its service accounts", () => {
    const stack = newStack();
    role(stack);
    expect(trusts(stack, "sts.amazonaws.com", "shop/web")).toBe("allowed");
    expect(trusts(stack, "sts.amazonaws.com", "shop/api")).toBe("denied");
    expect(trusts(stack, "x", "shop/web")).toBe("denied");
  });

  it("trusts several clusters in several statements, and waits for a declared OIDC provider", () => {
    const stack = newStack();
    const oidc = OidcProvider.forIssuer(stack, {
      issuer: `${ISSUER}2`,
      audience: "api",
      account: ACCOUNT,
      region: REGION,
    });
    const adopted = OidcProvider.fromArn(stack, "adopted", ARN);
    role(stack, {
      trusts: [
        { oidcProvider: adopted, serviceAccounts: ["shop/web"] },
        { oidcProvider: oidc, serviceAccounts: ["shop/web"], audience: "api" },
      ],
    });
    const made = only(stack, "aws_iam_role");
    expect(document(made, "assume_role_policy").Statement.map(({ Principal }) => Principal)).toEqual([
      { Federated: ARN },
      { Federated: `${ARN}2` },
    ]);
    expect(made["depends_on"]).toEqual([
      expect.stringMatching(/^aws_iam_openid_connect_provider\.oidc-provider-/),
    ]);
  });

  it("refers to a late OIDC provider, which is dependency enough", () => {
    const stack = newStack();
    const oidc = OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: "sts.amazonaws.com" });
    role(stack, { trusts: [{ oidcProvider: oidc, serviceAccounts: ["shop/web"] }] });
    const made = only(stack, "aws_iam_role");
    expect(made["depends_on"]).toBeUndefined();
    expect(document(made, "assume_role_policy").Statement[0]?.["Principal"]).toEqual({
      Federated: expect.stringMatching(/^\$\{aws_iam_openid_connect_provider\.[\w-]+\.arn\}$/),
    });
  });

  it("writes the reason for a wildcard into the description, escaped for Terraform", () => {
    const stack = newStack();
    const oidcProvider = OidcProvider.fromArn(stack, "oidc", ARN);
    const wildcards = [{ pattern: "ci-*/runner", reason: "a namespace per branch, named ${branch}" }];
    role(stack, { trusts: [{ oidcProvider, wildcards }] });
    expect(only(stack, "aws_iam_role")["description"]).toBe(
      "Pulls container images for service accounts by wildcard. Wildcard ci-*/runner: a namespace per branch, named $${branch}",
    );
  });

  it("has a late ARN without any account, of known length", () => {
    const stack = newStack();
    const made = role(stack, { account: undefined, trusts: lateTrusts(stack) });
    expect(isLate(made.arn)).toBe(true);
    expect(isLate(made.annotations)).toBe(true);
    expect(made.arnLength).toBe(`arn:aws:iam::${ACCOUNT}:role/prod_pull`.length);
  });

  // STS looks the OIDC provider up in the account of the role.
  it("knows its account from the literal ARN of an OIDC provider", () => {
    const made = role(newStack(), { account: undefined });
    expect(made.arn).toBe(`arn:aws:iam::${ACCOUNT}:role/prod_pull`);
  });

  it("refuses OIDC providers of two accounts", () => {
    const stack = newStack();
    const trusts = [ARN, ARN.replace(ACCOUNT, OWNER)].map((arn, index) => ({
      oidcProvider: OidcProvider.fromArn(stack, `oidc-${index}`, arn),
      serviceAccounts: ["shop/web"],
    }));
    expect(() => role(stack, { account: undefined, trusts })).toThrowError(
      code("aws-mismatch: the OIDC provider is in another account than the IAM role that trusts it"),
    );
  });

  it("takes the partition of its registries", () => {
    const stack = newStack("cn-north-1");
    const oidcProvider = OidcProvider.fromIssuer(stack, "oidc", { issuer: ISSUER });
    const made = role(stack, {
      trusts: [{ oidcProvider, serviceAccounts: ["shop/web"] }],
      sources: [own({ region: "cn-north-1" })],
    });
    expect(made.arn).toBe(`arn:aws-cn:iam::${ACCOUNT}:role/prod_pull`);
  });

  it("shortens a long name, and refuses one that is taken", () => {
    const stack = newStack();
    const made = role(stack, { roleName: "r".repeat(70) });
    expect(made.roleName).toHaveLength(64);
    const again = (): unknown => role(stack, { roleName: "r".repeat(70) }, "again");
    expect(again).toThrowError(
      code("aws-conflict: in the same account; IAM ignores case", /^prod\/again: .*prod\/pull/),
    );
  });

  // IAM user guide, IAM identifiers: names are unique in an account and are not distinguished by case.
  it.each<readonly [string, Partial<PullRoleProps>]>([
    ["another case", { roleName: "PULL" }],
    ["another path", { path: "/x/" }],
    ["another account unknown", { account: undefined }],
  ])("refuses a name that is taken but for %s", (_, more) => {
    const stack = newStack();
    role(stack, { roleName: "pull" }, "a");
    const again = (): unknown => role(stack, { roleName: "pull", ...more }, "b");
    expect(again).toThrowError(
      code(
        "aws-conflict: in the same account; IAM ignores case",
        /^prod\/b: .*used by prod\/a .*another roleName/,
      ),
    );
    expect(resources(stack, "aws_iam_role")).toHaveLength(1);
  });

  it("refuses a name that another stack of the app takes in the same account, whatever the Terraform provider", () => {
    const app = Testing.app();
    const [a, b] = ["a", "b"].map((id) => new TerraformStack(app, id)) as [TerraformStack, TerraformStack];
    role(a, { roleName: "pull" });
    const again = (): unknown => role(b, { roleName: "pull", provider: alias(b, "x") });
    expect(again).toThrowError(
      code("aws-conflict: in the same account; IAM ignores case", /^b\/pull: .*used by a\/pull/),
    );
    role(b, { roleName: "pull", account: OWNER, trusts: lateTrusts(b) }, "elsewhere");
    expect(resources(b, "aws_iam_role")).toHaveLength(1);
    role(newStack(), { roleName: "pull" });
  });

  it.each([
    [`arn:aws:iam::${ACCOUNT}:policy/x`],
    [`arn:aws:iam::${ACCOUNT}:policy/team/boundary`],
    ["arn:aws:iam::aws:policy/job-function/ViewOnlyAccess"],
    ["${TfToken[TOKEN.1]}"],
  ])("takes the permissions boundary %s", (permissionsBoundary) => {
    expect(() => role(newStack(), { permissionsBoundary })).not.toThrow();
  });

  it("warns of a trust policy over the default quota", () => {
    const stack = newStack();
    const oidcProvider = OidcProvider.fromArn(stack, "oidc", ARN);
    const serviceAccounts = numbered(60, (index) => `shop/service-${index}`);
    const made = role(stack, { trusts: [{ oidcProvider, serviceAccounts }] });
    expect(warnings(made)).toEqual([expect.stringMatching(/over the default of 2048: .*L-C07B4B0D/)]);
    expect(only(stack, "aws_iam_role")["description"]).toBe("Pulls container images for 60 service accounts");
  });

  const boundary = (policy: string): Partial<PullRoleProps> => ({ permissionsBoundary: policy });
  const sources = (...list: EcrSource[]): Partial<PullRoleProps> => ({ sources: list });
  const china = own({ region: "cn-north-1" });

  it.each(
    refusedBy<Partial<PullRoleProps>>({
      "aws-missing: the IAM role has no registry to pull from": { "no source": sources() },
      "aws-foreign: registry was not created by ecr() or ecrPublic()": {
        "a foreign source": sources({ ...own(), cloud: "azure" }),
      },
      "aws-missing: the IAM role trusts no service account": { "no trust": { trusts: [] } },
      "aws-mismatch: is in another AWS partition than the rest of the chain": {
        "two partitions": sources(own(), china),
        "an OIDC provider of another partition": sources(china),
        "a boundary of another partition": boundary(`arn:aws-cn:iam::${ACCOUNT}:policy/x`),
      },
      "aws-mismatch: the OIDC provider is in another account than the IAM role that trusts it": {
        "an OIDC provider of another account": { account: OWNER },
      },
      "aws-invalid: the AWS account is not an account id": { "an account that is none": { account: "12" } },
      "late-value": { "a late account": { account: "${TfToken[TOKEN.1]}" } },
      "aws-invalid: is not an ARN of that kind": {
        "a boundary that is not an ARN": boundary("boundary"),
        "a boundary that is a role": boundary(`arn:aws:iam::${ACCOUNT}:role/x`),
      },
      "aws-mismatch: the permissions boundary is a policy of another account than the IAM role": {
        "a boundary of another account": boundary(`arn:aws:iam::${OWNER}:policy/x`),
      },
      "aws-invalid: the IAM role name has characters that IAM refuses": { "a bad name": { roleName: "a/b" } },
      "aws-invalid: the path of the IAM role is not a valid path": { "a bad path": { path: "a" } },
      "aws-invalid: cannot be part of the description of an IAM role": {
        "a bad description": { description: "☃" },
        "a wildcard without reason": wildcard("a/*", " "),
        "a reason too long": wildcard("a/*", "x".repeat(999)),
      },
      "aws-invalid: the wildcard for service accounts is not valid": {
        "a wildcard without star": wildcard("a/b", "x"),
        "a wildcard for nearly every namespace": wildcard("*a*/*", "x"),
      },
      "aws-conflict: the service account appears twice in the trust of one IAM role, for the same OIDC provider":
        {
          "a service account twice": trustOf({ serviceAccounts: ["a/b", "a/b"] }),
        },
      "identities-invalid": {
        "a bad service account": trustOf({ serviceAccounts: ["a"] }),
        "a bad namespace": trustOf({ serviceAccounts: ["A/b"] }),
        "a wildcard among exact names": trustOf({ serviceAccounts: ["shop/*"] }),
      },
      "audience-invalid": { "a bad audience": trustOf({ audience: "a b" }) },
      "aws-limit: trust policy of the IAM role is too long:": {
        "a trust too long": trustOf({ serviceAccounts: numbered(240, (index) => `shop/service-${index}`) }),
      },
      "aws-limit: is too long": {
        "a policy too long": sources(own({ repositories: numbered(200, (index) => `shop/x${index}`) })),
      },
    }),
  )("refuses %s and declares nothing", (_, props, expected) => {
    const stack = newStack();
    expect(() => role(stack, props)).toThrowError(code(expected));
    expect(resources(stack, "aws_iam_role")).toEqual([]);
  });
});

function trustOf(more: object): Partial<PullRoleProps> {
  return { trusts: [{ oidcProvider: otherProvider(), ...more }] };
}

function wildcard(pattern: string, reason: string): Partial<PullRoleProps> {
  return trustOf({ wildcards: [{ pattern, reason }] });
}

/** An OIDC provider of which nothing but the issuer is known. */
function lateTrusts(stack: TerraformStack): PullRoleProps["trusts"] {
  const oidcProvider = OidcProvider.fromIssuer(stack, "late", { issuer: ISSUER });
  return [{ oidcProvider, serviceAccounts: ["shop/web"] }];
}

// STS answers `Incorrect token audience` where the OIDC provider does not list it.
describe("audience of the trust", () => {
  it("must be one of a declared OIDC provider", () => {
    const stack = newStack();
    const oidcProvider = new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: ["openshift"] });
    const make = (id: string): PullRole =>
      role(stack, { trusts: [{ oidcProvider, serviceAccounts: ["shop/web"] }] }, id);
    expect(() => make("a")).toThrowError(
      code("audience-mismatch", /got "sts.amazonaws.com"; allowed: openshift; .*addAudience/),
    );
    expect(resources(stack, "aws_iam_role")).toEqual([]);
    oidcProvider.addAudience("sts.amazonaws.com");
    expect(() => make("b")).not.toThrow();
  });

  type Stated = { audiences?: readonly string[] };
  it.each<readonly [string, (stack: TerraformStack, stated: Stated) => IOidcProvider]>([
    ["an ARN", (stack, stated) => OidcProvider.fromArn(stack, "o", ARN, stated)],
    ["an issuer", (stack, stated) => OidcProvider.fromIssuer(stack, "o", { issuer: ISSUER, ...stated })],
    [
      "an EKS cluster",
      (stack, stated) => OidcProvider.fromEksCluster(stack, "o", { clusterName: "c", ...stated }),
    ],
  ])("is checked for one adopted by %s where its audiences are stated", (_, adopt) => {
    const make = (audiences?: readonly string[]): PullRole => {
      const stack = newStack();
      const oidcProvider = adopt(stack, audiences ? { audiences } : {});
      return role(stack, { trusts: [{ oidcProvider, serviceAccounts: ["shop/web"] }] });
    };
    expect(() => make(["openshift"])).toThrowError(code("audience-mismatch"));
    expect(() => make([])).toThrowError(
      code("aws-limit: the number of audiences (client ids) of the OIDC provider is out of range"),
    );
    expect(() => make(["openshift", "sts.amazonaws.com"])).not.toThrow();
    expect(() => make()).not.toThrow();
  });
});

describe("registries of other accounts", () => {
  const foreign = (more: object = {}): PullRoleProps["sources"] => [
    own(),
    ecr({ account: OWNER, region: REGION, repositories: ["batch/runner"], ...more }),
  ];

  it("warns with the exact statement that the owner must add", () => {
    const made = role(newStack(), { sources: foreign() });
    expect(warnings(made)).toEqual([
      `arn:aws:ecr:eu-west-1:${OWNER}:repository/batch/runner is in another account than the IAM role: the owner must add ` +
        'this statement to each repository\'s policy: {"Sid":"Pull","Effect":"Allow","Principal":{"AWS":"arn:aws:iam::111122223333:role/prod_pull"},' +
        '"Action":["ecr:BatchGetImage","ecr:GetDownloadUrlForLayer"]}; declare it with ownerPolicy: { provider } or a SharedRegistry, or state ownerPolicy: "elsewhere" once the owner has added it',
    ]);
  });

  it.each<readonly [string, Partial<PullRoleProps>, number]>([
    ["the owner takes care elsewhere", { sources: foreign({ ownerPolicy: "elsewhere" }) }, 0],
    ["only its own account", { sources: [own()] }, 0],
    ["account known from the OIDC provider", { account: undefined, sources: foreign() }, 1],
    ["ECR Public", { sources: [own(), ecrPublic({ region: REGION })] }, 0],
  ])("%s: %#", (_, props, count) => {
    const made = role(newStack(), props);
    expect(warnings(made)).toHaveLength(count);
    expect(warnings(made).join()).not.toContain("TfToken");
  });

  it.each([
    [[own()], 0],
    [foreign(), 2],
  ])("warns of any second account where the role's is unknown: %#", (sources, count) => {
    const stack = newStack();
    const made = role(stack, { account: undefined, trusts: lateTrusts(stack), sources });
    expect(warnings(made)).toHaveLength(count);
    expect(warnings(made).join()).not.toContain("TfToken");
  });

  // The policy would be written into the role's account, over the policy of a repository of that name.
  it.each<readonly [string, (stack: TerraformStack) => Partial<PullRoleProps>, object | undefined]>([
    ["no Terraform provider", () => ({}), {}],
    ["the Terraform provider of the role", (stack) => ({ provider: alias(stack, "shop") }), undefined],
    ["no Terraform provider, account known from the OIDC provider", () => ({ account: undefined }), {}],
  ])("refuses an owner's policy with %s", (_, change, ownerPolicy) => {
    const stack = newStack();
    const props = change(stack);
    const sources = foreign({ ownerPolicy: ownerPolicy ?? { provider: props.provider } });
    expect(() => role(stack, { ...props, sources })).toThrowError(
      code(
        "aws-missing: ownerPolicy would be written to account",
        /account 111122223333.*got "444455556666".*ownerPolicy: { provider/,
      ),
    );
    expect(resources(stack, "aws_iam_role")).toEqual([]);
  });

  it("writes a policy of its own account with its own Terraform provider", () => {
    const stack = newStack();
    role(stack, { sources: [own({ ownerPolicy: {} })] });
    expect(only(stack, "aws_ecr_repository_policy")["repository"]).toBe("shop/web");
  });

  it("declares the owner's policy in the owner's account, after the role", () => {
    const stack = newStack();
    const provider = alias(stack, "batch");
    const made = role(stack, { sources: foreign({ ownerPolicy: { provider } }) });
    expect(warnings(made)).toEqual([]);
    const policy = only(stack, "aws_ecr_repository_policy");
    expect(policy).toEqual({
      repository: "batch/runner",
      region: REGION,
      provider: "aws.batch",
      policy: expect.any(String),
      depends_on: [expect.stringMatching(/^aws_iam_role\.pull_/)],
    });
    expect(document(policy, "policy").Statement[0]?.["Principal"]).toEqual({ AWS: made.arn });
  });

  it("joins all roles of a stack in one policy per repository", () => {
    const stack = newStack();
    const ownerPolicy = { provider: alias(stack, "batch") };
    const [a, b] = ["a", "b"].map((id) => role(stack, { sources: foreign({ ownerPolicy }) }, id));
    const policy = only(stack, "aws_ecr_repository_policy");
    expect(document(policy, "policy").Statement[0]?.["Principal"]).toEqual({ AWS: [a?.arn, b?.arn] });
    expect(policy["depends_on"]).toHaveLength(2);
  });
});

describe("existing roles", () => {
  it("takes an ARN, literal or late", () => {
    const stack = newStack();
    const arn = `arn:aws:iam::${ACCOUNT}:role/pulls/x`;
    expect(PullRole.fromArn(stack, "a", arn).annotations).toEqual({ "eks.amazonaws.com/ecr-role-arn": arn });
    expect(PullRole.fromArn(stack, "b", "${TfToken[TOKEN.1]}").arn).toBe("${TfToken[TOKEN.1]}");
    expect(() => PullRole.fromArn(stack, "c", "x")).toThrowError(
      code("aws-invalid: is not an ARN of that kind"),
    );
  });

  it("computes the ARN of a name, or has Terraform look it up", () => {
    const stack = newStack();
    const known = { roleName: "x", account: ACCOUNT, region: "us-gov-west-1", path: "/p/" };
    expect(PullRole.fromRoleName(stack, "a", known).arn).toBe(`arn:aws-us-gov:iam::${ACCOUNT}:role/p/x`);
    expect(isLate(PullRole.fromRoleName(stack, "b", { roleName: "y" }).arn)).toBe(true);
    expect(only(stack, "aws_iam_role", "data")).toEqual({ name: "y" });
  });
});
