/*
 * A statement as it bears on one action: everything but the resource is judged once.
 */

import { type Ternary, and, match } from "../../../model/known";
import { conditionsHold } from "./conditions";
import type { RequestContext } from "./context";
import { Match, cannotTell } from "./match";
import type { Statement } from "./policy";
import type { AskedResource } from "./resource-name";
import { Resources, coversAction, resourcesOf } from "./selection";

/** What a statement does. */
export type Effect = "Allow" | "Deny";

/** Whether a statement applies, and how near it comes to that. */
export interface Judged {
  /** How many of its elements apply before the first that does not. */
  readonly depth: number;
  /** The element that decides. */
  readonly match: Match;
}

/** What a statement says of an action. */
export interface Candidate {
  /** For people; `undefined` where there is no statement to name. */
  readonly label: string | undefined;
  /** What it does; both where that is not known. */
  readonly effects: readonly Effect[];
  /** False where it does not apply whatever the resource is. */
  readonly isLive: boolean;
  /** Whether it applies. */
  applies(resource: AskedResource | undefined): Ternary;
  /** As {@link applies}, with the reason. */
  judged(resource: AskedResource | undefined): Judged;
  /** True where it judges every resource as another one does. */
  isAlike(other: Candidate): boolean;
}

/** The statements of a policy that could not be read: any of both effects. */
export class UnreadStatements implements Candidate {
  readonly label = undefined;
  readonly effects: readonly Effect[] = ["Allow", "Deny"];
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

/** A statement that was read. */
export class ReadStatement implements Candidate {
  readonly label: string;
  readonly effects: readonly Effect[];
  readonly #statement: Statement;
  readonly #context: RequestContext;
  readonly #principal: Match;
  readonly #action: Match;
  readonly #conditions: Match;
  /** What all but the resource say. */
  readonly #rest: Ternary;
  readonly #isCertain: boolean;
  #resources: Resources | Match | undefined;

  constructor(
    statement: Statement,
    label: string,
    asked: {
      readonly action: string;
      readonly principal: Match;
      readonly context: RequestContext;
      /** False where it is not certain that the policy counts. */
      readonly isCertain: boolean;
    },
  ) {
    this.#statement = statement;
    this.label = label;
    this.effects = match<Effect, readonly Effect[]>(
      statement.effect,
      (effect) => [effect],
      () => ["Allow", "Deny"],
    );
    this.#context = asked.context;
    this.#principal = asked.principal;
    this.#action = coversAction(statement.actions, asked.action);
    const isOut = this.#principal.holds === "no" || this.#action.holds === "no";
    this.#conditions = isOut ? this.#action : conditionsHold(statement, asked.context);
    this.#isCertain = asked.isCertain && this.effects.length === 1;
    const rest = and(this.#principal.holds, this.#action.holds, this.#conditions.holds);
    this.#rest = rest === "yes" && !this.#isCertain ? "unknown" : rest;
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
    const elements = [this.#principal, this.#action];
    if (resource !== undefined) {
      const resources = this.#covered;
      elements.push(resources instanceof Match ? resources : resources.judged(resource));
    }
    elements.push(this.#conditions);
    if (!this.#isCertain) elements.push(NOT_CERTAIN);
    const failing = elements.findIndex(({ holds }) => holds === "no");
    const decisive = failing >= 0 ? failing : elements.findIndex(({ holds }) => holds === "unknown");
    return {
      depth: decisive < 0 ? elements.length : decisive,
      match: elements[decisive] ?? this.#conditions,
    };
  }

  isAlike(other: Candidate): boolean {
    return (
      other instanceof ReadStatement && other.#statement === this.#statement && other.#rest === this.#rest
    );
  }

  get #covered(): Resources | Match {
    return (this.#resources ??= resourcesOf(this.#statement, this.#context));
  }
}

const NOT_CERTAIN = cannotTell(() => "it is not certain that it counts");
