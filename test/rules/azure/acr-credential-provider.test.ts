import { describe, expect, it } from "vitest";
import { acrCredentialProvider } from "../../../lib/rules/azure/plugin";
import { parseLoginServer } from "../../../lib/rules/azure/registry";

function matchImages(...hosts: readonly string[]): readonly string[] {
  const loginServers = hosts.map((host) => parseLoginServer(host));
  return acrCredentialProvider({ loginServers, audience: "a", azureJsonPath: "/etc/x" }).matchImages;
}

describe("acrCredentialProvider", () => {
  // A star of matchImages covers one label only.
  it.each([
    [["myteam.azurecr.io", "other-a1b2.azurecr.io"], ["*.azurecr.io"]],
    [["myteam.eastus.geo.azurecr.io"], ["*.*.geo.azurecr.io"]],
    [
      ["myteam.azurecr.io", "myteam.eastus.geo.azurecr.io"],
      ["*.*.geo.azurecr.io", "*.azurecr.io"],
    ],
    [["myteam.azurecr.cn"], ["*.azurecr.cn"]],
    [["myteam.azurecr.us"], ["*.azurecr.us"]],
  ])("%s is matched by %s", (hosts, expected) => {
    expect(matchImages(...hosts)).toEqual(expected);
  });

  it("requires both annotations: the plugin has a default for neither", () => {
    const provider = acrCredentialProvider({
      loginServers: [parseLoginServer("myteam.azurecr.io")],
      audience: "api://AzureADTokenExchange",
      azureJsonPath: "/etc/kubernetes/acr-azure.json",
    });
    expect({ ...provider, defaultCacheDuration: provider.defaultCacheDuration.toString() }).toStrictEqual({
      plugin: "acr",
      name: "acr-credential-provider",
      matchImages: ["*.azurecr.io"],
      hosts: ["myteam.azurecr.io"],
      defaultCacheDuration: "10m",
      args: ["/etc/kubernetes/acr-azure.json"],
      nodeIdentityArgs: undefined,
      env: [],
      audience: "api://AzureADTokenExchange",
      cacheType: "ServiceAccount",
      annotationKeys: ["kubernetes.azure.com/acr-client-id", "kubernetes.azure.com/acr-tenant-id"],
      needs: ["tokens"],
    });
  });
});
