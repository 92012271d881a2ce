/*
 * Objects of kinds that are not read open the chains of service accounts that they name; what the cluster itself shows
 * has been admitted.
 */

import { beside, object, question, rule, webhook } from "../../../fixtures/explain/admission";
import { type Row, checks } from "../../../fixtures/explain/checks";

import { dump } from "../../../fixtures/explain/dump";
const other = object("example.com/v1", "Other");
const NAMING: readonly Row[] = [
  [
    "by a name in its namespace",
    beside(other({ spec: { serviceAccountName: "puller" } }, { namespace: "team" })),
    "unknown",
    "Other x, which is not read, names the service account team/puller",
  ],
  [
    "by a name in another",
    beside(other({ spec: { serviceAccountName: "puller" } }, { namespace: "shop" })),
    "pass",
  ],
  [
    "by a part of its name",
    beside(other({ spec: { serviceAccountName: "pull" } }, { namespace: "team" })),
    "pass",
  ],
  [
    "as a subject of tokens",
    beside(other({ spec: { subject: "system:serviceaccount:team:puller" } })),
    "unknown",
  ],
  [
    "as a member of Google",
    beside(other({ spec: { member: "serviceAccount:p.svc.id.goog[team/puller]" } })),
    "unknown",
  ],
  [
    "as eksctl does",
    beside(
      object(
        "eksctl.io/v1alpha5",
        "ClusterConfig",
      )({ iam: { serviceAccounts: [{ metadata: { name: "puller", namespace: "team" } }] } }),
    ),
    "unknown",
  ],
  [
    "by reference",
    beside(other({ spec: { serviceAccountRef: { name: "puller", namespace: "team" } } })),
    "unknown",
  ],
  [
    "by kind",
    beside(other({ spec: { target: { kind: "ServiceAccount", name: "puller" } } }, { namespace: "team" })),
    "unknown",
  ],
  ["but is itself of that name", beside(other({ spec: {} }, { name: "puller", namespace: "team" })), "pass"],
  ["in an image", beside(other({ spec: { image: "registry.example.com/team/puller" } })), "pass"],
  [
    "and only uses it",
    beside(
      object("argoproj.io/v1alpha1", "Rollout")(
        { spec: { template: { spec: { serviceAccountName: "puller" } } } },
        { namespace: "team" },
      ),
    ),
    "pass",
  ],
  [
    "in an event",
    beside(
      object("v1", "Event")(
        { involvedObject: { kind: "ServiceAccount", name: "puller", namespace: "team" } },
        { namespace: "team" },
      ),
    ),
    "pass",
  ],
];

checks("all-understood", "an object that names the service account", question, NAMING);

const shown = new Map([
  ...question.artefacts,
  [
    "app/deployment.yaml",
    JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: dump.filter((each) => /"kind":"(?:ServiceAccount|Pod)"/.test(JSON.stringify(each).slice(0, 60))),
    }),
  ],
]);

checks("all-understood", "what the cluster itself shows", { ...question, artefacts: shown }, [
  ["was changed before", beside(webhook([rule(["pods", "serviceaccounts"])])), "pass"],
  [
    "gets other tokens all the same",
    beside(webhook([rule(["serviceaccounts/token"])])),
    "unknown",
    "MutatingWebhookConfiguration x may change tokens",
  ],
]);

const operator = (spec: object): object =>
  object("operator.openshift.io/v1", "KubeAPIServer")({ spec }, { name: "cluster" });

checks("all-understood", "the operator of the API server", question, [
  [
    "with nothing unsupported",
    beside(operator({ logLevel: "Normal", unsupportedConfigOverrides: null })),
    "pass",
  ],
  [
    "with arguments that override its own",
    beside(operator({ unsupportedConfigOverrides: { apiServerArguments: { "feature-gates": ["A=true"] } } })),
    "unknown",
    "the field spec.unsupportedConfigOverrides of KubeAPIServer cluster is not judged",
  ],
]);
