/*
 * The permissions of a component: what its request asks for, narrowed where the caller says so, and what the caller
 * adds.
 */

import { fail } from "../../errors";
import {
  type ComponentNarrowing,
  COMPONENT_NARROWING,
  checkedNarrowings,
  narrowedStatements,
  permittedActions,
} from "./component-narrowing";
import { identityStatements } from "./identity-statement";
import { kmsKeyArn, kmsStatements } from "./kms-key";
import { type PolicyDocument, type PolicyStatement, checkedPolicy, policyDocument } from "./policy-document";
import type { RequestStatement } from "./provider-spec";
import { isWide } from "./wide-permissions";
import { type ObjectKind, anyObject, list, object, optional, text } from "../../model/shape";

/** What one component may do other than its request says. */
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
  /**
   * Why one of `statements` permits every action, or every action of a service, on every resource; stands in the
   * description of the role.
   *
   * @defaultValue - such a statement is refused
   */
  readonly wideReason?: string;
}

/** The kind of {@link ComponentPermissionsOverride}. */
export const COMPONENT_PERMISSIONS_OVERRIDE: ObjectKind<ComponentPermissionsOverride> = object({
  narrow: optional(list(COMPONENT_NARROWING)),
  kmsKeys: optional(list(text)),
  statements: optional(list(anyObject)),
  wideReason: optional(text),
});

const KMS = /^kms:/i;

/** No colon, or a wildcard before it: KMS actions may be among what it stands for. */
const ANY_SERVICE = /^[^:]*[*?]/;
const SHORTEN = "narrow fewer actions apart from each other, or leave some `statements` out";

/**
 * The inline policy of a component.
 *
 * Throws `aws-override-invalid`, `aws-override-unused`, `aws-override-ambiguous`, `aws-override-wider`,
 * `aws-override-condition`, `aws-kms-key-invalid`, `aws-kms-unlimited`, `aws-statement-invalid`,
 * `aws-statement-sid-twice`, `aws-statement-too-wide` or `aws-policy-too-long`.
 */
export function componentPolicy(
  statements: readonly RequestStatement[],
  override: ComponentPermissionsOverride = {},
): PolicyDocument {
  const keys = kmsKeys(override);
  const asksForKms = permittedActions(statements).some((action) => KMS.test(action));
  if (keys.length > 0) requireLimitedKms(statements);
  const narrow = [
    ...checkedNarrowings(override.narrow ?? [], statements),
    ...(keys.length > 0 && asksForKms ? [{ actions: ["kms:*"], resources: keys }] : []),
  ];
  return checkedPolicy(
    "permission policy of the IAM role",
    policyDocument([
      ...statements.flatMap((statement) => narrowedStatements(statement, narrow)),
      ...(keys.length > 0 && !asksForKms ? kmsStatements(keys) : []),
      ...additionalStatements(override),
    ]),
    SHORTEN,
  );
}

/** Checked, sorted, each once. */
function kmsKeys({ kmsKeys: given }: ComponentPermissionsOverride): readonly string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length === 0) return fail("aws-kms-key-invalid", given);
  return [...new Set(given.map(kmsKeyArn))].sort();
}

function requireLimitedKms(statements: readonly RequestStatement[]): void {
  const wide = permittedActions(statements).find((action) => ANY_SERVICE.test(action));
  if (wide !== undefined) fail("aws-kms-unlimited", wide);
}

function additionalStatements({
  statements = [],
  wideReason,
}: ComponentPermissionsOverride): readonly PolicyStatement[] {
  const checked = identityStatements(statements, "statements of the override");
  const wide = checked.find(isWide);
  if (wide && wideReason === undefined) fail("aws-statement-too-wide", wide);
  return checked;
}
