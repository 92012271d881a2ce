/* Manifests split by namespace: the same objects in files that teams own, read by `explain` and `bind` as before. */

import { ApiObject } from "cdk8s";
import { TerraformStack, Testing } from "cdktf";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { explain } from "../../lib/explain";
import { bind } from "../../lib/synth/bind/bind-folder";
import { Manifests } from "../../lib/synth";
import { filesOf, stackFilesOf, temporaryFolder } from "../fixtures/synth/stack-fixture";
import { fromAcr, makers, openShiftCluster, synthesizedPulls } from "../support/image-pulls";
import { refusal } from "../support/refusal";
import { boundFiles } from "../support/synth-output";

const PULLS = ["shop/web", "zeta/jobs", "batch/jobs"].map((serviceAccount) => ({
  serviceAccount,
  from: fromAcr(serviceAccount),
}));

const pulls = (perNamespace: boolean): ReturnType<typeof synthesizedPulls> =>
  synthesizedPulls((stack) => {
    if (perNamespace) new Manifests(stack, "Manifests", { perNamespace });
    return { cluster: openShiftCluster({ platform: "azure" }), identities: [makers.azure()], pulls: PULLS };
  });

const texts = (outdir: string): Record<string, string> => filesOf(join(outdir, "stacks/prod"));
const manifests = (files: Record<string, string>): string[] =>
  Object.keys(files).filter((file) => file.startsWith("manifests/"));
const objects = (files: Record<string, string>): string[] =>
  manifests(files)
    .flatMap((file) =>
      parseAllDocuments(files[file] ?? "").map((document) => JSON.stringify(document.toJS())),
    )
    .sort();

it("is the same objects, each namespace's behind those without one", () => {
  const [whole, split] = [texts(pulls(false).outdir), texts(pulls(true).outdir)];
  expect(objects(split)).toEqual(objects(whole));
  expect(manifests(whole)).toEqual([
    "manifests/10-token-audience.yaml",
    "manifests/20-service-accounts.yaml",
    "manifests/30-node-disruption-policy.yaml",
    "manifests/40-machine-configs.yaml",
  ]);
  const expected = [
    "manifests/10-token-audience.yaml",
    "manifests/10-token-audience_batch.yaml",
    "manifests/10-token-audience_shop.yaml",
    "manifests/10-token-audience_zeta.yaml",
    "manifests/20-service-accounts_batch.yaml",
    "manifests/20-service-accounts_shop.yaml",
    "manifests/20-service-accounts_zeta.yaml",
    "manifests/30-node-disruption-policy.yaml",
    "manifests/40-machine-configs.yaml",
  ];
  expect(manifests(split)).toEqual(expected);
  const identity = JSON.parse(split["workload-identity.json"] ?? "") as { manifests: { file: string }[] };
  expect(identity.manifests.map(({ file }) => file)).toEqual(expected);
});

it("is bound and explained like whole files", () => {
  const [whole, split] = [pulls(false), pulls(true)];
  const results = (outdir: string): unknown =>
    explain([outdir]).map(({ subject, target, verdict, as }) => ({ subject, target, verdict, as }));
  expect(results(split.outdir)).toEqual(results(whole.outdir));
  const bound = ({ outdir, written }: typeof whole): string[] =>
    objects(Object.fromEntries(boundFiles(outdir, written)));
  expect(bound(split)).toEqual(bound(whole));

  const app = Testing.app({ outdir: temporaryFolder() });
  const stack = new TerraformStack(app, "prod");
  const own = new Manifests(stack, "Manifests", { perNamespace: true });
  const chart = own.chart("mixed", { order: 30, comment: ["Mixed."] });
  for (const [name, namespace] of [["a"], ["b", "yam"], ["c", "zoo"], ["d"], ["e", "yam"]])
    new ApiObject(chart, name ?? "", {
      apiVersion: "v1",
      kind: "X",
      metadata: { name: name ?? "", ...(namespace !== undefined && { namespace }) },
    });
  const exact = own.chart("exact", { order: 0, exactName: true });
  new ApiObject(exact, "s", { apiVersion: "v1", kind: "Y", metadata: { name: "s", namespace: "yam" } });
  app.synth();
  const { "workload-identity.json": _, ...files } = stackFilesOf(app);
  expect(
    Object.entries(files).map(([file, text]) => [file, text.match(/(?<=name: ).$/gm)?.join("")]),
  ).toEqual([
    ["manifests/30-mixed.yaml", "ad"],
    ["manifests/30-mixed_yam.yaml", "be"],
    ["manifests/30-mixed_zoo.yaml", "c"],
    ["manifests/exact.yaml", "s"],
  ]);
  for (const [file, text] of Object.entries(files))
    if (file.includes("30-mixed")) expect(text.startsWith("# Mixed.\n"), file).toBe(true);

  const outputs = join(app.outdir, "o.json");
  writeFileSync(outputs, "{}");
  const to = join(temporaryFolder(), "to");
  expect(bind({ outputs, from: app.outdir, to }).files).toEqual(
    Object.keys(files).map((file) => `prod/${file}`),
  );
  expect(readFileSync(join(to, "prod/manifests/30-mixed_zoo.yaml"), "utf8")).toBe(
    files["manifests/30-mixed_zoo.yaml"],
  );
});

it("names the file that holds an object, in refusals too", () => {
  const app = Testing.app({ outdir: temporaryFolder() });
  const own = new Manifests(new TerraformStack(app, "prod"), "Manifests", { perNamespace: true });
  for (const name of ["one", "two"])
    new ApiObject(own.chart(name, { order: 30 }), "s", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s", namespace: "shop" },
    });
  expect(() => app.synth()).toThrowError(
    refusal(
      "manifest-conflict: Secret shop/s is written twice, to manifests/30-one_shop.yaml and to manifests/30-two_shop.yaml",
    ) as Error,
  );
});

it("is settled before anything is written", () => {
  const stack = new TerraformStack(Testing.app({ outdir: temporaryFolder() }), "prod");
  Manifests.of(stack);
  expect(() => new Manifests(stack, "other", { perNamespace: true })).toThrowError(
    refusal("manifest-conflict: a second Manifests") as Error,
  );
  const wrong = { perNamespace: "yes" } as unknown as { perNamespace: boolean };
  expect(() => new Manifests(new TerraformStack(Testing.app(), "x"), "m", wrong)).toThrowError(
    refusal("property-invalid") as Error,
  );
});
