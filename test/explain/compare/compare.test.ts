import { expect, it } from "vitest";
import { writeFileSync } from "node:fs";
import { compare, renderCompareText, renderCompareMarkdown } from "../../../lib/explain";
import { edited, synthesized, folderOf } from "../../fixtures/explain/artefacts";
let out = "";
it.each([
  "three-clouds",
  "openshift-aws",
  "aro-hcp",
  "fleet-argocd",
  "fleet-multikueue",
  "openshift-manual-aws",
  "openshift-manual-azure",
  "openshift-manual-google",
] as const)("x %s", (name) => {
  const s = synthesized(name);
  const [a, b] = [folderOf(s), folderOf(s)];
  const t = performance.now();
  out += name + JSON.stringify(compare([a], [b])).slice(0, 2000) + " " + (performance.now() - t) + "\n";
  writeFileSync("/tmp/f-out.txt", out);
  if (name === "three-clouds")
    for (const [p, x] of s)
      if (/cdk.tf.json|manifests/.test(p)) writeFileSync("/tmp/f-" + p.replaceAll("/", "_"), x);
});
