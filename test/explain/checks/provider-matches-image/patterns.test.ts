/*
 * Patterns of one file for the nodes. How a single pattern matches is in test/rules/kubelet/image-matches.test.ts.
 */

import { expect, it } from "vitest";
import { Explainer } from "../../../../lib/explain";
import { folderOf } from "../../../fixtures/explain/artefacts";
import { answer, checkOf, checks, damaged } from "../../../fixtures/explain/checks";
import { HOST, acr, ecr, node, objects } from "../../../fixtures/explain/three-clouds";

const REFUSED = {
  log: '"Failed to register CRI auth plugins" err="…',
  then: "the kubelet does not start",
  as: null,
};
const SILENT = { log: "silent", as: null };

checks("provider-matches-image", "patterns of the entries", ecr, [
  ["the host", [], "pass"],
  [
    "a port in the image",
    [],
    "fail",
    "without its port the image would match",
    { image: `${HOST}:443/shop/web`, ...SILENT },
  ],
  [
    "a mirror's host",
    [],
    "fail",
    `none of the 3 patterns (${HOST}, acmeshop.azurecr.io, europe-west1-docker.pkg.dev) matches mirror.acme.example/shop/web`,
    { image: "mirror.acme.example/shop/web", ...SILENT },
  ],
  [
    "a glob, which does not cross a dot",
    node(HOST, '"*.amazonaws.com"'),
    "fail",
    "*.amazonaws.com ends like the host, but * stands for exactly one part between dots",
    SILENT,
  ],
  [
    "a glob in the path",
    node("- acmeshop.azurecr.io", '- "acmeshop.azurecr.io/*"'),
    "fail",
    "its path is a plain prefix",
    { image: acr.image ?? "" },
  ],
]);

checks("provider-matches-image", "files that the kubelet refuses", ecr, [
  [
    "a first document without kind",
    node(
      "      apiVersion: kubelet.config.k8s.io/v1\n",
      "      {}\n      ---\n      apiVersion: kubelet.config.k8s.io/v1\n",
    ),
    "fail",
    "refuses the file and does not start: Object 'Kind' is missing in '{}'",
    REFUSED,
  ],
  [
    "a key given twice",
    node("defaultCacheDuration: 12h", "defaultCacheDuration: 12h\n          defaultCacheDuration: 12h"),
    "fail",
    "error decoding config: Map keys must be unique",
    REFUSED,
  ],
  ["no entry at all", node("      providers:\n", "      provider:\n"), "fail", "", REFUSED],
  [
    "a refused file, no entry of which matches",
    node("            cacheType: ServiceAccount\n", ""),
    "fail",
    "",
    { image: "quay.io/acme/web", ...SILENT, then: "the kubelet does not start" },
  ],
  [
    "no node files",
    [node("image-credential-provider-config", "other"), node("CredentialProviderConfig", "Other")],
    "unknown",
    "no CredentialProviderConfig",
  ],
  [
    "other nodes without any",
    [],
    "unknown",
    "no CredentialProviderConfig of the nodes gpu was read",
    { others: [{ "gpu.yaml": 'files:\n  - {path: /etc/x, content: y}\nkubeletFlags: {max-pods: "10"}\n' }] },
  ],
]);

const providers = [{ name: "a", matchImages: ["*.dkr.ecr.*.amazonaws.com"] }];
const configuration = (list: readonly object[]) =>
  objects({
    apiVersion: "kubelet.config.k8s.io/v1",
    kind: "CredentialProviderConfig",
    metadata: { name: "x" },
    providers: list,
  });

checks("provider-matches-image", "a CredentialProviderConfig that no node is known to read", ecr, [
  ["with entries", configuration(providers), "pass"],
  ["that no kubelet takes", configuration([]), "pass"],
]);

it("lists a CredentialProviderConfig that no node is known to read as not read", () => {
  const { skipped } = Explainer.read([folderOf(damaged(ecr.artefacts, configuration(providers)))]);
  expect(skipped.map(({ reason }) => reason)).toEqual([
    expect.stringContaining("nothing says which nodes read this CredentialProviderConfig"),
  ]);
});

it("takes a pattern for the account alone that declares it", () => {
  const image = `${HOST}/shop/*`;
  const said = (serviceAccount: string): unknown => {
    const result = answer({ ...ecr, serviceAccount, image });
    return [result.verdict, checkOf(result, "image-parses").status];
  };
  expect(said("shop/web")).toEqual(["allowed", "pass"]);
  expect(said("shop/tools")).toEqual(["denied", "fail"]);
});
