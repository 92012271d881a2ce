import { describe, expect, it } from "vitest";
import type { ImageCredentialProvider } from "../../lib/model/image-credential-provider";
import { type CredentialProviderSettings, credentialProviderConfig, kubernetes } from "../../lib/node";
import { code as refused, refusal } from "../support/refusal";
import { ECR } from "./providers";

const LATE = "${TfToken[TOKEN.1]}";
const CLUSTER = kubernetes({
  name: "prod",
  version: "1.35",
  issuer: "https://oidc.example.com",
  plugins: { ecr: "1.35.2" },
});

const written = (settings: unknown, provider: Partial<ImageCredentialProvider> = {}): unknown =>
  credentialProviderConfig({
    cluster: CLUSTER,
    providers: [{ ...ECR, ...provider }],
    settings: { ecr: settings as CredentialProviderSettings },
  });

const variables = (...names: readonly string[]): object => ({
  env: names.map((name, index) => ({ name, value: String(index) })),
});

describe("a late value", () => {
  it.each<[string, unknown, Partial<ImageCredentialProvider>]>([
    ["args[1] of", {}, { args: ["get-credentials", `--sts-audience=${LATE}`] }],
    ["nodeIdentityArgs[0] of", {}, { nodeIdentityArgs: [LATE] }],
    ["matchImages[0] of", {}, { matchImages: [LATE] }],
    ["annotationKeys[0] of", {}, { annotationKeys: [LATE] }],
    ["audience of", {}, { audience: LATE }],
    ["name of", {}, { name: LATE }],
    ["value of the variable AWS_REGION of", {}, { env: [{ name: "AWS_REGION", value: LATE }] }],
    ["name of env[0] of", {}, { env: [{ name: LATE, value: "x" }] }],
    ["args[0] of", { args: [LATE] }, {}],
    ["matchImages[1] of", { matchImages: ["public.ecr.aws", LATE] }, {}],
    ["nodeIdentityArgs[0] of", { mode: "mixed", nodeIdentityArgs: [LATE] }, {}],
    ["name of env[1] of", variables("A", LATE), {}],
    ["value of the variable A of", { env: [{ name: "A", value: LATE }] }, {}],
  ])("is refused: %s the image credential provider ecr", (what, settings, provider) => {
    expect(() => written(settings, provider)).toThrowError(
      refusal("late-value", {
        message: expect.stringMatching(
          `^${what.replace(/[[\]]/g, "\\$&")} the image credential provider ecr is known only after Terraform apply`,
        ),
      }),
    );
  });

  it("is refused in an entry of the distribution", () => {
    const cluster = { ...CLUSTER, additionalProviders: [{ name: "crio", args: [LATE] }] };
    expect(() => credentialProviderConfig({ cluster, providers: [ECR] })).toThrowError(
      refused("late-value", /entry crio/),
    );
  });
});

describe("settings", () => {
  it.each([
    [{ mode: "Mixed" }, "property-invalid", 'allowed: "strict", "mixed"'],
    [{ mode: LATE }, "late-value", "settings.ecr.mode"],
    [{ modes: "mixed" }, "property-unknown", "write mode"],
    [{ env: [{ name: "", value: "1" }] }, "node-invalid", "has no name"],
    [{ env: [{ name: "A=B", value: "1" }] }, "node-invalid", "that no variable can have"],
    [variables("A", "A"), "node-invalid", "is given twice"],
  ])("%j are refused with %s", (settings, code, text) => {
    expect(() => written(settings)).toThrowError(
      expect.objectContaining({ code, message: expect.stringContaining(text) }),
    );
  });
});

// What the plugins, run, exit with: an unknown flag, and a value that is no number.
describe("arguments", () => {
  const acr = {
    plugin: "acr",
    name: "acr-credential-provider",
    matchImages: ["*.azurecr.io"],
    annotationKeys: ["kubernetes.azure.com/acr-client-id"],
  };
  const entries = (settings: CredentialProviderSettings, version: string = "1.36.5"): unknown =>
    credentialProviderConfig({
      cluster: { ...CLUSTER, plugins: { acr: { version } } },
      providers: [{ ...ECR, ...acr }],
      settings: { acr: settings },
    });

  it.each<[string, () => unknown, string, string]>([
    ["args", () => written({ args: ["-v=5"] }), "ecr", 'does not accept "5" for -v'],
    ["args", () => written({ args: ["--v=2"] }), "ecr", "has no flag --v, and exits"],
    ["args", () => entries({ args: ["--v=no", "/f"] }), "acr", 'does not accept "no" for --v'],
    [
      "nodeIdentityArgs",
      () =>
        entries({ mode: "mixed", args: ["/f"], nodeIdentityName: "n", nodeIdentityArgs: ["--v=x", "/g"] }),
      "acr",
      "give --v a whole number",
    ],
  ])("of %s are refused: %s", (setting, run, plugin, text) => {
    expect(run).toThrowError(
      refusal("node-invalid", {
        message: expect.stringMatching(
          `^\`${setting}\` of the ${plugin} image credential provider keep it from returning credentials`,
        ),
      }),
    );
    expect(run).toThrowError(text);
  });

  it("that the plugin takes, or of which it is not known, are not", () => {
    expect(() => entries({ args: ["--v=2", "--log-flush-frequency=5s", "/f"] })).not.toThrow();
    expect(() => written({ args: ["get-credentials"] })).not.toThrow();
    const facts = { ecr: { version: "1.35.2", abilities: ["eusc-hosts"] } };
    const cluster = { ...CLUSTER, plugins: facts };
    const settings = { ecr: { args: ["--own"] } };
    expect(() => credentialProviderConfig({ cluster, providers: [ECR], settings })).not.toThrow();
  });
});

describe("matchImages", () => {
  // `*?.azurecr.io` is `*` to the kubelet: any host without a dot, localhost too.
  it.each([
    ["*?.dkr.ecr.*.amazonaws.com", "node-invalid", "question mark"],
    ["*#.dkr.ecr.*.amazonaws.com", "node-invalid", "the text after the # is ignored"],
    ["*.dkr.ecr.a@*.amazonaws.com", "node-invalid", "the user part is ignored"],
    ["*.dkr.ecr.*.amazonaws.com:", "node-invalid", "an empty port"],
    ["*.dkr.ecr.*.amazonaws.com:5000", "node-unsafe", "does not serve"],
    ["evil.amazonaws.com", "node-unsafe", "does not serve"],
  ])("%s is refused with %s", (pattern, code, text) => {
    expect(() => written({ matchImages: [pattern] })).toThrowError(
      expect.objectContaining({ code, value: pattern, message: expect.stringContaining(text) }),
    );
  });

  it("an entry is refused the second time", () => {
    const matchImages = ["public.ecr.aws", "*.dkr.ecr.*.amazonaws.com", "public.ecr.aws"];
    expect(() => written({ matchImages })).toThrowError(
      refusal("node-conflict: contains an entry twice", { value: "public.ecr.aws" }),
    );
  });
});

// What the operator would drop, or what the kubelet would ask two plugins for.
describe("a further entry of the cluster", () => {
  const further = (pattern: string): unknown => {
    const crio = {
      name: "crio-credential-provider",
      matchImages: [pattern],
      defaultCacheDuration: "1s",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    };
    const cluster = { ...CLUSTER, additionalProviders: [crio] };
    return credentialProviderConfig({ cluster, providers: [ECR] });
  };

  it("may serve other images", () => {
    expect(() => further("quay.io")).not.toThrow();
  });

  it("is refused where it shares images with a cloud's", () => {
    expect(() => further("*.dkr.ecr.eu-west-1.amazonaws.com/team")).toThrowError(
      refused("node-conflict", /crio-credential-provider and ecr-credential-provider/),
    );
  });
});
