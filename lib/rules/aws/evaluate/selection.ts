/*
 * Whether an Action, NotAction, Resource or NotResource covers what is asked for.
 */

import type { RequestContext } from "./context";
import { type Match, any, cannotTell, no, not, quoted, yes } from "./match";
import { arnMatches } from "./operators";
import { policyValue } from "./policy-value";
import type { Selection, Statement } from "./statements";
import { matchesPattern, preparedPattern } from "../../wildcard";

/** Actions are compared without regard to case; policy variables are not filled in here. */
export function coversAction({ values, negated }: Selection, action: string): Match {
  const asked = action.toLowerCase();
  return covers(values, negated, `action ${quoted(action)}`, (value) =>
    value.includes("${") ? undefined : matchesPattern(value.toLowerCase(), asked),
  );
}

/** Resources are compared with regard to case; `*` reaches over slashes. */
export function coversResource(
  { resources, variables }: Statement,
  resource: string,
  context: RequestContext,
): Match {
  if (!resources) return cannotTell("it has neither Resource nor NotResource, which AWS refuses");
  const { values, negated } = resources;
  return covers(values, negated, `resource ${quoted(resource)}`, (raw) =>
    resourceMatcher(raw, variables, context)(resource),
  );
}

/** Judges resources by one value of Resource or NotResource; the value is taken apart only once. */
export function resourceMatcher(
  raw: string,
  variables: boolean,
  context: RequestContext,
): (resource: string) => boolean | undefined {
  const wanted = policyValue(raw, variables, (key) => context.lookup(key));
  if ("problem" in wanted) return () => undefined;
  const pattern = preparedPattern(wanted.pattern);
  const inner = innerStar(raw);
  return (resource) => {
    const whole = matchesPattern(pattern, resource);
    // AWS: a wildcard works within a part of the ARN; at the end of a part it may reach beyond the colon.
    const certain = whole !== true || !inner || arnMatches(raw, resource) === true;
    return certain ? whole : undefined;
  };
}

function innerStar(pattern: string): boolean {
  return /\*[^:*]/.test(pattern.split(":", 5).join(":"));
}

function covers(
  values: readonly string[],
  negated: boolean,
  what: string,
  matches: (value: string) => boolean | undefined,
): Match {
  const found = any(
    values.map((value): Match => {
      const match = matches(value);
      if (match === undefined) return cannotTell(`${quoted(value)} cannot be compared with the ${what}`);
      return match ? yes(`it covers the ${what}`) : no("differs");
    }),
    `it does not cover the ${what}`,
  );
  return negated ? not(found, found.holds ? `it excepts the ${what}` : `it covers the ${what}`) : found;
}
