/*
 * Whole examples: what each writes is judged by the library's own rules and compared with the committed files below
 * `__snapshots__/examples`, which only `npm run test:update` writes.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { bind } from "../lib/synth/bind/bind-folder";
import { filesOf, temporaryFolder } from "./fixtures/synth/stack-fixture";
import { example, exampleNames as allExamples } from "./support/examples";
import { comparable, compare } from "./support/golden";
import { type Json, record } from "./support/json";
import { judge } from "./support/judge";
import { writtenStacks } from "./support/synth-output";
import { synthesized } from "./support/synthesized";
import { madeUpOutputs } from "./support/terraform";

/** Examples with values that Terraform knows only after apply, whose finished files are compared too. */
const BOUND: Readonly<Record<string, readonly string[]>> = {
  "openshift-manual-aws": ["manifests/cluster-authentication-02-config.yaml"],
  "openshift-manual-azure": [
    "manifests/openshift-cloud-controller-manager-azure-cloud-credentials-credentials.yaml",
    "manifests/openshift-cloud-network-config-controller-cloud-credentials-credentials.yaml",
    "manifests/openshift-cluster-csi-drivers-azure-disk-credentials-credentials.yaml",
    "manifests/openshift-cluster-csi-drivers-azure-file-credentials-credentials.yaml",
    "manifests/openshift-image-registry-installer-cloud-credentials-credentials.yaml",
    "manifests/openshift-ingress-operator-cloud-credentials-credentials.yaml",
    "manifests/openshift-machine-api-azure-cloud-credentials-credentials.yaml",
  ],
  "aro-hcp": ["manifests/20-service-accounts.yaml", "manifests/50-node-pool-config.yaml"],
  "fleet-argocd": ["manifests/61-cluster-profile-status.yaml", "manifests/65-fleet-controller.yaml"],
  "fleet-multikueue": ["manifests/61-cluster-profile-status.yaml"],
  "three-clouds": ["manifests/20-service-accounts.yaml"],
};

/** Examples that are not one good stack, with the reason. */
const OTHER_EXAMPLES: Readonly<Record<string, string>> = {
  rollout: "is one stack at several stages; rollout.test.ts compares and judges each",
  "starter-commonjs": "is a project of its own; pack/starters.test.ts runs it in an empty folder",
  "starter-esm": "is a project of its own; pack/starters.test.ts runs it in an empty folder",
  "denied-pulls": "damages what its good stacks write; denied-pulls.test.ts judges both",
};

const exampleNames = allExamples.filter((name) => !(name in OTHER_EXAMPLES));

async function written(name: string): Promise<string> {
  const { Stack, id } = await example(name);
  return synthesized((app) => void new Stack(app, id));
}

describe.each(exampleNames)("example %s", (name) => {
  it("works by the library's own rules, without a warning", async () => {
    const outdir = await written(name);
    expect(judge(outdir)).toEqual([]);
    expect(writtenStacks(outdir).flatMap(({ warnings }) => warnings)).toEqual([]);
  });

  it("writes the committed files", async () => {
    await compare(`${name}/written`, comparable(await written(name)));
  });

  it("has a README that names every file it writes, and no other", async () => {
    const readme = readFileSync(resolve(__dirname, `../examples/${name}/README.md`), "utf8");
    const named = [
      ...readme.matchAll(
        /`((?:manifests|nodes|pods|spokes)\/[\w.-]+|cdk\.tf\.json|workload-identity\.json)`/g,
      ),
    ].map(([, path = ""]) => path);
    const files = writtenStacks(await written(name)).flatMap((stack) => [...stack.files.keys()]);
    expect([...new Set(named)].sort()).toEqual([...new Set(files)].sort());
  });

  it("writes the same bytes again", async () => {
    expect(filesOf(await written(name))).toEqual(filesOf(await written(name)));
  });
});

describe("bind of the examples", () => {
  it("is compared wherever something is late", async () => {
    for (const name of exampleNames) {
      const late = writtenStacks(await written(name)).flatMap(({ files }) =>
        [...files]
          .filter(([path, text]) => path.endsWith(".yaml") && text.includes("@late("))
          .map(([path]) => path),
      );
      expect(late, name).toEqual(BOUND[name] ?? []);
    }
  });

  it.each(Object.keys(BOUND))("%s: both kinds of outputs files give the committed files", async (name) => {
    const outdir = await written(name);
    const folder = temporaryFolder();
    const to = (form: string): string => join(folder, form);
    for (const [form, outputs] of Object.entries(outputsFiles(outdir))) {
      const file = join(folder, `${form}.json`);
      writeFileSync(file, JSON.stringify(outputs));
      bind({ outputs: file, to: to(form), from: outdir });
    }
    const { ".workload-identity-files": _, ...files } = filesOf(to("terraform"));
    await compare(`${name}/bound`, files);
    expect(filesOf(to("cdktf"))).toEqual(filesOf(to("terraform")));
    expect(Object.entries(files).filter(([, text]) => /@late\(|TfToken|\$\{/.test(text))).toEqual([]);
  });
});

/** `terraform output -json` of the one stack, and the file of `cdktf output --outputs-file`. */
function outputsFiles(outdir: string): Readonly<Record<"terraform" | "cdktf", Json>> {
  const [stack, ...others] = writtenStacks(outdir);
  if (!stack || others.length > 0) throw new Error("not exactly one stack");
  const terraform = madeUpOutputs(stack.terraform);
  const values = Object.entries(terraform).map(([name, output]) => [name, record(output)["value"]]);
  // cdktf nests by construct path: stack, construct of the manifests, output.
  return { terraform, cdktf: { [stack.name]: { Manifests: Object.fromEntries(values) as Json } } };
}
