/*
 * Identity policies made ready for many requests: what no request changes is judged once, and resources are looked
 * up instead of compared one by one. Says what `evaluateAwsPermission` says, but not why; the two are kept equal by a
 * property test.
 */

import type { RequestContext } from "./context";
import { conditionsHold } from "./conditions";
import type { AwsDecision } from "./decide";
import { type AwsPermissionRequest, requestContext } from "./evaluate-permission";
import { coversAction, resourceMatcher } from "./selection";
import { readRolePolicy } from "./role-policy";
import type { Statement } from "./statements";

/** A statement that can apply to an action. */
interface Live {
  readonly effect: Statement["effect"];
  /** True where something besides the resource cannot be judged, so that the statement never certainly applies. */
  readonly open: boolean;
  readonly covers: (resource: string) => boolean | undefined;
}

/** Says of a resource whether one action may be done on it. */
export type ActionOutcome = (resource: string) => AwsDecision["outcome"];

/** Identity policies, ready to be asked. */
export class PermissionTable {
  readonly #statements: readonly { readonly statement: Statement; readonly covers: Live["covers"] }[];
  readonly #context: RequestContext;
  readonly #unreadable: boolean;
  readonly #outcomes = new Map<string, ActionOutcome>();
  /** The statements that can apply, with what judges by them. */
  readonly #live: (readonly [readonly Live[], ActionOutcome])[] = [];

  /** Takes each policy as JSON text or parsed, and the condition keys that all requests have; never throws. */
  constructor(policies: readonly unknown[], context: AwsPermissionRequest["context"] = undefined) {
    this.#context = contextOnDemand(context);
    const read = policies.map(readRolePolicy);
    this.#unreadable = read.some((policy) => "problem" in policy);
    this.#statements = read
      .flatMap((policy) => ("problem" in policy ? [] : policy.statements))
      .map((statement) => ({ statement, covers: covered(statement, this.#context) }));
  }

  /** What `evaluateAwsPermission` says of a known action on a known resource. */
  outcome(action: string, resource: string): AwsDecision["outcome"] {
    return this.of(action)(resource);
  }

  /** The outcomes of one action; the same function for two actions that no statement tells apart. */
  of(action: string): ActionOutcome {
    const known = this.#outcomes.get(action);
    if (known) return known;
    const made = this.#judge(this.#liveOf(action));
    this.#outcomes.set(action, made);
    return made;
  }

  #judge(live: readonly Live[]): ActionOutcome {
    const [, known] = this.#live.find(([other]) => areSame(live, other)) ?? [];
    if (known) return known;
    const judge: ActionOutcome = (resource) => outcomeOf(live, resource, this.#unreadable);
    this.#live.push([live, judge]);
    return judge;
  }

  #liveOf(action: string): readonly Live[] {
    return this.#statements.flatMap(({ statement, covers }): Live[] => {
      const others = [coversAction(statement.actions, action), conditionsHold(statement, this.#context)];
      if (others.some(({ holds }) => holds === false)) return [];
      // AWS refuses a Principal in an identity policy.
      const open = statement.principal !== undefined || others.some(({ holds }) => holds === undefined);
      return [{ effect: statement.effect, open, covers }];
    });
  }
}

/** Most policies have no condition that would look up a key. */
function contextOnDemand(given: AwsPermissionRequest["context"]): RequestContext {
  let made: RequestContext | undefined;
  return { bearer: "request", lookup: (key) => (made ??= requestContext(given)).lookup(key) };
}

function areSame(one: readonly Live[], other: readonly Live[]): boolean {
  const same = ({ open, covers }: Live, index: number): boolean =>
    covers === other[index]?.covers && open === other[index]?.open;
  return one.length === other.length && one.every(same);
}

function outcomeOf(live: readonly Live[], resource: string, unreadable: boolean): AwsDecision["outcome"] {
  let [allowed, open, threat] = [false, unreadable, unreadable];
  for (const statement of live) {
    const covers = statement.covers(resource);
    if (covers === false) continue;
    const certain = covers === true && !statement.open;
    if (statement.effect === "Allow") {
      if (certain) allowed = true;
      else open = true;
    } else if (certain) return "denied";
    else threat = true;
  }
  if (allowed) return threat ? "unknown" : "allowed";
  return open ? "unknown" : "denied";
}

/** No wildcard, no policy variable and no Terraform reference: equal or not. */
function isPlain(value: string): boolean {
  return !value.includes("*") && !value.includes("?") && !value.includes("{");
}

function covered({ resources, variables }: Statement, context: RequestContext): Live["covers"] {
  if (!resources) return () => undefined;
  const { values, negated } = resources;
  const plain = new Set<string>();
  const patterns: Live["covers"][] = [];
  for (const value of values)
    if (isPlain(value)) plain.add(value);
    else patterns.push(resourceMatcher(value, variables, context));
  return (resource) => {
    const found = plain.has(resource) || anyOf(patterns, resource);
    return found === undefined ? undefined : found !== negated;
  };
}

function anyOf(patterns: readonly Live["covers"][], resource: string): boolean | undefined {
  let found: boolean | undefined = false;
  for (const covers of patterns) {
    const match = covers(resource);
    if (match === true) return true;
    if (match === undefined) found = undefined;
  }
  return found;
}
