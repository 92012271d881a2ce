/*
 * Whether an AKS cluster is integrated with Entra, and asks Azure what somebody may do. Source:
 * hashicorp/terraform-provider-azurerm, website/docs/r/kubernetes_cluster.html.markdown.
 */

import { type Answer, broken, pass, seen, unknown } from "../../answer";
import { own } from "../../facts/access";
import type { Terraform, TerraformResource } from "../../facts/terraform";
import { knownBlocks, listed, plainText, switched } from "../../facts/terraform-values";
import type { SpokeQuestion } from "../cloud-spokes";

/** What to do where too little was read. */
export const NAME_IT = "name the Terraform that declares the cluster and its role assignments as well";

const ENTRA = "azure_active_directory_role_based_access_control";

/** How a cluster judges what principals of Entra may do. */
export interface EntraFact {
  /** Whether roles of Azure count; `undefined` where only apply tells it. Of a cluster that was not read it is taken so. */
  readonly isOn: boolean | undefined;
  /** True where groups of Entra administrate it. */
  readonly hasGroups: boolean;
}

/** How a cluster judges them. */
export function entraOf(cluster: TerraformResource | undefined, terraform: Terraform): EntraFact {
  if (cluster?.adopted !== false) return { isOn: true, hasGroups: false };
  const [entra] = knownBlocks(own(cluster.values, ENTRA)) ?? [];
  if (!entra) return { isOn: undefined, hasGroups: false };
  const written = own(entra, "azure_rbac_enabled");
  const text = plainText(written);
  return {
    isOn: switched(text === undefined ? written : terraform.resolve(text, cluster.scope)),
    hasGroups: listed(own(entra, "admin_group_object_ids")).length > 0,
  };
}

/** Whether a cluster lets principals of its tenant in. */
export function admittedBy(
  cluster: TerraformResource | undefined,
  { recorded, spoke }: SpokeQuestion,
): Answer {
  const isUnseen = cluster === undefined || cluster.adopted;
  if (isUnseen && recorded)
    return pass(
      `${spoke} is recorded as an AKS cluster, and is taken for one that is integrated with Entra, which lets every principal of its tenant in`,
      ...(cluster ? [seen("cluster", cluster.source)] : []),
    );
  const entra = isUnseen ? undefined : knownBlocks(own(cluster.values, ENTRA));
  if (isUnseen || entra === undefined)
    return unknown(`whether the cluster of ${spoke} is integrated with Entra was not read`, NAME_IT);
  const where = seen("cluster", cluster.source);
  return entra.length > 0
    ? pass("the cluster is integrated with Entra", where)
    : broken(
        "the cluster is not integrated with Entra, so that it takes no token of an identity",
        `declare ${ENTRA} on the cluster`,
        "Unauthorized: the server has asked for the client to provide credentials",
        where,
      );
}
