/*
 * The stages of docs/moving-to-pod-identity.md, each with what the page claims of it.
 */

import { EksAddon } from "@cdktf/provider-aws/lib/eks-addon/index.js";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type WorkloadRolesProps, awsAccess, workloadRoles } from "../lib/cloud/aws";
import { Explainer } from "../lib/explain";
import { WorkloadAccess } from "../lib/synth";
import { folderOf } from "./fixtures/explain/artefacts";
import { filesOf } from "./fixtures/synth/stack-fixture";
import { ACCOUNT, REGION } from "./support/image-pulls";
import { type Json, inside, record } from "./support/json";
import { providersStack } from "./support/platform-components";
import { writtenStacks } from "./support/synth-output";
import { synthesized } from "./support/synthesized";

const ISSUER = `https://oidc.eks.${REGION}.amazonaws.com/id/0123456789ABCDEF0123456789ABCDEF`;
const READ = { Effect: "Allow", Action: "s3:GetObject", Resource: "arn:aws:s3:::orders/*" } as const;

/** The stages in their order, and what is stated as `podIdentity` in each. */
const STAGES = {
  irsa: undefined,
  both: { cluster: "prod", irsa: true },
  moved: { cluster: "prod" },
} as const satisfies Record<string, WorkloadRolesProps["podIdentity"]>;
type Stage = keyof typeof STAGES;
const NAMES = Object.keys(STAGES) as readonly Stage[];

const ASSOCIATION = "aws_eks_pod_identity_association";
const PROVIDER = "aws_iam_openid_connect_provider";
const ADDON = "aws_eks_addon";
const ACCOUNTS = "manifests/20-service-accounts.yaml";

const written = new Map<Stage, string>();

/** Two workloads of an EKS cluster whose nodes run the agent. */
function synth(stage: Stage): string {
  const podIdentity = STAGES[stage];
  const folder =
    written.get(stage) ??
    synthesized((app) => {
      const stack = providersStack(app);
      new EksAddon(stack, "agent", { clusterName: "prod", addonName: "eks-pod-identity-agent" });
      new WorkloadAccess(stack, "workloads", {
        cluster: { name: "prod", issuer: ISSUER },
        workloads: ["shop/web", "shop/jobs"].map((serviceAccount) => ({
          serviceAccount,
          may: awsAccess({ statements: [READ] }),
        })),
        identities: [
          workloadRoles({ account: ACCOUNT, region: REGION, ...(podIdentity && { podIdentity }) }),
        ],
      });
    });
  written.set(stage, folder);
  return folder;
}

const resourcesOf = (stage: Stage): Json =>
  record(inside(writtenStacks(synth(stage))[0]?.terraform, "resource"));

/** The addresses of a stage's resources, without those of `other`. */
function added(other: Stage, stage: Stage): readonly string[] {
  const addresses = (of: Stage): readonly string[] =>
    Object.entries(resourcesOf(of)).flatMap(([type, named]) =>
      Object.keys(record(named)).map((name) => `${type}.${name}`),
    );
  const before = addresses(other);
  return addresses(stage).filter((each) => !before.includes(each));
}

const typesOf = (addresses: readonly string[]): readonly string[] =>
  addresses.map((each) => each.split(".")[0] ?? "");

const manifests = (stage: Stage): ReadonlyMap<string, string> =>
  new Map(
    writtenStacks(synth(stage)).flatMap(({ files }) =>
      [...files].filter(([path]) => path.startsWith("manifests/")),
    ),
  );

/** Each workload's verdict, its role, and the first link that does not hold. */
function judged(folder: string): readonly string[] {
  return [...Explainer.read([folder]).workloads()].map(({ subject, verdict, as, checks }) => {
    const broken = checks.find(({ status }) => status === "fail" || status === "unknown");
    return `${subject}: ${verdict} ${broken?.id ?? `as ${as?.split("/").at(-1) ?? "no one"}`}`;
  });
}

/** What pods see that were created in one stage and still run in another: the annotation, and no association. */
function stillRunning(created: Stage, now: Stage): readonly string[] {
  const accounts = manifests(created).get(ACCOUNTS) ?? "";
  const files = Object.entries(filesOf(synth(now))).map(([path, content]): [string, string] => {
    if (path.endsWith(ACCOUNTS)) return [path, accounts];
    if (!path.endsWith("cdk.tf.json")) return [path, content];
    const terraform = record(JSON.parse(content));
    const { [ASSOCIATION]: _, ...resource } = record(terraform["resource"]);
    return [path, JSON.stringify({ ...terraform, resource })];
  });
  return judged(folderOf(new Map(files)));
}

const ALLOWED = ["jobs", "web"].map((name) => `shop/${name}: allowed as prod_shop_${name}_access`);

describe.each(NAMES)("the stage %s", (stage) => {
  it("allows every workload as its own role, which keeps its name", () => {
    expect(judged(synth(stage))).toEqual(ALLOWED);
  });
});

describe("both", () => {
  it("adds an association for each workload, and takes nothing", () => {
    expect(typesOf(added("irsa", "both"))).toEqual([ASSOCIATION, ASSOCIATION]);
    expect(added("both", "irsa")).toEqual([]);
  });

  it("changes no file that the cluster reads", () => {
    expect(manifests("both")).toEqual(manifests("irsa"));
  });

  it("changes of existing resources only the trust policies, which get one more statement", () => {
    const changed = Object.entries(resourcesOf("irsa")).filter(
      ([type, before]) => JSON.stringify(resourcesOf("both")[type]) !== JSON.stringify(before),
    );
    expect(changed.map(([type]) => type)).toEqual(["aws_iam_role"]);
    const trusts = (stage: Stage): readonly (readonly unknown[])[] =>
      Object.values(record(resourcesOf(stage)["aws_iam_role"])).map((role) => {
        const policy = record(JSON.parse(String(record(role)["assume_role_policy"])));
        return policy["Statement"] as readonly unknown[];
      });
    trusts("irsa").forEach((before, place) => {
      const [first, ...more] = trusts("both")[place] ?? [];
      expect([[first], more.length]).toEqual([before, 1]);
    });
  });

  it("lets pods in that were created before", () => {
    expect(stillRunning("irsa", "both")).toEqual(ALLOWED);
  });

  it("is unknown until something shows that the agent runs", () => {
    const files = Object.entries(filesOf(synth("both"))).map(([path, content]): [string, string] => [
      path,
      path.endsWith("cdk.tf.json") ? content.replaceAll(ADDON, "aws_eks_other") : content,
    ]);
    const unknown = ["jobs", "web"].map((name) => `shop/${name}: unknown pods-configured`);
    expect(judged(folderOf(new Map(files)))).toEqual(unknown);
  });
});

describe("moved", () => {
  it("takes the OIDC provider away, and adds nothing", () => {
    expect(typesOf(added("moved", "both"))).toEqual([PROVIDER]);
    expect(added("both", "moved")).toEqual([]);
  });

  it("is what `podIdentity` with the cluster alone declares", () => {
    const alone = synthesized((app) => {
      const stack = providersStack(app);
      new WorkloadAccess(stack, "workloads", {
        cluster: { name: "prod", issuer: ISSUER },
        workloads: [{ serviceAccount: "shop/web", may: awsAccess({ statements: [READ] }) }],
        identities: [workloadRoles({ account: ACCOUNT, region: REGION, podIdentity: "prod" })],
      });
    });
    const [stack] = writtenStacks(alone);
    const roles = record(inside(stack?.terraform, "resource"))["aws_iam_role"];
    expect(record(resourcesOf("moved")["aws_iam_role"])).toMatchObject(record(roles));
  });

  it("removes the annotations from the service accounts, which pods with tokens still need", () => {
    expect(manifests("both").get(ACCOUNTS)).toContain("eks.amazonaws.com/role-arn");
    expect(manifests("moved").get(ACCOUNTS) ?? "").not.toContain("eks.amazonaws.com/role-arn");
    const denied = ["jobs", "web"].map((name) => `shop/${name}: denied issuer-trusted`);
    expect(stillRunning("irsa", "moved")).toEqual(denied);
  });
});

describe("docs/moving-to-pod-identity.md", () => {
  const page = readFileSync(resolve(__dirname, "../docs/moving-to-pod-identity.md"), "utf8");

  it("names the stages in their order", () => {
    const stages = [...page.matchAll(/^## \d\. .*`(\w+)`$/gm)].map(([, name]) => name);
    expect(stages).toEqual(NAMES.slice(1));
  });
});
