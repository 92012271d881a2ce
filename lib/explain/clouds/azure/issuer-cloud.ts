/*
 * The Azure cloud that a storage account is in: its endpoints have the suffix of that cloud, and those of the same name
 * in another cloud are somebody else's.
 */

import { azureClouds } from "../../../rules/azure/clouds";
import { broken, seen } from "../../answer";
import { own, text } from "../../facts/access";
import { type Terraform, type TerraformResource, providerOf } from "../../facts/terraform";
import type { StoreDoor } from "../object-stores";

/** The doors of an account: one in its own cloud, and one that leads nowhere in the others, where its cloud is known. */
export function doorsByCloud(
  door: StoreDoor,
  accounts: readonly TerraformResource[],
  terraform: Terraform,
): readonly StoreDoor[] {
  const [account] = accounts;
  const suffixes = accounts.flatMap((each) => suffixOf(each, terraform));
  if (!account || suffixes.length === 0) return [door];
  const isElsewhere = (url: string): boolean => {
    const suffix = suffixIn(url);
    return suffix !== undefined && !suffixes.includes(suffix);
  };
  return [
    { nameAt: (url) => (isElsewhere(url) ? undefined : door.nameAt(url)), refusal: door.refusal },
    {
      nameAt: (url) => (isElsewhere(url) ? door.nameAt(url) : undefined),
      refusal: () =>
        broken(
          `the issuer is of another Azure cloud than the storage account, whose endpoints end with ${[...new Set(suffixes)].join(" or ")}`,
          "state the cloud of the azurerm provider (environment) for the issuer too",
          undefined,
          seen("storage account", account.source),
        ),
    },
  ];
}

/** As a state tells it, or as the provider's configuration does; what neither says may stand in ARM_ENVIRONMENT. */
function suffixOf(account: TerraformResource, terraform: Terraform): readonly string[] {
  const endpoint = suffixIn(terraform.attribute(account, "primary_blob_endpoint"));
  if (endpoint !== undefined) return [endpoint];
  const provider = providerOf(account);
  // A metadata host tells the endpoints itself.
  if (text(own(provider, "metadata_host")) !== "") return [];
  const environment = terraform.resolve(text(own(provider, "environment")), account.scope).toLowerCase();
  return azureClouds
    .filter(({ environments }) => environments.includes(environment))
    .map(({ storageSuffix }) => storageSuffix);
}

function suffixIn(url: string): string | undefined {
  const [, host = ""] = /^https:\/\/([^/]+)/.exec(url) ?? [];
  return azureClouds.find(({ storageSuffix }) => host.endsWith(`.${storageSuffix}`))?.storageSuffix;
}
