/*
 * What was read of API servers and kubelets, against what is recorded or stated of them. Sources: kubernetes,
 * cmd/kube-apiserver/app/options and pkg/kubeapiserver/options; plugin/pkg/auth/authorizer/node (nodes get service accounts only
 * with the gate on); EKS user guide, "Kubernetes versions".
 */

import type { ExampleName } from "../../../fixtures/explain/artefacts";
import { synthesized } from "../../../fixtures/explain/artefacts";
import { AUTHENTICATION, INGRESS, accessArtefacts } from "../../../fixtures/explain/access";
import { beside, object, question } from "../../../fixtures/explain/admission";
import { type Damage, type Row, checks } from "../../../fixtures/explain/checks";

const GATE = "KubeletServiceAccountTokenForCredentialProviders";
const ISSUER = question.cluster.issuer;
const OFF = `switch the feature gate ${GATE} off`;
const OTHER = "https://oidc.example.com/other";

const server = (...args: readonly string[]): Damage =>
  beside(
    object("v1", "Pod")(
      {
        spec: { containers: [{ name: "a", image: "kube-apiserver", command: ["kube-apiserver", ...args] }] },
      },
      {
        name: "kube-apiserver-a",
        namespace: "kube-system",
        annotations: { "kubernetes.io/config.mirror": "9d2c" },
      },
    ),
  );
const kubeadm = (apiServer: object): Damage =>
  beside(object("kubeadm.k8s.io/v1beta4", "ClusterConfiguration")({ apiServer }));
const node = (kubeletVersion: string): Damage =>
  beside(object("v1", "Node")({ status: { nodeInfo: { kubeletVersion } } }, { name: "node-1" }));

const machines = (version: string): Damage =>
  beside(
    object("cluster.x-k8s.io/v1beta1", "MachineDeployment")({ spec: { template: { spec: { version } } } }),
  );
const clusterVersion = (version: string): Damage =>
  beside(
    object("config.openshift.io/v1", "ClusterVersion")(
      { status: { desired: { version } } },
      { name: "version" },
    ),
  );
const plane = (version: string): Damage =>
  beside(object("controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane")({ spec: { version } }));

checks("all-understood", "arguments of kube-apiserver", question, [
  ["as recorded", server(`--service-account-issuer=${ISSUER}`, `--feature-gates=${GATE}=true`), "pass"],
  ["with the usual modes", server("--authorization-mode=Node,RBAC"), "pass"],
  ["with another gate off", server("--feature-gates=ImageVolume=false"), "pass"],
  ["with the gate off", server(`--feature-gates=A=true,${GATE}=false`), "unknown", OFF],
  ["with all of its stage off", server("--feature-gates=AllBeta=false"), "unknown", "AllBeta off"],
  ["with another issuer", server(`--service-account-issuer=${OTHER}`), "unknown", `have the issuer ${OTHER}`],
  [
    "with an issuer that signs no more",
    server(`--service-account-issuer=${ISSUER}`, `--service-account-issuer=${OTHER}`),
    "pass",
  ],
  [
    "without the node authorizer",
    server("--authorization-mode=RBAC"),
    "unknown",
    "leave the node authorizer out",
  ],
  ["of kubeadm", kubeadm({ extraArgs: [{ name: "feature-gates", value: `${GATE}=false` }] }), "unknown", OFF],
  [
    "of kubeadm that do not matter",
    kubeadm({ extraArgs: [{ name: "profiling", value: "false" }], certSANs: ["a"] }),
    "pass",
  ],
]);

checks("all-understood", "nodes of the cluster", question, [
  ["with the recorded kubelet", node("v1.34.7-eks-1"), "pass"],
  ["with another", node("v1.33.1"), "unknown", "Node node-1 has the kubelet v1.33.1, but 1.34 is recorded"],
  ["with one whose rules are not known", node("v1.99.0"), "unknown", "has the kubelet v1.99.0"],
  ["that Cluster API makes of the recorded version", machines("v1.34.2"), "pass"],
  [
    "that Cluster API makes of another",
    machines("v1.33.4"),
    "unknown",
    "MachineDeployment x has the kubelet v1.33.4",
  ],
  [
    "whose control plane has another",
    plane("v1.33.4"),
    "unknown",
    "KubeadmControlPlane x has the API server v1.33.4",
  ],
]);

checks(
  "all-understood",
  "the version of OpenShift",
  { ...question, cluster: { ...question.cluster, openShift: { version: "4.22", platform: "aws" } } },
  [
    ["as recorded", clusterVersion("4.22.3"), "pass"],
    [
      "another",
      clusterVersion("4.20.3"),
      "unknown",
      "ClusterVersion version has OpenShift 4.20.3, but 4.22 is recorded",
    ],
  ],
);

checks("all-understood", "objects that change nodes and API servers", question, [
  [
    "an image that the cluster builds",
    beside(object("machineconfiguration.openshift.io/v1", "MachineOSConfig")({ spec: {} })),
    "unknown",
    "MachineOSConfig x, which is not read, may change what nodes run",
  ],
  [
    "authorizers",
    beside(object("apiserver.config.k8s.io/v1", "AuthorizationConfiguration")({ authorizers: [] })),
    "unknown",
    "AuthorizationConfiguration x, which is not read, may change",
  ],
]);

const mode = (credentialsMode: string): object =>
  object("operator.openshift.io/v1", "CloudCredential")({ spec: { credentialsMode } }, { name: "cluster" });
const written = (more: object): Damage => [
  AUTHENTICATION,
  "apiVersion: config.openshift.io/v1\n",
  `${JSON.stringify(more)}\n---\napiVersion: config.openshift.io/v1\n`,
];
const component = { artefacts: accessArtefacts("aws"), serviceAccount: INGRESS };
checks("all-understood", "the mode of the Cloud Credential Operator", component, [
  ["in which it writes nothing", written(mode("Manual")), "pass"],
  ["of which nothing is said", written(mode("")), "pass"],
  [
    "in which it writes Secrets",
    written(mode("Mint")),
    "unknown",
    "CloudCredential cluster has the mode Mint",
  ],
]);
checks("all-understood", "a mode that no pull rests on", question, [["", beside(mode("Mint")), "pass"]]);

/** An example with a text in one of its files replaced. */
function example(name: ExampleName, serviceAccount: string, rows: readonly Row[]): void {
  const image = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop/web:v1";
  checks("all-understood", name, { artefacts: synthesized(name), serviceAccount, image }, rows);
}

const patch = (args: string): Damage => [
  "talos.yaml",
  "machine:\n",
  `cluster:\n  apiServer:\n    extraArgs: {${args}}\nmachine:\n`,
];
example("talos", "shop/web", [
  ["an argument that does not matter", patch("profiling: 'false'"), "pass"],
  ["the gate off", patch(`feature-gates: "${GATE}=false"`), "unknown", OFF],
  ["another issuer", patch(`service-account-issuer: "${OTHER}"`), "unknown", `have the issuer ${OTHER}`],
]);

const file = (content: string): Damage => [
  "rke2.yaml",
  "write_files:\n",
  `write_files:\n  - path: /etc/rancher/rke2/config.yaml.d/90-more.yaml\n    content: "${content}"\n`,
];
example("rke2", "shop/web", [
  [
    "lists that extend others",
    file("kube-apiserver-arg+: [profiling=false]\\nkubelet-arg+: [max-pods=200]"),
    "pass",
  ],
  ["the gate off", file(`kube-apiserver-arg: ['feature-gates=${GATE}=false']`), "unknown", OFF],
  [
    "another issuer",
    file(`kube-apiserver-arg+: ['service-account-issuer=${OTHER}']`),
    "unknown",
    `have the issuer ${OTHER}`,
  ],
]);

example("eks-nodeadm", "shop/web", [
  [
    "a cluster of another version",
    ["cdk.tf.json", '"version": "1.35"', '"version": "1.33"'],
    "unknown",
    "the EKS cluster shop has the version 1.33, but 1.35 is recorded",
  ],
]);
