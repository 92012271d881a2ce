/*
 * IAM policy documents as data, and as text for Terraform. Source: "Grammar of the IAM JSON policy
 * language" in the IAM user guide.
 */

import { fail } from "../../errors";
import { terraformText } from "../terraform-text";

/** A value with which a condition key is compared; IAM reads a number or a boolean as its text. */
export type ConditionValue = string | number | boolean;

/** Operator, condition key, value or values; all conditions must hold. */
export type PolicyCondition = Readonly<
  Record<string, Readonly<Record<string, ConditionValue | readonly ConditionValue[]>>>
>;

/** One statement of a policy, with the elements that this library writes. */
export interface PolicyStatement {
  /**
   * Name of the statement, letters and digits.
   *
   * @defaultValue - none
   */
  readonly Sid?: string;
  /** Whether the statement grants or refuses. */
  readonly Effect: "Allow" | "Deny";
  /**
   * Principals to which it applies, `"*"` for everyone; only in trust and resource policies.
   *
   * @defaultValue - none: an identity policy applies to its own role
   */
  readonly Principal?: "*" | Readonly<Record<string, string | readonly string[]>>;
  /** One action or several. */
  readonly Action: string | readonly string[];
  /**
   * One ARN or several, `*` for any text.
   *
   * @defaultValue - none: trust and repository policies apply to their own object
   */
  readonly Resource?: string | readonly string[];
  /**
   * Operator, condition key, value or values.
   *
   * @defaultValue - the statement always applies
   */
  readonly Condition?: PolicyCondition;
}

/** A policy of the current language version. */
export interface PolicyDocument {
  /** The policy language; `2012-10-17` is the newest. */
  readonly Version: "2012-10-17";
  readonly Statement: readonly PolicyStatement[];
}

/** IAM's limit for all inline policies of a role, and ECR's for a repository policy, without white space. */
export const policyMaxCharacters = 10_240;

const WHITE_SPACE = /\s/;

const WHITE_SPACES = /\s/g;

export function policyDocument(statements: readonly PolicyStatement[]): PolicyDocument {
  return { Version: "2012-10-17", Statement: statements };
}

/** A single value alone, several as a list: the form in which IAM itself returns policies. */
export function oneOrMany(values: readonly string[]): string | readonly string[] {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

/** The length that AWS compares with its limits: characters without white space. */
export function policySize(document: PolicyDocument): number {
  const text = JSON.stringify(document);
  return WHITE_SPACE.test(text) ? text.replaceAll(WHITE_SPACES, "").length : text.length;
}

/**
 * Returns the document, or throws `aws-limit` over 10,240 characters; late values count as their placeholders.
 *
 * `remedy` says how the policy can be shortened.
 */
export function checkedPolicy(
  what: string,
  document: PolicyDocument,
  remedy = "use repository patterns such as team/*",
): PolicyDocument {
  const characters = policySize(document);
  return characters > policyMaxCharacters
    ? fail("aws-limit", {
        problem: `${what} is too long`,
        value: characters,
        allowed: "10240 characters without white space (IAM quota, not adjustable)",
        remedy,
      })
    : document;
}

/**
 * The document as text for a Terraform argument.
 *
 * Literal template markers are doubled; cdktf fills in late values.
 */
export function policyText(document: PolicyDocument): string {
  return terraformText(JSON.stringify(document));
}

/** Statements as entries of a CredentialsRequest, which have one resource each. */
export function statementEntries(statements: readonly PolicyStatement[]): readonly object[] {
  return statements.flatMap(({ Effect, Action, Resource = "*", Condition }) =>
    [Resource].flat().map((resource) => ({
      effect: Effect,
      action: [Action].flat(),
      resource,
      ...(Condition && { policyCondition: Condition }),
    })),
  );
}

/** A statement of a request as a statement of a policy; its actions are a list, as ccoctl writes them. */
export interface RequestStatement extends PolicyStatement {
  readonly Action: readonly string[];
  /** The one resource, usually `*`. */
  readonly Resource: string;
}
