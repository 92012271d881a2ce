/*
 * What differs between two sides, as data.
 */

import type { CheckResult, Evidence } from "../answer";
import type { ExplainResult, Verdict } from "../result";

/**
 * What happened to a grant: it is new or gone (`added`, `removed`), covers more or less than before (`widened`,
 * `narrowed`), is held by another identity (`identity`), or its chain is judged differently (`verdict`). `incomparable`
 * is what cannot be compared: it may be any of these.
 */
export type ChangeKind =
  "added" | "removed" | "widened" | "narrowed" | "identity" | "verdict" | "incomparable";

/**
 * How dangerous it is, from the most to the least: rights to everything, or to change who may do what (`admin`); trust of a
 * further issuer, key or identity provider (`issuer`); trust of more subjects (`subjects`); what other accounts, other
 * identities or everyone may do (`others`); more than is declared (`undeclared`); what cannot be compared (`undecided`); more
 * access (`wider`); less (`less`).
 */
export type Danger =
  "admin" | "issuer" | "subjects" | "others" | "undeclared" | "undecided" | "wider" | "less";

/** The state on one side. */
export interface ComparedState {
  /** Whether it works. */
  readonly verdict: Verdict;
  /** The identity, or what else serves it; `null` if nothing would. */
  readonly as: string | null;
}

/** One difference. */
export interface Change {
  /** What happened. */
  readonly kind: ChangeKind;
  /**
   * How dangerous it is.
   *
   * @defaultValue - what its kind tells
   */
  readonly danger?: Danger;
  /** The job that it belongs to; `trust` for whom an identity admits. */
  readonly job: ExplainResult["job"] | "trust";
  /** What the target is: images; a Secret, cloud or spoke (`access`); a single right; an identity (`trust`). */
  readonly about: "images" | "access" | "right" | "trust";
  /** The stack, that of the new side if the two have different names; empty outside of stacks. */
  readonly stack: string;
  /** The service account, `namespace/name`; for trust, who is admitted; for a spoke's RBAC, who is bound. */
  readonly subject: string;
  /**
   * The issuer of the tokens of whoever is admitted, or the expression that apply replaces with it.
   *
   * @defaultValue - it is not about tokens of one issuer
   */
  readonly issuer?: string;
  /** The images, the Secret, the cloud, the spoke, the right or the identity that it is about. */
  readonly target: string;
  /**
   * One of the images or subjects that it is about.
   *
   * @defaultValue - the target is a single one
   */
  readonly example?: string;
  /** The old side; `null` if it does not have the grant. */
  readonly before: ComparedState | null;
  /** The new side; `null` if it does not have the grant. */
  readonly after: ComparedState | null;
  /** What cannot be compared and why, or what else matters; empty if kind and states say everything. */
  readonly reason: string;
  /** The lines of the old side that it comes from. */
  readonly removed: readonly Evidence[];
  /** The lines of the new side that it comes from. */
  readonly added: readonly Evidence[];
}

/** What most changes of trust have in common. */
export const UNSAID: Omit<Change, "kind"> = {
  job: "trust",
  about: "trust",
  stack: "",
  subject: "",
  target: "",
  before: null,
  after: null,
  reason: "",
  removed: [],
  added: [],
};

/** Everything that differs. */
export interface Comparison {
  /** The differences in the order of jobs, stacks and subjects. */
  readonly changes: readonly Change[];
  /**
   * How many service accounts, components, workloads, ways into spokes and identities were compared, by job.
   *
   * @defaultValue - not known
   */
  readonly compared?: Readonly<Partial<Record<Change["job"], number>>>;
  /**
   * The number of things of each type that differ, are not read and name no identity.
   *
   * @defaultValue - nothing else differs
   */
  readonly notCompared?: Readonly<Record<string, number>>;
}

const SHOWN = 6;

/** Evidence that has a place, each once. */
export function placed(evidence: readonly Evidence[]): readonly Evidence[] {
  const seen = new Map<string, Evidence>();
  for (const each of evidence) {
    const { source } = each;
    if (source) seen.set(`${source.file}#${source.document ?? ""} ${source.path}`, each);
  }
  return [...seen.values()].slice(0, SHOWN);
}

/** The evidence of the checks that answer differently on the other side. */
export function causes(own: readonly CheckResult[], other: readonly CheckResult[]): readonly Evidence[] {
  const otherAnswers = new Map(other.map(({ id, status, reason }) => [id, `${status} ${reason}`]));
  const differing = own.filter(({ id, status, reason }) => otherAnswers.get(id) !== `${status} ${reason}`);
  return placed(differing.flatMap(({ evidence }) => evidence));
}

/** Why a verdict is unknown: two that are unknown for the same reasons are equal. */
export function openReasons(checks: readonly CheckResult[]): string {
  return checks
    .filter(({ status }) => status === "unknown")
    .map(({ id, reason }) => `${id}: ${reason}`)
    .join("; ");
}
