/*
 * The roles of OpenShift's components: what a CredentialsRequest asks for (`AWSProviderSpec` of openshift/
 * cloud-credential-operator, pkg/apis/cloudcredential/v1/types_aws.go), names and Secrets, on request as the `ccoctl
 * aws` command creates them (pkg/cmd/provisioning/aws), and the permissions, narrowed and extended where the caller
 * says so.
 */

import { fail } from "../../errors";
import { CLOUDS } from "../../model/clouds";
import { COMPONENT_TOKEN_PATH, type ComponentSecret, type ComponentIntent } from "../../model/components";
import type { CredentialsRequest, SecretReference } from "../../model/credentials-request";
import { isRecord } from "../../model/record";
import { type ObjectKind, anyObject, list, object, optional, text } from "../../model/shape";
import { roleName } from "./names";
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
import {
  type PolicyDocument,
  type PolicyStatement,
  checkedPolicy,
  policyDocument,
  type PolicyCondition,
  type RequestStatement,
  statementEntries,
} from "./policy-document";
import { identityStatements, isWide, tooWide, isCondition, isTextList, ACTION } from "./statement";

/** How roles are named: by this library, or exactly as ccoctl does. */
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
 * The token's path is the request's `cloudTokenPath` if it has one, as the cloud credential operator reads it;
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

/** How the permissions of one component differ from its request. */
export interface ComponentPermissionsOverride {
  /**
   * Actions that are restricted further; each action of the request at most once.
   *
   * @defaultValue - the unchanged request
   */
  readonly narrow?: readonly ComponentNarrowing[];
  /**
   * ARNs of the KMS keys that the component may use, at least one; its KMS actions are limited to these. A request
   * without KMS actions gets those for encrypted disks and objects.
   *
   * @defaultValue - the unchanged request
   */
  readonly kmsKeys?: readonly string[];
  /**
   * Statements added to those of the request.
   *
   * @defaultValue - none
   */
  readonly statements?: readonly PolicyStatement[];
  /**
   * Why one of `statements` permits every action, or every action of a service, on every resource; becomes part of the
   * description of the role.
   *
   * @defaultValue - required for such a statement
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

/** No colon, or a wildcard before it: the action may include KMS actions. */
const ANY_SERVICE = /^[^:]*[*?]/;
const SHORTEN = "use fewer separate entries of `narrow`, or remove some `statements`";

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
    "the permission policy of the IAM role",
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
      problem: "the request permits actions of any service, so `kmsKeys` would not limit it to these keys",
      value: wide,
      allowed: "requests that name their services",
      remedy: "remove `kmsKeys`, and narrow that action with `narrow`",
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

/** The permissions as a request's provider part; `undefined` if the request applies unchanged. */
export function componentIntent(
  { Statement }: PolicyDocument,
  { narrow = [], kmsKeys = [], statements = [], wideReason }: ComponentPermissionsOverride,
): ComponentIntent | undefined {
  if (narrow.length + kmsKeys.length + statements.length === 0) return undefined;
  return {
    rights: { statementEntries: statementEntries(Statement) },
    ...(wideReason !== undefined && { reason: wideReason }),
  };
}

/** `spec.providerSpec.kind` of requests for AWS. */
export const awsProviderKind: string = CLOUDS.aws.providerSpec;

const ENTRY_FIELDS: readonly string[] = ["effect", "action", "resource", "policyCondition"];
const ENTRY = "{ effect, action, resource, policyCondition? }";

export function requestStatements({ providerKind, providerSpec }: CredentialsRequest): RequestStatement[] {
  if (providerKind !== awsProviderKind)
    fail("aws-foreign", {
      problem: "the CredentialsRequest is for another cloud",
      value: providerKind,
      allowed: awsProviderKind,
      remedy: "filter the requests by cloud before you pass them to componentRoles()",
    });
  refuseUnknown("providerSpec", providerSpec, CLOUDS.aws.providerFields.split(" "));
  const { statementEntries: entries, stsIAMRoleARN: role } = providerSpec;
  if (role !== undefined && role !== "")
    fail("aws-unsupported", {
      problem:
        "the CredentialsRequest itself names a role (stsIAMRoleARN), so the cloud credential operator writes its Secret",
      value: role,
      allowed: "requests of the release payload, which leave the role to the installation",
      remedy: "remove this request, and pass the ARN of a ComponentRole to the operator's subscription",
    });
  if (!Array.isArray(entries) || entries.length === 0)
    return invalid("providerSpec.statementEntries", "has no statements", entries, `a list of ${ENTRY}`);
  return entries.map((entry: unknown, index) =>
    statementOf(entry, `providerSpec.statementEntries[${index}]`),
  );
}

function statementOf(entry: unknown, where: string): RequestStatement {
  if (!isRecord(entry)) return invalid(where, "is not a statement", entry, ENTRY);
  refuseUnknown(where, entry, ENTRY_FIELDS);
  const { effect, action, resource, policyCondition } = entry;
  if (effect !== "Allow" && effect !== "Deny")
    return invalid(`${where}.effect`, "is not an effect", effect, "Allow, Deny");
  if (!isTextList(action))
    return invalid(`${where}.action`, "names no actions", action, "a list of at least one action");
  const malformed = action.find((one) => !ACTION.test(one));
  if (malformed !== undefined)
    return invalid(
      `${where}.action`,
      "names an action that is not one of AWS",
      malformed,
      "<service>:<action>, or *",
    );
  if (typeof resource !== "string" || resource === "")
    return invalid(`${where}.resource`, "names no resource", resource, "one ARN, or *");
  const Condition = conditionOf(policyCondition, `${where}.policyCondition`);
  return {
    Effect: effect,
    Action: [...action],
    Resource: resource,
    ...(Condition ? { Condition } : {}),
  };
}

/** Operator → key → value or values; `undefined` if there is none, as ccoctl omits an empty one. */
function conditionOf(condition: unknown, where: string): PolicyCondition | undefined {
  if (condition === undefined || condition === null) return undefined;
  if (!isCondition(condition))
    return invalid(where, "is not a condition", condition, "operator → condition key → value or values");
  return Object.keys(condition).length === 0 ? undefined : condition;
}

function refuseUnknown(
  where: string,
  object: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  const stray = Object.keys(object).find((field) => !known.includes(field));
  if (stray !== undefined) invalid(where, "has an unknown field", stray, known.join(", "));
}

function invalid(where: string, reason: string, value: unknown, allowed: string): never {
  return fail("aws-invalid", {
    problem: `${where} ${reason}`,
    value,
    allowed,
    remedy:
      "use the CredentialsRequest as in the release payload; state this cluster's differences with `overrides`",
  });
}
