/*
 * Why pulls and logins fail: every link of each chain, judged by what the bundle holds, together with what was seen of
 * the running system.
 */

import { fail } from "../errors";
import type { CheckResult, ExplainOptions, ExplainResult } from "../explain";
import { Explainer, insideOf, stackedOf } from "../explain/explainer";
import { named } from "../explain/shared/words";
import type { SkippedDocument } from "../explain/read/source";
import type { CheckId } from "../explain/check-ids";
import { Subject } from "../model/subject";
import { byNearness } from "../model/nearest-name";
import { at, text } from "../model/parsed";
import { type Bundle, filesOf, jsonIn, readBundle } from "./bundle";
import { COLLECTED, type Collected, OF_CLOUD } from "./collect";
import { type Drift, driftOf } from "./drift";
import { brokenLinks, merged } from "./merged";
import { flagsSeen, gatesOf, pluginsSeen } from "./observed/node";
import type { Note, Observation } from "./observed/observation";
import { type PodSeen, failsToPull, isFailing, podsIn } from "./observed/pods";
import { messagesSeen } from "./observed/said";
import { secretsSeen } from "./observed/secrets";
import { assertOneCluster, keysSeen } from "./observed/token";

/** What is asked about; without any, the pods that fail, or else every chain that is not allowed. */
export interface DoctorSelection {
  /** `namespace/name`. */
  readonly pod?: string;
  /** `namespace/name`. */
  readonly serviceAccount?: string;
  /** As the pod names it; needs `serviceAccount`. */
  readonly image?: string;
}

export interface DoctorOptions extends ExplainOptions {
  /** Files and folders that are read besides the bundle: Terraform, manifests. */
  readonly besides?: readonly string[];
  /** What was declared: a synth output folder. */
  readonly declared?: string;
}

/** What the doctor says of one chain. */
export interface Diagnosis extends ExplainResult {
  /** Differences between what was declared and what is there. */
  readonly drift: readonly Drift[];
  /** Commands that were not run and would decide links that are open, by file. */
  readonly missing: readonly Collected[];
}

export interface Report {
  readonly diagnoses: readonly Diagnosis[];
  readonly notes: readonly Note[];
  /** What of the bundle was found and not read. */
  readonly skipped: readonly SkippedDocument[];
}

/** Reads a bundle, and says of each chain that is asked about which links are broken, and which are open. */
export function diagnose(folder: string, selection: DoctorSelection, options: DoctorOptions = {}): Report {
  const bundle = readBundle(folder);
  assertOneCluster(bundle);
  const pods = podsIn(bundle);
  const { besides = [], declared, ...stated } = options;
  const paths = filesOf(bundle, "explain").map(({ path }) => path);
  const explainer = Explainer.read([...paths, ...besides], withObserved(bundle, stated));
  const chains = chainsOf(explainer, pods, selection);
  const { observations, notes } = seenIn(bundle, pods, chains);
  const drift = declared === undefined ? undefined : driftOf(declared, explainer, stated);
  return {
    diagnoses: chains.map((chain) => {
      const own = observations.filter(({ about }) => about(chain));
      const { checks, verdict } = merged(withoutAbsent(bundle, chain), own);
      return {
        ...chain,
        checks,
        verdict,
        drift: drift?.(chain, checks) ?? [],
        missing: missingFor(bundle, chain, checks),
      };
    }),
    notes,
    skipped: [...bundle.skipped, ...insideOf(explainer).facts.skipped],
  };
}

/** Facts that only the running system shows: the API server's version, and gates on the kubelet's command line. */
function withObserved(bundle: Bundle, { cluster = {}, ...others }: ExplainOptions): ExplainOptions {
  const gates = gatesOf(bundle);
  const apiServer = cluster.apiServer ?? serverVersion(bundle);
  return {
    ...others,
    cluster: {
      ...cluster,
      ...(apiServer === undefined ? {} : { apiServer }),
      ...(Object.keys(gates).length === 0
        ? {}
        : { kubeletFeatureGates: { ...gates, ...cluster.kubeletFeatureGates } }),
    },
  };
}

function serverVersion(bundle: Bundle): string | undefined {
  const [file] = filesOf(bundle, "version");
  const version = file && text(at(jsonIn(file), "serverVersion", "gitVersion"));
  return /^v?(\d+\.\d+)/.exec(version ?? "")?.[1];
}

function seenIn(
  bundle: Bundle,
  pods: readonly PodSeen[],
  chains: readonly ExplainResult[],
): { readonly observations: readonly Observation[]; readonly notes: readonly Note[] } {
  const all = [keysSeen(bundle), messagesSeen(bundle, pods, chains), secretsSeen(bundle, pods, chains)];
  return {
    observations: [
      ...flagsSeen(bundle),
      ...pluginsSeen(bundle),
      ...all.flatMap(({ observations }) => observations),
    ],
    notes: all.flatMap(({ notes }) => notes),
  };
}

function chainsOf(
  explainer: Explainer,
  pods: readonly PodSeen[],
  { pod, serviceAccount, image }: DoctorSelection,
): readonly ExplainResult[] {
  if (serviceAccount !== undefined) {
    const account = Subject.of(serviceAccount).key;
    const own = pods.filter((each) => each.account === account);
    return image === undefined
      ? ofPods(explainer, own, account)
      : [...stackedOf(explainer, { serviceAccount: account, image })];
  }
  const chosen = pod === undefined ? pods.filter(isFailing) : [podNamed(pods, pod)];
  if (chosen.length > 0) return distinct(chosen.flatMap((each) => ofPod(explainer, each, pod !== undefined)));
  const all = [...stackedOf(explainer, {})];
  const broken = all.filter(({ verdict }) => verdict !== "allowed");
  return broken.length > 0 ? broken : all;
}

function podNamed(pods: readonly PodSeen[], name: string): PodSeen {
  const found = pods.find(({ key }) => key === name);
  if (found) return found;
  const known = pods.map(({ key }) => key);
  return fail("explain-unknown", {
    problem: "no pod of that name is in the bundle",
    value: name,
    allowed: known.length > 0 ? named(byNearness(name, known)) : "none was read",
    remedy: "name one of them, or collect objects.json again; static pods have no service account",
  });
}

/** The pulls of a pod and the logins of its service account; of one that only fails to pull, the pulls. */
function ofPod(explainer: Explainer, pod: PodSeen, isAsked: boolean): readonly ExplainResult[] {
  const pulls = pod.images.flatMap((image) => [
    ...stackedOf(explainer, { serviceAccount: pod.account, image }),
  ]);
  if (!isAsked && failsToPull(pod)) return pulls;
  const all = [...stackedOf(explainer, { serviceAccount: pod.account })];
  return [...pulls, ...all.filter(({ job }) => job !== "image-pull")];
}

function ofPods(explainer: Explainer, pods: readonly PodSeen[], account: string): readonly ExplainResult[] {
  if (pods.length === 0) return [...stackedOf(explainer, { serviceAccount: account })];
  return distinct(pods.flatMap((each) => ofPod(explainer, each, true)));
}

/** Replicas have the same chains. */
function distinct(chains: readonly ExplainResult[]): readonly ExplainResult[] {
  const byName = new Map(
    chains.map((each) => [JSON.stringify([each.job, each.stack, each.subject, each.target]), each]),
  );
  return [...byName.values()];
}

/** A link that is broken because nothing was found is open if what would show it was not collected. */
function withoutAbsent(bundle: Bundle, chain: ExplainResult): ExplainResult {
  const checks = chain.checks.map((check) => {
    const { id, status, evidence } = check;
    if (status !== "fail" || evidence.length > 0) return check;
    const row = [...COLLECTED.values()].find(
      ({ file, lacks = [] }) => !bundle.names.has(file) && lacks.includes(id),
    );
    if (row === undefined) return check;
    const reason = `${check.reason}; but ${row.file} was not collected`;
    return { id, status: "unknown" as const, reason, evidence, remedy: `collect ${row.file}` };
  });
  const isOpen = checks.some((check, place) => check !== chain.checks[place]);
  return {
    ...chain,
    checks,
    verdict: isOpen && brokenLinks(checks).length === 0 ? "unknown" : chain.verdict,
  };
}

/** Whether a file that is not there would be about the chain: which cloud a pull is about shows what was collected. */
function isMeant({ names }: Bundle, { target }: ExplainResult, { file }: Collected): boolean {
  if (names.has(file)) return false;
  return [...OF_CLOUD].every(
    ([cloud, files]) => !files.has(file) || cloud === target || [...files].some((each) => names.has(each)),
  );
}

/** The files that would decide links that are open, and that the bundle does not have. */
function missingFor(
  bundle: Bundle,
  chain: ExplainResult,
  checks: readonly CheckResult[],
): readonly Collected[] {
  const isUnsure = (id: CheckId): boolean =>
    checks.some((check) => check.id === id && check.status === "unknown");
  return [...COLLECTED.values()].filter(
    (row) => (row.decides ?? []).some(isUnsure) && isMeant(bundle, chain, row),
  );
}
