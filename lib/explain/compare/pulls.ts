/*
 * Which images each service account may pull: not compared pattern by pattern, but for every name that a repository can
 * have. The whole chain of both sides is judged for each set of names that neither side tells apart, so
 * different patterns that cover the same images are not a change.
 */

import { orElse } from "../../model/known";
import { AskedNames, type AskedName } from "../../rules/asked-names";
import { type Pattern, literalPattern, patternOf, prefixPattern } from "../../rules/wildcard";
import type { CheckResult } from "../answer";
import { type AskedImage, askedImage, askedPattern } from "../asked-image";
import type { CheckId } from "../check-ids";
import type { HeldRight, PullRights } from "../cloud";
import { type JudgedPull, refusesToken } from "../jobs/pull";
import { pullerOf } from "../jobs/pull-questions";
import type { ClusterArtefacts } from "../read/clusters";
import {
  type Change,
  type ChangeKind,
  type ComparedState,
  UNSAID,
  causes,
  openReasons,
  placed,
} from "./change";
import { beyondImages, declaredImages, exceedsImages } from "./declared";
import type { Canonical } from "./moves";
import { type RightChange, rightChanges } from "./right-sets";
import { rightRows, sourceOf } from "./rights";
import { type Pair, type Side, noteActing, noteCompared } from "./sides";
import { step } from "../progress";

/** What a side says about some images; `undefined` if it does not have the cluster. */
type Said = JudgedPull | undefined;

/** Images that both sides treat alike, represented by one of them. */
interface Compared {
  readonly example: string;
  readonly before: Said;
  readonly after: Said;
}

const NOTHING: ComparedState = { verdict: "denied", as: null };

/** The differences of a pair of clusters. */
export function* pullChanges(pair: Pair): Generator<Change> {
  const sides = [pair.before, pair.after];
  const subjects = new Set(sides.flatMap(({ artefacts }) => (artefacts ? subjectsOf(artefacts) : [])));
  const shared = new Set(sides.flatMap(({ artefacts }) => (artefacts ? hostsOf(artefacts) : [])));
  for (const subject of [...subjects].sort()) {
    step("service accounts compared");
    noteCompared(pair.before, "image-pull");
    yield* changesOf(pair, subject, shared);
  }
}

function subjectsOf({ serviceAccounts, cluster, workloads }: ClusterArtefacts): readonly string[] {
  return [
    ...serviceAccounts.keys(),
    ...(cluster.pulls ?? []).map(({ serviceAccount }) => serviceAccount),
    ...workloads.map(({ namespace, serviceAccount }) => `${namespace}/${serviceAccount}`),
  ];
}

/** The registries that entries name without a wildcard, and the registries of images that are pulled. */
function hostsOf({ nodes, cluster, workloads }: ClusterArtefacts): readonly string[] {
  const entries = nodes.flatMap(({ entries }) => entries.flatMap(({ matchImages }) => matchImages));
  const literal = entries.flatMap((each) => orElse(each, () => [])).filter((each) => !each.includes("*"));
  const pulled = (cluster.pulls ?? []).flatMap(({ images }) =>
    images.flatMap((each) => orElse(each, () => [])),
  );
  const images = workloads.flatMap((each) => each.images.flatMap(({ image }) => orElse(image, () => [])));
  return [
    ...literal.map((each) => each.split("/")[0] ?? ""),
    ...pulled.flatMap((each) => askedPattern(each).repository?.host ?? []),
    ...images.flatMap((each) => askedImage(each).repository?.host ?? []),
  ];
}

/** What a side knows about a service account: the patterns that concern it, and what is not a pattern. */
interface Known {
  /** What it is declared to pull, and as whom it acts. */
  readonly labels: string;
  /** True unless it certainly acts as the same as before, with the same rights. */
  readonly isTouched: boolean;
  /** How many of its identities were read. */
  readonly shown: number;
  /** The images that it is declared to pull; `undefined` if it is not declared. */
  readonly declared: readonly string[] | undefined;
  readonly rights: readonly PullRights[];
}

function knownOf(side: Side, subject: string): Known {
  const { inside, artefacts } = side;
  const declared = declaredImages(artefacts, subject);
  if (!artefacts) return { labels: "", isTouched: true, shown: 0, declared, rights: [] };
  const all = inside.pulls.identities(artefacts, pullerOf(artefacts, subject, "asked"));
  // An identity that refuses the service account is compared by itself.
  const identities = all.filter(({ trust }) => !refusesToken(trust));
  for (const each of identities) noteActing(side, each);
  const rights = identities.map((identity) => identity.rights);
  return {
    labels: JSON.stringify([declared, ...all.map(({ label }) => label)]),
    isTouched:
      all.length === 0 ||
      side.isAccountTouched(artefacts.stack, subject) ||
      all.some(({ source }) => side.isTouched(source)),
    shown: all.filter(({ label }) => label !== undefined).length,
    declared,
    rights,
  };
}

function heldBy({ rights }: Known): readonly HeldRight[] {
  return rights.flatMap((each) => each.held());
}

/** More registries than this are compared only for service accounts that name them; clusters have a handful. */
const SHARED_MAX = 50;

function* changesOf(pair: Pair, subject: string, shared: ReadonlySet<string>): Generator<Change> {
  const [before, after] = [knownOf(pair.before, subject), knownOf(pair.after, subject)];
  if (!before.isTouched && !after.isTouched && before.labels === after.labels) return;
  const reached = [...before.rights, ...after.rights].flatMap((each) => each.reach());
  const comparable = reached.flatMap((each) => (each.comparable ? [each.pattern] : []));
  const patterns = [
    ...new Set([...(before.declared ?? []), ...(after.declared ?? []), ...comparable]),
  ].sort();
  const patternHosts = patterns.map((each) => each.slice(0, each.indexOf("/")));
  const hosts = new Set([...patternHosts, ...(shared.size <= SHARED_MAX ? shared : [])]);
  const rights = rightChanges(heldBy(before), heldBy(after), pair.after.canonical);
  const judged: Compared[] = [];
  for (const host of [...hosts].sort()) {
    const labels = patterns.filter((each) => each.startsWith(`${host}/`));
    const verdicts = comparedAt(pair, subject, host, labels);
    for (const each of verdicts ?? []) judged.push(each);
    if (verdicts)
      yield* ofShown(before.shown - after.shown, [
        ...beyondImages(
          changesAt(pair, subject, { host, labels, compared: verdicts, rights }),
          after.declared,
        ),
      ]);
    else
      yield {
        ...UNSAID,
        kind: "incomparable",
        job: "image-pull",
        about: "images",
        stack: pair.stack,
        subject,
        target: `${host}/*`,
        reason: "its patterns divide the names of repositories into more sets than can be compared",
      };
  }
  const others = rights.filter((right) => !isSaid(right, judged));
  const exceeds = exceedsImages(after.declared);
  yield* rightRows(others, { job: "image-pull", stack: pair.stack, subject }, exceeds);
}

/** Where one side alone shows the identity, nothing is known on the other of images that it may not read either. */
function ofShown(more: number, changes: readonly Change[]): readonly Change[] {
  if (more === 0) return changes;
  const side = more > 0 ? "before" : "after";
  const other = side === "before" ? "after" : "before";
  const isOf = (change: Change, verdict: string): boolean =>
    change[side]?.verdict === verdict && change[other]?.verdict === "unknown";
  const reason =
    side === "before"
      ? "its identity is gone, or is not among what was read any more"
      : "its identity was not among what was read before";
  if (!changes.some((each) => isOf(each, "allowed"))) return changes;
  const said = changes.filter((each) => !isOf(each, "denied"));
  return said.map((each) => (isOf(each, "allowed") ? { ...each, reason } : each));
}

/** True for a right to read images that were compared one by one, with a chain in which nothing else is broken. */
function isSaid({ right: { reads }, isNew }: RightChange, judged: readonly Compared[]): boolean {
  if (reads === undefined) return false;
  const isOpen = ({ before, after }: Compared): boolean =>
    stateOf(isNew ? after : before).verdict !== "denied";
  if (reads.length === 0) return judged.some(isOpen);
  const covered = judged.filter(({ example }) => reads.some((each) => AskedNames.covers(each, example)));
  return covered.length > 0 && covered.every(isOpen);
}

function comparedAt(
  { before, after }: Pair,
  subject: string,
  host: string,
  labels: readonly string[],
): readonly Compared[] | undefined {
  const seeds = seedsOf(labels.map((each) => each.slice(host.length + 1)));
  const judge = ({ inside, artefacts }: Side, image: AskedImage): Said =>
    artefacts && inside.pulls.judge(artefacts, pullerOf(artefacts, subject, "asked"), image);
  const all = AskedNames.covered("*").each((name) => {
    for (const seed of seeds) name.matches(seed);
    const image = imageOf(host, name);
    const results = { before: judge(before, image), after: judge(after, image) };
    // What becomes of a pull without the chain may tell names apart too.
    for (const each of [results.before, results.after]) stateOf(each);
    return results;
  });
  return all?.map(({ said, example }) => ({ ...said, example: `${host}/${example}` }));
}

/** The patterns, and prefixes at each part of their paths, because projects hold repositories. */
function seedsOf(paths: readonly string[]): readonly Pattern[] {
  const above = paths.flatMap((path) => {
    const parts = path.split("*")[0]?.split("/").slice(0, -1) ?? [];
    return parts.map((_, place) => `${parts.slice(0, place + 1).join("/")}/`);
  });
  return [
    ...paths.map((path) => (path.includes("*") ? patternOf(path) : literalPattern(path))),
    ...[...new Set(above)].map((path) => prefixPattern(literalPattern(path))),
  ];
}

function imageOf(host: string, name: AskedName): AskedImage {
  const text = `${host}/${name.example}`;
  return { text, problem: "", repository: { host, name: text, paths: AskedNames.alike(name) } };
}

function stateOf(said: Said): ComparedState {
  return said ? { verdict: said.verdict, as: said.as } : NOTHING;
}

interface AtHost {
  readonly host: string;
  readonly labels: readonly string[];
  readonly compared: readonly Compared[];
  /** The rights that differ: they are why the images that may be read differ. */
  readonly rights: readonly RightChange[];
}

function* changesAt(
  pair: Pair,
  subject: string,
  { host, labels, compared, rights }: AtHost,
): Generator<Change> {
  const had = compared.some(({ before }) => before?.verdict === "allowed");
  const has = compared.some(({ after }) => after?.verdict === "allowed");
  const groups = new Map<string, Compared[]>();
  for (const each of compared) {
    const kind = kindOf(each, had, has, pair.after.canonical);
    if (kind === undefined) continue;
    const [was, is] = [stateOf(each.before), stateOf(each.after)];
    const key = JSON.stringify([kind, was.verdict, was.as, is.verdict, is.as]);
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  for (const [key, group] of groups) {
    const [kind] = JSON.parse(key) as [ChangeKind];
    const isAll = group.length === compared.length;
    const targets = new Map<string, Compared>();
    for (const each of group) {
      const target = isAll ? `${host}/*` : labelOf(each.example, labels, host);
      if (!targets.has(target)) targets.set(target, each);
    }
    for (const [target, each] of targets)
      yield withCauses(changeOf(pair, subject, kind, target, each), each, rights);
  }
}

function kindOf(
  { before, after }: Compared,
  had: boolean,
  has: boolean,
  canonical: Canonical,
): ChangeKind | undefined {
  const [was, is] = [stateOf(before), stateOf(after)];
  if (was.verdict !== is.verdict) {
    if (was.verdict === "unknown" || is.verdict === "unknown") return "verdict";
    if (is.verdict === "allowed") return had ? "widened" : "added";
    return has ? "narrowed" : "removed";
  }
  if (was.as !== (is.as && canonical(is.as))) return "identity";
  const isSame =
    was.verdict !== "unknown" || openReasons(checksOf(before)) === canonical(openReasons(checksOf(after)));
  return isSame ? undefined : "incomparable";
}

function checksOf(said: Said): readonly CheckResult[] {
  return said?.checks ?? [];
}

/** The longest pattern that covers an image, of either side. */
function labelOf(image: string, labels: readonly string[], host: string): string {
  const covering = labels.filter((each) => AskedNames.covers(each, image));
  return covering.sort((one, other) => other.length - one.length)[0] ?? `${host}/* except what is named`;
}

function changeOf(
  { stack, before, after }: Pair,
  subject: string,
  kind: ChangeKind,
  target: string,
  compared: Compared,
): Change {
  const [was, is] = [checksOf(compared.before), checksOf(compared.after)];
  const reasons = [was, is].map(openReasons);
  return {
    kind,
    job: "image-pull",
    about: "images",
    stack,
    subject,
    target,
    ...(target === compared.example ? {} : { example: compared.example }),
    before: before.artefacts ? stateOf(compared.before) : null,
    after: after.artefacts ? stateOf(compared.after) : null,
    reason:
      kind === "incomparable" ? `open for different reasons: before ${reasons[0]}; now ${reasons[1]}` : "",
    removed: causes(was, is),
    added: causes(is, was),
  };
}

/**
 * The lines that decide alone: of the link that is broken on one side, or if that is a permission, the statements about
 * these images that differ.
 */
function withCauses(change: Change, { before, after }: Compared, rights: readonly RightChange[]): Change {
  if (!OF_RIGHTS.includes(change.kind)) return change;
  const broken = [...checksOf(before), ...checksOf(after)].find(({ status }) => status === "fail");
  if (broken && !OF_PERMISSION.includes(broken.id)) {
    const of = (said: Said): Change["added"] =>
      placed(checksOf(said).flatMap(({ id, evidence }) => (id === broken.id ? evidence : [])));
    return { ...change, removed: of(before), added: of(after) };
  }
  const image = change.example ?? change.target;
  const bearing = rights.filter(({ right }) => bearsOn(right, image));
  const sources = (isNew: boolean): Change["added"] =>
    placed(bearing.filter((each) => each.isNew === isNew).flatMap(({ right }) => sourceOf(right)));
  return bearing.length === 0 ? change : { ...change, removed: sources(false), added: sources(true) };
}

function bearsOn({ bears, reads = bears }: HeldRight, image: string): boolean {
  return reads === undefined || reads.length === 0
    ? bears === undefined
    : reads.some((each) => AskedNames.covers(each, image));
}

const OF_PERMISSION: readonly CheckId[] = ["login-permitted", "repository-permitted"];
const OF_RIGHTS: readonly ChangeKind[] = ["added", "removed", "widened", "narrowed"];
