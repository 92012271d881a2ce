/* The stack that the synth benchmarks declare with this library. */
import { createRequire } from "node:module";
import { ACCOUNT, ISSUER, REGION, processorTime } from "./workload.mjs";

const require = createRequire(import.meta.url);
const { TerraformStack } = require("cdktf");
const { AwsProvider } = require("@cdktf/provider-aws/lib/provider/index.js");
const { ecr, pullRoles } = require("cdktf-workload-identity/aws");
const { openShift } = require("cdktf-workload-identity/openshift");
const { ImagePulls } = require("cdktf-workload-identity/synth");

/**
 * Declares the pulls of each account, of its own repository where nothing else is said, and gives a function that says
 * after synth how long the proof took, in ms.
 */
export function declareOurs(app, accounts, repositoriesOf = (own) => [own]) {
  // What an app validates runs in the order in which it was added, and the proof is one of these.
  const times = [];
  const takeTime = () => app.node.addValidation({ validate: () => (times.push(processorTime()), []) });
  takeTime();
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
    pulls: accounts.map(({ namespace, name, repository }) => ({
      serviceAccount: `${namespace}/${name}`,
      from: ecr({ account: ACCOUNT, region: REGION, repositories: repositoriesOf(repository) }),
    })),
  });
  takeTime();
  return () => times[1] - times[0];
}
