import { describe, expect, it } from "vitest";
import type { ClusterFacts, PluginFacts } from "../../lib/model/cluster";
import { Duration } from "../../lib/model/duration";
import type { ImageCredentialProvider } from "../../lib/model/image-credential-provider";
import { type CredentialProviderSettings, credentialProviderEntries, kubernetes } from "../../lib/node";
import { refusal } from "../support/refusal";

const PLUGINS = { ecr: "1.34.2", acr: "1.36.5", gcp: { version: "36.3.8", abilities: ["custom-pools"] } };
const CLUSTER: ClusterFacts = kubernetes({
  name: "prod",
  version: "1.35",
  issuer: "https://oidc.example.com",
  plugins: PLUGINS,
});
const GCP: ImageCredentialProvider = {
  plugin: "gcp",
  name: "auth-provider-gcp",
  matchImages: ["europe-docker.pkg.dev"],
  defaultCacheDuration: Duration.minutes(1),
  args: ["get-credentials", "--sts-audience=//iam.googleapis.com/x"],
  nodeIdentityArgs: ["get-credentials"],
  env: [{ name: "KUBE_SIDECAR_CACHE_TYPE", value: "registry" }],
  audience: "acme",
  cacheType: "ServiceAccount",
  annotationKeys: ["iam.gke.io/enable-wi-image-pull"],
  needs: ["tokens", "custom-pools"],
};
const ACR: ImageCredentialProvider = {
  ...GCP,
  plugin: "acr",
  name: "acr-credential-provider",
  matchImages: ["*.azurecr.io"],
  args: ["/etc/kubernetes/acr-azure.json"],
  nodeIdentityArgs: undefined,
  env: [],
  needs: ["tokens"],
};
const ECR: ImageCredentialProvider = {
  ...ACR,
  plugin: "ecr",
  name: "ecr-credential-provider",
  matchImages: ["*.dkr.ecr.*.amazonaws.com"],
  args: [],
  nodeIdentityArgs: [],
  env: [{ name: "AWS_REGION", value: "us-east-1" }],
};

const MIXED: CredentialProviderSettings = { mode: "mixed", nodeIdentityName: "node-identity" };

function second(
  provider: ImageCredentialProvider,
  settings: CredentialProviderSettings = {},
  cluster: Partial<ClusterFacts> = {},
): Readonly<Record<string, unknown>> {
  const entries = credentialProviderEntries({ ...CLUSTER, ...cluster }, provider, { ...MIXED, ...settings });
  const [, entry] = entries;
  if (entry === undefined) throw new Error("no second entry");
  return entry;
}

describe("the token-less entry", () => {
  // auth-provider-gcp with --sts-audience fails without a token (cloud-provider-gcp PR 1248).
  it("has the cloud's arguments for the node's identity, none that serve the tokens", () => {
    expect(second(GCP)["args"]).toEqual(["get-credentials"]);
    expect(second(ECR)).not.toHaveProperty("args");
  });

  it("has the caller's before the cloud's, and the distribution's where the cloud knows none", () => {
    expect(second(GCP, { nodeIdentityArgs: ["get-credentials", "--v=3"] })["args"]).toEqual([
      "get-credentials",
      "--v=3",
    ]);
    expect(second(ACR, { nodeIdentityArgs: ["/etc/kubernetes/node.json"] })["args"]).toEqual([
      "/etc/kubernetes/node.json",
    ]);
    const acr = {
      name: "acr",
      matchImages: ["*.azurecr.io"],
      args: ["/etc/cloud.conf"],
      defaultCacheDuration: "1m",
    };
    expect(second(ACR, {}, { stockProviders: { acr } })["args"]).toEqual(["/etc/cloud.conf"]);
  });

  it("is refused where nothing says with which arguments the node's identity is used", () => {
    expect(() => second(ACR)).toThrowError(
      refusal("node-missing", { message: expect.stringContaining("userAssignedIdentityID") }),
    );
  });

  it("has the caller's variables, without those that the cloud adds for tokens", () => {
    for (const provider of [GCP, ECR]) expect(second(provider)).not.toHaveProperty("env");
    const env = [{ name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" }];
    expect(second(GCP, { env })["env"]).toEqual(env);
  });
});

describe("settings of the token-less entry", () => {
  const newest: Readonly<Record<string, PluginFacts>> = { ecr: { version: "1.35.0" } };

  it.each<[string, CredentialProviderSettings, Partial<ClusterFacts>]>([
    ["strict mode", { mode: "strict", nodeIdentityName: "x" }, {}],
    ["strict mode by default", { nodeIdentityName: "x" }, {}],
    ["strict mode", { nodeIdentityArgs: [] }, {}],
    ["a plugin that itself falls back", MIXED, { plugins: newest }],
    ["a plugin that itself falls back", { mode: "mixed", nodeIdentityArgs: [] }, { plugins: newest }],
  ])("are refused in %s: %j", (_, settings, cluster) => {
    expect(() => credentialProviderEntries({ ...CLUSTER, ...cluster }, ECR, settings)).toThrowError(
      refusal("node-unused: has no effect"),
    );
  });

  // kubernetes:pkg/credentialprovider/plugin/config.go; an empty name passes there and is no file.
  it.each([
    ["", "it is empty"],
    ["a/b", "provider name cannot contain '/'"],
    ["a b", "provider name cannot contain spaces"],
    [".", "provider name cannot be '.'"],
    ["..", "provider name cannot be '..'"],
  ])("name %j is refused: %s", (nodeIdentityName, reason) => {
    expect(() => second(ECR, { nodeIdentityName })).toThrowError(
      refusal("node-invalid", { message: expect.stringContaining(reason) }),
    );
  });

  it("a late name is refused", () => {
    expect(() => second(ECR, { nodeIdentityName: "${TfToken[TOKEN.1]}" })).toThrowError(
      refusal("late-value"),
    );
  });
});

// cloud-provider-gcp, cmd/auth-provider-gcp/provider/provider.go: the duration is stated with every answer, also with
// the metadata server's token, which may have five minutes left.
describe("KUBE_SIDECAR_CACHE_DURATION", () => {
  const kept = (value: string) => [{ name: "KUBE_SIDECAR_CACHE_DURATION", value }];
  const fleet = { ...GCP, needs: ["tokens"], env: [] };
  const refused = refusal("node-unsafe", {
    value: "KUBE_SIDECAR_CACHE_DURATION",
    message: expect.stringContaining("the token may expire sooner"),
  });

  it("is refused where an entry answers with the node's own token", () => {
    const rows: readonly (readonly [ImageCredentialProvider, CredentialProviderSettings])[] = [
      [{ ...fleet, env: kept("5m") }, { mode: "mixed" }],
      [fleet, { mode: "mixed", env: kept("1ns") }],
      [GCP, { ...MIXED, env: kept("30m") }],
    ];
    for (const [provider, settings] of rows)
      expect(() => credentialProviderEntries(CLUSTER, provider, settings)).toThrowError(refused);
  });

  it("holds in strict mode, for the entry with tokens alone, and where it keeps nothing", () => {
    const [strict] = credentialProviderEntries(CLUSTER, { ...fleet, env: kept("5m") });
    expect(strict?.["env"]).toEqual(kept("5m"));
    expect(second({ ...GCP, env: kept("5m") })).not.toHaveProperty("env");
    const [mixed] = credentialProviderEntries(CLUSTER, fleet, { mode: "mixed", env: kept("0s") });
    expect(mixed?.["env"]).toEqual(kept("0s"));
  });

  it("is no variable of the other plugins", () => {
    const cluster = { ...CLUSTER, plugins: { ecr: { version: "1.35.0" } } };
    expect(credentialProviderEntries(cluster, ECR, { mode: "mixed", env: kept("5m") })).toHaveLength(1);
  });
});

// cloud-provider-aws, cmd/ecr-credential-provider/main.go: the role for service accounts without annotation.
describe("AWS_ECR_ROLE_ARN", () => {
  const env = [{ name: "AWS_ECR_ROLE_ARN", value: "arn:aws:iam::111122223333:role/default" }];

  it("is refused where the kubelet asks the plugin for annotated service accounts alone", () => {
    for (const settings of [{ env }, { ...MIXED, env }])
      expect(() => credentialProviderEntries(CLUSTER, ECR, settings)).toThrowError(
        refusal("node-unused: a variable of the", { value: "AWS_ECR_ROLE_ARN" }),
      );
  });

  it("holds in mixed mode of a plugin that is asked for all", () => {
    const cluster = { ...CLUSTER, plugins: { ecr: { version: "1.35.0" } } };
    const [entry] = credentialProviderEntries(cluster, ECR, { mode: "mixed", env });
    expect(entry?.["env"]).toEqual([...ECR.env, ...env]);
  });
});
