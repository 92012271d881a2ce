/*
 * Image pulls: the links in the order in which the kubelet, the plugin and the cloud come to them.
 */

import { type Known, unread } from "../../model/known";
import { type Answer, type CheckResult, badness, broken, pass, seen, unknown } from "../answer";
import type { AskedImage } from "../asked-image";
import type { CheckId } from "../check-ids";
import type { PluginCloud, PullIdentity } from "../cloud";
import type { ClusterArtefacts } from "../read/facts";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import type { WorkloadFact } from "../read/pods";
import type { ServiceAccountFact } from "../read/service-accounts";
import { type Chain, type Link, Runner, type Step, stepsOf } from "../run";
import type { Verdict } from "../verdict";
import { type Fallback, fallbackOf, refusedBySecret } from "./fallback";
import { entryMatched, matchingEntries } from "./image-match";
import { pluginOnNode } from "./plugin-on-node";
import { accountPresent, accountReadable, audienceGranted, requiredAnnotations } from "./token-request";
import { issuerConfirmed } from "./trust";

/** Why a pull is asked about: it was declared, a caller asked, or a workload has the image. */
export type Origin = "declared" | "asked" | "workload";

/** Who pulls, and why it is asked; one object for all images. */
export interface Puller {
  /** The service account, `namespace/name`. */
  readonly key: string;
  /** The service account; `undefined` where it was not read. */
  readonly account: ServiceAccountFact | undefined;
  /** Why it is asked. */
  readonly origin: Origin;
  /** The workload that has the image; `undefined` where none is meant. */
  readonly workload: WorkloadFact | undefined;
}

/** What the links of a pull look at. */
export interface PullFacts {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** Finds the plugin of an entry; the same for all pulls. */
  readonly pluginOf: PluginOf;
  /** Why it is asked. */
  readonly origin: Origin;
  /** Who pulls. */
  readonly puller: Puller;
  /** The image, or all images of a pattern. */
  readonly image: AskedImage;
  /** The registry's host; empty where the image does not parse. */
  readonly host: string;
  /** The nodes of one pool; `undefined` where none were read. */
  readonly node: NodeConfiguration | undefined;
  /** The entry; `undefined` where none matches. */
  readonly entry: ProviderEntry | undefined;
  /** The entry's plugin; `undefined` for one that is not known. */
  readonly cloud: PluginCloud | undefined;
  /** As whom; `undefined` where that cannot be told. */
  readonly identity: PullIdentity | undefined;
  /** What that identity may do; `undefined` where it is not known. */
  readonly rights: PullIdentity["rights"] | undefined;
}

/** The plugins by entry, as the clouds know them. */
export type PluginOf = (entry: ProviderEntry) => PluginCloud | undefined;

/** The answer where a fact that must be there is not. */
function missing(what: string): Answer {
  return unknown(`${what} is not known`, "see the checks before");
}

const SHOWN = 300;

const { link, derived, fork } = stepsOf<PullFacts>();

/** The table of links; `otherwise` follows them. */
const TABLE: readonly Step<PullFacts>[] = [
  link({
    id: "image-parses",
    question: "Does the kubelet accept the image's name?",
    why: "It looks up credentials for the repository that it reads from the name; for another name it pulls nothing.",
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
    per: ["pluginOf", "entry"],
    of: ({ pluginOf, entry }) => entry && pluginOf(entry),
  }),
  link({
    id: "provider-matches-image",
    question: "Does an entry of the nodes' CredentialProviderConfig match the image?",
    why: "Without a match no plugin is asked, nothing is logged, and the image is pulled anonymously.",
    per: ["artefacts", "origin", "node", "entry", "image"],
    run: ({ artefacts, origin, node, entry, image }) =>
      entryMatched({ artefacts, isOfWorkload: origin === "workload", node, entry, image }),
  }),
  link({
    id: "provider-on-node",
    question: "Does the kubelet take the file, and does the plugin use service account tokens?",
    why: "A refused file stops the kubelet; a plugin that is too old silently uses the node's identity.",
    per: ["artefacts", "node", "entry", "cloud", "host"],
    run: ({ artefacts, node, entry, cloud, host }) =>
      node && entry ? pluginOnNode({ artefacts, node, entry, cloud, host }) : missing("the entry"),
  }),
  link({
    id: "service-account-present",
    question: "Is the service account among the objects of the cluster?",
    why: "The token is the service account's, and the plugin learns from its annotations whom to become.",
    per: ["artefacts", "entry", "puller"],
    run: ({ artefacts, entry, puller }) => accountPresent(accountQuestion(artefacts, entry, puller)),
  }),
  link({
    id: "service-account-readable",
    question: "May the kubelet get the service account?",
    why: "It reads the annotations live before each token; older API servers do not let nodes do that by themselves.",
    per: ["artefacts", "entry", "puller"],
    run: ({ artefacts, puller }) => accountReadable(artefacts, puller.key),
  }),
  link({
    id: "annotations-present",
    question: "Does the service account have the annotations that kubelet and plugin need?",
    why: "Without a required key the kubelet skips the plugin and logs nothing; without its role the plugin fails or falls back.",
    per: ["artefacts", "node", "entry", "cloud", "puller"],
    run: annotationsPresent,
  }),
  link({
    id: "audience-granted",
    question: "May the node request a token of the service account for the audience?",
    why: "From 1.33 on the API server gives a node only audiences that the pod references or that RBAC grants it.",
    per: ["artefacts", "node", "entry", "cloud", "puller"],
    run: ({ artefacts, entry, puller: { key, workload } }) =>
      entry?.tokenAttributes
        ? audienceGranted({ artefacts, key, workload }, entry.tokenAttributes.audience)
        : missing("the audience"),
  }),
  derived({
    adds: "identity",
    per: ["artefacts", "node", "entry", "cloud", "puller"],
    of: (facts) => {
      const question = pullQuestion(facts);
      return question && facts.cloud?.puller(question);
    },
  }),
  link({
    id: "issuer-trusted",
    question: "Does the cloud trust the issuer of the cluster's tokens?",
    why: "Clouds compare it exactly; a slash at the end or another host makes it a stranger.",
    per: ["artefacts", "identity"],
    run: ({ artefacts, identity }) =>
      identity ? issuerConfirmed(identity.trust.issuer, artefacts) : missing("the cloud"),
  }),
  link({
    id: "audience-accepted",
    question: "Does the cloud accept the audience of the token?",
    why: "A token for another audience is refused, whoever signed it.",
    per: ["artefacts", "identity"],
    run: ({ identity }) => identity?.trust.audience ?? missing("the cloud"),
  }),
  link({
    id: "subject-admitted",
    question: "Does the cloud admit the service account?",
    why: "The subject is compared exactly, with namespace and name.",
    per: ["artefacts", "identity"],
    run: ({ identity }) => identity?.trust.subject ?? missing("the cloud"),
  }),
  derived({ adds: "rights", per: ["identity"], of: ({ identity }) => identity?.rights }),
  link({
    id: "login-permitted",
    question: "May the identity log in at the registry?",
    why: "A login comes before every pull, and is a permission of its own.",
    per: ["rights", "host"],
    run: ({ rights, host }) => rights?.login(host) ?? missing("the identity"),
  }),
  link({
    id: "repository-permitted",
    question: "May the identity read the repository?",
    why: "The registry answers 403, or 401 for what it does not want to name.",
    per: ["rights", "image"],
    run: ({ rights, image: { repository } }) =>
      (repository && rights?.repository(repository)) ?? missing("the identity"),
  }),
];

function imageParses({ text, repository, problem }: AskedImage): Answer {
  if (repository) return pass(`the kubelet looks up ${repository.name}`);
  if (problem === "")
    return unknown(`the image ${text} is known only after apply`, "explain the manifests that bind wrote");
  return broken(
    problem,
    "write the image as `podman pull` accepts it",
    `InvalidImageName: Failed to apply default image tag "${text.slice(0, SHOWN)}": ${problem.split(": ").slice(1).join(": ")}`,
  );
}

function accountQuestion(
  artefacts: ClusterArtefacts,
  entry: ProviderEntry | undefined,
  { key, account, workload, origin }: Puller,
): Parameters<typeof accountPresent>[0] {
  // Where no service account was read at all, or a workload is another team's, it may be written elsewhere.
  const mayBeElsewhere =
    origin === "workload" || (origin === "asked" && artefacts.serviceAccounts.size === 0);
  return { artefacts, key, account, workload, entry, mayBeElsewhere };
}

type AccountFacts = Pick<PullFacts, "artefacts" | "node" | "entry" | "cloud" | "puller">;

function annotationsPresent(facts: AccountFacts): Answer {
  const { entry, cloud, puller } = facts;
  const question = pullQuestion(facts);
  if (!entry || !puller.account || !question) return missing("the service account or the entry");
  const required = requiredAnnotations(entry, puller.account);
  if (badness(required) > 0) return required;
  return cloud?.annotations(question) ?? missing("the plugin");
}

function pullQuestion({
  artefacts,
  node,
  entry,
  puller,
}: AccountFacts): Parameters<PluginCloud["puller"]>[0] | undefined {
  const { account, key } = puller;
  if (!account || !entry || !node) return undefined;
  const slash = key.indexOf("/");
  const audience: Known<string> = entry.tokenAttributes?.audience ?? unread("the entry has no audience");
  return {
    cluster: artefacts.cluster,
    token: {
      // What is recorded; Authentication/cluster is compared with it once the cloud trusts it.
      issuer: artefacts.cluster.issuer ?? artefacts.issuer,
      audience,
      namespace: key.slice(0, slash),
      name: key.slice(slash + 1),
    },
    entry,
    node,
    account,
  };
}

/** A pull that was judged: the chain that counts, and what happens besides it. */
export class JudgedPull {
  /** What the verifier says. */
  readonly verdict: Verdict;
  readonly #chain: Chain<PullFacts>;
  #fallback: Fallback | undefined;

  constructor(chain: Chain<PullFacts>) {
    this.#chain = chain;
    this.verdict = this.#verdict();
  }

  /** As whom, or through what else; `null` where nothing would serve it, or it is not known. */
  get as(): string | null {
    const { facts, failed } = this.#chain;
    if (failed !== undefined) return this.#besides.as;
    return this.#isRefused ? null : (facts.identity?.label ?? null);
  }

  /** The links in order, `otherwise` last. */
  get checks(): readonly CheckResult[] {
    const { identity } = this.#chain.facts;
    const links = this.#chain.checks.map((check) =>
      identity && OF_IDENTITY.includes(check.id) && check.status !== "skipped"
        ? { ...check, evidence: [...check.evidence, seen(identity.label ?? "the identity", identity.source)] }
        : check,
    );
    return [...links, { id: "otherwise", ...this.#besides.answer }];
  }

  #verdict(): Verdict {
    const { failed, verdict, facts } = this.#chain;
    if (failed === undefined) return verdict !== "denied" && this.#isRefused ? "denied" : verdict;
    // Only for an image that merely stands in a workload another way than the chain leaves it open.
    return facts.origin === "workload" && this.#besides.answer.status === "unknown" ? "unknown" : "denied";
  }

  get #isRefused(): boolean {
    const { artefacts, puller } = this.#chain.facts;
    return refusedBySecret({ artefacts, ...puller });
  }

  get #besides(): Fallback {
    const { facts, failed } = this.#chain;
    const { artefacts, puller, image, node, entry, cloud } = facts;
    return (this.#fallback ??= fallbackOf({
      artefacts,
      ...puller,
      repository: image.repository,
      node,
      entry,
      cloud,
      failed,
    }));
  }
}

/** What is remembered of permissions names no identity; the result does. */
const OF_IDENTITY: readonly CheckId[] = ["login-permitted", "repository-permitted"];

/** Judges pulls, each fact once. */
export class Pulls {
  readonly #runner = new Runner(TABLE);
  readonly #pluginOf: PluginOf;

  constructor(pluginOf: PluginOf) {
    this.#pluginOf = pluginOf;
  }

  /** The best chain on each pool's nodes, and of these the worst: a pod may come to any. */
  judge(artefacts: ClusterArtefacts, puller: Puller, image: AskedImage): JudgedPull {
    return new JudgedPull(
      this.#runner.run({
        artefacts,
        pluginOf: this.#pluginOf,
        origin: puller.origin,
        puller,
        image,
        host: image.repository?.host ?? "",
        node: undefined,
        entry: undefined,
        cloud: undefined,
        identity: undefined,
        rights: undefined,
      }),
    );
  }

  /** The identities that a service account's tokens become, by each entry of each pool. */
  identities(artefacts: ClusterArtefacts, puller: Puller): readonly PullIdentity[] {
    return artefacts.nodes.flatMap((node) =>
      node.entries.flatMap((entry) => {
        const cloud = this.#pluginOf(entry);
        const question = pullQuestion({ artefacts, node, entry, cloud, puller });
        return cloud && question ? [cloud.puller(question)] : [];
      }),
    );
  }
}

const OTHERWISE: NamedLink = {
  id: "otherwise",
  question: "What happens when a link is broken: a pull secret, the node's identity, or an anonymous pull?",
  why: "A pull that works through the node's identity looks like success and is none.",
};

type NamedLink = Pick<Link<PullFacts>, "id" | "question" | "why">;

/** The links in order, `otherwise` last. */
export const PULL_LINKS: readonly NamedLink[] = [...TABLE.filter((step) => "run" in step), OTHERWISE];
