/*
 * Host names of ECR registries, as the ECR image credential provider reads them
 * (kubernetes/cloud-provider-aws, cmd/ecr-credential-provider/main.go).
 */

import { fail, type Problem } from "../../errors";
import { literal, isLate } from "../../model/late";
import { type ObjectKind, boolean, object, optional } from "../../model/shape";
import { accountId } from "./provider";
import { type Partition, partitionOf, partitions } from "./partitions";
import {
  type PolicyDocument,
  type PolicyStatement,
  checkedPolicy,
  oneOrMany,
  policyDocument,
  policyMaxCharacters,
  policySize,
} from "./statement";

// HEADER /*  * Names of ECR repositories. Source: the pattern of `repositoryName` in the ECR API reference (CreateRepository).  */
// HEADER /*  * What a role needs in order to pull, and what the owner of a repository grants to roles of other accounts.  *  * Actions: `ecr:BatchGetImage` answers the manifest, `ecr:GetDownloadUrlForLayer` the layers, as in AWS's own  * managed policy AmazonEC2ContainerRegistryPullOnly. `ecr:BatchCheckLayerAvailability` is often seen beside them,  * but serves pushes (a client asks which layers it need not send); the managed policy has no such action either.  */
// HEADER /*  * The policy of an ECR repository that lets roles of other accounts pull, and its size.  */
/** Which of a registry's host names is used. */
export interface EcrHostOptions {
  /**
   * The FIPS 140 host, `….dkr.ecr-fips.…`, in the regions of the USA. Where all registries of a cluster are such,
   * the plugin is told to call STS and ECR at their FIPS endpoints too.
   *
   * @defaultValue false
   */
  readonly fips?: boolean;
  /**
   * The host that also answers over IPv6, `….dkr-ecr.….on.aws`.
   *
   * @defaultValue false
   */
  readonly dualStack?: boolean;
}

export const ECR_HOST_OPTIONS: ObjectKind<EcrHostOptions> = object({
  fips: optional(boolean),
  dualStack: optional(boolean),
});

/** What the plugin reads from a host of a private registry. */
export interface PrivateEcrHost {
  /** A registry of one account in one region. */
  readonly kind: "private";
  /** Account id, 12 digits. */
  readonly account: string;
  /** Region as written in the host; the plugin does not compare it with the suffix. */
  readonly region: string;
  /** True for the FIPS host. */
  readonly fips: boolean;
  /** True for the dual-stack host. */
  readonly dualStack: boolean;
  /** What follows the region. */
  readonly suffix: string;
}

/** What the plugin reads from a host of ECR Public. */
export interface PublicEcrHost {
  /** The one public registry. */
  readonly kind: "public";
  /** ECR Public's API exists in us-east-1 only; the plugin pins it. */
  readonly region: "us-east-1";
}

/** The host that images of ECR Public are written with. */
export const ecrPublicHost = "public.ecr.aws";

/**
 * The hosts of ECR Public that the plugin accepts. The second only since v1.32.7, v1.33.3, v1.34.2, v1.35.1 and
 * v1.36.0; an older plugin would take it for a private registry, so no pattern is written for it.
 */
const PUBLIC_HOSTS: readonly string[] = [ecrPublicHost, "ecr-public.aws.com"];

const PRIVATE_HOST =
  /^(\d{12})\.dkr([.-])ecr(-fips)?\.([a-zA-Z0-9][a-zA-Z0-9-_]*)\.(amazonaws\.(?:com(?:\.cn)?|eu)|on\.(?:aws|amazonwebservices\.com\.cn)|sc2s\.sgov\.gov|c2s\.ic\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov)$/;

/** Of any account or none, in the form of a host or of a pattern. */
const REGISTRY = /^(?:[^.]+\.)?dkr[.-]ecr(?:-fips)?\./;

const FIPS_REGIONS = partitions.flatMap(({ ecrFipsRegions }) => ecrFipsRegions).join(", ");
const DUAL_STACK_PARTITIONS = partitions
  .flatMap(({ name, ecrDualStackSuffix }) => (ecrDualStackSuffix === undefined ? [] : [name]))
  .join(", ");

/** The host of a private registry. */
export function ecrHost(account: string, region: string, options: EcrHostOptions = {}): string {
  const partition = partitionOf(region);
  const { ecrFipsRegions } = partition;
  if (options.fips && !ecrFipsRegions.includes(region))
    fail("aws-unsupported", noSuchHost("FIPS host", region, FIPS_REGIONS));
  return `${accountId(account)}.${service(partition, options)}.${region}.${suffix(partition, options)}`;
}

/** The narrowest matchImages pattern for all private registries of a partition with that kind of host. */
export function ecrMatchImages(partition: Partition, options: EcrHostOptions = {}): string {
  return `*.${service(partition, options)}.*.${suffix(partition, options)}`;
}

/**
 * Reads a registry host as the ECR plugin does; `undefined` where it matches neither form.
 *
 * A host without match is no refusal: the plugin goes on as private ECR with its default region.
 */
export function parseEcrHost(host: string): PrivateEcrHost | PublicEcrHost | undefined {
  if (PUBLIC_HOSTS.includes(host)) return { kind: "public", region: "us-east-1" };
  const [, account, joint, fips, region, hostSuffix] = PRIVATE_HOST.exec(host) ?? [];
  if (!account || !region || !hostSuffix) return undefined;
  return {
    kind: "private",
    account,
    region,
    fips: fips !== undefined,
    dualStack: joint === "-",
    suffix: hostSuffix,
  };
}

/** True where the text is a host of ECR, or a matchImages pattern for some: what stands before a repository's name. */
export function isEcrHost(text: string): boolean {
  return PUBLIC_HOSTS.includes(text) || REGISTRY.test(text);
}

function service(
  { name, ecrFipsRegions }: Partition,
  { fips = false, dualStack = false }: EcrHostOptions,
): string {
  if (fips && ecrFipsRegions.length === 0)
    return fail("aws-unsupported", noSuchHost("FIPS host", name, FIPS_REGIONS));
  return `${dualStack ? "dkr-ecr" : "dkr.ecr"}${fips ? "-fips" : ""}`;
}

function suffix({ name, dnsSuffix, ecrDualStackSuffix }: Partition, { dualStack }: EcrHostOptions): string {
  if (!dualStack) return dnsSuffix;
  return (
    ecrDualStackSuffix ?? fail("aws-unsupported", noSuchHost("dual-stack host", name, DUAL_STACK_PARTITIONS))
  );
}

const MAX = 256;
const MIN = 2;
const NAME = /^[a-z0-9]+(?:[._-][a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-][a-z0-9]+)*)*$/;

/** True where the text is a pattern rather than the name of one repository. */
export function isRepositoryPattern(repository: string): boolean {
  return repository.includes("*");
}

/** Returns a repository name, or a pattern with `*` for any text, slashes included (as IAM reads it in an ARN). */
export function repositoryPattern(repository: string): string {
  literal(repository, "ECR repository");
  if (typeof repository !== "string" || repository.length > MAX)
    return fail("aws-invalid", noRepository(repository));
  // A cache of another registry may well be named like that one, `quay.io/…`, but never like ECR.
  if (isEcrHost(repository.split("/", 1)[0] ?? ""))
    return fail("aws-invalid", {
      problem: "ECR repository begins with the host of its registry",
      value: repository,
      allowed: "the repository alone, for example shop/web or base/*",
      remedy: "remove the host: account and region say which registry it is",
    });
  // A star stands for any text, so the rest must be a name with some text in its place.
  const example = repository.replaceAll("*", "x");
  const minimum = isRepositoryPattern(repository) ? 1 : MIN;
  return example.length >= minimum && NAME.test(example)
    ? repository
    : fail("aws-invalid", noRepository(repository));
}

/** Returns the name of exactly one repository. */
export function repositoryName(repository: string): string {
  const checked = repositoryPattern(repository);
  return isRepositoryPattern(checked)
    ? fail("aws-invalid", {
        problem: "ECR has a policy per repository, none for a pattern",
        value: repository,
        allowed: "exact repository names",
        remedy: "list the repositories under ownerPolicy.repositories",
      })
    : checked;
}

/** Returns the patterns, each once. */
export function repositoryPatterns(repositories: readonly string[]): readonly string[] {
  if (!Array.isArray(repositories) || repositories.length === 0)
    return fail("aws-missing", {
      problem: "ECR registry is named without a list of repositories",
      value: repositories,
      allowed: "a list of at least one repository name or pattern",
      remedy: 'list what is pulled; the whole registry is "*"',
    });
  return [...new Set(repositories.map(repositoryPattern))];
}

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
 * The identity policy for all grants of one role.
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

/** A repository's whole policy. ARNs that are late are counted with the length that they will have. */
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
        problem: `policy of the ECR repository ${repository} is too long: ${roles.length} IAM roles`,
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

function noSuchHost(kind: string, where: string, allowed: string): Problem {
  return {
    problem: `ECR has no ${kind} there that the image credential provider knows`,
    value: where,
    allowed,
    remedy: "leave the option out to use the plain registry host <account>.dkr.ecr.<region>.<suffix>",
  };
}

function noRepository(value: unknown): Problem {
  return {
    problem: "ECR repository is not a repository name or pattern",
    value,
    allowed:
      "path segments of a-z and 0-9, joined inside by single . _ or -, 2 to 256 characters, * for any text; no registry host, tag or digest",
    remedy: "write it as `aws ecr describe-repositories` prints it, for example shop/web or base/*",
  };
}
