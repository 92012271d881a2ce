import { type WorkloadIdentityError, fail, refusal } from "../errors";
import { literal } from "../model/late";
import { type FleetConsumer, FLEET_CONSUMER } from "../rules/fleet/consumer";
import { profileNamespaceIssues } from "../rules/fleet/profile-namespace";
import { pluginExec } from "../rules/fleet/plugin-exec";
import { type FleetPluginKey, fleetPlugin, fleetPlugins } from "../rules/fleet/plugins";
import { pluginCallIssues, profileDataIssues, providerNameMatchIssues } from "../rules/fleet/provider-checks";
import { healthIssues } from "../rules/fleet/profile-checks";
import {
  type AccessProvider,
  accessProviderDocument,
  accessProviderIssues,
} from "../rules/fleet/provider-file";
import { secretIssues } from "../rules/fleet/secret-material";
import { spokeTokenFile } from "../rules/fleet/spoke-tokens";
import { type SpokeCluster, SPOKE_CLUSTER } from "./spoke-cluster";
import { throwFirst } from "./first-issue";
import { type ObjectKind, anyObject, list, object, optional, record, text } from "../model/shape";

/** What decides a consumer's list of access providers. */
export interface ProviderEntriesProps {
  /** Who reads the list. */
  readonly consumer: FleetConsumer;
  /** The spokes that it enters, in the order of the list. */
  readonly spokes: readonly SpokeCluster[];
  /**
   * The plugin by cloud, where it is not the consumer's usual one.
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
   * Entries of your own after those of the spokes, for example for profiles of another manager.
   *
   * @defaultValue - none
   */
  readonly additionalProviders?: readonly AccessProvider[];
}

/** The kind of {@link ProviderEntriesProps}. */
export const PROVIDER_ENTRIES_PROPS: ObjectKind<ProviderEntriesProps> = object({
  consumer: FLEET_CONSUMER,
  spokes: list(SPOKE_CLUSTER),
  plugins: optional(record(text)),
  commands: optional(record(text)),
  additionalProviders: optional(list(anyObject)),
});

/** The plugin that a consumer uses for the spokes of a cloud; throws `fleet-plugin-cloud`, and of an unknown plugin. */
export function pluginFor(
  { consumer, plugins = {} }: Pick<ProviderEntriesProps, "consumer" | "plugins">,
  cloud: string,
): FleetPluginKey {
  const key = plugins[cloud] ?? consumer.plugins[cloud];
  if (key === undefined)
    return fail("fleet-plugin-cloud", consumer.title, cloud, Object.keys(consumer.plugins));
  const { clouds, isStatic } = fleetPlugin(key);
  if (!clouds.includes(cloud)) return fail("fleet-plugin-cloud", key, cloud, clouds);
  return !isStatic && consumer.isDistroless ? fail("fleet-plugin-not-static", key, consumer.title) : key;
}

/**
 * The checked entries, one per spoke.
 *
 * Throws `kueue-profile-namespace`, `fleet-profile-namespace`, `spoke-health-missing`, `access-provider-twice`, `access-provider-invalid`,
 * `access-provider-policy-invalid`, `fleet-name-outdated`, `argo-cd-builtin-aws`, `kubelogin-server-id-missing`, `fleet-plugin-…`, `fleet-command-invalid`,
 * `profile-config-without-cluster-info`, `fleet-stored-token`, `fleet-secret-material` or `late-value`.
 */
export function providerEntries(props: ProviderEntriesProps): readonly AccessProvider[] {
  const { consumer, spokes, additionalProviders = [] } = props;
  throwFirst(spokes.flatMap(({ inventory }) => profileNamespaceIssues(consumer, inventory.namespace)));
  const own = spokes.map((spoke) => entryOf(spoke, props));
  const entries = [...own, ...givenEntries(additionalProviders)];
  const documents = entries.map(accessProviderDocument);
  throwFirst([
    ...policyIssues(props),
    ...accessProviderIssues(documents),
    ...entries.flatMap(({ name, execConfig }) => pluginCallIssues({ provider: name, ...execConfig })),
    ...secretIssues("the list of access providers", documents),
    ...spokes.flatMap(({ statusDocument }) => healthIssues(statusDocument, consumer)),
    ...spokes.flatMap((spoke, index) =>
      profileDataIssues(documents.slice(index, index + 1), spoke.statusDocument, consumer.takesProfileEnv),
    ),
    ...providerNameMatchIssues(
      own.map(accessProviderDocument),
      spokes.map(({ statusDocument }) => statusDocument),
    ),
  ]);
  return entries;
}

/** As given: what a document would leave out is refused. Secrets come first, since no other refusal looks for them. */
function givenEntries(given: readonly AccessProvider[]): readonly AccessProvider[] {
  const entries = literal(given, "additionalProviders");
  throwFirst([...secretIssues("additionalProviders", entries), ...accessProviderIssues(entries)]);
  throwFirst(entries.flatMap(modeIssues));
  return entries.map((entry) => ({ ...entry, execConfig: { ...NO_EXEC, ...entry.execConfig } }));
}

/** Upstream all of them may be left out. */
const NO_EXEC = { args: [], env: [], provideClusterInfo: false } as const;

/** A controller has no terminal: whoever asks for one expects what cannot be. */
function modeIssues({ name, execConfig }: AccessProvider): readonly WorkloadIdentityError[] {
  const mode = "interactiveMode" in execConfig ? execConfig.interactiveMode : "Never";
  return mode === "Never"
    ? []
    : [refusal("access-provider-invalid", name, "has another interactiveMode than Never, and no terminal")];
}

const SHARED =
  "access library 0.1.3 and older carries variables of one profile over to the next: let every profile set the same ones";

/** What is written as it was asked for, but is not safe with every release. */
export function providerWarnings(providers: readonly AccessProvider[]): readonly string[] {
  return providers
    .filter(({ profileSourcedEnvVarsPolicy: policy = "Ignore" }) => policy !== "Ignore")
    .map(({ name }) => `${name}: ${SHARED}`);
}

/** Kueue's configuration has no policies. */
function policyIssues({
  consumer,
  additionalProviders = [],
}: ProviderEntriesProps): readonly WorkloadIdentityError[] {
  if (consumer.takesProfileEnv) return [];
  return additionalProviders.flatMap(({ profileSourcedEnvVarsPolicy: policy }) =>
    policy === undefined
      ? []
      : [
          refusal(
            "access-provider-policy-invalid",
            "profileSourcedEnvVarsPolicy",
            policy,
            `none: ${consumer.title} has no policies`,
          ),
        ],
  );
}

function entryOf(spoke: SpokeCluster, props: ProviderEntriesProps): AccessProvider {
  const { cloud, parameters } = spoke.access;
  const plugin = pluginFor(props, cloud);
  const tokenFile =
    parameters.tokenAudience === undefined ? {} : { tokenFile: spokeTokenFile(spoke.profileName) };
  const execConfig = pluginExec({
    plugin,
    cloud,
    command: commandOf(plugin, spoke.providerName, props),
    provider: spoke.providerName,
    parameters: { ...tokenFile, ...parameters },
  });
  return { name: spoke.providerName, execConfig };
}

function commandOf(
  plugin: FleetPluginKey,
  provider: string,
  { consumer, commands = {} }: ProviderEntriesProps,
): string {
  const { binary } = fleetPlugins[plugin];
  const command = commands[plugin] ?? (consumer.onPath.includes(binary) ? binary : undefined);
  const good = command !== undefined && (command.startsWith("/") || consumer.onPath.includes(command));
  return good ? command : fail("fleet-command-invalid", provider, command ?? binary, consumer.onPath);
}
