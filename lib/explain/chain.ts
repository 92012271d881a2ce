/*
 * Walks the links of one pull after the other. What depends on less than the whole question is judged once: entries
 * per image, trust per service account, permissions per identity and repository.
 */

import type { Answer } from "./answer";
import { type Evidence, seen } from "./answer";
import type { CheckId, CheckResult, PullCheck, PullContext } from "./checks/check";
import { accountChecks, nodeChecks, permissionChecks } from "./checks/checks";
import { repositoryOf } from "./checks/image-parses";
import { insteadOf, otherwise } from "./checks/otherwise";
import { matchingEntries } from "./checks/provider-matches-image";
import type { Cloud, CloudIdentity, PermissionAnswer, Repository } from "./clouds/cloud";
import type { Clouds } from "./clouds/clouds";
import type { NodeConfiguration, ProviderEntry } from "./facts/node-configuration";
import type { PullQuestion } from "./questions";
import { type Verdict, compareVerdicts, verdictOf } from "./verdict";

/** The chain of one pull by one entry on the nodes of one pool. */
export interface Chain {
  /** The links in order, `otherwise` last. */
  readonly checks: readonly CheckResult[];
  /** What follows from them. */
  readonly verdict: Verdict;
  /** As whom, or through what else; `null` where nothing would serve it, or it is not known. */
  readonly as: string | null;
}

interface Judged {
  readonly checks: readonly CheckResult[];
  readonly failed: CheckId | undefined;
  readonly identity: CloudIdentity | undefined;
}

/** Judges pulls, remembering what it has judged. */
export class Chains {
  readonly #clouds: Clouds;
  readonly #repositories = new Map<string, Repository | undefined>();
  readonly #matching = new WeakMap<NodeConfiguration, Map<string, readonly ProviderEntry[]>>();
  readonly #nodes = new Map<object, Map<string, Judged>>();
  readonly #accounts = new Map<object, Map<string, Judged>>();
  readonly #permissions = new Map<Cloud, Map<string, Map<string, PermissionAnswer>>>();

  constructor(clouds: Clouds) {
    this.#clouds = clouds;
  }

  /** The best chain on each pool's nodes, and of these the worst: a pod may come to any. */
  worst(question: PullQuestion): Chain {
    const { nodes } = question.artefacts;
    const pools: readonly (NodeConfiguration | undefined)[] = nodes.length > 0 ? nodes : [undefined];
    return pools
      .map((node) => this.#best(question, node))
      .reduce((worst, chain) => (compareVerdicts(chain.verdict, worst.verdict) < 0 ? chain : worst));
  }

  /** The identity that a service account's tokens become by an entry; `undefined` where that is not known. */
  identity(question: PullQuestion, node: NodeConfiguration, entry: ProviderEntry): CloudIdentity | undefined {
    const context = this.#context(question, node, entry, undefined);
    return this.#account(context).identity;
  }

  #best(question: PullQuestion, node: NodeConfiguration | undefined): Chain {
    const repository = this.#repository(question.image);
    const entries = node && repository ? this.#entries(node, repository) : [];
    const candidates: readonly (ProviderEntry | undefined)[] = entries.length > 0 ? entries : [undefined];
    return candidates
      .map((entry) => this.#chain(this.#context(question, node, entry, repository)))
      .reduce((best, chain) => (isBetter(chain, best) ? chain : best));
  }

  #chain(context: PullContext): Chain {
    const node = this.#node(context);
    if (node.failed) return ended(context, node.checks, node.failed, undefined);
    const account = this.#account(context);
    const checks = [...node.checks, ...account.checks];
    if (account.failed) return ended(context, checks, account.failed, account.identity);
    const permission = this.#permission(context, account.identity);
    const last = judge(permissionChecks, { ...context, permission });
    const placed = last.checks.map((check) => withIdentity(check, account.identity));
    return ended(context, [...checks, ...placed], last.failed, account.identity);
  }

  #node(context: PullContext): Judged {
    const key = `${context.origin}\n${context.image}`;
    return remembered(this.#nodes, context.entry ?? context.node ?? context.artefacts, key, () =>
      judge(nodeChecks, context),
    );
  }

  #account(context: PullContext): Judged {
    const { entry, artefacts, workload, namespace, name, origin } = context;
    const judged = (): Judged => {
      const trust = trustOf(context);
      return { ...judge(accountChecks, { ...context, trust }), identity: trust?.identity };
    };
    // The pod's volumes count, so that what holds for one workload need not hold for another.
    return workload
      ? judged()
      : remembered(this.#accounts, entry ?? artefacts, `${origin}\n${namespace}/${name}`, judged);
  }

  #permission(
    { cloud, repository }: PullContext,
    identity: CloudIdentity | undefined,
  ): PermissionAnswer | undefined {
    if (!cloud || !repository || !identity) return undefined;
    return remembered(inner(this.#permissions, cloud), identity.permissionKey, repository.name, () =>
      cloud.permission(identity, repository),
    );
  }

  #repository(image: string): Repository | undefined {
    if (!this.#repositories.has(image)) this.#repositories.set(image, repositoryOf(image));
    return this.#repositories.get(image);
  }

  #entries(node: NodeConfiguration, repository: Repository): readonly ProviderEntry[] {
    const known = this.#matching.get(node) ?? new Map<string, readonly ProviderEntry[]>();
    this.#matching.set(node, known);
    const found = known.get(repository.name) ?? matchingEntries(node, repository);
    known.set(repository.name, found);
    return found;
  }

  #context(
    { artefacts, namespace, name, image, origin, workload }: PullQuestion,
    node: NodeConfiguration | undefined,
    entry: ProviderEntry | undefined,
    repository: Repository | undefined,
  ): PullContext {
    return {
      artefacts,
      origin,
      image,
      repository,
      node,
      entry,
      cloud: entry && this.#clouds.ofEntry(entry),
      namespace,
      name,
      account: artefacts.serviceAccounts.get(`${namespace}/${name}`),
      workload,
      rbac: artefacts.rbac,
      trust: undefined,
      permission: undefined,
      failed: undefined,
    };
  }
}

function trustOf({
  cloud,
  entry,
  node,
  account,
  artefacts,
  namespace,
  name,
}: PullContext): PullContext["trust"] {
  if (!cloud || !entry || !node || !account) return undefined;
  return cloud.trust({ cluster: artefacts.cluster, entry, node, account, namespace, name });
}

function judge(checks: readonly PullCheck[], context: PullContext): Judged {
  let failed: CheckId | undefined;
  const results = checks.map((check): CheckResult => {
    if (failed !== undefined) return skipped(check.id, failed);
    const answer = check.run(context);
    if (answer.status === "fail") failed = check.id;
    return { id: check.id, ...answer };
  });
  return { checks: results, failed, identity: undefined };
}

const LATER: readonly CheckId[] = [...accountChecks, ...permissionChecks].map(({ id }) => id);

function ended(
  context: PullContext,
  checks: readonly CheckResult[],
  failed: CheckId | undefined,
  identity: CloudIdentity | undefined,
): Chain {
  const done = checks.length - nodeChecks.length;
  const rest = failed === undefined ? [] : LATER.slice(done).map((id) => skipped(id, failed));
  const final = { ...context, failed };
  const all = [...checks, ...rest, { id: otherwise.id, ...otherwise.run(final) }];
  const verdict = verdictOf(all, context.origin);
  const instead = verdict === "allowed" ? null : insteadOf(final);
  return { checks: all, verdict, as: failed === undefined ? (identity?.label ?? null) : instead };
}

function skipped(id: CheckId, failed: CheckId): CheckResult {
  return { id, status: "skipped", reason: `not reached: ${failed} fails`, evidence: [], remedy: "" };
}

/** What is remembered of permissions names no identity; the result does. */
function withIdentity(check: CheckResult, identity: CloudIdentity | undefined): CheckResult {
  if (!identity || check.status === "skipped") return check;
  const evidence: Evidence = seen(identity.label, identity.source);
  return { ...check, evidence: [...check.evidence, evidence] };
}

function isBetter(chain: Chain, best: Chain): boolean {
  const compared = compareVerdicts(chain.verdict, best.verdict);
  return compared > 0 || (compared === 0 && passed(chain) > passed(best));
}

function passed({ checks }: Chain): number {
  return checks.filter(({ status }: Answer) => status === "pass").length;
}

function inner<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const known = maps.get(key) ?? new Map<L, V>();
  maps.set(key, known);
  return known;
}

function remembered<K, L, V>(maps: Map<K, Map<L, V>>, outer: K, key: L, make: () => V): V {
  const known = inner(maps, outer);
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
