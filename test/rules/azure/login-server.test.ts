import { describe, expect, it } from "vitest";
import { azureCloud, azureClouds } from "../../../lib/rules/azure/clouds";
import { loginServerOf, parseLoginServer } from "../../../lib/rules/azure/registry";
import { refusal } from "../../support/refusal";

describe("azureCloud", () => {
  // kubernetes-sigs/cloud-provider-azure, pkg/azclient/cloud.go.
  it.each([
    ["AzurePublicCloud", "azurecr.io"],
    ["AzureUSGovernmentCloud", "azurecr.us"],
    ["AzureChinaCloud", "azurecr.cn"],
  ])("%s has registries under %s and the usual audience", (name, suffix) => {
    expect(azureCloud(name)).toMatchObject({ acrSuffix: suffix, audience: "api://AzureADTokenExchange" });
  });

  it.each(["AzureStackCloud", "AzureGermanCloud", "azurepubliccloud", ""])("refuses %s", (name) => {
    expect(() => azureCloud(name)).toThrowError(
      refusal("azure-unknown: the Azure cloud", {
        allowed: "AzurePublicCloud, AzureUSGovernmentCloud, AzureChinaCloud",
      }),
    );
  });

  it("has every cloud's own name among the names that the plugin accepts", () => {
    for (const { name, configNames } of azureClouds) expect(configNames).toContain(name);
  });
});

describe("parseLoginServer", () => {
  it.each([
    ["myteam.azurecr.io", "myteam", undefined, "myteam.azurecr.io", "AzurePublicCloud"],
    ["myteam-a1b2c3d4.azurecr.io", "myteam", undefined, "myteam-a1b2c3d4.azurecr.io", "AzurePublicCloud"],
    ["myteam.eastus.geo.azurecr.io", "myteam", "eastus", "myteam.azurecr.io", "AzurePublicCloud"],
    ["myteam-a1.cn2.geo.azurecr.cn", "myteam", "cn2", "myteam-a1.azurecr.cn", "AzureChinaCloud"],
    ["abcde.azurecr.us", "abcde", undefined, "abcde.azurecr.us", "AzureUSGovernmentCloud"],
  ])("%s", (host, registryName, region, home, cloud) => {
    expect(parseLoginServer(host)).toEqual({ host, registryName, region, home, cloud });
  });

  it.each([
    ["MyTeam.azurecr.io", "upper-case"],
    ["myteam.eastus.data.azurecr.io", "data endpoint"],
    ["https://myteam.azurecr.io", "scheme, port or path"],
    ["myteam.azurecr.io/shop", "scheme, port or path"],
    ["myteam.azurecr.io:443", "scheme, port or path"],
    ["myteam.azurecr.de", "not a host"],
    ["abcd.azurecr.io", "not a host"],
    [`${"a".repeat(51)}.azurecr.io`, "not a host"],
    ["my_team.azurecr.io", "not a host"],
    ["myteam.azurecr.io.example.com", "not a host"],
    ["", "not a host"],
  ])("refuses %s", (host, reason) => {
    expect(() => parseLoginServer(host)).toThrowError(refusal(`azure-invalid: ${reason}`));
  });

  it("refuses a late host", () => {
    expect(() => parseLoginServer("${TfToken[TOKEN.1]}")).toThrowError(refusal("late-value"));
  });

  // The pattern of the oldest releases with the plugin: `acrRE` in kubernetes-sigs/cloud-provider-azure,
  // pkg/credentialprovider/azure_credentials.go. Later ones recognise more.
  const RECOGNISED = /^[a-zA-Z0-9]+\.(?:azurecr\.io|azurecr\.cn|azurecr\.de|azurecr\.us)$/;

  it("derives a host that it reads back, and that every release of the plugin recognises", () => {
    for (const { name: cloud } of azureClouds) {
      const host = loginServerOf("MyTeam", cloud);
      expect(parseLoginServer(host)).toMatchObject({ registryName: "myteam", cloud, home: host });
      expect(host).toMatch(RECOGNISED);
    }
  });
});
