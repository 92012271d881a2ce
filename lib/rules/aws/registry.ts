/*
 * Hosts and names of ECR registries and repositories, and the policy of a repository. Sources: kubernetes/
 * cloud-provider-aws, cmd/ecr-credential-provider/main.go; the pattern of `repositoryName` in the ECR API reference.
 */

import { fail, type Problem } from "../../errors";
import { literal } from "../../model/late";
import { type ObjectKind, boolean, object, optional } from "../../model/shape";
import { accountId } from "./arn";
import { type Partition, partitionOf, partitions } from "./partitions";

/** Which of a registry's host names is used. */
export interface EcrHostOptions {
  /**
   * The FIPS 140 host, `….dkr.ecr-fips.…`, in the regions of the USA. Where all registries of a cluster are such,
   * the plugin is configured to call STS and ECR at their FIPS endpoints too.
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
function isEcrHost(text: string): boolean {
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
function isRepositoryPattern(repository: string): boolean {
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
