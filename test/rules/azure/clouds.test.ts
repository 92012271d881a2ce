import { expect, it } from "vitest";
import { azureClouds } from "../../../lib/rules/azure/clouds";

// kubernetes-sigs/cloud-provider-azure, pkg/azclient/cloud.go and utils/cloud.go; hashicorp/go-azure-sdk,
// sdk/environments (names of the azurerm provider); learn.microsoft.com, "National clouds" (hosts of Entra).
it("knows these clouds, whole", () => {
  expect(azureClouds).toEqual([
    {
      name: "AzurePublicCloud",
      configNames: ["AzurePublicCloud", "AzureCloud"],
      environments: ["public", "global"],
      acrSuffix: "azurecr.io",
      storageSuffix: "core.windows.net",
      aksSuffix: "azmk8s.io",
      audience: "api://AzureADTokenExchange",
      entraHosts: ["login.microsoftonline.com", "login.windows.net", "sts.windows.net"],
    },
    {
      name: "AzureUSGovernmentCloud",
      configNames: ["AzureUSGovernmentCloud", "AzureUSGovernment"],
      environments: ["usgovernment", "usgovernmentl4", "dod", "usgovernmentl5"],
      acrSuffix: "azurecr.us",
      storageSuffix: "core.usgovcloudapi.net",
      aksSuffix: "azmk8s.us",
      audience: "api://AzureADTokenExchange",
      entraHosts: ["login.microsoftonline.us"],
    },
    {
      name: "AzureChinaCloud",
      configNames: ["AzureChinaCloud"],
      environments: ["china"],
      acrSuffix: "azurecr.cn",
      storageSuffix: "core.chinacloudapi.cn",
      aksSuffix: "azmk8s.cn",
      audience: "api://AzureADTokenExchange",
      entraHosts: ["login.chinacloudapi.cn", "login.partner.microsoftonline.cn", "sts.chinacloudapi.cn"],
    },
  ]);
});
