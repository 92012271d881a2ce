import { describe, expect, it } from "vitest";
import { type PluginAbility, pluginAbilities, pluginCan } from "../../lib/rules/plugins";
import { isWithin, registriesOf } from "../../lib/rules/plugin-registries";

describe("pluginCan", () => {
  // Sources: the tags of kubernetes/cloud-provider-aws, kubernetes-sigs/cloud-provider-azure and
  // kubernetes/cloud-provider-gcp in which the change first stands.
  it.each<[string, string | undefined, PluginAbility, string]>([
    ["ecr", "1.33.4", "tokens", "no"],
    ["ecr", "1.34", "tokens", "yes"],
    ["ecr", "v1.34.0", "tokens", "yes"],
    ["ecr", "1.36.1", "tokens", "yes"],
    ["ecr", undefined, "tokens", "unknown"],
    ["ecr", "1.34.3", "unannotated-node-identity", "no"],
    ["ecr", "1.35", "unannotated-node-identity", "yes"],
    ["acr", "1.33.17", "tokens", "no"],
    ["acr", "1.34.6", "tokens", "no"],
    ["acr", "1.34", "tokens", "unknown"],
    ["acr", "1.34.7", "tokens", "yes"],
    ["acr", "1.35", "tokens", "yes"],
    ["acr", "1.36.5", "unannotated-node-identity", "no"],
    ["gcp", "35.0.0", "tokens", "no"],
    ["gcp", "36.2.1", "tokens", "no"],
    ["gcp", "36.2.3", "tokens", "unknown"],
    ["gcp", "36.2.5", "tokens", "yes"],
    ["gcp", "36.3.8", "tokens", "yes"],
    ["gcp", "36.3.8", "custom-pools", "no"],
    ["gcp", "36.3.8", "unannotated-node-identity", "yes"],
    ["other", "1.0", "tokens", "unknown"],
    // Read in cmd/ecr-credential-provider/main.go of each tag: the suffix amazonaws.eu in the host pattern.
    ["ecr", "1.30.9", "eusc-hosts", "no"],
    ["ecr", "1.30.10", "eusc-hosts", "yes"],
    ["ecr", "1.32.5", "eusc-hosts", "no"],
    ["ecr", "1.33.2", "eusc-hosts", "no"],
    ["ecr", "1.33.3", "eusc-hosts", "yes"],
    ["ecr", "1.34.0", "eusc-hosts", "no"],
    ["ecr", "1.34.1", "eusc-hosts", "no"],
    ["ecr", "1.34", "eusc-hosts", "unknown"],
    ["ecr", "1.34.2", "eusc-hosts", "yes"],
    ["ecr", "1.35.0", "eusc-hosts", "yes"],
    ["ecr", "1.36", "eusc-hosts", "yes"],
    ["ecr", undefined, "eusc-hosts", "unknown"],
    // Newer than all that was read; a pre-release need not have what its release has.
    ["ecr", "1.37.0", "tokens", "unknown"],
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

  it("knows which abilities can be stated", () => {
    expect(pluginAbilities("ecr")).toEqual(["eusc-hosts", "tokens", "unannotated-node-identity"]);
    expect(pluginAbilities("other")).toEqual([]);
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
    expect(isWithin(pattern, registriesOf(plugin))).toBe(expected);
  });

  it.each([
    ["gcr.io/team/app", "gcr.io/team", true],
    ["gcr.io/team", "gcr.io/team/app", false],
    ["gcr.io", "gcr.io/team", false],
  ])("%s within %s: %s, since the path is a prefix", (pattern, wider, expected) => {
    expect(isWithin(pattern, [wider])).toBe(expected);
  });
});
