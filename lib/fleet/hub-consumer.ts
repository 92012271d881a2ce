import { ApiObject, JsonPatch } from "cdk8s";
import { Construct } from "constructs";
import { fail, throwFirst } from "../errors";
import { ServiceAccountAnnotations } from "../kubernetes/service-account";
import type { ControllerWorkload } from "../model/fleet";
import { type ObjectKind, checkProps, list, object, optional, record, text } from "../model/shape";
import { type AccessGrant, type CredentialFile, ACCESS_GRANT } from "../model/workloads";
import type { FleetConsumer } from "../rules/fleet/consumer";
import { conflict, controllerPatch, mergedTexts } from "../rules/fleet/controller-patch";
import { CLUSTER_PROFILE_GROUP, PROVIDER_FILE_FLAG } from "../rules/fleet/names";
import {
  type HubFacts,
  type MountedPlugin,
  type PluginSource,
  HUB_FACTS,
  PLUGIN_SOURCE,
  commandIssues,
  mountedPlugin,
} from "../rules/fleet/plugin-mount";
import { type FleetPluginKey, fleetPlugins } from "../rules/fleet/plugins";
import type { AccessProvider } from "../rules/fleet/provider-list";
import { assertOwnAudiences, spokeTokens } from "../rules/fleet/spoke-tokens";
import {
  type AccessProvidersFileProps,
  ACCESS_PROVIDERS_FILE_PROPS,
  AccessProvidersFile,
  pluginFor,
} from "./access-providers-file";
import type { SpokeCluster } from "./spoke-cluster";

/** The identities of the consumer's service accounts, by the cloud's key. */
export type ControllerIdentities = Readonly<Record<string, readonly AccessGrant[]>>;

/** The inputs of a {@link HubConsumer}; `spokes` are those that the consumer enters. */
export interface HubConsumerProps extends Omit<AccessProvidersFileProps, "plugins" | "commands"> {
  /** The hub on which the consumer runs. */
  readonly hub: HubFacts;
  /** Identities of all service accounts that run a plugin, by the cloud's key (`aws`, `azure`, `google`). */
  readonly identities: ControllerIdentities;
  /**
   * Images of the plugins that the consumer's own image lacks. For `projected-token`, which self-managed spokes need,
   * `docker.io/library/busybox:1.37-musl` serves if none is named.
   *
   * @defaultValue - none, which is enough for Argo CD without self-managed spokes
   */
  readonly plugins?: readonly PluginSource[];
  /**
   * The plugin by cloud, if it differs from the consumer's default.
   *
   * @defaultValue - `argocd-k8s-auth` for Argo CD, static binaries for all others
   */
  readonly pluginByCloud?: Readonly<Record<string, FleetPluginKey>>;
}

const { plugins: _, commands: __, ...LIST } = ACCESS_PROVIDERS_FILE_PROPS.shape;

export const HUB_CONSUMER_PROPS: ObjectKind<HubConsumerProps> = object({
  ...LIST,
  hub: HUB_FACTS,
  identities: record(list(ACCESS_GRANT)),
  plugins: optional(list(PLUGIN_SOURCE)),
  pluginByCloud: optional(record(text)),
});

const FILE_DIRECTORY = "/etc/clusterprofile";
const FILE_VOLUME = "clusterprofile-provider-file";
const HASH_ANNOTATION = "checksum/clusterprofile-provider-file";
const RBAC = "rbac.authorization.k8s.io";

/**
 * Everything on the hub that a controller needs to enter its spokes: the list of access providers, plugin and identity
 * in every workload that runs the plugin, and permission to read profiles.
 *
 * All manifests of workloads and service accounts are partial, for server-side apply: the consumer's own installation
 * stays their owner. Webhooks read a service account's annotations when a pod is created, so restart each workload that
 * no patch rolls.
 */
export class HubConsumer extends Construct {
  /** The list of access providers. */
  readonly file: AccessProvidersFile;
  /** One per service account that runs a plugin and needs annotations. */
  readonly serviceAccounts: readonly ServiceAccountAnnotations[];
  /** Partial manifests, one per changed workload: those that run the plugin, and the one that reads the profiles. */
  readonly patches: readonly ApiObject[];
  /** ConfigMaps with credential files (they contain no secrets), without duplicates. */
  readonly credentialFiles: readonly ApiObject[];
  /** Role and RoleBinding to read profiles, per inventory; empty if the consumer's installation contains them. */
  readonly readers: readonly ApiObject[];
  /** The reader's argument for the provider file; `undefined` if the consumer keeps the list in its configuration. */
  readonly flag: string | undefined;
  /** The images of the plugins in use, by default or as stated. */
  readonly plugins: readonly PluginSource[];

  constructor(scope: Construct, id: string, props: HubConsumerProps) {
    checkProps(new.target.name, scope, id, HUB_CONSUMER_PROPS, props);
    super(scope, id);
    const { consumer, spokes, additionalProviders, kueueConfiguration } = props;
    this.plugins = sourcesOf(props);
    const mounts = new Map(
      this.plugins.map((each) => [each.plugin, mountedPlugin(each, props.hub, consumer)]),
    );
    const accounts = accountsOf(props);
    this.file = new AccessProvidersFile(this, "providers", {
      consumer,
      spokes,
      plugins: props.pluginByCloud,
      commands: Object.fromEntries([...mounts].map(([key, { command }]) => [key, command])),
      additionalProviders,
      kueueConfiguration,
    });
    const plugins = [...mounts.values()];
    assertRunnable(consumer, this.file.providers, plugins);
    this.flag =
      consumer.form.kind === "file" ? `${PROVIDER_FILE_FLAG}=${FILE_DIRECTORY}/${this.file.key}` : undefined;
    this.serviceAccounts = accounts.flatMap((account) => this.#annotated(account));
    this.credentialFiles = this.#credentialFiles(accounts);
    this.patches = this.#patched(consumer, accounts, plugins);
    this.readers = consumer.readsProfiles ? [] : this.#profileReaders(consumer.reader, spokes);
  }

  #annotated({ workload, annotations }: ControllerAccount): readonly ServiceAccountAnnotations[] {
    if (Object.keys(annotations).length === 0) return [];
    const { namespace, serviceAccount: name } = workload;
    const id = `service-account-${namespace}-${name}`;
    return [new ServiceAccountAnnotations(this, id, { namespace, name, annotations })];
  }

  /** The ConfigMaps without duplicates: several service accounts may read the same one. */
  #credentialFiles(accounts: readonly ControllerAccount[]): readonly ApiObject[] {
    const maps = new Map<string, { readonly metadata: object; readonly data: CredentialData }>();
    for (const { key, workload, files } of accounts)
      for (const { configMap: name, fileName, content } of files) {
        const { namespace } = workload;
        const data = maps.get(`${namespace}-${name}`)?.data ?? {};
        const known = data[fileName];
        if (known !== undefined && JSON.stringify(known) !== JSON.stringify(content))
          return conflict(key, `${fileName} of ConfigMap ${name}`);
        const merged = { metadata: { namespace, name }, data: { ...data, [fileName]: content } };
        maps.set(`${namespace}-${name}`, merged);
      }
    return [...maps].map(
      ([id, fields]) => new ApiObject(this, `file-${id}`, { apiVersion: "v1", kind: "ConfigMap", ...fields }),
    );
  }

  #patched(
    { reader, workloads, form }: FleetConsumer,
    accounts: readonly ControllerAccount[],
    plugins: readonly MountedPlugin[],
  ): readonly ApiObject[] {
    const executing = workloads.map((workload) => ({ workload, runs: true }));
    const alone = workloads.some((workload) => isSame(workload, reader))
      ? []
      : [{ workload: reader, runs: false }];
    const file = {
      volume: { name: FILE_VOLUME, configMap: { name: this.file.configMap } },
      volumeMount: { name: FILE_VOLUME, mountPath: FILE_DIRECTORY, readOnly: true },
    };
    return [...executing, ...alone].flatMap(({ workload, runs }) => {
      const reads = isSame(workload, reader);
      const account = runs ? accounts.find(({ key }) => key === keyOf(workload)) : undefined;
      const template = controllerPatch(workload, {
        identities: account?.fragments ?? [],
        plugins: runs ? plugins : [],
        annotations: reads && this.file.resource ? { [HASH_ANNOTATION]: this.file.hash } : {},
        files: reads && form.kind === "file" ? [file] : [],
      });
      return Object.keys(template).length === 0 ? [] : [this.#partial(workload, template)];
    });
  }

  #partial({ kind, namespace, name }: ControllerWorkload, template: object): ApiObject {
    const patch = new ApiObject(this, `patch-${kind}-${namespace}-${name}`, {
      apiVersion: "apps/v1",
      kind,
      metadata: { namespace, name },
      spec: { template },
    });
    // A chart adds its labels to all its objects, but these labels do not belong to the workload's owner.
    if (Object.keys(patch.chart.labels).length > 0) patch.addJsonPatch(JsonPatch.remove("/metadata/labels"));
    return patch;
  }

  #profileReaders(reader: ControllerWorkload, spokes: readonly SpokeCluster[]): readonly ApiObject[] {
    const namespaces = [...new Set(spokes.map(({ inventory }) => inventory.namespace))].sort();
    const name = `clusterprofile-reader:${reader.namespace}:${reader.serviceAccount}`;
    const rule = { resources: ["clusterprofiles"], verbs: ["get", "list", "watch"] };
    return namespaces.flatMap((namespace) => [
      new ApiObject(this, `reader-${namespace}`, {
        apiVersion: `${RBAC}/v1`,
        kind: "Role",
        metadata: { namespace, name },
        rules: [{ apiGroups: [CLUSTER_PROFILE_GROUP], ...rule }],
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

type CredentialData = Readonly<Record<string, CredentialFile["content"]>>;

function isSame(a: ControllerWorkload, b: ControllerWorkload): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function keyOf({ namespace, serviceAccount }: ControllerWorkload): string {
  return `${namespace}/${serviceAccount}`;
}

type ControllerAccount = ReturnType<typeof accountsOf>[number];

/** What each service account that runs a plugin gets. */
function accountsOf({ consumer, spokes, identities }: HubConsumerProps) {
  const accounts = new Map(consumer.workloads.map((workload) => [keyOf(workload), workload]));
  const bearers = Object.values(identities).flat();
  const foreign = bearers.find(({ subject }) => !accounts.has(subject.key));
  if (foreign)
    return fail("fleet-foreign", {
      problem: "`identities` contains a service account that runs no plugin of this consumer",
      value: foreign.subject.key,
      remedy: "remove the identity, or name the workload that uses the service account",
    });
  const takers = spokes.flatMap(({ profileName: spoke, access: { cloud, parameters } }) => {
    const { tokenAudience: audience, tokenFile } = parameters;
    const isMounted = cloud === "kubernetes" && tokenFile === undefined;
    return audience === undefined ? [] : [{ spoke, audience, isMounted }];
  });
  assertOwnAudiences(
    takers,
    bearers.flatMap(({ pod }) => pod.volumes),
  );
  const tokens = spokeTokens(takers.filter(({ isMounted }) => isMounted));
  const clouds = cloudsOf(spokes).filter((cloud) => cloud !== "kubernetes");
  return [...accounts].map(([key, workload]) => {
    const grants = clouds.map((cloud) => grantOf(key, cloud, identities[cloud] ?? []));
    const annotated = grants.map(({ annotations }) => annotations);
    return {
      key,
      workload,
      annotations: mergedTexts(key, "annotation", annotated),
      fragments: [...grants.map(({ pod }) => pod), tokens],
      files: grants.flatMap(({ credentialFile }) => credentialFile ?? []),
    };
  });
}

function grantOf(key: string, cloud: string, grants: readonly AccessGrant[]): AccessGrant {
  const grant = grants.find(({ subject }) => subject.key === key);
  if (grant?.clusterRight)
    fail("fleet-foreign", {
      problem: `the identity in ${cloud} needs a right in the hub (${grant.clusterRight.verb}), which is written only for workloads`,
      value: key,
      allowed: "identities that trust the hub's tokens",
      remedy: "declare the identities of controllers without what needs it (`identityBinding`)",
    });
  if (grant) return grant;
  return fail("fleet-missing", {
    problem: `the service account runs the plugin, but has no identity in ${cloud}`,
    value: key,
    allowed: "one identity per service account that opens connections",
    remedy: "declare an identity for this service account too",
  });
}

function cloudsOf(spokes: readonly SpokeCluster[]): readonly string[] {
  return [...new Set(spokes.map(({ access }) => access.cloud))].sort();
}

/** The images of the plugins in use; a plugin on the consumer's own PATH needs none. */
function sourcesOf({
  consumer,
  spokes,
  pluginByCloud,
  plugins: stated = [],
}: HubConsumerProps): readonly PluginSource[] {
  const used = cloudsOf(spokes).map((cloud) => pluginFor({ consumer, plugins: pluginByCloud }, cloud));
  const keys = stated.map(({ plugin }) => plugin);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  if (twice !== undefined)
    return fail("fleet-conflict", {
      problem: "the plugin has two sources, but only one can be mounted",
      value: twice,
      allowed: "one entry of `plugins` per plugin",
      remedy: "remove one of the two",
    });
  const unused = keys.find((key) => !used.includes(key));
  if (unused !== undefined)
    return fail("fleet-unused", {
      problem: "`plugins` contains a plugin that no spoke needs",
      value: unused,
      allowed: used.join(", "),
      remedy: "remove it from `plugins`",
    });
  return [...new Set(used)].sort().flatMap((plugin) => {
    const { binary, image } = fleetPlugins[plugin];
    const own = stated.find((each) => each.plugin === plugin);
    if (own) return own;
    if (consumer.onPath.includes(binary)) return [];
    return image === undefined ? refuseNoImage(consumer, plugin) : { plugin, image };
  });
}

function refuseNoImage({ title }: FleetConsumer, plugin: FleetPluginKey): never {
  return fail("fleet-missing", {
    problem: `the image of ${title} does not contain the plugin, and \`plugins\` names no image for it`,
    value: plugin,
    allowed: "an entry of `plugins` with the plugin's image",
    remedy: "add the image of the plugin",
  });
}

function assertRunnable(
  { workloads, onPath }: FleetConsumer,
  providers: readonly AccessProvider[],
  plugins: readonly MountedPlugin[],
): void {
  const mountPaths = plugins.flatMap((each) => each.volumeMounts.map(({ mountPath }) => String(mountPath)));
  for (const { container: name } of workloads)
    throwFirst(
      providers.flatMap((each) =>
        commandIssues(each.name, each.execConfig.command, { name, mountPaths, onPath }),
      ),
    );
}
