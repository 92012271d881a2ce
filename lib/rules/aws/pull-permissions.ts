/*
 * What a role needs in order to pull, and what the owner of a repository grants to roles of other accounts.
 *
 * Actions: `ecr:BatchGetImage` answers the manifest, `ecr:GetDownloadUrlForLayer` the layers, as in AWS's own
 * managed policy AmazonEC2ContainerRegistryPullOnly. `ecr:BatchCheckLayerAvailability` is often seen beside them,
 * but serves pushes (a client asks which layers it need not send); the managed policy has no such action either.
 */

import type { EcrHostOptions } from "./ecr-host";
import {
  type PolicyDocument,
  type PolicyStatement,
  checkedPolicy,
  oneOrMany,
  policyDocument,
} from "./policy-document";
import type { Partition } from "./partitions";

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
  /** True where a pull may fetch the image from an upstream registry. */
  readonly pullThroughCache: boolean;
  /** True where that may create the repository too. */
  readonly createRepositories: boolean;
}

/** ECR Public: the login is all there is to permit. */
export interface PublicEcrGrant {
  /** The public registry. */
  readonly kind: "public";
  /** The partition `aws`; no other has ECR Public. */
  readonly partition: Partition;
  /** For the plugin's AWS_REGION; `undefined` where the caller stated none. */
  readonly region: string | undefined;
}

/** What is pulled from. */
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
 * The identity policy for all grants of one role; throws `aws-policy-too-long` over 10,240 characters.
 *
 * The logins stand on `*` because the service offers nothing narrower; everything else on repository ARNs.
 */
export function pullPermissions(grants: readonly EcrGrant[]): PolicyDocument {
  const own = grants.filter((grant) => grant.kind === "private");
  const cached = own.filter(({ pullThroughCache }) => pullThroughCache);
  const created = cached.filter(({ createRepositories }) => createRepositories);
  const statements = [
    ...allow("Login", ["ecr:GetAuthorizationToken"], own.length > 0 ? ["*"] : []),
    ...allow("Pull", PULL, own.flatMap(repositoryArns)),
    ...allow("PullThroughCache", ["ecr:BatchImportUpstreamImage"], cached.flatMap(repositoryArns)),
    ...allow("CreateCachedRepositories", ["ecr:CreateRepository"], created.flatMap(repositoryArns)),
    ...allow(
      "LoginPublic",
      ["ecr-public:GetAuthorizationToken", "sts:GetServiceBearerToken"],
      grants.some(({ kind }) => kind === "public") ? ["*"] : [],
    ),
  ];
  return checkedPolicy("permission policy of the IAM role", policyDocument(statements));
}

/** The statement of a repository's policy that lets roles of other accounts pull; ARNs may be late. */
export function repositoryPullStatement(roleArns: readonly string[]): PolicyStatement {
  return { Sid: "Pull", Effect: "Allow", Principal: { AWS: oneOrMany(sorted(roleArns)) }, Action: PULL };
}

function allow(sid: string, actions: readonly string[], resources: readonly string[]): PolicyStatement[] {
  if (resources.length === 0) return [];
  return [{ Sid: sid, Effect: "Allow", Action: oneOrMany(actions), Resource: oneOrMany(sorted(resources)) }];
}

function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
