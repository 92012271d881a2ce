/*
 * Which pulls are explained.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { type Known, match, shown } from "../../model/known";
import { Subject } from "../../model/subject";
import { type AskedImage, askedImage, askedPattern, lateImage } from "../asked-image";
import type { ClusterArtefacts, Facts } from "../read/facts";
import { type WorkloadFact, isPartial } from "../read/pods";
import { serviceAccountOf } from "../read/service-accounts";
import type { PullSelection } from "../selections";
import type { Origin, Puller } from "./pull";

/** One pull. */
export interface AskedPull {
  /** The cluster. */
  readonly artefacts: ClusterArtefacts;
  /** Who pulls. */
  readonly puller: Puller;
  /** The image, or the declared pattern. */
  readonly image: AskedImage;
  /** True where the kubelet never pulls it, by `imagePullPolicy`. */
  readonly isNeverPulled: boolean;
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

/** Who pulls; `key` is `namespace/name`. */
export function pullerOf(
  artefacts: ClusterArtefacts,
  key: string,
  origin: Origin,
  workload?: WorkloadFact,
): Puller {
  return { key, account: serviceAccountOf(artefacts, key), origin, workload };
}

/** Makes the questions, with one object for each image, whoever asks for it. */
export class PullQuestions {
  readonly #facts: Facts;
  readonly #images = new Map<string, AskedImage>();

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /**
   * The pulls that are asked about, clusters and declarations in their order.
   *
   * Throws `explain-stack-unknown`, `explain-late-value`, or what `Subject.of` throws.
   */
  *of({ serviceAccount, image, stack, origin }: PullSelection): Generator<AskedPull> {
    if (isLate(image)) fail("explain-late-value", "what is asked about", String(image));
    const subject = selectedAccount(serviceAccount);
    for (const artefacts of selectedClusters(this.#facts, stack)) {
      if (image !== undefined) {
        const keys = subject === undefined ? artefacts.serviceAccounts.keys() : [subject];
        for (const key of keys) yield pulled(artefacts, pullerOf(artefacts, key, "asked"), this.image(image));
        continue;
      }
      if (origin !== "workload") yield* this.#declared(artefacts, subject);
      if (origin !== "declared") yield* this.#ofWorkloads(artefacts, subject);
    }
  }

  /** The image of a text. */
  image(text: string): AskedImage {
    return this.#known(text, askedImage);
  }

  *#declared(artefacts: ClusterArtefacts, subject: string | undefined): Generator<AskedPull> {
    for (const { serviceAccount, images } of artefacts.cluster.pulls ?? []) {
      if (subject !== undefined && serviceAccount !== subject) continue;
      const puller = pullerOf(artefacts, serviceAccount, "declared");
      for (const image of images) {
        yield pulled(artefacts, puller, this.#opened(image, askedPattern));
      }
    }
  }

  *#ofWorkloads(artefacts: ClusterArtefacts, subject: string | undefined): Generator<AskedPull> {
    if (isFleetAlone(artefacts)) return;
    const own = statusWriters(artefacts);
    for (const workload of artefacts.workloads) {
      const key = `${workload.namespace}/${workload.serviceAccount}`;
      if ((subject !== undefined && key !== subject) || isPartial(workload) || own.has(key)) continue;
      const puller = pullerOf(artefacts, key, "workload", workload);
      for (const { image, pullPolicy } of workload.images)
        yield pulled(artefacts, puller, this.#opened(image, askedImage), pullPolicy === "Never");
    }
  }

  #opened(image: Known<string>, make: (text: string) => AskedImage): AskedImage {
    return match(
      image,
      (text) => this.#known(text, make),
      () => this.#known(shown(image), lateImage),
    );
  }

  /** A text that was asked about as an image and as a pattern is two questions. */
  #known(text: string, make: (text: string) => AskedImage): AskedImage {
    const key = `${make.name} ${text}`;
    const before = this.#images.get(key) ?? make(text);
    this.#images.set(key, before);
    return before;
  }
}

function pulled(
  artefacts: ClusterArtefacts,
  puller: Puller,
  image: AskedImage,
  isNeverPulled = false,
): AskedPull {
  return { artefacts, puller, image, isNeverPulled };
}

/** Accounts of the fleet's own Jobs for which no pull is declared: theirs is a public image. */
function statusWriters({ cluster }: ClusterArtefacts): ReadonlySet<string> {
  const own = new Set(cluster.fleet?.statusWriters);
  for (const { serviceAccount } of own.size > 0 ? (cluster.pulls ?? []) : []) own.delete(serviceAccount);
  return own;
}

/** Where only a fleet is declared, and no node has a plugin, the images of its controllers are of no interest. */
function isFleetAlone({ cluster, nodes }: ClusterArtefacts): boolean {
  return cluster.fleet !== undefined && cluster.pulls === undefined && nodes.length === 0;
}
