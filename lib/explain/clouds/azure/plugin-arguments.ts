/*
 * Arguments of entries of the acr plugin: one configuration file, and flags, of which the last one of a name counts.
 *
 * Source: kubernetes-sigs/cloud-provider-azure, cmd/acr-credential-provider/main.go and pkg/credentialprovider/
 * azure_credentials.go (`NewAcrProvider`, `processImageWithRegistryMirror`).
 */

import {
  type ArgumentRefusal,
  type ParsedArguments,
  certainRefusal,
  parsedArguments,
} from "../../../rules/plugin-arguments";
import { type Answer, type Evidence, SILENT, broken, seen, unknown } from "../../answer";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { ProviderEntry } from "../../facts/node-configuration";
import type { Repository } from "../cloud";

const MIRROR = "registry-mirror";
const BINDINGS: readonly string[] = [
  "ib-sni-name",
  "ib-default-client-id",
  "ib-default-tenant-id",
  "ib-apiserver-ip",
];

/** Every service account is asked about with the same few entries. */
const read = new WeakMap<ProviderEntry, ParsedArguments>();

/** The path of the plugin's configuration file; `undefined` where none is given. */
export function configurationPath(entry: ProviderEntry): string | undefined {
  return filesIn(argumentsOf(entry))[0];
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
    flagProblem(told, certainRefusal("acr", plugins["acr"] ?? {}, told), where) ??
    wordProblem(told, where) ??
    mirrorProblem(told.values.get(MIRROR) ?? "", host, where)
  );
}

function flagProblem(
  { refusal, values }: ParsedArguments,
  certain: ArgumentRefusal | undefined,
  where: Evidence,
): Answer | undefined {
  if (certain) return broken(certain.reason, certain.remedy, certain.log, where);
  if (refusal)
    return unknown(`what the plugin does with ${refusal.flag} is not known`, refusal.remedy, where);
  const binding = BINDINGS.find((flag) => values.has(flag));
  return binding === undefined
    ? undefined
    : unknown(
        `--${binding} has the plugin use identity bindings of AKS, which are not judged here`,
        "give the path of azure.json as the one argument",
        where,
      );
}

function filesIn({ words, rest }: ParsedArguments): readonly string[] {
  return [...words, ...rest];
}

function wordProblem(told: ParsedArguments, where: Evidence): Answer | undefined {
  const words = filesIn(told);
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
  const known = read.get(entry) ?? parsedArguments("acr", entry.args);
  read.set(entry, known);
  return known;
}
