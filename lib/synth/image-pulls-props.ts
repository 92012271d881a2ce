import type { Construct } from "constructs";
import { type ICluster, CLUSTER } from "../model/cluster";
import { type INodeCarrier, NODE_CARRIER } from "../model/node-carrier";
import { type IPullIdentities, type IPullSource, PULL_IDENTITIES, PULL_SOURCE } from "../model/pulls";
import { type Subject, SUBJECT } from "../model/subject";
import type { CredentialProviderSettings, PluginKey } from "../node";
import { type TokenAudienceSettings, TOKEN_AUDIENCE_SETTINGS } from "./pull-audience-grants";
import { type ObjectKind, boolean, either, list, object, optional, record } from "../model/shape";
import { CREDENTIAL_PROVIDER_SETTINGS } from "../node/credential-provider-settings";

/** One line of intent: this service account pulls from these registries. */
export interface ImagePull {
  /** `namespace/name`. */
  readonly serviceAccount: string | Subject;
  /** Registries of one or several clouds: `ecr()`, `acr()`, `artifactRegistry()` … */
  readonly from: IPullSource<Construct> | readonly IPullSource<Construct>[];
  /**
   * Whether the manifests declare the service account. `false` for one that somebody else owns: then they hold
   * only its annotations, for server-side apply. The same for each line of one service account.
   *
   * @defaultValue true
   */
  readonly declareServiceAccount?: boolean;
}

const IMAGE_PULL: ObjectKind<ImagePull> = object({
  serviceAccount: SUBJECT,
  from: either(PULL_SOURCE, list(PULL_SOURCE)),
  declareServiceAccount: optional(boolean),
});

/** What one cluster pulls, and how its identities and nodes are made. */
export interface ImagePullsProps {
  /** The cluster's facts: `openShift()`, `hostedOpenShift()` or `kubernetes()`. */
  readonly cluster: ICluster<Construct>;
  /** Who pulls from where. Several lines for one service account are joined. */
  readonly pulls: readonly ImagePull[];
  /**
   * How each cloud's identities are made, at most one per cloud: `pullRoles()`, `pullIdentities()`,
   * `pullPrincipals()`.
   *
   * @defaultValue - the cloud's own defaults; Azure and Google have none and say what they need
   */
  readonly identities?: readonly IPullIdentities<Construct>[];
  /**
   * Decisions about the kubelet's entries, by the plugin's key (`ecr`, `acr`, `gcp`).
   *
   * @defaultValue - strict mode with the distribution's patterns and arguments kept
   */
  readonly credentialProviders?: Readonly<Partial<Record<PluginKey, CredentialProviderSettings>>>;
  /**
   * How nodes get the permission to request tokens.
   *
   * @defaultValue - one ClusterRole per audience, bound in each namespace that pulls; for mixed mode in one entry, bound
   * once for the whole cluster
   */
  readonly tokenAudience?: TokenAudienceSettings;
  /**
   * How the kubelet's files get to the nodes.
   *
   * @defaultValue - the cluster's own: MachineConfigs, NodePool ConfigMaps, or plain data
   */
  readonly carriers?: readonly INodeCarrier<Construct>[];
  /**
   * Whether `app.synth()` ends with an error where the verifier finds, in the files that were written, that a declared
   * pull would be denied. With `false` they are written whatever they hold: a link that an override, an aspect or
   * another construct broke then shows as a 401 on the cluster, unless `explain` is run. The app's context
   * `cdktf-workload-identity/proof` with `false`, or cdktf's `skipValidation`, leaves it out for all.
   *
   * @defaultValue true
   */
  readonly proof?: boolean;
}

/** The kind of {@link ImagePullsProps}. */
export const IMAGE_PULLS_PROPS: ObjectKind<ImagePullsProps> = object({
  cluster: CLUSTER,
  pulls: list(IMAGE_PULL),
  identities: optional(list(PULL_IDENTITIES)),
  credentialProviders: optional(record(CREDENTIAL_PROVIDER_SETTINGS)),
  tokenAudience: optional(TOKEN_AUDIENCE_SETTINGS),
  carriers: optional(list(NODE_CARRIER)),
  proof: optional(boolean),
});
