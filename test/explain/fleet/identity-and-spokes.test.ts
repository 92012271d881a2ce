/*
 * Who enters a spoke, and what the spoke says: what would fail in the cluster is never allowed, and what this library
 * writes always is.
 */

import { describe, expect, it } from "vitest";
import type { Status } from "../../../lib/explain";
import { CONSUMERS, HUBS, SPOKES, allSpokes, twoHubs } from "../../fixtures/explain/all-spokes";
import { type Artefacts, explained, statuses } from "../../fixtures/explain/artefacts";
import {
  type Change,
  type Path,
  add,
  inDocument,
  inTerraform,
  put,
  within,
} from "../../fixtures/explain/documents";

type Hub = keyof typeof HUBS;
type Consumer = keyof typeof CONSUMERS;
type Damage = (artefacts: Artefacts) => Artefacts;

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
  const accounts = consumer === "argocd" ? 2 : 1;
  expect(results.map(({ target, verdict }) => `${target} ${verdict}`)).toEqual(
    Array.from({ length: accounts }).flatMap(() => SPOKES.map((spoke) => `${spoke} allowed`)),
  );
});

const HUB = "65-fleet-controller.yaml";
const STATUS = "61-cluster-profile-status.yaml";
const CONTROL_PLANE = "own_control-plane.yaml";
const POD: Path = ["spec", "template", "spec"];
const OTHER_ROLE = "arn:aws:iam::111122223333:role/x";
const OTHER_ID = "99999999-2222-4333-8444-555555555555";

const workload =
  (path: Path, value: unknown): Damage =>
  (all) =>
    inDocument(all, HUB, ["Deployment"], put([...POD, ...path], value));

const container = (path: Path, value: unknown): Damage => workload(["containers", 0, ...path], value);

const withoutVariables = (prefix: string): Damage =>
  container(["env"], (list: unknown) =>
    (list as { name: string }[]).filter(({ name }) => !name.startsWith(prefix)),
  );

/** The entry of a spoke in Kueue's configuration. */
const entry =
  (name: string, path: Path, value: unknown): Damage =>
  (all) =>
    inDocument(
      all,
      HUB,
      ["ConfigMap", "kueue-manager-config"],
      put(
        ["data", "controller_manager_config.yaml"],
        within(put(["multiKueue", "clusterProfile", "accessProviders", `=${name}`, ...path], value)),
      ),
    );

const told = (name: string, variable: string, value: string): Damage =>
  entry(name, ["execConfig", "env"], add({ name: variable, value }));

const profile =
  (name: string, path: Path, value: unknown): Damage =>
  (all) =>
    inDocument(all, STATUS, ["ClusterProfile", name], put(["status", "accessProviders", ...path], value));

const authentication =
  (change: Change): Damage =>
  (all) =>
    inDocument(all, CONTROL_PLANE, [undefined], put(["files", 0, "content"], within(change)));

const resource =
  (type: string, key: string, value: unknown): Damage =>
  (all) =>
    inTerraform(
      all,
      put(["resource", type], (known: unknown) =>
        Object.fromEntries(
          Object.entries(known as object).map(([name, values]) => [name, put([key], value)(values)]),
        ),
      ),
    );

const both =
  (...damages: readonly Damage[]): Damage =>
  (all) =>
    damages.reduce((changed, damage) => damage(changed), all);

type Case = readonly [string, Hub, Consumer, string, Damage, string, Status, string];

const AWS_MOUNT = both(
  withoutVariables("AWS_"),
  container(["volumeMounts"], (list: unknown) =>
    (list as { name: string }[]).filter(({ name }) => name !== "aws-token"),
  ),
);
const POLICY = "arn:aws:eks::aws:cluster-access-policy/";

const CASES: readonly Case[] = [
  // aws/amazon-eks-pod-identity-webhook: nobody else adds variables and token.
  [
    "no webhook, no variables",
    "openshift",
    "generic",
    "eks-g",
    AWS_MOUNT,
    "token-mounted",
    "fail",
    "no webhook on the hub",
  ],
  [
    "no webhook on GKE",
    "gke",
    "generic",
    "eks-g",
    AWS_MOUNT,
    "token-mounted",
    "fail",
    "no webhook on the hub",
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
    "a profile of AWS",
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
    "a profile of AWS's configuration files",
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
    "fail",
    "AZURE_AUTHORITY_HOST",
  ],
  [
    "a role of the profile's own",
    "openshift",
    "generic",
    "eks-p",
    both(
      (all) =>
        inDocument(
          all,
          HUB,
          ["ConfigMap", "clusterprofile-provider-file-fc"],
          put(
            ["data", "clusterprofile-provider-file.json"],
            within(put(["providers", "=aws-eks-p", "profileSourcedEnvVarsPolicy"], "Replace")),
          ),
        ),
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
    "a server of another cloud",
    "eks",
    "kueue",
    "eks-p",
    profile("eks-p", [0, "cluster", "server"], "@late(data.google_container_cluster.gkec.endpoint)@"),
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
    "a server that nobody declared",
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
    "a version that nobody knows",
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
    "fail",
    "another partition",
  ],
  [
    "a role without rules",
    "eks",
    "kueue",
    "eks-g",
    (all) => {
      const role =
        "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: deployer\nrules: []\n";
      return new Map(
        [...all].map(([path, text]) => [path, path.endsWith("spokes/eks-g.yaml") ? text + role : text]),
      );
    },
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

it("says that an AKS cluster which was not read is taken for one with Entra", () => {
  const [result] = explained(artefactsOf("eks", "kueue"), { spoke: "aks" });
  expect(result?.checks.find(({ id }) => id === "spoke-admits")?.reason).toContain(
    "is taken for one that is integrated",
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
  ["gw", "spoke-admits", "knows the project of a gateway by the principals of a pool of that project"],
  ["ocp-gw", "spoke-admits", "knows the Connect agent's rights"],
])("without a record, %s, %s: %s", (spoke, check) => {
  const [result] = explained(plain(), { spoke }, { cluster: { issuer: HUBS.eks.issuer, apiServer: "1.35" } });
  expect(result && statuses(result)[check]).toBe("pass");
});
