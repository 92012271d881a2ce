/*
 * Who enters a spoke, and what the spoke says: what would fail in the cluster is never allowed, and what this library
 * writes always is.
 */

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Status } from "../../../lib/explain";
import { CA } from "../../fixtures/fleet/ca";
import { CONSUMERS, HUBS, SPOKES, allSpokes, twoHubs } from "../../fixtures/explain/all-spokes";
import { type Artefacts, explained, statuses } from "../../fixtures/explain/artefacts";
import { type Path, add, inDocument, inTerraform, put } from "../../fixtures/explain/documents";
import { damaged } from "../../fixtures/explain/fleet";
import {
  type Damage,
  HUB,
  POD,
  authentication,
  both,
  container,
  entry,
  listed,
  profile,
  resource,
  told,
  withoutVariables,
  workload,
} from "../../fixtures/explain/fleet-damages";

type Hub = keyof typeof HUBS;
type Consumer = keyof typeof CONSUMERS;

const made = new Map<string, Artefacts>();
function artefactsOf(hub: Hub, consumer: Consumer): Artefacts {
  const key = `${hub} ${consumer}`;
  const known = made.get(key) ?? allSpokes(hub, consumer);
  made.set(key, known);
  return known;
}

const pairs = (Object.keys(HUBS) as Hub[]).flatMap((hub) =>
  (Object.keys(CONSUMERS) as Consumer[]).map((consumer) => [hub, consumer] as const),
);

it.each(pairs)("what is written for a hub %s and the consumer %s is allowed", (hub, consumer) => {
  const results = explained(artefactsOf(hub, consumer));
  const accounts = consumer.startsWith("argocd") ? 2 : 1;
  expect(results.map(({ target, verdict }) => `${target} ${verdict}`)).toEqual(
    Array.from({ length: accounts }).flatMap(() => SPOKES.map((spoke) => `${spoke} allowed`)),
  );
});

const OTHER_ROLE = "arn:aws:iam::111122223333:role/x";
const TENANT = "11111111-2222-4333-8444-555555555555";
const OTHER_ID = "99999999-2222-4333-8444-555555555555";

const kubelogin = (...flags: readonly string[]): Damage =>
  entry("azure-aks", ["execConfig", "args"], (args: unknown) => [...(args as string[]), ...flags]);

const recorded =
  (path: Path, value: unknown): Damage =>
  (all) =>
    damaged(all, "workload-identity.json", (text) =>
      JSON.stringify(put(["clusters", 0, "fleet", ...path], value)(JSON.parse(text))),
    );

/** The address of a cluster, as a state tells it. */
const clusterAt =
  (type: string, name: string, endpoint: string): Damage =>
  (all) =>
    inTerraform(all, put(["data", type, name, "endpoint"], endpoint));

/** The role of the binding stands beside it. */
const withRole =
  (rules: string): Damage =>
  (all) =>
    damaged(
      all,
      "spokes/eks-g.yaml",
      (text) =>
        `${text}---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: deployer }\n${rules}\n`,
    );

/** The plugin of a spoke on EKS is called without the name of the cluster. */
const unnamed = (name: string): Damage => entry(name, ["execConfig", "args"], ["token"]);
/** Source: kubernetes-sigs/aws-iam-authenticator, cmd/aws-iam-authenticator/root.go: the variable of --cluster-id. */
const CLUSTER_ID = "KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID";

type Case = readonly [string, Hub, Consumer, string, Damage, string, Status, string];

const AWS_MOUNT = both(
  withoutVariables("AWS_"),
  container(["volumeMounts"], (list: unknown) =>
    (list as { name: string }[]).filter(({ name }) => name !== "aws-token"),
  ),
);
const POLICY = "arn:aws:eks::aws:cluster-access-policy/";

const CASES: readonly Case[] = [
  // aws/amazon-eks-pod-identity-webhook: no one else adds variables and token.
  [
    "no webhook, no variables",
    "openshift",
    "generic",
    "eks-g",
    AWS_MOUNT,
    "token-mounted",
    "fail",
    "the hub has no webhook",
  ],
  [
    "no webhook on GKE",
    "gke",
    "generic",
    "eks-g",
    AWS_MOUNT,
    "token-mounted",
    "fail",
    "the hub has no webhook",
  ],
  [
    "no webhook, and variables of an object that is not read",
    "openshift",
    "generic",
    "eks-g",
    both(AWS_MOUNT, container(["envFrom"], [{ configMapRef: { name: "settings" } }])),
    "token-mounted",
    "unknown",
    "known only inside the cluster",
  ],
  // kubernetes-sigs/cluster-inventory-api: variables of the entry are above those of the pod.
  [
    "another role for the plugin",
    "eks",
    "kueue",
    "eks-g",
    told("aws-eks-g", "AWS_ROLE_ARN", OTHER_ROLE),
    "identity-named",
    "unknown",
    OTHER_ROLE,
  ],
  [
    "a cluster's name that only the cluster tells",
    "eks",
    "kueue",
    "eks-g",
    both(
      unnamed("aws-eks-g"),
      container(
        ["env"],
        add({ name: CLUSTER_ID, valueFrom: { configMapKeyRef: { name: "settings", key: "name" } } }),
      ),
    ),
    "plugin-called",
    "unknown",
    "unless an unknown variable supplies it",
  ],
  [
    "a cluster's name that apply tells",
    "eks",
    "kueue",
    "eks-p",
    both(
      unnamed("aws-eks-p"),
      container(["env"], add({ name: CLUSTER_ID, value: "@late(data.aws_eks_cluster.eksc.name)@" })),
    ),
    "plugin-called",
    "pass",
    "is called as it must be",
  ],
  [
    "a cluster's name that is empty",
    "eks",
    "kueue",
    "eks-g",
    both(unnamed("aws-eks-g"), told("aws-eks-g", CLUSTER_ID, "")),
    "plugin-called",
    "fail",
    "without --cluster-id",
  ],
  [
    "another token for the plugin",
    "eks",
    "kueue",
    "eks-g",
    told("aws-eks-g", "AWS_WEB_IDENTITY_TOKEN_FILE", "/x"),
    "token-mounted",
    "fail",
    "AWS_WEB_IDENTITY_TOKEN_FILE to /x",
  ],
  [
    "a profile in the AWS configuration files",
    "eks",
    "kueue",
    "eks-g",
    told("aws-eks-g", "AWS_PROFILE", "x"),
    "token-mounted",
    "unknown",
    "AWS_PROFILE",
  ],
  [
    "a flag for a profile of AWS",
    "eks",
    "kueue",
    "eks-g",
    entry("aws-eks-g", ["execConfig", "args"], (args: unknown) => [...(args as string[]), "--profile", "x"]),
    "spoke-admits",
    "unknown",
    "a profile in the AWS configuration files",
  ],
  // argoproj/argo-cd: cmd/argocd-k8s-auth/commands/aws.go
  [
    "a flag for a profile of AWS, Argo CD",
    "eks",
    "argocd",
    "eks-g",
    listed("argocd-clusterprofile-controller", "aws-eks-g", ["execConfig", "args"], (args: unknown) => [
      ...(args as string[]),
      "--profile",
      "x",
    ]),
    "spoke-admits",
    "unknown",
    "a profile in the AWS configuration files",
  ],
  [
    "another credential file for the plugin",
    "eks",
    "kueue",
    "gke-d",
    told("google-gke-d", "GOOGLE_APPLICATION_CREDENTIALS", "/x"),
    "token-mounted",
    "fail",
    "GOOGLE_APPLICATION_CREDENTIALS",
  ],
  [
    "another tenant for the plugin",
    "eks",
    "kueue",
    "aks",
    told("azure-aks", "AZURE_TENANT_ID", OTHER_ID),
    "token-mounted",
    "fail",
    OTHER_ID,
  ],
  [
    "another tenant in the container",
    "eks",
    "kueue",
    "aks",
    container(["env", "=AZURE_TENANT_ID", "value"], OTHER_ID),
    "token-mounted",
    "fail",
    OTHER_ID,
  ],
  [
    "the Entra of another cloud",
    "eks",
    "kueue",
    "aks",
    container(["env", "=AZURE_AUTHORITY_HOST", "value"], "https://login.microsoftonline.us/"),
    "spoke-admits",
    "unknown",
    "a different authority",
  ],
  [
    "an Entra that only the cluster tells",
    "eks",
    "kueue",
    "aks",
    container(["env", "=AZURE_AUTHORITY_HOST"], {
      name: "AZURE_AUTHORITY_HOST",
      valueFrom: { configMapKeyRef: { name: "settings", key: "host" } },
    }),
    "token-mounted",
    "unknown",
    "or at which Entra, is not known",
  ],
  [
    "an Entra that only the cluster tells, beside the webhook",
    "eks",
    "kueue",
    "aks",
    both(
      recorded(["podIdentityWebhooks"], ["aws", "azure"]),
      (all) =>
        inDocument(
          all,
          HUB,
          ["Deployment"],
          put(["spec", "template", "metadata"], { labels: { "azure.workload.identity/use": "true" } }),
        ),
      container(["env", "=AZURE_AUTHORITY_HOST"], {
        name: "AZURE_AUTHORITY_HOST",
        valueFrom: { configMapKeyRef: { name: "settings", key: "host" } },
      }),
    ),
    "spoke-admits",
    "unknown",
    "a different authority",
  ],
  // Azure/kubelogin: pkg/internal/token/options.go, variables are above flags.
  [
    "another way to sign in",
    "eks",
    "kueue",
    "aks",
    told("azure-aks", "AAD_LOGIN_METHOD", "msi"),
    "spoke-admits",
    "fail",
    "logs in by msi",
  ],
  [
    "variables of Terraform's provider",
    "eks",
    "kueue",
    "aks",
    kubelogin("--use-azurerm-env-vars"),
    "spoke-admits",
    "unknown",
    "--use-azurerm-env-vars",
  ],
  [
    "variables that are left alone, and no flags",
    "eks",
    "kueue",
    "aks",
    kubelogin("--disable-environment-override", "--client-id", "x", "--tenant-id", TENANT),
    "spoke-admits",
    "unknown",
    "--disable-environment-override",
  ],
  [
    "variables that are left alone, and flags for another token",
    "eks",
    "kueue",
    "aks",
    kubelogin(
      "--disable-environment-override",
      "--client-id=x",
      `--tenant-id=${TENANT}`,
      "--federated-token-file=/x",
    ),
    "spoke-admits",
    "unknown",
    "--disable-environment-override",
  ],
  [
    "a role of the profile's own",
    "openshift",
    "generic",
    "eks-p",
    both(
      listed("fc", "aws-eks-p", ["profileSourcedEnvVarsPolicy"], "Replace"),
      profile(
        "eks-p",
        [0, "cluster", "extensions"],
        [
          {
            name: "clusterprofiles.multicluster.x-k8s.io/exec/additional-envs",
            extension: { AWS_ROLE_ARN: OTHER_ROLE },
          },
        ],
      ),
    ),
    "identity-named",
    "unknown",
    OTHER_ROLE,
  ],
  [
    "pods of another service account",
    "openshift",
    "generic",
    "eks-g",
    workload(["serviceAccountName"], "default"),
    "controller-present",
    "fail",
    "run as ops/default",
  ],
  [
    "pods that read profiles as another service account",
    "eks",
    "argocd",
    "eks-g",
    (all) =>
      inDocument(
        all,
        HUB,
        ["Deployment", "argocd-clusterprofile-controller"],
        put([...POD, "serviceAccountName"], "default"),
      ),
    "profile-readable",
    "fail",
    "run as argocd/default",
  ],
  [
    "a server of another cloud",
    "eks",
    "kueue",
    "eks-p",
    profile("eks-p", [0, "cluster"], {
      server: "@late(data.google_container_cluster.gkec.endpoint)@",
      "certificate-authority-data": CA,
    }),
    "spoke-admits",
    "fail",
    "leads to data.google_container_cluster.gkec",
  ],
  [
    "a server of another cloud, from GKE",
    "eks",
    "kueue",
    "gke-d",
    profile("gke-d", [0, "cluster"], {
      server: "@late(data.aws_eks_cluster.eksc.endpoint)@",
      "certificate-authority-data": CA,
    }),
    "spoke-admits",
    "fail",
    "leads to data.aws_eks_cluster.eksc",
  ],
  [
    "a server of another cloud, from AKS",
    "eks",
    "kueue",
    "aks-r",
    profile("aks-r", [0, "cluster"], {
      server: "@late(data.aws_eks_cluster.eksc.endpoint)@",
      "certificate-authority-data": CA,
    }),
    "spoke-admits",
    "fail",
    "leads to data.aws_eks_cluster.eksc",
  ],
  [
    "a server that a state tells of another cluster",
    "eks",
    "kueue",
    "eks-g",
    clusterAt("aws_eks_cluster", "eksc", "https://eksg.example.com"),
    "spoke-admits",
    "fail",
    "leads to eksc",
  ],
  [
    "a server that a state tells of another cloud's cluster",
    "eks",
    "kueue",
    "eks-g",
    clusterAt("google_container_cluster", "gkec", "eksg.example.com"),
    "spoke-admits",
    "fail",
    "leads to data.google_container_cluster.gkec",
  ],
  [
    "an access provider of another spoke",
    "eks",
    "kueue",
    "own",
    profile("own", [], (list: unknown) => [
      { ...(list as object[])[0], name: "aws-eks-p" },
      ...(list as object[]),
    ]),
    "spoke-admits",
    "fail",
    "chooses aws-eks-p",
  ],
  [
    "a server that no one declared",
    "eks",
    "kueue",
    "eks-g",
    profile("eks-g", [0, "cluster", "server"], "https://evil.example"),
    "spoke-admits",
    "unknown",
    "https://evil.example",
  ],
  // kubernetes:staging/src/k8s.io/apiserver/pkg/apis/apiserver/validation
  [
    "a certificate that is none",
    "eks",
    "kueue",
    "own",
    authentication(put(["jwt", 0, "issuer", "certificateAuthority"], "nope")),
    "issuer-trusted",
    "fail",
    "certificateAuthority",
  ],
  [
    "a discovery URL that is the issuer",
    "eks",
    "kueue",
    "own",
    authentication(put(["jwt", 0, "issuer", "discoveryURL"], HUBS.eks.issuer)),
    "issuer-trusted",
    "fail",
    "discoveryURL",
  ],
  [
    "an issuer twice",
    "eks",
    "kueue",
    "own",
    authentication(put(["jwt"], (list: unknown) => [...(list as object[]), ...(list as object[])])),
    "issuer-trusted",
    "fail",
    "twice",
  ],
  [
    "a version that no one knows",
    "eks",
    "kueue",
    "own",
    authentication(put(["apiVersion"], "apiserver.config.k8s.io/v9")),
    "issuer-trusted",
    "fail",
    "v9",
  ],
  // awsdocs/amazon-eks-user-guide: creating-access-entries, access-policy-reference
  [
    "an entry for nodes",
    "eks",
    "kueue",
    "eks-p",
    resource("aws_eks_access_entry", "type", "EC2_LINUX"),
    "spoke-admits",
    "fail",
    "no access entry",
  ],
  [
    "an entry of a type known only after apply",
    "eks",
    "kueue",
    "eks-p",
    resource("aws_eks_access_entry", "type", "${var.type}"),
    "spoke-admits",
    "unknown",
    "no access entry",
  ],
  [
    "a policy that is not known",
    "eks",
    "kueue",
    "eks-p",
    resource("aws_eks_access_policy_association", "policy_arn", `${POLICY}Nope`),
    "spoke-authorizes",
    "unknown",
    "Nope",
  ],
  [
    "a policy of another partition",
    "eks",
    "kueue",
    "eks-p",
    resource(
      "aws_eks_access_policy_association",
      "policy_arn",
      `${POLICY.replace(":aws:", ":aws-cn:")}AmazonEKSEditPolicy`,
    ),
    "spoke-authorizes",
    "unknown",
    "is not known here",
  ],
  [
    "a role without rules",
    "eks",
    "kueue",
    "eks-g",
    withRole("rules: []"),
    "spoke-authorizes",
    "fail",
    "which allows nothing",
  ],
  [
    "a role with a rule for nothing",
    "eks",
    "kueue",
    "eks-g",
    withRole('rules: [{ verbs: ["get"], apiGroups: [""] }]'),
    "spoke-authorizes",
    "fail",
    "which allows nothing",
  ],
  [
    "a role that the API server refuses, since its rule names no API group",
    "eks",
    "kueue",
    "eks-g",
    withRole('rules: [{ verbs: ["*"], resources: ["pods"] }]'),
    "spoke-authorizes",
    "fail",
    "which allows nothing",
  ],
  [
    "a role of a namespace for the whole cluster",
    "eks",
    "kueue",
    "eks-g",
    (all) => inDocument(all, "spokes/eks-g.yaml", ["ClusterRoleBinding"], put(["roleRef", "kind"], "Role")),
    "spoke-authorizes",
    "unknown",
    "no binding",
  ],
  [
    "an agent that may not act as the user",
    "eks",
    "kueue",
    "ocp-gw",
    (all) =>
      inDocument(all, "spokes/ocp-gw.yaml", ["ClusterRole"], put(["rules", 0, "resourceNames"], ["other"])),
    "spoke-admits",
    "fail",
    "Connect agent",
  ],
  [
    "another project's gateway",
    "eks",
    "kueue",
    "gw",
    profile("gw", [0, "cluster", "server"], (server: unknown) =>
      String(server).replace("123456789012", "999999999999"),
    ),
    "spoke-admits",
    "unknown",
    "999999999999",
  ],
];

describe("what would fail is never allowed", () => {
  it.each(CASES)("%s (%s, %s, %s)", (_, hub, consumer, spoke, damage, check, status, reason) => {
    const [result] = explained(damage(artefactsOf(hub, consumer)), { spoke });
    expect(result && statuses(result)[check]).toBe(status);
    expect(result?.verdict).not.toBe("allowed");
    expect(result?.checks.find(({ id }) => id === check)?.reason).toContain(reason);
  });
});

it.each<[string, Hub, Consumer, string, Damage]>([
  // awsdocs/amazon-eks-user-guide: the webhook is part of the control plane, whatever was stated.
  [
    "an EKS hub of which the webhook was not stated",
    "eks",
    "kueue",
    "eks-g",
    recorded(["podIdentityWebhooks"], []),
  ],
  [
    "a role with rules",
    "eks",
    "kueue",
    "eks-g",
    withRole('rules: [{ verbs: ["*"], apiGroups: [""], resources: ["pods"] }]'),
  ],
  [
    "a variable that no one reads",
    "eks",
    "kueue",
    "eks-p",
    told("aws-eks-p", "AWS_STS_REGIONAL_ENDPOINTS", "regional"),
  ],
  [
    "a cluster's name in a variable",
    "eks",
    "kueue",
    "eks-g",
    both(unnamed("aws-eks-g"), container(["env"], add({ name: CLUSTER_ID, value: "eksg" }))),
  ],
  [
    "variables of an object that is not read, beside all that are needed",
    "openshift",
    "generic",
    "aks",
    container(["envFrom"], [{ configMapRef: { name: "settings" } }]),
  ],
  [
    "the server's address from a state",
    "eks",
    "kueue",
    "eks-g",
    (all) =>
      inTerraform(
        all,
        put(["data", "aws_eks_cluster", "other"], { name: "eksg", endpoint: "https://eksg.example.com" }),
      ),
  ],
])("stays allowed: %s", (_, hub, consumer, spoke, change) => {
  const [result] = explained(change(artefactsOf(hub, consumer)), { spoke });
  expect(result?.verdict).toBe("allowed");
});

it("two hubs cannot both write the file of one spoke's API servers", () => {
  const results = explained(twoHubs());
  expect(results.map(({ stack, verdict }) => [stack, verdict])).toEqual([
    ["hub-a", "unknown"],
    ["hub-b", "unknown"],
  ]);
  for (const { checks } of results)
    expect(checks.find(({ id }) => id === "issuer-trusted")?.reason).toContain(
      "writes another AuthenticationConfiguration for the same API servers",
    );
});

it("two hubs can write files of which one or both have the entries of both", () => {
  const files = twoHubs();
  const [ofA, ofB] = ["hub-a", "hub-b"].map((hub) => {
    const setup = parse(files.get(`stacks/${hub}/spokes/own_control-plane.yaml`) ?? "") as {
      files: { content: string }[];
    };
    return (parse(setup.files[0]?.content ?? "") as { jwt: Record<string, unknown>[] }).jwt;
  });
  const verdicts = (...given: Parameters<typeof twoHubs>): readonly string[] =>
    explained(twoHubs(...given)).map(({ verdict }) => verdict);
  expect(verdicts({ "hub-a": ofB ?? [], "hub-b": ofA ?? [] })).toEqual(["allowed", "allowed"]);
  // With the other hub's file, the spoke would not know the second hub.
  expect(verdicts({ "hub-b": ofA ?? [] })).toEqual(["allowed", "unknown"]);
});

it("says that an AKS cluster which was not read is taken for one with Entra", () => {
  const [result] = explained(artefactsOf("eks", "kueue"), { spoke: "aks" });
  expect(result?.checks.find(({ id }) => id === "spoke-admits")?.reason).toContain(
    "is assumed to be integrated",
  );
});

/** What other people's files are: no record. */
const plain = (): Artefacts =>
  new Map(
    [...artefactsOf("eks", "kueue")].flatMap(([path, text]) =>
      path.endsWith("workload-identity.json")
        ? []
        : [[path.replace(/^stacks\/[^/]+\//, "plain/"), text] as const],
    ),
  );

it.each([
  ["own", "issuer-trusted", "finds the files of a control plane by their own name"],
  ["gw", "spoke-admits", "does not know the project of a gateway, which has its number", "unknown"],
  ["ocp-gw", "spoke-admits", "does not know it with the Connect agent's rights either", "unknown"],
])("without a record, %s, %s: %s", (spoke, check, _why, status = "pass") => {
  const [result] = explained(plain(), { spoke }, { cluster: { issuer: HUBS.eks.issuer, apiServer: "1.35" } });
  expect(result && statuses(result)[check]).toBe(status);
});

it.each([
  [
    "a server that no one knows",
    HUBS.eks.issuer,
    "spoke-admits",
    "whether the server of eks-g, https://eksg.example.com, is an EKS cluster's is not known",
  ],
  [
    "a hub of which nothing says that the webhook runs",
    "https://hub.example",
    "token-mounted",
    "it is not recorded whether the cluster runs the pod identity webhook of AWS",
  ],
])("without a record, %s is unknown", (_, issuer, check, reason) => {
  const [result] = explained(plain(), { spoke: "eks-g" }, { cluster: { issuer, apiServer: "1.35" } });
  const found = result?.checks.find(({ id }) => id === check);
  expect([found?.status, found?.reason]).toEqual(["unknown", expect.stringContaining(reason)]);
});
