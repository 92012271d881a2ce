import { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { TerraformHclModule, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { OidcProvider, PullRole, ecr } from "../../../lib/cloud/aws";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import {
  ACCOUNT,
  ISSUER,
  OWNER,
  PROVIDER as ARN,
  REGION,
  alias,
  code,
  newStack,
  numbered,
  only,
  resources,
  warnings,
} from "./synthesized";

const TYPE = "aws_iam_openid_connect_provider";
const AUDIENCE = "sts.amazonaws.com";

function eks(stack: TerraformStack): EksCluster {
  return new EksCluster(stack, "eks", {
    name: "c",
    roleArn: "arn:aws:iam::111122223333:role/eks",
    vpcConfig: { subnetIds: ["a", "b"] },
  });
}

describe("OidcProvider", () => {
  it("declares URL and audience, and invents no thumbprint", () => {
    const stack = newStack();
    const oidc = new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: [AUDIENCE] });
    expect(only(stack, TYPE)).toEqual({
      url: ISSUER,
      client_id_list: [AUDIENCE],
      lifecycle: { prevent_destroy: true },
    });
    expect(isLate(oidc.arn)).toBe(true);
    expect(oidc.conditionPrefix).toBe("oidc.example.com/c1");
    expect(oidc.node.defaultChild).toBe(oidc.resource);
    expect(warnings(oidc)).toEqual([]);
  });

  it.each([
    [false, undefined],
    [true, { prevent_destroy: true }],
  ])("may be destroyed where the context of the stack says so: %s", (wanted, lifecycle) => {
    const stack = new TerraformStack(Testing.app(), "test");
    stack.node.setContext("cdktf-workload-identity/prevent-destroy", wanted);
    new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: [AUDIENCE] });
    expect(only(stack, TYPE)["lifecycle"]).toEqual(lifecycle);
  });

  it.each([
    [{ account: ACCOUNT, region: REGION }, ARN],
    [{ account: ACCOUNT, region: "us-gov-west-1" }, ARN.replace("arn:aws:", "arn:aws-us-gov:")],
  ])("knows its ARN at synth with %j", (known, arn) => {
    const stack = newStack(known.region);
    const oidc = new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: [AUDIENCE], ...known });
    expect(oidc.arn).toBe(arn);
  });

  it.each([[{ account: ACCOUNT }], [{ region: REGION }], [{}]])("has a late ARN with only %j", (known) => {
    const oidc = new OidcProvider(newStack(), "oidc", { issuer: ISSUER, audiences: [AUDIENCE], ...known });
    expect(isLate(oidc.arn)).toBe(true);
  });

  it("passes thumbprints and tags on, and warns of none in aws-cn", () => {
    const stack = newStack("cn-north-1");
    const thumbprint = "9e99a48a9960b14926bb7f3b02e22da2b0ab7280";
    const props = { audiences: [AUDIENCE], region: "cn-north-1" };
    const bare = new OidcProvider(stack, "bare", { ...props, issuer: `${ISSUER}-bare` });
    const [tags, thumbprints] = [{ team: "platform" }, [thumbprint]];
    const full = new OidcProvider(stack, "full", { ...props, issuer: ISSUER, thumbprints, tags });
    expect(warnings(bare)).toEqual([expect.stringContaining("thumbprint")]);
    expect(warnings(full)).toEqual([]);
    expect(resources(stack, TYPE)[1]).toMatchObject({ thumbprint_list: thumbprints, tags });
  });

  // CreateOpenIDConnectProvider in the IAM API reference; IAM quotas
  it.each([
    ["http://oidc.example.com", "issuer-invalid"],
    ["https://oidc.example.com/?a=b", "issuer-invalid"],
    ["https://oidc.example.com/", "issuer-invalid"],
    ["https://oidc.example.com:8443/c1", "aws-invalid: , which IAM refuses for an OIDC provider"],
    ["https://oidc.example.com:443", "aws-invalid: , which IAM refuses for an OIDC provider"],
    [`https://oidc.example.com/${"a".repeat(232)}`, "aws-invalid: , which IAM refuses for an OIDC provider"],
  ])("refuses the issuer %s", (issuer, expected) => {
    const run = (): unknown => new OidcProvider(newStack(), "oidc", { issuer, audiences: [AUDIENCE] });
    expect(run).toThrowError(code(expected));
  });

  it("accepts an issuer of exactly 255 characters, and one that is said to end with a slash", () => {
    const stack = newStack();
    const issuer = `https://oidc.example.com/${"a".repeat(230)}`;
    expect(issuer).toHaveLength(255);
    new OidcProvider(stack, "long", { issuer, audiences: [AUDIENCE] });
    const exact = Issuer.exactly(`${ISSUER}/`);
    const slash = new OidcProvider(stack, "slash", { issuer: exact, audiences: [AUDIENCE] });
    expect(slash.conditionPrefix).toBe("oidc.example.com/c1/");
  });

  it.each([
    [{ audiences: [] }, "aws-limit: the number of audiences"],
    [{ audiences: numbered(101, (index) => `a${index}`) }, "aws-limit: the number of audiences"],
    [{ audiences: [""] }, "audience-invalid"],
    [{ thumbprints: [] }, "aws-invalid: the thumbprints of the OIDC provider"],
    [{ thumbprints: ["abc"] }, "aws-invalid: the thumbprints of the OIDC provider"],
    [{ thumbprints: ["9e:99:a4:8a"] }, "aws-invalid: the thumbprints of the OIDC provider"],
    [{ thumbprints: Array(6).fill("a".repeat(40)) }, "aws-invalid: the thumbprints of the OIDC provider"],
    [{ account: "1" }, "aws-invalid: the AWS account is not an account id"],
    [{ account: ACCOUNT, region: "moon" }, "aws-unknown: AWS region is not known to this release"],
  ])("refuses %j", (props, expected) => {
    const stack = newStack();
    const run = (): unknown =>
      new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: [AUDIENCE], ...props });
    expect(run).toThrowError(code(expected, /^prod\/oidc: /));
    expect(resources(stack, TYPE)).toEqual([]);
  });

  it("accepts exactly 100 audiences", () => {
    const stack = newStack();
    const audiences = numbered(100, (index) => `a${index}`);
    const oidc = new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences });
    expect(() => oidc.addAudience("one-more")).toThrowError(code("aws-limit: the number of audiences"));
    expect(only(stack, TYPE)["client_id_list"]).toHaveLength(100);
  });

  it("is declared once per stack and Terraform provider", () => {
    const stack = newStack();
    new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: [AUDIENCE] });
    const again = (): unknown => new OidcProvider(stack, "again", { issuer: ISSUER, audiences: [AUDIENCE] });
    expect(again).toThrowError(code("aws-conflict", /already declared by prod\/oidc.*forIssuer/));
    new OidcProvider(stack, "other", { issuer: ISSUER, audiences: [AUDIENCE], provider: alias(stack, "b") });
    expect(resources(stack, TYPE)).toHaveLength(2);
  });
});

describe("OidcProvider of two stacks", () => {
  // IAM: EntityAlreadyExists for a second OIDC provider of one URL in one account
  it.each<readonly [string, string | undefined, string | undefined, boolean]>([
    ["one account", ACCOUNT, ACCOUNT, true],
    ["two accounts", ACCOUNT, OWNER, false],
    ["an account that is not known", ACCOUNT, undefined, false],
  ])("of one issuer in %s", (_, first, second, refused) => {
    const app = Testing.app();
    const declare = (id: string, account: string | undefined): OidcProvider =>
      OidcProvider.forIssuer(new TerraformStack(app, id), {
        issuer: ISSUER,
        audience: AUDIENCE,
        ...(account === undefined ? {} : { account }),
      });
    declare("a", first);
    const again = (): unknown => declare("b", second);
    if (refused) expect(again).toThrowError(code("aws-conflict", /already declared by a\/.*fromIssuer/));
    else expect(again).not.toThrow();
  });
});

describe("OidcProvider.forIssuer", () => {
  it("gives one OIDC provider, whose audiences grow", () => {
    const stack = newStack();
    const first = OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: AUDIENCE });
    expect(OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: "api" })).toBe(first);
    expect(OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: AUDIENCE })).toBe(first);
    expect(only(stack, TYPE)).toMatchObject({ url: ISSUER, client_id_list: ["api", AUDIENCE] });
  });

  it("finds one that was declared by hand", () => {
    const stack = newStack();
    const oidc = new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: ["api"] });
    expect(OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: AUDIENCE })).toBe(oidc);
    expect(only(stack, TYPE)["client_id_list"]).toEqual(["api", AUDIENCE]);
  });

  it("takes no offence at what only one of two calls states", () => {
    const stack = newStack();
    const first = new OidcProvider(stack, "oidc", { issuer: ISSUER, audiences: [AUDIENCE] });
    const more = { account: ACCOUNT, region: REGION, tags: { a: "b" } };
    expect(OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: AUDIENCE, ...more })).toBe(first);
  });

  it("keeps issuers, Terraform providers and stacks apart", () => {
    const stack = newStack();
    const props = { issuer: ISSUER, audience: AUDIENCE };
    const all = [
      OidcProvider.forIssuer(stack, props),
      OidcProvider.forIssuer(stack, { ...props, issuer: `${ISSUER}/x` }),
      OidcProvider.forIssuer(stack, { ...props, provider: alias(stack, "b") }),
      OidcProvider.forIssuer(newStack(), props),
    ];
    expect(new Set(all).size).toBe(4);
    expect(resources(stack, TYPE)).toHaveLength(3);
  });

  it("recognises a late issuer by the expression that it stands for", () => {
    const stack = newStack();
    const cluster = eks(stack);
    const issuer = (): string => cluster.identity.get(0).oidc.get(0).issuer;
    const first = OidcProvider.forIssuer(stack, { issuer: issuer(), audience: AUDIENCE });
    expect(OidcProvider.forIssuer(stack, { issuer: issuer(), audience: "api" })).toBe(first);
    expect(only(stack, TYPE)).toMatchObject({
      url: "${aws_eks_cluster.eks.identity[0].oidc[0].issuer}",
      client_id_list: ["api", AUDIENCE],
    });
  });

  it.each([
    [{ account: OWNER }, "account"],
    [{ tags: { a: "c" } }, "tag a"],
  ])("refuses a second opinion %j", (more, property) => {
    const stack = newStack();
    OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: AUDIENCE, account: ACCOUNT, tags: { a: "b" } });
    const run = (): unknown => OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: AUDIENCE, ...more });
    expect(run).toThrowError(code("aws-conflict", new RegExp(`already declared with another ${property}`)));
  });
});

describe("what later users of a shared OIDC provider state", () => {
  it("joins tags, and takes thumbprints that no one stated before", () => {
    const stack = newStack();
    const thumbprints = ["a".repeat(40)];
    OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: "a", tags: { team: "x" } });
    const tags = { team: "x", job: "${y}" };
    OidcProvider.forIssuer(stack, { issuer: ISSUER, audience: "b", tags, thumbprints });
    expect(only(stack, "aws_iam_openid_connect_provider")).toMatchObject({
      tags: { team: "x", job: "$${y}" },
      thumbprint_list: thumbprints,
    });
  });
});

describe("existing OIDC providers", () => {
  it("reads the issuer from an ARN and declares nothing", () => {
    const stack = newStack();
    const oidc = OidcProvider.fromArn(stack, "oidc", ARN);
    expect(oidc).toMatchObject({ arn: ARN, conditionPrefix: "oidc.example.com/c1", dependencies: [] });
    expect(oidc.issuer.url).toBe(ISSUER);
    expect(resources(stack, TYPE)).toEqual([]);
  });

  it.each([
    ["arn:aws:iam::111122223333:role/x", "aws-invalid: is not an ARN of that kind"],
    ["${TfToken[TOKEN.1]}", "aws-missing: is known only after apply"],
    [ARN, "aws-mismatch: is that of another issuer", `${ISSUER}x`],
  ] as const)("refuses %s", (arn, expected, issuer?: string) => {
    const facts = issuer === undefined ? {} : { issuer };
    expect(() => OidcProvider.fromArn(newStack(), "oidc", arn, facts)).toThrowError(code(expected));
  });

  it("takes a late ARN with its issuer, as a module returns them", () => {
    const stack = newStack();
    const eks = new TerraformHclModule(stack, "eks", { source: "terraform-aws-modules/eks/aws" });
    const oidcProvider = OidcProvider.fromArn(stack, "oidc", eks.getString("oidc_provider_arn"), {
      issuer: `https://${eks.getString("oidc_provider")}`,
    });
    new PullRole(stack, "pull", {
      trusts: [{ oidcProvider, serviceAccounts: ["shop/web"] }],
      sources: [ecr({ account: ACCOUNT, region: REGION, repositories: ["shop/web"] })],
    });
    expect(JSON.parse(String(only(stack, "aws_iam_role")["assume_role_policy"]))).toMatchObject({
      Statement: [
        {
          Principal: { Federated: "${module.eks.oidc_provider_arn}" },
          Condition: {
            StringEquals: {
              "${module.eks.oidc_provider}:aud": "sts.amazonaws.com",
              "${module.eks.oidc_provider}:sub": "system:serviceaccount:shop:web",
            },
          },
        },
      ],
    });
  });

  it("computes the ARN of an issuer, or has Terraform look it up", () => {
    const stack = newStack();
    const place = { account: ACCOUNT, region: REGION };
    const known = OidcProvider.fromIssuer(stack, "known", { issuer: ISSUER, ...place });
    expect(known.arn).toBe(ARN);
    expect(resources(stack, TYPE, "data")).toEqual([]);
    const late = OidcProvider.fromIssuer(stack, "late", { issuer: ISSUER });
    expect(isLate(late.arn)).toBe(true);
    expect(only(stack, TYPE, "data")).toEqual({ url: ISSUER });
  });

  it("follows an EKS cluster", () => {
    const stack = newStack();
    const [region, provider] = ["us-east-1", alias(stack, "b")];
    const oidc = OidcProvider.fromEksCluster(stack, "oidc", { clusterName: "c", region, provider });
    expect(only(stack, "aws_eks_cluster", "data")).toEqual({ name: "c", region, provider: "aws.b" });
    expect(only(stack, TYPE, "data")).toEqual({
      url: "${data.aws_eks_cluster.oidc-cluster.identity[0].oidc[0].issuer}",
      provider: "aws.b",
    });
    expect(oidc.issuer.late && isLate(oidc.conditionPrefix)).toBe(true);
  });
});

describe("an OIDC provider that is taken over", () => {
  const settings = { issuer: ISSUER, account: ACCOUNT, region: REGION };

  it("is imported by its ARN", () => {
    const stack = newStack();
    new OidcProvider(stack, "oidc", { ...settings, audiences: ["openshift"], adopt: true });
    expect((JSON.parse(Testing.synth(stack)) as { import: unknown }).import).toEqual([
      { id: ARN, to: expect.stringMatching(/^aws_iam_openid_connect_provider\.oidc_\w+$/) },
    ]);
  });

  it("needs a literal ARN", () => {
    expect(() =>
      OidcProvider.forIssuer(newStack(), { issuer: ISSUER, audience: "a", adopt: true }),
    ).toThrowError(code("late-value", /issuer, account and region/));
  });

  it("is imported once, with its tags, whichever of its users says so", () => {
    const stack = newStack();
    OidcProvider.forIssuer(stack, { ...settings, audience: "a" });
    OidcProvider.forIssuer(stack, { ...settings, audience: "b", adopt: true, tags: { owner: "ccoctl" } });
    OidcProvider.forIssuer(stack, { ...settings, audience: "c", adopt: false });
    const written = JSON.parse(Testing.synth(stack)) as { import: unknown[] };
    expect(written.import).toHaveLength(1);
    expect(only(stack, "aws_iam_openid_connect_provider")).toMatchObject({
      client_id_list: ["a", "b", "c"],
      tags: { owner: "ccoctl" },
    });
  });
});
