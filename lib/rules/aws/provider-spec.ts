/*
 * The part of a CredentialsRequest that AWS reads: `AWSProviderSpec` of openshift/cloud-credential-operator,
 * pkg/apis/cloudcredential/v1/types_aws.go.
 */

import { fail } from "../../errors";
import type { CredentialsRequest } from "../../model/credentials-request";
import { isRecord } from "../../model/record";
import type { PolicyCondition, PolicyStatement } from "./policy-document";
import { isCondition, isTextList } from "./statement";

/** A statement of a request as a statement of a policy; its actions are a list, as ccoctl writes them. */
export interface RequestStatement extends PolicyStatement {
  readonly Action: readonly string[];
  /** The one resource, usually `*`. */
  readonly Resource: string;
}

/** `spec.providerSpec.kind` of requests for AWS. */
export const awsProviderKind = "AWSProviderSpec";

const FIELDS: readonly string[] = ["statementEntries", "stsIAMRoleARN"];
const ENTRY_FIELDS: readonly string[] = ["effect", "action", "resource", "policyCondition"];
/** "IAM JSON policy elements: Action"; wildcards stand in the action, and `*` alone for all services. */
const ACTION = /^(?:\*|[a-z0-9-]+:[A-Za-z0-9*?]+)$/i;
const ENTRY = "{ effect, action, resource, policyCondition? }";

export function requestStatements({ providerKind, providerSpec }: CredentialsRequest): RequestStatement[] {
  if (providerKind !== awsProviderKind)
    fail("aws-foreign", {
      problem: "CredentialsRequest asks another cloud",
      value: providerKind,
      allowed: "AWSProviderSpec",
      remedy: "filter the requests by cloud before they are handed to componentRoles()",
    });
  refuseUnknown("providerSpec", providerSpec, FIELDS);
  const { statementEntries: entries, stsIAMRoleARN: role } = providerSpec;
  if (role !== undefined && role !== "")
    fail("aws-unsupported", {
      problem:
        "CredentialsRequest names a role itself (stsIAMRoleARN), so the cloud credential operator writes its Secret",
      value: role,
      allowed: "requests of the release payload, which leave the role to the installation",
      remedy: "leave this request out, and give the operator's subscription the ARN of a ComponentRole",
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
    return invalid(`${where}.effect`, "is no effect", effect, "Allow, Deny");
  if (!isTextList(action))
    return invalid(`${where}.action`, "names no actions", action, "a list of at least one action");
  const malformed = action.find((one) => !ACTION.test(one));
  if (malformed !== undefined)
    return invalid(`${where}.action`, "names no action of AWS", malformed, "<service>:<action>, or *");
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

/** Operator → key → value or values; `undefined` where there is none, as ccoctl leaves an empty one out. */
function conditionOf(condition: unknown, where: string): PolicyCondition | undefined {
  if (condition === undefined || condition === null) return undefined;
  if (!isCondition(condition))
    return invalid(where, "is no condition", condition, "operator → condition key → value or values");
  return Object.keys(condition).length === 0 ? undefined : condition;
}

function refuseUnknown(
  where: string,
  object: Readonly<Record<string, unknown>>,
  known: readonly string[],
): void {
  const stray = Object.keys(object).find((field) => !known.includes(field));
  if (stray !== undefined) invalid(where, "has a field that is not known", stray, known.join(", "));
}

function invalid(where: string, reason: string, value: unknown, allowed: string): never {
  return fail("aws-invalid", {
    problem: `${where} ${reason}`,
    value,
    allowed,
    remedy:
      "take the CredentialsRequest as the release payload has it; what this cluster needs otherwise is said with `overrides`",
  });
}
