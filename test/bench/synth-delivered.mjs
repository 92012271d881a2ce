/* Synthesizes that many service accounts without the proof, and delivers them: as `files`, `resources` or `rendered`. */
import { createRequire } from "node:module";
import { declareOurs } from "./our-stack.mjs";
import { measure } from "./workload.mjs";

const require = createRequire(import.meta.url);
const { App, TerraformOutput, TerraformStack } = require("cdktf");
const { KubernetesProvider } = require("@cdktf/provider-kubernetes/lib/provider/index.js");
const { KubernetesManifests } = require("cdktf-workload-identity/delivery");
const { Manifests } = require("cdktf-workload-identity/synth");

const FILES = ["10-token-audience", "20-service-accounts", "40-machine-configs"];

measure((outdir, accounts) => {
  const app = new App({ outdir, stackTraces: false, context: { "cdktf-workload-identity/proof": false } });
  declareOurs(app, accounts);
  const stack = app.node.findChild("prod-eu");
  const way = process.argv[3];
  if (way === "resources") {
    const objects = new TerraformStack(app, "objects");
    new KubernetesProvider(objects, "kubernetes", {});
    new KubernetesManifests(objects, "manifests", { of: stack });
  }
  if (way === "rendered")
    for (const file of FILES)
      new TerraformOutput(stack, file, { value: Manifests.of(stack).rendered(`manifests/${file}.yaml`) });
  app.synth();
  return {};
});
