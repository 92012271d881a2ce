import { TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import {
  type EcrSource,
  OidcProvider,
  type PullRolesProps,
  ecr,
  ecrPublic,
  pullRoles,
} from "../../../lib/cloud/aws";
import type { ClusterFacts } from "../../../lib/model/cluster";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import type { PullDeclaration } from "../../../lib/model/pulls";
import { Subject } from "../../../lib/model/subject";
import {
  ACCOUNT,
  ISSUER,
  OWNER,
  PROVIDER,
  REGION,
  alias,
  code,
  document,
  newStack,
  numbered,
  only,
  own,
  refusedBy,
  resources,
  warnings,
} from "./synthesized";
import { refusal } from "../../support/refusal";

const CLUSTER = { name: "prod-eu", issuer: Issuer.of(ISSUER) } as ClusterFacts;

function declare(
  stack: TerraformStack,
  pulls: Readonly<Record<string, readonly EcrSource[]>>,
  props?: PullRolesProps,
  cluster: ClusterFacts = CLUSTER,
): PullDeclaration {
  return pullRoles(props).declare(stack, {
    clusterName: cluster.name,
    issuer: cluster.issuer,
    accounts: Object.entries(pulls).map(([subject, asks]) => ({ subject: Subject.of(subject), asks })),
  });
}

describe("pullRoles", () => {
  it("declares one OIDC provider and one role per service account", () => {
    const stack = newStack();
    const { grants } = declare(stack, { "batch/jobs": [own()], "shop/web": [own()] }, { account: ACCOUNT });
    expect(only(stack, "aws_iam_openid_connect_provider")).toEqual({
      url: ISSUER,
      client_id_list: ["sts.amazonaws.com"],
      lifecycle: { prevent_destroy: true },
    });
    expect(resources(stack, "aws_iam_role").map(({ name }) => name)).toEqual([
      "prod-eu_batch_jobs",
      "prod-eu_shop_web",
    ]);
    expect(grants.map(({ subject, annotations }) => [subject.key, annotations])).toEqual([
      ["batch/jobs", { "eks.amazonaws.com/ecr-role-arn": `arn:aws:iam::${ACCOUNT}:role/prod-eu_batch_jobs` }],
      ["shop/web", { "eks.amazonaws.com/ecr-role-arn": `arn:aws:iam::${ACCOUNT}:role/prod-eu_shop_web` }],
    ]);
  });

  it("refuses repository policies of two accounts by one Terraform provider, before anything is declared", () => {
    const stack = newStack();
    const from = (account: string): EcrSource =>
      ecr({ account, region: REGION, repositories: ["a/b"], ownerPolicy: {} });
    expect(() => declare(stack, { "shop/web": [from(OWNER)], "shop/jobs": [from(ACCOUNT)] })).toThrowError(
      refusal("aws-conflict: repository policies of several accounts would all be written to one account", {
        value: [ACCOUNT, OWNER].sort(),
      }),
    );
    expect(resources(stack, "aws_iam_role")).toEqual([]);
  });

  it("writes literal ARNs into the trust once account and partition are known", () => {
    const stack = newStack("us-gov-west-1");
    declare(stack, { "shop/web": [own({ region: "us-gov-west-1" })] }, { account: ACCOUNT });
    expect(document(only(stack, "aws_iam_role"), "assume_role_policy").Statement[0]?.["Principal"]).toEqual({
      Federated: `arn:aws-us-gov:iam::${ACCOUNT}:oidc-provider/oidc.example.com/c1`,
    });
  });

  it("leaves ARNs late without account", () => {
    const { grants } = declare(newStack(), { "shop/web": [own()] });
    expect(isLate(grants[0]?.annotations)).toBe(true);
  });

  it("knows the account from the literal ARN of the OIDC provider", () => {
    const stack = newStack();
    const oidcProvider = OidcProvider.fromArn(stack, "oidc", PROVIDER);
    const batch = ecr({ account: OWNER, region: REGION, repositories: ["batch/*"] });
    const additionalIssuers = [Issuer.of(`${ISSUER}-new`, { label: "new" })];
    const issuer = Issuer.of(ISSUER, { additionalIssuers });
    const cluster = { ...CLUSTER, issuer };
    const { grants } = declare(stack, { "shop/web": [own(), batch] }, { oidcProvider }, cluster);
    expect(grants[0]?.annotations).toEqual({
      "eks.amazonaws.com/ecr-role-arn": `arn:aws:iam::${ACCOUNT}:role/prod-eu_shop_web`,
    });
    const { Statement } = document(only(stack, "aws_iam_role"), "assume_role_policy");
    const providers = [{ Federated: PROVIDER }, { Federated: `${PROVIDER}-new` }];
    expect(Statement.map(({ Principal }) => Principal)).toEqual(providers);
    expect(warnings(stack)).toEqual([expect.stringContaining("batch/* is in another account")]);
  });

  it("refuses an adopted OIDC provider that is known not to take the audience", () => {
    const run = (audience?: string) => (): unknown => {
      const stack = newStack();
      const attributes = { issuer: ISSUER, audiences: ["openshift"] };
      const oidcProvider = OidcProvider.fromIssuer(stack, "oidc", attributes);
      return declare(stack, { "shop/web": [own()] }, { oidcProvider, ...(audience && { audience }) });
    };
    expect(run()).toThrowError(code("audience-mismatch"));
    expect(run("openshift")).not.toThrow();
  });

  it("refuses roles of one cluster name in one account from two stacks, and takes them with a prefix", () => {
    const app = Testing.app();
    const inStack = (id: string, props: PullRolesProps) => (): unknown => {
      const stack = new TerraformStack(app, id);
      const oidcProvider = OidcProvider.fromIssuer(stack, "oidc", { issuer: ISSUER });
      return declare(stack, { "shop/web": [own()] }, { ...props, oidcProvider });
    };
    inStack("a", { account: ACCOUNT })();
    expect(inStack("b", { account: ACCOUNT })).toThrowError(
      code(
        "aws-conflict: in the same account; IAM ignores case",
        /used by a\/shop_web .*"prod-eu_shop_web".*namePrefix/,
      ),
    );
    expect(inStack("c", { account: OWNER })).not.toThrow();
    expect(inStack("d", { account: ACCOUNT, namePrefix: "d-" })).not.toThrow();
  });

  it.each<readonly [string, Partial<PullRolesProps>]>([
    ["literal", { account: ACCOUNT }],
    ["late", {}],
  ])("refuses more roles than the owner's policy holds before it declares one, ARNs %s", (_, props) => {
    const declareMany = (count: number): TerraformStack => {
      const stack = newStack();
      const ownerPolicy = { provider: alias(stack, "batch") };
      const batch = ecr({ account: OWNER, region: REGION, repositories: ["batch/runner"], ownerPolicy });
      const names = numbered(count, (index) => `batch/service-${100 + index}`);
      const pulls = Object.fromEntries(names.map((name) => [name, [batch]]));
      try {
        declare(stack, pulls, props);
      } catch (error) {
        expect(error).toEqual(
          code("aws-limit: policy of the ECR repository", /batch\/runner .*: 200 IAM roles.*elsewhere/),
        );
        expect(resources(stack, "aws_iam_role")).toEqual([]);
        throw error;
      }
      return stack;
    };
    // arn:aws:iam::111122223333:role/prod-eu_batch_service-100 has 56 characters, with quotes and comma 59
    expect(resources(declareMany(170), "aws_iam_role")).toHaveLength(170);
    expect(() => declareMany(200)).toThrowError(code("aws-limit: policy of the ECR repository"));
  });

  it("passes settings on to every role", () => {
    const stack = newStack();
    const [permissionsBoundary, tags] = [`arn:aws:iam::${ACCOUNT}:policy/b`, { a: "b" }];
    const settings = { namePrefix: "pull-", path: "/p/", permissionsBoundary, tags };
    declare(stack, { "shop/web": [own()] }, { ...settings, provider: alias(stack, "x") });
    expect(only(stack, "aws_iam_role")).toMatchObject({
      name: "pull-prod-eu_shop_web",
      path: "/p/",
      permissions_boundary: permissionsBoundary,
      tags,
      provider: "aws.x",
    });
    expect(only(stack, "aws_iam_role_policy")["provider"]).toBe("aws.x");
    expect(only(stack, "aws_iam_openid_connect_provider")).toMatchObject({ tags, provider: "aws.x" });
  });

  it("keeps ids of service accounts apart and stable", () => {
    const stack = newStack();
    const subjects = ["a-b/c", "a/b-c", "a/b.c", "a--b/c", "a/b--c"];
    declare(stack, Object.fromEntries(subjects.map((subject) => [subject, [own()]])));
    expect(resources(stack, "aws_iam_role")).toHaveLength(5);
    expect(stack.node.tryFindChild("a-b_c")).toBeDefined();
  });

  it("takes the OIDC provider that is given, and adds the audience to it", () => {
    const stack = newStack();
    const oidcProvider = new OidcProvider(stack, "mine", { issuer: ISSUER, audiences: ["x"] });
    declare(stack, { "shop/web": [own()] }, { oidcProvider, audience: "y" });
    expect(only(stack, "aws_iam_openid_connect_provider")["client_id_list"]).toEqual(["x", "y"]);
  });

  it("trusts further issuers", () => {
    const stack = newStack();
    const issuer = Issuer.of(ISSUER, { additionalIssuers: [Issuer.of(`${ISSUER}-new`, { label: "new" })] });
    declare(stack, { "shop/web": [own()] }, {}, { ...CLUSTER, issuer });
    expect(resources(stack, "aws_iam_openid_connect_provider")).toHaveLength(2);
    expect(document(only(stack, "aws_iam_role"), "assume_role_policy").Statement).toHaveLength(2);
  });

  it("serves ecr() without settings", () => {
    expect(own().defaultIdentities().cloud).toBe("aws");
    expect(ecrPublic().defaultIdentities().cloud).toBe("aws");
  });

  const china = "cn-north-1";

  it.each(
    refusedBy<readonly [PullRolesProps, ...EcrSource[]]>({
      "aws-missing: the IAM role has no registry to pull from": { "no pull": [{}] },
      "aws-mismatch: is in another AWS partition than the rest of the chain": {
        "two partitions": [{}, own(), own({ region: china })],
        "a region of another partition": [{ region: china }, own()],
      },
      "aws-unknown: AWS region is not known to this release of the library": {
        "an unknown region": [{ region: "moon" }, own()],
      },
      "aws-missing: ECR Public is pulled with a service account token, but no region is known": {
        "ECR Public without region": [{}, own(), ecrPublic()],
      },
      "aws-conflict: ECR Public is named with several regions": {
        "ECR Public in two regions": [{}, ecrPublic({ region: "us-east-1" }), ecrPublic({ region: REGION })],
      },
      "audience-invalid": { "a bad audience": [{ audience: "*" }, own()] },
      "aws-invalid: the AWS account is not an account id": { "a bad account": [{ account: "1" }, own()] },
      "aws-invalid: the IAM role name has characters that IAM refuses": {
        "a bad prefix": [{ namePrefix: "a b" }, own()],
      },
    }),
  )("refuses %s", (_, [props, ...sources], expected) => {
    const stack = newStack();
    expect(() => declare(stack, { "shop/web": sources }, props)).toThrowError(code(expected));
    expect(resources(stack, "aws_iam_role")).toEqual([]);
  });

  it("refuses an OIDC provider of another issuer", () => {
    const stack = newStack();
    const oidcProvider = OidcProvider.fromIssuer(stack, "other", { issuer: `${ISSUER}2` });
    expect(() => declare(stack, { "shop/web": [own()] }, { oidcProvider })).toThrowError(
      code("aws-mismatch: the OIDC provider belongs to another issuer than the cluster"),
    );
  });

  it("warns of each account once, with the roles that pull from it", () => {
    const stack = newStack();
    const foreign = (account: string, name: string): EcrSource =>
      ecr({ account, region: REGION, repositories: [name] });
    const asks = [foreign(OWNER, "aa"), foreign("777788889999", "bb")];
    const pulls = Object.fromEntries(numbered(12, (index) => `shop/w${index}`).map((name) => [name, asks]));
    declare(stack, pulls, { account: ACCOUNT, region: REGION });
    expect(warnings(stack)).toEqual([
      expect.stringMatching(
        /^account 444455556666 is not the account of 12 IAM roles .*role\/prod-eu_shop_w0: arn:aws:ecr:.*; and 2 more\)/,
      ),
      expect.stringMatching(/^account 777788889999 .*<ARNs of its IAM roles>/),
    ]);
  });

  it("warns where the roles' account would tell which registry is another's", () => {
    const stack = newStack();
    const batch = ecr({ account: OWNER, region: REGION, repositories: ["batch/*"] });
    declare(stack, { "batch/jobs": [batch], "shop/web": [own()] });
    expect(warnings(stack)).toEqual([expect.stringContaining("pullRoles({ account })")]);
  });
});

describe("the credential provider entry", () => {
  it("is narrow, and complete for ECR", () => {
    const { provider, nodeFiles } = declare(newStack(), { "shop/web": [own()] });
    expect({ ...provider, defaultCacheDuration: provider.defaultCacheDuration.toString() }).toEqual({
      plugin: "ecr",
      name: "ecr-credential-provider",
      matchImages: ["*.dkr.ecr.*.amazonaws.com"],
      hosts: [`${ACCOUNT}.dkr.ecr.${REGION}.amazonaws.com`],
      defaultCacheDuration: "12h",
      args: [],
      nodeIdentityArgs: [],
      env: [],
      audience: "sts.amazonaws.com",
      cacheType: "ServiceAccount",
      annotationKeys: ["eks.amazonaws.com/ecr-role-arn"],
      needs: ["tokens"],
    });
    expect(nodeFiles).toEqual([]);
  });

  it.each<readonly [string, EcrSource[], PullRolesProps, readonly string[], string | undefined]>([
    [
      "FIPS and dual-stack",
      [own({ fips: true, region: "us-east-1" }), own({ dualStack: true })],
      {},
      ["*.dkr-ecr.*.on.aws", "*.dkr.ecr-fips.*.amazonaws.com"],
      undefined,
    ],
    ["China", [own({ region: "cn-north-1" })], {}, ["*.dkr.ecr.*.amazonaws.com.cn"], undefined],
    ["ECR Public", [ecrPublic({ region: REGION })], {}, ["public.ecr.aws"], REGION],
    [
      "ECR Public, region of the settings",
      [own(), ecrPublic()],
      { region: "us-east-1" },
      ["*.dkr.ecr.*.amazonaws.com", "public.ecr.aws"],
      "us-east-1",
    ],
  ])("%s", (_, sources, props, matchImages, region) => {
    const [{ grant } = own()] = sources;
    const { provider } = declare(newStack(grant.region), { "shop/web": sources }, props);
    expect(provider.matchImages).toEqual(matchImages);
    expect(provider.env).toEqual(region === undefined ? [] : [{ name: "AWS_REGION", value: region }]);
  });

  // cloud-provider-aws, v1.34.0 and v1.34.1 read no region in *.amazonaws.eu
  it("needs a plugin that knows the hosts of the European Sovereign Cloud there alone", () => {
    const region = "eusc-de-east-1";
    const { provider } = declare(newStack(region), { "shop/web": [own({ region })] });
    expect(provider.needs).toEqual(["tokens", "eusc-hosts"]);
  });

  const FIPS = { fips: true, region: "us-east-1" } as const;

  it.each<readonly [string, EcrSource[], readonly string[], number]>([
    ["all FIPS", [own(FIPS), own({ ...FIPS, dualStack: true })], ["AWS_USE_FIPS_ENDPOINT=true"], 0],
    ["some FIPS", [own(FIPS), own()], [], 1],
    [
      "ECR Public, which has no FIPS endpoint",
      [own(FIPS), ecrPublic({ region: "us-east-1" })],
      ["AWS_REGION=us-east-1"],
      1,
    ],
    ["no FIPS", [own()], [], 0],
  ])("calls STS and ECR at FIPS endpoints where every registry has them: %s", (_, sources, env, count) => {
    const stack = newStack();
    const { provider } = declare(stack, { "shop/web": sources });
    expect(provider.env.map(({ name, value }) => `${name}=${value}`)).toEqual(env);
    expect(warnings(stack)).toHaveLength(count);
    expect(warnings(stack).every((text) => text.includes("AWS_USE_FIPS_ENDPOINT"))).toBe(true);
  });
});
