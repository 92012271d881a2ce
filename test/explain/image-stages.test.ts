/*
 * Images of one registry share what is judged of them before anybody asks who pulls. No one may see that: each answer
 * is the one that the image alone would get.
 */

import { expect, it } from "vitest";
import { Explainer } from "../../lib/explain";
import { type Edit, edited, folderOf, synthesized } from "../fixtures/explain/artefacts";

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
