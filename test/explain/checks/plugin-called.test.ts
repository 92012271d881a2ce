import { type Artefacts, edited } from "../../fixtures/explain/artefacts";
import { CLUSTER_SECRETS, config } from "../../fixtures/explain/cluster-secrets";
import { add, inDocument, put } from "../../fixtures/explain/documents";
import { damaged } from "../../fixtures/explain/fleet";
import { fleetChecks, spokeIn, spokeOf } from "../../fixtures/explain/fleet-checks";
import {
  HUB,
  POD,
  both,
  container,
  entry,
  listed,
  told,
  unrecorded,
} from "../../fixtures/explain/fleet-damages";
import { CA } from "../../fixtures/fleet/ca";

const ID = "plugin-called";
/** Source: kubernetes-sigs/aws-iam-authenticator, cmd/aws-iam-authenticator/root.go: the variable of --cluster-id. */
const CLUSTER_ID = "KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID";

const args = (...list: readonly string[]): ReturnType<typeof entry> =>
  entry("aws-eks-g", ["execConfig", "args"], list);
const WITHOUT_ID = "aws-iam-authenticator is called without --cluster-id";

fleetChecks(ID, "aws-iam-authenticator", spokeOf("eks-g"), [
  ["as written", [], "pass", "is called as it must be"],
  ["without token", args("version", "--cluster-id", "eksg"), "fail", "is called without token"],
  ["without --cluster-id", args("token"), "fail", WITHOUT_ID],
  ["with an empty --cluster-id", args("token", "--cluster-id", ""), "fail", WITHOUT_ID],
  ["with an empty variable", both(args("token"), told("aws-eks-g", CLUSTER_ID, "")), "fail", WITHOUT_ID],
  [
    "with the variable",
    both(args("token"), container(["env"], add({ name: CLUSTER_ID, value: "eksg" }))),
    "pass",
  ],
  [
    "with a variable that apply tells",
    both(
      args("token"),
      container(["env"], add({ name: CLUSTER_ID, value: "@late(data.aws_eks_cluster.eksc.name)@" })),
    ),
    "pass",
    "is called as it must be",
    { verdict: "unknown" },
  ],
  [
    "with a variable that only the cluster tells",
    both(
      args("token"),
      container(["env"], add({ name: CLUSTER_ID, valueFrom: { configMapKeyRef: { name: "c", key: "k" } } })),
    ),
    "unknown",
    "unless an unknown variable supplies it",
  ],
  [
    "with a variable that it does not read",
    told("aws-eks-g", "AWS_STS_REGIONAL_ENDPOINTS", "regional"),
    "pass",
  ],
]);

const AKS = "6dae42f8-4368-4678-94ff-3960e28e3630";
const OTHER = "00000000-0000-0000-0000-000000000000";

/** Source: Azure/kubelogin:docs, `6dae42f8-…` is the server of all AKS clusters with Microsoft Entra. */
fleetChecks(ID, "kubelogin", spokeOf("aks"), [
  ["as written", [], "pass"],
  [
    "without --server-id",
    entry("azure-aks", ["execConfig", "args"], ["get-token", "--login", "workloadidentity"]),
    "fail",
    `kubelogin is called without --server-id (${AKS} for AKS)`,
  ],
  [
    "with another login",
    entry("azure-aks", ["execConfig", "args", 2], "azurecli"),
    "fail",
    "kubelogin is called without --login workloadidentity",
  ],
  ["with another server id", [HUB, AKS, OTHER], "fail"],
  ["with another server id, without a record", (all) => unrecorded(edited(all, [[HUB, AKS, OTHER]])), "fail"],
]);

/** Argo CD's own plugin is given another server id, and the spoke's server is another one. */
const otherServer =
  (server: string) =>
  (all: Artefacts): Artefacts =>
    edited(
      damaged(all, HUB, (text) =>
        text.replaceAll(
          /("azure"\s*\],)/g,
          `$1 "env": [{ "name": "AAD_SERVER_APPLICATION_ID", "value": "${OTHER}" }],`,
        ),
      ),
      [["61-cluster-profile-status.yaml", "k.hcp.westeurope.azmk8s.io:443", server]],
    );

fleetChecks(ID, "argocd-k8s-auth for another server id", spokeOf("aks", "argocd"), [
  ["at a server of AKS", (all) => unrecorded(otherServer("k.hcp.westeurope.azmk8s.io:443")(all)), "fail"],
  ["at another server", (all) => unrecorded(otherServer("shop.example")(all)), "unknown"],
  ["at a server that was declared for AKS", otherServer("shop.example"), "fail"],
  [
    "which only the cluster tells",
    (all) =>
      inDocument(
        all,
        HUB,
        ["StatefulSet"],
        put(
          [...POD, "containers", 0, "env"],
          add({ name: "AAD_SERVER_APPLICATION_ID", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }),
        ),
      ),
    "unknown",
  ],
]);

const TEMPLATE = "{{ .ClusterProfileName }}";
const READER = "argocd-clusterprofile-controller";

fleetChecks(ID, "argocd-k8s-auth", spokeOf("eks-g", "argocd"), [
  ["without --cluster-name", [HUB, '"--cluster-name"', '"--name"'], "fail", "--cluster-name"],
  [
    "with a template in a variable",
    listed(READER, "aws-eks-g", ["execConfig", "env"], [{ name: "AWS_REGION", value: TEMPLATE }]),
    "unknown",
    "Argo CD fills templates only into arguments, but the variable AWS_REGION has one",
  ],
]);

fleetChecks(ID, "a cluster Secret", { artefacts: CLUSTER_SECRETS, spoke: "eks-g" }, [
  [
    "without --cluster-name",
    config(["execProviderConfig", "args"], ["aws"]),
    "fail",
    "is called without --cluster-name",
  ],
  [
    "with awsAuthConfig",
    config([], { awsAuthConfig: { clusterName: "eksg" }, tlsClientConfig: { caData: CA } }),
    "pass",
    "argocd-k8s-auth",
  ],
]);

fleetChecks(ID, "another plugin", spokeIn("fleet-multikueue", "cpu-1"), [
  [
    "of another name",
    [HUB, "aws-iam-authenticator/aws-iam-authenticator", "aws-iam-authenticator/my-plugin"],
    "unknown",
    "my-plugin is not known here",
  ],
]);

fleetChecks(ID, "the plugin of self-managed spokes", spokeIn("fleet-multikueue", "on-prem"), [
  ["as written", [], "pass"],
  ["with another script", [HUB, "|| exit 1\n", "|| exit 2\n"], "unknown", "is not judged here"],
]);
