/*
 * Arguments of entries of the gcp plugin: the command `get-credentials` and its flags, of which the last one of a name
 * counts. Those before the command are read by another parser, which knows those of logging alone.
 *
 * Source: kubernetes/cloud-provider-gcp, cmd/auth-provider-gcp (main.go; app/getcredentials.go, `defineFlags` and
 * `validateFlags`); klog (`InitFlags`); `--sts-audience` is pull request 1248.
 */

import {
  type ArgumentRefusal,
  type ParsedArguments,
  certainRefusal,
  parsedArguments,
} from "../../../rules/plugin-arguments";
import { flagsOf } from "../../../rules/plugin-flags";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../../answer";
import type { ClusterRecord } from "../../facts/cluster-record";
import type { ProviderEntry } from "../../facts/node-configuration";
import { type Exchange, customExchange } from "./exchange";

const COMMAND = "get-credentials";
const OWN: readonly string[] = ["authFlow", "identity-provider", "project-id", "sts-audience"];
/** Of klog. */
const LOGGING: readonly string[] = Object.keys(flagsOf("gcp").kinds).filter(
  (flag) => flag !== "help" && !OWN.includes(flag),
);

/** What the plugin is told. */
interface Arguments extends ParsedArguments {
  /** Where it exchanges tokens; `undefined` where it is not told. */
  readonly exchange: Exchange | undefined;
}

const read = new WeakMap<ProviderEntry, Arguments>();

/** Where the plugin exchanges tokens; `undefined` where it is told no pool. */
export function exchangeOf(entry: ProviderEntry): Exchange | undefined {
  return argumentsOf(entry).exchange;
}

/** Whether the plugin takes its arguments, and exchanges the token by them. */
export function pluginArguments(
  entry: ProviderEntry,
  { plugins = {} }: Pick<ClusterRecord, "plugins">,
): Answer {
  const where = seen("args of the entry", entry.source);
  const told = argumentsOf(entry);
  const { refusal } = told;
  const certain = certainRefusal("gcp", plugins["gcp"] ?? {}, told);
  const refused = commandAnswer(told, where) ?? flagAnswer(told, certain, where);
  if (refused) return refused;
  const exchanged = exchangeAnswer(told, where);
  if (exchanged.status === "fail" || refusal === undefined) return exchanged;
  return unknown(`what the plugin does with ${refusal.flag} is not known`, refusal.remedy, where);
}

function commandAnswer({ words: [command], early: before }: Arguments, where: Evidence): Answer | undefined {
  const early = before.find((flag) => !LOGGING.includes(flag));
  const remedy = `write ${COMMAND} as the first of args`;
  if (command === undefined)
    return broken(
      `args lack the command ${COMMAND}, without which the plugin prints its help`,
      remedy,
      "error decoding credential provider plugin response from stdout",
      where,
    );
  if (command !== COMMAND)
    return broken(
      `the plugin has no command ${command}, and exits`,
      remedy,
      `unknown command "${command}"`,
      where,
    );
  return early === undefined
    ? undefined
    : broken(
        `--${early} stands before the command, where the plugin knows no flags but those of logging, and exits`,
        remedy,
        `flag provided but not defined: -${early}`,
        where,
      );
}

function flagAnswer(
  { values }: Arguments,
  certain: ArgumentRefusal | undefined,
  where: Evidence,
): Answer | undefined {
  if (certain) return broken(certain.reason, certain.remedy, certain.log, where);
  const flow = values.get("authFlow") ?? "gcr";
  if (flow === "gcr") return undefined;
  return broken(
    /^dockercfg(?:-url)?$/.test(flow)
      ? `--authFlow ${flow} takes credentials from the node's metadata, not for the token`
      : `--authFlow ${flow} is none that the plugin knows, and it exits`,
    "leave --authFlow out",
    /^dockercfg/.test(flow) ? SILENT : `invalid value "${flow}" for authFlow`,
    where,
  );
}

function exchangeAnswer({ exchange, values }: Arguments, where: Evidence): Answer {
  const provider = values.get("identity-provider") ?? "";
  if (exchange?.kind === "custom" && provider !== "")
    return unknown(
      "the plugin is told two pools, by --sts-audience and by --identity-provider, and which of them counts is not known",
      "leave one of them out",
      where,
    );
  if (exchange !== undefined) return pass("the plugin is told where to exchange the token", where);
  return broken(
    provider === ""
      ? "the plugin is told no pool to exchange the token at"
      : "--identity-provider is given without --project-id",
    "give --identity-provider and --project-id for the pool of GKE and fleet, --sts-audience for one of your own",
    provider === "" ? undefined : "--project-id is required when --identity-provider is set",
    where,
  );
}

function argumentsOf(entry: ProviderEntry): Arguments {
  const known = read.get(entry) ?? parsed(entry.args);
  read.set(entry, known);
  return known;
}

function parsed(args: readonly string[]): Arguments {
  const told = parsedArguments("gcp", args);
  return { ...told, exchange: exchangeBy(told.values) };
}

function exchangeBy(values: ReadonlyMap<string, string>): Exchange | undefined {
  const custom = customExchange(values.get("sts-audience") ?? "");
  if (custom) return custom;
  const [identityProvider = "", project = ""] = [values.get("identity-provider"), values.get("project-id")];
  return identityProvider === "" || project === ""
    ? undefined
    : { kind: "managed", project, identityProvider };
}
