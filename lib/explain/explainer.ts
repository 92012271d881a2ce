import { fail } from "../errors";
import { AskedNames } from "../rules/asked-names";
import { holdersOf } from "./audit/holders";
import { grantsOf } from "./audit/grants";
import { auditFindings } from "./audit/rows";
import {
  STATED,
  computedAttributes,
  declaredClusters,
  nodePools,
  readClouds,
  recordedCommands,
  statedResources,
} from "./every-cloud";
import { misfitOf } from "../artefact/fact-shape";
import { propertyPath } from "../model/property-path";
import { fileOf } from "./facts-file";
import { declaredImages } from "./compare/declared";
import type { Finding } from "./findings";
import type { Cloud } from "./cloud";
import { Accesses, type JudgedAccess } from "./jobs/access";
import type { AccessJob, AccessQuestion } from "./jobs/access-questions";
import { type FleetResult, Fleets } from "./jobs/fleet";
import type { FleetQuestion } from "./jobs/fleet-links";
import { NOT_KNOWN, Pulls, isDeclared, reachOf } from "./jobs/pull";
import { pullsNotAsked } from "./jobs/configured-pulls";
import { type RunningResult, runningPulls } from "./jobs/running";
import {
  type AskedPull,
  PullQuestions,
  pullerOf,
  refuseLate,
  selectedAccount,
  selectedClusters,
} from "./jobs/pull-questions";
import { type Kind, checkGiven, list, text } from "../model/shape";
import type { ClusterArtefacts } from "./read/clusters";
import { type Facts, readFacts } from "./read/facts";
import type { SkippedDocument } from "./read/source";
import { JudgedResult, type PullResult } from "./pull-result";
import type { ExplainResult, ServiceAccountReach } from "./result";
import {
  ACCESS_SELECTION,
  type AccessSelection,
  EXPLAIN_OPTIONS,
  EXPLAIN_SELECTION,
  type ExplainOptions,
  type ExplainSelection,
  FLEET_SELECTION,
  type FleetSelection,
  type Job,
  PULL_SELECTION,
  type PullSelection,
} from "./selections";
import { step } from "./progress";
import type { Issuers } from "./shared/object-store";
import { propertyInvalid } from "../model/problems";

/** What the verifier says about one service account of a component or workload. */
export interface AccessResult extends ExplainResult {
  /** Which job it belongs to. */
  readonly job: AccessJob;
}

/** A service account that can pull an image. */
export interface ImagePuller {
  /** The result. */
  readonly result: PullResult;
  /** True if a declared pull covers the image. */
  readonly declared: boolean;
}

/** The clouds over what was read, for tests of trust. */
export let cloudsOf: (explainer: Explainer) => readonly Cloud[];

/** The results of these jobs, only for what a stack declares; for the proof at synth. */
export let declaredOf: (
  explainer: Explainer,
  stack: string,
  jobs: ReadonlySet<ExplainResult["job"]>,
) => Iterable<ExplainResult>;

/**
 * The results of a service account, for one image or for all of its workloads, in which the links after the first
 * broken one are judged as if it held.
 */
export let stackedOf: (explainer: Explainer, selection: PullSelection) => Iterable<ExplainResult>;

/** What a comparison looks at on one side. */
export interface Inside {
  readonly facts: Facts;
  readonly clouds: readonly Cloud[];
  readonly issuers: Issuers;
  readonly pulls: Pulls;
  /** The components and workloads of a cluster, with what their identities were granted. */
  readonly accesses: (
    artefacts: ClusterArtefacts,
  ) => Iterable<AccessResult & Pick<JudgedAccess, "acting" | "held" | "meant">>;
  readonly fleets: (artefacts: ClusterArtefacts) => Iterable<FleetResult>;
}

/** As {@link Explainer.read}, of the state before each plan. */
export let readBefore: (paths: readonly string[], options: ExplainOptions) => Explainer;

/** Gives a comparison access to one side. */
export let insideOf: (explainer: Explainer) => Inside;

/**
 * The verifier: reads artefacts once, and answers any number of questions about them.
 *
 * Works on synth output before anything is applied, on manifests and Terraform JSON from elsewhere, and on the output
 * of `terraform show -json`. No input makes it say `allowed` by mistake: what it cannot judge is `unknown`.
 */
export class Explainer {
  readonly #facts: Facts;
  readonly #clouds: readonly Cloud[];
  readonly #issuers: Issuers;
  readonly #questions: PullQuestions;
  readonly #pulls: Pulls;
  readonly #access: Accesses;
  readonly #fleets: Fleets;

  static {
    cloudsOf = (explainer) => explainer.#clouds;
    declaredOf = (explainer, stack, jobs) => explainer.#declared(stack, jobs);
    insideOf = (explainer) => explainer.#inside();
    stackedOf = (explainer, selection) => explainer.#stacked(selection);
    readBefore = (paths, options) => Explainer.#read(paths, options, true);
  }

  private constructor(facts: Facts) {
    const clouds = readClouds(facts.terraform);
    this.#facts = facts;
    this.#clouds = clouds.all;
    this.#issuers = clouds.issuers;
    this.#questions = new PullQuestions(facts);
    this.#pulls = new Pulls(clouds.pluginOf, clouds.readByAll);
    this.#access = new Accesses(clouds.all);
    this.#fleets = new Fleets(clouds.all, clouds.issuers);
  }

  /**
   * Reads synth output folders, folders of stacks, manifests and Terraform JSON. Throws if one of the files cannot be
   * read or if nothing was found, because a verdict on half of the facts would be worthless.
   */
  static read(paths: readonly string[], options: ExplainOptions = {}): Explainer {
    return Explainer.#read(paths, options, false);
  }

  static #read(paths: readonly string[], options: ExplainOptions, isBefore: boolean): Explainer {
    checkGiven("Explainer.read()", PATHS, paths, "paths");
    checkGiven("Explainer.read()", EXPLAIN_OPTIONS, options, "options");
    const { cluster = {}, which = "", ...stated } = options;
    const misfit = misfitOf(stated, STATED);
    if (misfit)
      fail("property-invalid", propertyInvalid(propertyPath(misfit.path), misfit.reason, misfit.allowed));
    return new Explainer(
      readFacts(paths, {
        computed: computedAttributes,
        nodePools,
        clusters: declaredClusters,
        outputs: recordedCommands,
        which,
        isBefore,
        cluster,
        stated: statedResources(stated, { file: fileOf(options), path: "" }),
        recorded: statedResources,
      }),
    );
  }

  /** What was found but is not judged, and what would be refused. */
  get skipped(): readonly SkippedDocument[] {
    return [...this.#facts.skipped, ...this.#facts.clusters.flatMap(pullsNotAsked)];
  }

  /** Yields the results of the selected pulls one by one, so that a million of them need not be held at once. */
  pulls(selection: PullSelection = {}): Generator<PullResult> {
    checkGiven("Explainer.pulls()", PULL_SELECTION, selection, "selection");
    return this.#selected(selection);
  }

  /**
   * Judges the service accounts of OpenShift's components: declared ones, and those whose Secrets or
   * CredentialsRequests were read.
   */
  *components(selection: AccessSelection = {}): Generator<AccessResult> {
    checkGiven("Explainer.components()", ACCESS_SELECTION, selection, "selection");
    yield* this.#accesses("component", selection);
  }

  /**
   * Judges the service accounts of workloads: declared ones, and those that act in a cloud by annotations or credential
   * files.
   */
  *workloads(selection: AccessSelection = {}): Generator<AccessResult> {
    checkGiven("Explainer.workloads()", ACCESS_SELECTION, selection, "selection");
    yield* this.#accesses("workload", selection);
  }

  /**
   * Judges the ways of a hub's controllers into its spokes, for declared fleets and for ClusterProfiles that were read.
   */
  *fleetAccesses(selection: FleetSelection = {}): Generator<FleetResult> {
    checkGiven("Explainer.fleetAccesses()", FLEET_SELECTION, selection, "selection");
    yield* this.#entries(selection);
  }

  /**
   * Yields the results of every job: pulls, components, workloads, fleet access. With an image, only its pulls; with a
   * spoke, only the ways into it.
   */
  *all(selection: ExplainSelection = {}): Generator<ExplainResult> {
    checkGiven("Explainer.all()", EXPLAIN_SELECTION, selection, "selection");
    const { spoke, image, origin } = selection;
    const isAsked = (job: Job): boolean => selection.job === undefined || selection.job === job;
    if (spoke === undefined && isAsked("image-pull")) yield* this.#selected(selection);
    if (image !== undefined || origin !== undefined) return;
    if (spoke === undefined)
      for (const job of ACCESS_JOBS) if (isAsked(job)) yield* this.#accesses(job, selection);
    if (isAsked("fleet-access")) yield* this.#entries(selection);
  }

  /** Every service account that can pull an image, or may be able to. */
  whoMayPull(image: string, stack?: string): readonly ImagePuller[] {
    const selection = { image, ...(stack === undefined ? {} : { stack }) };
    const name = this.#questions.image(image).repository?.name;
    return [...this.#questions.of(selection)].flatMap((question) => {
      const result = this.#result(question);
      if (result.verdict === "denied") return [];
      const declared = (declaredImages(question.artefacts, result.subject) ?? []).some(
        (pattern) => name !== undefined && AskedNames.covers(pattern, name),
      );
      return [{ result, declared }];
    });
  }

  /** Everything that a service account can read, and whether it was declared. */
  reach(serviceAccount: string, stack?: string): readonly ServiceAccountReach[] {
    const key = selectedAccount(serviceAccount) ?? "";
    const reached = selectedClusters(this.#facts, stack).flatMap((artefacts) => {
      const declared = declaredImages(artefacts, key) ?? [];
      return this.#pulls.identities(artefacts, pullerOf(artefacts, key, "asked")).flatMap((identity) =>
        reachOf(identity).map((each): ServiceAccountReach => ({
          stack: artefacts.stack,
          as: identity.label ?? NOT_KNOWN,
          pattern: each.pattern,
          declared: isDeclared(each, declared),
        })),
      );
    });
    return [...new Map(reached.map((row) => [`${row.stack} ${row.as} ${row.pattern}`, row])).values()];
  }

  /**
   * What becomes of the pulls of pods that run today (manifests or the output of `kubectl get pods -A -o yaml`) once the
   * configuration that was read is applied: `allowed` if a pull goes on, as the service account's identity or the
   * node's, `denied` if it is lost. Images that no entry matches, and pods that have ended, are left out.
   */
  *running(selection: PullSelection = {}): Generator<RunningResult> {
    checkGiven("Explainer.running()", PULL_SELECTION, selection, "selection");
    const { image, ...others } = selection;
    const name = image === undefined ? undefined : this.#questions.image(image);
    const questions = this.#questions.of({ ...others, origin: "workload" });
    const wanted = [...questions].filter((each) => name === undefined || each.image === name);
    yield* runningPulls(this.#pulls, wanted);
  }

  /**
   * What works but should be reviewed: trust that is too wide, shared identities, grants to more than is declared here,
   * nodes that can pull by themselves, keys that the next apply removes.
   */
  audit(stack?: string): readonly Finding[] {
    const clusters = selectedClusters(this.#facts, stack);
    const jobs = { pulls: this.#pulls, access: this.#access, fleets: this.#fleets };
    const granted = grantsOf(this.#clouds);
    return auditFindings({
      clusters,
      clouds: this.#clouds,
      issuers: this.#issuers,
      ...holdersOf(clusters, this.#clouds, granted, jobs),
      granted,
      accesses: (artefacts, job) => this.#judged(artefacts, job, () => true),
    });
  }

  *#accesses(
    job: AccessJob,
    { serviceAccount, stack }: AccessSelection,
    isAsked: (question: AccessQuestion) => boolean = isOf(selectedAccount(serviceAccount)),
  ): Generator<AccessResult> {
    for (const artefacts of selectedClusters(this.#facts, stack))
      for (const { subject, target, verdict, as, checks } of this.#judged(artefacts, job, isAsked))
        yield { job, stack: artefacts.stack, subject, target, verdict, as, checks };
  }

  #judged(
    artefacts: ClusterArtefacts,
    job: AccessJob,
    isAsked: (question: AccessQuestion) => boolean,
  ): Iterable<JudgedAccess> {
    return this.#access.of(artefacts, job, isAsked, this.#fleets.controllers(artefacts));
  }

  #inside(): Inside {
    return {
      facts: this.#facts,
      clouds: this.#clouds,
      issuers: this.#issuers,
      pulls: this.#pulls,
      accesses: (artefacts) =>
        ACCESS_JOBS.flatMap((job) =>
          [...this.#judged(artefacts, job, () => true)].map((each) => ({
            job,
            stack: artefacts.stack,
            ...each,
          })),
        ),
      fleets: (artefacts) =>
        this.#fleets.of(this.#facts.clusters, (question) => question.artefacts === artefacts),
    };
  }

  *#declared(stack: string, jobs: ReadonlySet<ExplainResult["job"]>): Generator<ExplainResult> {
    if (jobs.has("image-pull")) yield* this.#selected({ stack, origin: "declared" });
    for (const job of ACCESS_JOBS)
      if (jobs.has(job)) yield* this.#accesses(job, { stack }, ({ declared }) => declared);
    if (jobs.has("fleet-access"))
      yield* this.#fleets.of(selectedClusters(this.#facts, stack), ({ controller }) => controller.declared);
  }

  *#stacked(selection: PullSelection): Generator<ExplainResult> {
    for (const question of this.#questions.of(selection)) {
      const result = this.#result(question);
      yield { ...result.toJSON(), checks: result.stacked };
    }
    if (selection.image !== undefined) return;
    const isAsked = isOf(selectedAccount(selection.serviceAccount));
    for (const artefacts of selectedClusters(this.#facts, selection.stack))
      for (const job of ACCESS_JOBS)
        for (const { subject, target, verdict, as, stacked } of this.#judged(artefacts, job, isAsked))
          yield { job, stack: artefacts.stack, subject, target, verdict, as, checks: stacked() };
  }

  *#selected(selection: PullSelection): Generator<PullResult> {
    for (const question of this.#questions.of(selection)) yield this.#result(question);
  }

  *#entries({ serviceAccount, stack, spoke }: FleetSelection): Generator<FleetResult> {
    refuseLate(spoke);
    const account = selectedAccount(serviceAccount);
    const isAsked = ({ controller }: FleetQuestion): boolean =>
      account === undefined || controller.account === account;
    yield* this.#fleets.of(selectedClusters(this.#facts, stack), isAsked, spoke);
  }

  #result(question: AskedPull): JudgedResult {
    step("pulls judged");
    return new JudgedResult(question, this.#pulls);
  }
}

const ACCESS_JOBS: readonly AccessJob[] = ["component", "workload"];

function isOf(account: string | undefined): (question: AccessQuestion) => boolean {
  return ({ key }) => account === undefined || key === account;
}

/** Reads artefacts and explains what is selected, for every job. */
export function explain(
  paths: readonly string[],
  selection: ExplainSelection = {},
  options: ExplainOptions = {},
): readonly ExplainResult[] {
  checkGiven("explain()", EXPLAIN_SELECTION, selection, "selection");
  return [...Explainer.read(paths, options).all(selection)];
}

/** The kind of the paths that are read. */
const PATHS: Kind<readonly string[]> = list(text);
