/*
 * A statement as it bears on one action: everything but the resource is judged once.
 */

import { type Ternary, and, match } from "../../../model/known";
import { conditionsHold } from "./conditions";
import type { RequestContext } from "./context";
import { Match, cannotTell, yes } from "./match";
import type { Statement } from "./document";
import { type AskedResource, Resources, coversAction, resourcesOf } from "./resource-name";

export type Effect = "Allow" | "Deny";

/** Whether a statement applies, and how near it comes to that. */
interface Judged {
  readonly depth: number;
  readonly match: Match;
}

export interface Candidate {
  /** For people; `undefined` where there is no statement to name. */
  readonly label: string | undefined;
  /** What it does; both where that is not known. */
  readonly effects: readonly Effect[];
  /** False where it does not apply whatever the resource is. */
  readonly isLive: boolean;
  applies(resource: AskedResource | undefined): Ternary;
  judged(resource: AskedResource | undefined): Judged;
  /** True where it judges every resource as another one does. */
  isAlike(other: Candidate): boolean;
}

const ALLOW: readonly Effect[] = ["Allow"];
const DENY: readonly Effect[] = ["Deny"];
const BOTH: readonly Effect[] = [...ALLOW, ...DENY];

/** What a statement that was read says of an action; `where` is of which policy it is, for people. */
export function readStatement(statement: Statement, where: string, asked: Asked): Candidate {
  return new ReadStatement(statement, where, asked);
}

/** What statements say that could not be read: anything, of both effects. */
export function unreadStatements(why: string): Candidate {
  return new UnreadStatements(why);
}

class UnreadStatements implements Candidate {
  readonly label = undefined;
  readonly effects: readonly Effect[] = BOTH;
  readonly isLive = true;
  readonly #why: string;

  constructor(why: string) {
    this.#why = why;
  }

  applies(): Ternary {
    return "unknown";
  }

  judged(): Judged {
    return { depth: 0, match: cannotTell(() => this.#why) };
  }

  isAlike(other: Candidate): boolean {
    return other instanceof UnreadStatements;
  }
}

interface Asked {
  readonly action: string;
  readonly context: RequestContext;
  readonly principal: (statement: Statement) => Match;
  /** False where it is not certain that the policy counts. */
  readonly isCertain: boolean;
}

class ReadStatement implements Candidate {
  readonly effects: readonly Effect[];
  readonly #statement: Statement;
  readonly #where: string;
  readonly #asked: Asked;
  /** What all but the resource say. */
  readonly #rest: Ternary;
  #resources: Resources | Match | undefined;

  constructor(statement: Statement, where: string, asked: Asked) {
    this.#statement = statement;
    this.#where = where;
    this.#asked = asked;
    this.effects = match<Effect, readonly Effect[]>(
      statement.effect,
      (effect) => (effect === "Allow" ? ALLOW : DENY),
      () => BOTH,
    );
    const [principal, action] = [asked.principal(statement), coversAction(statement.actions, asked.action)];
    const others = and(principal.holds, action.holds);
    const rest = others === "no" ? others : and(others, conditionsHold(statement, asked.context).holds);
    this.#rest = rest === "yes" && !this.#isCertain ? "unknown" : rest;
  }

  get label(): string {
    return this.#statement.label + this.#where;
  }

  get isLive(): boolean {
    return this.#rest !== "no";
  }

  applies(resource: AskedResource | undefined): Ternary {
    if (resource === undefined) return this.#rest;
    const resources = this.#covered;
    const covers = resources instanceof Match ? resources.holds : resources.cover(resource);
    return covers === "yes" ? this.#rest : covers;
  }

  judged(resource: AskedResource | undefined): Judged {
    const [statement, resources] = [this.#statement, this.#covered];
    const covered = resource && (resources instanceof Match ? resources : resources.judged(resource));
    const elements = [
      this.#asked.principal(statement),
      coversAction(statement.actions, this.#asked.action),
      ...(covered ? [covered] : []),
      conditionsHold(statement, this.#asked.context),
      ...(this.#isCertain ? [] : [NOT_CERTAIN]),
    ];
    const failing = elements.findIndex(({ holds }) => holds === "no");
    const decisive = failing >= 0 ? failing : elements.findIndex(({ holds }) => holds === "unknown");
    return {
      depth: decisive < 0 ? elements.length : decisive,
      match: elements[decisive] ?? APPLIES,
    };
  }

  isAlike(other: Candidate): boolean {
    return (
      other instanceof ReadStatement && other.#statement === this.#statement && other.#rest === this.#rest
    );
  }

  get #isCertain(): boolean {
    return this.#asked.isCertain && this.effects.length === 1;
  }

  get #covered(): Resources | Match {
    return (this.#resources ??= resourcesOf(this.#statement, this.#asked.context));
  }
}

const APPLIES = yes(() => "every element applies");
const NOT_CERTAIN = cannotTell(() => "it is not certain that it counts");
