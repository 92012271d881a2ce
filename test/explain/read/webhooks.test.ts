/*
 * The pod identity webhooks among a cluster's objects. Sources: aws/amazon-eks-pod-identity-webhook, deploy/;
 * Azure/azure-workload-identity, manifest_staging/; openshift/cloud-credential-operator, bindata/v4.1.0.
 */

import { describe, expect, it } from "vitest";
import { factsOf } from "../../fixtures/explain/read";

const PODS = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
const AWS = "pod-identity-webhook.amazonaws.com";
const AZURE = "mutation.azure-workload-identity.io";

const configuration = (name: string, more: object = {}, version = "v1"): object => ({
  apiVersion: `admissionregistration.k8s.io/${version}`,
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "pod-identity-webhook" },
  webhooks: [{ name, rules: [PODS], ...more }],
});
const program = (...command: readonly string[]): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "pod-identity-webhook", namespace: "default" },
  spec: {
    selector: { matchLabels: { app: "w" } },
    template: {
      metadata: { labels: { app: "w" } },
      spec: { containers: [{ name: "w", image: "w", command }] },
    },
  },
});
const secret = (namespace: string, stringData: object): object => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "azure-credentials", namespace },
  stringData,
});
const SKIP = "eks.amazonaws.com/skip-pod-identity-webhook";
const labels = (key: string): object => ({ matchExpressions: [{ key, operator: "DoesNotExist" }] });
const CCO = "openshift-cloud-credential-operator";

describe("a pod identity webhook", () => {
  it.each<[string, readonly object[], readonly string[]]>([
    ["of AWS", [configuration(AWS)], ["aws"]],
    ["of Azure", [configuration(AZURE)], ["azure"]],
    [
      "of OpenShift's operator",
      [
        configuration("pod-identity-webhook.aws.mutate.io", {
          namespaceSelector: labels("openshift.io/run-level"),
        }),
      ],
      ["aws"],
    ],
    [
      "of OpenShift's operator on Azure",
      [
        configuration("pod-identity-webhook.azure.mutate.io", {
          objectSelector: { matchLabels: { "azure.workload.identity/use": "true" } },
        }),
      ],
      ["azure"],
    ],
    ["that OpenShift's operator will run", [secret(CCO, { azure_tenant_id: "t" })], ["azure"]],
    ["that it will not run, without the key", [secret(CCO, { tenant: "t" })], []],
    ["that it will not run, elsewhere", [secret("shop", { azure_tenant_id: "t" })], []],
    [
      "with its usual annotations",
      [configuration(AWS), program("--annotation-prefix=eks.amazonaws.com")],
      ["aws"],
    ],
    ["with other annotations", [configuration(AWS), program("--annotation-prefix=irsa")], []],
    ["of certain namespaces only", [configuration(AWS, { namespaceSelector: labels("team") })], []],
    [
      "of pods with another value of its label",
      [configuration(AZURE, { objectSelector: { matchLabels: { "azure.workload.identity/use": "false" } } })],
      [],
    ],
    [
      "of pods with the label of the other cloud",
      [configuration(AWS, { objectSelector: { matchLabels: { "azure.workload.identity/use": "true" } } })],
      [],
    ],
    [
      "of pods that it would leave out",
      [configuration(AWS, { objectSelector: { matchExpressions: [{ key: SKIP, operator: "Exists" }] } })],
      [],
    ],
    ["of pods that do not opt out", [configuration(AWS, { objectSelector: labels(SKIP) })], ["aws"]],
    [
      "of namespaces without a run level",
      [
        configuration(AWS, {
          namespaceSelector: {
            matchExpressions: [{ key: "openshift.io/run-level", operator: "NotIn", values: ["1", "0"] }],
          },
        }),
      ],
      ["aws"],
    ],
    [
      "of the first namespaces only",
      [configuration(AWS, { namespaceSelector: { matchLabels: { "openshift.io/run-level": "0" } } })],
      [],
    ],
    ["of pods in another group", [configuration(AWS, { rules: [{ ...PODS, apiGroups: ["apps"] }] })], []],
    ["whose tokens are for another audience", [configuration(AWS), program("--token-audience=other")], []],
    ["under a condition", [configuration(AWS, { matchConditions: [{ name: "c", expression: "true" }] })], []],
    ["of another object", [configuration(AWS, { rules: [{ ...PODS, resources: ["services"] }] })], []],
    ["of another name", [configuration("pods.example.com")], []],
    ["that no API server takes", [configuration(AWS, {}, "v1beta1")], []],
  ])("%s", (_, objects, clouds) => {
    const files = Object.fromEntries(objects.map((each, place) => [`${place}.json`, each]));
    const [cluster] = factsOf(files).clusters;
    expect([...(cluster?.webhooks.keys() ?? [])]).toEqual(clouds);
  });
});
