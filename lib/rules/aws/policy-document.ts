/*
 * IAM policy documents as data.
 * Source: "Grammar of the IAM JSON policy language" in the IAM user guide.
 */

import { fail } from "../../errors";
import type { PolicyCondition } from "./policy-condition";

/** One statement of a policy, as far as this library writes them. */
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
   * Who is granted, `"*"` for anybody; trust and resource policies only.
   *
   * @defaultValue - none: an identity policy, which speaks of its own role
   */
  readonly Principal?: "*" | Readonly<Record<string, string | readonly string[]>>;
  /** One action or several. */
  readonly Action: string | readonly string[];
  /**
   * One ARN or several, `*` for any text.
   *
   * @defaultValue - none: trust and repository policies speak of their own object
   */
  readonly Resource?: string | readonly string[];
  /**
   * Operator, condition key, value or values.
   *
   * @defaultValue - the statement holds always
   */
  readonly Condition?: PolicyCondition;
}

/** A policy of the current language version. */
export interface PolicyDocument {
  /** The policy language; `2012-10-17` is the newest. */
  readonly Version: "2012-10-17";
  /** The statements; their order has no meaning for AWS. */
  readonly Statement: readonly PolicyStatement[];
}

/** IAM's limit for all inline policies of a role, and ECR's for a repository policy, without white space. */
export const policyMaxCharacters = 10_240;

const WHITE_SPACE = /\s/;
const WHITE_SPACES = /\s/g;

/** A document of the current language version. */
export function policyDocument(statements: readonly PolicyStatement[]): PolicyDocument {
  return { Version: "2012-10-17", Statement: statements };
}

/** One value alone, several as a list: the form in which IAM itself gives policies back. */
export function oneOrMany(values: readonly string[]): string | readonly string[] {
  const [only] = values;
  return values.length === 1 && only !== undefined ? only : values;
}

/** The length that AWS holds against its limits: characters without white space. */
export function policySize(document: PolicyDocument): number {
  const text = JSON.stringify(document);
  return WHITE_SPACE.test(text) ? text.replaceAll(WHITE_SPACES, "").length : text.length;
}

/**
 * Returns the document, or throws `aws-policy-too-long` over 10,240 characters; late values count as they stand.
 *
 * `remedy` says how that policy can be made shorter.
 */
export function checkedPolicy(what: string, document: PolicyDocument, remedy?: string): PolicyDocument {
  const characters = policySize(document);
  return characters > policyMaxCharacters ? fail("aws-policy-too-long", what, characters, remedy) : document;
}
