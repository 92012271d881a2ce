import type { Problem } from "./problem";

/** Refusals of the kubelet's side of a node: plugins, credential provider entries, strict and mixed mode. */
export const nodeMessages = {
  "plugin-not-stated": (plugin: string, known: readonly string[]): Problem => ({
    problem: `the cluster's facts do not say which version of the ${plugin} image credential provider its nodes have`,
    value: known,
    allowed: `an entry \`${plugin}\` in the cluster's \`plugins\``,
    remedy: `run \`<plugin> --version\` on a node, or read it from the node image, and state it`,
  }),
  "plugin-unusable": (plugin: string, cluster: string, reason: string): Problem => ({
    problem: `the ${plugin} image credential provider cannot pull with service account tokens on ${cluster}: ${reason}`,
    remedy: "leave these pulls out of this cluster, or use nodes whose plugin can do it",
  }),
  "plugin-too-old": (plugin: string, need: string, reason: string, version: string | undefined): Problem => ({
    problem: `the ${plugin} image credential provider on the nodes lacks what these pulls need (${need}): ${reason}`,
    value: version ?? "no version stated",
    remedy: `upgrade the plugin on the nodes, or, for a build that can do it, state \`abilities: ["${need}"]\` in the cluster's \`plugins\``,
  }),
  "mixed-mode-needs-second-name": (plugin: string, reason: string): Problem => ({
    problem: `mixed mode of the ${plugin} image credential provider needs a second entry for pods without annotation: ${reason}`,
    allowed: "`nodeIdentityName`: a second file name (link or copy) of the plugin in the plugin directory",
    remedy: "put the link on the nodes and state its name, or use mode `strict`",
  }),
  "node-identity-args-missing": (plugin: string, name: string): Problem => ({
    problem: `nothing says with which arguments the ${plugin} image credential provider pulls with the node's identity; those of the entry with tokens serve the tokens alone`,
    value: name,
    allowed:
      "`nodeIdentityArgs`: for acr the path of an azure.json with `userAssignedIdentityID`, [] for no arguments",
    remedy: "state the arguments that the nodes used so far, or use mode `strict`",
  }),
  "node-identity-setting-unused": (setting: string, plugin: string, reason: string): Problem => ({
    problem: `\`${setting}\` of the ${plugin} image credential provider has no effect: ${reason}`,
    value: setting,
    allowed: "mode `mixed` of a plugin that needs a second entry for pods without annotation",
    remedy: "remove the setting, or use mode `mixed`",
  }),
  "node-identity-name-invalid": (plugin: string, value: unknown, reason: string): Problem => ({
    problem: `\`nodeIdentityName\` of the ${plugin} image credential provider is no file name that the kubelet takes: ${reason}`,
    value,
    allowed: "a file name in the plugin directory, without / and blanks, and neither . nor ..",
    remedy: "give the name of the link or copy of the plugin",
  }),
  "provider-setting-invalid": (
    setting: string,
    plugin: string,
    value: unknown,
    allowed: string,
    reason: string = "is of the wrong kind",
    remedy: string = "correct the setting",
  ): Problem => ({
    problem: `\`${setting}\` of the ${plugin} image credential provider ${reason}`,
    value,
    allowed,
    remedy,
  }),
  "provider-env-invalid": (
    plugin: string,
    name: unknown,
    reason: string,
    allowed: string = "{ name, value }, each name once, not empty and without =, both text",
    remedy: string = "correct `env`",
  ): Problem => ({
    problem: `a variable of the ${plugin} image credential provider ${reason}`,
    value: name,
    allowed,
    remedy,
  }),
  "provider-env-unused": (plugin: string, name: string, reason: string): Problem => ({
    problem: `a variable of the ${plugin} image credential provider has no effect: ${reason}`,
    value: name,
    allowed: "mode `mixed` of a plugin that falls back by itself",
    remedy: "remove the variable",
  }),
  "mixed-mode-impossible": (plugin: string, cluster: string): Problem => ({
    problem: `mixed mode of the ${plugin} image credential provider needs a second executable name, and the plugin directory of ${cluster} is read-only`,
    allowed: "mode `strict`",
    remedy: "use mode `strict`: pods without the annotation then pull without this plugin",
  }),
  "provider-setting-unused": (plugin: string, used: readonly string[]): Problem => ({
    problem: `there are settings for the image credential provider ${plugin}, but no pull uses it`,
    value: plugin,
    allowed: used.join(", "),
    remedy: "remove the settings or correct the key",
  }),
  "credential-provider-name-taken": (name: string): Problem => ({
    problem: "two image credential provider entries have one name, and the kubelet refuses the file",
    value: name,
    remedy: "give one of them the name of another link to its executable",
  }),
  "match-images-dead": (pattern: string, reason: string): Problem => ({
    problem: `matchImages has an entry that can never match: ${reason}`,
    value: pattern,
    allowed: "host[:port][/path prefix], `*` only within one dot-separated part of the host",
    remedy: "correct the entry; the kubelet would accept it in silence",
  }),
  "match-images-misleading": (pattern: string, reason: string): Problem => ({
    problem: `matchImages has an entry that means something else than it says: ${reason}`,
    value: pattern,
    allowed: "host[:port][/path prefix], `*` only within one dot-separated part of the host",
    remedy: "correct the entry; the kubelet would accept it in silence",
  }),
  "match-images-twice": (pattern: string, plugin: string): Problem => ({
    problem: `matchImages of the ${plugin} image credential provider holds an entry twice`,
    value: pattern,
    allowed: "each entry once",
    remedy: "remove one of them, or correct it",
  }),
  "match-images-overlap": (pattern: string, name: string, other: string, otherName: string): Problem => ({
    problem: `the entries ${name} and ${otherName} of one CredentialProviderConfig would both be asked for some images`,
    value: pattern,
    allowed: `patterns that share no image with ${other}`,
    remedy: `narrow the patterns of ${name}, or leave those images out of it`,
  }),
  "match-images-too-wide": (pattern: string, plugin: string, registries: readonly string[]): Problem => ({
    problem: `matchImages hands service account tokens to the ${plugin} plugin for images of foreign registries`,
    value: pattern,
    allowed: `patterns within ${registries.join(", ")}`,
    remedy: "narrow the entry to the registries that the plugin serves",
  }),
  "pull-not-matched": (image: string, plugin: string, patterns: readonly string[]): Problem => ({
    problem: `no matchImages entry of the ${plugin} image credential provider matches a declared pull, so the kubelet would never ask it`,
    value: image,
    allowed: patterns.join(", "),
    remedy: "add a pattern for the registry's host, or leave `matchImages` out to get the right ones",
  }),
  "credential-provider-config-invalid": (kubelet: string, messages: readonly string[]): Problem => ({
    problem: `the kubelet ${kubelet} would not start with this CredentialProviderConfig`,
    value: messages,
    remedy: "correct the settings that lead to it",
  }),
};
