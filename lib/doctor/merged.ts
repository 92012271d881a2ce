/*
 * A chain as it was judged, together with what was seen of the running system. What is there counts more than what was
 * read; a message tells what was so when it was written, and where it contradicts what was read, nothing is decided.
 */

import type { CheckResult, ExplainResult, Verdict } from "../explain";
import type { Observation } from "./observed/observation";

/** What an observation does to a link. */
type Effect = "breaks" | "holds" | "is evidence" | "may be it" | "contradicts";

interface Seen {
  readonly effect: Effect;
  readonly observation: Observation;
}

/** The links of a chain with the observations about it, and the verdict by both. */
export function merged(
  { checks: judged, verdict }: ExplainResult,
  observations: readonly Observation[],
): { readonly checks: readonly CheckResult[]; readonly verdict: Verdict } {
  const effects = new Map(judged.map((check) => [check, [] as Seen[]] as const));
  for (const observation of observations)
    for (const [check, effect] of effectsOf(observation, judged))
      effects.get(check)?.push({ effect, observation });
  const checks = judged.map((check) => withSeen(check, effects.get(check) ?? []));
  return { checks, verdict: verdictOf(judged, verdict, checks) };
}

function verdictOf(
  judged: readonly CheckResult[],
  verdict: Verdict,
  checks: readonly CheckResult[],
): Verdict {
  const broken = brokenLinks(checks);
  const before = brokenLinks(judged);
  const isNew = broken.some(({ id }) => before.every((each) => each.id !== id));
  if (isNew || (verdict === "denied" && broken.length > 0)) return "denied";
  const isOpen = checks.some(({ id, status }) => status === "unknown" && id !== "otherwise");
  return isOpen || verdict !== "allowed" ? "unknown" : "allowed";
}

/** The broken links; what happens without the chain is one only where every other link holds, as with a pull secret. */
export function brokenLinks(checks: readonly CheckResult[]): readonly CheckResult[] {
  const broken = checks.filter(({ status }) => status === "fail");
  const ofChain = broken.filter(({ id }) => id !== "otherwise");
  const isOpen = checks.some(({ id, status }) => status === "unknown" && id !== "otherwise");
  return ofChain.length > 0 || isOpen ? ofChain : broken;
}

/** The links on which an observation has an effect. */
function effectsOf(
  { links, status, isState }: Observation,
  checks: readonly CheckResult[],
): readonly (readonly [check: CheckResult, effect: Effect])[] {
  const affected = checks.filter(({ id }) => links.includes(id));
  if (status === "pass")
    return affected.map((check) => [check, check.status === "fail" ? "contradicts" : "holds"]);
  const broken = affected.filter((check) => check.status === "fail");
  if (broken.length > 0) return broken.map((check) => [check, "is evidence"]);
  const open = affected.filter((check) => check.status !== "pass");
  const [only, ...others] = affected;
  if (only && others.length === 0) return [[only, isState || open.length > 0 ? "breaks" : "contradicts"]];
  if (open.length > 0) return open.map((check) => [check, "may be it"]);
  return affected.slice(-1).map((check) => [check, "contradicts"]);
}

function withSeen(check: CheckResult, seen: readonly Seen[]): CheckResult {
  const by = (effect: Effect): readonly Observation[] =>
    seen.flatMap((each) => (each.effect === effect ? [each.observation] : []));
  const [contradicting, breaking, holding] = [by("contradicts"), by("breaks"), by("holds")];
  const suspected = by("may be it");
  const [breaks] = breaking;
  const isState = breaks?.isState === true;
  if (!isState && (contradicting.length > 0 || (breaks && holding.length > 0)))
    return contradicted(check, [...contradicting, ...breaking, ...holding]);
  if (breaks) return answered(check, "fail", breaks.reason, breaks.fix, breaking);
  if (check.status === "unknown" && holding[0])
    return answered(check, "pass", `${REACHED}: ${holding[0].reason}`, "", holding);
  if (suspected.length > 0)
    return answered(
      check,
      "unknown",
      `${check.reason}; this may be it: ${words(suspected)}`,
      check.remedy,
      suspected,
    );
  return withEvidence(check, by("is evidence"));
}

const REACHED = "a message is written only after this link";
const AGAIN =
  "collect everything again at the same time: what was read is not what runs, or was changed after the message";

function contradicted(check: CheckResult, seen: readonly Observation[]): CheckResult {
  const holds = check.status === "pass" ? "holds" : "is broken";
  return answered(
    check,
    "unknown",
    `${holds} by what was read (${check.reason}), but ${words(seen)}`,
    AGAIN,
    seen,
  );
}

function words(seen: readonly Observation[]): string {
  return [...new Set(seen.map(({ reason }) => reason))].join("; ");
}

function answered(
  check: CheckResult,
  status: CheckResult["status"],
  reason: string,
  remedy: string,
  seen: readonly Observation[],
): CheckResult {
  return withEvidence({ id: check.id, status, reason, remedy, evidence: check.evidence }, seen);
}

/** The observations come first: they show the running system. */
function withEvidence(check: CheckResult, seen: readonly Observation[]): CheckResult {
  if (seen.length === 0) return check;
  return { ...check, evidence: [...seen.flatMap(({ evidence }) => evidence), ...check.evidence] };
}
