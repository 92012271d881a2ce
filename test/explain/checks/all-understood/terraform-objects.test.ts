/*
 * Kubernetes objects in resources of Terraform that are not read, or of which it is not known in which cluster they are,
 * open the chains of service accounts that they name; webhooks open those of the objects that they are for.
 *
 * Source: the documentation of hashicorp/kubernetes, hashicorp/helm and gavinbunney/kubectl.
 */

import { question } from "../../../fixtures/explain/admission";
import type { Artefacts } from "../../../fixtures/explain/artefacts";
import { type Row, checks } from "../../../fixtures/explain/checks";

const terraform =
  (...resources: readonly (readonly [type: string, values: object])[]) =>
  (files: Artefacts): Artefacts => {
    const resource: Record<string, Record<string, object>> = {};
    for (const [place, [type, values]] of resources.entries())
      resource[type] = { ...resource[type], [`x${place}`]: values };
    return new Map([...files, ["iam/more.tf.json", JSON.stringify({ resource })]]);
  };

const account = (name: string, more: object = {}): object => ({
  manifest: { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "team" } },
  ...more,
});
const text = (name: string): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "team" } });
const chart = (more: object): readonly [string, object] => [
  "helm_release",
  { name: "web", namespace: "team", chart: "./web", ...more },
];
const named = { api_version: "v1", kind: "ServiceAccount", metadata: { name: "puller", namespace: "team" } };
const NAMED = "what is not read names the service account team/puller";

const NAMING: readonly Row[] = [
  ["as text", terraform(["kubectl_manifest", { yaml_body: text("puller") }]), "unknown", NAMED],
  ["as text of another", terraform(["kubectl_manifest", { yaml_body: text("other") }]), "pass"],
  [
    "in a chart's values",
    terraform(chart({ values: ["serviceAccount:\n  create: true\n  name: puller\n"] })),
    "unknown",
    NAMED,
  ],
  [
    "in a chart's settings",
    terraform(chart({ set: [{ name: "serviceAccount.name", value: "puller" }] })),
    "unknown",
    NAMED,
  ],
  ["in a chart that names none", terraform(chart({ values: ["replicas: 2"] })), "pass"],
  [
    "in a chart of another namespace",
    terraform(chart({ namespace: "shop", values: ["serviceAccount:\n  name: puller\n"] })),
    "pass",
  ],
  ["with more labels", terraform(["kubernetes_labels", { ...named, labels: { a: "b" } }]), "unknown", NAMED],
  [
    "that pods only use",
    terraform([
      "kubernetes_deployment_v1",
      {
        metadata: { name: "x", namespace: "team" },
        spec: { template: { spec: { service_account_name: "puller" } } },
      },
    ]),
    "pass",
  ],
  [
    "of one of several clusters",
    terraform(
      ["kubernetes_manifest", account("puller", { provider: "kubernetes.blue" })],
      ["kubernetes_manifest", account("other", { provider: "kubernetes.green" })],
    ),
    "unknown",
    "Terraform also has ServiceAccount team/puller, and it is not known for which cluster",
  ],
  [
    "other than those of several clusters",
    terraform(
      ["kubernetes_manifest", account("a", { provider: "kubernetes.blue" })],
      ["kubernetes_manifest", account("other", { provider: "kubernetes.green" })],
    ),
    "pass",
  ],
];

checks("all-understood", "a service account", question, NAMING);

const rule = {
  api_groups: [""],
  api_versions: ["v1"],
  operations: ["CREATE"],
  resources: ["pods", "serviceaccounts"],
};
const hook = (more: object = {}, type = "mutating", others: object = {}): readonly [string, object] => [
  `kubernetes_${type}_webhook_configuration_v1`,
  {
    metadata: { name: "x" },
    webhook: [{ name: "a.example.com", rule: [rule], ...more }],
    ...others,
  },
];
const inNamespace = (...values: readonly string[]): object => ({
  namespace_selector: [
    { match_expressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values }] },
  ],
});
const CHANGES = "MutatingWebhookConfiguration x may change service accounts in namespace team";

checks("all-understood", "webhooks", question, [
  ["that change it", terraform(hook()), "unknown", CHANGES],
  [
    "of the type without a version",
    terraform(["kubernetes_mutating_webhook_configuration", hook()[1]]),
    "unknown",
    CHANGES,
  ],
  ["that refuse it", terraform(hook({}, "validating")), "unknown", "may refuse service accounts"],
  ["for its namespace", terraform(hook(inNamespace("team"))), "unknown", CHANGES],
  ["for another namespace", terraform(hook(inNamespace("shop"))), "pass"],
  ["for other objects", terraform(hook({ rule: [{ ...rule, resources: ["ingresses"] }] })), "pass"],
  [
    "for objects with a label",
    terraform(hook({ object_selector: [{ match_labels: { inject: "yes" } }] })),
    "pass",
  ],
  [
    "with rules from a variable",
    terraform(hook({ rule: [{ ...rule, resources: "${var.resources}" }] })),
    "unknown",
    "MutatingWebhookConfiguration kubernetes-mutating-webhook-configuration-v1-x0 may change",
  ],
  ["as often as a variable says", terraform(hook({}, "mutating", { count: "${var.count}" })), "unknown"],
  [
    "of one of several clusters",
    terraform(hook({}, "mutating", { provider: "kubernetes.blue" }), [
      "kubernetes_manifest",
      account("other", { provider: "kubernetes.green" }),
    ]),
    "unknown",
    CHANGES,
  ],
]);
