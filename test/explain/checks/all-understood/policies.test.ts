/*
 * Policies of Kyverno and Gatekeeper open the chains whose objects they cover if they may write a field that is read.
 */

import { beside, object, question } from "../../../fixtures/explain/admission";
import { type Row, checks } from "../../../fixtures/explain/checks";

const kyverno = (rules: object, spec: object = {}, kind = "ClusterPolicy", metadata: object = {}): object =>
  object("kyverno.io/v1", kind)({ spec: { ...spec, rules: [rules] } }, metadata);
const matching = (...kinds: readonly string[]): object => ({ match: { any: [{ resources: { kinds } }] } });
const overlay = (patchStrategicMerge: object, kind = "Pod"): object =>
  kyverno({ ...matching(kind), mutate: { patchStrategicMerge } });
const image = { spec: { containers: [{ "(name)": "*", image: "mirror.example.com/x" }] } };
const mutate = { patchStrategicMerge: image };
const jsonPatch = (path: string): object =>
  kyverno({
    ...matching("Pod"),
    mutate: { patchesJson6902: `- path: "${path}"\n  op: replace\n  value: x` },
  });
const enforced = { validate: { failureAction: "Enforce", pattern: {} } };

const KYVERNO: readonly Row[] = [
  ["another image", beside(overlay(image)), "unknown", "ClusterPolicy x may change pods in namespace team"],
  ["another image where one is", beside(overlay({ spec: { containers: [{ "=(image)": "y" }] } })), "unknown"],
  ["a secret to pull with", beside(overlay({ spec: { "+(imagePullSecrets)": [{ name: "a" }] } })), "unknown"],
  [
    "a label of Azure's webhook",
    beside(overlay({ metadata: { labels: { "+(azure.workload.identity/use)": "true" } } })),
    "unknown",
  ],
  ["any label", beside(overlay({ metadata: { labels: { "+(team)": "a" } } })), "pass"],
  [
    "a label from a variable",
    beside(overlay({ metadata: { labels: { "{{ request.object.a }}": "a" } } })),
    "unknown",
  ],
  [
    "settings of security",
    beside(
      overlay({ spec: { containers: [{ "(name)": "?*", securityContext: { "+(privileged)": false } }] } }),
    ),
    "pass",
  ],
  [
    "no token of the API server",
    beside(overlay({ automountServiceAccountToken: false }, "ServiceAccount")),
    "pass",
  ],
  [
    "a role of a service account",
    beside(
      overlay({ metadata: { annotations: { "eks.amazonaws.com/ecr-role-arn": "x" } } }, "ServiceAccount"),
    ),
    "unknown",
    "may change service accounts",
  ],
  [
    "a template of pods",
    beside(overlay({ spec: { template: { spec: { tolerations: [{ key: "a" }] } } } }, "Deployment")),
    "pass",
  ],
  ["an image in JSON", beside(jsonPatch("/spec/containers/0/image")), "unknown"],
  ["a container in JSON", beside(jsonPatch("/spec/containers/-")), "unknown"],
  ["a toleration in JSON", beside(jsonPatch("/spec/tolerations/-")), "pass"],
  ["each of a list", beside(kyverno({ ...matching("Pod"), mutate: { foreach: [] } })), "unknown"],
  ["other objects", beside(kyverno({ ...matching("ConfigMap"), mutate })), "pass"],
  ["any objects", beside(kyverno({ ...matching("*"), mutate })), "unknown"],
  [
    "objects of a group",
    beside(kyverno({ ...matching("apps/v1/Deployment"), mutate })),
    "unknown",
    "Deployment objects",
  ],
  [
    "pods of other namespaces",
    beside(kyverno({ match: { all: [{ resources: { kinds: ["Pod"], namespaces: ["shop*"] } }] }, mutate })),
    "pass",
  ],
  [
    "pods of all but this namespace",
    beside(
      kyverno({ ...matching("Pod"), exclude: { any: [{ resources: { namespaces: ["team"] } }] }, mutate }),
    ),
    "pass",
  ],
  [
    "pods of others than someone",
    beside(
      kyverno({
        ...matching("Pod"),
        exclude: { any: [{ resources: { namespaces: ["team"], names: ["a"] } }] },
        mutate,
      }),
    ),
    "unknown",
  ],
  [
    "pods of its own namespace",
    beside(kyverno({ ...matching("Pod"), mutate }, {}, "Policy", { namespace: "shop" })),
    "pass",
  ],
  [
    "pods of this namespace",
    beside(kyverno({ ...matching("Pod"), mutate }, {}, "Policy", { namespace: "team" })),
    "unknown",
    "Policy team/x may change pods",
  ],
  [
    "nothing, but refuses",
    beside(kyverno({ ...matching("Pod"), ...enforced })),
    "unknown",
    "ClusterPolicy x may refuse pods",
  ],
  [
    "nothing, and only reports",
    beside(kyverno({ ...matching("Pod"), validate: { pattern: {} } }, { validationFailureAction: "Audit" })),
    "pass",
  ],
  [
    "nothing, and refuses as a whole",
    beside(
      kyverno({ ...matching("Pod"), validate: { pattern: {} } }, { validationFailureAction: "enforce" }),
    ),
    "unknown",
  ],
  [
    "nothing, but makes objects",
    beside(kyverno({ ...matching("Namespace"), generate: { kind: "NetworkPolicy" } })),
    "pass",
  ],
];

const assign = (spec: object, kind = "Assign"): object =>
  object(
    "mutations.gatekeeper.sh/v1",
    kind,
  )({
    spec: {
      applyTo: [{ groups: [""], kinds: ["Pod"], versions: ["v1"] }],
      location: "spec.containers[name:*].image",
      ...spec,
    },
  });
const constraint = (spec: object): object =>
  object("constraints.gatekeeper.sh/v1beta1", "K8sAllowedRepos")({ spec });
const OF_PODS = { kinds: [{ apiGroups: [""], kinds: ["Pod"] }] };

const GATEKEEPER: readonly Row[] = [
  ["another image", beside(assign({})), "unknown", "Assign x may change pods in namespace team"],
  [
    "settings of security",
    beside(assign({ location: "spec.containers[name:*].securityContext.privileged" })),
    "pass",
  ],
  ["a pod's settings of security", beside(assign({ location: "spec.securityContext" })), "pass"],
  ["whole containers", beside(assign({ location: "spec.containers" })), "unknown"],
  [
    "a label",
    beside(
      assign({ applyTo: undefined, location: "metadata.labels.owner", match: OF_PODS }, "AssignMetadata"),
    ),
    "pass",
  ],
  [
    "a label of Azure's webhook",
    beside(
      assign(
        { applyTo: undefined, location: 'metadata.labels."azure.workload.identity/use"' },
        "AssignMetadata",
      ),
    ),
    "unknown",
  ],
  ["the list of pull secrets", beside(assign({ location: "spec.imagePullSecrets" }, "ModifySet")), "unknown"],
  ["other objects", beside(assign({ applyTo: [{ groups: ["apps"], kinds: ["StatefulSet"] }] })), "pass"],
  ["pods of other namespaces", beside(assign({ match: { namespaces: ["shop-*"] } })), "pass"],
  ["pods of all but this namespace", beside(assign({ match: { excludedNamespaces: ["tea*"] } })), "pass"],
  [
    "nothing, but refuses pods",
    beside(constraint({ match: OF_PODS })),
    "unknown",
    "K8sAllowedRepos x may refuse pods",
  ],
  ["nothing, and warns", beside(constraint({ match: OF_PODS, enforcementAction: "warn" })), "pass"],
  [
    "nothing, and refuses others",
    beside(constraint({ match: { kinds: [{ apiGroups: [""], kinds: ["Service"] }] } })),
    "pass",
  ],
];

checks("all-understood", "Kyverno, which writes", question, KYVERNO);
checks("all-understood", "Gatekeeper, which writes", question, GATEKEEPER);
