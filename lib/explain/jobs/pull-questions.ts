/*
 * Which pulls are explained, and the facts that their links look at.
 */

import { fail } from "../../errors";
import { type Known, is, known, match, shown, whyNot } from "../../model/known";
import { isLate } from "../../model/late";
import { byNearness, nearestName } from "../../model/nearest-name";
import { once, remembered } from "../../model/once";
import { Subject } from "../../model/subject";
import type { Evidence } from "../answer";
import {
  type AskedImage,
  type AskedRepository,
  askedImage,
  askedPattern,
  lateImage,
  unfilledImage,
} from "../asked-image";
import type { RegistryPlugin, PullIdentity, PullRights } from "../cloud";
import type { ClusterFacts } from "../read/cluster-record";
import type { ClusterArtefacts } from "../read/clusters";
import type { Facts } from "../read/facts";
import type { NodeConfiguration, ProviderEntry } from "../read/node-configuration";
import { type WorkloadFact, isPartial } from "../read/pods";
import { type ServiceAccountFact, serviceAccountOf } from "../read/service-accounts";
import { sourceText } from "../read/source";
import { stackOf } from "../read/stack-label";
import type { Origin, PullSelection } from "../selections";
import { named } from "../shared/words";
import { isConfigured } from "./configured-pulls";
import type { TrustFacts } from "./links";

/** Who pulls, and why the pull is judged; one object for all images. */
export interface Puller {
  /** The service account, `namespace/name`. */
  readonly key: string;
  /** `undefined` if it was not read. */
  readonly account: ServiceAccountFact | undefined;
  readonly origin: Origin;
  /** The workload that has the image; `undefined` if the pull is not a workload's. */
  readonly workload: WorkloadFact | undefined;
}

/** The plugins by entry, as the clouds know them, or what is stated of a cluster's registries. */
export type PluginOf = (entry: ProviderEntry, cluster: ClusterFacts) => RegistryPlugin | undefined;

/** Where everyone is allowed to read a repository; `undefined` if that is granted nowhere. */
export type ReadByAll = (repository: AskedRepository) => Evidence | undefined;

/** What the links of a pull look at. */
export interface PullFacts extends TrustFacts {
  /** The same for all pulls. */
  readonly pluginOf: PluginOf;
  /** The same for all pulls. */
  readonly readByAll: ReadByAll;
  /** The puller's origin, for links that do not depend on who pulls. */
  readonly origin: Origin;
  readonly puller: Puller;
  /** The image, or all images of a pattern. */
  readonly image: AskedImage;
  /** The registry's host; empty if the image does not parse. */
  readonly host: string;
  /** The nodes of one pool; `undefined` if none were read. */
  readonly node: NodeConfiguration | undefined;
  /** `undefined` if none matches. */
  readonly entry: ProviderEntry | undefined;
  /** The entry's plugin; `undefined` for an unknown one. */
  readonly cloud: RegistryPlugin | undefined;
  readonly identity: PullIdentity | undefined;
  /** What the identity may do; one object for all identities with the same rights. */
  readonly rights: PullRights | undefined;
}

export interface AskedPull {
  readonly artefacts: ClusterArtefacts;
  readonly puller: Puller;
  readonly image: AskedImage;
  /** True if the kubelet never pulls it, by `imagePullPolicy`. */
  readonly isNeverPulled: boolean;
}

/** Throws if what is asked about is known only after apply. */
export function refuseLate(asked: string | undefined): void {
  if (isLate(asked))
    fail("explain-invalid", {
      problem: "what is asked about is known only after apply",
      value: String(asked),
      allowed: "a literal",
      remedy: "ask with the literal text that the pod will have",
    });
}

/** Throws for a name that nothing in the files has, and lists the nearest names. */
export function unknownName(
  what: "image" | "service-account" | "spoke" | "stack",
  name: string,
  known: readonly string[],
): never {
  const nearest = nearestName(name, known);
  const isDeclared = what === "image" || what === "service-account";
  return fail("explain-unknown", {
    problem: `no ${what.replace("-", " ")} of that name ${isDeclared ? "is declared in what was read" : "was read"}`,
    value: name,
    allowed: known.length > 0 ? named(byNearness(name, known)) : "none was read",
    remedy: `${known.length === 0 ? "also give explain the files that have it" : nearest === undefined ? "name one of them" : `name ${nearest}, if that was meant`}, or leave --${what} out`,
  });
}

export function selectedAccount(serviceAccount: string | undefined): string | undefined {
  refuseLate(serviceAccount);
  return serviceAccount === undefined ? undefined : Subject.of(serviceAccount).key;
}

/** The clusters of the named stack, the one that `<stack>/<cluster>` names, or all. */
export function selectedClusters(
  { clusters }: Facts,
  stack: string | undefined,
): readonly ClusterArtefacts[] {
  if (stack === undefined) return clusters;
  const named = clusters.filter((cluster) => [cluster.stack, stackOf(cluster.stack)].includes(stack));
  const known = clusters.map((cluster) => cluster.stack).filter((name) => name !== "");
  return named.length > 0 ? named : unknownName("stack", stack, known);
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

export const declaredPullers: (artefacts: ClusterArtefacts) => ReadonlySet<string> = once(
  ({ cluster }) => new Set(cluster.pulls?.map(({ serviceAccount }) => serviceAccount)),
);

/** Where workloads are written: those outside of stacks are in every cluster. */
const workloadPlaces = once(
  ({ workloads }: ClusterArtefacts) => new Set(workloads.map(({ source }) => sourceText(source))),
);

/**
 * Whether a cluster does not have a service account that others have: no manifest writes it, whether or not it would be
 * accepted, and no pull of it is declared.
 */
function isOfOthers(key: string, own: ClusterArtefacts, clusters: readonly ClusterArtefacts[]): boolean {
  const has = (each: ClusterArtefacts): boolean =>
    serviceAccountOf(each, key) !== undefined ||
    each.refused.has(`ServiceAccount ${key}`) ||
    declaredPullers(each).has(key);
  return !has(own) && clusters.some(has);
}

/** Makes the questions, with one object for each image, whoever asks for it. */
export class PullQuestions {
  readonly #facts: Facts;
  // A text that is asked about as an image and as a pattern is two questions.
  readonly #image = oncePerName(askedImage);
  readonly #pattern = oncePerName(askedPattern);

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** The pulls that are asked about, clusters and declarations in their order. */
  *of({ serviceAccount, image, stack, origin }: PullSelection): Generator<AskedPull> {
    refuseLate(image);
    const subject = selectedAccount(serviceAccount);
    const clusters = selectedClusters(this.#facts, stack);
    for (const artefacts of clusters) {
      if (image !== undefined) {
        if (subject !== undefined && isOfOthers(subject, artefacts, clusters)) continue;
        const keys = subject === undefined ? artefacts.serviceAccounts.keys() : [subject];
        for (const key of keys) {
          const puller = pullerOf(artefacts, key, "asked");
          const isPattern = artefacts.cluster.pulls?.some(
            (each) =>
              each.serviceAccount === key && each.images.some((pattern) => is(pattern, image) === "yes"),
          );
          const asked = isPattern ? this.#pattern(known(image)) : this.image(image);
          yield { artefacts, puller, image: asked, isNeverPulled: false };
        }
        continue;
      }
      if (origin !== "workload")
        for (const { serviceAccount, images } of artefacts.cluster.pulls ?? []) {
          if (subject !== undefined && serviceAccount !== subject) continue;
          const puller = pullerOf(artefacts, serviceAccount, "declared");
          for (const pattern of images)
            yield { artefacts, puller, image: this.#pattern(pattern), isNeverPulled: false };
        }
      if (origin !== "declared") yield* this.#ofWorkloads(artefacts, subject, clusters);
    }
  }

  image(text: string): AskedImage {
    return this.#image(known(text));
  }

  *#ofWorkloads(
    artefacts: ClusterArtefacts,
    subject: string | undefined,
    clusters: readonly ClusterArtefacts[],
  ): Generator<AskedPull> {
    const { cluster, workloads } = artefacts;
    if (!isConfigured(artefacts)) return;
    // Nor do those of the Jobs that write profiles, unless their pull is declared: they use a public image.
    const declared = declaredPullers(artefacts);
    const own = (cluster.fleet?.statusWriters ?? []).filter((key) => !declared.has(key));
    for (const workload of workloads) {
      const key = `${workload.namespace}/${workload.serviceAccount}`;
      if ((subject !== undefined && key !== subject) || isPartial(workload) || own.includes(key)) continue;
      const sharing = (): readonly ClusterArtefacts[] =>
        clusters.filter((each) => workloadPlaces(each).has(sourceText(workload.source)));
      if (!serviceAccountOf(artefacts, key) && isOfOthers(key, artefacts, sharing())) continue;
      const puller = pullerOf(artefacts, key, "workload", workload);
      for (const { image, pullPolicy } of workload.images) {
        const isNeverPulled = pullPolicy === "Never";
        yield { artefacts, puller, image: this.#image(image), isNeverPulled };
      }
    }
  }
}

/** One object for each name. Asked a million times, it makes its closures once. */
function oncePerName(ofText: (text: string) => AskedImage): (name: Known<string>) => AskedImage {
  const [names, others] = [new Map<string, AskedImage>(), new Map<string, AskedImage>()];
  const named = (text: string): AskedImage => remembered(names, text, ofText);
  const other = (name: Known<string>): AskedImage => {
    const isUnfilled = whyNot(name)?.kind === "placeholder";
    return remembered(others, shown(name), isUnfilled ? unfilledImage : lateImage);
  };
  return (name) => match(name, named, NOT_NAMED) ?? other(name);
}

const NOT_NAMED = (): undefined => undefined;
