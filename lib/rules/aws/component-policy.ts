/*
 * The permissions of a component: what its request asks for, narrowed where the caller says so. Narrowing never
 * adds: what is given besides stands in statements of its own.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { matchesPattern } from "./evaluate/wildcard";
import { identityStatement } from "./identity-statement";
import { kmsKeyArn, kmsStatements } from "./kms-key";
import type { PolicyCondition } from "./policy-condition";
import {
  type PolicyDocument,
  type PolicyStatement,
  checkedPolicy,
  oneOrMany,
  policyDocument,
} from "./policy-document";
import type { RequestStatement } from "./provider-spec";

/** Actions of a request that reach less than the request asks for. */
export interface ComponentNarrowing {
  /** Actions as the request writes them, or with `*` for any text: `s3:GetObject`, `kms:*`. */
  readonly actions: readonly string[];
  /**
   * What they reach instead of the request's resource; within that.
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

/** What one component gets other than its request says. */
export interface ComponentPermissionsOverride {
  /**
   * Actions that reach less; each action of the request at most once.
   *
   * @defaultValue - the request as it is
   */
  readonly narrow?: readonly ComponentNarrowing[];
  /**
   * ARNs of the KMS keys that the component may use, at least one; its KMS actions reach these alone. A request
   * without KMS actions gets those for encrypted disks and objects.
   *
   * @defaultValue - the request as it is
   */
  readonly kmsKeys?: readonly string[];
  /**
   * Statements besides those of the request.
   *
   * @defaultValue - none
   */
  readonly statements?: readonly PolicyStatement[];
}

const KMS = /^kms:/i;
const SHORTEN = "narrow fewer actions apart from each other, or leave some `statements` out";

/**
 * The inline policy of a component.
 *
 * Throws `aws-override-unused`, `aws-override-ambiguous`, `aws-override-wider`, `aws-override-condition`,
 * `aws-kms-key-invalid`, `aws-statement-invalid` or `aws-policy-too-long`.
 */
export function componentPolicy(
  statements: readonly RequestStatement[],
  override: ComponentPermissionsOverride = {},
): PolicyDocument {
  const keys = override.kmsKeys?.map(kmsKeyArn) ?? [];
  if (override.kmsKeys?.length === 0) fail("aws-kms-key-invalid", override.kmsKeys);
  const asksForKms = actionsOf(statements).some((action) => KMS.test(action));
  const narrow = [
    ...(override.narrow ?? []),
    ...(keys.length > 0 && asksForKms ? [{ actions: ["kms:*"], resources: keys }] : []),
  ];
  refuseUnused(statements, narrow);
  const additional = (override.statements ?? []).map((statement, index) =>
    identityStatement(statement, `statements[${index}] of the override`),
  );
  return checkedPolicy(
    "permission policy of the IAM role",
    policyDocument([
      ...statements.flatMap((statement) => narrowed(statement, narrow)),
      ...(keys.length > 0 && !asksForKms ? kmsStatements(keys) : []),
      ...additional,
    ]),
    SHORTEN,
  );
}

/** The actions of a statement, grouped by what narrows them; a Deny is never narrowed, that would permit more. */
function narrowed(statement: RequestStatement, narrow: readonly ComponentNarrowing[]): PolicyStatement[] {
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

function narrowedBy(
  { resources, conditions }: ComponentNarrowing,
  statement: RequestStatement,
  actions: readonly string[],
): PolicyStatement {
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

function refuseUnused(statements: readonly RequestStatement[], narrow: readonly ComponentNarrowing[]): void {
  const known = actionsOf(statements);
  if (narrow.some(({ resources }) => resources?.length === 0))
    fail("aws-statement-invalid", "narrow of the override", "has no resources", []);
  for (const pattern of narrow.flatMap(({ actions }) => actions))
    if (!known.some((action) => names(pattern, action))) fail("aws-override-unused", pattern, known);
}

function actionsOf(statements: readonly RequestStatement[]): string[] {
  return statements.flatMap(({ Effect, Action }) => (Effect === "Allow" ? Action : []));
}

/** A late ARN cannot be compared; within `*` everything is. */
function requireWithin(resource: string, asked: string): void {
  if (asked === "*" || resource === asked || isLate(resource)) return;
  if (matchesPattern(asked, resource) !== true) fail("aws-override-wider", resource, asked);
}

function both(asked: PolicyCondition, added: PolicyCondition): PolicyCondition {
  const operators = [...new Set([...Object.keys(asked), ...Object.keys(added)])];
  return Object.fromEntries(
    operators.map((operator) => {
      const [known, more] = [asked[operator] ?? {}, added[operator] ?? {}];
      const twice = Object.keys(more).find((key) => key in known);
      if (twice !== undefined) fail("aws-override-condition", operator, twice);
      return [operator, { ...known, ...more }];
    }),
  );
}
