/*
 * What the user states about nodes: versions of kubelet and API server, and the image credential provider plugins.
 */

import { fail } from "../../errors";
import { type PluginFacts, PLUGIN_FACTS } from "../../model/cluster";
import { literal } from "../../model/late";
import { nearestName } from "../../model/nearest-name";
import { versionUnsupported } from "../../model/problems";
import { type Kind, checkGiven, choice, either, record, text } from "../../model/shape";
import { compareVersions, minorOf, parseVersion } from "../../model/version";
import { PLUGINS } from "../../registries/plugins";
import { pluginRow } from "../plugins";
import { featureGateDefault, knownKubernetesMinors, knownMinor } from "./feature-gates";

/** The plugins on the nodes, by key; a text is the version, `1.35.2`. */
export type StatedPlugins = Readonly<Record<string, string | PluginFacts>>;

export const STATED_PLUGINS: Kind<StatedPlugins> = record(either(text, PLUGIN_FACTS));

export interface NodeMinors {
  readonly kubelet: string;
  readonly apiServer: string;
}

const GATE = "KubeletServiceAccountTokenForCredentialProviders";
const FIRST = "1.33";

/** The minors of nodes whose kubelets send service account tokens to plugins, which depends on the feature gate. */
export function pullingMinors(
  version: string,
  apiServerVersion: string,
  gates: Readonly<Record<string, boolean>>,
): NodeMinors {
  const kubelet = minorOf("version of the kubelet", version);
  const obstacle = withoutTokens(kubelet, gates);
  if (compareVersions(kubelet, FIRST) >= 0) knownMinor("kubelet", version, usable());
  if (obstacle !== undefined) {
    const able = knownKubernetesMinors.filter((minor) => withoutTokens(minor, gates) === undefined);
    const allowed = able.join(", ") || `kubelets with ${GATE} on`;
    fail("version-unsupported", versionUnsupported(`kubelet ${kubelet}`, version, allowed, obstacle));
  }
  return notNewer(kubelet, knownMinor("kube-apiserver", apiServerVersion, usable()));
}

/** Why a kubelet of this minor sends no service account tokens to plugins, as the end of a sentence. */
export function withoutTokens(kubelet: string, gates: Readonly<Record<string, boolean>>): string | undefined {
  if (compareVersions(kubelet, FIRST) < 0) return "it is too old for this feature";
  if (!knownKubernetesMinors.includes(kubelet)) return `only ${usable()} are supported`;
  const on = gates[GATE] ?? featureGateDefault(GATE, kubelet);
  return on
    ? undefined
    : `its feature gate ${GATE} is off; if it is on in the nodes and the API server, state it in \`featureGates\``;
}

export function notNewer(kubelet: string, apiServer: string): NodeMinors {
  return compareVersions(kubelet, apiServer) > 0
    ? fail("cluster-mismatch", {
        problem: "the nodes' kubelets are newer than the API server, which Kubernetes does not support",
        value: kubelet,
        allowed: `at most ${apiServer}`,
        remedy: "correct the versions: `version` is that of the nodes' kubelets",
      })
    : { kubelet, apiServer };
}

function usable(): string {
  return knownKubernetesMinors.filter((minor) => compareVersions(minor, FIRST) >= 0).join(", ");
}

/** Names of so few letters differ by few from any key. */
const SHORT = 4;

/** The plugin of a registry without a row goes by the name of its executable; a near miss of a key is a mistake. */
function refuseMistaken(name: string): void {
  const [meant] = Object.entries(PLUGINS).find(([, { executables }]) => executables.test(name)) ?? [];
  const near = meant ?? nearestName(name, Object.keys(PLUGINS));
  if (near !== undefined || name.length <= SHORT)
    fail("cluster-unknown", {
      problem: "there is no such image credential provider plugin",
      value: name,
      allowed: `${Object.keys(PLUGINS).join(", ")}, or the name of the executable of any other plugin`,
      remedy:
        near === undefined
          ? "state the name of the executable, or remove the entry"
          : `use the plugin's key ${near}, not the name of its executable`,
    });
}

/** Checks the stated plugins; `to` is the function that received them, for messages. */
export function pluginFacts(to: string, plugins: StatedPlugins): Readonly<Record<string, PluginFacts>> {
  const facts: Record<string, PluginFacts> = {};
  for (const [key, stated] of Object.entries(literal(plugins, "plugins"))) {
    if (!pluginRow(key)) refuseMistaken(key);
    if (stated === undefined) continue;
    const fact = typeof stated === "string" ? { version: stated } : stated;
    if (fact.version !== undefined) parseVersion(`version of the ${key} plugin`, fact.version);
    const abilities = choice(Object.keys(pluginRow(key)?.abilities ?? {}).sort());
    for (const ability of fact.abilities ?? [])
      checkGiven(to, abilities, ability, `plugins.${key}.abilities`);
    facts[key] = fact;
  }
  return facts;
}
