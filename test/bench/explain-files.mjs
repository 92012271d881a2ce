/*
 * Writes what the explain benchmark reads: service accounts that each declare the same number of images. With
 * `shared` all declare the same ones, so that the roles' policies have one text; with `distinct` each declares one
 * of its own beside the shared ones, so that no two policies are alike.
 */
import { createRequire } from "node:module";
import { ACCOUNT, ISSUER, REGION, accounts } from "./workload.mjs";

const require = createRequire(import.meta.url);
const { App, TerraformStack } = require("cdktf");
const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
const { ecr, pullRoles } = require("cdktf-workload-identity/aws");
const { openShift } = require("cdktf-workload-identity/openshift");
const { ImagePulls } = require("cdktf-workload-identity/synth");

const [, , outdir, shape, count, images] = process.argv;
const shared = Array.from({ length: Number(images) }, (_, index) => `base/image-${index}`);
const repositoriesOf = (own) => (shape === "shared" ? shared : [own, ...shared.slice(1)]);

const app = new App({ outdir, stackTraces: false });
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
  pulls: accounts(Number(count)).map(({ namespace, name, repository }) => ({
    serviceAccount: `${namespace}/${name}`,
    from: ecr({ account: ACCOUNT, region: REGION, repositories: repositoriesOf(repository) }),
  })),
});
app.synth();
console.log("{}");
