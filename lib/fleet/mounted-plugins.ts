import { fail } from "../errors";
import type { FleetConsumer } from "../rules/fleet/consumer";
import {
  type HubFacts,
  type MountedPlugin,
  type PluginSource,
  commandIssues,
  mountedPlugin,
} from "../rules/fleet/plugin-mount";
import { type FleetPluginKey, fleetPlugins } from "../rules/fleet/plugins";
import type { AccessProvider } from "../rules/fleet/provider-file";
import { throwFirst } from "./first-issue";

/**
 * Throws `fleet-command-invalid` or `fleet-plugin-not-mounted` for a command that a container could not run.
 */
export function assertRunnable(
  consumer: FleetConsumer,
  providers: readonly AccessProvider[],
  plugins: readonly MountedPlugin[],
): void {
  const mountPaths = plugins.flatMap(({ volumeMounts }) =>
    volumeMounts.map(({ mountPath }) => String(mountPath)),
  );
  for (const { container } of consumer.workloads) {
    const facts = { name: container, mountPaths, onPath: consumer.onPath };
    throwFirst(providers.flatMap(({ name, execConfig }) => commandIssues(name, execConfig.command, facts)));
  }
}

/**
 * The mounts of the plugins that are used, by plugin; those on the image's PATH need none.
 *
 * Throws `fleet-plugin-unmounted` where a used plugin has no source, `fleet-plugin-unused`, `fleet-plugin-twice`,
 * and what the mounts throw.
 */
export function mountsOf(
  used: readonly FleetPluginKey[],
  sources: readonly PluginSource[],
  hub: HubFacts,
  consumer: FleetConsumer,
): ReadonlyMap<string, MountedPlugin> {
  const keys = sources.map(({ plugin }) => plugin);
  const twice = keys.find((key, index) => keys.indexOf(key) < index);
  if (twice !== undefined) return fail("fleet-plugin-twice", twice);
  const mounts = new Map<string, MountedPlugin>();
  for (const key of [...new Set(used)].sort()) {
    const source = sources.find(({ plugin }) => plugin === key);
    if (source) mounts.set(key, mountedPlugin(source, hub, consumer));
    else if (!consumer.onPath.includes(fleetPlugins[key].binary))
      fail("fleet-plugin-unmounted", key, consumer.title);
  }
  const unused = sources.find(({ plugin }) => !used.includes(plugin));
  return unused ? fail("fleet-plugin-unused", unused.plugin, used) : mounts;
}
