import { describe, expect, it } from "vitest";
import { type Known, known, notKnown } from "../../../lib/model/known";
import { ecrRoleAnnotation } from "../../../lib/rules/aws/pull";
import { ARN, aws, entry, node } from "./read";

const { pulls } = aws({}).cloud;
const PRIVATE = "111122223333.dkr.ecr.eu-west-1.amazonaws.com";
const PUBLIC = "public.ecr.aws";
const FLAG = ["get-credentials", "--v=2"];

// The plugins of 1.33.0, 1.34.1, 1.35.1, 1.36.0 and 1.37.1 are one command without flags; words are passed over.
it.each<[string, readonly string[], string | undefined, "pass" | "fail" | "unknown"]>([
  ["none", [], undefined, "pass"],
  ["the word that kOps writes", ["get-credentials"], undefined, "pass"],
  ["a flag", FLAG, "1.34.1", "fail"],
  ["a flag of its own word", ["--v", "2"], "1.36", "fail"],
  ["a flag, of an unknown version", FLAG, undefined, "unknown"],
  ["a flag, of a version that is newer than all known", FLAG, "1.38.0", "unknown"],
  ["a flag that prints something else", ["--version"], "1.35.2", "fail"],
  // An unknown letter of a build without a version, `--version` of a release.
  ["a letter", ["-v=5"], "1.36.0", "fail"],
  ["a letter that a release passes over", ["-v=0"], "1.36.0", "unknown"],
  ["a word that is not written", ["completion"], "1.35.2", "unknown"],
])("arguments of the ecr plugin: %s", (_, args, version, status) => {
  const plugins = { ecr: version === undefined ? {} : { version } };
  expect(pulls.arguments(entry(args), node, PRIVATE, { plugins })).toMatchObject({ status });
});

it("an argument known only after apply may be any", () => {
  const late = { ...entry(), args: [notKnown({ kind: "unread", what: "a variable gives it" })] };
  expect(pulls.arguments(late, node, PRIVATE, {}).status).toBe("unknown");
});

// aws/aws-sdk-go-v2, config/config.go (resolveConfigLoaders) and config/env_config.go: a profile that AWS_PROFILE names
// must exist, one that AWS_DEFAULT_PROFILE names need not; of the regions the first that is not empty counts.
it.each<[string, Record<string, string>, string, "pass" | "fail" | "unknown"]>([
  ["a profile", { AWS_PROFILE: "nope" }, PRIVATE, "unknown"],
  ["a profile, and a region", { AWS_PROFILE: "nope", AWS_REGION: "us-east-1" }, PUBLIC, "unknown"],
  ["an empty profile", { AWS_PROFILE: "" }, PRIVATE, "pass"],
  ["the default profile's name", { AWS_DEFAULT_PROFILE: "nope" }, PRIVATE, "pass"],
  ["another address of STS", { AWS_ENDPOINT_URL_STS: "https://sts.example.com" }, PRIVATE, "unknown"],
  ["another address of all", { AWS_ENDPOINT_URL: "https://aws.example.com" }, PRIVATE, "unknown"],
  ["a role, which the plugin does not assume", { AWS_ROLE_ARN: "arn:aws:iam::1:role/x" }, PRIVATE, "pass"],
  ["a proxy", { HTTPS_PROXY: "http://proxy:3128" }, PRIVATE, "pass"],
  ["FIPS endpoints", { AWS_USE_FIPS_ENDPOINT: "true" }, PRIVATE, "pass"],
  ["no region for ECR Public", {}, PUBLIC, "fail"],
  ["an empty region for ECR Public", { AWS_REGION: "" }, PUBLIC, "fail"],
  ["a region for ECR Public", { AWS_REGION: "eu-west-1" }, PUBLIC, "pass"],
  ["the default region for ECR Public", { AWS_DEFAULT_REGION: "eu-west-1" }, PUBLIC, "pass"],
])("variables of the ecr plugin: %s", (_, env, host, status) => {
  expect(pulls.arguments(entry([], env), node, host, {})).toMatchObject({ status });
});

describe("the role that the plugin gets", () => {
  const asked = (
    annotations: Record<string, Known<string>>,
    { keys = [ecrRoleAnnotation], env = {} }: { keys?: readonly string[]; env?: Record<string, string> } = {},
  ): { status: string; reason: string } => {
    const given = entry([], env);
    const attributes = given.tokenAttributes && { ...given.tokenAttributes, requiredKeys: keys };
    return pulls.annotations({
      cluster: {},
      token: { issuer: known("x"), audience: known("y"), namespace: "shop", name: "web" },
      entry: { ...given, tokenAttributes: attributes },
      node,
      account: {
        key: "shop/web",
        annotations: new Map(Object.entries(annotations)),
        patch: undefined,
        pullSecrets: [],
        source: undefined,
        documents: [],
      },
    });
  };
  const contested = notKnown({ kind: "contested", what: "documents contradict each other" });

  it.each<[string, ReturnType<typeof asked>, string, string]>([
    ["an annotation", asked({ [ecrRoleAnnotation]: known(ARN) }), "pass", ARN],
    ["none", asked({}), "fail", `has no ${ecrRoleAnnotation}`],
    [
      "that of another program",
      asked({ "eks.amazonaws.com/role-arn": known(ARN) }),
      "fail",
      "which the plugin does not read",
    ],
    ["an empty one", asked({ [ecrRoleAnnotation]: known("") }), "fail", "is empty"],
    [
      "one that is not listed",
      asked({ [ecrRoleAnnotation]: known(ARN) }, { keys: [] }),
      "fail",
      "does not list",
    ],
    ["the entry's default", asked({}, { env: { AWS_ECR_ROLE_ARN: ARN } }), "pass", ARN],
    ["one of which documents differ", asked({ [ecrRoleAnnotation]: contested }), "unknown", "contradict"],
  ])("%s", (_, { status, reason }, expected, words) => {
    expect(status).toBe(expected);
    expect(reason).toContain(words);
  });
});
