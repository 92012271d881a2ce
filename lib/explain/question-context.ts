/*
 * What checks may look at. Of a million contexts few are asked for much, so each part is looked up when it is asked
 * for.
 */

import type { CheckId, Origin, PullContext } from "./checks/check";
import type { Cloud, PermissionAnswer, Repository, TrustAnswer } from "./clouds/cloud";
import type { ClusterArtefacts } from "./facts/facts";
import { type ServiceAccountFact, serviceAccountOf } from "./facts/kubernetes-facts";
import type { NodeConfiguration, ProviderEntry } from "./facts/node-configuration";
import type { WorkloadFact } from "./facts/workload-facts";
import type { PullQuestion } from "./questions";

/** Where an image is pulled, and by what. */
export interface PullPlace {
  /** The nodes of one pool; `undefined` where none were read. */
  readonly node: NodeConfiguration | undefined;
  /** The entry; `undefined` where none matches. */
  readonly entry: ProviderEntry | undefined;
  /** The cloud of its plugin; `undefined` where the plugin is not known. */
  readonly cloud: Cloud | undefined;
  /** The repository; `undefined` where the image does not parse. */
  readonly repository: Repository | undefined;
}

/** What the checks before have found. */
export type Found = Partial<Pick<PullContext, "trust" | "permission" | "failed">>;

const NOTHING: Found = {};

/** The context of one question at one place. */
export class QuestionContext implements PullContext {
  readonly #question: PullQuestion;
  readonly #place: PullPlace;
  readonly #found: Found;

  constructor(question: PullQuestion, place: PullPlace, found: Found = NOTHING) {
    this.#question = question;
    this.#place = place;
    this.#found = found;
  }

  /** The cluster. */
  get artefacts(): ClusterArtefacts {
    return this.#question.puller.artefacts;
  }

  /** Why it is asked. */
  get origin(): Origin {
    return this.#question.puller.origin;
  }

  /** The image as written. */
  get image(): string {
    return this.#question.image;
  }

  /** The repository. */
  get repository(): Repository | undefined {
    return this.#place.repository;
  }

  /** The nodes of one pool. */
  get node(): NodeConfiguration | undefined {
    return this.#place.node;
  }

  /** The entry of the CredentialProviderConfig. */
  get entry(): ProviderEntry | undefined {
    return this.#place.entry;
  }

  /** The cloud of the entry's plugin. */
  get cloud(): Cloud | undefined {
    return this.#place.cloud;
  }

  /** The service account's namespace. */
  get namespace(): string {
    return this.#question.puller.namespace;
  }

  /** The service account's name. */
  get name(): string {
    return this.#question.puller.name;
  }

  /** The service account. */
  get account(): ServiceAccountFact | undefined {
    return serviceAccountOf(this.artefacts, this.#question.puller.account);
  }

  /** The workload, where one is asked about. */
  get workload(): WorkloadFact | undefined {
    return this.#question.puller.workload;
  }

  /** What the cloud says of the token. */
  get trust(): TrustAnswer | undefined {
    return this.#found.trust;
  }

  /** What the cloud says of the identity. */
  get permission(): PermissionAnswer | undefined {
    return this.#found.permission;
  }

  /** The check that failed before. */
  get failed(): CheckId | undefined {
    return this.#found.failed;
  }
}
