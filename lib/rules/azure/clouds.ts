import { fail } from "../../errors";
import { literal } from "../../model/late";

/** The Azure clouds that the acr plugin knows by name; the name is written into azure.json. */
export type AzureCloudName = "AzurePublicCloud" | "AzureUSGovernmentCloud" | "AzureChinaCloud";

/** What differs between Azure clouds. */
export interface AzureCloud {
  readonly name: AzureCloudName;
  /** All names that the plugin accepts, in any letter case; every other name means the public cloud, silently. */
  readonly configNames: readonly string[];
  /** All names that `environment` of the azurerm provider has for it, in any letter case. */
  readonly environments: readonly string[];
  readonly acrSuffix: string;
  /** Suffix of the endpoints of storage accounts: `<account>.blob.<suffix>`. */
  readonly storageSuffix: string;
  readonly aksSuffix: string;
  /** The audience of service account tokens by convention; one text in all clouds for workload identity. */
  readonly audience: string;
  /** Hosts of Microsoft Entra, which never count as issuers of a federated identity credential. */
  readonly entraHosts: readonly string[];
}

const AUDIENCE = "api://AzureADTokenExchange";

/**
 * Source: kubernetes-sigs/cloud-provider-azure, pkg/azclient/cloud.go and pkg/azclient/utils/cloud.go;
 * hashicorp/go-azure-sdk, sdk/environments, for the names of the azurerm provider.
 */
export const azureClouds: readonly AzureCloud[] = [
  {
    name: "AzurePublicCloud",
    configNames: ["AzurePublicCloud", "AzureCloud"],
    environments: ["public", "global"],
    acrSuffix: "azurecr.io",
    storageSuffix: "core.windows.net",
    aksSuffix: "azmk8s.io",
    audience: AUDIENCE,
    entraHosts: ["login.microsoftonline.com", "login.windows.net", "sts.windows.net"],
  },
  {
    name: "AzureUSGovernmentCloud",
    configNames: ["AzureUSGovernmentCloud", "AzureUSGovernment"],
    environments: ["usgovernment", "usgovernmentl4", "dod", "usgovernmentl5"],
    acrSuffix: "azurecr.us",
    storageSuffix: "core.usgovcloudapi.net",
    aksSuffix: "azmk8s.us",
    audience: AUDIENCE,
    entraHosts: ["login.microsoftonline.us"],
  },
  {
    name: "AzureChinaCloud",
    configNames: ["AzureChinaCloud"],
    environments: ["china"],
    acrSuffix: "azurecr.cn",
    storageSuffix: "core.chinacloudapi.cn",
    aksSuffix: "azmk8s.cn",
    audience: AUDIENCE,
    entraHosts: ["login.chinacloudapi.cn", "login.partner.microsoftonline.cn", "sts.chinacloudapi.cn"],
  },
];

/** The facts of a cloud by the name that this library writes. */
export function azureCloud(name: string): AzureCloud {
  literal(name, "Azure cloud");
  return (
    azureClouds.find((cloud) => cloud.name === name) ??
    fail("azure-unknown", {
      problem: "azure cloud is not one that the acr plugin has built in",
      value: name,
      allowed: azureClouds.map((cloud) => cloud.name).join(", "),
      remedy:
        "name one of them; Azure Stack takes its endpoints from a file on the node and is not supported here",
    })
  );
}
