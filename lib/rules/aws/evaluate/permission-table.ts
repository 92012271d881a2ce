/*
 * Identity policies made ready for many requests: what no request changes is judged once, and resources are looked
 * up instead of compared one by one. Says what `evaluateAwsPermission` says of a request without condition keys, but
 * not why; the two are kept equal by a property test.
 */

import type { ContextValue, RequestContext } from "./context";
import { conditionsHold } from "./conditions";
import type { AwsDecision } from "./decide";
import { coversAction, resourceMatcher } from "./selection";
import { type Statement, readPolicy } from "./statements";

/** A statement that can apply to an action. */
interface Live {
  readonly effect: Statement["effect"];
  /** True where something besides the resource cannot be judged, so that the statement never certainly applies. */
  readonly open: boolean;
  readonly covers: (resource: string) => boolean | undefined;
}

const NOTHING_KNOWN: RequestContext = {
  bearer: "request",
  lookup: (): ContextValue => ({ known: false, reason: "" }),
};

/** Identity policies, ready to be asked. */
export class PermissionTable {
  readonly #statements: readonly { readonly statement: Statement; readonly covers: Live["covers"] }[];
  readonly #unreadable: boolean;
  /** By action: the statements that can apply to it. */
  readonly #live = new Map<string, readonly Live[]>();

  /** Takes each policy as JSON text or parsed; never throws. */
  constructor(policies: readonly unknown[]) {
    const read = policies.map(readPolicy);
    this.#unreadable = read.some((policy) => "problem" in policy);
    this.#statements = read
      .flatMap((policy) => ("problem" in policy ? [] : policy.statements))
      .map((statement) => ({ statement, covers: covered(statement) }));
  }

  /** What `evaluateAwsPermission` says without condition keys of a known action on a known resource. */
  outcome(action: string, resource: string): AwsDecision["outcome"] {
    let [allowed, open, threat] = [false, this.#unreadable, this.#unreadable];
    for (const statement of this.#liveOf(action)) {
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

  #liveOf(action: string): readonly Live[] {
    const known = this.#live.get(action);
    if (known) return known;
    const live = this.#statements.flatMap(({ statement, covers }): Live[] => {
      const others = [coversAction(statement.actions, action), conditionsHold(statement, NOTHING_KNOWN)];
      if (others.some(({ holds }) => holds === false)) return [];
      // AWS refuses a Principal in an identity policy.
      const open = statement.principal !== undefined || others.some(({ holds }) => holds === undefined);
      return [{ effect: statement.effect, open, covers }];
    });
    this.#live.set(action, live);
    return live;
  }
}

/** No wildcard, no policy variable and no Terraform reference: equal or not. */
const PLAIN = /^[^*?{]*$/;

function covered({ resources, variables }: Statement): Live["covers"] {
  if (!resources) return () => undefined;
  const { values, negated } = resources;
  const plain = new Set<string>();
  const patterns: Live["covers"][] = [];
  for (const value of values)
    if (PLAIN.test(value)) plain.add(value);
    else patterns.push(resourceMatcher(value, variables, NOTHING_KNOWN));
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
