import type { Artefacts } from "../../fixtures/explain/artefacts";
import { type Damage, checks } from "../../fixtures/explain/checks";
import { cluster, question } from "../../fixtures/explain/plain";
import { ecr, rbac, record } from "../../fixtures/explain/three-clouds";

const NOTHING = "nothing lets nodes request tokens of shop/web";
const unknownVersion = record('"apiServer": "1.35"', '"apiServer": "1.99"');
const other = {
  "rbac.json": JSON.stringify({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "token-audience:sts.amazonaws.com" },
    rules: [],
  }),
};
const RESTRICTION = "ServiceAccountNodeAudienceRestriction";

checks("audience-granted", "RBAC", ecr, [
  ["as written", [], "pass"],
  [
    "no binding in the namespace",
    rbac("namespace: shop", "namespace: other"),
    "fail",
    NOTHING,
    {
      as: null,
      log: 'is forbidden: audience "sts.amazonaws.com" not found in pod spec volume, system:node:… is not authorized to request tokens for this audience',
    },
  ],
  ["another verb", rbac("request-serviceaccounts-token-audience", "get"), "fail", NOTHING],
  ["another audience", rbac("      - sts.amazonaws.com\n", "      - sts.amazonaws.com/\n"), "fail", NOTHING],
  ["an API version that is not served", rbac("k8s.io/v1\nkind", "k8s.io/v1beta1\nkind"), "fail", NOTHING],
  ["another API group", rbac('      - ""', "      - authentication.k8s.io"), "fail", NOTHING],
  [
    "none, of an API server whose version is not known",
    [rbac("request-serviceaccounts-token-audience", "other"), unknownVersion],
    "unknown",
    "the version of the API server is not known",
  ],
  [
    "a role that another folder declares differently",
    [],
    "unknown",
    "two folders declare the same role or binding differently",
    { others: [other] },
  ],
  [
    "the same, of an API server that restricts no audiences",
    [],
    "pass",
    "",
    { others: [other], cluster: { apiServerFeatureGates: { [RESTRICTION]: false } } },
  ],
]);

const ungranted = (files: Artefacts): Artefacts =>
  new Map(files).set("rbac.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n");

checks("audience-granted", "gates", question, [
  ["the default", ungranted, "fail"],
  [
    "off in the API server",
    ungranted,
    "pass",
    "",
    { cluster: { ...cluster, apiServerFeatureGates: { [RESTRICTION]: false } } },
  ],
  [
    "off in the kubelets",
    ungranted,
    "fail",
    "",
    { cluster: { ...cluster, kubeletFeatureGates: { [RESTRICTION]: false } } },
  ],
]);

/** A pod with a volume, where RBAC grants nothing. */
const mounting =
  (more: object): Damage =>
  (files) => {
    const [account = ""] = (files.get("app/deployment.yaml") ?? "").split("---\n");
    const pod = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "team" },
      spec: {
        serviceAccountName: "puller",
        containers: [{ name: "c", image: question.image }],
        volumes: [{ name: "v", ...more }],
      },
    };
    return new Map(ungranted(files)).set("app/deployment.yaml", `${account}\n---\n${JSON.stringify(pod)}`);
  };

// A CSIDriver of a pod's volume lets the kubelet request tokens for its audiences.
checks("audience-granted", "volumes of CSI drivers", { ...question, origin: "workload" }, [
  ["inline", mounting({ csi: { driver: "secrets.example.com" } }), "unknown"],
  ["of a claim", mounting({ persistentVolumeClaim: { claimName: "data" } }), "unknown"],
  ["made with the pod", mounting({ ephemeral: { volumeClaimTemplate: {} } }), "unknown"],
]);
