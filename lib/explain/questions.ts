/*
 * Which pulls are explained.
 */

import { fail } from "../errors";
import { isLate } from "../model/late";
import { Subject } from "../model/subject";
import type { Origin } from "./checks/check";
import type { ClusterArtefacts, Facts } from "./facts/facts";
import type { WorkloadFact } from "./facts/workload-facts";

/** What to explain; everything that was declared or stands in a workload where nothing is chosen. */
export interface PullSelection {
  /**
   * `namespace/name`.
   *
   * @defaultValue - every service account
   */
  readonly serviceAccount?: string;
  /**
   * An image as a pod names it.
   *
   * @defaultValue - the declared images and those of workloads
   */
  readonly image?: string;
  /**
   * Name of a stack.
   *
   * @defaultValue - every stack
   */
  readonly stack?: string;
}

/** One pull. */
export interface PullQuestion {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** The service account, `namespace/name`. */
  readonly account: string;
  /** Namespace of the service account. */
  readonly namespace: string;
  /** Name of the service account. */
  readonly name: string;
  /** The image. */
  readonly image: string;
  /** What is shown: the image, or the declared pattern that it is an example of. */
  readonly target: string;
  /** Why it is asked. */
  readonly origin: Origin;
  /** The workload that has the image; `undefined` where none is meant. */
  readonly workload: WorkloadFact | undefined;
  /** True where the kubelet never pulls it, by `imagePullPolicy`. */
  readonly neverPulled: boolean;
}

/** Stands for `*` in a declared pattern. */
const EXAMPLE = "any";

/**
 * The pulls that are asked about, clusters and declarations in their order.
 *
 * Throws `explain-stack-unknown`, `explain-late-value`, or what `Subject.of` throws.
 */
export function* pullQuestions(facts: Facts, selection: PullSelection): Generator<PullQuestion> {
  const { serviceAccount, image } = selection;
  if (isLate([serviceAccount, image]))
    fail("explain-late-value", "what is asked about", String(serviceAccount));
  const subject = serviceAccount === undefined ? undefined : Subject.of(serviceAccount).key;
  for (const artefacts of selectedClusters(facts, selection.stack)) {
    if (image !== undefined) {
      const accounts = subject === undefined ? artefacts.serviceAccounts.keys() : [subject];
      for (const account of accounts) yield question(artefacts, account, image, image, "asked");
      continue;
    }
    for (const pull of declaredQuestions(artefacts, subject)) yield pull;
    for (const pull of workloadQuestions(artefacts, subject)) yield pull;
  }
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
): Generator<PullQuestion> {
  const examples = new Map<string, string>();
  for (const { serviceAccount, images } of artefacts.cluster.pulls ?? []) {
    if (subject !== undefined && serviceAccount !== subject) continue;
    for (const pattern of images) {
      const example = examples.get(pattern) ?? pattern.replaceAll("*", EXAMPLE);
      examples.set(pattern, example);
      yield question(artefacts, serviceAccount, example, pattern, "declared");
    }
  }
}

function* workloadQuestions(
  artefacts: ClusterArtefacts,
  subject: string | undefined,
): Generator<PullQuestion> {
  for (const workload of artefacts.workloads) {
    const account = `${workload.namespace}/${workload.serviceAccount}`;
    if (subject !== undefined && account !== subject) continue;
    for (const { image, pullPolicy } of workload.images)
      yield {
        ...question(artefacts, account, image, image, "workload"),
        workload,
        neverPulled: pullPolicy === "Never",
      };
  }
}

function question(
  artefacts: ClusterArtefacts,
  serviceAccount: string,
  image: string,
  target: string,
  origin: Origin,
): PullQuestion {
  const slash = serviceAccount.indexOf("/");
  const namespace = serviceAccount.slice(0, slash);
  const name = serviceAccount.slice(slash + 1);
  const account = serviceAccount;
  return {
    artefacts,
    account,
    namespace,
    name,
    image,
    target,
    origin,
    workload: undefined,
    neverPulled: false,
  };
}
