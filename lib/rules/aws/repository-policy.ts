/*
 * The policy of an ECR repository that lets roles of other accounts pull, and its size.
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import {
  type PolicyDocument,
  type PolicyStatement,
  policyDocument,
  policyMaxCharacters,
  policySize,
} from "./policy-document";
import { repositoryPullStatement } from "./pull-permissions";

/** An IAM role as the policy of a repository names it. */
export interface AdmittedRole {
  /** Its ARN; may be late. */
  readonly arn: string;
  /**
   * Length that a late ARN will have, in characters.
   *
   * @defaultValue - the length of a literal ARN; 70 for a late one, which is usual
   */
  readonly arnLength?: number;
}

const USUAL_ARN_LENGTH = 70;

/**
 * A repository's whole policy. ARNs that are late are counted with the length that they will have.
 *
 * Throws `aws-repository-policy-too-long` over 10,240 characters; late values in `additionalStatements` count as
 * they stand.
 */
export function repositoryPullPolicy(
  repository: string,
  roles: readonly AdmittedRole[],
  additionalStatements: readonly PolicyStatement[],
): PolicyDocument {
  const documentOf = (arns: readonly string[]): PolicyDocument =>
    policyDocument([repositoryPullStatement(arns), ...additionalStatements]);
  const document = documentOf(roles.map(({ arn }) => arn));
  const late = roles.some(({ arn }) => isLate(arn));
  const characters = policySize(late ? documentOf(roles.map(standIn)) : document);
  return characters > policyMaxCharacters
    ? fail("aws-repository-policy-too-long", repository, characters, roles.length)
    : document;
}

/** The index keeps two late ARNs apart, as they will be. */
function standIn({ arn, arnLength = USUAL_ARN_LENGTH }: AdmittedRole, index: number): string {
  return isLate(arn) ? String(index).padEnd(arnLength, "-") : arn;
}
