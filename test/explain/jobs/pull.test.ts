/*
 * Which pulls are explained, for which clusters, and that images of one registry, which share what is judged of them before
 * anyone asks who pulls, do not show it. Single checks are in ../checks.
 */

import { describe, expect, it } from "vitest";
import { Explainer, type ExplainSelection, explain } from "../../../lib/explain";
import { type Edit, edited, explained, folderOf, synthesized } from "../../fixtures/explain/artefacts";
import { cluster, plain } from "../../fixtures/explain/plain";

const IMAGE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com/team/web:v1";

function pod(spec: object): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "team" },
    spec: { containers: [{ name: "c", image: IMAGE }], ...spec },
  });
}

// openshift/api, apps/v1; kubernetes:pkg/apis/core, ephemeral containers are those of `kubectl debug`.
describe("images of", () => {
  const template = { spec: { containers: [{ name: "c", image: IMAGE }], serviceAccountName: "puller" } };
  const config = (apiVersion: string): string =>
    JSON.stringify({
      apiVersion,
      kind: "DeploymentConfig",
      metadata: { name: "d", namespace: "team" },
      spec: { template },
    });
  const asked = (document: string): readonly string[] =>
    explained({ ...plain, "app/more.json": document }, {}, { cluster })
      .filter(({ target }) => target.startsWith("111122223333") && target.endsWith("debug:v1"))
      .map(({ verdict }) => verdict);

  it("a DeploymentConfig", () => {
    expect(asked(config("apps.openshift.io/v1").replace("team/web", "team/debug"))).toEqual(["allowed"]);
    expect(asked(config("other.example/v1").replace("team/web", "team/debug"))).toEqual([]);
  });

  it("ephemeral containers", () => {
    const debugging = { name: "debug", image: IMAGE.replace("team/web", "team/debug") };
    expect(asked(pod({ serviceAccountName: "puller", ephemeralContainers: [debugging] }))).toEqual([
      "allowed",
    ]);
  });
});

describe("of two clusters that were read, a service account that only one of them has", () => {
  const both = (["three-clouds", "rke2"] as const).map(synthesized);
  const TOOLS = "europe-west1-docker.pkg.dev/acme-images/tools/build";
  const toolsPod = (namespace: string): string =>
    folderOf({
      "pod.json": JSON.stringify({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "p", namespace },
        spec: { serviceAccountName: "tools", containers: [{ name: "c", image: TOOLS }] },
      }),
    });
  const said = (paths: readonly string[], selection: ExplainSelection): readonly string[] =>
    explain(paths, selection).map(({ stack, subject, verdict }) => `${stack} ${subject} ${verdict}`);

  it.each<[string, ExplainSelection, readonly string[]]>([
    ["is judged there", { serviceAccount: "shop/tools" }, ["edge-1 shop/tools allowed"]],
    [
      "is judged in the one that is named",
      { serviceAccount: "shop/tools", stack: "edge" },
      ["edge shop/tools denied"],
    ],
    [
      "is judged in both where neither has it",
      { serviceAccount: "shop/none" },
      ["edge-1 shop/none denied", "edge shop/none denied"],
    ],
  ])("%s", (_, selection, expected) => {
    expect(said(both.map(folderOf), { image: TOOLS, ...selection })).toEqual(expected);
  });

  it("has its pods, which are written for both, only there", () => {
    const origin = "workload";
    expect(said([...both.map(folderOf), toolsPod("shop")], { origin })).toEqual([
      "edge-1 shop/tools allowed",
    ]);
    expect(said([...both.map(folderOf), toolsPod("other")], { origin })).toEqual([
      "edge-1 other/tools denied",
      "edge other/tools denied",
    ]);
  });
});

describe("a file that a stack lists for nodes", () => {
  it.each([
    ["as it was written", "application/node.eks.aws", "allowed"],
    ["in a form that is not read", "application/node.eks", "unknown"],
  ])("%s", (_, type, verdict) => {
    const artefacts = edited(synthesized("eks-nodeadm"), [
      ["nodes/nodeadm.txt", "application/node.eks.aws", type],
    ]);
    const verdicts = Explainer.read([folderOf(artefacts)]).pulls();
    expect(new Set([...verdicts].map((each) => each.verdict))).toEqual(new Set([verdict]));
  });
});

const three = synthesized("three-clouds");
const ECR = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const IMAGES: readonly string[] = [
  `${ECR}/shop/web`,
  `${ECR}/shop/web:1`,
  `${ECR}/tools/lint`,
  `${ECR}/Shop`,
  "444455556666.dkr.ecr.eu-west-1.amazonaws.com/shop/web",
  "public.ecr.aws/a/b",
  "public.ecr.aws/a/c",
  "acme.azurecr.io/shop/web",
  "acme.azurecr.io/tools/lint",
  "acme.azurecr.io:5000/tools/lint",
  "quay.io/a/b",
  "quay.io/a/c",
];
const mirrors = `---
apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  name: acme
spec:
  imageDigestMirrors:
    - source: ${ECR}/tools
      mirrors:
        - mirror.acme.example/tools
      mirrorSourcePolicy: NeverContactSource
---
apiVersion: v1
kind: ServiceAccount
`;
const ACCOUNTS = "20-service-accounts.yaml";

it.each<[string, readonly Edit[]]>([
  ["by host", []],
  [
    "with a mirror of some repositories",
    [[ACCOUNTS, "apiVersion: v1\nkind: ServiceAccount\n", mirrors.slice(4)]],
  ],
  ["by a path of the registry", [["", `- ${ECR}\n`, `- ${ECR}/shop\n`]]],
])("answers as if each image were the only one: %s", (_, edits) => {
  const path =
    [...three.keys()].find((each) => three.get(each)?.includes(`matchImages:\n            - ${ECR}`)) ?? "";
  const folder = folderOf(
    edited(
      three,
      edits.map(([file, from, to]) => [file || path, from, to] as const),
    ),
  );
  const ask = (explainer: Explainer, image: string): unknown =>
    JSON.parse(JSON.stringify([...explainer.pulls({ image })]));
  const explainer = Explainer.read([folder]);
  for (const image of IMAGES) expect(ask(explainer, image)).toEqual(ask(Explainer.read([folder]), image));
});
