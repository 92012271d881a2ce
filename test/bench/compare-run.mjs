/*
 * Compares two synth folders that differ in one action (`ours`), or explains both (`theirs`); `files` writes them:
 * clusters with as many service accounts each. `explain`, `audit` and `page` read the old one alone.
 */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ACCOUNT, REGION, accounts, processorTime } from "./workload.mjs";

const require = createRequire(import.meta.url);
const [, , side, folder, clusters, each] = process.argv;
const [old, made] = ["old", "made"].map((name) => join(folder, name));

function files() {
  const { App, TerraformStack } = require("cdktf");
  const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
  const { ecr, pullRoles } = require("cdktf-workload-identity/aws");
  const { openShift } = require("cdktf-workload-identity/openshift");
  const { ImagePulls } = require("cdktf-workload-identity/synth");
  const app = new App({ outdir: old, stackTraces: false });
  // What an app validates runs in the order in which it was added, and the proof is one of these.
  const times = [];
  const takeTime = () => app.node.addValidation({ validate: () => (times.push(processorTime()), []) });
  takeTime();
  for (let number = 0; number < Number(clusters); number++) {
    const name = `prod-${number}`;
    const stack = new TerraformStack(app, name);
    new AwsProvider(stack, "aws", { region: REGION });
    const issuer = `https://oidc.example.com/${name}`;
    new ImagePulls(stack, "pulls", {
      cluster: openShift({ name, version: "4.22", platform: "aws", issuer, pools: ["worker"] }),
      identities: [pullRoles({ account: ACCOUNT, region: REGION })],
      pulls: accounts(Number(each)).map(({ namespace, name: account, repository }) => ({
        serviceAccount: `${namespace}/${account}`,
        from: ecr({ account: ACCOUNT, region: REGION, repositories: [repository] }),
      })),
    });
  }
  takeTime();
  app.synth();
  const [proof, synth] = [times[1] - times[0], processorTime() - begin];
  const megabytes = process.resourceUsage().maxRSS / 1024;
  cpSync(old, made, { recursive: true });
  const changed = join(made, "stacks/prod-0/cdk.tf.json");
  const action = 'ecr:BatchGetImage\\"';
  writeFileSync(changed, readFileSync(changed, "utf8").replace(action, `${action},\\"ecr:PutImage\\"`));
  return { synth: synth - proof, proof, megabytes };
}

function ours() {
  const { changes } = require("cdktf-workload-identity/explain").compare([old], [made]);
  if (changes.length !== 1) throw new Error(`${changes.length} changes, not 1`);
}

function theirs() {
  const { Explainer } = require("cdktf-workload-identity/explain");
  for (const path of [old, made]) for (const _ of Explainer.read([path]).all());
}

function explain() {
  const { Explainer } = require("cdktf-workload-identity/explain");
  for (const _ of Explainer.read([old]).all());
}

function page() {
  const { Explainer, renderHtml } = require("cdktf-workload-identity/explain");
  const pieces = [...renderHtml(Explainer.read([old]).all())];
  writeFileSync(join(folder, "page.html"), pieces.join(""));
}

function audit() {
  const { Explainer } = require("cdktf-workload-identity/explain");
  const explainer = Explainer.read([old]);
  for (const _ of explainer.all());
  explainer.audit();
}

const begin = processorTime();
const figures = { files, ours, theirs, explain, audit, page }[side]();
const ms = processorTime() - begin;
console.log(JSON.stringify({ ms, megabytes: process.resourceUsage().maxRSS / 1024, ...figures }));
