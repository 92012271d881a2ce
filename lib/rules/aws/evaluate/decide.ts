/*
 * From statements to a decision: a certain Deny wins, then a certain Allow that no uncertain Deny threatens;
 * nothing that allows means denied. Source: "Policy evaluation logic" in the IAM user guide.
 */

import { type Match, cannotTell, no, yes } from "./match";
import { readRolePolicy } from "./role-policy";
import { type ReadPolicy, type Statement, readPolicy } from "./statements";

/** What the evaluation of a policy says. */
export interface AwsDecision {
  /** `unknown` where a value, key or operator cannot be judged from what was given. */
  readonly outcome: "allowed" | "denied" | "unknown";
  /** Why, in one sentence without full stop. */
  readonly reason: string;
}

/** What the evaluation of a resource's policy says. */
export interface AwsResourceDecision extends AwsDecision {
  /**
   * Whether a statement denies it; all that counts for a role of the resource's own account, where a policy that
   * merely allows nothing takes nothing away.
   */
  readonly denial: Match;
}

interface Judged {
  readonly label: string;
  readonly effect: "Allow" | "Deny";
  /** How many elements of the statement apply before the first that does not. */
  readonly depth: number;
  readonly match: Match;
}

/** The elements of a statement that must apply, in the order in which they are looked at. */
export type Elements = (statement: Statement) => readonly Match[];

/** Decides over all policies of a role. A policy that cannot be read could allow and could deny. */
export function decide(policies: readonly unknown[], elements: Elements, nothing: string): AwsDecision {
  return decided(
    policies.flatMap((policy, index) =>
      judge(readRolePolicy(policy), policies.length === 1 ? "" : ` of policy ${index + 1}`, elements),
    ),
    nothing,
  );
}

/** Decides over the policy of a resource, and tells apart what it denies and what it merely does not allow. */
export function decideResource(policy: unknown, elements: Elements, nothing: string): AwsResourceDecision {
  const judged = judge(readPolicy(policy), "", elements);
  return { ...decided(judged, nothing), denial: denialOf(judged) };
}

function denialOf(judged: readonly Judged[]): Match {
  const denies = judged.filter(({ effect }) => effect === "Deny");
  const certain = denies.find(({ match }) => match.holds === true);
  if (certain) return yes(`statement ${certain.label} denies it`);
  const threat = denies.find(({ match }) => match.holds === undefined);
  return threat ? cannotTell(told(threat, "may deny it")) : no("no statement denies it");
}

function decided(judged: readonly Judged[], nothing: string): AwsDecision {
  const denies = judged.filter(({ effect }) => effect === "Deny");
  const allows = judged.filter(({ effect }) => effect === "Allow");
  const denied = denies.find(({ match }) => match.holds === true);
  if (denied) return { outcome: "denied", reason: `statement ${denied.label} denies it` };
  const allowed = allows.find(({ match }) => match.holds === true);
  const open = allows.find(({ match }) => match.holds === undefined);
  const threat = denies.find(({ match }) => match.holds === undefined);
  if (allowed && threat) return { outcome: "unknown", reason: told(threat, "may deny it") };
  if (allowed) return { outcome: "allowed", reason: `statement ${allowed.label} allows it` };
  if (open) return { outcome: "unknown", reason: told(open, "cannot be judged") };
  return { outcome: "denied", reason: nearest(allows, nothing) };
}

function judge(read: ReadPolicy, where: string, elements: Elements): Judged[] {
  if ("problem" in read) {
    const reason = read.isUnread ? read.problem : `the policy cannot be read: ${read.problem}`;
    const match: Match = { holds: undefined, reason };
    return (["Allow", "Deny"] as const).map((effect) => ({ label: `?${where}`, effect, depth: 0, match }));
  }
  return read.statements.map((statement) => {
    const matches = elements(statement);
    const failing = matches.findIndex(({ holds }) => holds === false);
    const open = matches.findIndex(({ holds }) => holds === undefined);
    const decisive = failing >= 0 ? failing : open;
    return {
      label: statement.label + where,
      effect: statement.effect,
      depth: decisive < 0 ? matches.length : decisive,
      match: matches[decisive] ?? { holds: true, reason: "every element applies" },
    };
  });
}

function told({ label, match }: Judged, what: string): string {
  return label.startsWith("?") ? match.reason : `statement ${label} ${what}: ${match.reason}`;
}

/** The statement that came closest is the one worth reading. */
function nearest(allows: readonly Judged[], nothing: string): string {
  const [best] = [...allows].sort((a, b) => b.depth - a.depth);
  return best ? `no statement allows it; nearest is ${best.label}: ${best.match.reason}` : nothing;
}
