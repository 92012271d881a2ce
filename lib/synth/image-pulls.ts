import { Annotations } from "cdktf";
import { Construct } from "constructs";
import { at } from "../errors";
import { type ICluster, CLUSTER, type ClusterFacts } from "../model/cluster";
import { type INodeCarrier, NODE_CARRIER } from "../model/node-carrier";
import type { NodeSetup } from "../model/node-file";
import {
  type IPullIdentities,
  type IPullSource,
  type PullDeclaration,
  PULL_IDENTITIES,
  PULL_SOURCE,
} from "../model/pulls";
import { type ObjectKind, boolean, checkProps, either, list, object, optional, record } from "../model/shape";
import type { CredentialProviderSettings } from "../node";
import { CREDENTIAL_PROVIDER_SETTINGS, checkedSettings } from "../node/credential-provider-settings";
import {
  type GroupedLines,
  type ServiceAccountLine,
  SERVICE_ACCOUNT_LINE,
  declareIdentities,
  groupedLines,
} from "./account-groups";
import { claimPools, manifestsFor } from "./cluster-job";
import type { ClusterManifests } from "./cluster-manifests";
import { proveAtSynth } from "./proof";
import {
  type TokenAudienceSettings,
  TOKEN_AUDIENCE_SETTINGS,
  checkTokenAudience,
} from "./pull-audience-grants";
import { PullNodes } from "./pull-nodes";
import { checkOwnership, nameWarnings, writeServiceAccounts } from "./service-accounts";
import type { Subject } from "../model/subject";
import { WITHOUT_CACHE_TYPE, takesCacheType } from "../node/credential-provider-entry";
import { featureGateWarnings } from "../rules/kubelet/feature-gates";
import { isWithin } from "../rules/plugins";

/** A service account and the registries that it pulls from. */
export interface ImagePull extends ServiceAccountLine {
  /** Registries of one or several clouds, or others: `ecr()`, `acr()`, `artifactRegistry()`, `oidcRegistry()` … */
  readonly from: IPullSource<Construct> | readonly IPullSource<Construct>[];
}

const IMAGE_PULL: ObjectKind<ImagePull> = object({
  ...SERVICE_ACCOUNT_LINE.shape,
  from: either(PULL_SOURCE, list(PULL_SOURCE)),
});

/**
 * Properties of {@link ImagePulls}: what the cluster's service accounts pull, and how identities and nodes are set up.
 */
export interface ImagePullsProps {
  /** The cluster's facts: `openShift()`, `hostedOpenShift()` or `kubernetes()`. */
  readonly cluster: ICluster<Construct>;
  /** Who pulls from where. Several lines for one service account are joined. */
  readonly pulls: readonly ImagePull[];
  /**
   * How each cloud's identities are made, at most one per cloud: `pullRoles()`, `pullIdentities()`, `pullPrincipals()`.
   *
   * @defaultValue - the cloud's defaults; Azure and Google have none, and the error says what they need
   */
  readonly identities?: readonly IPullIdentities<Construct>[];
  /**
   * Settings of the entries in the CredentialProviderConfig, by the plugin's key (`ecr`, `acr`, `gcp`), or by the name
   * of the executable of any other.
   *
   * @defaultValue - strict mode with the patterns and arguments of the distribution's own file
   */
  readonly credentialProviders?: Readonly<Record<string, CredentialProviderSettings>>;
  /**
   * How nodes get the permission to request tokens.
   *
   * @defaultValue - one ClusterRole per audience, bound in each namespace that pulls; for mixed mode in one entry,
   * bound for the whole cluster
   */
  readonly tokenAudience?: TokenAudienceSettings;
  /**
   * How the kubelet's files get to the nodes.
   *
   * @defaultValue - the carriers of `cluster`: MachineConfigs, NodePool ConfigMaps, or plain data
   */
  readonly carriers?: readonly INodeCarrier<Construct>[];
  /**
   * Whether `app.synth()` fails if the verifier finds in the written files that a declared pull would be denied. With
   * `false` the files are kept regardless: unless you run `explain`, a link broken by an override, an aspect or another
   * construct only shows as a 401 on the cluster. To skip the proof for all constructs, set the app's context
   * `cdktf-workload-identity/proof` to `false`, or use cdktf's `skipValidation`.
   *
   * @defaultValue true
   */
  readonly proof?: boolean;
}

const IMAGE_PULLS_PROPS: ObjectKind<ImagePullsProps> = object({
  cluster: CLUSTER,
  pulls: list(IMAGE_PULL),
  identities: optional(list(PULL_IDENTITIES)),
  credentialProviders: optional(record(CREDENTIAL_PROVIDER_SETTINGS)),
  tokenAudience: optional(TOKEN_AUDIENCE_SETTINGS),
  carriers: optional(list(NODE_CARRIER)),
  proof: optional(boolean),
});

const JOB = { records: "pulls", construct: "ImagePulls" } as const;
const LINES = {
  lines: "pulls",
  asks: "from",
  example: "from: ecr({ account, region, repositories })",
  makers: undefined,
} as const;

type Source = IPullSource<Construct>;
type Pulls = GroupedLines<Source, IPullIdentities<Construct>>;

/**
 * Sets up image pulls for one cluster without pull secrets and without the node's identity (KEP-4412).
 *
 * In Terraform it declares, per cloud, the trust in the cluster's issuer, one identity per service account, and its
 * permission on the registries. As manifests it writes the annotated service accounts, the RBAC that allows nodes to
 * request tokens for the audience, and the kubelet's CredentialProviderConfig in the form that the cluster's nodes
 * need. Several ImagePulls of a cluster share the nodes' file and the permission to request tokens. A stack has several
 * clusters only if its {@link Manifests} have `perCluster`.
 *
 * `app.synth()` then proves the declared pulls: the verifier reads the written files, and the synth fails with
 * `proof-failed` if a pull would be denied. A pull that the files do not decide passes.
 *
 * Warns if patterns of the nodes' own file are left out, if a `default` service account or one of OpenShift's own
 * namespaces pulls, if nodes are on 1.33, because newer kubelets do not start with their file, and if another cluster
 * of the app has the same issuer.
 *
 * It only uses public constructs of the other subpaths; compose those yourself if you need less.
 */
export class ImagePulls extends Construct {
  /** The manifests of the cluster. */
  readonly manifests: ClusterManifests;
  /**
   * Identities and settings that each cloud declared, by the cloud's key (`aws`, `azure`, `google`), or by the name of a
   * plugin of other registries.
   */
  readonly declarations: Readonly<Record<string, PullDeclaration>>;
  readonly #nodes: PullNodes;

  /**
   * Some checks of the nodes' plugins need what the clouds have declared, so an error can leave the tree incomplete.
   * Let it end the synth, which has not written anything yet.
   */
  constructor(scope: Construct, id: string, props: ImagePullsProps) {
    checkProps(new.target.name, scope, id, IMAGE_PULLS_PROPS, props);
    super(scope, id);
    const { cluster } = props;
    at(this, () => checkSettings(props));
    const lines = props.pulls.map(({ from, ...line }) => ({ ...line, asks: from }));
    const grouped = at(this, () => groupedLines(cluster.name, lines, props.identities ?? [], LINES));
    const { accounts, clouds } = grouped;
    const { name, issuer } = cluster;
    const subjects = accounts.map(({ subject }) => subject);
    this.manifests = manifestsFor(this, { ...JOB, name, issuer: issuer.url, subjects });
    if (props.carriers === undefined) at(this, () => claimPools(this, cluster));
    at(this, () => checkOwnership(this.manifests, accounts));

    this.declarations = declareIdentities(this, clouds, () => ({ clusterName: name, issuer }));
    this.#nodes = at(this, () => this.#write(props, grouped));
    at(this, () => proveAtSynth(this, "image-pull", props.proof));
    const ofCluster = pullWarnings(cluster, subjects, props.credentialProviders);
    for (const warning of [...ofCluster, ...nameWarnings(subjects)]) Annotations.of(this).addWarning(warning);
  }

  /**
   * The kubelet's files and flags, as data. The nodes of a cluster have one file, so it covers what all ImagePulls of
   * the stack need so far.
   */
  get nodeSetup(): NodeSetup {
    return this.#nodes.setup;
  }

  /**
   * Label `hash` of the metric `kubelet_credential_provider_config_info` on nodes that run with the configuration, for
   * `CredentialProviderConfigAlert`. `undefined` if the configuration is known only after apply, without carriers, for
   * nodes that rewrite the file (Talos), and for kubelets before 1.34.
   */
  get configHash(): string | undefined {
    return this.#nodes.configHash;
  }

  #write(props: ImagePullsProps, pulls: Pulls): PullNodes {
    const { cluster, tokenAudience, carriers } = props;
    const declared = Object.values(this.declarations);
    const nodes = PullNodes.with(this.manifests, {
      path: this.node.path,
      cluster,
      declared: this.declarations,
      pulls: imagesByPlugin(pulls, this.declarations),
      settings: props.credentialProviders ?? {},
      tokenAudience,
      carriers,
    });
    const grants = declared.flatMap((each) => each.grants);
    writeServiceAccounts(this.manifests, pulls.accounts, grants);
    const stated = (key: "registries" | "tokenRegistries"): object =>
      Object.fromEntries(declared.flatMap((each) => Object.entries(each[key] ?? {})));
    const [registries, tokenRegistries] = [stated("registries"), stated("tokenRegistries")];
    this.manifests.record({
      name: cluster.name,
      ...(Object.keys(registries).length > 0 && { registries }),
      ...(Object.keys(tokenRegistries).length > 0 && { tokenRegistries }),
      pulls: pulls.accounts.map(({ subject, asks }) => ({
        serviceAccount: subject.key,
        images: imagesOf(asks),
      })),
    });
    return nodes;
  }
}

/** Checks what does not depend on the clouds, before anything is declared. */
function checkSettings({
  cluster,
  carriers = [],
  credentialProviders = {},
  tokenAudience = {},
}: ImagePullsProps): void {
  for (const carrier of carriers) carrier.checkKubelet?.(cluster.kubelet);
  for (const [plugin, settings] of Object.entries(credentialProviders)) checkedSettings(plugin, settings);
  checkTokenAudience(tokenAudience);
}

/** The declared images, by the key of the plugin that must supply their credentials. */
function imagesByPlugin(
  { clouds }: Pulls,
  declarations: Readonly<Record<string, PullDeclaration>>,
): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    clouds.flatMap(({ cloud, accounts }) => {
      const plugin = declarations[cloud]?.provider.plugin;
      return plugin === undefined ? [] : [[plugin, imagesOf(accounts.flatMap(({ asks }) => asks))]];
    }),
  );
}

function imagesOf(sources: readonly Source[]): readonly string[] {
  return [...new Set(sources.flatMap(({ images }) => images))];
}

interface PullWarning {
  readonly applies: (subject: Subject, cluster: ClusterFacts) => boolean;
  /** The consequence, and what to do. */
  readonly text: string;
}

const OPENSHIFT = "openshift";

const WARNINGS: readonly PullWarning[] = [
  {
    // kubernetes/kubernetes, plugin/pkg/admission/serviceaccount: pods without a service account run as `default`.
    applies: ({ name }) => name === "default",
    text: "every pod of the namespace without a service account name runs as this one and pulls with its identity; give the pods that pull their own service account",
  },
  {
    // The cluster version operator reverts changes of others, and payload images do not need an identity.
    applies: ({ namespace }, { distribution }) =>
      distribution.startsWith(OPENSHIFT) &&
      (namespace === OPENSHIFT || namespace.startsWith(`${OPENSHIFT}-`)),
    text: "the namespace belongs to OpenShift's operators, which pull with the cluster's pull secret and may remove the annotations again; let pods in your own namespace pull",
  },
];

/**
 * Warnings about the cluster's nodes, and about service accounts that pull, in the order of the subjects;
 * `service account <ns>/<name>: <why>`.
 */
export function pullWarnings(
  cluster: ClusterFacts,
  subjects: readonly Subject[],
  settings: Readonly<Record<string, CredentialProviderSettings>> = {},
): readonly string[] {
  const ofAccounts = subjects.flatMap((subject) =>
    WARNINGS.filter(({ applies }) => applies(subject, cluster)).map(
      ({ text }) => `service account ${subject.key}: ${text}`,
    ),
  );
  const upgrade = takesCacheType(cluster.kubelet) ? [] : [`${WITHOUT_CACHE_TYPE}; ${UPGRADE}`];
  const gates = featureGateWarnings(cluster.featureGates ?? {});
  return [...upgrade, ...gates, ...droppedPatterns(cluster, settings), ...ofAccounts];
}

/** Patterns of the distribution's own file that the caller leaves out: no plugin runs for those images any more. */
function droppedPatterns(
  { stockProviders }: ClusterFacts,
  settings: Readonly<Record<string, CredentialProviderSettings>>,
): readonly string[] {
  return Object.entries(settings).flatMap(([plugin, { matchImages }]) => {
    const stock = stockProviders[plugin]?.matchImages ?? [];
    const dropped = stock.filter((pattern) => matchImages && !isWithin(pattern, matchImages));
    return dropped.length === 0
      ? []
      : [
          `matchImages of the ${plugin} image credential provider leave out ${dropped.join(", ")} of the nodes' own file, which this file replaces: pods that pull from there lose the node's credentials; add these patterns, or make sure that no pod needs them`,
        ];
  });
}

const UPGRADE =
  "before you upgrade nodes, synthesize with the new `version`, and give each node its new file together with its new kubelet";
