import { ApiObject } from "cdk8s";
import { Construct } from "constructs";
import { createHash } from "node:crypto";
import { fail, throwFirst } from "../errors";
import { literal } from "../model/late";
import { type ObjectKind, anyObject, checkProps, list, object, optional, record, text } from "../model/shape";
import { healthIssues } from "../rules/fleet/cluster-profile";
import { type FleetConsumer, FLEET_CONSUMER, profileNamespaceIssues } from "../rules/fleet/consumer";
import { KUEUE_CONFIG_MAP, KUEUE_KEY, badKueue, kueueConfiguration } from "../rules/fleet/kueue";
import { badCommand, notStatic } from "../rules/fleet/plugin-mount";
import {
  type FleetPluginKey,
  fleetPlugin,
  fleetPlugins,
  pluginCallIssues,
  pluginExec,
  wrongCloud,
} from "../rules/fleet/plugins";
import {
  type AccessProvider,
  accessProviderDocument,
  accessProviderIssues,
  badPolicy,
  badProvider,
} from "../rules/fleet/provider-list";
import { secretIssues } from "../rules/fleet/secret-material";
import { spokeTokenFile } from "../rules/fleet/spoke-tokens";
import { type SpokeCluster, SPOKE_CLUSTER } from "./spoke-cluster";

/** The contents of an {@link AccessProvidersFile}. */
export interface AccessProvidersFileProps {
  /** The controller that reads the list. */
  readonly consumer: FleetConsumer;
  /** The spokes that the consumer enters, in the order of the list. */
  readonly spokes: readonly SpokeCluster[];
  /**
   * The plugin by cloud, if it differs from the consumer's default.
   *
   * @defaultValue - `argocd-k8s-auth` for Argo CD, static binaries for all others
   */
  readonly plugins?: Readonly<Record<string, FleetPluginKey>>;
  /**
   * Absolute path of the binary in the controller's containers, by plugin.
   *
   * @defaultValue - the name on the image's PATH, where the image has the plugin
   */
  readonly commands?: Readonly<Record<string, string>>;
  /**
   * Further entries after those of the spokes, for example for profiles of another manager.
   *
   * @defaultValue - none
   */
  readonly additionalProviders?: readonly AccessProvider[];
  /**
   * For MultiKueue: `controller_manager_config.yaml` of the installed release, to which the list is added.
   *
   * @defaultValue - none; required for MultiKueue, refused for all other consumers
   */
  readonly kueueConfiguration?: string;
}

export const ACCESS_PROVIDERS_FILE_PROPS: ObjectKind<AccessProvidersFileProps> = object({
  consumer: FLEET_CONSUMER,
  spokes: list(SPOKE_CLUSTER),
  plugins: optional(record(text)),
  commands: optional(record(text)),
  additionalProviders: optional(list(anyObject)),
  kueueConfiguration: optional(text),
});

const INDENTATION = 2;
const SHARED =
  "access library 0.1.3 and older carries variables of one profile over to the next, so every profile must set the same ones";

/**
 * The consumer's list of access providers, in a ConfigMap unless the consumer takes a Secret for each cluster. The
 * ConfigMap holds the provider file, or Kueue's configuration with the list added. Consumers read it only at start; put
 * {@link AccessProvidersFile.hash} into an annotation of the pods to roll them.
 */
export class AccessProvidersFile extends Construct {
  /** The entries in order; if a profile names several of them, the first one is used. */
  readonly providers: readonly AccessProvider[];
  /** The ConfigMap; `undefined` if each cluster has a Secret instead. */
  readonly resource: ApiObject | undefined;
  /** Name of the ConfigMap; empty if there is none. */
  readonly configMap: string;
  /** Key in the ConfigMap; empty if there is none. */
  readonly key: string;
  /** SHA-256 of the text, hexadecimal. */
  readonly hash: string;
  /** Messages for the person who applies the file. */
  readonly warnings: readonly string[];

  constructor(scope: Construct, id: string, props: AccessProvidersFileProps) {
    checkProps(new.target.name, scope, id, ACCESS_PROVIDERS_FILE_PROPS, props);
    super(scope, id);
    const { consumer } = props;
    this.providers = providerEntries(props);
    const text = textOf(this.providers, props);
    const place = placeOf(consumer);
    this.resource =
      place &&
      new ApiObject(this, "Resource", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { namespace: consumer.reader.namespace, name: place.name },
        data: { [place.key]: text },
      });
    this.configMap = place?.name ?? "";
    this.key = place?.key ?? "";
    this.hash = createHash("sha256").update(text).digest("hex");
    this.warnings = this.providers
      .filter(({ profileSourcedEnvVarsPolicy: policy = "Ignore" }) => policy !== "Ignore")
      .map(({ name }) => `${name}: ${SHARED}`);
  }
}

function placeOf({ form }: FleetConsumer): { readonly name: string; readonly key: string } | undefined {
  if (form.kind === "secrets") return undefined;
  return form.kind === "kueue"
    ? { name: KUEUE_CONFIG_MAP, key: KUEUE_KEY }
    : { name: form.configMap, key: form.key };
}

function textOf(providers: readonly AccessProvider[], props: AccessProvidersFileProps): string {
  const { form } = props.consumer;
  const base = props.kueueConfiguration;
  if (form.kind === "kueue") {
    if (base === undefined) throw badKueue("is missing");
    return kueueConfiguration(base, form.field, providers, form.gateByFlag);
  }
  if (base !== undefined)
    return fail("fleet-unused", {
      problem: "`kueueConfiguration` is set, but the consumer is not MultiKueue",
      value: props.consumer.title,
      allowed: "kueueConfiguration together with multiKueue()",
      remedy: "remove `kueueConfiguration`",
    });
  return `${JSON.stringify({ providers: providers.map(accessProviderDocument) }, undefined, INDENTATION)}\n`;
}

/** The plugin that a consumer uses for a cloud's spokes. */
export function pluginFor(
  { consumer, plugins = {} }: Pick<AccessProvidersFileProps, "consumer" | "plugins">,
  cloud: string,
): FleetPluginKey {
  const key = plugins[cloud] ?? consumer.plugins[cloud];
  if (key === undefined) throw wrongCloud(consumer.title, cloud, Object.keys(consumer.plugins));
  const { clouds, isStatic } = fleetPlugin(key);
  if (!clouds.includes(cloud)) throw wrongCloud(key, cloud, clouds);
  if (!isStatic && consumer.isDistroless) throw notStatic(key, consumer.title);
  return key;
}

/** The checked entries: one per spoke, followed by the additional ones. */
function providerEntries(props: AccessProvidersFileProps): readonly AccessProvider[] {
  const { consumer, spokes, additionalProviders = [] } = props;
  throwFirst(spokes.flatMap(({ inventory }) => profileNamespaceIssues(consumer, inventory.namespace)));
  const own = spokes.map((spoke) => entryOf(spoke, props));
  const entries = [...own, ...givenEntries(additionalProviders, consumer)];
  const documents = entries.map(accessProviderDocument);
  throwFirst([
    ...accessProviderIssues(documents),
    ...entries.flatMap(({ name, execConfig }) => pluginCallIssues({ provider: name, ...execConfig })),
    ...secretIssues("the list of access providers", documents),
    ...spokes.flatMap(({ statusDocument }) => healthIssues(statusDocument, consumer)),
  ]);
  return entries;
}

/** Additional entries. Fields that a document cannot express are refused, secrets first: no later check finds them. */
function givenEntries(
  given: readonly AccessProvider[],
  { takesProfileEnv, title }: FleetConsumer,
): readonly AccessProvider[] {
  const entries = literal(given, "additionalProviders");
  throwFirst([...secretIssues("additionalProviders", entries), ...accessProviderIssues(entries)]);
  for (const { name, execConfig, profileSourcedEnvVarsPolicy: policy } of entries) {
    if (policy !== undefined && !takesProfileEnv)
      throw badPolicy("profileSourcedEnvVarsPolicy", policy, `none: ${title} has no policies`);
    if ("interactiveMode" in execConfig && execConfig.interactiveMode !== "Never")
      throw badProvider(name, "has another interactiveMode than Never, and no terminal");
  }
  // Upstream, all of these fields are optional.
  const without = { args: [], env: [], provideClusterInfo: false };
  return entries.map((entry) => ({ ...entry, execConfig: { ...without, ...entry.execConfig } }));
}

function entryOf(spoke: SpokeCluster, props: AccessProvidersFileProps): AccessProvider {
  const { cloud, parameters } = spoke.access;
  const provider = spoke.providerName;
  const plugin = pluginFor(props, cloud);
  const tokenFile = parameters.tokenAudience !== undefined && {
    tokenFile: spokeTokenFile(spoke.profileName),
  };
  const command = commandOf(plugin, provider, props);
  const call = { plugin, cloud, command, provider, parameters: { ...tokenFile, ...parameters } };
  return { name: provider, execConfig: pluginExec(call) };
}

function commandOf(
  plugin: FleetPluginKey,
  provider: string,
  { consumer, commands = {} }: AccessProvidersFileProps,
): string {
  const command = commands[plugin] ?? fleetPlugins[plugin].binary;
  if (command.startsWith("/") || consumer.onPath.includes(command)) return command;
  throw badCommand(provider, command, consumer.onPath);
}
