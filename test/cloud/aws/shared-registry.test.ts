import { App, TerraformStack } from "cdktf";
import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PullRole, SharedRegistry, type SharedRegistryProps, ecr, pullRoles } from "../../../lib/cloud/aws";
import { explain } from "../../../lib/explain";
import { Subject } from "../../../lib/model/subject";
import { kubernetes } from "../../../lib/node";
import { ImagePulls } from "../../../lib/synth";
import { type Refusal, refusal } from "../../support/refusal";
import { synthesized } from "../../support/synthesized";
import { ACCOUNT, OWNER, REGION, document, newStack, only, resources } from "./synthesized";

const POLICY = "aws_ecr_repository_policy";
const KEEP = { Sid: "Keep", Effect: "Allow", Principal: { AWS: OWNER }, Action: "ecr:*" } as const;

function shared(stack = newStack(), more: Partial<SharedRegistryProps> = {}): SharedRegistry {
  return new SharedRegistry(stack, "registry", { account: OWNER, region: REGION, ...more });
}

function role(stack: TerraformStack, name: string, account = ACCOUNT) {
  return PullRole.fromArn(stack, name, `arn:aws:iam::${account}:role/${name}`);
}

const principalOf = (statement: Record<string, unknown> | undefined): unknown =>
  (statement?.["Principal"] as { AWS: unknown } | undefined)?.AWS;

function stackWith(app: App, name: string, account: string): TerraformStack {
  const stack = new TerraformStack(app, name);
  new AwsProvider(stack, "aws", { region: REGION, allowedAccountIds: [account] });
  return stack;
}

describe("SharedRegistry", () => {
  it("lets the roles of several clusters pull, each what it asked for, in the owner's stack", () => {
    const outdir = synthesized((app) => {
      const owner = stackWith(app as App, "images", OWNER);
      const registry = shared(owner, {
        repositories: ["base/node"],
        additionalStatements: { "shop/web": [KEEP] },
      });
      for (const name of ["one", "two"]) {
        const stack = stackWith(app as App, name, ACCOUNT);
        new ImagePulls(stack, "pulls", {
          cluster: kubernetes({
            name,
            version: "1.35",
            issuer: `https://oidc.example.com/${name}`,
            plugins: { ecr: "1.35.2" },
          }),
          identities: [pullRoles({ account: ACCOUNT, region: REGION })],
          pulls: [
            {
              serviceAccount: "shop/web",
              from: registry.source({ repositories: ["shop/web", ...(name === "two" ? ["base/*"] : [])] }),
            },
          ],
        });
      }
      expect([...registry.policies.keys()]).toEqual(["shop/web", "base/node"]);
      const web = document(
        resources(owner, POLICY).find(({ repository }) => repository === "shop/web") ?? {},
        "policy",
      );
      expect(web.Statement).toEqual([expect.objectContaining({ Sid: "Pull" }), KEEP]);
      const [one, two] = ["one", "two"].map((name) => `arn:aws:iam::${ACCOUNT}:role/${name}_shop_web`);
      expect(principalOf(web.Statement[0])).toEqual([one, two]);
      const base = document(
        resources(owner, POLICY).find(({ repository }) => repository === "base/node") ?? {},
        "policy",
      );
      expect(principalOf(base.Statement[0])).toBe(two);
    });
    const verdicts = explain([outdir]).map(
      ({ stack, target, verdict }) => `${stack} ${target.replace(/^.*?\//, "")} ${verdict}`,
    );
    // A pattern means the repositories that the owner lists.
    expect(verdicts.sort()).toEqual([
      "one shop/web allowed",
      "two base/node allowed",
      "two shop/web allowed",
    ]);
  });

  it("lets a pull create repositories of a cache: the template's policy is what they have", () => {
    const outdir = synthesized((app) => {
      const registry = shared(stackWith(app as App, "images", OWNER));
      new ImagePulls(stackWith(app as App, "one", ACCOUNT), "pulls", {
        cluster: kubernetes({
          name: "one",
          version: "1.35",
          issuer: "https://oidc.example.com/one",
          plugins: { ecr: "1.35.2" },
        }),
        identities: [pullRoles({ account: ACCOUNT, region: REGION })],
        pulls: [
          {
            serviceAccount: "shop/web",
            from: registry.source({
              repositories: ["quay/*"],
              pullThroughCache: { createRepositories: true },
            }),
          },
        ],
      });
    });
    const verdicts = (): readonly string[] =>
      explain([outdir]).map(({ target, verdict }) => `${target} ${verdict}`);
    expect(verdicts()).toEqual([`${OWNER}.dkr.ecr.${REGION}.amazonaws.com/quay/* allowed`]);
    // Of two templates for one prefix, nothing shows which one the registry has.
    const file = join(outdir, "stacks/images/cdk.tf.json");
    const type = "aws_ecr_repository_creation_template";
    const { resource, ...others } = JSON.parse(readFileSync(file, "utf8")) as {
      resource: Record<string, Record<string, Record<string, unknown>>>;
    };
    const [[name = "", template = {}] = []] = Object.entries(resource[type] ?? {});
    const denying = {
      Version: "2012-10-17",
      Statement: [{ Effect: "Deny", Principal: "*", Action: "ecr:*" }],
    };
    const rival = { ...template, repository_policy: JSON.stringify(denying) };
    for (const both of [
      { [name]: template, rival },
      { rival, [name]: template },
    ]) {
      writeFileSync(file, JSON.stringify({ ...others, resource: { ...resource, [type]: both } }));
      expect(verdicts()).toEqual([`${OWNER}.dkr.ecr.${REGION}.amazonaws.com/quay/* unknown`]);
    }
  });

  it("needs nothing for roles of its own account", () => {
    const stack = newStack();
    const registry = shared(stack);
    const { grant } = registry.source({ repositories: ["shop/web"] });
    if (grant.kind === "private") registry.admit(role(stack, "own", OWNER), grant);
    expect(resources(stack, POLICY)).toEqual([]);
  });

  it("opens a pull through cache by the registry's policy and a template for new repositories", () => {
    const stack = newStack();
    const registry = shared(stack, { registryStatements: [KEEP] });
    const { grant } = registry.source({
      repositories: ["quay/*"],
      pullThroughCache: { createRepositories: true },
    });
    if (grant.kind === "private")
      for (const name of ["a", "b", "a"])
        registry.admit(stack.node.tryFindChild(name) ? role(newStack(), name) : role(stack, name), grant);
    const arns = ["a", "b"].map((name) => `arn:aws:iam::${ACCOUNT}:role/${name}`);
    expect(document(only(stack, "aws_ecr_registry_policy"), "policy").Statement).toEqual([
      {
        Effect: "Allow",
        Principal: { AWS: arns },
        Action: ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"],
        Resource: `arn:aws:ecr:${REGION}:${OWNER}:repository/quay/*`,
      },
      KEEP,
    ]);
    const template = only(stack, "aws_ecr_repository_creation_template");
    expect(template).toMatchObject({ prefix: "quay", applied_for: ["PULL_THROUGH_CACHE"] });
    expect(principalOf(document(template, "repository_policy").Statement[0])).toEqual(arns);
    expect(registry.registryPolicy).toBeDefined();
  });

  const ROWS: readonly (readonly [Refusal, (registry: SharedRegistry) => unknown])[] = [
    [
      "aws-missing: ECR has one policy per repository",
      (registry) => registry.source({ repositories: ["base/*"] }),
    ],
    [
      "aws-mismatch: belong to another registry",
      (registry) => ecr({ account: ACCOUNT, region: REGION, repositories: ["aa"], ownerPolicy: registry }),
    ],
    ["aws-invalid: AWS account", () => shared(newStack(), { account: "1" })],
    ["aws-unknown: AWS region", () => shared(newStack(), { region: "moon" })],
    ["aws-invalid: ECR has a policy per repository", () => shared(newStack(), { repositories: ["base/*"] })],
  ];
  it.each(ROWS)("refuses: %s", (expected, run) => {
    expect(() => run(shared())).toThrowError(refusal(expected));
  });
});

describe("PullRole.ofGrant", () => {
  const subject = Subject.of("shop/web");
  const identity = `arn:aws:iam::${ACCOUNT}:role/x`;

  it("is the role that was declared, with what it waits for", () => {
    const resource = { fqn: "aws_iam_role.x" };
    const grant = {
      subject,
      identity,
      annotations: { a: "b" },
      principal: { name: identity, dependencies: [resource] },
    };
    expect(PullRole.ofGrant(grant)).toEqual({
      cloud: "aws",
      arn: identity,
      annotations: { a: "b" },
      dependencies: [resource],
    });
    expect(PullRole.ofGrant({ subject, identity, annotations: {} }).dependencies).toEqual([]);
  });

  it("refuses a grant of another cloud", () => {
    const grant = { subject, identity: "11111111-2222-4333-8444-555555555555", annotations: {} };
    expect(() => PullRole.ofGrant(grant)).toThrowError(refusal("aws-invalid"));
  });
});
