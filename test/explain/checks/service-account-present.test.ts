import { checks } from "../../fixtures/explain/checks";
import { synthesized } from "../../fixtures/explain/artefacts";
import { cluster, plain } from "../../fixtures/explain/plain";
import { HOST, accounts, ecr, objects } from "../../fixtures/explain/three-clouds";

const IMAGE = `${HOST}/team/web:v1`;
const ROLE = "eks.amazonaws.com/ecr-role-arn";
const written = {
  artefacts: new Map(Object.entries(plain)),
  serviceAccount: "team/puller",
  image: IMAGE,
  cluster,
};
const none =
  "the service account team/default exists, as every namespace has one of that name; no manifest annotates it";

/** The plain artefacts with other manifests of the application. */
const instead =
  (...documents: readonly object[]) =>
  (files: ReadonlyMap<string, string>) =>
    new Map(files).set("app/deployment.yaml", documents.map((each) => JSON.stringify(each)).join("\n---\n"));
const pod = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "team", ...metadata },
  spec: { containers: [{ name: "c", image: IMAGE }], ...spec },
});
const account = (name: string, more: object = {}) => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: {
    name,
    namespace: "team",
    annotations: { [ROLE]: "arn:aws:iam::111122223333:role/team/puller" },
  },
  ...more,
});

checks("service-account-present", "a declared one", ecr, [
  ["that is written", [], "pass"],
  [
    "that is written under another name",
    accounts("  name: web\n", "  name: wep\n"),
    "fail",
    "is in none of the manifests",
    { log: 'serviceaccounts "web" not found' },
  ],
  [
    "where no service account is written",
    accounts("kind: ServiceAccount", "kind: ConfigMap"),
    "fail",
    "is in none of the manifests",
  ],
]);

checks("service-account-present", "one of plain manifests", written, [
  ["that is written", [], "pass"],
  [
    "in a list of its kind, whose items need not say theirs",
    instead({
      apiVersion: "v1",
      kind: "ServiceAccountList",
      items: [{ metadata: account("puller").metadata }],
    }),
    "pass",
  ],
  [
    "that a patch may delete",
    (files) =>
      new Map(files).set("app/patch.json", JSON.stringify({ ...account("puller"), $patch: "delete" })),
    "unknown",
  ],
  [
    "that is not read",
    instead(pod({ serviceAccountName: "defaults" })),
    "unknown",
    "",
    { serviceAccount: "team/defaults", origin: "workload" },
  ],
]);

checks("service-account-present", "the one named default", { ...written, serviceAccount: "team/default" }, [
  ["that no manifest writes", instead(pod()), "pass", none, { verdict: "denied" }],
  ["that a manifest writes", instead(pod(), account("default")), "pass"],
  [
    "of a namespace that no manifest names",
    [],
    "pass",
    "",
    { serviceAccount: "elsewhere/default", verdict: "denied" },
  ],
]);

const MIRROR = { annotations: { "kubernetes.io/config.mirror": "9f86d081" } };
const source = (text: string): object => ({ annotations: { "kubernetes.io/config.source": text } });
const STATIC =
  "Pod team/p is a static pod, which has no service account and gets no token; requireServiceAccount skips the plugin";
const withoutRequirement = (files: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const node = (files.get("node/credential-provider.json") ?? "")
    .replace('"requireServiceAccount":true', '"requireServiceAccount":false')
    .replace(
      `"requiredServiceAccountAnnotationKeys":["${ROLE}"]`,
      '"optionalServiceAccountAnnotationKeys":[]',
    );
  return instead(pod({}, MIRROR))(new Map(files).set("node/credential-provider.json", node));
};

checks(
  "service-account-present",
  "a static pod",
  { ...written, serviceAccount: "team/default", origin: "workload" },
  [
    [
      "as the API server shows it",
      instead(pod({}, MIRROR)),
      "fail",
      STATIC,
      { as: null, log: "Service account name is empty" },
    ],
    ["by the place that it is from", instead(pod({}, source("file"))), "fail", STATIC, { as: null }],
    [
      "whose entry does not insist on a service account",
      withoutRequirement,
      "fail",
      "",
      { as: "node identity", verdict: "unknown" },
    ],
    ["from the API, which is none", instead(pod({}, source("api"))), "pass", "", { verdict: "denied" }],
  ],
);

/** A pod of the account `shop/web`, which chooses its nodes. */
const choosing = (spec: object) =>
  objects({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "shop" },
    spec: { serviceAccountName: "web", containers: [{ name: "a", image: `${HOST}/shop/web:1` }], ...spec },
  });
const selecting = (label: string, value = "") => choosing({ nodeSelector: { [label]: value } });
/** A required node affinity with one of these systems. */
const required = (values: readonly string[]) => {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: "kubernetes.io/os", operator: "In", values }] }];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  return choosing({ affinity: { nodeAffinity } });
};

checks(
  "service-account-present",
  "a pod that chooses its nodes",
  { artefacts: synthesized("openshift-aws"), serviceAccount: "shop/web", origin: "workload" },
  [
    ["none of them", choosing({}), "pass"],
    ["workers", selecting("node-role.kubernetes.io/worker"), "pass"],
    ["a pool that takes the workers' files", selecting("node-role.kubernetes.io/infra"), "pass"],
    ["masters", selecting("node-role.kubernetes.io/master"), "unknown"],
    ["the control plane", selecting("node-role.kubernetes.io/control-plane"), "unknown"],
    ["Linux", selecting("kubernetes.io/os", "linux"), "pass"],
    ["Windows", selecting("kubernetes.io/os", "windows"), "unknown"],
    ["Windows, by the pod's system", choosing({ os: { name: "windows" } }), "unknown"],
    ["Windows, by required affinity", required(["windows"]), "unknown"],
    ["Windows or Linux, by required affinity", required(["windows", "linux"]), "unknown"],
    ["Linux, by required affinity", required(["linux"]), "pass"],
  ],
);
