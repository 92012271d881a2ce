/*
 * Arguments of auth-provider-gcp: the command `get-credentials` and its flags, of which the last one of a name counts.
 * Those before the command are read by another parser, which knows those of logging alone.
 *
 * Source: kubernetes/cloud-provider-gcp, cmd/auth-provider-gcp (main.go; app/getcredentials.go, `defineFlags` and
 * `validateFlags`); klog (`InitFlags`); `--sts-audience` is pull request 1248.
 */

import { type Known, is, known, match, orElse, shown } from "../../model/known";
import type { PluginFacts } from "../../model/cluster";
import { flagsOf } from "../../rules/plugin-flags";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { ProviderEntry } from "../read/node-configuration";
import {
  type EntryArguments,
  entryArguments,
  openArguments,
  refusedArguments,
} from "../shared/plugin-arguments";
import { type CustomExchange, type ManagedExchange, customExchange } from "./exchange";

const COMMAND = "get-credentials";
const OWN: readonly string[] = ["authFlow", "identity-provider", "project-id", "sts-audience"];
/** Of klog. */
const LOGGING: readonly string[] = Object.keys(flagsOf("gcp").kinds).filter(
  (flag) => flag !== "help" && !OWN.includes(flag),
);

type Exchange = Known<CustomExchange | ManagedExchange | undefined>;

const READ = new WeakMap<ProviderEntry, { readonly args: EntryArguments; readonly exchange: Exchange }>();

function read(entry: ProviderEntry): { readonly args: EntryArguments; readonly exchange: Exchange } {
  const before = READ.get(entry);
  if (before) return before;
  const args = entryArguments("gcp", entry.args);
  const made = { args, exchange: exchangeBy(args) };
  READ.set(entry, made);
  return made;
}

/** Where the plugin exchanges tokens; `undefined` where it is given no pool. */
export function exchangeOf(entry: ProviderEntry): Exchange {
  return read(entry).exchange;
}

/** Whether the plugin takes its arguments, and exchanges the token by them. */
export function argumentsAnswer(entry: ProviderEntry, facts: PluginFacts): Answer {
  const where = seen("args of the entry", entry.source);
  const { args, exchange } = read(entry);
  const refused =
    commandAnswer(args, where) ?? refusedArguments("gcp", facts, args, where) ?? flowAnswer(args, where);
  if (refused) return refused;
  const exchanged = exchangeAnswer(args, exchange, where);
  const open = openArguments(args, where);
  return exchanged.status === "fail" && args.open === undefined ? exchanged : (open ?? exchanged);
}

function commandAnswer({ parsed, word, open }: EntryArguments, where: Evidence): Answer | undefined {
  const early = parsed.early.find((flag) => !LOGGING.includes(flag));
  const remedy = `write ${COMMAND} as the first of args`;
  const command = word(0);
  if (command === undefined)
    return open === undefined
      ? broken(
          `args lack the command ${COMMAND}, without which the plugin prints its help`,
          remedy,
          "error decoding credential provider plugin response from stdout",
          where,
        )
      : undefined;
  if (is(command, COMMAND) === "no" && open === undefined)
    return broken(
      `the plugin has no command ${shown(command)}, and exits`,
      remedy,
      `unknown command "${shown(command)}"`,
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

function flowAnswer({ value }: EntryArguments, where: Evidence): Answer | undefined {
  const flow = orElse(value("authFlow") ?? known("gcr"), () => "gcr");
  if (flow === "gcr") return undefined;
  const isOther = /^dockercfg(?:-url)?$/.test(flow);
  return broken(
    isOther
      ? `--authFlow ${flow} takes credentials from the node's metadata, not for the token`
      : `--authFlow ${flow} is none that the plugin knows, and it exits`,
    "leave --authFlow out",
    isOther ? SILENT : `invalid value "${flow}" for authFlow`,
    where,
  );
}

function exchangeAnswer({ value }: EntryArguments, exchange: Exchange, where: Evidence): Answer {
  const provider = value("identity-provider");
  const isGiven = provider !== undefined && is(provider, "") !== "yes";
  return match(
    exchange,
    (found) => {
      if (found?.kind === "custom" && isGiven)
        return unknown(
          "the plugin is given two pools, by --sts-audience and by --identity-provider, and which of them counts is not known",
          "leave one of them out",
          where,
        );
      if (found !== undefined) return pass("the plugin knows where to exchange the token", where);
      return broken(
        isGiven
          ? "--identity-provider is given without --project-id"
          : "the plugin is given no pool to exchange the token at",
        "give --identity-provider and --project-id for the pool of GKE and fleet, --sts-audience for one of your own",
        isGiven ? "--project-id is required when --identity-provider is set" : undefined,
        where,
      );
    },
    () =>
      unknown(
        "the pool to exchange tokens at is known only after apply",
        "write --sts-audience as a literal",
        where,
      ),
  );
}

function exchangeBy({ value }: EntryArguments): Exchange {
  const custom = customExchange(value("sts-audience") ?? known(""));
  const [identityProvider, project] = [value("identity-provider"), value("project-id")];
  return match(
    custom,
    (found): Exchange => {
      if (found || !identityProvider || !project) return known(found);
      const isEmpty = [identityProvider, project].some((text) => is(text, "") === "yes");
      return known(isEmpty ? undefined : { kind: "managed", project, identityProvider });
    },
    () => custom,
  );
}
