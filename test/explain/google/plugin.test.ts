import { expect, it } from "vitest";
import type { ProviderEntry } from "../../../lib/explain/read/node-configuration";
import { known } from "../../../lib/model/known";
import { puller } from "../../fixtures/explain/google";

const RELEASE = { version: "36.3.8" };
const BUILD = { version: "36.3.8", abilities: ["custom-pools"] };
const POOL =
  "//iam.googleapis.com/projects/123456789012/locations/global/workloadIdentityPools/k8s-edge-1/providers/k8s-edge-1";
const OTHER = POOL.replace("/k8s-edge-1/", "/other/");
const STS = `--sts-audience=${POOL}`;
const MANAGED = ["--identity-provider=https://c", "--project-id=acme"];
const GET = "get-credentials";

const entry = (args: readonly string[]): ProviderEntry => ({
  name: "auth-provider-gcp",
  matchImages: [],
  args: args.map(known),
  env: new Map(),
  tokenAttributes: undefined,
  source: { file: "nodes.yaml", path: "" },
});

// cmd/auth-provider-gcp/main.go and app/getcredentials.go of 4e245312; cobra refuses unknown commands and flags, main.go
// reads flags before the command by Go's own parser, which knows those of klog.
it.each<[string, readonly string[], object, "pass" | "fail" | "unknown", string]>([
  ["as the library writes them", [GET, STS], BUILD, "pass", "where to exchange"],
  ["for the managed pool", [GET, ...MANAGED], RELEASE, "pass", "where to exchange"],
  ["values as arguments of their own", [GET, "--sts-audience", POOL], BUILD, "pass", "where to exchange"],
  ["of logging", [GET, "--v=4", "-v", "2", "--logtostderr", STS], BUILD, "pass", "where to exchange"],
  ["of logging, before the command", ["--v=4", GET, STS], BUILD, "pass", "where to exchange"],
  ["the usual flow", [GET, "-a", "gcr", ...MANAGED], RELEASE, "pass", "where to exchange"],
  ["a word besides", [GET, STS, "--", "--nope"], BUILD, "pass", "where to exchange"],
  ["no command", [STS], BUILD, "fail", "lack the command get-credentials"],
  ["another command", ["get", GET, STS], BUILD, "fail", "have get in its place"],
  ["a flag before the command", [STS, GET], BUILD, "fail", "--sts-audience comes before the command"],
  ["an unknown flag", [GET, "--nope=1", ...MANAGED], RELEASE, "fail", "no flag --nope"],
  ["an unknown flag of a build", [GET, "--nope=1", STS], BUILD, "unknown", "--nope is not known"],
  ["an unknown flag of an unknown release", [GET, "--nope", ...MANAGED], {}, "unknown", "--nope"],
  ["an unknown flag of a newer one", [GET, "--nope", ...MANAGED], { version: "37.0.0" }, "unknown", "--nope"],
  ["help", [GET, "--help", ...MANAGED], RELEASE, "fail", "--help makes the plugin print"],
  ["help of an unknown release", [GET, "--help", ...MANAGED], {}, "unknown", "--help"],
  ["a level that is no number", [GET, "--v=x", STS], BUILD, "fail", 'does not accept "x" for --v'],
  ["a level of an unknown release", [GET, "--v=x", ...MANAGED], {}, "unknown", "--v is not known"],
  ["a klog threshold", [GET, "--alsologtostderrthreshold=ERROR", STS], BUILD, "unknown", "is not known"],
  ["letters and a number before the command", ["-v3", GET, STS], BUILD, "fail", "--v3 comes before"],
  ["a command behind the end of flags", ["--", GET, STS], BUILD, "fail", "lack the command"],
  ["no value", [GET, STS, "--project-id"], BUILD, "fail", "--project-id has no value"],
  ["the node's metadata", [GET, STS, "--authFlow=dockercfg"], BUILD, "fail", "node's metadata"],
  ["a flow that is none", [GET, STS, "-agcs"], BUILD, "fail", "exchanges no token"],
  ["two pools", [GET, STS, ...MANAGED], BUILD, "unknown", "two pools"],
  ["half of a pool", [GET, "--identity-provider=https://c"], RELEASE, "fail", "without --project-id"],
  ["no pool", [GET], RELEASE, "fail", "no pool"],
  ["no pool at last", [GET, STS, "--sts-audience="], BUILD, "fail", "no pool"],
])("arguments of the gcp plugin: %s", (_, args, gcp, status, reason) => {
  const {
    cloud,
    question: { cluster, node },
  } = puller([]);
  expect(cloud.pulls.arguments(entry(args), node, "pkg.dev", { ...cluster, plugins: { gcp } })).toMatchObject(
    {
      status,
      reason: expect.stringContaining(reason),
    },
  );
});

it("of several flags of a name the last one counts", () => {
  const { cloud, question } = puller([]);
  const trust = (...args: readonly string[]): string =>
    cloud.pulls.puller({ ...question, entry: entry([GET, ...args]) }).trust.subject.status;
  expect([trust(STS), trust(STS, `--sts-audience=${OTHER}`), trust(`--sts-audience=${OTHER}`, STS)]).toEqual([
    "pass",
    "unknown",
    "pass",
  ]);
});
