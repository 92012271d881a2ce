import { describe, expect, it } from "vitest";
import { type AcrHostRule, parseAcrHost } from "./judge/acr-host";
import type { AzureCloudName } from "../../lib/rules/azure/clouds";

type Row = readonly [
  image: string,
  cloud: AzureCloudName,
  old: string | undefined,
  current: string | undefined,
];

// Answers of `parseACRLoginServerFromImage` (kubernetes-sigs/cloud-provider-azure, azure_credentials.go), without
// and with its pull request 10720.
const rows: readonly Row[] = [
  ["myteam.azurecr.io/api", "AzurePublicCloud", "myteam.azurecr.io", "myteam.azurecr.io"],
  ["MyTeam.azurecr.io/api", "AzurePublicCloud", "MyTeam.azurecr.io", "MyTeam.azurecr.io"],
  ["myteam.azurecr.io", "AzurePublicCloud", "myteam.azurecr.io", "myteam.azurecr.io"],
  ["team-a1b2.azurecr.io/api", "AzurePublicCloud", "team-a1b2.azurecr.io", "team-a1b2.azurecr.io"],
  // A hash or a region is recognised in old releases for the configured cloud only, by the suffix.
  ["team-a1b2.azurecr.cn/api", "AzurePublicCloud", undefined, "team-a1b2.azurecr.cn"],
  ["team-a1b2.azurecr.cn/api", "AzureChinaCloud", "team-a1b2.azurecr.cn", "team-a1b2.azurecr.cn"],
  [
    "team.eastus.geo.azurecr.io/x",
    "AzurePublicCloud",
    "team.eastus.geo.azurecr.io",
    "team.eastus.geo.azurecr.io",
  ],
  ["team.cn2.geo.azurecr.cn/x", "AzurePublicCloud", undefined, "team.cn2.geo.azurecr.cn"],
  // The plain pattern knows all suffixes, the retired German one included, whatever the configured cloud.
  ["myteam.azurecr.us/api", "AzurePublicCloud", "myteam.azurecr.us", "myteam.azurecr.us"],
  ["myteam.azurecr.de/api", "AzureChinaCloud", "myteam.azurecr.de", "myteam.azurecr.de"],
  ["myteam.azurecr.fr/api", "AzurePublicCloud", undefined, undefined],
  ["mcr.microsoft.com/oss/pause", "AzurePublicCloud", undefined, undefined],
  // The suffix counts anywhere in the name: host of a stranger, and even his path.
  ["myteam.azurecr.io.example.com/api", "AzurePublicCloud", "myteam.azurecr.io", "myteam.azurecr.io"],
  ["myteam.azurecr.io.example.com/api", "AzureChinaCloud", undefined, undefined],
  [
    "example.com/proxy/azurecr.io/x",
    "AzurePublicCloud",
    "example.com/proxy/azurecr.io",
    "example.com/proxy/azurecr.io",
  ],
  ["myteam.azurecr.io:443/api", "AzurePublicCloud", "myteam.azurecr.io", "myteam.azurecr.io"],
  ["", "AzurePublicCloud", undefined, undefined],
];

describe("parseAcrHost", () => {
  it.each(rows)("%s in %s", (image, cloud, old, current) => {
    expect(parseAcrHost(image, { cloud })).toBe(old);
    const rule: AcrHostRule = "hashes-and-regions";
    expect(parseAcrHost(image, { cloud, rule })).toBe(current);
  });
});
