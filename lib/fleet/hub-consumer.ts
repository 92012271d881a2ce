import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { ServiceAccountAnnotations } from "../kubernetes/service-account";
import type { ControllerWorkload } from "../model/fleet";
import { type FleetConsumer, FLEET_CONSUMER } from "../rules/fleet/consumer";
import { CLUSTER_PROFILE_GROUP, PROVIDER_FILE_FLAG } from "../rules/fleet/names";
import {
  type HubFacts,
  type MountedPlugin,
  type PluginSource,
  HUB_FACTS,
  PLUGIN_SOURCE,
} from "../rules/fleet/plugin-mount";
import type { FleetPluginKey } from "../rules/fleet/plugins";
import type { AccessProvider } from "../rules/fleet/provider-file";
import { AccessProvidersFile } from "./access-providers-file";
import { ControllerWorkloadPatch } from "./controller-workload-patch";
import {
  type AccountPlan,
  type ControllerIdentities,
  type CredentialConfigMap,
  accountPlans,
  cloudsOf,
  credentialConfigMaps,
} from "./hub-consumer-plan";
import { assertRunnable, mountsOf } from "./mounted-plugins";
import { pluginFor } from "./provider-entries";
import { type SpokeCluster, SPOKE_CLUSTER } from "./spoke-cluster";
import { type ObjectKind, anyObject, checkProps, list, object, optional, record, text } from "../model/shape";
import { ACCESS_GRANT } from "../model/workloads";

/** What a {@link HubConsumer} is. */
export interface HubConsumerProps {
  /** The controller; made by `argoCd()`, `multiKueue()`, `knativeOperator()` or `controller()`. */
  readonly consumer: FleetConsumer;
  /** The hub that it runs on. */
  readonly hub: HubFacts;
  /** The spokes that it enters. */
  readonly spokes: readonly SpokeCluster[];
  /** Identities of all its executing service accounts, by key of the cloud (`aws`, `azure`, `google`). */
  readonly identities: ControllerIdentities;
  /**
   * Images of the plugins that are not in the consumer's own image.
   *
   * @defaultValue - none; enough for Argo CD without self-managed spokes
   */
  readonly plugins?: readonly PluginSource[];
  /**
   * The plugin by cloud, where it is not the consumer's usual one.
   *
   * @defaultValue - `argocd-k8s-auth` for Argo CD, static binaries for all others
   */
  readonly pluginByCloud?: Readonly<Record<string, FleetPluginKey>>;
  /**
   * Further entries of the list of access providers.
   *
   * @defaultValue - none
   */
  readonly additionalProviders?: readonly AccessProvider[];
  /**
   * For MultiKueue: `controller_manager_config.yaml` of the installed release.
   *
   * @defaultValue - none; needed for MultiKueue, and only there
   */
  readonly kueueConfiguration?: string;
}

/** The kind of {@link HubConsumerProps}. */
export const HUB_CONSUMER_PROPS: ObjectKind<HubConsumerProps> = object({
  consumer: FLEET_CONSUMER,
  hub: HUB_FACTS,
  spokes: list(SPOKE_CLUSTER),
  identities: record(list(ACCESS_GRANT)),
  plugins: optional(list(PLUGIN_SOURCE)),
  pluginByCloud: optional(record(text)),
  additionalProviders: optional(list(anyObject)),
  kueueConfiguration: optional(text),
});

const FILE_DIRECTORY = "/etc/clusterprofile";
const FILE_VOLUME = "clusterprofile-provider-file";
const HASH_ANNOTATION = "checksum/clusterprofile-provider-file";
const RBAC = "rbac.authorization.k8s.io";

/**
 * Everything on the hub that lets one controller enter its spokes: the list of access providers, plugin and identity
 * in every workload that runs the plugin, and the right to read profiles.
 *
 * All manifests of workloads and service accounts are partial, for server-side apply: the consumer's own installation
 * stays their owner. Webhooks read annotations of service accounts when a pod begins: where no patch rolls a workload,
 * restart it once.
 */
export class HubConsumer extends Construct {
  /** The list of access providers. */
  readonly file: AccessProvidersFile;
  /** One per executing service account that needs annotations. */
  readonly serviceAccounts: readonly ServiceAccountAnnotations[];
  /** One per workload that runs the plugin or reads the list. */
  readonly patches: readonly ControllerWorkloadPatch[];
  /** ConfigMaps with credential files (no secrets), each once. */
  readonly credentialFiles: readonly ApiObject[];
  /** Role and RoleBinding to read profiles, per inventory; none where the consumer brings its own. */
  readonly readers: readonly ApiObject[];
  /** The reader's argument for the provider file, `undefined` where the consumer has its list in its configuration. */
  readonly flag: string | undefined;

  /**
   * Throws what `AccessProvidersFile` throws, `fleet-plugin-twice`, `spoke-audience-twice`,
   * `spoke-audience-foreign`, `fleet-identity-missing`, `fleet-identity-foreign`,
   * `fleet-identity-conflict`, `fleet-plugin-unmounted`, `fleet-plugin-unused`, `fleet-plugin-not-static`,
   * `fleet-plugin-not-mounted`, `plugin-mount-hub-too-old`, `plugin-mount-no-copy`, `plugin-mount-way`, `plugin-image-invalid` or
   * `plugin-path-missing`.
   */
  constructor(scope: Construct, id: string, props: HubConsumerProps) {
    checkProps(new.target.name, scope, id, HUB_CONSUMER_PROPS, props);
    super(scope, id);
    const { consumer, spokes, hub, pluginByCloud } = props;
    const choice = { consumer, plugins: pluginByCloud };
    const used = cloudsOf(spokes).map((cloud) => pluginFor(choice, cloud));
    const mounts = mountsOf(used, props.plugins ?? [], hub, consumer);
    const plans = accountPlans(consumer, spokes, props.identities);
    this.file = new AccessProvidersFile(this, "providers", {
      ...choice,
      spokes,
      commands: Object.fromEntries([...mounts].map(([key, { command }]) => [key, command])),
      additionalProviders: props.additionalProviders,
      kueueConfiguration: props.kueueConfiguration,
    });
    assertRunnable(consumer, this.file.providers, [...mounts.values()]);
    this.flag =
      consumer.form.kind === "file" ? `${PROVIDER_FILE_FLAG}=${FILE_DIRECTORY}/${this.file.key}` : undefined;
    this.serviceAccounts = plans.flatMap((plan) => this.annotated(plan));
    this.credentialFiles = credentialConfigMaps(plans).map((each) => this.credentialFile(each));
    this.patches = this.patched(consumer, plans, [...mounts.values()]);
    this.readers = consumer.readsProfiles ? [] : this.profileReaders(consumer.reader, spokes);
  }

  private annotated({ namespace, name, annotations }: AccountPlan): readonly ServiceAccountAnnotations[] {
    const id = `service-account-${namespace}-${name}`;
    return Object.keys(annotations).length > 0
      ? [new ServiceAccountAnnotations(this, id, { namespace, name, annotations })]
      : [];
  }

  private credentialFile({ namespace, name, data }: CredentialConfigMap): ApiObject {
    const metadata = { namespace, name };
    return new ApiObject(this, `file-${namespace}-${name}`, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata,
      data,
    });
  }

  private patched(
    consumer: FleetConsumer,
    plans: readonly AccountPlan[],
    plugins: readonly MountedPlugin[],
  ): readonly ControllerWorkloadPatch[] {
    const { reader, workloads } = consumer;
    const executing = workloads.map((workload) => ({ workload, runs: true }));
    const alone = workloads.some((workload) => sameWorkload(workload, reader))
      ? []
      : [{ workload: reader, runs: false }];
    return [...executing, ...alone].map(({ workload, runs }) => {
      const reads = sameWorkload(workload, reader);
      const plan = plans.find(({ key }) => key === `${workload.namespace}/${workload.serviceAccount}`);
      return new ControllerWorkloadPatch(
        this,
        `patch-${workload.kind}-${workload.namespace}-${workload.name}`,
        {
          workload,
          identities: runs ? (plan?.fragments ?? []) : [],
          plugins: runs ? plugins : [],
          annotations: reads ? { [HASH_ANNOTATION]: this.file.hash } : {},
          files: reads && consumer.form.kind === "file" ? [fileMount(this.file.configMap)] : [],
        },
      );
    });
  }

  private profileReaders(reader: ControllerWorkload, spokes: readonly SpokeCluster[]): readonly ApiObject[] {
    const namespaces = [...new Set(spokes.map(({ inventory }) => inventory.namespace))].sort();
    const name = `clusterprofile-reader:${reader.namespace}:${reader.serviceAccount}`;
    return namespaces.flatMap((namespace) => [
      new ApiObject(this, `reader-${namespace}`, {
        apiVersion: `${RBAC}/v1`,
        kind: "Role",
        metadata: { namespace, name },
        rules: [
          {
            apiGroups: [CLUSTER_PROFILE_GROUP],
            resources: ["clusterprofiles"],
            verbs: ["get", "list", "watch"],
          },
        ],
      }),
      new ApiObject(this, `reader-binding-${namespace}`, {
        apiVersion: `${RBAC}/v1`,
        kind: "RoleBinding",
        metadata: { namespace, name },
        roleRef: { apiGroup: RBAC, kind: "Role", name },
        subjects: [{ kind: "ServiceAccount", namespace: reader.namespace, name: reader.serviceAccount }],
      }),
    ]);
  }
}

function sameWorkload(a: ControllerWorkload, b: ControllerWorkload): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function fileMount(configMap: string): {
  readonly volume: Readonly<Record<string, unknown>>;
  readonly volumeMount: Readonly<Record<string, unknown>>;
} {
  return {
    volume: { name: FILE_VOLUME, configMap: { name: configMap } },
    volumeMount: { name: FILE_VOLUME, mountPath: FILE_DIRECTORY, readOnly: true },
  };
}
