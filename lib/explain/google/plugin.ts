/*
 * The image credential provider auth-provider-gcp: the command `get-credentials` and its flags, of which the last one of
 * a name counts. Those before the command are read by another parser, which knows those of logging alone.
 *
 * Source: kubernetes/cloud-provider-gcp, cmd/auth-provider-gcp (main.go; app/getcredentials.go, `defineFlags` and
 * `validateFlags`); klog (`InitFlags`); `--sts-audience` is pull request 1248.
 */

import { type Known, is, isKnown, known, match, orElse, shown } from "../../model/known";
import { OPT_IN_ANNOTATION, OPT_IN_VALUE } from "../../rules/google/pull-plugin";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { PluginCloud, PullIdentity, PullQuestion } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import {
  type ParsedArguments,
  type PluginFlags,
  areFlagsKnown,
  parsedArguments,
} from "../shared/plugin-flags";
import {
  type CustomExchange,
  type ManagedExchange,
  attributesOf,
  customExchange,
  managedTrust,
  tokenOf,
} from "./exchange";
import { type Bearer, managedBearer, poolBearer } from "./members";
import type { Downloads } from "./permission";
import { type PoolProvider, poolProviderOf } from "./pool";
import { type Exchanges, sameAnswers } from "./trust";

const COMMAND = "get-credentials";
/** Of logging, with a value. */
const LOGGING: readonly string[] = [
  ...["v", "vmodule", "stderrthreshold", "log_backtrace_at", "log_dir", "log_file", "log_file_max_size"],
];
/** Of logging, without one. */
const SWITCHES: readonly string[] = [
  ...["logtostderr", "alsologtostderr", "legacy_stderr_threshold_behavior", "one_output"],
  ...["add_dir_header", "skip_headers", "skip_log_headers"],
];
const FLAGS: PluginFlags = {
  short: { a: "authFlow", v: "v" },
  valued: ["authFlow", "identity-provider", "project-id", "sts-audience", ...LOGGING],
  switches: SWITCHES,
};
const UNKNOWN_FLAG = "leave out what the plugin does not know";
const HELP: readonly string[] = ["help", "h"];

/** The arguments of an entry. */
interface Arguments extends ParsedArguments {
  /** Where it exchanges tokens; `undefined` where it names no pool. */
  readonly exchange: Known<CustomExchange | ManagedExchange | undefined>;
}

/** The plugin, over what was read of pools and grants. */
export class GooglePlugin implements PluginCloud {
  readonly plugin = "gcp";
  readonly annotationKeys: readonly string[] = [OPT_IN_ANNOTATION];
  readonly #providers: readonly PoolProvider[];
  readonly #exchanges: Exchanges;
  readonly #downloads: () => Downloads;

  constructor(providers: readonly PoolProvider[], exchanges: Exchanges, downloads: () => Downloads) {
    this.#providers = providers;
    this.#exchanges = exchanges;
    this.#downloads = downloads;
  }

  /** As the contract says. */
  needs(entry: ProviderEntry): readonly ("tokens" | "custom-pools")[] {
    const exchange = orElse(argumentsOf(entry).exchange, () => undefined);
    return exchange?.kind === "custom" ? ["tokens", "custom-pools"] : ["tokens"];
  }

  /** As the contract says. */
  arguments(
    entry: ProviderEntry,
    _node: NodeConfiguration,
    _host: string,
    { plugins = {} }: ClusterFacts,
  ): Answer {
    return argumentsAnswer(entry, plugins["gcp"]);
  }

  /** As the contract says. */
  annotations({ entry, account }: PullQuestion): Answer {
    const where = seen("annotations of the service account", account.source);
    const { requiredKeys = [], optionalKeys = [] } = entry.tokenAttributes ?? {};
    const isListed = [...requiredKeys, ...optionalKeys].includes(OPT_IN_ANNOTATION);
    const written = account.annotations.get(OPT_IN_ANNOTATION);
    const optsIn = written === undefined || !isListed ? "no" : is(written, OPT_IN_VALUE);
    if (optsIn === "yes") return pass("the service account opts in", where);
    const needs = `the plugin needs exactly ${OPT_IN_ANNOTATION}: "${OPT_IN_VALUE}"`;
    if (optsIn === "unknown")
      return unknown(
        `${needs}, and what it is handed is not known`,
        "write the annotation as a literal, once",
        where,
      );
    return broken(
      `${needs}, it is handed ${written !== undefined && isListed ? shown(written) : "nothing"}`,
      written !== undefined && is(written, OPT_IN_VALUE) === "yes"
        ? "list the key in requiredServiceAccountAnnotationKeys"
        : `annotate the service account with ${OPT_IN_ANNOTATION}: "${OPT_IN_VALUE}"`,
      `${SILENT}: at verbosity 4 of the plugin "Standard flow active: Workload Identity is disabled, using Node Service Account for image: …"`,
      where,
      seen("tokenAttributes", entry.source),
    );
  }

  /** As the contract says. */
  puller({ entry, token: asked }: PullQuestion): PullIdentity {
    const token = tokenOf(asked);
    const exchange = orElse(argumentsOf(entry).exchange, () => undefined);
    if (exchange?.kind === "managed")
      return this.#identity(
        managedTrust(exchange, token),
        managedBearer(exchange, asked.namespace, asked.name),
        entry,
      );
    const provider = exchange && poolProviderOf(exchange, this.#providers);
    if (exchange === undefined)
      return {
        ...this.#identity(
          sameAnswers(
            unknown("which pool the plugin exchanges tokens at is not known", "see provider-on-node"),
          ),
          NOBODY,
          entry,
        ),
        label: undefined,
      };
    const pool = { numbers: [exchange.number, ...(provider?.numbers ?? [])], poolId: exchange.poolId };
    const bearer = poolBearer(pool, attributesOf(provider, token), token.subject);
    const trust = this.#exchanges.custom(exchange, provider, token);
    return this.#identity(trust, bearer, provider?.resource ?? entry);
  }

  #identity(
    trust: PullIdentity["trust"],
    bearer: Bearer,
    { source }: Pick<ProviderEntry, "source">,
  ): PullIdentity {
    return { trust, label: bearer.label, source, rights: this.#downloads().of(bearer) };
  }
}

/** Of whom nothing is known, every grant may be to. */
const NOBODY: Bearer = { label: "", isMember: () => "unknown", keys: [""] };

/** Whether the plugin takes its arguments, and exchanges the token by them. */
export function argumentsAnswer(
  entry: ProviderEntry,
  { version, abilities = [] }: NonNullable<ClusterFacts["plugins"]>[string] = {},
): Answer {
  const where = seen("args of the entry", entry.source);
  const read = argumentsOf(entry);
  // Releases have the flags above; a build with abilities of its own may have more.
  const isRelease = abilities.length === 0 && areFlagsKnown("gcp", version);
  const refused = commandAnswer(read, where) ?? flagAnswer(read, isRelease, where);
  if (refused) return refused;
  const exchanged = exchangeAnswer(read, where);
  const [other] = read.others;
  if (exchanged.status === "fail") return exchanged;
  if (read.open)
    return unknown(
      `an argument is known only after apply: ${shown(read.open)}`,
      "write it as a literal",
      where,
    );
  return other === undefined
    ? exchanged
    : unknown(`what the plugin does with --${other} is not known`, UNKNOWN_FLAG, where);
}

function commandAnswer({ words, early: before, open }: Arguments, where: Evidence): Answer | undefined {
  const early = before.find((flag) => !LOGGING.includes(flag) && !SWITCHES.includes(flag));
  const remedy = `write ${COMMAND} as the first of args`;
  const [command] = words;
  if (command === undefined)
    return broken(
      `args lack the command ${COMMAND}, without which the plugin prints its help`,
      remedy,
      "error decoding credential provider plugin response from stdout",
      where,
    );
  if (is(command, COMMAND) === "no")
    return broken(
      `the plugin has no command ${shown(command)}, and exits`,
      remedy,
      `unknown command "${shown(command)}"`,
      where,
    );
  if (open === command) return undefined;
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
  { others, bare, values }: Arguments,
  isRelease: boolean,
  where: Evidence,
): Answer | undefined {
  const other = others.find((flag) => !HELP.includes(flag));
  if (other !== undefined && isRelease)
    return broken(
      `the plugin has no flag --${other}, and exits`,
      UNKNOWN_FLAG,
      `unknown flag: --${other}`,
      where,
    );
  if (bare !== undefined)
    return broken(
      `--${bare} has no value`,
      `give --${bare} a value`,
      `flag needs an argument: --${bare}`,
      where,
    );
  const flow = orElse(values.get("authFlow") ?? known("gcr"), () => "gcr");
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

function exchangeAnswer({ exchange, values }: Arguments, where: Evidence): Answer {
  const provider = values.get("identity-provider");
  const isGiven = provider !== undefined && is(provider, "") !== "yes";
  const found = orElse(exchange, () => "open" as const);
  if (found === "open")
    return unknown(
      "the pool to exchange tokens at is known only after apply",
      "write --sts-audience as a literal",
      where,
    );
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
}

const READ = new WeakMap<ProviderEntry, Arguments>();

function argumentsOf(entry: ProviderEntry): Arguments {
  const before = READ.get(entry);
  if (before) return before;
  const read = parsedArguments(entry.args, FLAGS);
  const made = { ...read, exchange: exchangeBy(read.values) };
  READ.set(entry, made);
  return made;
}

function exchangeBy(values: ReadonlyMap<string, Known<string>>): Arguments["exchange"] {
  const custom = customExchange(values.get("sts-audience") ?? known(""));
  const [identityProvider, project] = [values.get("identity-provider"), values.get("project-id")];
  return match(
    custom,
    (found): Arguments["exchange"] => {
      if (found || !identityProvider || !project) return known(found);
      const isEmpty = [identityProvider, project].some((text) => is(text, "") === "yes");
      return known(isEmpty ? undefined : { kind: "managed", project, identityProvider });
    },
    () => custom,
  );
}
