/*
 * Rules about plugins that are known: what each reads, and what its registry checks.
 */

import { named } from "../explain/shared/words";
import { at, list, text } from "../model/parsed";
import type { Plugin } from "../model/plugin";
import { PLUGINS } from "../registries/plugins";
import { pluginCan } from "../rules/plugins";
import { spotOf, tokenEntries } from "./entries";
import type { EntryFact, LintFacts } from "./read";
import type { LintRule, Spot } from "./rule";

const KNOWN: readonly Plugin[] = Object.values(PLUGINS);

/** What is found about entries with tokens whose plugins are known. */
function ofPlugins(
  facts: LintFacts,
  find: (entry: EntryFact, plugin: Plugin) => readonly Spot[],
): readonly Spot[] {
  return tokenEntries(facts).flatMap((entry) => {
    const plugin = KNOWN.find(({ executables }) => executables.test(entry.name));
    return plugin === undefined ? [] : find(entry, plugin);
  });
}

const PLACE = "tokenAttributes";

function unlisted(entry: EntryFact, { annotations, unannotatedEnv = {} }: Plugin): readonly Spot[] {
  // Variables that replace the annotations.
  const instead = Object.keys(unannotatedEnv);
  const variables = list(entry.value["env"]).map((each) => text(at(each, "name")));
  const missing = annotations.filter((key) => !entry.keys.includes(key));
  if (missing.length === 0 || instead.some((name) => variables.includes(name))) return [];
  return [spotOf(entry, `the entry does not list ${named(missing)}`, PLACE, named(missing))];
}

function keysOf({
  annotations,
  entry,
  alsoReads = entry?.optionalAnnotationKeys ?? [],
}: Plugin): readonly string[] {
  return [...annotations, ...alsoReads];
}

/** Keys of another plugin, and keys that look like the plugin's own. */
function unreadKeys(entry: EntryFact, plugin: Plugin): readonly Spot[] {
  const own = keysOf(plugin);
  const others = KNOWN.flatMap(keysOf);
  const isMistaken = (key: string): boolean =>
    !own.includes(key) &&
    (others.includes(key) || own.some((each) => key.startsWith(each.replace(/[^/]*$/, "") || each)));
  const remedy = own.length === 0 ? undefined : `it reads ${named(own)}`;
  return entry.keys
    .filter(isMistaken)
    .map((key) => ({ ...spotOf(entry, `the plugin does not read ${key}`, PLACE, key), remedy }));
}

/** Releases in the URLs of downloads, such as `…/v1.31.0/linux/amd64/ecr-credential-provider`. */
function oldPlugins(facts: LintFacts): readonly Spot[] {
  const names = tokenEntries(facts).map(({ name }) => name);
  const wanted = Object.entries(PLUGINS).filter(([, each]) =>
    names.some((name) => each.executables.test(name)),
  );
  return facts.files.flatMap(({ file, text: content }) =>
    wanted.flatMap(([plugin, { executable }]) => {
      const download = new RegExp(`\\bv?(\\d{1,4}(?:\\.\\d{1,4}){2})/[^\\s"'\`]{0,200}?${executable}`, "g");
      return [...content.matchAll(download)].flatMap(({ 1: version = "", index }) => {
        const { outcome, reason } = pluginCan(plugin, { version }, "tokens");
        const line = content.slice(0, index).split("\n").length;
        const what = `version ${version} is downloaded, and ${reason}`;
        return outcome === "no" ? [{ subject: executable, what, source: { file, path: "", line } }] : [];
      });
    }),
  );
}

export const PLUGIN_RULES: readonly LintRule[] = [
  {
    id: "annotation-key-unlisted",
    severity: "warning",
    question: "Does an entry list the annotations that its plugin needs?",
    effect: "the plugin never sees the annotation: it gets no credentials, or those of the node",
    remedy: "list the key in requiredServiceAccountAnnotationKeys",
    source: "KEP-4412; the plugin's code",
    run: (facts) => ofPlugins(facts, unlisted),
  },
  {
    id: "annotation-key-unread",
    severity: "warning",
    question: "Does the plugin read the annotations that an entry lists?",
    effect: "the annotation has no effect",
    remedy: "remove the key",
    source: "the plugin's code; kubernetes/cloud-provider-aws#1280",
    run: (facts) => ofPlugins(facts, unreadKeys),
  },
  {
    id: "cache-type-of-token",
    severity: "error",
    question: "Is the cacheType Token if the plugin returns the token itself?",
    effect: "the kubelet discards every answer of the plugin",
    remedy: "write cacheType: Token",
    source: "kubernetes:pkg/credentialprovider/plugin/plugin.go",
    log: "credential provider plugin returned the service account token as the password which is not allowed when service account cache type is not set to 'Token'",
    run: (facts) =>
      ofPlugins(facts, (entry, plugin) =>
        plugin.entry?.echoesToken && at(entry.value, PLACE, "cacheType") === "ServiceAccount"
          ? [spotOf(entry, "the plugin returns the token", `${PLACE}.cacheType`)]
          : [],
      ),
  },
  {
    id: "audience-unchecked",
    severity: "note",
    question: "Does the registry of a plugin check the audience of tokens?",
    effect: "a token for another service is accepted too, unless the registry lists its audiences",
    remedy: "list the audience at the registry, which no file shows here",
    source: "quay/quay:util/security/federated_robot_auth.py",
    run: (facts) =>
      ofPlugins(facts, (entry, { anyAudience }) =>
        anyAudience
          ? [spotOf(entry, "the registry compares issuer and subject alone", PLACE, entry.audience)]
          : [],
      ),
  },
  {
    id: "plugin-old",
    severity: "warning",
    question: "Does the release of a plugin that is downloaded take tokens?",
    effect: "pods pull with the node's identity, or not at all",
    remedy: "download a release that takes tokens",
    source: "releases of kubernetes/cloud-provider-aws, cloud-provider-azure and cloud-provider-gcp",
    run: oldPlugins,
  },
];
