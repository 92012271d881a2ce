/* Terraform with an AKS cluster that an identity enters, and questions about it. */

import { ClosedWorld } from "../../../lib/explain/coverage/closed-world";
import { azureReader } from "../../../lib/explain/azure/reader";
import type { SpokeQuestion } from "../../../lib/explain/cloud";
import { unwritten } from "../../../lib/explain/read/service-accounts";
import type { SpokeFact } from "../../../lib/explain/read/spoke-facts";
import { Terraform } from "../../../lib/explain/read/terraform";
import { readConfiguration } from "../../../lib/explain/read/terraform-configuration";
import { PublishedIssuers } from "../../../lib/explain/shared/issuers";
import { known } from "../../../lib/model/known";
import type { Json } from "../../../lib/model/parsed";

export const SUBSCRIPTION = "/subscriptions/0b1f6471-1bf0-4dda-aec3-cb9272f09590";
export const GROUP = `${SUBSCRIPTION}/resourceGroups/rg`;
export const CLUSTER = `${GROUP}/providers/Microsoft.ContainerService/managedClusters/aksc`;
export const CLIENT = "11111111-2222-4333-8444-555555555555";
export const OTHER = "99999999-2222-4333-8444-555555555555";
export const TENANT = "72f988bf-86f1-41af-91ab-2d7cd011db47";
const WRITER = "Azure Kubernetes Service RBAC Writer";

export interface Case {
  /** Arguments of the role assignment. */
  readonly role?: Json;
  /** Whether the cluster is declared, with these arguments of the block for Entra; looked up where it is absent. */
  readonly entra?: Json;
  readonly more?: Record<string, Json>;
  readonly data?: Json;
  readonly module?: Json;
  readonly asked?: Partial<SpokeQuestion>;
}

export const NOTHING: SpokeFact = { bound: [], authenticators: [], refused: [], isWhole: false };

/** How the way in is admitted and authorized, the reason of the latter, and the warnings. */
export function read({
  role = {},
  entra,
  more = {},
  data = {},
  module,
  asked = {},
}: Case): readonly string[] {
  const cluster = {
    aksc: {
      name: "aksc",
      resource_group_name: "rg",
      ...(entra && { azure_active_directory_role_based_access_control: [entra] }),
    },
  };
  const value = {
    provider: { azurerm: [{ subscription_id: SUBSCRIPTION.split("/")[2] }] },
    resource: {
      azurerm_user_assigned_identity: { i: { name: "i", resource_group_name: "rg", client_id: CLIENT } },
      azurerm_role_assignment: {
        r: {
          principal_id: "${azurerm_user_assigned_identity.i.principal_id}",
          role_definition_name: WRITER,
          scope: CLUSTER,
          ...role,
        },
      },
      ...(entra && { azurerm_kubernetes_cluster: cluster }),
      ...more,
    },
    data: { ...(!entra && { azurerm_kubernetes_cluster: cluster }), ...data },
    ...(module && { module: { m: module } }),
  };
  const terraform = new Terraform(azureReader.computed);
  const source = { file: "cdk.tf.json", path: "" };
  const scope = readConfiguration(terraform, "stack", [{ value, source }], undefined);
  const world = new ClosedWorld(terraform);
  const { spokes } = azureReader.read(terraform, new PublishedIssuers([], world), world);
  const address = `${entra ? "" : "data."}azurerm_kubernetes_cluster.aksc`;
  const question: SpokeQuestion = {
    spoke: "aks",
    server: scope.text(`https://\${${address}.fqdn}`),
    args: [],
    env: new Map(),
    recorded: true,
    account: {
      ...unwritten("ops/fc"),
      annotations: new Map([
        ["azure.workload.identity/client-id", known(CLIENT)],
        ["azure.workload.identity/tenant-id", known(TENANT)],
      ]),
    },
    identity: {
      label: "",
      found: { status: "pass", reason: "", evidence: [], remedy: "" },
      trust: () => {
        throw new Error("not asked");
      },
      permissions: () => {
        throw new Error("not asked");
      },
      understood: () => {
        throw new Error("not asked");
      },
      held: () => [],
      meant: () => [],
    },
    project: undefined,
    projectNumber: undefined,
    rbac: NOTHING,
    impersonates: undefined,
    ...asked,
  };
  const { admitted, authorized, warnings } = spokes.read(question);
  return [admitted.status, authorized.status, authorized.reason, ...warnings.map(({ id }) => id)];
}
