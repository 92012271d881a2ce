import { createRequire } from "node:module";
import { ACCOUNT, ISSUER, REGION, accounts } from "./workload.mjs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
const require = createRequire(import.meta.url);
const { App, TerraformStack } = require("cdktf");
const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
const { ecr, pullRoles } = require("cdktf-workload-identity/aws");
const { openShift } = require("cdktf-workload-identity/openshift");
const { ImagePulls } = require("cdktf-workload-identity/synth");
const { Explainer } = require("cdktf-workload-identity/explain");
const read = Explainer.read;
let t = {};
Explainer.read = (...a) => {
  t.s = performance.now();
  t.c = process.cpuUsage();
  const r = read.apply(Explainer, a);
  t.r = performance.now();
  return r;
};
const outdir = mkdtempSync(join(tmpdir(), "p3b-"));
const list = accounts(Number(process.argv[2]));
const begin = performance.now();
const c0 = process.cpuUsage();
const app = new App({ outdir, stackTraces: false, context: {} });
const stack = new TerraformStack(app, "prod-eu");
new AwsProvider(stack, "aws", { region: REGION });
new ImagePulls(stack, "pulls", {
  cluster: openShift({
    name: "prod-eu",
    version: "4.22",
    platform: "aws",
    issuer: ISSUER,
    pools: ["worker"],
  }),
  identities: [pullRoles({ account: ACCOUNT, region: REGION })],
  pulls: list.map(({ namespace, name, repository }) => ({
    serviceAccount: `${namespace}/${name}`,
    from: ecr({ account: ACCOUNT, region: REGION, repositories: [repository] }),
  })),
});
app.synth();
const end = performance.now();
const c1 = process.cpuUsage();
const u = (a, b) => ((b.user + b.system - a.user - a.system) / 1000).toFixed(0);
const proof = end - t.s,
  rest = t.s - begin;
console.log(
  JSON.stringify({
    n: list.length,
    rest: rest | 0,
    read: (t.r - t.s) | 0,
    judge: (end - t.r) | 0,
    ratio: (proof / rest).toFixed(3),
    cpuRest: u(c0, t.c),
    cpuProof: u(t.c, c1),
    cpuRatio: (u(t.c, c1) / u(c0, t.c)).toFixed(3),
  }),
);
if (process.env.KEEP) console.log(outdir);
else rmSync(outdir, { recursive: true });
