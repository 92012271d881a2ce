/*
 * Webhooks and admission policies of the API server open the chains whose objects they cover, and no others.
 */

import { expect, it } from "vitest";
import { explain } from "../../../../lib/explain";
import { type ExampleName, folderOf, heldFolder, synthesized } from "../../../fixtures/explain/artefacts";
import {
  ADMISSION,
  beside,
  inNamespace,
  object,
  question,
  rule,
  webhook,
} from "../../../fixtures/explain/admission";
import { type Row, checks } from "../../../fixtures/explain/checks";

const validating = (rules: readonly object[], more: object = {}): object =>
  webhook(rules, more, "x", "Validating");
const namespace = (labels: object): object => object("v1", "Namespace")({}, { name: "team", labels });
const OPT_IN = { namespaceSelector: { matchLabels: { inject: "true" } } };

const PODS = [rule(["pods"])];
const MAY = "MutatingWebhookConfiguration x may change";

const WEBHOOKS: readonly Row[] = [
  ["of pods", beside(webhook(PODS)), "unknown", `${MAY} pods in namespace team; see what it changes`],
  ["of service accounts", beside(webhook([rule(["serviceaccounts"])])), "unknown", `${MAY} service accounts`],
  ["of tokens", beside(webhook([rule(["serviceaccounts/token"])])), "unknown", `${MAY} tokens of service`],
  [
    "of all resources",
    beside(webhook([rule(["*"], { apiGroups: ["*"] })])),
    "unknown",
    `${MAY} service accounts`,
  ],
  ["of all subresources", beside(webhook([rule(["*/*"])])), "unknown", MAY],
  ["of pods and their parts", beside(webhook([rule(["pods/*", "pods/status"])])), "pass"],
  [
    "of what the pods come from",
    beside(webhook([rule(["deployments"], { apiGroups: ["apps"] })])),
    "unknown",
    `${MAY} Deployment objects`,
  ],
  ["of what no pods come from", beside(webhook([rule(["statefulsets"], { apiGroups: ["apps"] })])), "pass"],
  ["of another group", beside(webhook([rule(["*"], { apiGroups: ["cert-manager.io"] })])), "pass"],
  ["of objects without a namespace", beside(webhook([rule(["*"], { scope: "Cluster" })])), "pass"],
  ["of what is deleted", beside(webhook([rule(["pods"], { operations: ["DELETE"] })])), "pass"],
  ["of other namespaces", beside(webhook(PODS, inNamespace("In", "shop"))), "pass"],
  ["of all but some", beside(webhook(PODS, inNamespace("NotIn", "kube-system"))), "unknown", MAY],
  ["of all but this", beside(webhook(PODS, inNamespace("NotIn", "team"))), "pass"],
  ["of labelled namespaces, of which none was read", beside(webhook(PODS, OPT_IN)), "unknown", MAY],
  ["of labelled namespaces, without the label", beside(webhook(PODS, OPT_IN), namespace({})), "pass"],
  [
    "of labelled namespaces, with it",
    beside(webhook(PODS, OPT_IN), namespace({ inject: "true" })),
    "unknown",
    MAY,
  ],
  ["of labelled pods", beside(webhook(PODS, { objectSelector: { matchLabels: { a: "b" } } })), "pass"],
  [
    "of pods without a label",
    beside(webhook(PODS, { objectSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] } })),
    "unknown",
    MAY,
  ],
  [
    "of pods that a condition selects",
    beside(webhook(PODS, { matchConditions: [{ name: "a", expression: "false" }] })),
    "unknown",
    MAY,
  ],
  ["of Istio", beside(webhook(PODS, { name: "rev.namespace.sidecar-injector.istio.io" })), "pass"],
  ["of EKS", beside(webhook(PODS, { name: "mpod.vpc.k8s.aws" })), "pass"],
  [
    "of Kyverno, whose policies are read",
    beside(webhook([rule(["*"], { apiGroups: ["*"] })], {}, "kyverno-resource-mutating-webhook-cfg")),
    "pass",
  ],
  [
    "that only refuses",
    beside(validating(PODS)),
    "unknown",
    "ValidatingWebhookConfiguration x may refuse pods in namespace team; see what it refuses",
  ],
  ["that refuses in another namespace", beside(validating(PODS, inNamespace("In", "shop"))), "pass"],
  [
    "among too many of other namespaces",
    beside(...Array.from({ length: 201 }, () => webhook(PODS, inNamespace("In", "shop")))),
    "unknown",
    "more than 200 webhooks and policies may change or refuse pods",
  ],
  [
    "among too many of other objects",
    beside(...Array.from({ length: 201 }, () => webhook([rule(["configmaps"])]))),
    "pass",
  ],
];

const policy = (kind: string, spec: object, name = "x"): object =>
  object(ADMISSION, kind)({ spec }, { name });
const matchConstraints = { resourceRules: [rule(["pods"])] };
const MUTATING = policy("MutatingAdmissionPolicy", { matchConstraints });
const VALIDATING = policy("ValidatingAdmissionPolicy", { matchConstraints });
const binding = (kind: string, spec: object): object =>
  policy(`${kind}AdmissionPolicyBinding`, { policyName: "x", ...spec });
const strict = (spec: object = {}): object => binding("Validating", { validationActions: ["Deny"], ...spec });

const POLICIES: readonly Row[] = [
  [
    "that changes pods",
    beside(MUTATING),
    "unknown",
    "MutatingAdmissionPolicy x may change pods in namespace team",
  ],
  [
    "bound elsewhere",
    beside(MUTATING, binding("Mutating", { matchResources: inNamespace("In", "shop") })),
    "pass",
  ],
  [
    "bound here as well",
    beside(
      MUTATING,
      binding("Mutating", { matchResources: inNamespace("In", "shop") }),
      binding("Mutating", {}),
    ),
    "unknown",
  ],
  [
    "with the binding of another",
    beside(MUTATING, binding("Mutating", { policyName: "y", matchResources: inNamespace("In", "shop") })),
    "unknown",
  ],
  [
    "of other objects",
    beside(
      policy("MutatingAdmissionPolicy", { matchConstraints: { resourceRules: [rule(["configmaps"])] } }),
    ),
    "pass",
  ],
  [
    "that leaves pods out",
    beside(
      policy("MutatingAdmissionPolicy", {
        matchConstraints: {
          resourceRules: [rule(["*"])],
          excludeResourceRules: [rule(["*", "serviceaccounts/token"], { operations: ["*"] })],
        },
      }),
    ),
    "pass",
  ],
  [
    "that leaves pods out once they are there",
    beside(
      policy("MutatingAdmissionPolicy", {
        matchConstraints: {
          ...matchConstraints,
          excludeResourceRules: [rule(["pods"], { operations: ["UPDATE"] })],
        },
      }),
    ),
    "unknown",
  ],
  [
    "that leaves one pod out",
    beside(
      policy("MutatingAdmissionPolicy", {
        matchConstraints: {
          ...matchConstraints,
          excludeResourceRules: [rule(["pods"], { resourceNames: ["a"] })],
        },
      }),
    ),
    "unknown",
  ],
  [
    "that refuses pods",
    beside(VALIDATING, strict()),
    "unknown",
    "ValidatingAdmissionPolicy x may refuse pods",
  ],
  ["whose binding was not read", beside(VALIDATING), "unknown"],
  [
    "that only warns",
    beside(VALIDATING, binding("Validating", { validationActions: ["Warn", "Audit"] })),
    "pass",
  ],
  [
    "that refuses elsewhere, and warns here",
    beside(
      VALIDATING,
      strict({ matchResources: inNamespace("In", "shop") }),
      binding("Validating", { validationActions: ["Warn"] }),
    ),
    "pass",
  ],
  [
    "of Kyverno that changes pods",
    beside(object("policies.kyverno.io/v1alpha1", "MutatingPolicy")({ spec: { matchConstraints } })),
    "unknown",
    "MutatingPolicy x may change pods",
  ],
  [
    "of Kyverno that audits pods",
    beside(
      object(
        "policies.kyverno.io/v1alpha1",
        "ValidatingPolicy",
      )({ spec: { matchConstraints, validationActions: ["Audit"] } }),
    ),
    "pass",
  ],
];

checks("all-understood", "a webhook", question, WEBHOOKS);
checks("all-understood", "a policy of the API server", question, POLICIES);

const writes = (apiGroups: readonly string[], ...resources: readonly string[]): object =>
  webhook([{ apiGroups, apiVersions: ["*"], operations: ["*"], resources }]);

it.each<[job: string, example: ExampleName, hook: object, isOpen: boolean]>([
  ["component", "openshift-manual-aws", writes([""], "secrets"), true],
  ["component", "openshift-manual-aws", writes([""], "configmaps"), false],
  ["fleet-access", "fleet-multikueue", writes(["multicluster.x-k8s.io"], "clusterprofiles"), true],
  ["fleet-access", "fleet-multikueue", writes(["kueue.x-k8s.io"], "*"), false],
  ["fleet-access", "fleet-argocd", writes([""], "pods"), true],
])("a %s of %s", (job, example, hook, isOpen) => {
  const judged = (...more: readonly string[]): readonly string[] =>
    explain([heldFolder(synthesized(example)), ...more])
      .filter((each) => each.job === job)
      .map(({ verdict }) => verdict);
  const before = judged();
  expect(before).toContain("allowed");
  expect(judged(folderOf({ "webhook.json": JSON.stringify(hook) }))).toEqual(
    before.map((each) => (isOpen && each === "allowed" ? "unknown" : each)),
  );
});
