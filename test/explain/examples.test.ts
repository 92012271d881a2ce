import { expect, it } from "vitest";
import { type ExampleName, explained, statuses, synthesized } from "../fixtures/explain/artefacts";

it.each<[ExampleName, string[]]>([
  ["openshift-aws", ["batch/jobs", "shop/web", "shop/web"]],
  ["three-clouds", ["shop/tools", "shop/web", "shop/web"]],
  ["aro-hcp", ["acr-sa-test/acr-pull-sa"]],
  ["rke2", ["shop/web", "shop/web"]],
  ["talos", ["shop/web"]],
  ["eks-nodeadm", ["batch/jobs", "shop/web", "shop/web"]],
])("every declared pull of %s is allowed, each link by itself", (name, subjects) => {
  const results = explained(synthesized(name));
  expect(results.map(({ subject, verdict }) => [subject, verdict])).toEqual(
    subjects.map((subject) => [subject, "allowed"]),
  );
  for (const result of results) expect(new Set(Object.values(statuses(result)))).toEqual(new Set(["pass"]));
});

it.each<[ExampleName, number, number]>([
  ["openshift-manual-aws", 8, 0],
  ["openshift-manual-azure", 12, 0],
  ["openshift-manual-google", 9, 1],
])("every component and workload of %s is allowed, each link by itself", (name, components, workloads) => {
  const results = explained(synthesized(name));
  expect(results.map(({ job }) => job)).toEqual([
    ...Array<string>(components).fill("component"),
    ...Array<string>(workloads).fill("workload"),
  ]);
  for (const result of results) expect(new Set(Object.values(statuses(result)))).toEqual(new Set(["pass"]));
});

it("says as whom, before anything is applied", () => {
  const [tools, ecr, acr] = explained(synthesized("three-clouds"));
  expect([tools?.as, ecr?.as, acr?.as]).toEqual([
    "principal://iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/subject/system:serviceaccount:shop:tools",
    "arn:aws:iam::111122223333:role/edge-1_shop_web",
    "azurerm_user_assigned_identity.pulls_azure_shop_web_F848252B",
  ]);
});
