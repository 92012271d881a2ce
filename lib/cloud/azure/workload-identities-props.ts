import type { AzurermProvider } from "@cdktf/provider-azurerm/lib/provider/index.js";
import type { Construct } from "constructs";
import { type AccessRequest, ACCESS_REQUEST } from "../../model/workloads";
import type { AzureCloudName } from "../../rules/azure/clouds";
import { type ObjectKind, object, optional, record, text } from "../../model/shape";
import { PROVIDER } from "../shared/kinds";

/** How the identities of one cluster's workloads are made. */
export interface WorkloadIdentitiesSettings {
  /** Resource group that will hold the identities; may be late. */
  readonly resourceGroupName: string;
  /** Region of the identities, for example `westeurope`; may be late. */
  readonly location: string;
  /**
   * Tenant of the identities, a GUID. Stating it makes the annotation final at synth.
   *
   * @defaultValue - the tenant of the identities, known after apply
   */
  readonly tenantId?: string;
  /**
   * Audience of the tokens, as the webhook asks for it.
   *
   * @defaultValue "api://AzureADTokenExchange"
   */
  readonly audience?: string;
  /**
   * Begins the names of identities, 1 to 63 letters, digits and hyphens.
   *
   * @defaultValue - the cluster's name
   */
  readonly namePrefix?: string;
  /**
   * Tags of the identities.
   *
   * @defaultValue - none
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * The Azure cloud.
   *
   * @defaultValue "AzurePublicCloud"
   */
  readonly cloud?: AzureCloudName;
  /**
   * The Terraform provider of the subscription that holds the identities.
   *
   * @defaultValue - the stack's default azurerm provider
   */
  readonly provider?: AzurermProvider;
}

export const WORKLOAD_IDENTITIES_SETTINGS: ObjectKind<WorkloadIdentitiesSettings> = object({
  resourceGroupName: text,
  location: text,
  tenantId: optional(text),
  audience: optional(text),
  namePrefix: optional(text),
  tags: optional(record(text)),
  cloud: optional(text),
  provider: optional(PROVIDER),
});

/** The workloads of one cluster. */
export interface WorkloadIdentitiesProps extends WorkloadIdentitiesSettings, AccessRequest<Construct> {}

export const WORKLOAD_IDENTITIES_PROPS: ObjectKind<WorkloadIdentitiesProps> = object({
  ...WORKLOAD_IDENTITIES_SETTINGS.shape,
  ...ACCESS_REQUEST.shape,
});
