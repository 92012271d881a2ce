/*
 * Walks the links of one pull after the other. What depends on less than the whole question is judged once: entries
 * per image, trust per service account, permissions per identity and repository. A verdict then costs three look-ups;
 * the list of checks is put together only when somebody reads it.
 */

import { seen } from "./answer";
import type { CheckId, CheckResult, PullCheck, PullContext } from "./checks/check";
import { accountChecks, nodeChecks, permissionChecks } from "./checks/checks";
import { repositoryOf } from "./checks/image-parses";
import { insteadOf, otherwise } from "./checks/otherwise";
import { matchingEntries } from "./checks/provider-matches-image";
import type { Cloud, CloudIdentity, Repository } from "./clouds/cloud";
import type { Clouds } from "./clouds/clouds";
import type { ClusterArtefacts } from "./facts/facts";
import type { NodeConfiguration, ProviderEntry } from "./facts/node-configuration";
import { Memory, inner } from "./memory";
import type { PullQuestion } from "./questions";
import { type Verdict, compareVerdicts, verdictOf } from "./verdict";

/** Some links, judged. */
interface Judged {
  readonly checks: readonly CheckResult[];
  /** The first broken link. */
  readonly failed: CheckId | undefined;
  /** True where a link cannot be told. */
  readonly open: boolean;
}

/** The links from the image to the plugin. */
interface NodeStage extends Judged {
  readonly node: NodeConfiguration | undefined;
  readonly entry: ProviderEntry | undefined;
  readonly cloud: Cloud | undefined;
  readonly repository: Repository | undefined;
  readonly accounts: Map<string, AccountStage>;
}

/** The links from the service account to the cloud. */
interface AccountStage extends Judged {
  readonly identity: CloudIdentity | undefined;
  /** By repository; shared by identities of equal permissions. */
  readonly permissions: Map<string, Judged>;
}

/** The chain of one pull by one entry on the nodes of one pool. */
export interface Chain {
  /** What follows from the links. */
  readonly verdict: Verdict;
  /** As whom, or through what else; `null` where nothing would serve it, or it is not known. */
  readonly as: string | null;
  /** The links in order, `otherwise` last. */
  readonly checks: () => readonly CheckResult[];
}

/** Judges pulls, remembering what it has judged. */
export class Chains {
  readonly #clouds: Clouds;
  /** By cluster and origin, then by image: the pools, and in each the entries that match. */
  readonly #stages = new Memory<ClusterArtefacts, string, Map<string, readonly (readonly NodeStage[])[]>>();
  /** Accounts by entry, so that images of one registry share them. */
  readonly #accounts = new Map<object, Map<string, AccountStage>>();
  readonly #permissions = new Memory<Cloud, string, Map<string, Judged>>();

  constructor(clouds: Clouds) {
    this.#clouds = clouds;
  }

  /** The best chain on each pool's nodes, and of these the worst: a pod may come to any. */
  worst(question: PullQuestion): Chain {
    let worst: Chain | undefined;
    for (const stages of this.#pools(question)) {
      const best = this.#best(question, stages);
      if (!worst || compareVerdicts(best.verdict, worst.verdict) < 0) worst = best;
    }
    return worst ?? NOTHING;
  }

  /** The identity that a service account's tokens become by an entry; `undefined` where that is not known. */
  identity(question: PullQuestion, node: NodeConfiguration, entry: ProviderEntry): CloudIdentity | undefined {
    const stage = this.#judgedStage(question, node, entry, undefined);
    return this.#judgedAccount(question, stage).identity;
  }

  #best(question: PullQuestion, stages: readonly NodeStage[]): Chain {
    let best: Chain | undefined;
    for (const stage of stages) {
      const chain = this.#chain(question, stage);
      if (!best || isBetter(chain, best)) best = chain;
    }
    return best ?? NOTHING;
  }

  #chain(question: PullQuestion, stage: NodeStage): Chain {
    if (stage.failed) return brokenChain(question, stage, [stage], stage.failed);
    const account = this.#account(question, stage);
    if (account.failed) return brokenChain(question, stage, [stage, account], account.failed);
    const permission = this.#permission(question, stage, account);
    const judged = [stage, account, permission];
    if (permission.failed) return brokenChain(question, stage, judged, permission.failed, account.identity);
    const { identity } = account;
    const verdict = stage.open || account.open || permission.open ? "unknown" : "allowed";
    const checks = (): readonly CheckResult[] => allChecks(question, stage, judged, undefined, identity);
    return { verdict, as: identity?.label ?? null, checks };
  }

  #pools(question: PullQuestion): readonly (readonly NodeStage[])[] {
    const { artefacts, origin, image } = question;
    const images = this.#stages.get(
      artefacts,
      origin,
      () => new Map<string, readonly (readonly NodeStage[])[]>(),
    );
    const known = images.get(image);
    if (known) return known;
    const repository = repositoryOf(image);
    const nodes: readonly (NodeConfiguration | undefined)[] =
      artefacts.nodes.length > 0 ? artefacts.nodes : [undefined];
    const made = nodes.map((node) => {
      const entries = node && repository ? matchingEntries(node, repository) : [];
      const candidates: readonly (ProviderEntry | undefined)[] = entries.length > 0 ? entries : [undefined];
      return candidates.map((entry) => this.#judgedStage(question, node, entry, repository));
    });
    images.set(image, made);
    return made;
  }

  #judgedStage(
    question: PullQuestion,
    node: NodeConfiguration | undefined,
    entry: ProviderEntry | undefined,
    repository: Repository | undefined,
  ): NodeStage {
    const cloud = entry && this.#clouds.ofEntry(entry);
    const accounts = inner(this.#accounts, entry ?? question.artefacts);
    const place = { node, entry, cloud, repository, accounts };
    return { ...place, ...judge(nodeChecks, contextOf(question, place)) };
  }

  #account(question: PullQuestion, stage: NodeStage): AccountStage {
    const { workload, artefacts, account } = question;
    // The pod's volumes count, so that what holds for one workload need not hold for another; and of a service account
    // that was not read the answer depends on who asks.
    if (workload || !artefacts.serviceAccounts.has(account)) return this.#judgedAccount(question, stage);
    const known = stage.accounts.get(account);
    if (known) return known;
    const made = this.#judgedAccount(question, stage);
    stage.accounts.set(account, made);
    return made;
  }

  #judgedAccount(question: PullQuestion, stage: NodeStage): AccountStage {
    const context = contextOf(question, stage);
    const { cloud, entry, node, account, artefacts, namespace, name } = context;
    const trust =
      cloud && entry && node && account
        ? cloud.trust({ cluster: artefacts.cluster, entry, node, account, namespace, name })
        : undefined;
    const identity = trust?.identity;
    const permissions =
      cloud && identity
        ? this.#permissions.get(cloud, identity.permissionKey, () => new Map<string, Judged>())
        : new Map<string, Judged>();
    return { ...judge(accountChecks, { ...context, trust }), identity, permissions };
  }

  #permission(question: PullQuestion, stage: NodeStage, { identity, permissions }: AccountStage): Judged {
    const { cloud, repository } = stage;
    const key = repository?.name ?? "";
    const known = permissions.get(key);
    if (known) return known;
    const permission = cloud && repository && identity ? cloud.permission(identity, repository) : undefined;
    const made = judge(permissionChecks, { ...contextOf(question, stage), permission });
    permissions.set(key, made);
    return made;
  }
}

/** A cluster without pools does not occur; nothing judged is nothing known. */
const NOTHING: Chain = { verdict: "unknown", as: null, checks: () => [] };

function judge(checks: readonly PullCheck[], context: PullContext): Judged {
  let failed: CheckId | undefined;
  const results = checks.map((check): CheckResult => {
    if (failed !== undefined) return skipped(check.id, failed);
    const answer = check.run(context);
    if (answer.status === "fail") failed = check.id;
    return { id: check.id, ...answer };
  });
  return { checks: results, failed, open: results.some(({ status }) => status === "unknown") };
}

function brokenChain(
  question: PullQuestion,
  stage: NodeStage,
  judged: readonly Judged[],
  failed: CheckId,
  identity?: CloudIdentity,
): Chain {
  const checks = (): readonly CheckResult[] => allChecks(question, stage, judged, failed, identity);
  // Only for a workload can another way than the chain change the verdict.
  const verdict = question.origin === "workload" ? verdictOf(checks(), question.origin) : "denied";
  return { verdict, as: insteadOf({ ...contextOf(question, stage), failed }), checks };
}

const LATER: readonly CheckId[] = [...accountChecks, ...permissionChecks].map(({ id }) => id);

function allChecks(
  question: PullQuestion,
  stage: NodeStage,
  judged: readonly Judged[],
  failed: CheckId | undefined,
  identity: CloudIdentity | undefined,
): readonly CheckResult[] {
  const done = judged.flatMap(({ checks }) => checks);
  const rest =
    failed === undefined ? [] : LATER.slice(done.length - nodeChecks.length).map((id) => skipped(id, failed));
  const last = otherwise.run({ ...contextOf(question, stage), failed });
  const chain = [...done, ...rest].map((check) => withIdentity(check, identity));
  return [...chain, { id: otherwise.id, ...last }];
}

function skipped(id: CheckId, failed: CheckId): CheckResult {
  return { id, status: "skipped", reason: `not reached: ${failed} fails`, evidence: [], remedy: "" };
}

const OF_IDENTITY: readonly CheckId[] = permissionChecks.map(({ id }) => id);

/** What is remembered of permissions names no identity; the result does. */
function withIdentity(check: CheckResult, identity: CloudIdentity | undefined): CheckResult {
  if (!identity || check.status === "skipped" || !OF_IDENTITY.includes(check.id)) return check;
  return { ...check, evidence: [...check.evidence, seen(identity.label, identity.source)] };
}

function contextOf(
  { artefacts, origin, image, namespace, name, account, workload }: PullQuestion,
  { node, entry, cloud, repository }: Pick<NodeStage, "node" | "entry" | "cloud" | "repository">,
): PullContext {
  return {
    artefacts,
    origin,
    image,
    repository,
    node,
    entry,
    cloud,
    namespace,
    name,
    account: artefacts.serviceAccounts.get(account),
    workload,
    rbac: artefacts.rbac,
    trust: undefined,
    permission: undefined,
    failed: undefined,
  };
}

function isBetter(chain: Chain, best: Chain): boolean {
  const compared = compareVerdicts(chain.verdict, best.verdict);
  return compared > 0 || (compared === 0 && passed(chain) > passed(best));
}

function passed({ checks }: Chain): number {
  return checks().filter(({ status }) => status === "pass").length;
}
