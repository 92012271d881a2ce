/*
 * The permissions that a role needs to pull, and that the owner of a repository grants to roles of other accounts: the
 * actions of AWS's own policy AmazonEC2ContainerRegistryPullOnly. `ecr:BatchCheckLayerAvailability`, often seen with
 * them, is for pushes.
 */

import {
  type PolicyDocument,
  type PolicyStatement,
  checkedPolicy,
  oneOrMany,
  policyDocument,
  policyMaxCharacters,
  policySize,
} from "./policy-document";
import { type Partition } from "./partitions";
import type { EcrHostOptions } from "./registry";
import { fail } from "../../errors";
import { isLate } from "../../model/late";

/** Repositories of one private registry that may be pulled from. */
export interface PrivateEcrGrant extends EcrHostOptions {
  /** A registry of one account in one region. */
  readonly kind: "private";
  /** The partition of the region. */
  readonly partition: Partition;
  /** The registry's account, 12 digits. */
  readonly account: string;
  /** The registry's region. */
  readonly region: string;
  /** Repository names and patterns. */
  readonly repositories: readonly string[];
  /** True if a pull may fetch the image from an upstream registry. */
  readonly pullThroughCache: boolean;
  /** True if that may also create the repository. */
  readonly createRepositories: boolean;
}

/** ECR Public, for which only the login needs permission. */
export interface PublicEcrGrant {
  /** The public registry. */
  readonly kind: "public";
  /** The partition `aws`, the only one with ECR Public. */
  readonly partition: Partition;
  /** Region for the plugin's AWS_REGION; `undefined` if the caller stated none. */
  readonly region: string | undefined;
}

/** A registry to pull from. */
export type EcrGrant = PrivateEcrGrant | PublicEcrGrant;

const PULL: readonly string[] = ["ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"];

/** `arn:<partition>:ecr:<region>:<account>:repository/<name or pattern>`, one per repository of the grant. */
export function repositoryArns(grant: PrivateEcrGrant): string[] {
  const { partition, region, account } = grant;
  return grant.repositories.map(
    (repository) => `arn:${partition.name}:ecr:${region}:${account}:repository/${repository}`,
  );
}

/**
 * The identity policy for all grants of one role.
 *
 * The logins apply to `*` because the service offers nothing narrower; everything else to repository ARNs.
 */
export function pullPermissions(grants: readonly EcrGrant[]): PolicyDocument {
  const privateGrants = grants.filter((grant) => grant.kind === "private");
  const cached = privateGrants.filter(({ pullThroughCache }) => pullThroughCache);
  const created = cached.filter(({ createRepositories }) => createRepositories);
  const statements = [
    ...allow("Login", ["ecr:GetAuthorizationToken"], privateGrants.length > 0 ? ["*"] : []),
    ...allow("Pull", PULL, privateGrants.flatMap(repositoryArns)),
    ...allow("PullThroughCache", ["ecr:BatchImportUpstreamImage"], cached.flatMap(repositoryArns)),
    ...allow("CreateCachedRepositories", ["ecr:CreateRepository"], created.flatMap(repositoryArns)),
    ...allow(
      "LoginPublic",
      ["ecr-public:GetAuthorizationToken", "sts:GetServiceBearerToken"],
      grants.some(({ kind }) => kind === "public") ? ["*"] : [],
    ),
  ];
  return checkedPolicy("the permission policy of the IAM role", policyDocument(statements));
}

/** The statement of a repository's policy that lets roles of other accounts pull; ARNs may be late. */
export function repositoryPullStatement(roleArns: readonly string[]): PolicyStatement {
  return { Sid: "Pull", Effect: "Allow", Principal: { AWS: oneOrMany(sorted(roleArns)) }, Action: PULL };
}

/** What a registry's policy allows other accounts' roles, so that their pulls fill a cache and create repositories. */
export function cacheStatement(
  roleArns: readonly string[],
  repositories: readonly string[],
): PolicyStatement {
  return {
    Effect: "Allow",
    Principal: { AWS: oneOrMany(sorted(roleArns)) },
    Action: ["ecr:BatchImportUpstreamImage", "ecr:CreateRepository"],
    Resource: oneOrMany(sorted(repositories)),
  };
}

function allow(sid: string, actions: readonly string[], resources: readonly string[]): PolicyStatement[] {
  if (resources.length === 0) return [];
  return [{ Sid: sid, Effect: "Allow", Action: oneOrMany(actions), Resource: oneOrMany(sorted(resources)) }];
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** An IAM role as named in the policy of a repository. */
export interface AdmittedRole {
  /** ARN of the role; may be late. */
  readonly arn: string;
  /**
   * Length that a late ARN will have, in characters.
   *
   * @defaultValue - the length of a literal ARN; 70 for a late one, which is usual
   */
  readonly arnLength?: number;
}

const USUAL_ARN_LENGTH = 70;

/** A repository's whole policy. Late ARNs are counted with the length that they will have. */
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
    ? fail("aws-limit", {
        problem: `the policy of the ECR repository ${repository} is too long: ${roles.length} IAM roles`,
        value: characters,
        allowed: "10240 characters without white space (ECR quota, not adjustable); a late ARN is estimated",
        remedy:
          'say ownerPolicy: "elsewhere", and have the owner admit the account of the IAM roles in one statement: Principal its account id, limited to the roles by their path (pullRoles({ path })) with ArnLike on aws:PrincipalArn',
      })
    : document;
}

/** The index keeps two late ARNs apart, as they will be. */
function standIn({ arn, arnLength = USUAL_ARN_LENGTH }: AdmittedRole, index: number): string {
  return isLate(arn) ? String(index).padEnd(arnLength, "-") : arn;
}
