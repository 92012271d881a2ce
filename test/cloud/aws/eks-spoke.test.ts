import { AwsProvider } from "@cdktf/provider-aws/lib/provider/index.js";
import { DataAwsEksCluster } from "@cdktf/provider-aws/lib/data-aws-eks-cluster/index.js";
import { EksCluster } from "@cdktf/provider-aws/lib/eks-cluster/index.js";
import { App, TerraformStack, Testing } from "cdktf";
import { describe, expect, it } from "vitest";
import { type EksSpokeProps, type ExistingEksCluster, eksSpoke, workloadRoles } from "../../../lib/cloud/aws";
import type { SpokeEntry } from "../../../lib/model/fleet";
import { Issuer } from "../../../lib/model/issuer";
import { isLate } from "../../../lib/model/late";
import { Subject } from "../../../lib/model/subject";
import type { AccessGrant } from "../../../lib/model/workloads";
import {
  ACCOUNT,
  ISSUER,
  OWNER,
  REGION,
  alias,
  code,
  newStack,
  only,
  refusedBy,
  resources,
  warnings,
} from "./synthesized";
import { refusal } from "../../support/refusal";
import { rendered } from "../../support/stacks";

const controllers = [Subject.of("argocd/argocd-application-controller"), Subject.of("argocd/argocd-server")];
const [application, server] = controllers.map(
  ({ name }) => `arn:aws:iam::${ACCOUNT}:role/hub_argocd_${name}_access`,
);
const CLUSTER: ExistingEksCluster = {
  name: "spoke-a",
  endpoint: "https://ABC123.gr7.eu-west-1.eks.amazonaws.com",
  certificateAuthorityData: "LS0tLS1CRUdJTi4uLg==",
};
const VIEW: Partial<EksSpokeProps> = { accessPolicies: [{ policy: "AmazonEKSViewPolicy" }] };

function identities(stack: TerraformStack, account: string | undefined = ACCOUNT): readonly AccessGrant[] {
  return workloadRoles({ region: REGION, ...(account !== undefined && { account }) }).declare(stack, {
    clusterName: "hub",
    issuer: Issuer.of(ISSUER),
    accounts: controllers.map((subject) => ({ subject, asks: [] })),
  }).grants;
}

function enter(
  stack: TerraformStack,
  props: Partial<EksSpokeProps> = VIEW,
  grants: readonly AccessGrant[] = identities(stack),
): SpokeEntry {
  return eksSpoke({ cluster: CLUSTER, region: REGION, ...props }).declare(stack, {
    hub: "hub",
    spoke: "spoke-a",
    controllers: grants,
  });
}

describe("eksSpoke", () => {
  it.each([
    { accessPolicies: {} },
    { accessPolicies: [null] },
    { accessPolicies: [{ policy: "AmazonEKSViewPolicy", namespaces: "shop" }] },
    { kubernetesGroups: "argocd" },
  ])("refuses forms that only the compiler checks: %j", (given) => {
    const props = { cluster: CLUSTER, region: REGION, ...given } as unknown as EksSpokeProps;
    expect(() => eksSpoke(props)).toThrowError(refusal("property-invalid"));
  });

  it("says where the spoke is, and what plugins are told", () => {
    const { cloud, endpoint, parameters } = eksSpoke({ cluster: CLUSTER, region: REGION, ...VIEW });
    const { endpoint: server, certificateAuthorityData } = CLUSTER;
    expect([cloud, endpoint]).toEqual(["aws", { server, certificateAuthorityData }]);
    expect(parameters).toEqual({ clusterName: "spoke-a", region: REGION });
  });

  it("gives each controller's role an entry and a policy, replaced together with the role", () => {
    const stack = newStack();
    const namespaces = ["web", "shop"];
    const { users } = enter(stack, {
      accessPolicies: [{ policy: "AmazonEKSViewPolicy" }, { policy: "AmazonEKSEditPolicy", namespaces }],
      tags: { team: "platform" },
    });
    expect(users).toEqual(controllers.map((subject) => ({ subject, groups: [], authorized: true })));
    expect(resources(stack, "aws_eks_access_entry")).toEqual(
      [application, server].map((arn) => ({
        cluster_name: "spoke-a",
        region: REGION,
        principal_arn: arn,
        type: "STANDARD",
        tags: { team: "platform" },
        depends_on: [expect.stringMatching(/^aws_iam_role\.[\w-]+$/)],
        // An address, no template: Terraform reads it as the source of a reference.
        lifecycle: { replace_triggered_by: [expect.stringMatching(/^aws_iam_role\.[\w-]+\.unique_id$/)] },
      })),
    );
    const associations = resources(stack, "aws_eks_access_policy_association");
    expect(associations).toHaveLength(4);
    expect(associations.filter(({ principal_arn }) => principal_arn === server)).toEqual(
      [
        ["AmazonEKSEditPolicy", { type: "namespace", namespaces: ["shop", "web"] }],
        ["AmazonEKSViewPolicy", { type: "cluster" }],
      ].map(([policy, scope]) => ({
        cluster_name: "spoke-a",
        region: REGION,
        principal_arn: server,
        policy_arn: `arn:aws:eks::aws:cluster-access-policy/${String(policy)}`,
        access_scope: scope,
        depends_on: [expect.stringMatching(/^aws_eks_access_entry\.[\w-]+$/)],
        lifecycle: {
          replace_triggered_by: [expect.stringMatching(/^aws_eks_access_entry\.[\w-]+\.access_entry_arn$/)],
        },
      })),
    );
    expect(warnings(stack)).toEqual([]);
  });

  it("needs no permission of the controllers' roles", () => {
    const stack = newStack();
    enter(stack);
    expect(resources(stack, "aws_iam_role")).toHaveLength(2);
    expect(resources(stack, "aws_iam_role_policy")).toEqual([]);
    expect(resources(stack, "aws_iam_role_policy_attachment")).toEqual([]);
  });

  it("asks for RBAC beside access policies where groups are given", () => {
    const { users } = enter(newStack(), { ...VIEW, kubernetesGroups: ["fleet:edit"] });
    expect(users[0]).toMatchObject({ groups: ["fleet:edit"], authorized: false });
  });

  it("leaves rights to RBAC where groups are given", () => {
    const stack = newStack();
    const { users } = enter(stack, { kubernetesGroups: ["fleet:edit", "fleet:edit"] });
    expect(users[0]).toEqual({ subject: controllers[0], groups: ["fleet:edit"], authorized: false });
    expect(resources(stack, "aws_eks_access_entry")[0]).toMatchObject({ kubernetes_groups: ["fleet:edit"] });
    expect(resources(stack, "aws_eks_access_policy_association")).toEqual([]);
  });

  it("writes into the spoke's own account", () => {
    const stack = newStack();
    enter(stack, { ...VIEW, provider: alias(stack, "spoke") });
    for (const type of ["aws_eks_access_entry", "aws_eks_access_policy_association"])
      expect(resources(stack, type).map(({ provider }) => provider)).toEqual(["aws.spoke", "aws.spoke"]);
    expect(resources(stack, "aws_iam_role").map(({ provider }) => provider)).toEqual([undefined, undefined]);
  });

  it("uses the reference where the role's ARN is late", () => {
    const stack = newStack();
    const grants = workloadRoles().declare(stack, {
      clusterName: "hub",
      issuer: Issuer.of(ISSUER),
      accounts: [{ subject: Subject.of("kueue-system/kueue"), asks: [] }],
    }).grants;
    enter(stack, VIEW, grants);
    expect(only(stack, "aws_eks_access_entry")["principal_arn"]).toMatch(/^\$\{aws_iam_role\.[\w-]+\.arn\}$/);
  });

  it("follows a role of another stack by its id", () => {
    const app = new App();
    const [hub, spokes] = ["hub", "spokes"].map((name) => {
      const stack = new TerraformStack(app, name);
      new AwsProvider(stack, "aws", { region: REGION });
      return stack;
    });
    if (!hub || !spokes) throw new Error("no stacks");
    const grants = identities(hub);
    for (const name of ["spoke-a", "spoke-b"])
      eksSpoke({ cluster: { ...CLUSTER, name }, region: REGION, ...VIEW }).declare(spokes, {
        hub: "hub",
        spoke: name,
        controllers: grants,
      });
    spokes.prepareStack();
    expect(spokes.dependencies).toEqual([hub]);
    expect(resources(spokes, "terraform_data")).toEqual(
      controllers.map(() => ({
        triggers_replace: {
          uniqueId: expect.stringMatching(/^\$\{data\.terraform_remote_state\.[\w-]+\.outputs\.[\w-]+\}$/),
        },
      })),
    );
    const entries = resources(spokes, "aws_eks_access_entry");
    expect(entries).toHaveLength(4);
    for (const entry of entries) {
      expect(entry).not.toHaveProperty("depends_on");
      expect(entry).toMatchObject({
        lifecycle: { replace_triggered_by: [expect.stringMatching(/^terraform_data\.[\w-]+\.id$/)] },
      });
    }
  });

  it("warns of a role that this app does not declare", () => {
    const stack = newStack();
    const [grant] = identities(newStack());
    if (!grant) throw new Error("no grant");
    const { principal: _, ...plain } = grant;
    enter(stack, VIEW, [plain]);
    const entry = only(stack, "aws_eks_access_entry");
    expect(entry["principal_arn"]).toBe(application);
    expect(entry).not.toHaveProperty("lifecycle");
    expect(warnings(stack)).toEqual([expect.stringContaining("access entry is not declared in this app")]);
  });

  it("takes a cluster that is declared, and waits for it", () => {
    const stack = newStack();
    const cluster = eksCluster(stack, "API");
    const { endpoint, parameters } = eksSpoke({ cluster, region: REGION, ...VIEW });
    expect(parameters.clusterName).toBe("spoke-a");
    expect(isLate(endpoint.server) && isLate(endpoint.certificateAuthorityData)).toBe(true);
    expect(rendered(stack, endpoint)).toEqual({
      server: "${aws_eks_cluster.spoke.endpoint}",
      certificateAuthorityData: "${aws_eks_cluster.spoke.certificate_authority[0].data}",
    });
    enter(stack, { ...VIEW, cluster });
    expect(resources(stack, "aws_eks_access_entry")[0]?.["cluster_name"]).toBe(
      "${aws_eks_cluster.spoke.name}",
    );
    expect(warnings(stack)).toEqual([]);
  });

  it("takes a cluster that is looked up", () => {
    const stack = newStack();
    const cluster = new DataAwsEksCluster(stack, "spoke", { name: "spoke-a" });
    const { endpoint } = eksSpoke({ cluster, region: REGION, ...VIEW });
    expect(rendered(stack, endpoint)).toEqual({
      server: "${data.aws_eks_cluster.spoke.endpoint}",
      certificateAuthorityData: "${data.aws_eks_cluster.spoke.certificate_authority[0].data}",
    });
    enter(stack, { ...VIEW, cluster });
    expect(resources(stack, "aws_eks_access_entry")[0]?.["cluster_name"]).toBe("spoke-a");
    expect(warnings(stack)).toEqual([]);
  });

  it("warns where the mode is left to EKS", () => {
    const stack = newStack();
    enter(stack, { ...VIEW, cluster: eksCluster(stack) });
    expect(warnings(stack)).toEqual([
      expect.stringMatching(/authentication_mode.*API or API_AND_CONFIG_MAP/),
    ]);
  });

  it.each(
    refusedBy<(stack: TerraformStack) => Partial<EksSpokeProps>>({
      "aws-missing: access entries of the EKS cluster would admit the controllers but allow them nothing": {
        "no rights": () => ({}),
      },
      "aws-unsupported: does not support access entries": {
        "CONFIG_MAP, declared": (stack) => ({ ...VIEW, cluster: eksCluster(stack, "CONFIG_MAP") }),
        "CONFIG_MAP, stated": () => ({ ...VIEW, cluster: { ...CLUSTER, authenticationMode: "CONFIG_MAP" } }),
      },
      "aws-invalid: the name of the EKS cluster is missing, or not one that EKS accepts": {
        "a name that EKS refuses": () => ({ ...VIEW, cluster: { ...CLUSTER, name: "spoke a" } }),
      },
      "aws-unknown: AWS region is not known to this release of the library": {
        "a region of nowhere": () => ({ ...VIEW, region: "eu-west-9" }),
      },
      "aws-mismatch: is in another AWS partition than the rest of the chain": {
        "roles of another partition": () => ({ ...VIEW, region: "cn-north-1" }),
      },
    }),
  )("refuses %s before anything is declared", (_, props, expected) => {
    const stack = newStack();
    const grants = identities(stack);
    const given = props(stack);
    expect(() => enter(stack, given, grants)).toThrowError(code(expected));
    expect(resources(stack, "aws_eks_access_entry")).toEqual([]);
  });

  it.each<[string, readonly string[], string]>([
    ["what is no role", ["arn:aws:iam::111122223333:user/me"], "aws-invalid: is not an ARN of that kind"],
    ["a role of another partition", [`arn:aws-cn:iam::${OWNER}:role/hub`], "aws-mismatch: aws-cn"],
    [
      "one role twice",
      [`arn:aws:iam::${OWNER}:role/hub`, `arn:aws:iam::${OWNER}:role/hub`],
      "aws-conflict: with the same IAM role, which can have only one access entry there",
    ],
  ])("refuses %s", (_, arns, refusal) => {
    const stack = newStack();
    const pod = { labels: {}, env: [], volumeMounts: [], volumes: [] };
    const grants = arns.map((identity, index) => ({
      subject: Subject.of(`argocd/c${index}`),
      identity,
      annotations: {},
      pod,
    }));
    expect(() => enter(stack, VIEW, grants)).toThrowError(code(refusal, /^spoke spoke-a: /));
    expect(resources(stack, "aws_eks_access_entry")).toEqual([]);
  });

  it("adds a spoke without touching another", () => {
    const synth = (names: readonly string[]): Record<string, object> => {
      const stack = newStack();
      const grants = identities(stack);
      for (const name of names)
        eksSpoke({ cluster: { ...CLUSTER, name }, region: REGION, ...VIEW }).declare(stack, {
          hub: "hub",
          spoke: name,
          controllers: grants,
        });
      return (JSON.parse(Testing.synth(stack)) as { resource: Record<string, object> }).resource;
    };
    const count = (all: Record<string, object>): number => Object.values(all).flatMap(Object.keys).length;
    const one = synth(["spoke-b"]);
    const two = synth(["spoke-a", "spoke-b"]);
    expect(two).toMatchObject(one);
    expect(count(two)).toBe(count(one) + 4);
  });
});

function eksCluster(stack: TerraformStack, authenticationMode?: string): EksCluster {
  return new EksCluster(stack, "spoke", {
    name: "spoke-a",
    roleArn: `arn:aws:iam::${ACCOUNT}:role/eks`,
    vpcConfig: { subnetIds: ["subnet-1", "subnet-2"] },
    ...(authenticationMode !== undefined && { accessConfig: { authenticationMode } }),
  });
}
