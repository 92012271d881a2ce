/*
 * What keeps a result from being allowed: one finding per link, in the form that text, annotations and machine-readable
 * reports share with the audit.
 */

import { createHash } from "node:crypto";
import { isAbsolute, relative, sep } from "node:path";
import type { CheckResult, Evidence } from "./answer";
import { ANONYMOUS } from "./jobs/fallback";
import { lineOf } from "./read/source-lines";
import { jobWords } from "./render/jobs";
import type { Acceptance, ExplainResult, Verdict } from "./result";

/** How much a finding matters, in SARIF's words: `error` is denied, `warning` is unknown, `note` works anyway. */
export type Severity = "error" | "warning" | "note";

/** A link that does not hold, a warning, or a row of the audit. */
export interface Finding {
  /** Name of the check, the warning or the row of the audit. */
  readonly id: string;
  /** How much it matters. */
  readonly severity: Severity;
  /** The stack; empty for manifests outside of stacks. */
  readonly stack: string;
  /** The service account, `namespace/name`; or the identity, the nodes or the issuer that the audit names. */
  readonly subject: string;
  /** The image, Secret, cloud or spoke; empty if the audit names none. */
  readonly target: string;
  /** Why, one sentence without full stop. */
  readonly reason: string;
  /** The facts that it rests on. */
  readonly evidence: readonly Evidence[];
  /** What to do; empty if nothing needs to be done. */
  readonly remedy: string;
  /**
   * What an operator sees in a log or an event.
   *
   * @defaultValue - it is not known
   */
  readonly log?: string;
  /**
   * Why it is accepted.
   *
   * @defaultValue - it is not accepted
   */
  readonly accepted?: Acceptance;
}

/** A finding of the audit, without what its row states for all of them. */
export type Found = Omit<Finding, "id" | "severity">;

/** A finding of a result, with its job. */
export interface ResultFinding extends Finding {
  readonly job: ExplainResult["job"];
}

const SEVERITIES: Readonly<Record<Exclude<Verdict, "allowed">, Severity>> = {
  denied: "error",
  unknown: "warning",
};

/** The severity of a result's warnings: the chain works anyway. */
export const WARNING_SEVERITY: Severity = "note";

/**
 * The links that keep a result from being allowed: the first that is broken, or else all that are unknown; for a pull
 * that the kubelet never makes, the first link. None for a result that is allowed.
 */
export function openLinks({ verdict, as, checks }: ExplainResult): readonly CheckResult[] {
  if (verdict === "allowed") return [];
  // The chain does not matter to a pull that everyone may make.
  if (as === ANONYMOUS) return checks.filter(({ id }) => id === "otherwise");
  const broken = checks.find(({ status }) => status === "fail");
  if (broken) return [broken];
  const unknown = checks.filter(({ status }) => status === "unknown");
  return unknown.length > 0 ? unknown : checks.slice(0, 1);
}

/** A finding for each link that keeps a result from being allowed. */
export function findingsOf(result: ExplainResult): readonly ResultFinding[] {
  const { job, stack, subject, target, verdict, checks, accepted = [] } = result;
  if (verdict === "allowed") return [];
  return openLinks(result).map((link): ResultFinding => {
    const { id, reason, remedy, log } = link;
    const acceptance = accepted.find(({ check }) => check === id);
    return {
      id,
      severity: SEVERITIES[verdict],
      job,
      stack,
      subject,
      target,
      reason,
      remedy,
      evidence: placed(link, checks),
      ...(log !== undefined && { log }),
      ...(acceptance && { accepted: acceptance }),
    };
  });
}

/** The evidence of a link; if none of it has a place in a file, with the nearest of another link that has one. */
function placed(link: CheckResult, checks: readonly CheckResult[]): readonly Evidence[] {
  if (link.evidence.some(({ source }) => source)) return link.evidence;
  const place = checks.indexOf(link);
  const others = [...checks.slice(0, place).reverse(), ...checks.slice(place + 1)];
  const near = others.flatMap(({ evidence }) => evidence).find(({ source }) => source);
  return near ? [...link.evidence, near] : link.evidence;
}

export function warningsOf(result: ExplainResult): readonly ResultFinding[] {
  const { job, stack, subject, target, warnings = [] } = result;
  const about = { severity: WARNING_SEVERITY, job, stack, subject, target };
  return warnings.map((warning) => ({ ...warning, ...about }));
}

/** `shop/web pulls r.example.com/app:1`: who and what a finding is about. */
export function aboutOf(finding: Finding & { readonly job?: ExplainResult["job"] }): string {
  const { job, subject, target } = finding;
  return [subject, job && jobWords[job].verb, target]
    .filter((part) => part !== undefined && part !== "")
    .join(" ");
}

const FINGERPRINT_LENGTH = 32;

/** A text that stays the same wherever the finding is in its file: made of check, stack, subject and target. */
export function fingerprint({ id, stack, subject, target }: Finding): string {
  const hash = createHash("sha256").update(JSON.stringify([id, stack, subject, target]));
  return hash.digest("hex").slice(0, FINGERPRINT_LENGTH);
}

/** Where a finding is. */
export interface Place {
  /** The file, relative to the working directory if it is below it. */
  readonly file: string;
  /** From 1; `undefined` if the file has only one. */
  readonly line: number | undefined;
}

/** The first place that the evidence of a finding names; `undefined` if it names none. */
export function placeOf({ evidence }: Finding): Place | undefined {
  const source = evidence.find((each) => each.source)?.source;
  return source && { file: fromHere(source.file), line: lineOf(source) };
}

function fromHere(file: string): string {
  const below = isAbsolute(file) ? relative(process.cwd(), file) : file;
  return below.startsWith("..") && isAbsolute(file)
    ? file
    : below.replaceAll(sep, "/").replace(/^(?:\.\/)+/, "");
}
