import { fail } from "../errors";
import { isLate } from "../model/late";
import { type AccessResult, Accesses } from "./accesses";
import type { Chain } from "./chain";
import { Chains } from "./chains";
import type { AccessJob } from "./checks/access-checks";
import type { CheckResult } from "./checks/check";
import { pullChecks } from "./checks/checks";
import { repositoryOf } from "./checks/image-parses";
import { Clouds, computedAttributes } from "./clouds/clouds";
import { type FleetResult, FleetAccesses } from "./fleet/fleet-accesses";
import { type Facts, type SkippedDocument, readFacts } from "./facts/facts";
import { globMatches } from "./glob";
import { type PullQuestion, pullQuestions, selectedAccount, selectedClusters } from "./questions";
import {
  type AccessSelection,
  type PullSelection,
  ACCESS_SELECTION,
  EXPLAIN_OPTIONS,
  EXPLAIN_SELECTION,
  ExplainOptions,
  ExplainSelection,
  FLEET_SELECTION,
  FleetSelection,
  PULL_SELECTION,
} from "./selections";
import { type ServiceAccountReach, reachOf } from "./reach";
import type { ExplainResult } from "./result";
import type { Verdict } from "./verdict";
import { type Kind, checkGiven, list, text } from "../model/shape";

/** What the verifier says of one pull. */
export interface PullResult extends ExplainResult {
  /** Which job it belongs to. */
  readonly job: "image-pull";
}

/** A service account that can pull an image. */
export interface ImagePuller {
  /** The result. */
  readonly result: PullResult;
  /** True where a declared pull covers the image. */
  readonly declared: boolean;
}

const PATHS: Kind<readonly string[]> = list(text);

/**
 * The verifier: reads artefacts once, and answers any number of questions about them.
 *
 * Works on synth output before anything is applied, on manifests and Terraform JSON of other people, and on the output
 * of `terraform show -json`. No input makes it say `allowed` by mistake: what it cannot judge is `unknown`.
 */
export class Explainer {
  /** Everything that was read. */
  readonly #facts: Facts;
  readonly #chains: Chains;
  readonly #clouds: Clouds;
  readonly #access: Accesses;
  readonly #fleets: FleetAccesses;

  private constructor(facts: Facts) {
    this.#facts = facts;
    this.#clouds = new Clouds(facts.terraform);
    this.#chains = new Chains(this.#clouds);
    this.#access = new Accesses(this.#clouds);
    this.#fleets = new FleetAccesses(this.#clouds);
  }

  /**
   * Reads synth output folders, folders of stacks, manifests and Terraform JSON.
   *
   * Throws `explain-path-missing`, `explain-nothing-found`, `explain-bind-interrupted`, `explain-file-unreadable`,
   * `explain-file-too-large`, `explain-file-invalid` or `bind-file-invalid`.
   */
  static read(paths: readonly string[], options: ExplainOptions = {}): Explainer {
    checkGiven("Explainer.read()", PATHS, paths, "paths");
    checkGiven("Explainer.read()", EXPLAIN_OPTIONS, options, "options");
    return new Explainer(readFacts(paths, { computed: computedAttributes, cluster: options.cluster ?? {} }));
  }

  /** Documents that were read and hold no fact. */
  get skipped(): readonly SkippedDocument[] {
    return this.#facts.skipped;
  }

  /**
   * The results one by one, so that a million of them need not be held at once.
   *
   * Throws `explain-stack-unknown`, `explain-late-value`, or what `Subject.of` throws.
   */
  *pulls(selection: PullSelection = {}): Generator<PullResult> {
    checkGiven("Explainer.pulls()", PULL_SELECTION, selection, "selection");
    yield* this.#pulls(selection);
  }

  /**
   * The service accounts of OpenShift's components: declared ones, and those whose Secrets or CredentialsRequests were
   * read. Throws `explain-stack-unknown`, `explain-late-value`, or what `Subject.of` throws.
   */
  *components(selection: AccessSelection = {}): Generator<AccessResult> {
    checkGiven("Explainer.components()", ACCESS_SELECTION, selection, "selection");
    yield* this.#accesses("component", selection);
  }

  /**
   * The service accounts of workloads: declared ones, and those that annotations or credential files let act in a
   * cloud. Throws `explain-stack-unknown`, `explain-late-value`, or what `Subject.of` throws.
   */
  *workloads(selection: AccessSelection = {}): Generator<AccessResult> {
    checkGiven("Explainer.workloads()", ACCESS_SELECTION, selection, "selection");
    yield* this.#accesses("workload", selection);
  }

  /**
   * The ways of a hub's controllers into its spokes: of declared fleets, and of ClusterProfiles that were read.
   * Throws `explain-stack-unknown`, `explain-spoke-unknown`, `explain-late-value`, or what `Subject.of` throws.
   */
  *fleetAccesses(selection: FleetSelection = {}): Generator<FleetResult> {
    checkGiven("Explainer.fleetAccesses()", FLEET_SELECTION, selection, "selection");
    yield* this.#fleetAccesses(selection);
  }

  *#fleetAccesses({ serviceAccount, stack, spoke }: FleetSelection): Generator<FleetResult> {
    if (isLate(spoke)) fail("explain-late-value", "what is asked about", String(spoke));
    const account = selectedAccount(serviceAccount);
    yield* this.#fleets.of(selectedClusters(this.#facts, stack), account, spoke);
  }

  /**
   * The results of every job: pulls, components, workloads, fleet accesses; where an image is asked about, its pulls
   * alone, and where a spoke is, the ways into it alone.
   *
   * Throws what {@link Explainer.pulls} and {@link Explainer.fleetAccesses} throw.
   */
  *all(selection: ExplainSelection = {}): Generator<ExplainResult> {
    checkGiven("Explainer.all()", EXPLAIN_SELECTION, selection, "selection");
    if (selection.spoke === undefined) yield* this.#pulls(selection);
    if (selection.image !== undefined || selection.origin !== undefined) return;
    if (selection.spoke === undefined) {
      yield* this.#accesses("component", selection);
      yield* this.#accesses("workload", selection);
    }
    yield* this.#fleetAccesses(selection);
  }

  *#pulls(selection: PullSelection): Generator<PullResult> {
    for (const questions of pullQuestions(this.#facts, selection))
      for (const question of questions) yield this.#result(question);
  }

  /** Every service account that can pull an image, or may be able to. Throws `explain-stack-unknown`. */
  whoMayPull(image: string, stack?: string): readonly ImagePuller[] {
    const selection = { image, ...(stack === undefined ? {} : { stack }) };
    return [...pullQuestions(this.#facts, selection)].flat().flatMap((question) => {
      const result = this.#result(question);
      const declared = (question.puller.artefacts.cluster.pulls ?? []).some(
        ({ serviceAccount, images }) =>
          serviceAccount === result.subject && images.some((pattern) => covers(pattern, image)),
      );
      return result.verdict === "denied" ? [] : [{ result, declared }];
    });
  }

  /** Everything that a service account can read, marked where nobody declared it. Throws `explain-stack-unknown`. */
  reach(serviceAccount: string, stack?: string): readonly ServiceAccountReach[] {
    return selectedClusters(this.#facts, stack).flatMap((artefacts) =>
      reachOf(artefacts, serviceAccount, this.#chains, this.#clouds),
    );
  }

  *#accesses(job: AccessJob, { serviceAccount, stack }: AccessSelection): Generator<AccessResult> {
    const account = selectedAccount(serviceAccount);
    for (const artefacts of selectedClusters(this.#facts, stack))
      yield* this.#access.of(artefacts, job, account);
  }

  #result(question: PullQuestion): PullResult {
    return new Result(question, question.neverPulled ? undefined : this.#chains.worst(question));
  }
}

/** A verdict is cheap, its checks are not: they are put together when they are read. */
class Result implements PullResult {
  readonly job = "image-pull";
  readonly #question: PullQuestion;
  readonly #chain: Chain | undefined;

  constructor(question: PullQuestion, chain: Chain | undefined) {
    this.#question = question;
    this.#chain = chain;
  }

  get stack(): string {
    return this.#question.puller.artefacts.stack;
  }

  get subject(): string {
    return this.#question.puller.account;
  }

  get target(): string {
    return this.#question.target;
  }

  get verdict(): Verdict {
    return this.#chain?.verdict ?? "unknown";
  }

  get as(): string | null {
    return this.#chain?.as ?? null;
  }

  get checks(): readonly CheckResult[] {
    return this.#chain?.checks ?? NEVER_PULLED;
  }

  toJSON(): PullResult {
    const { job, stack, subject, target, verdict, as, checks } = this;
    return { job, stack, subject, target, verdict, as, checks };
  }
}

/** Reads artefacts and explains what is selected, of every job; throws what {@link Explainer} throws. */
export function explain(
  paths: readonly string[],
  selection: ExplainSelection = {},
  options: ExplainOptions = {},
): readonly ExplainResult[] {
  checkGiven("explain()", EXPLAIN_SELECTION, selection, "selection");
  return [...Explainer.read(paths, options).all(selection)];
}

const NEVER_PULLED: readonly CheckResult[] = pullChecks.map(({ id }) => ({
  id,
  status: "skipped",
  reason:
    "imagePullPolicy Never: the kubelet uses the image that is on the node, or fails with ErrImageNeverPull",
  evidence: [],
  remedy: "",
}));

/** Whether a declared pattern covers an image, whose tag and digest do not count. */
function covers(pattern: string, image: string): boolean {
  const name = repositoryOf(image)?.name;
  return name !== undefined && globMatches(pattern, name);
}
