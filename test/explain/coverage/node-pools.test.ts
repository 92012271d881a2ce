/*
 * Pools of nodes beside the one that is set up: a pod may run on any of them, so a pull is not allowed if one of the
 * cluster's pools carries no setup, or takes none.
 */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ExplainResult, explain } from "../../../lib/explain";
import { type Artefacts, type ExampleName, heldFolder, synthesized } from "../../fixtures/explain/artefacts";

const MANIFEST = "pools.yaml";

type Resources = Readonly<Record<string, Readonly<Record<string, object>>>>;

/** The artefacts of an example with further resources and manifests. */
function withPools(name: ExampleName, resources: Resources, manifest = ""): Artefacts {
  const files = new Map(synthesized(name));
  const path = [...files.keys()].find((each) => each.endsWith("cdk.tf.json")) ?? "";
  const stack = JSON.parse(files.get(path) ?? "") as Record<"resource" | "data", Record<string, object>>;
  for (const [type, all] of Object.entries(resources)) {
    const [kind, name] = type.startsWith("data.")
      ? (["data", type.slice(5)] as const)
      : (["resource", type] as const);
    stack[kind] = { ...stack[kind], [name]: { ...stack[kind]?.[name], ...all } };
  }
  files.set(path, JSON.stringify(stack));
  return manifest === "" ? files : files.set(MANIFEST, manifest);
}

function judged(files: Artefacts): readonly ExplainResult[] {
  const folder = heldFolder(files);
  const manifests = files.has(MANIFEST) ? [join(folder, MANIFEST)] : [];
  return explain([folder, ...manifests]).filter(({ job }) => job === "image-pull");
}

const text = (results: readonly ExplainResult[]): string =>
  JSON.stringify(results.map(({ checks }) => checks));

const base64 = (plain: string): string => Buffer.from(plain).toString("base64");

const TAG = { key: "kubernetes.io/cluster/shop", value: "owned", propagate_at_launch: true };
const SIZE = { max_size: 3, min_size: 1 };
const group = (more: object): object => ({ name: "batch", ...SIZE, ...more });
const BARE = { bare: { name: "bare", instance_type: "m7i.large" } };
const SET_UP = {
  id: "${aws_launch_template.nodes.id}",
  version: "${aws_launch_template.nodes.latest_version}",
};
const nodeGroup = (more: object): object => ({
  cluster_name: "shop",
  node_group_name: "old",
  ami_type: "AL2023_x86_64_STANDARD",
  launch_template: SET_UP,
  ...more,
});
const PARAMETER =
  "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/standard/recommended/image_id";
const CLASS = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "gpu" };

const BOTTLEROCKET = `[settings.kubernetes]
cluster-name = "shop"
[settings.kubernetes.credential-providers.ecr-credential-provider-tokens]
enabled = true
image-patterns = ["*.dkr.ecr.*.amazonaws.com"]
`;

function nodePool(nodeClassRef: object, apiVersion = "karpenter.sh/v1"): string {
  return JSON.stringify({
    apiVersion,
    kind: "NodePool",
    metadata: { name: "spare" },
    spec: { template: { spec: { nodeClassRef } } },
  });
}

type Row = readonly [what: string, resources: Resources, reason: string, manifest?: string];

const rows = (all: readonly Row[]) =>
  all.map(([what, resources, reason, manifest]) => ({ what, resources, reason, manifest }));

const ON_EKS: readonly Row[] = [
  [
    "a node group of another version with the setup",
    { aws_eks_node_group: { old: nodeGroup({ version: "1.33" }) } },
    "the nodes old have the kubelet 1.33, but 1.35 is recorded",
  ],
  [
    "a node group with the AMI of another version",
    { aws_eks_node_group: { old: nodeGroup({ release_version: "1.33.5-20260714" }) } },
    "the nodes old have the kubelet 1.33.5-20260714, but 1.35 is recorded",
  ],
  [
    "a launch template with the image of another version",
    {
      aws_launch_template: {
        old: {
          name: "old",
          image_id: `resolve:ssm:${PARAMETER}`,
          user_data: "${aws_launch_template.nodes.user_data}",
        },
      },
      aws_eks_node_group: {
        old: nodeGroup({ ami_type: "CUSTOM", launch_template: { name: "old", version: "$Latest" } }),
      },
    },
    "the nodes old have the kubelet 1.33, but 1.35 is recorded",
  ],
  [
    "an Auto Scaling group whose launch template has no user data",
    {
      aws_launch_template: BARE,
      aws_autoscaling_group: {
        batch: group({
          tag: [TAG],
          launch_template: { id: "${aws_launch_template.bare.id}", version: "$Latest" },
        }),
      },
    },
    "of the nodes batch was read",
  ],
  [
    "an Auto Scaling group that gives its nodes a script",
    {
      aws_launch_template: {
        bare: { name: "bare", user_data: base64("#!/bin/sh\n/etc/eks/bootstrap.sh shop\n") },
      },
      aws_autoscaling_group: { batch: group({ launch_template: { name: "bare", version: "$Latest" } }) },
    },
    "of the nodes batch was read",
  ],
  [
    "an Auto Scaling group whose user data names the cluster",
    {
      aws_launch_template: {
        bare: {
          name: "bare",
          user_data: '${base64encode(templatefile("x", {c = aws_eks_cluster.cluster.name}))}',
        },
      },
      aws_autoscaling_group: { batch: group({ launch_template: { name: "bare", version: "$Latest" } }) },
    },
    "of the nodes batch was read",
  ],
  [
    "an Auto Scaling group with the default version, which Terraform does not move",
    { aws_autoscaling_group: { batch: group({ tag: [TAG], launch_template: { id: SET_UP.id } }) } },
    "another version of its launch template",
  ],
  [
    "an Auto Scaling group with tags that are not known",
    {
      aws_autoscaling_group: {
        batch: group({
          launch_template: { name: "other" },
          dynamic: { tag: { for_each: "${var.tags}", content: { key: "${tag.key}" } } },
        }),
      },
    },
    "of the nodes batch was read",
  ],
  [
    "an Auto Scaling group with a launch configuration",
    {
      aws_launch_configuration: {
        old: { name: "old", user_data: "#!/bin/sh\n/etc/eks/bootstrap.sh shop" },
      },
      aws_autoscaling_group: {
        batch: group({ tag: [TAG], launch_configuration: "${aws_launch_configuration.old.name}" }),
      },
    },
    "of the nodes batch was read",
  ],
  [
    "an Auto Scaling group with a launch template that was not read",
    {
      aws_autoscaling_group: {
        batch: group({ tag: [TAG], launch_template: { id: "lt-1", version: "3" } }),
      },
    },
    "its launch template was not read",
  ],
  [
    "mixed instances of which some have another launch template",
    {
      aws_launch_template: BARE,
      aws_autoscaling_group: {
        batch: group({
          tag: [TAG],
          mixed_instances_policy: {
            launch_template: {
              launch_template_specification: {
                launch_template_id: SET_UP.id,
                version: SET_UP.version,
              },
              override: [
                { instance_type: "m7i.large" },
                { launch_template_specification: { launch_template_id: "${aws_launch_template.bare.id}" } },
              ],
            },
          },
        }),
      },
    },
    "of the nodes batch",
  ],
  [
    "Bottlerocket's settings as user data",
    {
      aws_launch_template: {
        bare: {
          name: "bare",
          user_data: base64(BOTTLEROCKET),
        },
      },
      aws_autoscaling_group: {
        batch: group({ tag: [TAG], launch_template: { name: "bare", version: "$Latest" } }),
      },
    },
    "Bottlerocket",
  ],
  [
    "a Karpenter NodePool whose node class was not read",
    {},
    "its EC2NodeClass gpu was not read",
    nodePool(CLASS),
  ],
  [
    "a NodePool of an older API",
    {},
    "its EC2NodeClass gpu was not read",
    nodePool(
      { apiVersion: "karpenter.k8s.aws/v1beta1", kind: "EC2NodeClass", name: "gpu" },
      "karpenter.sh/v1beta1",
    ),
  ],
  [
    "a NodePool of EKS Auto Mode",
    {},
    "EKS Auto Mode",
    nodePool({ group: "eks.amazonaws.com", kind: "NodeClass", name: "default" }),
  ],
  [
    "a NodePool of a kind of class that is not known",
    {},
    "ScalewayNodeClass",
    nodePool({ group: "x.io", kind: "ScalewayNodeClass", name: "a" }),
  ],
  [
    "a node class whose user data is Bottlerocket's settings",
    {},
    "its user data is for Bottlerocket",
    JSON.stringify({
      apiVersion: "karpenter.k8s.aws/v1",
      kind: "EC2NodeClass",
      metadata: { name: "gpu" },
      spec: { amiSelectorTerms: [{ alias: "bottlerocket@latest" }], userData: BOTTLEROCKET },
    }),
  ],
  [
    "EKS Auto Mode",
    {
      aws_eks_cluster: {
        auto: { name: "shop", compute_config: { enabled: true, node_pools: ["general-purpose"] } },
      },
    },
    "EKS Auto Mode",
  ],
];

describe("pulls on EKS", () => {
  it.each(rows(ON_EKS))("are not allowed with $what", ({ resources, reason, manifest }) => {
    const results = judged(withPools("eks-nodeadm", resources, manifest));
    expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(["unknown"]));
    expect(text(results)).toContain(reason);
  });

  it.each<[string, Resources, string?]>([
    [
      "an Auto Scaling group with the setup",
      { aws_autoscaling_group: { batch: group({ tag: [TAG], launch_template: SET_UP }) } },
    ],
    [
      "an Auto Scaling group with the setup on an image of EKS",
      {
        aws_launch_template: {
          own: {
            name: "own",
            image_id: "${data.aws_ssm_parameter.image.value}",
            user_data: "${aws_launch_template.nodes.user_data}",
            update_default_version: true,
          },
        },
        "data.aws_ssm_parameter": {
          image: {
            name: "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/recommended/image_id",
          },
        },
        aws_autoscaling_group: { batch: group({ tag: [TAG], launch_template: { name: "own" } }) },
      },
    ],
    [
      "mixed instances with the setup",
      {
        aws_autoscaling_group: {
          batch: group({
            tag: [TAG],
            mixed_instances_policy: {
              launch_template: {
                launch_template_specification: {
                  launch_template_id: SET_UP.id,
                  version: "$Latest",
                },
                override: [{ instance_type: "m7i.large" }],
              },
            },
          }),
        },
      },
    ],
    [
      "an Auto Scaling group of another cluster",
      {
        aws_launch_template: BARE,
        aws_autoscaling_group: {
          batch: group({
            tag: [{ ...TAG, key: "kubernetes.io/cluster/other" }],
            launch_template: { name: "bare" },
          }),
        },
      },
    ],
    [
      "an Auto Scaling group of web servers",
      {
        aws_launch_template: {
          bare: { name: "bare", user_data: base64("#!/bin/sh\nyum install -y nginx\n") },
        },
        aws_autoscaling_group: {
          batch: group({
            tag: [{ key: "Name", value: "web", propagate_at_launch: true }],
            launch_template: { name: "bare" },
          }),
        },
      },
    ],
    [
      "EKS Auto Mode that is off",
      { aws_eks_cluster: { auto: { name: "shop", compute_config: { enabled: false } } } },
    ],
    [
      "Auto Mode and AKS of other clusters",
      {
        aws_eks_cluster: { auto: { name: "other", compute_config: { enabled: true } } },
        azurerm_kubernetes_cluster: { other: { name: "other", default_node_pool: { name: "system" } } },
      },
    ],
    ["a NodePool of another API", {}, nodePool(CLASS, "x.io/v1")],
  ])("stay allowed with %s", (_, resources, manifest) => {
    const results = judged(withPools("eks-nodeadm", resources, manifest));
    expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(["allowed"]));
  });

  it("are allowed with a NodePool whose class carries the setup", () => {
    const files = synthesized("eks-nodeadm");
    const [, carried = ""] = [...files].find(([path]) => path.includes("ec2-node-classes")) ?? [];
    const name = /^metadata:\n {2}name: (\S+)/m.exec(carried)?.[1];
    const results = judged(withPools("eks-nodeadm", {}, nodePool({ ...CLASS, name })));
    expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(["allowed"]));
  });
});

const AKS = { name: "edge", default_node_pool: { name: "system", vm_size: "Standard_D4s_v5" } };
const GKE = { name: "edge", location: "europe-west1" };

const ELSEWHERE: readonly (readonly [
  what: string,
  resources: Resources,
  reason: string,
  manifest?: string,
])[] = [
  ["an AKS cluster", { azurerm_kubernetes_cluster: { edge: AKS } }, "AKS writes"],
  [
    "an AKS node pool",
    {
      azurerm_kubernetes_cluster: { edge: AKS },
      azurerm_kubernetes_cluster_node_pool: {
        gpu: { name: "gpu", kubernetes_cluster_id: "${azurerm_kubernetes_cluster.edge.id}" },
      },
    },
    "AKS writes",
  ],
  [
    "an AKS node pool of a cluster that was not read",
    {
      azurerm_kubernetes_cluster_node_pool: {
        gpu: {
          name: "gpu",
          kubernetes_cluster_id:
            "/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/edge",
        },
      },
    },
    "AKS writes",
  ],
  [
    "a NodePool of AKS",
    {},
    "AKS writes",
    nodePool({ group: "karpenter.azure.com", kind: "AKSNodeClass", name: "default" }),
  ],
  ["a GKE cluster", { google_container_cluster: { edge: { ...GKE, initial_node_count: 1 } } }, "GKE writes"],
  [
    "a GKE cluster's inline pool",
    {
      google_container_cluster: {
        edge: {
          ...GKE,
          remove_default_node_pool: true,
          node_pool: [{ name: "a", node_config: { machine_type: "n2" } }],
        },
      },
    },
    "GKE writes",
  ],
  ["GKE Autopilot", { google_container_cluster: { edge: { ...GKE, enable_autopilot: true } } }, "GKE writes"],
  [
    "a GKE node pool",
    {
      google_container_cluster: { edge: { ...GKE, remove_default_node_pool: true } },
      google_container_node_pool: { gpu: { name: "gpu", cluster: "${google_container_cluster.edge.id}" } },
    },
    "GKE writes",
  ],
  [
    "a GKE node pool that names its cluster",
    { google_container_node_pool: { gpu: { name: "gpu", cluster: "edge" } } },
    "GKE writes",
  ],
  [
    "a managed node group of EKS",
    {
      aws_eks_node_group: {
        a: { node_group_name: "a", cluster_name: "edge", ami_type: "AL2023_x86_64_STANDARD" },
      },
    },
    "of the nodes a was read",
  ],
];

describe("pulls on other nodes", () => {
  it.each(rows(ELSEWHERE))("are not allowed with $what", ({ resources, reason, manifest }) => {
    const results = judged(withPools("rke2", resources, manifest));
    expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(["unknown"]));
    expect(text(results)).toContain(reason);
  });

  it("say what to do on nodes that take no setup", () => {
    const results = judged(withPools("rke2", { azurerm_kubernetes_cluster: { edge: AKS } }));
    expect(text(results)).toContain("keep the pods off these nodes");
  });

  it.each<[string, Resources, string?]>([
    [
      "clusters of other names",
      {
        azurerm_kubernetes_cluster: { hub: { ...AKS, name: "hub" } },
        azurerm_kubernetes_cluster_node_pool: {
          gpu: { name: "gpu", kubernetes_cluster_id: "${azurerm_kubernetes_cluster.hub.id}" },
        },
        google_container_cluster: { hub: { ...GKE, name: "hub" } },
        google_container_node_pool: { gpu: { name: "gpu", cluster: "${google_container_cluster.hub.name}" } },
      },
    ],
    [
      "a GKE cluster that has removed its default pool",
      { google_container_cluster: { edge: { ...GKE, remove_default_node_pool: true } } },
    ],
  ])("stay allowed with %s", (_, resources, manifest) => {
    const results = judged(withPools("rke2", resources, manifest));
    expect(new Set(results.map(({ verdict }) => verdict))).toEqual(new Set(["allowed"]));
  });
});

it("is asked about the cluster beside it where a group names none", () => {
  const bare = withPools("rke2", {
    aws_launch_template: { bare: { name: "bare", user_data: base64("#!/bin/sh\nrke2 agent\n") } },
    aws_autoscaling_group: { batch: group({ launch_template: { name: "bare", version: "$Latest" } }) },
  });
  const renamed = [...bare].map(([path, each]): [string, string] => [
    path.replace("edge", "west"),
    each.replaceAll("edge", "west"),
  ]);
  const both = [...synthesized("rke2"), ...renamed].filter(([path]) => path.startsWith("stacks/"));
  const results = judged(new Map(both));
  const verdicts = new Set(results.map(({ stack, verdict }) => `${stack} ${verdict}`));
  expect(verdicts).toEqual(new Set(["edge allowed", "west unknown"]));
});

it("is judged what a group gives nodes in another form", () => {
  const setup = "${base64encode(local.nodes_rke2_yaml)}";
  const given = (user_data: string): Resources => ({
    aws_launch_template: { rke2: { name: "rke2", user_data } },
    aws_autoscaling_group: { batch: group({ launch_template: { name: "rke2", version: "$Latest" } }) },
  });
  const verdicts = (files: Artefacts): ReadonlySet<string> =>
    new Set(judged(files).map(({ verdict }) => verdict));
  expect(verdicts(withPools("rke2", given(setup)))).toEqual(new Set(["allowed"]));
  const [, stack = ""] = [...synthesized("rke2")].find(([path]) => path.endsWith("cdk.tf.json")) ?? [];
  const { locals } = JSON.parse(stack) as { locals: { nodes_rke2_yaml: string } };
  const changed = locals.nodes_rke2_yaml.replace("tokenAttributes", "x");
  expect(verdicts(withPools("rke2", given(base64(changed))))).toEqual(new Set(["denied"]));
  const late = setup.replace("local.nodes_rke2_yaml", "chomp(local.nodes_rke2_yaml)");
  expect(verdicts(withPools("rke2", given(late)))).toEqual(new Set(["unknown"]));
});
