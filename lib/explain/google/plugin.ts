/*
 * The image credential provider auth-provider-gcp: its arguments, as whom it acts, and where it exchanges tokens. The
 * last of several flags with one name wins; another parser, which knows only logging flags, reads those before the
 * command `get-credentials`.
 *
 * Source: kubernetes/cloud-provider-gcp, pkg/gcpcredential and cmd/auth-provider-gcp (main.go; app/getcredentials.go,
 * `defineFlags` and `validateFlags`); klog (`InitFlags`); `--sts-audience` is pull request 1248.
 */

import { type Known, type Ternary, is, isKnown, known, map, orElse, shown } from "../../model/known";
import { once } from "../../model/once";
import { OPT_IN_ANNOTATION, OPT_IN_VALUE } from "../../rules/google/pull";
import { gcp } from "../../registries/artifact-registry";
import { type Answer, type Evidence, SILENT, broken, pass, seen, unknown } from "../answer";
import type { PullIdentity, PullQuestion, PullRights, RegistryPlugin, TokenQuestion } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import {
  type EntryArguments,
  entryArguments,
  openArguments,
  refusedArguments,
} from "../shared/plugin-arguments";
import { LIST_IT, handedOver } from "../shared/handed-annotations";
import { sameAnswers } from "../shared/same-answers";
import { ANYONE, type Bearer, EVERYONE, managedBearer } from "./members";
import { type ProviderName, providerName } from "./pool";
import { type Exchanges, managedTrust, tokenOf } from "./trust";

/** The user's own pool provider, or the pool of GKE and fleets with project id and the URL of cluster or membership. */
type Exchange =
  | { readonly kind: "custom"; readonly name: ProviderName }
  | { readonly kind: "managed"; readonly project: Known<string>; readonly cluster: Known<string> };

interface ReadEntry {
  readonly args: EntryArguments;
  /** Where the plugin exchanges tokens; `undefined` if it is given no pool. */
  readonly exchange: Known<Exchange | undefined>;
}

const read = once((entry: ProviderEntry): ReadEntry => {
  const args = entryArguments("gcp", entry.args);
  return { args, exchange: exchangeBy(args) };
});

function exchangeBy({ value }: EntryArguments): ReadEntry["exchange"] {
  const [cluster, project] = [value("identity-provider"), value("project-id")];
  const isEmpty = (text: Known<string>): boolean => is(text, "") === "yes";
  const managed =
    cluster === undefined || project === undefined || isEmpty(cluster) || isEmpty(project)
      ? undefined
      : ({ kind: "managed", project, cluster } as const);
  const custom = providerName(value("sts-audience") ?? known(""));
  return map(custom, (name) => (name ? { kind: "custom", name } : managed));
}

/** The plugin, judged by the pools and grants that were read. */
export function googlePlugin(
  exchanges: Exchanges,
  downloads: (bearer: Bearer) => PullRights,
): RegistryPlugin {
  return {
    plugin: "gcp",
    annotationKeys: [OPT_IN_ANNOTATION],
    // Custom pools need a build that supports them.
    needs: (entry) => (exchangeOf(entry)?.kind === "custom" ? ["tokens", "custom-pools"] : ["tokens"]),
    arguments: argumentsAnswer,
    annotations: annotationsAnswer,
    readByAll: (repository) => {
      const isMember = (member: Known<string>): Ternary => is(member, EVERYONE);
      const rights = downloads({ label: EVERYONE, isMember, keys: [EVERYONE] });
      const { status, evidence } = rights.repository(repository);
      return status === "pass" ? (evidence[0] ?? seen(EVERYONE, undefined)) : undefined;
    },
    puller: ({ entry, token }) => pulled(entry, token, exchanges, downloads),
  };
}

function exchangeOf(entry: ProviderEntry): Exchange | undefined {
  return orElse(read(entry).exchange, () => undefined);
}

/** Whether the plugin accepts the arguments and exchanges the token with them. */
function argumentsAnswer(
  entry: ProviderEntry,
  _node: NodeConfiguration,
  _host: string,
  { plugins = {} }: ClusterFacts,
): Answer {
  const where = seen("args of the entry", entry.source);
  const { args, exchange } = read(entry);
  const refused =
    commandAnswer(args, where) ??
    refusedArguments("gcp", plugins["gcp"] ?? {}, args, where) ??
    flowAnswer(args, where);
  if (refused) return refused;
  const exchanged = exchangeAnswer(args, exchange, where);
  const isCertain = exchanged.status === "fail" && args.open === undefined;
  return isCertain ? exchanged : (openArguments(args, where) ?? exchanged);
}

function annotationsAnswer(question: PullQuestion): Answer {
  const { entry, account } = question;
  const where = seen("annotations of the service account", account.source);
  const handed = handedOver(question, OPT_IN_ANNOTATION);
  const isHanded = handed === undefined ? "no" : is(handed, OPT_IN_VALUE);
  const optIn = `${OPT_IN_ANNOTATION}: "${OPT_IN_VALUE}"`;
  if (isHanded === "yes") return pass("the service account opts in", where);
  if (isHanded === "unknown")
    return unknown(
      `the plugin needs exactly ${optIn}, but what the kubelet passes to it is not known`,
      "write the annotation as a literal, once",
      where,
    );
  const isWritten = is(account.annotations.get(OPT_IN_ANNOTATION) ?? known(""), OPT_IN_VALUE) === "yes";
  return broken(
    `the plugin needs exactly ${optIn}, but the kubelet passes ${handed === undefined ? "nothing" : shown(handed)}`,
    isWritten ? LIST_IT : `annotate the service account with ${optIn}`,
    `${SILENT}: at verbosity 4 of the plugin "Standard flow active: Workload Identity is disabled, using Node Service Account for image: …"`,
    where,
    seen("tokenAttributes", entry.source),
  );
}

/** The identity of the plugin: the principal to which the pool maps the token. */
function pulled(
  entry: ProviderEntry,
  question: TokenQuestion,
  exchanges: Exchanges,
  downloads: (bearer: Bearer) => PullRights,
): PullIdentity {
  const exchange = exchangeOf(entry);
  if (exchange === undefined) {
    const answer = unknown("at which pool the plugin exchanges tokens is not known", "see provider-on-node");
    const [trust, rights] = [sameAnswers(answer), downloads(ANYONE)];
    return { trust, label: undefined, source: entry.source, understood: () => answer, rights };
  }
  const token = tokenOf(question);
  const name = exchange.kind === "custom" ? exchange.name : undefined;
  const [bearer, trust] =
    exchange.kind === "custom"
      ? [exchanges.bearer(exchange.name, token), exchanges.trust(exchange.name, token)]
      : [
          managedBearer(exchange.project, exchange.cluster, question.namespace, question.name),
          managedTrust(exchange.project, exchange.cluster, token),
        ];
  return {
    trust,
    label: bearer.label,
    source: ((name && exchanges.provider(name)?.resource) ?? entry).source,
    understood: (of) => exchanges.understood(name, bearer.label, of),
    rights: downloads(bearer),
  };
}

const COMMAND = "get-credentials";
const OWN: readonly string[] = ["authFlow", "identity-provider", "project-id", "sts-audience", "help"];
const LOGGING: readonly string[] = Object.keys(gcp.flags?.kinds ?? {}).filter((flag) => !OWN.includes(flag));

function commandAnswer({ parsed, word, open }: EntryArguments, where: Evidence): Answer | undefined {
  const refused = (reason: string, log: string): Answer =>
    broken(reason, `write ${COMMAND} as the first item of args`, log, where);
  const early = parsed.early.find((flag) => !LOGGING.includes(flag));
  const command = word(0);
  if (open === undefined && (command === undefined || is(command, COMMAND) === "no"))
    return refused(
      `args lack the command ${COMMAND}${command === undefined ? "" : ` and have ${shown(command)} in its place`}`,
      "error decoding credential provider plugin response from stdout",
    );
  if (command === undefined || early === undefined) return undefined;
  return refused(
    `--${early} comes before the command, where the plugin knows only logging flags, so it exits`,
    `flag provided but not defined: -${early}`,
  );
}

function flowAnswer({ value }: EntryArguments, where: Evidence): Answer | undefined {
  const flow = orElse(value("authFlow") ?? known("gcr"), () => "gcr");
  if (flow === "gcr") return undefined;
  const reason = `with --authFlow ${flow} the plugin exchanges no token: it reads the node's metadata, or does not know the value`;
  return broken(reason, "remove --authFlow", undefined, where);
}

function exchangeAnswer({ value }: EntryArguments, exchange: ReadEntry["exchange"], where: Evidence): Answer {
  const provider = value("identity-provider");
  const isGiven = provider !== undefined && is(provider, "") !== "yes";
  if (!isKnown(exchange))
    return unknown(
      "the pool to exchange tokens at is known only after apply",
      "write --sts-audience as a literal",
      where,
    );
  const exchanged = orElse(exchange, () => undefined);
  if (exchanged?.kind === "custom" && isGiven)
    return unknown(
      "the plugin is given two pools, by --sts-audience and by --identity-provider, and which one it uses is not known",
      "remove one of the two",
      where,
    );
  if (exchanged !== undefined) return pass("the plugin knows where to exchange the token", where);
  return broken(
    isGiven
      ? "--identity-provider is given without --project-id"
      : "the plugin is given no pool to exchange the token at",
    "set --identity-provider and --project-id for the pool of GKE and fleets, or --sts-audience for your own pool",
    isGiven ? "--project-id is required when --identity-provider is set" : undefined,
    where,
  );
}
