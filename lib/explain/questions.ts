/*
 * Which pulls are explained.
 */

import { fail } from "../errors";
import { isLate } from "../model/late";
import { Subject } from "../model/subject";
import type { Origin } from "./checks/check";
import type { ClusterArtefacts, Facts } from "./facts/facts";
import { type WorkloadFact, isPartial } from "./facts/workload-facts";
import { PullSelection } from "./selections";

/** Who pulls, and why it is asked; shared by all images. */
export interface Puller {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** The service account, `namespace/name`. */
  readonly account: string;
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
  /** Why it is asked. */
  readonly origin: Origin;
  /** The workload that has the image; `undefined` where none is meant. */
  readonly workload: WorkloadFact | undefined;
}

/** One pull. */
export interface PullQuestion {
  /** Who pulls. */
  readonly puller: Puller;
  /** The image. */
  readonly image: string;
  /** What is shown: the image, or the declared pattern that it is an example of. */
  readonly target: string;
  /** True where the kubelet never pulls it, by `imagePullPolicy`. */
  readonly neverPulled: boolean;
}

/** Stands for `*` in a declared pattern. */
const EXAMPLE = "any";

/**
 * The pulls that are asked about, those of one puller at a time, clusters and declarations in their order.
 *
 * Throws `explain-stack-unknown`, `explain-late-value`, or what `Subject.of` throws.
 */
export function* pullQuestions(facts: Facts, selection: PullSelection): Generator<readonly PullQuestion[]> {
  const { serviceAccount, image } = selection;
  if (isLate(image)) fail("explain-late-value", "what is asked about", String(image));
  const subject = selectedAccount(serviceAccount);
  for (const artefacts of selectedClusters(facts, selection.stack)) {
    if (image !== undefined) {
      const accounts = subject === undefined ? artefacts.serviceAccounts.keys() : [subject];
      for (const account of accounts)
        yield [{ puller: pullerOf(artefacts, account, "asked"), image, target: image, neverPulled: false }];
      continue;
    }
    if (selection.origin !== "workload") yield* declaredQuestions(artefacts, subject);
    if (selection.origin !== "declared") yield* workloadQuestions(artefacts, subject);
  }
}

/** The service account that is asked about; throws `explain-late-value`, or what `Subject.of` throws. */
export function selectedAccount(serviceAccount: string | undefined): string | undefined {
  if (isLate(serviceAccount)) fail("explain-late-value", "what is asked about", String(serviceAccount));
  return serviceAccount === undefined ? undefined : Subject.of(serviceAccount).key;
}

/** The clusters of the named stack, or all; throws `explain-stack-unknown`. */
export function selectedClusters(
  { clusters }: Facts,
  stack: string | undefined,
): readonly ClusterArtefacts[] {
  if (stack === undefined) return clusters;
  const named = clusters.filter((cluster) => cluster.stack === stack);
  const known = clusters.map((cluster) => cluster.stack).filter((name) => name !== "");
  return named.length > 0 ? named : fail("explain-stack-unknown", stack, known);
}

function* declaredQuestions(
  artefacts: ClusterArtefacts,
  subject: string | undefined,
): Generator<readonly PullQuestion[]> {
  const examples = new Map<string, string>();
  for (const { serviceAccount, images } of artefacts.cluster.pulls ?? []) {
    if (subject !== undefined && serviceAccount !== subject) continue;
    const puller = pullerOf(artefacts, serviceAccount, "declared");
    yield images.map((target) => {
      const image = target.includes("*") ? exampleOf(target, examples) : target;
      return { puller, image, target, neverPulled: false };
    });
  }
}

/** An image of a declared pattern; one text for all who declare it. */
function exampleOf(pattern: string, examples: Map<string, string>): string {
  const known = examples.get(pattern);
  if (known !== undefined) return known;
  const made = pattern.replaceAll("*", EXAMPLE);
  examples.set(pattern, made);
  return made;
}

function* workloadQuestions(
  artefacts: ClusterArtefacts,
  subject: string | undefined,
): Generator<readonly PullQuestion[]> {
  if (isFleetAlone(artefacts)) return;
  const own = statusWriters(artefacts);
  for (const workload of artefacts.workloads) {
    const account = `${workload.namespace}/${workload.serviceAccount}`;
    if ((subject !== undefined && account !== subject) || isPartial(workload) || own.has(account)) continue;
    const puller = { ...pullerOf(artefacts, account, "workload"), workload };
    yield workload.images.map(({ image, pullPolicy }) => ({
      puller,
      image,
      target: image,
      neverPulled: pullPolicy === "Never",
    }));
  }
}

/** Accounts of the fleet's own Jobs for which nobody declares a pull: theirs is a public image. */
function statusWriters({ cluster }: ClusterArtefacts): ReadonlySet<string> {
  const own = new Set(cluster.fleet?.statusWriters);
  for (const { serviceAccount } of own.size > 0 ? (cluster.pulls ?? []) : []) own.delete(serviceAccount);
  return own;
}

/** Where only a fleet is declared, and no node has a plugin, nobody wants to know of the images of its controllers. */
function isFleetAlone({ cluster, nodes }: ClusterArtefacts): boolean {
  return cluster.fleet !== undefined && cluster.pulls === undefined && nodes.length === 0;
}

/** A puller without workload. */
export function pullerOf(artefacts: ClusterArtefacts, account: string, origin: Origin): Puller {
  const slash = account.indexOf("/");
  return {
    artefacts,
    account,
    namespace: account.slice(0, slash),
    name: account.slice(slash + 1),
    origin,
    workload: undefined,
  };
}
