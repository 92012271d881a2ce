/*
 * Synthesizes the components of that many clusters in one app, a stack each, clouds in turn; prints the processor time
 * per cluster, after smaller runs that load and compile what is needed.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const { App, TerraformStack } = require("cdktf");
const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
const { AzurermProvider } = require("@cdktf/provider-azurerm/lib/provider/index.js");
const { GoogleProvider } = require("@cdktf/provider-google/lib/provider/index.js");
const { componentRoles } = require("cdktf-workload-identity/aws");
const { componentIdentities } = require("cdktf-workload-identity/azure");
const { componentServiceAccounts } = require("cdktf-workload-identity/google");
const { credentialsRequestsOf } = require("cdktf-workload-identity/openshift");
const { PlatformComponents } = require("cdktf-workload-identity/synth");

const RELEASE = "4.22";
const subscriptionId = "0b1f6471-1bf0-4dda-aec3-cb9272f09590";

const clouds = [
  ["aws", (stack) => new AwsProvider(stack, "aws", { region: "eu-west-1" })],
  ["azure", (stack) => new AzurermProvider(stack, "azurerm", { features: [{}], subscriptionId })],
  ["google", (stack) => new GoogleProvider(stack, "google")],
];
const makers = {
  aws: () => componentRoles({ account: "111122223333", region: "eu-west-1" }),
  azure: () => componentIdentities({ subscriptionId, region: "westeurope" }),
  google: () => componentServiceAccounts({ project: "acme-prod", projectNumber: "123456789012" }),
};
const documents = Object.fromEntries(
  clouds.map(([cloud]) => [
    cloud,
    JSON.parse(
      readFileSync(new URL(`../fixtures/credentials-requests/${cloud}.json`, import.meta.url), "utf8"),
    )
      .filter(({ releases }) => releases.includes(RELEASE))
      .map(({ document }) => document),
  ]),
);

function synth(clusters) {
  const outdir = mkdtempSync(join(tmpdir(), "bench-"));
  const begin = process.cpuUsage();
  const app = new App({ outdir, stackTraces: false });
  for (let number = 0; number < clusters; number++) {
    const [cloud, addProvider] = clouds[number % clouds.length];
    const clusterName = `cluster-${String(number).padStart(4, "0")}`;
    const stack = new TerraformStack(app, clusterName);
    addProvider(stack);
    new PlatformComponents(stack, "components", {
      clusterName,
      issuer: `https://oidc.example.com/${clusterName}`,
      requests: credentialsRequestsOf(documents[cloud], { cloud, featureGates: "all" }),
      identities: makers[cloud](),
    });
  }
  app.synth();
  const { user, system } = process.cpuUsage(begin);
  rmSync(outdir, { recursive: true, force: true });
  return (user + system) / 1000;
}

const clusters = Number(process.argv[2]);
for (let run = 0; run < 10; run++) synth(clouds.length);
console.log(JSON.stringify({ ms: synth(clusters) / clusters }));
