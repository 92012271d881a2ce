/*
 * Plugins of registries that are no cloud's: the entry and the annotations by what is stated of the registry, and who may
 * pull by that, or by the registry's own configuration where it was read. Nothing else is known of them.
 */

import {
  type Known,
  type Ternary,
  all,
  and,
  is,
  known,
  orElse,
  same,
  shown,
  whether,
} from "../../model/known";
import { serviceAccountUser } from "../../model/namespaced-name";
import { once, remembered } from "../../model/once";
import { pluginRow } from "../../rules/plugins";
import { type Answer, type Evidence, broken, pass, seen, unknown, worstOf } from "../answer";
import type {
  PullIdentity,
  PullQuestion,
  PullRights,
  RegistryPlugin,
  TokenQuestion,
  TrustAnswer,
} from "../cloud";
import type { ClosedWorld, ClusterNames } from "../coverage/closed-world";
import type { ClusterFacts } from "../read/cluster-record";
import type { FollowedRegistry } from "../read/registry-facts";
import type { ProviderEntry } from "../read/node-configuration";
import type { Terraform } from "../read/terraform";
import { obstacle } from "../obstacle";
import { LIST_IT, handedOver, listedKeys } from "../shared/handed-annotations";
import { noRights, sameAnswers } from "../shared/same-answers";
import { quayPolicy, terraformPolicies } from "./mapped";
import { type TokenPolicy, statedPolicy } from "./policy";
import { zotPolicy } from "./zot";

interface Registry {
  readonly stated: FollowedRegistry | undefined;
  readonly policy: TokenPolicy;
}

const STATE =
  "state the registry with --facts, in cluster.tokenRegistries, or also give explain its configuration";

/** The plugin with a name in a cluster; `undefined` if nothing is known of it. */
export const registryPlugins: (
  world: ClosedWorld,
  terraform: Terraform,
) => (cluster: ClusterFacts) => (entry: ProviderEntry) => RegistryPlugin | undefined = (world, terraform) =>
  once((cluster: ClusterFacts) =>
    once((entry: ProviderEntry) => {
      const registries = registriesOf(entry, cluster, terraform);
      const isKnown = registries.size > 0 || pluginRow(entry.name) !== undefined;
      return isKnown ? tokenPlugin(entry.name, registries, world) : undefined;
    }),
  );

/** The registries that an entry serves, by host: those that are stated for its plugin, or whose configuration was read. */
function registriesOf(
  entry: ProviderEntry,
  { tokenRegistries = {}, registryFiles = [] }: ClusterFacts,
  terraform: Terraform,
): Registries {
  const { name, matchImages } = entry;
  const patterns = matchImages.flatMap((each) => orElse(each, () => []));
  const hosts = new Set([
    ...Object.entries(tokenRegistries).flatMap(([host, { plugin }]) => (plugin === name ? [host] : [])),
    ...patterns.map((pattern) => pattern.split("/")[0] ?? ""),
  ]);
  const rows = [...hosts].flatMap((host) => {
    const own = tokenRegistries[host];
    const stated = own?.plugin === name ? own : undefined;
    const read = [
      ...registryFiles.flatMap((file) => zotPolicy(host, file) ?? quayPolicy(host, file, stated) ?? []),
      ...terraformPolicies(host, entry, terraform, stated),
    ];
    const whole = read.filter((each) => !each.isStated);
    const policy = whole[0] ?? read[0] ?? (stated && statedPolicy(host, stated));
    // Which of several configurations is in force is not known.
    return policy && whole.length < 2 ? [[host, { stated, policy }] as const] : [];
  });
  return new Map(rows);
}

type Registries = ReadonlyMap<string, Registry>;

function tokenPlugin(plugin: string, registries: Registries, world: ClosedWorld): RegistryPlugin {
  const memory = new Map<string, PullRights>();
  return {
    plugin,
    annotationKeys: [],
    readByAll: () => undefined,
    // Of a plugin without a row no version is known to matter.
    needs: () => (pluginRow(plugin) ? ["tokens"] : []),
    arguments: (entry, _, host) => argumentsAnswer(plugin, entry, host, registries.get(host)),
    annotations: (question) => annotationsAnswer(plugin, question, registries),
    puller: (question) => pullerBy(question, registries, world, memory),
  };
}

function argumentsAnswer(
  plugin: string,
  entry: ProviderEntry,
  host: string,
  registry: Registry | undefined,
): Answer {
  const where = seen("entry", entry.source);
  if (registry === undefined)
    return unknown(`nothing says how ${host} takes tokens of the plugin ${plugin}`, STATE, where);
  const row = pluginRow(plugin)?.entry;
  const { stated } = registry;
  if ((stated?.echoesToken ?? row?.echoesToken) === true && entry.tokenAttributes) {
    const { cacheType } = entry.tokenAttributes;
    if (is(cacheType, "ServiceAccount") === "yes")
      return broken(ECHOED, "write cacheType: Token", ECHO_LOG, where);
  } else if (stated === undefined)
    return unknown(`whether the plugin ${plugin} hands over the token itself is not known`, STATE, where);
  return sameRun(entry, stated ?? { args: row?.args ?? [], env: [] }, where);
}

function annotationsAnswer(plugin: string, question: PullQuestion, registries: Registries): Answer {
  const { entry, account, token } = question;
  const listed = listedKeys(entry);
  const needed = neededAnnotations(plugin, token, registries);
  const where = seen("annotations of the service account", account.source);
  const answers = [...needed].map(([key, value]) => {
    const handed = handedOver(question, key);
    const isWanted = (written: Known<string>): Ternary =>
      value === undefined ? whether(written, (each) => each !== "") : same(written, value);
    const answer = handed === undefined ? "no" : isWanted(handed);
    const needs = `the plugin needs ${key}${value === undefined ? "" : `: ${shown(value)}`}`;
    if (answer === "yes") return pass("the plugin gets the annotations that it needs", where);
    return answer === "unknown"
      ? unknown(
          `${needs}; what the kubelet passes to it is not known`,
          "write the annotation as a literal",
          where,
        )
      : broken(
          `${needs}, but the kubelet passes ${handed === undefined ? "nothing" : shown(handed)}`,
          listed.includes(key) ? `annotate the service account with ${key}` : LIST_IT,
          undefined,
          where,
        );
  });
  return (
    obstacle([...answers, ...further(plugin, listed, needed, account)]) ??
    answers[0] ??
    pass("the plugin needs no annotation")
  );
}

/** The annotations that the plugin needs, with their values where these are stated. */
function neededAnnotations(
  plugin: string,
  token: TokenQuestion,
  registries: Registries,
): ReadonlyMap<string, Known<string> | undefined> {
  const keys = (pluginRow(plugin)?.annotations ?? []).map((key) => [key, undefined] as const);
  const stated = pullsOf(token, registries).flatMap(({ annotations }) => [...annotations]);
  return new Map<string, Known<string> | undefined>([...keys, ...stated]);
}

/** Annotations that the plugin reads besides those that are stated: another service, host or role. */
function further(
  plugin: string,
  listed: readonly string[],
  needed: ReadonlyMap<string, unknown>,
  { annotations, source }: PullQuestion["account"],
): readonly Answer[] {
  const row = pluginRow(plugin);
  const reads = row && [...(row.alsoReads ?? []), ...(row.entry?.optionalAnnotationKeys ?? [])];
  return listed
    .filter((key) => annotations.has(key) && !needed.has(key) && (reads?.includes(key) ?? true))
    .map((key) =>
      unknown(
        `the plugin also gets ${key}, and what it does with it is not stated`,
        "state the annotation with the pull, or remove it",
        seen("annotations of the service account", source),
      ),
    );
}

function pullerBy(
  { token, entry: { source } }: PullQuestion,
  registries: Registries,
  world: ClosedWorld,
  memory: Map<string, PullRights>,
): PullIdentity {
  const hosts = [...registries.keys()];
  const policies = [...registries.values()].map(({ policy }) => policy);
  const subject = serviceAccountUser(token);
  const understood = (of: ClusterNames): Answer => world.understood(subject, of, [], hosts.map(known));
  if (policies.length === 0) {
    const answer = unknown("nothing is known of the registry", STATE);
    const [trust, rights] = [sameAnswers(answer), noRights(answer)];
    return { trust, label: undefined, source, understood, rights };
  }
  const label = pullsOf(token, registries).find((each) => each.identity !== undefined)?.identity ?? subject;
  const isStated = policies.some((each) => each.isStated || each.hasStatedRights);
  return {
    trust: joinedTrust(policies.map((each) => each.trust(token))),
    // Says that nothing of the registry itself was read, if that is so.
    label: isStated ? `${label}, as stated` : label,
    id: known(`${hosts.join(" ")} ${subject}`),
    source,
    trusted: () => policies.flatMap(({ issuers }) => issuers),
    understood,
    rights: remembered(memory, `${shown(token.issuer)} ${shown(token.audience)} ${subject}`, () =>
      rightsOf(token, registries),
    ),
  };
}

function rightsOf(token: TokenQuestion, registries: Registries): PullRights {
  const at = (host: string): TokenPolicy | undefined => registries.get(host)?.policy;
  const nothing = (host: string): Answer => unknown(`nothing is known of ${host}`, STATE);
  const reach = [...registries].flatMap(([host, { policy }]) =>
    policy.reach(token).map((pattern) => `${host}/${pattern}`),
  );
  return {
    login: (host) => {
      const policy = at(host);
      if (policy === undefined) return nothing(host);
      if (registries.size === 1) return BY_TRUST;
      const { issuer, audience, subject } = policy.trust(token);
      return worstOf(issuer, audience, subject);
    },
    repository: (asked) => at(asked.host)?.repository(token, asked) ?? nothing(asked.host),
    reach: () => reach.map((pattern) => ({ pattern, comparable: true })),
    held: () => reach.map((pattern) => ({ text: `pull ${pattern}`, reads: [pattern], source: undefined })),
  };
}

function pullsOf({ namespace, name }: TokenQuestion, registries: Registries): FollowedRegistry["pulls"] {
  const pulls = [...registries.values()].flatMap(({ stated }) => stated?.pulls ?? []);
  return pulls.filter(({ serviceAccount }) => serviceAccount === `${namespace}/${name}`);
}

const ECHOED = "the plugin returns the token itself, which the kubelet refuses with cacheType ServiceAccount";
const ECHO_LOG =
  "credential provider plugin returned the service account token as the password which is not allowed when service account cache type is not set to 'Token'";

/** Whether the entry runs the plugin as stated: what it does with other arguments or variables is not known. */
function sameRun(
  { args, env }: ProviderEntry,
  stated: Pick<FollowedRegistry, "args" | "env">,
  where: Evidence,
): Answer {
  const texts = orElse(all(args), () => undefined);
  const isSame =
    JSON.stringify(texts) === JSON.stringify(stated.args) &&
    env.size === stated.env.length &&
    and(...stated.env.map(({ name, value }) => is(env.get(name) ?? known(""), value))) === "yes";
  return isSame
    ? pass("the plugin runs with the arguments and variables that are stated for the registry", where)
    : unknown(
        "the entry has other arguments or variables than are stated for the registry, and what the plugin does with them is not known",
        "write them as stated, or state them as they are",
        where,
      );
}

const BY_TRUST = pass("the registry lets in every token that it accepts");
const BY_REGISTRY = pass("the registries of the entry differ in this; login-permitted answers for this one");

/** Several registries of one entry may differ; the link `login-permitted` asks the one that is meant. */
function joinedTrust(trusts: readonly TrustAnswer[]): TrustAnswer {
  const joinedBy = (of: (trust: TrustAnswer) => Answer): Answer => {
    const [first = BY_REGISTRY, ...others] = trusts.map(of);
    return others.every(({ status }) => status === first.status) ? first : BY_REGISTRY;
  };
  return {
    issuer: joinedBy(({ issuer }) => issuer),
    audience: joinedBy(({ audience }) => audience),
    subject: joinedBy(({ subject }) => subject),
  };
}
