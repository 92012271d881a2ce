import type { Construct } from "constructs";
import { accountsRequestShape } from "../../model/identity";
import { type PullRequest, PULL_SOURCE } from "../../model/pulls";
import { type ObjectKind, example, number, object, optional, text } from "../../model/shape";
import type { AzureCloudName } from "../../rules/azure/clouds";
import { IDENTITY_SETTINGS, type IdentitySettings } from "./identity";

/**
 * Properties of {@link pullIdentities}. Resource group and location are required unless every service account acts as
 * an existing identity (`as`). Identities and registries must be in one tenant.
 */
export interface PullIdentitiesSettings extends Partial<IdentitySettings> {
  /**
   * The Azure cloud; written to azure.json.
   *
   * @defaultValue - the cloud of the registries
   */
  readonly cloud?: AzureCloudName;
  /**
   * Audience of the service account tokens, the same in credentials, RBAC and the kubelet's file.
   *
   * @defaultValue "api://AzureADTokenExchange"
   */
  readonly audience?: string;
  /**
   * Number of shared identities per permission set, 1 to 65536. Jump consistent hashing of a service account's name
   * chooses its identity; raising the number from n to n + 1 moves one service account in n + 1.
   *
   * @defaultValue - one identity per service account
   */
  readonly shards?: number;
  /**
   * Prefix of the names of declared identities, 1 to 63 letters, digits and hyphens.
   *
   * @defaultValue - the cluster's name
   */
  readonly namePrefix?: string;
  /**
   * Path of the plugin's configuration file on the nodes.
   *
   * @defaultValue "/etc/kubernetes/acr-azure.json"
   */
  readonly azureJsonPath?: string;
  /**
   * GUID of a subscription, written to azure.json; the plugin does not need it.
   *
   * @defaultValue - left out
   */
  readonly subscriptionId?: string;
}

export const PULL_IDENTITIES_SETTINGS: ObjectKind<PullIdentitiesSettings> = object({
  ...IDENTITY_SETTINGS.shape,
  resourceGroupName: optional(text),
  location: optional(example(text, '"westeurope"')),
  cloud: optional(text),
  audience: optional(text),
  shards: optional(number),
  namePrefix: optional(text),
  azureJsonPath: optional(text),
  subscriptionId: optional(text),
});

/** One cluster's pulls from container registries, which are requested with `acr()`. */
export interface PullIdentitiesProps extends PullIdentitiesSettings, PullRequest<Construct> {}

export const PULL_IDENTITIES_PROPS: ObjectKind<PullIdentitiesProps> = object({
  ...PULL_IDENTITIES_SETTINGS.shape,
  ...accountsRequestShape(PULL_SOURCE),
});
