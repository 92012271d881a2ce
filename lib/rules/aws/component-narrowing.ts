/*
 * Actions of a component's request that are to reach less. Narrowing never adds: what is given besides stands in
 * statements of its own.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { matchesPattern } from "../wildcard";
import { isConditionOfOperators, isResource } from "./identity-statement";
import { patternWithin } from "./pattern-within";
import type { PolicyCondition } from "./policy-condition";
import { type PolicyStatement, oneOrMany } from "./policy-document";
import { type RequestStatement, isTextList } from "./provider-spec";
import { type ObjectKind, anyObject, list, object, optional, text } from "../../model/shape";

/** Actions of a request that reach less than the request asks for. */
export interface ComponentNarrowing {
  /** Actions as the request writes them, or with `*` for any text: `s3:GetObject`, `kms:*`. */
  readonly actions: readonly string[];
  /**
   * What they reach instead of the request's resource; within that. May be late where the request asks for `*`.
   *
   * @defaultValue - the request's resource
   */
  readonly resources?: readonly string[];
  /**
   * Conditions that must hold besides those of the request.
   *
   * @defaultValue - none
   */
  readonly conditions?: PolicyCondition;
}

/** The kind of {@link ComponentNarrowing}. */
export const COMPONENT_NARROWING: ObjectKind<ComponentNarrowing> = object({
  actions: list(text),
  resources: optional(list(text)),
  conditions: optional(anyObject),
});

/**
 * Returns what is narrowed, checked, each of its actions being one of the request.
 *
 * Throws `aws-override-invalid` or `aws-override-unused`.
 */
export function checkedNarrowings(
  narrow: readonly ComponentNarrowing[],
  statements: readonly RequestStatement[],
): readonly ComponentNarrowing[] {
  narrow.forEach((one, index) => checkNarrowing(one, `narrow[${index}]`));
  const known = permittedActions(statements);
  for (const pattern of narrow.flatMap(({ actions }) => actions))
    if (!known.some((action) => names(pattern, action))) fail("aws-override-unused", pattern, known);
  return narrow;
}

/** The actions that a request is permitted. */
export function permittedActions(statements: readonly RequestStatement[]): string[] {
  return statements.flatMap(({ Effect, Action }) => (Effect === "Allow" ? Action : []));
}

/**
 * A statement with its actions grouped by what narrows them; a Deny is never narrowed, that would permit more.
 *
 * Throws `aws-override-ambiguous`, `aws-override-wider`, `aws-override-condition` or `aws-override-invalid`.
 */
export function narrowedStatements(
  statement: RequestStatement,
  narrow: readonly ComponentNarrowing[],
): PolicyStatement[] {
  if (statement.Effect === "Deny") return [statement];
  const groups = new Map<ComponentNarrowing | undefined, string[]>();
  for (const action of statement.Action) {
    const by = narrowingOf(action, narrow);
    groups.set(by, [...(groups.get(by) ?? []), action]);
  }
  return [...groups].map(([by, actions]) =>
    by ? narrowedBy(by, statement, actions) : { ...statement, Action: actions },
  );
}

function checkNarrowing(one: ComponentNarrowing, where: string): void {
  const refuse = (reason: string, value: unknown): never =>
    fail("aws-override-invalid", where, reason, value);
  const { actions, resources, conditions } = one;
  if (!isTextList(actions)) refuse("names no actions", actions);
  if (resources !== undefined && !(isTextList(resources) && resources.every(isResource)))
    refuse("has no resources, or one that is no ARN", resources);
  if (conditions !== undefined && !isConditionOfOperators(conditions))
    refuse("has conditions that are not operator → key → values", conditions);
  if (resources === undefined && conditions === undefined) refuse("narrows nothing", one);
}

function narrowedBy(
  narrowing: ComponentNarrowing,
  statement: RequestStatement,
  actions: readonly string[],
): PolicyStatement {
  const { resources, conditions } = narrowing;
  if (!conditions && resources?.includes(statement.Resource))
    fail("aws-override-invalid", `narrow of ${actions.join(", ")}`, "narrows nothing", resources);
  for (const resource of resources ?? []) requireWithin(resource, statement.Resource);
  const condition = conditions ? both(statement.Condition ?? {}, conditions) : statement.Condition;
  return {
    Effect: statement.Effect,
    Action: actions,
    Resource: resources ? oneOrMany([...new Set(resources)].sort()) : statement.Resource,
    ...(condition ? { Condition: condition } : {}),
  };
}

function narrowingOf(action: string, narrow: readonly ComponentNarrowing[]): ComponentNarrowing | undefined {
  const found = narrow.filter(({ actions }) => actions.some((pattern) => names(pattern, action)));
  return found.length > 1 ? fail("aws-override-ambiguous", action) : found[0];
}

/** IAM does not tell upper from lower case in actions. */
function names(pattern: string, action: string): boolean {
  return matchesPattern(pattern.toLowerCase(), action.toLowerCase()) === true;
}

/** Within `*` everything is; within anything else a late ARN cannot be compared. */
function requireWithin(resource: string, asked: string): void {
  if (asked === "*") return;
  if (isLate(resource)) fail("aws-override-wider", "an ARN that is known after apply", asked);
  if (!patternWithin(resource, asked)) fail("aws-override-wider", resource, asked);
}

/** Neither operators nor keys tell upper from lower case. */
function both(asked: PolicyCondition, added: PolicyCondition): PolicyCondition {
  const operators = [...new Set([...Object.keys(asked), ...Object.keys(added)])];
  return Object.fromEntries(
    operators.map((operator) => {
      const [known, more] = [asked[operator] ?? {}, added[operator] ?? {}];
      const taken = new Set(Object.keys(known).map((key) => key.toLowerCase()));
      const twice = Object.keys(more).find((key) => taken.has(key.toLowerCase()));
      if (twice !== undefined) fail("aws-override-condition", operator, twice);
      return [operator, { ...known, ...more }];
    }),
  );
}
