/* What is allowed, and said to be unsafe or of no use. */

import { expect, it } from "vitest";
import { type ExampleName, synthesized } from "../../fixtures/explain/artefacts";
import { type Damage } from "../../fixtures/explain/checks";
import { entered, spokeIn } from "../../fixtures/explain/fleet-checks";
import { HUB, STATUS } from "../../fixtures/explain/fleet-damages";

const warned = (example: ExampleName, spoke: string, damage: Damage = []): readonly unknown[] => {
  const { verdict, warnings } = entered(spokeIn(example, spoke), damage);
  return [verdict, warnings?.map(({ id }) => id)];
};

it.each<[string, string, Damage]>([
  ["access-entry-untied", "cpu-1", ["cdk.tf.json", "replace_triggered_by", "create_before"]],
  ["access-provider-unused", "cpu-1", [STATUS, "name: aws-gpu-1", "name: aws-cpu-2"]],
  [
    "worker-cluster-missing",
    "cpu-1",
    [
      "70-multi-kueue-clusters.yaml",
      "clusterProfileRef:\n      name: cpu-1",
      "clusterProfileRef:\n      name: x",
    ],
  ],
])("MultiKueue: %s", (id, spoke, damage) => {
  expect(warned("fleet-multikueue", spoke)).toEqual(["allowed", []]);
  expect(warned("fleet-multikueue", spoke, damage)).toEqual(["allowed", [id]]);
});

// argoproj/argo-cd: docs/operator-manual/app-sync-using-impersonation.md; awsdocs/amazon-eks-user-guide: grant-k8s-access.adoc
it.each<readonly [string, string, readonly string[]]>([
  ["argocd", "true", ["policy-impersonated"]],
  ["argocd", "false", []],
  ["other", "true", []],
])("EKS: access policies beside a controller in %s that may act as others: %s", (namespace, value, ids) => {
  const configMap = `apiVersion: v1
kind: ConfigMap
metadata: { name: argocd-cm, namespace: ${namespace} }
data: { application.sync.impersonation.enabled: '${value}' }
---
`;
  const all = synthesized("fleet-argocd");
  const path = [...all.keys()].find((each) => each.endsWith(HUB)) ?? "";
  const damage: Damage = () => new Map([...all, [path, configMap + (all.get(path) ?? "")]]);
  for (const [spoke, expected] of [
    ["shop-aws", ids],
    ["shop-google", []],
  ] as const) {
    const [verdict, found] = warned("fleet-argocd", spoke, damage);
    const impersonated = (found as string[]).filter((id) => id === "policy-impersonated");
    expect([verdict, impersonated]).toEqual(["allowed", expected]);
  }
});
