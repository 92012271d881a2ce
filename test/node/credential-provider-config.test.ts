import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import type { ClusterFacts, PluginFacts, StockCredentialProvider } from "../../lib/model/cluster";
import { Duration } from "../../lib/model/duration";
import type { ImageCredentialProvider } from "../../lib/model/image-credential-provider";
import { Issuer } from "../../lib/model/issuer";
import {
  type CredentialProviderSettings,
  credentialProviderConfig,
  credentialProviderSetup,
} from "../../lib/node";
import { lintCredentialProviderConfig } from "../../lib/rules/kubelet/lint-credential-provider-config";
import { validateCredentialProviderConfig } from "../../lib/rules/kubelet/validate-credential-provider-config";
import { code, refusal } from "../support/refusal";
import { ECR } from "./providers";

const ACR: ImageCredentialProvider = {
  ...ECR,
  plugin: "acr",
  name: "acr-credential-provider",
  matchImages: ["*.azurecr.io"],
  defaultCacheDuration: Duration.minutes(10),
  args: ["/etc/kubernetes/acr-azure.json"],
  nodeIdentityArgs: undefined,
  audience: "api://AzureADTokenExchange",
  annotationKeys: ["kubernetes.azure.com/acr-client-id", "kubernetes.azure.com/acr-tenant-id"],
};

const GCP: ImageCredentialProvider = {
  ...ECR,
  plugin: "gcp",
  name: "auth-provider-gcp",
  matchImages: ["europe-docker.pkg.dev"],
  nodeIdentityArgs: ["get-credentials"],
  audience: "acme.svc.id.goog",
  annotationKeys: ["iam.gke.io/enable-wi-image-pull"],
};

interface Nodes {
  readonly kubelet?: string;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly plugins?: Readonly<Record<string, PluginFacts>>;
  readonly stockProviders?: Readonly<Record<string, StockCredentialProvider>>;
  readonly additionalProviders?: ClusterFacts["additionalProviders"];
  readonly pluginDirectoryWritable?: boolean;
}

const POOLS = ["custom-pools"] as const;
const NEWEST = { ecr: { version: "1.35.2" }, acr: { version: "1.36.5" }, gcp: { version: "36.3.8" } };

const cluster = (nodes: Nodes = {}): ClusterFacts => ({
  name: "prod-eu",
  distribution: "kubernetes",
  issuer: Issuer.of("https://oidc.example.com"),
  kubelet: "1.35",
  apiServer: "1.35",
  plugins: NEWEST,
  stockProviders: {},
  additionalProviders: [],
  configPath: () => "/etc/kubernetes/credential-provider-config.yaml",
  pluginDirectory: "/opt/plugins",
  pluginDirectoryWritable: true,
  recorded: {},
  ...nodes,
});

const entries = (
  provider: ImageCredentialProvider,
  settings: CredentialProviderSettings = {},
  nodes: Nodes = {},
): readonly Readonly<Record<string, unknown>>[] =>
  credentialProviderConfig({
    cluster: cluster(nodes),
    providers: [provider],
    settings: { [provider.plugin]: settings },
  }).providers;

describe("the file as a whole", () => {
  const document = credentialProviderConfig({ cluster: cluster(), providers: [ECR, ACR, GCP] });

  it("starts the kubelet and holds no dead pattern", () => {
    expect(validateCredentialProviderConfig(document, { kubelet: "1.35" })).toEqual([]);
    expect(lintCredentialProviderConfig(document)).toEqual([]);
  });

  it("is what an expert would write for ECR in strict mode", () => {
    expect(document.providers[0]).toEqual({
      name: "ecr-credential-provider",
      matchImages: ["*.dkr.ecr.*.amazonaws.com"],
      defaultCacheDuration: "12h",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      tokenAttributes: {
        serviceAccountTokenAudience: "sts.amazonaws.com",
        cacheType: "ServiceAccount",
        requireServiceAccount: true,
        requiredServiceAccountAnnotationKeys: ["eks.amazonaws.com/ecr-role-arn"],
      },
    });
  });

  // kubelet config/v1: 1.33 refuses `cacheType`, 1.34 and newer require it.
  it.each([
    ["1.33", false],
    ["1.34", true],
    ["1.35", true],
    ["1.36", true],
  ])("is valid for kubelet %s, cacheType %s", (kubelet, present) => {
    const featureGates = { KubeletServiceAccountTokenForCredentialProviders: true };
    const [entry] = entries(ECR, {}, { kubelet, featureGates });
    expect("cacheType" in (entry?.["tokenAttributes"] as object)).toBe(present);
  });

  it("is refused for kubelet 1.33 with its gate at the default, off", () => {
    expect(() => entries(ECR, {}, { kubelet: "1.33" })).toThrowError(
      refusal("node-invalid", { message: expect.stringContaining("feature gate is disabled") }),
    );
  });

  it("comes as a file with flags, and as YAML of the same meaning", () => {
    const extra = { path: "/etc/kubernetes/acr-azure.json", mode: 0o600, content: "{}\n" };
    const setup = credentialProviderSetup({ cluster: cluster(), providers: [ECR, ACR, GCP] }, [extra]);
    expect(setup.files.map(({ path, mode }) => [path, mode])).toEqual([
      ["/etc/kubernetes/acr-azure.json", 0o600],
      ["/etc/kubernetes/credential-provider-config.yaml", 0o644],
    ]);
    expect(parse(setup.files[1]?.content ?? "")).toEqual(document);
    expect(setup.kubeletFlags).toEqual({
      "image-credential-provider-bin-dir": "/opt/plugins",
      "image-credential-provider-config": "/etc/kubernetes/credential-provider-config.yaml",
    });
  });

  it("says in the file what strict mode takes from other pods, and what mixed mode in one entry needs", () => {
    const content = (settings: CredentialProviderSettings): string =>
      credentialProviderSetup({ cluster: cluster(), providers: [ECR], settings: { ecr: settings } }).files[0]
        ?.content ?? "";
    expect(content({})).toMatch(/^# ecr-credential-provider: runs only for pods whose service account has/);
    expect(content({ mode: "mixed" })).toMatch(
      /^# Before nodes get this file, .* for sts\.amazonaws\.com in the whole cluster: .*\n# .*\napiVersion:/,
    );
    const old = cluster({ plugins: { ecr: { version: "1.34.2" } } });
    const settings = { ecr: { mode: "mixed", nodeIdentityName: "ecr-node", nodeIdentityArgs: [] } } as const;
    const setup = credentialProviderSetup({ cluster: old, providers: [ECR], settings });
    expect(setup.files[0]?.content).toMatch(/^apiVersion:/);
  });

  // cacheType: refused by 1.33, required since 1.34 (kubelet config/v1).
  it("says in a file for 1.33 that newer kubelets do not start with it", () => {
    const header = (kubelet: string): string => {
      const featureGates = { KubeletServiceAccountTokenForCredentialProviders: true };
      const facts = cluster({ kubelet, featureGates });
      return credentialProviderSetup({ cluster: facts, providers: [ECR] }).files[0]?.content ?? "";
    };
    expect(header("1.33")).toMatch(
      /^# kubelets from 1\.34 on do not start with a CredentialProviderConfig for 1\.33, .*\n# .*its kubelet\.\n# ecr/,
    );
    expect(header("1.34")).toMatch(/^# ecr-credential-provider: runs only for pods/);
  });

  it("quotes what the kubelet's YAML 1.1 reader would not take for text", () => {
    const env = ["yes", "0644", "1e3", "12:30"].map((value, index) => ({ name: `V${index}`, value }));
    const settings = { ecr: { env } };
    const setup = credentialProviderSetup({ cluster: cluster(), providers: [ECR], settings });
    const read: unknown = parse(setup.files[0]?.content ?? "", { version: "1.1" });
    expect(read).toMatchObject({ providers: [{ env }] });
  });
});

describe("what the distribution brings", () => {
  const stock = {
    name: "gcr-credential-provider",
    matchImages: ["gcr.io", "*.gcr.io", "*.pkg.dev"],
    args: ["get-credentials", "--v=3"],
    defaultCacheDuration: "2m",
  };

  it("keeps its name, patterns, arguments and duration, and adds only what they do not cover", () => {
    const [entry] = entries(GCP, {}, { stockProviders: { gcp: stock } });
    expect(entry).toMatchObject(stock);
  });

  it("adds a pattern that it lacks", () => {
    const name = "acr-credential-provider";
    const acr = { ...stock, name, matchImages: ["*.azurecr.cn"], args: ["/etc/kubernetes/cloud.conf"] };
    const [entry] = entries(ACR, {}, { stockProviders: { acr } });
    expect(entry).toMatchObject({
      matchImages: ["*.azurecr.cn", "*.azurecr.io"],
      args: ["/etc/kubernetes/acr-azure.json"],
    });
  });

  // As on EKS: no node pulled with the plugin before, so no other registry needs it.
  it.each([
    ["strict mode without such an entry", "strict", {}, ["1.dkr.ecr.eu-west-1.amazonaws.com"]],
    ["mixed mode", "mixed", {}, ECR.matchImages],
    [
      "strict mode beside its patterns",
      "strict",
      { ecr: { ...stock, args: [], matchImages: [] } },
      ECR.matchImages,
    ],
  ] as const)(
    "%s decides between the declared hosts and the patterns",
    (_, mode, stockProviders, expected) => {
      const provider = { ...ECR, hosts: ["1.dkr.ecr.eu-west-1.amazonaws.com"] };
      const [entry] = entries(provider, { mode }, { stockProviders });
      expect(entry?.["matchImages"]).toEqual(expected);
    },
  );

  it("lets the caller decide", () => {
    const settings = {
      matchImages: ["*.gcr.io"],
      args: ["get-credentials"],
      env: [{ name: "KUBE_SIDECAR_CACHE_TYPE", value: "registry" }],
      defaultCacheDuration: Duration.minutes(5),
    };
    const [entry] = entries(GCP, settings, { stockProviders: { gcp: stock } });
    expect(entry).toMatchObject({ ...settings, defaultCacheDuration: "5m" });
  });

  it("keeps its entry for a cloud that no pull concerns as it was, since the file replaces the whole", () => {
    const acr = { ...stock, name: "acr-credential-provider", args: ["/etc/kubernetes/cloud.conf"] };
    const apiVersion = "credentialprovider.kubelet.k8s.io/v1";
    expect(entries(ECR, {}, { stockProviders: { acr } })[1]).toEqual({ ...acr, apiVersion });
  });

  it("puts further entries of the distribution behind", () => {
    const crio = {
      name: "crio-credential-provider",
      matchImages: ["quay.example.com"],
      defaultCacheDuration: "1s",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    };
    expect(entries(ECR, {}, { additionalProviders: [crio] })[1]).toEqual(crio);
    expect(() =>
      entries(ECR, {}, { additionalProviders: [{ ...crio, name: "ecr-credential-provider" }] }),
    ).toThrowError(refusal("node-conflict: the same name"));
    expect(() => entries(ECR, {}, { additionalProviders: [{ ...crio, matchImages: [] }] })).toThrowError(
      code("node-invalid", /at least 1 item in matchImages is required/),
    );
  });
});

describe("mixed mode", () => {
  const optional = { requireServiceAccount: false };

  it("needs one entry where the plugin falls back: ECR 1.35, Google", () => {
    for (const provider of [ECR, GCP]) {
      const own = entries(provider, { mode: "mixed" });
      expect(own).toHaveLength(1);
      expect(own[0]?.["tokenAttributes"]).toMatchObject({
        ...optional,
        optionalServiceAccountAnnotationKeys: provider.annotationKeys,
      });
      expect(own[0]?.["tokenAttributes"]).not.toHaveProperty("requiredServiceAccountAnnotationKeys");
    }
  });

  // Without a second entry: ECR 1.34 answers a token without role ARN with an error, ACR always needs both
  // annotations, a Google custom pool exchanges every token.
  it.each<[string, ImageCredentialProvider, PluginFacts]>([
    ["ECR 1.34", ECR, { version: "1.34.2" }],
    ["ACR", ACR, { version: "1.36.5" }],
    ["Google, custom pool", { ...GCP, needs: POOLS }, { version: "36.3.8", abilities: POOLS }],
  ])("needs a second executable name for %s", (_, provider, facts) => {
    const plugins = { [provider.plugin]: facts };
    expect(() => entries(provider, { mode: "mixed" }, { plugins })).toThrowError(
      refusal("node-missing: needs a second entry"),
    );
    const readOnly = { plugins, pluginDirectoryWritable: false };
    expect(() => entries(provider, { mode: "mixed", nodeIdentityName: "x" }, readOnly)).toThrowError(
      refusal("node-unsupported: read-only"),
    );
    const settings = { mode: "mixed", nodeIdentityName: "node-identity", nodeIdentityArgs: ["x"] } as const;
    const [token, node] = entries(provider, settings, { plugins });
    expect(token?.["tokenAttributes"]).toMatchObject({ requireServiceAccount: true });
    expect(node).toEqual({
      name: "node-identity",
      matchImages: provider.matchImages,
      defaultCacheDuration: provider.defaultCacheDuration.toString(),
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
      args: ["x"],
    });
  });
});

describe("mixed mode with a read-only plugin directory", () => {
  it.each([
    ["openshift", ECR, "mode `strict`, or OpenShift 4.22 or newer"],
    ["openshift-hosted", ECR, "mode `strict`, or OpenShift 4.22 or newer"],
    ["kubernetes", ECR, "mode `strict`, or version 1.35.0 of the plugin or newer"],
    ["openshift", ACR, "mode `strict`"],
  ] as const)("of %s names the versions that need no second entry", (distribution, provider, allowed) => {
    const facts = {
      distribution,
      plugins: { ecr: { version: "1.34.0" }, acr: { version: "1.36.0" } },
      pluginDirectoryWritable: false,
    };
    expect(() => entries(provider, { mode: "mixed" }, facts)).toThrowError(
      expect.objectContaining({ code: "node-unsupported", allowed }),
    );
  });
});

describe("refuses", () => {
  it("a plugin that the nodes cannot have, or that no one stated", () => {
    expect(() => entries(GCP, {}, { plugins: {} })).toThrowError(
      refusal("node-missing: do not say which version"),
    );
    expect(() => entries(GCP, {}, { plugins: { gcp: { unusable: "no tokens" } } })).toThrowError(
      refusal("node-unsupported", { message: expect.stringContaining("no tokens") }),
    );
  });

  it.each<[ImageCredentialProvider, PluginFacts]>([
    [ECR, { version: "1.33.4" }],
    [ECR, {}],
    [ACR, { version: "1.34.6" }],
    [ACR, { version: "1.34" }],
    [GCP, { version: "35.0.0" }],
    [{ ...GCP, needs: ["tokens", "custom-pools"] }, { version: "36.3.8" }],
  ])("a plugin that cannot do what the pulls need", (provider, facts) => {
    expect(() => entries(provider, {}, { plugins: { [provider.plugin]: facts } })).toThrowError(
      refusal("node-unsupported: lacks what these pulls need"),
    );
  });

  it.each([
    ["https://111122223333.dkr.ecr.eu-west-1.amazonaws.com", "node-invalid: can never match"],
    ["*.dkr.ecr.*.amazonaws.com/*", "node-invalid: can never match"],
    ["*.dkr.ecr.*.amazonaws.com/app:v1", "node-invalid: can never match"],
    ["*.amazonaws.com", "node-unsafe: does not serve"],
    ["*.*.*.*.*.*", "node-unsafe: does not serve"],
    ["docker.io", "node-unsafe: does not serve"],
  ])("matchImages entry %s with %s", (pattern, expected) => {
    expect(() => entries(ECR, { matchImages: [pattern] })).toThrowError(refusal(expected));
  });

  it("patterns under which a declared pull would never reach the plugin", () => {
    const settings = { ecr: { matchImages: ["*.dkr.ecr.eu-west-1.amazonaws.com"] } };
    const props = { cluster: cluster(), providers: [ECR], settings };
    const image = (region: string): string => `111122223333.dkr.ecr.${region}.amazonaws.com/base/*`;
    expect(() => credentialProviderConfig({ ...props, pulls: { ecr: [image("eu-west-1")] } })).not.toThrow();
    expect(() => credentialProviderConfig({ ...props, pulls: { ecr: [image("eu-north-1")] } })).toThrowError(
      refusal("node-mismatch: matches a declared pull"),
    );
  });

  it("settings for a plugin that no pull uses", () => {
    expect(() =>
      credentialProviderConfig({ cluster: cluster(), providers: [ECR], settings: { acr: {} } }),
    ).toThrowError(refusal("node-unused: no pull uses that plugin"));
  });
});
