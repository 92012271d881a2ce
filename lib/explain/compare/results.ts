/*
 * Components, workloads and ways into spokes: their verdicts, whom they act as, and what these identities were granted.
 */

import { shown } from "../../model/known";
import { plainOf } from "../../model/tree";
import { powerOfRule } from "../../rules/rbac/powers";
import type { CheckId } from "../check-ids";
import type { JudgedAccess } from "../jobs/access";
import type { Source } from "../read/source";
import type { ExplainResult } from "../result";
import { type Change, type ChangeKind, type ComparedState, UNSAID, causes, openReasons } from "./change";
import { exceedsMeant } from "./declared";
import { rightChanges } from "./right-sets";
import { rightRows, sourceOf } from "./rights";
import { type Pair, type Side, noteActing, noteCompared } from "./sides";
import { step } from "../progress";

type Judged = ExplainResult & Partial<Pick<JudgedAccess, "acting" | "held" | "meant">>;

/** The differences of a pair of clusters. */
export function* resultChanges(pair: Pair): Generator<Change> {
  const [before, after] = [judged(pair.before), judged(pair.after)];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    step("identities compared");
    const [oldResult, newResult] = [before.get(key), after.get(key)];
    noteCompared(pair.before, (newResult ?? (oldResult as Judged)).job);
    const change = resultChange(pair, oldResult, newResult);
    if (change) yield change;
    yield* heldChanges(pair, oldResult, newResult);
  }
  yield* spokeChanges(pair);
}

function judged({ inside, artefacts }: Side): ReadonlyMap<string, Judged> {
  if (!artefacts) return new Map();
  const all: readonly Judged[] = [...inside.accesses(artefacts), ...inside.fleets(artefacts)];
  return new Map(all.map((each) => [JSON.stringify([each.job, each.subject, each.target]), each]));
}

function stateOf(result: Judged | undefined): ComparedState | null {
  return result ? { verdict: result.verdict, as: result.as } : null;
}

/** These links decide what may be done in a spoke; it is not derived from rights. */
const OF_SPOKE: readonly CheckId[] = ["spoke-admits", "spoke-authorizes"];

function spokeSays(result: Judged): string {
  const checks = result.checks.filter(({ id }) => OF_SPOKE.includes(id));
  return JSON.stringify(checks.map(({ reason, evidence }) => [reason, evidence.map(({ text }) => text)]));
}

function resultChange(
  { stack, after: { canonical } }: Pair,
  oldResult: Judged | undefined,
  newResult: Judged | undefined,
): Change | undefined {
  const { job, subject, target } = (oldResult ?? newResult) as Judged;
  const [was, is] = [oldResult?.checks ?? [], newResult?.checks ?? []];
  const change = (kind: ChangeKind, reason = ""): Change => ({
    kind,
    job,
    about: "access",
    stack,
    subject,
    target,
    before: stateOf(oldResult),
    after: stateOf(newResult),
    reason,
    removed: causes(was, is),
    added: causes(is, was),
  });
  if (!oldResult) return change("added");
  if (!newResult) return change("removed");
  if (oldResult.verdict !== newResult.verdict) return change("verdict");
  if (oldResult.as !== (newResult.as && canonical(newResult.as))) return change("identity");
  const reasons = [openReasons(was), canonical(openReasons(is))];
  if (oldResult.verdict === "unknown" && reasons[0] !== reasons[1])
    return change("incomparable", `open for different reasons: before ${reasons[0]}; now ${reasons[1]}`);
  if (job === "fleet-access" && spokeSays(oldResult) !== canonical(spokeSays(newResult)))
    return change(
      "incomparable",
      "what admits it to the spoke, and what it may do there, is written differently",
    );
  return undefined;
}

function* heldChanges(
  { stack, ...sides }: Pair,
  oldResult: Judged | undefined,
  newResult: Judged | undefined,
): Generator<Change> {
  const result = newResult ?? oldResult;
  if (!result || (!oldResult?.held && !newResult?.held)) return;
  noteActing(sides.before, oldResult?.acting);
  noteActing(sides.after, newResult?.acting);
  const { canonical } = sides.after;
  const held = newResult?.held?.() ?? [];
  const changes = rightChanges(oldResult?.held?.() ?? [], held, canonical);
  if (changes.length === 0) return;
  const meant = result.job === "workload" ? newResult?.meant?.() : undefined;
  const exceeds = exceedsMeant(meant, held, canonical);
  yield* rightRows(changes, { job: result.job, stack, subject: result.subject }, exceeds);
}

/** RBAC and AuthenticationConfigurations of spokes, once for each spoke. */
function* spokeChanges({ stack, before, after }: Pair): Generator<Change> {
  const spokes = new Set([...spokesOf(before), ...spokesOf(after)]);
  for (const spoke of spokes) {
    const [oldBound, newBound] = [boundIn(before, spoke), boundIn(after, spoke)];
    for (const [text, { subject, target, source }] of [...newBound, ...oldBound]) {
      if (oldBound.has(text) && newBound.has(text)) continue;
      const isNew = newBound.has(text);
      const power = isNew ? powerOfRule(target) : undefined;
      yield {
        ...UNSAID,
        kind: isNew ? "added" : "removed",
        job: "fleet-access",
        about: "right",
        stack,
        subject,
        target,
        ...(power && { danger: power.danger }),
        reason: [`an object of the spoke ${spoke}`, power?.says].filter(Boolean).join("; "),
        removed: isNew ? [] : sourceOf({ text, source }),
        added: isNew ? sourceOf({ text, source }) : [],
      };
    }
  }
}

function spokesOf({ inside, artefacts }: Side): readonly string[] {
  return artefacts ? [...inside.fleets(artefacts)].map(({ target }) => target) : [];
}

interface Bound extends Pick<Change, "subject" | "target"> {
  readonly source: Source | undefined;
}

function boundIn({ artefacts }: Side, spoke: string): ReadonlyMap<string, Bound> {
  if (!artefacts) return new Map();
  const { bound, authenticators } = artefacts.spokes.of(spoke);
  const rows = [
    ...bound.flatMap(({ kind, name, role, rules, source }) =>
      (rules?.texts ?? ["its rules were not read"]).map((rule) => ({
        subject: `${kind} ${shown(name)}`,
        target: `${role}: ${rule}`,
        source,
      })),
    ),
    ...authenticators.map(({ issuer, entry, source }) => ({
      subject: `tokens of ${shown(issuer)}`,
      target: `authentication by ${JSON.stringify(plainOf(entry, shown))}`,
      source,
    })),
  ];
  return new Map(rows.map((row) => [`${row.subject} ${row.target}`, row]));
}
