/*
 * Hosts and names of ECR registries and repositories, and the policy of a repository. Sources: kubernetes/
 * cloud-provider-aws, cmd/ecr-credential-provider/main.go; the pattern of `repositoryName` in the ECR API reference.
 */

import { fail, type Problem } from "../../errors";
import { literal } from "../../model/late";
import { type ObjectKind, boolean, object, optional } from "../../model/shape";
import { accountId } from "./arn";
import { type Partition, partitionOf, partitions } from "./partitions";

/** Which of a registry's host names to use. */
export interface EcrHostOptions {
  /**
   * Use the FIPS 140 host, `….dkr.ecr-fips.…`, in the regions of the USA. If all registries of a cluster use it, the
   * plugin is configured to call STS and ECR at their FIPS endpoints too.
   *
   * @defaultValue false
   */
  readonly fips?: boolean;
  /**
   * Use the host that also answers over IPv6, `….dkr-ecr.….on.aws`.
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
  /** The domain after the region. */
  readonly suffix: string;
}

/** What the plugin reads from a host of ECR Public. */
export interface PublicEcrHost {
  /** The single public registry. */
  readonly kind: "public";
  /** ECR Public's API exists in us-east-1 only; the plugin pins it. */
  readonly region: "us-east-1";
}

/** The host in image names of ECR Public. */
export const ecrPublicHost = "public.ecr.aws";

/**
 * The hosts of ECR Public that the plugin accepts. The second one only since v1.32.7, v1.33.3, v1.34.2, v1.35.1 and
 * v1.36.0; an older plugin would treat it as a private registry, so no pattern is written for it.
 */
const PUBLIC_HOSTS: readonly string[] = [ecrPublicHost, "ecr-public.aws.com"];

const PRIVATE_HOST =
  /^(\d{12})\.dkr([.-])ecr(-fips)?\.([a-zA-Z0-9][a-zA-Z0-9-_]*)\.(amazonaws\.(?:com(?:\.cn)?|eu)|on\.(?:aws|amazonwebservices\.com\.cn)|sc2s\.sgov\.gov|c2s\.ic\.gov|cloud\.adc-e\.uk|csp\.hci\.ic\.gov)$/;

/** Hosts of any account or none, as a host or a pattern. */
const REGISTRY = /^(?:[^.]+\.)?dkr[.-]ecr(?:-fips)?\./;

const FIPS_REGIONS = partitions.flatMap(({ ecrFipsRegions }) => ecrFipsRegions).join(", ");
const DUAL_STACK_PARTITIONS = partitions
  .flatMap(({ name, ecrDualStackSuffix }) => (ecrDualStackSuffix === undefined ? [] : [name]))
  .join(", ");

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
 * Reads a registry host as the ECR plugin does; `undefined` if it matches neither form.
 *
 * The plugin does not refuse such a host: it treats it as private ECR in its default region.
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

/** True if the text is a pattern rather than the name of one repository. */
function isRepositoryPattern(repository: string): boolean {
  return repository.includes("*");
}

/** Returns a repository name, or a pattern with `*` for any text, slashes included (as IAM reads it in an ARN). */
export function repositoryPattern(repository: string): string {
  literal(repository, "ECR repository");
  if (typeof repository !== "string" || repository.length > MAX)
    return fail("aws-invalid", noRepository(repository));
  // A cache may well be named after the other registry, `quay.io/…`, but never after ECR.
  const [first = ""] = repository.split("/", 1);
  if (PUBLIC_HOSTS.includes(first) || REGISTRY.test(first))
    return fail("aws-invalid", {
      problem: "the ECR repository begins with the host of its registry",
      value: repository,
      allowed: "the repository alone, for example shop/web or base/*",
      remedy: "remove the host: account and region identify the registry",
    });
  // A star matches any text, so the rest must be a valid name once the star is replaced by some text.
  const example = repository.replaceAll("*", "x");
  const minimum = isRepositoryPattern(repository) ? 1 : MIN;
  return example.length >= minimum && NAME.test(example)
    ? repository
    : fail("aws-invalid", noRepository(repository));
}

export function repositoryName(repository: string): string {
  const checked = repositoryPattern(repository);
  return isRepositoryPattern(checked)
    ? fail("aws-invalid", {
        problem: "ECR has a policy per repository, but none for a pattern",
        value: repository,
        allowed: "exact repository names",
        remedy: "list the repositories under ownerPolicy.repositories",
      })
    : checked;
}

/** Returns the patterns without duplicates. */
export function repositoryPatterns(repositories: readonly string[]): readonly string[] {
  if (!Array.isArray(repositories) || repositories.length === 0)
    return fail("aws-missing", {
      problem: "the ECR registry is stated without a list of repositories",
      value: repositories,
      allowed: "a list of at least one repository name or pattern",
      remedy: 'list the repositories to pull from; "*" is the whole registry',
    });
  return [...new Set(repositories.map(repositoryPattern))];
}

function noSuchHost(kind: string, where: string, allowed: string): Problem {
  return {
    problem: `ECR has no ${kind} there that the image credential provider supports`,
    value: where,
    allowed,
    remedy: "remove the option to use the plain registry host <account>.dkr.ecr.<region>.<suffix>",
  };
}

function noRepository(value: unknown): Problem {
  return {
    problem: "the ECR repository is not a repository name or pattern",
    value,
    allowed:
      "path segments of a-z and 0-9, joined inside by single . _ or -, 2 to 256 characters, * for any text; no registry host, tag or digest",
    remedy: "use it as printed by `aws ecr describe-repositories`, for example shop/web or base/*",
  };
}
