import { describe, expect, it } from "vitest";
import {
  isPluginExecutable,
  pluginRow,
  outlivingTokenEnv,
  pluginCan,
  unannotatedEnvReason,
  isWithin,
} from "../../lib/rules/plugins";
import type { PluginAbility } from "../../lib/model/plugin";

describe("pluginCan", () => {
  // Sources: the tags of kubernetes/cloud-provider-aws, kubernetes-sigs/cloud-provider-azure and
  // kubernetes/cloud-provider-gcp in which the change first stands.
  it.each<[string, string | undefined, PluginAbility, string]>([
    ["ecr", "1.34", "tokens", "yes"],
    ["ecr", "v1.34.0", "tokens", "yes"],
    ["ecr", undefined, "tokens", "unknown"],
    ["acr", "1.33.17", "tokens", "no"],
    ["acr", "1.34", "tokens", "unknown"],
    ["acr", "1.36.5", "unannotated-node-identity", "no"],
    ["gcp", "35.0.0", "tokens", "no"],
    ["gcp", "36.2.3", "tokens", "unknown"],
    ["gcp", "36.3.8", "tokens", "yes"],
    ["gcp", "36.3.8", "custom-pools", "no"],
    ["gcp", "36.3.8", "unannotated-node-identity", "yes"],
    ["other", "1.0", "tokens", "unknown"],
    ["ecr", "1.34.0", "eusc-hosts", "no"],
    ["ecr", "1.34", "eusc-hosts", "unknown"],
    ["ecr", "1.35.0", "eusc-hosts", "yes"],
    ["ecr", "1.36", "eusc-hosts", "yes"],
    ["ecr", undefined, "eusc-hosts", "unknown"],
    // Newer than all that was read; a pre-release need not have what its release has.
    ["acr", "2.0", "tokens", "unknown"],
    ["gcp", "99.0", "tokens", "unknown"],
    ["gcp", "37.0.0", "custom-pools", "unknown"],
    ["ecr", "1.34.0-rc.1", "tokens", "unknown"],
    ["ecr", "1.34.0+build-5", "tokens", "yes"],
    ["ecr", "1.34.1-rc.1", "tokens", "yes"],
    ["constructor", "1.34.1", "tokens", "unknown"],
    ["ecr", "1.34.1", "constructor" as PluginAbility, "unknown"],
  ])("%s %s %s: %s", (plugin, version, ability, outcome) => {
    expect(pluginCan(plugin, version === undefined ? {} : { version }, ability).outcome).toBe(outcome);
  });

  it("believes a stated ability, since distributions backport", () => {
    expect(pluginCan("gcp", { version: "36.3.8", abilities: ["custom-pools"] }, "custom-pools").outcome).toBe(
      "yes",
    );
  });

  it("answers unknown to what a caller without types hands over", () => {
    for (const [plugin, facts, ability] of [
      ["ecr", null, "tokens"],
      ["ecr", undefined, "tokens"],
      ["ecr", { abilities: "tokens" }, "tokens"],
      [Symbol("ecr"), {}, "tokens"],
      ["ecr", {}, Symbol("tokens")],
      [undefined, undefined, undefined],
    ])
      expect(pluginCan(plugin as never, facts as never, ability as never).outcome).toBe("unknown");
    expect(() => pluginCan("ecr", { version: 1n as never }, "tokens")).toThrowError(
      expect.objectContaining({ code: "version-invalid" }) as Error,
    );
  });

  it("knows no other plugin", () => {
    expect([pluginRow("other"), pluginRow("constructor")]).toEqual([undefined, undefined]);
  });

  it("says why", () => {
    expect(pluginCan("gcp", { version: "36.3.8" }, "custom-pools").reason).toContain("--sts-audience");
    expect(pluginCan("acr", { version: "1.34" }, "tokens").reason).toContain("state the patch level");
  });
});

describe("isWithin", () => {
  it.each([
    ["*.dkr.ecr.*.amazonaws.com", "ecr", true],
    ["111122223333.dkr.ecr.eu-west-1.amazonaws.com", "ecr", true],
    ["111122223333.dkr.ecr.eu-west-1.amazonaws.com/shop", "ecr", true],
    ["public.ecr.aws", "ecr", true],
    ["*.amazonaws.com", "ecr", false],
    ["*.*.*.*.amazonaws.com", "ecr", false],
    ["*.*.ecr.*.amazonaws.com", "ecr", false],
    ["docker.io", "ecr", false],
    ["*.azurecr.io", "acr", true],
    ["*.*", "acr", false],
    ["shop.azurecr.io:443", "acr", false],
    ["europe-docker.pkg.dev", "gcp", true],
    ["*-docker.pkg.dev", "gcp", true],
    ["*.dev", "gcp", false],
    // What the kubelet reads in them: *, *.azurecr, evil.amazonaws.com, a pattern of another host.
    ["*?.azurecr.io", "acr", false],
    ["*#.azurecr.io", "acr", false],
    ["*.dkr.ecr.a@*.amazonaws.com", "ecr", false],
    ["user@shop.azurecr.io", "acr", true],
    ["https://shop.azurecr.io", "acr", false],
    ["sh%op.azurecr.io", "acr", false],
  ])("%s within the registries of %s: %s", (pattern, plugin, expected) => {
    expect(isWithin(pattern, pluginRow(plugin)?.registries ?? [])).toBe(expected);
  });

  it.each([
    ["gcr.io/team/app", "gcr.io/team", true],
    ["gcr.io/team", "gcr.io/team/app", false],
    ["gcr.io", "gcr.io/team", false],
  ])("%s within %s: %s, since the path is a prefix", (pattern, wider, expected) => {
    expect(isWithin(pattern, [wider])).toBe(expected);
  });
});

// kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go (host pattern); cloud-provider-azure,
// pkg/credentialprovider (suffixes); cloud-provider-gcp, pkg/gcpcredential (registry URLs).
describe("registries", () => {
  it("knows each plugin's registries", () => {
    expect(pluginRow("ecr")?.registries).toEqual([
      ...["*.dkr.ecr.*.amazonaws.com", "*.dkr.ecr-fips.*.amazonaws.com"],
      ...["*.dkr.ecr.*.amazonaws.com.cn", "*.dkr.ecr-fips.*.amazonaws.com.cn"],
      ...["*.dkr.ecr.*.amazonaws.eu", "*.dkr.ecr-fips.*.amazonaws.eu"],
      ...["*.dkr.ecr.*.c2s.ic.gov", "*.dkr.ecr-fips.*.c2s.ic.gov"],
      ...["*.dkr.ecr.*.sc2s.sgov.gov", "*.dkr.ecr-fips.*.sc2s.sgov.gov"],
      ...["*.dkr.ecr.*.cloud.adc-e.uk", "*.dkr.ecr-fips.*.cloud.adc-e.uk"],
      ...["*.dkr.ecr.*.csp.hci.ic.gov", "*.dkr.ecr-fips.*.csp.hci.ic.gov"],
      ...["*.dkr-ecr.*.on.aws", "*.dkr-ecr-fips.*.on.aws"],
      ...["*.dkr-ecr.*.on.amazonwebservices.com.cn", "*.dkr-ecr-fips.*.on.amazonwebservices.com.cn"],
      ...["public.ecr.aws", "ecr-public.aws.com"],
    ]);
    expect(pluginRow("acr")?.registries).toEqual([
      ...["*.azurecr.io", "*.*.geo.azurecr.io", "*.azurecr.cn", "*.*.geo.azurecr.cn"],
      ...["*.azurecr.de", "*.*.geo.azurecr.de", "*.azurecr.us", "*.*.geo.azurecr.us"],
    ]);
    expect(pluginRow("gcp")?.registries).toEqual([
      "container.cloud.google.com",
      "gcr.io",
      "*.gcr.io",
      "*.pkg.dev",
    ]);
  });
});

// Names of release pages, kOps, GKE, AKS and machine-config-operator.
describe("isPluginExecutable", () => {
  const NAMES: Readonly<Record<string, readonly string[]>> = {
    ecr: ["ecr-credential-provider", "ecr-credential-provider-linux-amd64", "ecr-credential-provider_node"],
    acr: ["acr-credential-provider", "acr-credential-provider.exe"],
    gcp: ["auth-provider-gcp", "gcp-credential-provider", "gcr-credential-provider-node"],
  };
  const OTHERS = [
    "credential-provider",
    "ecr-credential-provider2",
    "acr-credential-providers",
    "my-auth-provider-gcp",
  ];

  it.each(["ecr", "acr", "gcp", "other"])("of %s: its own names and none else", (plugin) => {
    const all = [...Object.values(NAMES).flat(), ...OTHERS];
    expect(all.filter((name) => isPluginExecutable(plugin, name))).toEqual(NAMES[plugin] ?? []);
  });
});

it("abilities and variables by plugin, whole", () => {
  expect(
    ["acr", "ecr", "gcp"].map((plugin) => Object.keys(pluginRow(plugin)?.abilities ?? {}).sort()),
  ).toEqual([
    ["tokens", "unannotated-node-identity"],
    ["eusc-hosts", "tokens", "unannotated-node-identity"],
    ["custom-pools", "tokens", "unannotated-node-identity"],
  ]);
  const named = ["AWS_ECR_ROLE_ARN", "KUBE_SIDECAR_CACHE_DURATION", "AWS_REGION", "constructor"];
  const unused = (plugin: string): readonly string[] =>
    named.filter((name) => unannotatedEnvReason(plugin, name) !== undefined);
  const kept = (plugin: string): readonly string[] =>
    named.filter((name) => outlivingTokenEnv(plugin, [{ name, value: "5m" }]) !== undefined);
  expect(["ecr", "acr", "gcp", "other"].map(unused)).toEqual([["AWS_ECR_ROLE_ARN"], [], [], []]);
  expect(["ecr", "acr", "gcp", "other"].map(kept)).toEqual([[], [], ["KUBE_SIDECAR_CACHE_DURATION"], []]);
});

// Where an answer changes: the last patch level before, and the first from which on it holds; of eusc-hosts read in
// cmd/ecr-credential-provider/main.go of each tag, the suffix amazonaws.eu in the host pattern.
it.each<[string, PluginAbility, string, string, string, string]>([
  ["ecr", "tokens", "1.33.99", "no", "1.34.0", "yes"],
  ["ecr", "unannotated-node-identity", "1.34.99", "no", "1.35.0", "yes"],
  ["ecr", "eusc-hosts", "1.30.9", "no", "1.30.10", "yes"],
  ["ecr", "eusc-hosts", "1.31.8", "no", "1.31.9", "yes"],
  ["ecr", "eusc-hosts", "1.32.5", "no", "1.32.6", "yes"],
  ["ecr", "eusc-hosts", "1.33.2", "no", "1.33.3", "yes"],
  ["ecr", "eusc-hosts", "1.34.1", "no", "1.34.2", "yes"],
  ["acr", "tokens", "1.34.6", "no", "1.34.7", "yes"],
  ["gcp", "tokens", "36.2.1", "no", "36.2.2", "unknown"],
  ["gcp", "tokens", "36.2.4", "unknown", "36.2.5", "yes"],
  ["ecr", "tokens", "1.37.99", "yes", "1.38.0", "unknown"],
  ["acr", "tokens", "1.36.99", "yes", "1.37.0", "unknown"],
  ["gcp", "tokens", "36.3.99", "yes", "36.4.0", "unknown"],
])("%s %s: %s %s, %s %s", (plugin, ability, before, earlier, from, later) => {
  const outcomes = [before, from].map((version) => pluginCan(plugin, { version }, ability).outcome);
  expect(outcomes).toEqual([earlier, later]);
});

// As each prints them with --help; ecr and acr have no more, and gcp has --sts-audience of pull request 1248 alone.
it("flags by plugin, whole", () => {
  const flags = (plugin: string): string =>
    Object.keys(pluginRow(plugin)?.flags?.kinds ?? {})
      .sort()
      .join(" ");
  expect([flags("ecr"), flags("acr"), flags("gcp")]).toEqual([
    "help version",
    "help ib-apiserver-ip ib-default-client-id ib-default-tenant-id ib-sni-name log-flush-frequency registry-mirror v version vmodule",
    "add_dir_header alsologtostderr alsologtostderrthreshold authFlow help identity-provider legacy_stderr_threshold_behavior log_backtrace_at log_dir log_file log_file_max_size logtostderr one_output project-id skip_headers skip_log_headers stderrthreshold sts-audience v vmodule",
  ]);
  expect([pluginRow("acr")?.flags?.short, pluginRow("gcp")?.flags?.short]).toEqual([
    { h: "help", r: "registry-mirror", v: "v" },
    { a: "authFlow", h: "help", v: "v" },
  ]);
});
