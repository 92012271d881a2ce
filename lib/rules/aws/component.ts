/*
 * The roles of OpenShift's components: names and Secrets, on request as the `ccoctl aws` command makes them
 * (openshift/cloud-credential-operator, pkg/cmd/provisioning/aws), and permissions: what a request asks for, narrowed
 * where the caller says so, and what the caller adds.
 */

import { fail } from "../../errors";
import { COMPONENT_TOKEN_PATH, type ComponentSecret, type ComponentIntent } from "../../model/components";
import type { CredentialsRequest, SecretReference } from "../../model/credentials-request";
import { type ObjectKind, anyObject, list, object, optional, text } from "../../model/shape";
import {
  type ComponentNarrowing,
  COMPONENT_NARROWING,
  checkedNarrowings,
  narrowedStatements,
  permittedActions,
  kmsKeyArn,
  kmsStatements,
  noKmsKey,
} from "./narrowing";
import { roleName } from "./names";
import type { RequestStatement } from "./provider-spec";
import { identityStatements, isWide, tooWide } from "./statement";
import { type PolicyDocument, type PolicyStatement, checkedPolicy, policyDocument } from "./policy-document";

/** How roles are named: by this library, or to the letter as ccoctl does. */
export type ComponentNaming = "derived" | "ccoctl";

export const componentNamings: readonly ComponentNaming[] = ["derived", "ccoctl"];

const CCOCTL_MAX = 64;
const POLICY_NAME = "component";

/** `<cluster>-<namespace>-<secret>`: over 64 characters cut and ended with a hash, or plainly cut as ccoctl does. */
export function componentRoleName(
  clusterName: string,
  { namespace, name }: SecretReference,
  naming: ComponentNaming,
): string {
  const whole = `${clusterName}-${namespace}-${name}`;
  return roleName(naming === "ccoctl" ? whole.slice(0, CCOCTL_MAX) : whole);
}

/** Name of the inline policy of a component's role; ccoctl repeats the role's name. */
export function componentPolicyName(role: string, naming: ComponentNaming): string {
  return naming === "ccoctl" ? role : POLICY_NAME;
}

export function componentDescription({ namespace, name }: SecretReference): string {
  return `OpenShift role for ${namespace}/${name}`;
}

/**
 * The Secret that a component reads: an AWS configuration file, line by line as ccoctl writes it.
 *
 * The token's path is the request's `cloudTokenPath` where it has one, as the cloud credential operator reads it;
 * ccoctl ignores the field, which no AWS request of a release payload has.
 */
export function componentSecret(
  { secret, cloudTokenPath = COMPONENT_TOKEN_PATH }: CredentialsRequest,
  roleArn: string,
): ComponentSecret {
  const lines = [
    "[default]",
    "sts_regional_endpoints = regional",
    `role_arn = ${roleArn}`,
    `web_identity_token_file = ${cloudTokenPath}`,
  ];
  return { ...secret, stringData: { credentials: lines.join("\n") } };
}

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

function kmsKeys({ kmsKeys: given }: ComponentPermissionsOverride): readonly string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given) || given.length === 0) return fail("aws-invalid", noKmsKey(given));
  return [...new Set(given.map(kmsKeyArn))].sort();
}

function requireLimitedKms(statements: readonly RequestStatement[]): void {
  const wide = permittedActions(statements).find((action) => ANY_SERVICE.test(action));
  if (wide !== undefined)
    fail("aws-unsafe", {
      problem: "request permits actions of any service, so `kmsKeys` would not keep it to these keys",
      value: wide,
      allowed: "requests that name their services",
      remedy: "leave `kmsKeys` out, and narrow that action with `narrow`",
    });
}

function additionalStatements({
  statements = [],
  wideReason,
}: ComponentPermissionsOverride): readonly PolicyStatement[] {
  const checked = identityStatements(statements, "statements of the override");
  const wide = checked.find(isWide);
  if (wide && wideReason === undefined) fail("aws-unsafe", tooWide(wide));
  return checked;
}

/** The intent, in the form of a request's provider part; `undefined` where the request counts as it is. */
export function componentIntent(
  { Statement }: PolicyDocument,
  { narrow = [], kmsKeys = [], statements = [], wideReason }: ComponentPermissionsOverride,
): ComponentIntent | undefined {
  if (narrow.length + kmsKeys.length + statements.length === 0) return undefined;
  return {
    rights: { statementEntries: Statement.flatMap(entriesOf) },
    ...(wideReason !== undefined && { reason: wideReason }),
  };
}

/** A request has one resource in each entry. */
function entriesOf({ Effect, Action, Resource, Condition }: PolicyStatement): readonly object[] {
  return [Resource ?? "*"].flat().map((resource) => ({
    effect: Effect,
    action: [Action].flat(),
    resource,
    ...(Condition && { policyCondition: Condition }),
  }));
}
