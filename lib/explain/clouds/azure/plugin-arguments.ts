/*
 * Arguments of entries of the acr plugin: one configuration file, and flags, of which the last one of a name counts.
 *
 * Source: kubernetes-sigs/cloud-provider-azure, cmd/acr-credential-provider/main.go and pkg/credentialprovider/
 * azure_credentials.go (`NewAcrProvider`, `processImageWithRegistryMirror`).
 */

import { type Answer, type Evidence, SILENT, broken, seen, unknown } from "../../answer";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { ProviderEntry } from "../../facts/node-configuration";
import type { Repository } from "../cloud";
import { type ParsedArguments, type PluginFlags, areFlagsKnown, parsedArguments } from "../plugin-flags";

const MIRROR = "registry-mirror";
const BINDINGS: readonly string[] = [
  "ib-sni-name",
  "ib-default-client-id",
  "ib-default-tenant-id",
  "ib-apiserver-ip",
];
const LOGGING: readonly string[] = ["v", "vmodule", "log-flush-frequency"];
/** Every flag of the plugin takes a value. */
const FLAGS: PluginFlags = {
  short: { r: MIRROR, v: "v" },
  valued: [MIRROR, ...BINDINGS, ...LOGGING],
  switches: [],
};
/** Those that every command has; what they print is no credential. */
const HELP: readonly string[] = ["help", "h", "version"];

/** Every service account is asked about with the same few entries. */
const read = new WeakMap<ProviderEntry, ParsedArguments>();

/** The path of the plugin's configuration file; `undefined` where none is given. */
export function configurationPath(entry: ProviderEntry): string | undefined {
  return argumentsOf(entry).words[0];
}

/** What keeps the plugin from using the token for a registry, as far as arguments tell; `undefined` where nothing does. */
export function argumentProblem(
  entry: ProviderEntry,
  { host }: Pick<Repository, "host">,
  { plugins = {} }: Pick<ClusterRecord, "plugins">,
): Answer | undefined {
  const told = argumentsOf(entry);
  const where = seen("args of the entry", entry.source);
  return (
    flagProblem(told, areFlagsKnown("acr", plugins["acr"]?.version), where) ??
    wordProblem(told, where) ??
    mirrorProblem(told.values.get(MIRROR) ?? "", host, where)
  );
}

function flagProblem(
  { others, bare, values }: ParsedArguments,
  isKnown: boolean,
  where: Evidence,
): Answer | undefined {
  const remedy = "give the path of azure.json as the one argument";
  const other = others.find((flag) => !HELP.includes(flag));
  if (other !== undefined && isKnown)
    return broken(`the plugin has no flag --${other}, and exits`, remedy, `unknown flag: --${other}`, where);
  if (bare !== undefined)
    return broken(
      `--${bare} has no value`,
      `give --${bare} a value`,
      `flag needs an argument: --${bare}`,
      where,
    );
  const [first] = others;
  if (first !== undefined) return unknown(`what the plugin does with --${first} is not known`, remedy, where);
  const binding = BINDINGS.find((flag) => values.has(flag));
  return binding === undefined
    ? undefined
    : unknown(
        `--${binding} has the plugin use identity bindings of AKS, which are not judged here`,
        remedy,
        where,
      );
}

function wordProblem({ words }: ParsedArguments, where: Evidence): Answer | undefined {
  if (words.length === 1) return undefined;
  return words.length === 0
    ? broken(
        "the entry names no configuration file",
        "give the path of azure.json as the one argument",
        "config file is not specified",
        where,
      )
    : broken(
        `the plugin takes one argument, the configuration file, and is given ${words.join(", ")}`,
        "give the path of azure.json as the one argument",
        "expected exactly one argument (config file); Got arguments",
        where,
      );
}

/** `source:target,…`: for images of a source most releases log in at the target, as the node instead of with the token. */
function mirrorProblem(stated: string, host: string, where: Evidence): Answer | undefined {
  for (const mapping of stated.replaceAll(" ", "").split(",")) {
    const [source, target, ...more] = mapping.split(":");
    if (source === undefined || target === undefined || more.length > 0) continue;
    const remedy = `leave ${host} out of --${MIRROR}`;
    if (source !== "" && target !== host && host.startsWith(source))
      return broken(
        `--${MIRROR} ${mapping} has the plugin log in at ${host.replace(source, target)}, as the node, for images of ${host}`,
        remedy,
        SILENT,
        where,
      );
    if (host.startsWith(source) || source.startsWith(`${host}/`))
      return unknown(`where the plugin logs in with --${MIRROR} ${mapping} is not judged`, remedy, where);
  }
  return undefined;
}

function argumentsOf(entry: ProviderEntry): ParsedArguments {
  const known = read.get(entry) ?? parsedArguments(entry.args, FLAGS);
  read.set(entry, known);
  return known;
}
