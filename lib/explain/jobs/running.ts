/*
 * Judges pods that run today against a configuration that is still to be applied: which of their pulls go on, and by
 * what, and which are lost. What nodes have today is known only for OpenShift, whose operator writes the file.
 */

import { once, remembered } from "../../model/once";
import { NODE_IDENTITY } from "./fallback";
import { type Answer, type CheckResult, type Evidence, broken, pass, seen, unknown } from "../answer";
import type { AskedImage, AskedRepository } from "../asked-image";
import { platformOf } from "../read/config-files";
import type { ClusterArtefacts } from "../read/clusters";
import type { NodeConfiguration } from "../read/node-configuration";
import { type ExplainResult, type Verdict, compareVerdicts } from "../result";
import { imageMatches } from "../../rules/kubelet/image-matches";
import { matchingEntries, servedByPlugin } from "./image-match";
import type { JudgedPull, Pulls } from "./pull";
import type { AskedPull, Puller } from "./pull-questions";

/** What the verifier says about the pulls of running pods. */
export interface RunningResult extends ExplainResult {
  /** Which job it belongs to. */
  readonly job: "running-pull";
}

/** What becomes of one pull on the nodes of one pool. */
interface Outcome {
  readonly verdict: Verdict;
  readonly as: string | null;
  readonly answer: Answer;
  /** The links, if they show why. */
  readonly checks: readonly CheckResult[];
}

/** Judges running pods; those with the same service account, image and outcome are one result. */
export function* runningPulls(pulls: Pulls, questions: Iterable<AskedPull>): Generator<RunningResult> {
  const groups = new Map<
    string,
    { readonly pull: AskedPull; readonly outcome: Outcome; readonly pods: Evidence[] }
  >();
  for (const pull of questions) {
    const { artefacts, puller, image, isNeverPulled } = pull;
    if (isNeverPulled || puller.workload?.hasEnded || !isConcerned(artefacts, image)) continue;
    const outcome = worstOf(pulls, artefacts, puller, image);
    const { verdict, as, answer } = outcome;
    const key = JSON.stringify([artefacts.stack, puller.key, image.text, verdict, as, answer.reason]);
    const group = remembered(groups, key, () => ({ pull, outcome, pods: [] }));
    if (puller.workload) group.pods.push(seen(puller.workload.title, puller.workload.source));
  }
  for (const { pull, outcome, pods } of groups.values()) yield resultOf(pull, outcome, pods);
}

const SHOWN = 10;

function resultOf(
  { artefacts, puller, image }: AskedPull,
  outcome: Outcome,
  pods: readonly Evidence[],
): RunningResult {
  const { verdict, as, answer, checks } = outcome;
  const more = pods.length > SHOWN ? [seen(`and ${pods.length - SHOWN} more`, undefined)] : [];
  const evidence = [...pods.slice(0, SHOWN), ...more, ...answer.evidence];
  return {
    job: "running-pull",
    stack: artefacts.stack,
    subject: puller.key,
    target: image.text,
    verdict,
    as,
    checks: [{ id: "still-pulled", ...answer, evidence }, ...checks],
  };
}

/** The operator's own patterns, which nodes have without the configuration; `undefined` if they are not known. */
function stockPatterns({ cluster }: ClusterArtefacts): readonly string[] | undefined {
  const nodes = platformOf(cluster);
  return typeof nodes === "string"
    ? undefined
    : Object.values(nodes.stockProviders).flatMap(({ matchImages }) => matchImages);
}

function hasEntry(node: NodeConfiguration, repository: AskedRepository): boolean {
  return matchingEntries(node, repository).length > 0;
}

/** Whether an entry matches the image, or may match it today; other images are pulled as before. */
function isConcerned(artefacts: ClusterArtefacts, { repository, problem }: AskedImage): boolean {
  if (!repository) return problem === "";
  if (artefacts.nodes.some((node) => hasEntry(node, repository))) return true;
  return (
    stockPatterns(artefacts)?.some((pattern) => imageMatches(pattern, repository.name)) ??
    servedByPlugin(repository.name)
  );
}

/** A pod may run on the nodes of any pool, and the pools may be at different stages. */
function worstOf(pulls: Pulls, artefacts: ClusterArtefacts, puller: Puller, image: AskedImage): Outcome {
  const pools = poolsOf(artefacts);
  return pools
    .map((pool) => outcomeOn(pool, pulls.judge(pool, puller, image), image, pools.length > 1))
    .reduce((worst, each) => (compareVerdicts(each.verdict, worst.verdict) < 0 ? each : worst));
}

/** The cluster with the nodes of only one pool, for each pool; one object each, by which answers are remembered. */
const poolsOf = once((artefacts: ClusterArtefacts): readonly ClusterArtefacts[] =>
  artefacts.nodes.length < 2 ? [artefacts] : artefacts.nodes.map((node) => ({ ...artefacts, nodes: [node] })),
);

function outcomeOn(
  artefacts: ClusterArtefacts,
  judged: JudgedPull,
  { repository }: AskedImage,
  isOneOfSeveral: boolean,
): Outcome {
  const [node] = artefacts.nodes;
  const where = isOneOfSeveral && node ? `on the nodes ${node.name}: ` : "";
  const { checks, failed, serves, verdict } = judged;
  if (failed === "provider-matches-image" && node && repository && !hasEntry(node, repository))
    return withoutEntry(artefacts, judged, repository, where);
  if (failed === undefined && verdict === "allowed")
    return { verdict, as: judged.as, answer: pass(`${where}every link holds`), checks };
  // If the nodes' entries are not known, no pull is lost for certain; otherwise, links before a broken one may be open.
  const unread = checks.find(({ id, status }) => id === "provider-matches-image" && status === "unknown");
  const why =
    unread ??
    checks.find(({ status }) => status === "fail") ??
    checks.find(({ status }) => status === "unknown");
  const reason = `${where}${why?.reason ?? "every link holds"}`;
  const isMatched = checks.some(({ id, status }) => id === "provider-matches-image" && status === "pass");
  if (serves === "yes" && isMatched) {
    const answer = pass(
      `the node's identity serves it, and must keep its permissions at the registry: ${reason}`,
    );
    return { verdict: "allowed", as: NODE_IDENTITY, answer, checks: [] };
  }
  const { remedy = "", log, evidence = [] } = why ?? {};
  if (verdict === "denied" && serves !== "unknown" && !unread)
    return {
      verdict,
      as: null,
      answer: broken(`the pull is lost: ${reason}`, remedy, log, evidence),
      checks,
    };
  const otherwise = checks.at(-1);
  const besides = failed !== undefined && otherwise ? `, and ${otherwise.reason}` : "";
  const answer = unknown(`whether the pull goes on is not known: ${reason}${besides}`, remedy, evidence);
  return { verdict: "unknown", as: judged.as, answer, checks };
}

/** No entry of the pool matches, so the pull is lost if one matches today. */
function withoutEntry(
  artefacts: ClusterArtefacts,
  { checks, as }: JudgedPull,
  { name }: AskedRepository,
  where: string,
): Outcome {
  const stock = stockPatterns(artefacts);
  const pattern = stock?.find((each) => imageMatches(each, name));
  if (pattern !== undefined) {
    const reason = `${where}no entry matches, while the operator's own file, which this one replaces, has ${pattern}`;
    const answer = broken(`the pull is lost: ${reason}`, `keep ${pattern} among matchImages`, undefined);
    return { verdict: "denied", as: null, answer, checks };
  }
  if (stock !== undefined) {
    const answer = pass(`${where}no entry matches it, and the operator's own file has none for it either`);
    return { verdict: "allowed", as: null, answer, checks: [] };
  }
  const answer = unknown(
    `whether the pull goes on is not known: ${where}no entry matches, and the file that nodes have today was not read`,
    "if an entry of today's file matches the image, add a pattern for its host",
  );
  return { verdict: "unknown", as, answer, checks };
}
