import { fail } from "../../errors";
import { literal } from "../../model/late";

/** Application id of the server application of all AKS clusters with Entra authentication. */
export const AKS_SERVER_ID = "6dae42f8-4368-4678-94ff-3960e28e3630";

/** The Azure clouds that the acr plugin knows by name, which is written into azure.json. */
export type AzureCloudName = "AzurePublicCloud" | "AzureUSGovernmentCloud" | "AzureChinaCloud";

/** What differs between Azure clouds. */
export interface AzureCloud {
  readonly name: AzureCloudName;
  /** All names that the plugin accepts, in any letter case; it silently treats every other name as the public cloud. */
  readonly configNames: readonly string[];
  /** All names that the azurerm provider accepts as `environment`, in any letter case. */
  readonly environments: readonly string[];
  readonly acrSuffix: string;
  /** Suffix of the endpoints of storage accounts: `<account>.blob.<suffix>`. */
  readonly storageSuffix: string;
  readonly aksSuffix: string;
  /** The conventional audience of service account tokens; for workload identity the same in all clouds. */
  readonly audience: string;
  /** Hosts of Microsoft Entra, which federated identity credentials do not accept as issuers. */
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

/** The facts of a cloud, by the name that this library uses. */
export function azureCloud(name: string): AzureCloud {
  literal(name, "Azure cloud");
  return (
    azureClouds.find((cloud) => cloud.name === name) ??
    fail("azure-unknown", {
      problem: "the Azure cloud is not one of those built into the acr plugin",
      value: name,
      allowed: azureClouds.map((cloud) => cloud.name).join(", "),
      remedy: "use one of them; Azure Stack reads its endpoints from a file on the node and is not supported",
    })
  );
}
