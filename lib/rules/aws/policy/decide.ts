/*
 * From statements to a decision: a certain Deny wins, then a certain Allow that no uncertain Deny threatens; if nothing
 * allows, the result is denied. A statement is prepared once, and judged once for each action, except for the resource.
 * Source: "Policy evaluation logic" in the IAM user guide.
 */

import { type Ternary, and, is, known, match } from "../../../model/known";
import { conditionsHold, conditionsMissed } from "./conditions";
import { type RequestContext } from "./context";
import type { Statement, Policy } from "./document";
import { Match, YES, cannotTell, no } from "./match";
import { type AskedResource, everyResource, oneResource } from "./asked-resource";
import { type AskedAction, Resources, actionsOf, resourcesOf } from "./resource-name";

type Effect = "Allow" | "Deny";

/** Whether a statement applies, and how close it comes to applying. */
interface Judged {
  /** The first number that differs decides which statement is closer: the higher one. */
  readonly nearness: readonly number[];
  readonly match: Match;
}

interface Candidate {
  /** Display name; `undefined` if there is no statement to name. */
  readonly label: string | undefined;
  /** Its effect; both effects if that is unknown. */
  readonly effects: readonly Effect[];
  /** The result of all elements except the resource. */
  appliesTo(action: AskedAction): Ternary;
  covers(resource: AskedResource): Ternary;
  judged(action: AskedAction, resource: AskedResource | undefined): Judged;
}

const ALLOW: readonly Effect[] = ["Allow"];
const DENY: readonly Effect[] = ["Deny"];
const BOTH: readonly Effect[] = [...ALLOW, ...DENY];

/** May say anything, with both effects. */
class UnreadStatements implements Candidate {
  readonly label = undefined;
  readonly effects: readonly Effect[] = BOTH;
  readonly #why: string;

  constructor(why: string) {
    this.#why = why;
  }

  appliesTo(): Ternary {
    return "unknown";
  }

  covers(): Ternary {
    return "yes";
  }

  judged(): Judged {
    return { nearness: [], match: cannotTell(() => this.#why) };
  }
}

class ReadStatement implements Candidate {
  readonly effects: readonly Effect[];
  readonly #statement: Statement;
  readonly #judging: Judging;
  /** Names its policy for readers. */
  readonly #where: string;
  readonly #isCertain: boolean;
  #others: Ternary | undefined;
  #resources: Resources | Match | undefined;

  constructor(statement: Statement, where: string, judging: Judging, isCertain: boolean) {
    this.#statement = statement;
    this.#where = where;
    this.#judging = judging;
    this.effects = match<Effect, readonly Effect[]>(
      statement.effect,
      (effect) => (effect === "Allow" ? ALLOW : DENY),
      () => BOTH,
    );
    this.#isCertain = isCertain && this.effects.length === 1;
  }

  get label(): string {
    return this.#statement.label + this.#where;
  }

  appliesTo(action: AskedAction): Ternary {
    const covers = actionsOf(this.#statement).cover(action);
    return covers === "no" ? covers : and(covers, (this.#others ??= this.#otherElements()));
  }

  covers(resource: AskedResource): Ternary {
    const resources = this.#covered;
    return resources instanceof Match ? resources.holds : resources.cover(resource);
  }

  judged(action: AskedAction, resource: AskedResource | undefined): Judged {
    const [statement, resources] = [this.#statement, this.#covered];
    const { context } = this.#judging;
    const conditions = conditionsHold(statement, context);
    const covered = resource && (resources instanceof Match ? resources : resources.judged(resource));
    const principal = this.#judging.principal(statement);
    const elements = [
      principal,
      actionsOf(statement).judged(action),
      ...(covered ? [covered] : []),
      conditions,
      ...(this.#isCertain ? [] : [NOT_CERTAIN]),
    ];
    const failing = elements.findIndex(({ holds }) => holds === "no");
    const decisive = failing >= 0 ? failing : elements.findIndex(({ holds }) => holds === "unknown");
    const others = elements.filter((each) => each !== conditions && each.holds === "no");
    const missed = conditionsMissed(statement, context);
    const isEvery = statement.resources?.values.some((value) => is(value, "*") === "yes") ?? true;
    const isNamed = missed.isNamed || (covered?.holds === "yes" && !isEvery);
    const depth = decisive < 0 ? elements.length : decisive;
    return {
      nearness: [Number(principal.holds !== "no"), -others.length - missed.count, Number(isNamed), depth],
      match: elements[decisive] ?? YES,
    };
  }

  #otherElements(): Ternary {
    const principal = this.#judging.principal(this.#statement).holds;
    const holds =
      principal === "no"
        ? principal
        : and(principal, conditionsHold(this.#statement, this.#judging.context).holds);
    return holds === "yes" && !this.#isCertain ? "unknown" : holds;
  }

  get #covered(): Resources | Match {
    return (this.#resources ??= resourcesOf(this.#statement, this.#judging.context));
  }
}

const NOT_CERTAIN = cannotTell(() => "it is not certain that it applies");

/** The result of evaluating a policy. */
export interface AwsDecision {
  /** `unknown` if a value, key or operator cannot be judged from the input. */
  readonly outcome: "allowed" | "denied" | "unknown";
  /** The reason, in one sentence without a period. */
  readonly reason: string;
}

/** One of several policies that decide together. */
export interface CountedPolicy<D> {
  readonly policy: Policy;
  /** Why it is not certain that the policy applies, in the caller's form; `undefined` if it certainly does. */
  readonly doubt: D | undefined;
}

interface Judging {
  readonly context: RequestContext;
  readonly principal: (statement: Statement) => Match;
  readonly nothing: string;
}

/** Policies that decide together, prepared for many requests. Those that certainly apply come first. */
export class PolicySet<D = never> {
  readonly #counted: readonly CountedPolicy<D>[];
  readonly #judging: Judging;
  readonly #questions = new Map<string, Question<D>>();
  #prepared: readonly Doubted<D>[] | undefined;

  constructor(counted: readonly CountedPolicy<D>[], judging: Judging) {
    this.#counted = counted;
    this.#judging = judging;
  }

  question(action: string): Question<D> {
    const before = this.#questions.get(action);
    const question = before ?? this.#made(action, oneResource(action.toLowerCase()));
    this.#questions.set(action, question);
    return question;
  }

  /** The question about every action that a text with wildcards covers. */
  every(action: string): Question<D> {
    return this.#made(action, everyResource(known(action.toLowerCase())));
  }

  #made(action: string, compared: AskedResource): Question<D> {
    this.#prepared ??= this.#counted.flatMap((each, place) => this.#candidates(each, place));
    return new Question({ action, compared }, this.#prepared, this.#refused, this.#judging.nothing);
  }

  #candidates({ policy, doubt }: CountedPolicy<D>, place: number): readonly Doubted<D>[] {
    if (policy.kind === "refused") return [];
    if (policy.kind === "unread") return [{ candidate: new UnreadStatements(policy.why), doubt }];
    const where = this.#counted.length === 1 ? "" : ` of policy ${place + 1}`;
    return policy.statements.map((each) => ({
      candidate:
        "unread" in each
          ? new UnreadStatements(each.unread + where)
          : new ReadStatement(each, where, this.#judging, doubt === undefined),
      doubt,
    }));
  }

  get #refused(): string | undefined {
    for (const { policy } of this.#counted) if (policy.kind === "refused") return policy.why;
    return undefined;
  }
}

interface Doubted<D> {
  readonly candidate: Candidate;
  readonly doubt: D | undefined;
}

/** A statement that applies, or may apply, to some resource. */
interface Live<D> extends Doubted<D> {
  readonly rest: Ternary;
  /** The decision if it allows. */
  readonly allows: Decision<D>;
}

export class Question<D = never> {
  readonly #action: AskedAction;
  readonly #all: readonly Doubted<D>[];
  readonly #live: readonly Live<D>[];
  readonly #refused: string | undefined;
  readonly #nothing: string;

  constructor(action: AskedAction, all: readonly Doubted<D>[], refused: string | undefined, nothing: string) {
    this.#action = action;
    this.#all = all;
    const live: Live<D>[] = [];
    for (const { candidate, doubt } of all) {
      const rest = candidate.appliesTo(action);
      if (rest !== "no") live.push({ candidate, doubt, rest, allows: decided(candidate, "allowed") });
    }
    this.#live = live;
    this.#refused = refused;
    this.#nothing = nothing;
  }

  /** True if the decision is that of another question to the same policies for every resource. */
  isAlike(other: Question<D>): boolean {
    return (
      this.#live.length === other.#live.length &&
      this.#live.every(({ candidate, rest }, place) => {
        const same = other.#live[place];
        return same?.candidate === candidate && same.rest === rest;
      })
    );
  }

  /** Decides; `undefined` if no statement may name a resource. */
  decide(resource: AskedResource | undefined): Decision<D> {
    let allowed: Live<D> | undefined;
    let open: Doubted<D> | undefined;
    let threat: Doubted<D> | undefined;
    for (const doubted of this.#live) {
      const applies = appliesTo(doubted, resource);
      if (applies === "no") continue;
      for (const effect of doubted.candidate.effects)
        if (applies === "unknown") {
          if (effect === "Allow") open ??= doubted;
          else threat ??= doubted;
        } else if (effect === "Allow") allowed ??= doubted;
        else return decided(doubted.candidate, "denied");
    }
    if (allowed && threat) return this.#open(threat, "Deny", resource);
    if (allowed) return allowed.allows;
    return open ? this.#open(open, "Allow", resource) : this.#denied(resource);
  }

  denial(resource: AskedResource | undefined): Match {
    let threat: Doubted<D> | undefined;
    for (const doubted of this.#live) {
      if (!doubted.candidate.effects.includes("Deny")) continue;
      const applies = appliesTo(doubted, resource);
      if (applies === "yes") return new Match("yes", () => `${nameOf(doubted.candidate)} denies it`);
      if (applies === "unknown") threat ??= doubted;
    }
    const first = threat;
    return first
      ? cannotTell(() => this.#withReason(first, "may deny it", resource))
      : no(() => "no statement denies it");
  }

  #open(each: Doubted<D>, effect: Effect, resource: AskedResource | undefined): Decision<D> {
    const what = effect === "Deny" ? "may deny it" : "cannot be judged";
    return new Decided<D>("unknown", () => this.#withReason(each, what, resource), each.doubt, effect);
  }

  #denied(resource: AskedResource | undefined): Decision<D> {
    return new Decided<D>("denied", () => this.#nearest(resource));
  }

  #nearest(resource: AskedResource | undefined): string {
    if (this.#refused !== undefined) return `AWS refuses the policy: ${this.#refused}`;
    const allows = this.#all.filter(({ candidate }) => candidate.effects.includes("Allow"));
    const judged = allows.map((each) => ({ each, ...each.candidate.judged(this.#action, resource) }));
    const [best] = judged.sort((one, other) => closer(other.nearness, one.nearness));
    return best
      ? `no statement allows it; ${nameOf(best.each.candidate)} comes closest: ${best.match.reason}`
      : this.#nothing;
  }

  #withReason(each: Doubted<D>, what: string, resource: AskedResource | undefined): string {
    const { match } = each.candidate.judged(this.#action, resource);
    return each.candidate.label === undefined
      ? match.reason
      : `${nameOf(each.candidate)} ${what}: ${match.reason}`;
  }
}

function appliesTo({ candidate, rest }: Live<unknown>, resource: AskedResource | undefined): Ternary {
  const covers = resource === undefined ? "yes" : candidate.covers(resource);
  return covers === "yes" ? rest : covers;
}

function closer(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((each, place) => each !== other[place]);
  return (one[at] ?? 0) - (other[at] ?? 0);
}

function nameOf({ label }: Candidate): string {
  return label === undefined ? "a statement" : `statement ${label}`;
}

function decided<D>(statement: Candidate, outcome: "allowed" | "denied"): Decision<D> {
  return new Decided<D>(
    outcome,
    () => `${nameOf(statement)} ${outcome === "allowed" ? "allows" : "denies"} it`,
    undefined,
    outcome === "allowed" ? undefined : "Deny",
  );
}

export interface Decision<D = never> extends AwsDecision {
  /** Why the policy that makes the outcome unknown may not apply; in the form of the caller. */
  readonly doubt: D | undefined;
  /** What the statement in question does, or may do; `undefined` if one allows, or none applies. */
  readonly perhaps: Effect | undefined;
}

/** The words are made when they are read. */
class Decided<D> implements Decision<D> {
  readonly outcome: AwsDecision["outcome"];
  readonly doubt: D | undefined;
  readonly perhaps: Effect | undefined;
  readonly #words: () => string;

  constructor(outcome: AwsDecision["outcome"], words: () => string, doubt?: D, perhaps?: Effect) {
    this.outcome = outcome;
    this.doubt = doubt;
    this.perhaps = perhaps;
    this.#words = words;
  }

  get reason(): string {
    return this.#words();
  }
}
