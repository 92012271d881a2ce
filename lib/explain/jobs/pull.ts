/*
 * Image pulls: the links in the order in which the kubelet, the plugin and the cloud reach them.
 */

import { type Ternary, unread } from "../../model/known";
import { namespacedName } from "../../model/namespaced-name";
import { type Answer, type CheckResult, badness, broken, pass, seen, unknown } from "../answer";
import type { AskedImage } from "../asked-image";
import type { CheckId } from "../check-ids";
import { NODES } from "../coverage/open-objects";
import type { IsAsked, RegistryPlugin, PullIdentity, PullQuestion, ReachedRepositories } from "../cloud";
import type { ClusterArtefacts } from "../read/clusters";
import type { Source } from "../read/source";
import { type Chain, type Link, Runner, type Step, stepsOf } from "../run";
import type { Verdict } from "../result";
import { type Fallback, fallbackOf, readAnyway, refusedBySecret } from "./fallback";
import { entryMatched, intendedEntry, matchingEntries } from "./image-match";
import { TRUST_LINKS, UNDERSTOOD, misfilled, missing, trustOfEveryIssuer, understood } from "./links";
import { AS_APPLIED } from "../shared/words";
import { pluginOnNode } from "./provider-on-node";
import type { PluginOf, PullFacts, Puller, ReadByAll } from "./pull-questions";
import { accountPresent, accountReadable, audienceGranted, requiredAnnotations } from "./token-request";

const { link, derived, fork } = stepsOf<PullFacts>();

/** The table of links; `otherwise` follows them. */
const TABLE: readonly Step<PullFacts>[] = [
  link({
    id: "image-parses",
    question: "Does the kubelet accept the image's name?",
    per: ["image"],
    run: ({ image }) => imageParses(image),
  }),
  fork({
    adds: "node",
    per: ["artefacts"],
    each: ({ artefacts: { nodes } }) => (nodes.length > 0 ? nodes : [undefined]),
    fold: "worst",
  }),
  fork({
    adds: "entry",
    per: ["node", "image"],
    each: ({ node, image }) => {
      const entries = node && image.repository ? matchingEntries(node, image.repository) : [];
      return entries.length > 0 ? entries : [undefined];
    },
    fold: "best",
  }),
  derived({
    adds: "cloud",
    per: ["artefacts", "pluginOf", "entry"],
    of: ({ artefacts, pluginOf, entry }) => entry && pluginOf(entry, artefacts.cluster),
  }),
  link({
    id: "provider-matches-image",
    question: "Does an entry of the nodes' CredentialProviderConfig match the image?",
    per: ["artefacts", "origin", "node", "entry", "image"],
    run: entryMatched,
  }),
  link({
    id: "provider-on-node",
    question: "Does the kubelet accept the file, and does the plugin use service account tokens?",
    per: ["artefacts", "node", "entry", "cloud", "host"],
    run: pluginOnNode,
  }),
  link({
    id: "service-account-present",
    question: "Is the service account among the objects of the cluster?",
    per: ["artefacts", "entry", "puller"],
    run: accountPresent,
  }),
  link({
    id: "service-account-readable",
    question: "May the kubelet get the service account?",
    per: ["artefacts", "entry", "puller"],
    run: ({ artefacts, puller }) => accountReadable(artefacts, puller.key),
  }),
  link({
    id: "annotations-present",
    question: "Does the service account have the annotations that kubelet and plugin need?",
    per: ["artefacts", "node", "entry", "cloud", "puller"],
    run: annotationsPresent,
  }),
  link({
    id: "audience-granted",
    question: "May the node request a token of the service account for the audience?",
    per: ["artefacts", "node", "entry", "cloud", "puller"],
    run: ({ artefacts, entry, puller }) =>
      entry?.tokenAttributes
        ? audienceGranted(artefacts, puller, entry.tokenAttributes.audience)
        : missing("the audience"),
  }),
  derived({
    adds: "identity",
    per: ["artefacts", "node", "entry", "cloud", "puller"],
    of: (facts) => {
      const question = pullQuestion(facts);
      return question && facts.cloud && pullerOf(facts.cloud, question);
    },
  }),
  derived({ adds: "trust", per: ["identity"], of: ({ identity }) => identity?.trust }),
  ...TRUST_LINKS,
  derived({ adds: "rights", per: ["identity"], of: ({ identity }) => identity?.rights }),
  link({
    id: "login-permitted",
    question: "May the identity log in at the registry?",
    per: ["rights", "host"],
    run: ({ rights, host }) => rights?.login(host) ?? missing("the identity"),
  }),
  link({
    id: "repository-permitted",
    question: "May the identity read the repository?",
    per: ["rights", "image"],
    run: ({ rights, image: { repository } }) =>
      (repository && rights?.repository(repository)) ?? missing("the identity"),
  }),
  link({
    ...UNDERSTOOD,
    per: ["artefacts", "identity", "puller"],
    run: ({ artefacts, identity, puller }) => understood(artefacts, identity, puller.key, [NODES]),
  }),
];

const SHOWN = 300;

function imageParses({ text, repository, problem, isUnfilled }: AskedImage): Answer {
  if (repository) return pass(`the kubelet looks up ${repository.name}`);
  if (isUnfilled) return unknown(`the image ${text} holds a placeholder`, AS_APPLIED);
  if (problem === "")
    return unknown(`the image ${text} is known only after apply`, "explain the manifests that bind wrote");
  return broken(
    problem,
    "write the image as `podman pull` accepts it",
    `InvalidImageName: Failed to apply default image tag "${text.slice(0, SHOWN)}": ${problem.split(": ").slice(1).join(": ")}`,
  );
}

function pullerOf(cloud: RegistryPlugin, question: PullQuestion): PullIdentity {
  const { cluster, token } = question;
  const puller = cloud.puller(question);
  const trust = trustOfEveryIssuer(
    token,
    cluster,
    (each) => (each === token ? puller.trust : cloud.puller({ ...question, token: each }).trust),
    () => puller.trusted?.(),
  );
  return trust === puller.trust ? puller : { ...puller, trust };
}

type AccountFacts = Pick<PullFacts, "artefacts" | "node" | "entry" | "cloud" | "puller">;

function annotationsPresent(facts: AccountFacts): Answer {
  const { entry, cloud, puller } = facts;
  const question = pullQuestion(facts);
  if (!entry || !puller.account || !question) return missing("the service account or the entry");
  const required = requiredAnnotations(entry, puller.account);
  const answer = badness(required) > 0 ? required : (cloud?.annotations(question) ?? missing("the plugin"));
  // A value that was filled in for another cloud does not matter to this plugin.
  return answer.status === "pass" ? answer : (misfilled(facts.artefacts, puller.account) ?? answer);
}

function pullQuestion({ artefacts, node, entry, puller }: AccountFacts): PullQuestion | undefined {
  const { account, key } = puller;
  if (!account || !entry || !node) return undefined;
  const { cluster } = artefacts;
  return {
    cluster,
    token: {
      // The recorded issuer; once the cloud trusts it, it is compared with Authentication/cluster.
      issuer: cluster.issuer ?? artefacts.issuer,
      audience: entry.tokenAttributes?.audience ?? unread("the entry has no audience"),
      ...namespacedName(key),
    },
    entry,
    node,
    account,
  };
}

/** Remembered answers about permissions name no identity, so the result adds it. */
const OF_IDENTITY: readonly CheckId[] = ["login-permitted", "repository-permitted"];

/** A pull that was judged: the chain that decides, and what happens without it. */
export class JudgedPull {
  readonly verdict: Verdict;
  readonly #chain: Chain<PullFacts>;
  #fallback: Fallback | undefined;

  constructor(chain: Chain<PullFacts>) {
    this.#chain = chain;
    this.verdict = this.#verdict();
  }

  /** The identity, or what else serves the pull; `null` if nothing would, or if it is not known. */
  get as(): string | null {
    const { facts, failed } = this.#chain;
    if (failed !== undefined) return this.#besides.as;
    return refusedBySecret(facts) ? null : (facts.identity?.label ?? null);
  }

  /** The broken link; `undefined` if none is. */
  get failed(): CheckId | undefined {
    return this.#chain.failed;
  }

  /** Whether what served the image before there was a chain is still used for it. */
  get serves(): Ternary {
    return this.#besides.serves;
  }

  /** The links in order, `otherwise` last. */
  get checks(): readonly CheckResult[] {
    return this.#named(this.#chain.checks);
  }

  /** As `checks`, with the links after the first broken one judged as if it held. */
  get stacked(): readonly CheckResult[] {
    const { facts } = this.#chain;
    const entry = facts.entry ?? (facts.node && intendedEntry(facts, facts.node));
    return this.#named(this.#chain.stacked({ entry }));
  }

  #named(checks: readonly CheckResult[]): readonly CheckResult[] {
    const links = checks.map((check) => {
      const [text, source] = this.#bearerOf(check) ?? [];
      return text === undefined ? check : { ...check, evidence: [...check.evidence, seen(text, source)] };
    });
    return [...links, { id: "otherwise", ...this.#besides.answer }];
  }

  #verdict(): Verdict {
    const { failed, verdict, facts } = this.#chain;
    if (failed === undefined) return verdict !== "denied" && refusedBySecret(facts) ? "denied" : verdict;
    if (this.#besides.answer.status !== "unknown") return "denied";
    // A declared pull must work by its chain, not anonymously or in another way.
    const { origin } = facts;
    const isOpen = origin === "workload" || asksNoTokens(facts) || readAnyway(facts, failed) !== undefined;
    return isOpen && origin !== "declared" ? "unknown" : "denied";
  }

  /** Who a remembered answer, which names no one, is about here: who has the image, or the identity. */
  #bearerOf({ id, status }: CheckResult): readonly [text: string, source: Source | undefined] | undefined {
    const { identity, puller } = this.#chain.facts;
    if (id === "image-parses" && status === "fail")
      return puller.workload
        ? [puller.workload.title, puller.workload.source]
        : puller.account && [`ServiceAccount ${puller.key}`, puller.account.source];
    return identity && OF_IDENTITY.includes(id) && status !== "skipped"
      ? [identity.label ?? "the identity", identity.source]
      : undefined;
  }

  get #besides(): Fallback {
    const { facts, failed } = this.#chain;
    const isCertain = (): boolean => this.#chain.checks.every(({ status }) => status !== "unknown");
    return (this.#fallback ??= fallbackOf(facts, failed, isCertain));
  }
}

/** True if nodes have entries for the image and none of these asks for tokens: they pull as nodes always did. */
function asksNoTokens({ artefacts: { nodes }, image: { repository } }: PullFacts): boolean {
  const entries = nodes.flatMap((node) => (repository ? matchingEntries(node, repository) : []));
  return entries.length > 0 && entries.every(({ tokenAttributes }) => !tokenAttributes);
}

/** Judges pulls, each fact once. */
export class Pulls {
  readonly #runner = new Runner(TABLE, ["puller", "identity", "trust"]);
  readonly #pluginOf: PluginOf;
  readonly #readByAll: ReadByAll;

  constructor(pluginOf: PluginOf, readByAll: ReadByAll) {
    this.#pluginOf = pluginOf;
    this.#readByAll = readByAll;
  }

  /** The best chain on each pool's nodes, and the worst of these, since a pod may run on any. */
  judge(artefacts: ClusterArtefacts, puller: Puller, image: AskedImage): JudgedPull {
    const chain = this.#runner.run({
      artefacts,
      pluginOf: this.#pluginOf,
      readByAll: this.#readByAll,
      origin: puller.origin,
      puller,
      image,
      host: image.repository?.host ?? "",
      node: undefined,
      entry: undefined,
      cloud: undefined,
      identity: undefined,
      trust: undefined,
      rights: undefined,
    });
    return new JudgedPull(chain);
  }

  /** The identities for which a service account's tokens are exchanged, by each entry of each pool. */
  identities(artefacts: ClusterArtefacts, puller: Puller): readonly PullIdentity[] {
    return artefacts.nodes.flatMap((node) =>
      node.entries.flatMap((entry) => {
        const cloud = this.#pluginOf(entry, artefacts.cluster);
        const question = pullQuestion({ artefacts, node, entry, cloud, puller });
        return cloud && question ? [cloud.puller(question)] : [];
      }),
    );
  }
}

/** True if the identity certainly refuses the service account's token. */
export function refusesToken({ issuer, audience, subject }: PullIdentity["trust"]): boolean {
  return [issuer, audience, subject].some(({ status }) => status === "fail");
}

/** What an identity may read with the token: nothing if its trust refuses the token, or the registry its login. */
export function reachOf(
  { trust, rights }: PullIdentity,
  isAsked: IsAsked = () => true,
): readonly ReachedRepositories[] {
  if (refusesToken(trust)) return [];
  return rights.reach(isAsked).filter((each) => {
    const [host = ""] = each.pattern.split("/", 1);
    return isAsked(each) && (!each.comparable || rights.login(host).status !== "fail");
  });
}

/** How an identity without a label is called. */
export const NOT_KNOWN = "an identity that is not known";

/** Whether declared images cover repositories, as far as these can be compared. */
export function isDeclared(
  { pattern, comparable }: ReachedRepositories,
  declared: readonly string[],
): boolean {
  const isWithin = (image: string): boolean =>
    pattern === image || (image.endsWith("*") && pattern.startsWith(image.slice(0, -1)));
  return comparable && declared.some(isWithin);
}

type NamedLink = Pick<Link<PullFacts>, "id" | "question">;

/** The links in order, `otherwise` last. */
export const PULL_LINKS: readonly NamedLink[] = [
  ...TABLE.filter((step) => "run" in step),
  {
    id: "otherwise",
    question: "What happens when a link is broken: a pull secret, the node's identity, or an anonymous pull?",
  },
];
