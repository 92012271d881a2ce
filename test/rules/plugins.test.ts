import { describe, expect, it } from "vitest";
import { type PluginAbility, isWithin, pluginCan, registriesOf } from "../../lib/rules/plugins";

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
  ])("%s %s %s: %s", (plugin, version, ability, outcome) => {
    expect(pluginCan(plugin, version === undefined ? {} : { version }, ability).outcome).toBe(outcome);
  });

  it("believes a stated ability, since distributions backport", () => {
    expect(pluginCan("gcp", { version: "36.3.8", abilities: ["custom-pools"] }, "custom-pools").outcome).toBe("yes");
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
  ])("%s within the registries of %s: %s", (pattern, plugin, expected) => {
    expect(isWithin(pattern, registriesOf(plugin))).toBe(expected);
  });
});
