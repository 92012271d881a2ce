import { fail } from "../../errors";
import { literal } from "../../model/late";
import { location, resourceGroupId, resourceGroupName } from "../../rules/azure/ids";
import type { Tags } from "../../rules/azure/tags";
import type { ComponentIdentitiesProps } from "./component-identities-props";
import type { ResourceGroupUse } from "./resource-groups";

/** The two resource groups of a cluster in manual mode. */
export interface ComponentGroups {
  /** Of the identities. */
  readonly oidc: ResourceGroupUse;
  /** Of the cluster; its name is literal. */
  readonly installation: ResourceGroupUse;
}

/**
 * What is known of both groups from the settings alone.
 *
 * Throws `azure-resource-groups-equal`, `azure-name-invalid`, `azure-guid-invalid`, or `late-value`.
 */
export function componentGroups(props: ComponentIdentitiesProps, tags: Tags): ComponentGroups {
  const { clusterName, oidcResourceGroupName, installationResourceGroupName } = props;
  const groups = {
    oidc: group(props, tags, oidcResourceGroupName ?? `${clusterName}-oidc`, {
      holds: "identities",
      mode: props.oidcResourceGroup ?? "declared",
    }),
    installation: group(props, tags, installationResourceGroupName ?? clusterName, {
      holds: "cluster",
      mode: props.installationResourceGroup ?? "declared",
    }),
  };
  return groups.oidc.name.toLowerCase() === groups.installation.name.toLowerCase()
    ? fail("azure-conflict", {
        problem: "one resource group is to hold both the identities and the cluster",
        value: groups.oidc.name,
        allowed: "an installation resource group of its own, empty before the installation",
        remedy: "give oidcResourceGroupName and installationResourceGroupName different names",
      })
    : groups;
}

function group(
  { region, subscriptionId, adopt, provider }: ComponentIdentitiesProps,
  tags: Tags,
  name: string,
  use: Pick<ResourceGroupUse, "holds" | "mode">,
): ResourceGroupUse {
  const known = resourceGroupName(literal(name, "resource group"));
  const id = resourceGroupId(subscriptionId, known);
  return {
    ...use,
    name: known,
    location: location(region),
    tags,
    subscriptionId,
    ...(provider && { provider }),
    ...(adopt && { importId: id }),
  };
}

/** The two as a list, with the ids of their constructs. */
export function groupUses(groups: ComponentGroups): readonly (readonly [string, ResourceGroupUse])[] {
  return [
    ["OidcResourceGroup", groups.oidc],
    ["InstallationResourceGroup", groups.installation],
  ];
}
