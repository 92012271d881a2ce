/*
 * Actions of a component's request that are restricted, for example to certain KMS keys. Narrowing never adds: further
 * permissions are in separate statements. Source: "Key policies in AWS KMS" of the KMS developer guide: IAM policies
 * take effect only if the key's own policy allows the account to delegate.
 */

import { fail, type Problem } from "../../errors";
import { isLate } from "../../model/late";
import { type ObjectKind, anyObject, list, object, optional, text } from "../../model/shape";
import { patternWithin } from "../pattern-comparison";
import { matchesPattern } from "../wildcard";
import { readArn, readArnOf, accountInArn, isPartition } from "./arn";
import { otherPartition } from "./partitions";
import {
  type RequestStatement,
  type PolicyCondition,
  type PolicyStatement,
  oneOrMany,
} from "./policy-document";
import { isTextList, isConditionOfOperators, isResource } from "./statement";

/** Actions of a request that are restricted further than in the request. */
export interface ComponentNarrowing {
  /** Actions as the request writes them, or with `*` for any text: `s3:GetObject`, `kms:*`. */
  readonly actions: readonly string[];
  /**
   * Resources that replace the request's resource; within that. May be late if the request asks for `*`.
   *
   * @defaultValue - the request's resource
   */
  readonly resources?: readonly string[];
  /**
   * Conditions that must hold in addition to those of the request.
   *
   * @defaultValue - none
   */
  readonly conditions?: PolicyCondition;
}

export const COMPONENT_NARROWING: ObjectKind<ComponentNarrowing> = object({
  actions: list(text),
  resources: optional(list(text)),
  conditions: optional(anyObject),
});

/** Returns the checked narrowings; each action must be one of the request. */
export function checkedNarrowings(
  narrow: readonly ComponentNarrowing[],
  statements: readonly RequestStatement[],
): readonly ComponentNarrowing[] {
  narrow.forEach((one, index) => checkNarrowing(one, `narrow[${index}]`));
  const known = permittedActions(statements);
  for (const pattern of narrow.flatMap(({ actions }) => actions))
    if (!known.some((action) => names(pattern, action)))
      fail("aws-unused", {
        problem: "the override narrows an action that no Allow statement of the request has",
        value: pattern,
        allowed: known.join(", "),
        remedy:
          "use the action as in the request, or with * for any text; Deny statements are never narrowed",
      });
  return narrow;
}

export function permittedActions(statements: readonly RequestStatement[]): string[] {
  return statements.flatMap(({ Effect, Action }) => (Effect === "Allow" ? Action : []));
}

/** A statement with its actions grouped by narrowing; a Deny is never narrowed, because that would permit more. */
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
  const { actions, resources, conditions } = one;
  if (!isTextList(actions)) refuse(where, "names no actions", actions);
  if (resources !== undefined && !(isTextList(resources) && resources.every(isResource)))
    refuse(where, "has no resources, or one that is not an ARN", resources);
  if (conditions !== undefined && !isConditionOfOperators(conditions))
    refuse(where, "has conditions that are not operator → key → values", conditions);
  if (resources === undefined && conditions === undefined) refuse(where, "narrows nothing", one);
}

function narrowedBy(
  narrowing: ComponentNarrowing,
  statement: RequestStatement,
  actions: readonly string[],
): PolicyStatement {
  const { resources, conditions } = narrowing;
  if (!conditions && resources?.includes(statement.Resource))
    refuse(`narrow of ${actions.join(", ")}`, "narrows nothing", resources);
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
  const covering = narrow.filter(({ actions }) => actions.some((pattern) => names(pattern, action)));
  return covering.length > 1
    ? fail("aws-conflict", {
        problem: "the override narrows an action twice",
        value: action,
        allowed: "each action of the request in one entry of `narrow`",
        remedy:
          "put resources and conditions of the action into one entry; for KMS actions use `kmsKeys` or `narrow`",
      })
    : covering[0];
}

/** IAM ignores letter case in actions. */
function names(pattern: string, action: string): boolean {
  return matchesPattern(pattern.toLowerCase(), action.toLowerCase()) === true;
}

/** Everything is within `*`; with anything else a late ARN cannot be compared. */
function requireWithin(resource: string, asked: string): void {
  if (asked === "*") return;
  if (isLate(resource)) wider("an ARN that is known after apply", asked);
  if (!patternWithin(resource, asked)) wider(resource, asked);
}

/** IAM ignores letter case in operators and keys. */
function both(asked: PolicyCondition, added: PolicyCondition): PolicyCondition {
  const operators = [...new Set([...Object.keys(asked), ...Object.keys(added)])];
  return Object.fromEntries(
    operators.map((operator) => {
      const [known, more] = [asked[operator] ?? {}, added[operator] ?? {}];
      const taken = new Set(Object.keys(known).map((key) => key.toLowerCase()));
      const twice = Object.keys(more).find((key) => taken.has(key.toLowerCase()));
      if (twice !== undefined)
        fail("aws-conflict", {
          problem: `the override states a condition that the request already has, ${operator} on ${twice}`,
          value: twice,
          allowed: "conditions on other keys, or with other operators",
          remedy: "state it with an operator that the request does not use; all conditions must hold",
        });
      return [operator, { ...known, ...more }];
    }),
  );
}

const REGION = /^[a-z0-9-]+$/;
const KEY_ID = /^[A-Za-z0-9-]+$/;

/** Permissions that a component needs to encrypt and decrypt with a key, itself and through other services. */
const USE: readonly string[] = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlainText",
  "kms:ReEncrypt*",
];
const GRANTS: readonly string[] = ["kms:CreateGrant", "kms:ListGrants", "kms:RevokeGrant"];

/** Returns the ARN of a key; checks it if it is literal. */
export function kmsKeyArn(arn: string): string {
  if (isLate(arn)) return arn;
  const key = readArnOf(arn, "kms", "key/");
  return key && isPartition(key.partition) && REGION.test(key.region) && KEY_ID.test(key.name)
    ? arn
    : fail("aws-invalid", noKmsKey(arn));
}

/** The account in a key's literal ARN; `undefined` if the ARN is late. */
export function kmsKeyAccount(arn: string): string | undefined {
  return isLate(arn) ? undefined : accountInArn(arn);
}

export function requireKeyPartition(arn: string, partition: string | undefined): void {
  const its = isLate(arn) ? undefined : readArn(arn)?.partition;
  if (its !== undefined && partition !== undefined && its !== partition)
    fail("aws-mismatch", otherPartition("a KMS key", its, partition));
}

/** The permissions to use keys; grants only for AWS services on the component's behalf. */
export function kmsStatements(keys: readonly string[]): PolicyStatement[] {
  return [
    { Effect: "Allow", Action: USE, Resource: oneOrMany(keys) },
    {
      Effect: "Allow",
      Action: GRANTS,
      Resource: oneOrMany(keys),
      Condition: { Bool: { "kms:GrantIsForAWSResource": true } },
    },
  ];
}

/**
 * The statements that the policy of a key needs for a role, unless it allows the role's account to delegate with IAM
 * policies (as the default policy of a key within one account does).
 */
export function kmsKeyPolicyStatements(roleArn: string): PolicyStatement[] {
  return kmsStatements(["*"]).map((statement) => ({ ...statement, Principal: { AWS: roleArn } }));
}

export function noKmsKey(value: unknown): Problem {
  return {
    problem: "the KMS key is not the ARN of a key",
    value,
    allowed: "arn:<partition>:kms:<region>:<account>:key/<id>",
    remedy: "use the ARN of the key: IAM does not follow an alias in a policy's Resource",
  };
}

function refuse(where: string, reason: string, value: unknown): never {
  return fail("aws-invalid", {
    problem: `override: ${where} ${reason}`,
    value,
    allowed:
      "{ narrow?: { actions, resources?, conditions? }[], kmsKeys?, statements?, wideReason?, roleName? }, where each entry of `narrow` has resources within the request's or conditions",
    remedy: "correct the entry, or remove it",
  });
}

function wider(value: string, resource: string): never {
  return fail("aws-unsafe", {
    problem: "the override would give the component more access than its request asks for",
    value,
    allowed: resource,
    remedy: "add further resources with `statements`, which states openly that they are added",
  });
}
