/*
 * The kubelet's entry, the annotation and the IAM role of a pull. Source: kubernetes/cloud-provider-aws,
 * cmd/ecr-credential-provider/main.go.
 */

import { fail } from "../../errors";
import { Duration } from "../../model/duration";
import type { CredentialProviderEnv, ImageCredentialProvider } from "../../model/image-credential-provider";
import { grouped } from "../../model/grouped";
import { isLate } from "../../model/late";
import { describedRole, namedSubjects } from "./role";
import { type AwsFederatedTrust } from "./trust";
import { partitionOf, type Partition, otherPartition } from "./partitions";
import { ecrHost, ecrMatchImages, ecrPublicHost } from "./registry";
import { ecr } from "../../registries/ecr";
import {
  type EcrGrant,
  type PublicEcrGrant,
  type PrivateEcrGrant,
  repositoryArns,
  repositoryPullStatement,
} from "./permission";

/** The audience that AWS's own tools use, in every partition. */
export const defaultAwsAudience = "sts.amazonaws.com";

/**
 * The service account annotation that the ECR plugin reads; fixed in kubernetes/cloud-provider-aws,
 * cmd/ecr-credential-provider/main.go. `eks.amazonaws.com/role-arn` is for other programs and is not read.
 */
export const ecrRoleAnnotation: string = ecr.annotations[0];

export function pullAnnotations(roleArn: string): Readonly<Record<string, string>> {
  return { [ecrRoleAnnotation]: roleArn };
}

const CACHE_HOURS = 12;

/** The entry for all grants of a cluster: patterns only for the partition and the kinds of host in use. */
export function ecrCredentialProvider(
  grants: readonly EcrGrant[],
  audience: string,
  region: string | undefined,
): ImageCredentialProvider {
  return {
    plugin: "ecr",
    name: ecr.executable,
    matchImages: [...new Set(grants.flatMap(patternsOf))].sort(),
    hosts: [...new Set(grants.map(hostOf))].sort(),
    // Only used if the plugin's answer has no duration; the plugin itself returns half of a login's twelve hours.
    defaultCacheDuration: Duration.hours(CACHE_HOURS),
    args: [],
    nodeIdentityArgs: [],
    env: environment(grants, region),
    audience,
    cacheType: "ServiceAccount",
    annotationKeys: [ecrRoleAnnotation],
    needs: [
      "tokens",
      ...(grants.some(({ partition }) => partition.name === "aws-eusc") ? ["eusc-hosts"] : []),
    ],
  };
}

function patternsOf(grant: EcrGrant): readonly string[] {
  return grant.kind === "public" ? [ecrPublicHost] : [ecrMatchImages(grant.partition, grant)];
}

function hostOf(grant: EcrGrant): string {
  return grant.kind === "public" ? ecrPublicHost : ecrHost(grant.account, grant.region, grant);
}

/**
 * A warning if only some registries are FIPS hosts.
 *
 * The plugin does not look at the host: AWS_USE_FIPS_ENDPOINT switches all its calls of STS and ECR, and a region
 * without FIPS endpoints would then fail, so it is set only if every registry of the entry has them.
 */
export function fipsWarning(grants: readonly EcrGrant[]): string | undefined {
  const fips = grants.filter(isFips).length;
  return fips === 0 || fips === grants.length ? undefined : FIPS_MIXED;
}

const FIPS_MIXED =
  "only some of the registries are FIPS hosts, but one image credential provider serves them all and has a single switch for its own calls: " +
  "images come from the FIPS hosts, but STS and ECR are called at their usual endpoints; " +
  "set `fips: true` for every ecr(), without ecrPublic(), to have AWS_USE_FIPS_ENDPOINT set";

function isFips(grant: EcrGrant): boolean {
  return grant.kind === "private" && grant.fips === true;
}

function environment(grants: readonly EcrGrant[], stated: string | undefined): CredentialProviderEnv[] {
  const fips = grants.length > 0 && grants.every(isFips);
  return [
    ...(fips ? [{ name: "AWS_USE_FIPS_ENDPOINT", value: "true" }] : []),
    ...regionForPublic(grants, stated),
  ];
}

/** With a token the plugin calls STS in the region of the image's host, but hosts of ECR Public have no region. */
function regionForPublic(grants: readonly EcrGrant[], stated: string | undefined): CredentialProviderEnv[] {
  const open = grants.filter((grant): grant is PublicEcrGrant => grant.kind === "public");
  if (open.length === 0) return [];
  const regions = [...new Set(open.map(({ region }) => region ?? stated))].filter(
    (region) => region !== undefined,
  );
  const [region] = regions;
  if (region === undefined)
    return fail("aws-missing", {
      problem: "ECR Public is pulled with a service account token, but no region is known for AWS_REGION",
      allowed: "a region of partition aws",
      remedy: "state it: ecrPublic({ region }) or pullRoles({ region })",
    });
  if (regions.length > 1)
    return fail("aws-conflict", {
      problem: "ECR Public is named with several regions, but the plugin has one AWS_REGION for all pulls",
      value: regions.sort(),
      allowed: "one region",
      remedy: "pass the same region to every ecrPublic()",
    });
  const { name } = partitionOf(region);
  if (name !== "aws") return fail("aws-mismatch", otherPartition("the region for ECR Public", name, "aws"));
  return [{ name: "AWS_REGION", value: region }];
}

interface ReasonedWildcard {
  /** `namespace/name` with `*` or `?`. */
  readonly pattern: string;
  readonly reason: string;
}

export function partitionOfGrants(grants: readonly EcrGrant[]): Partition {
  const [first] = grants;
  if (!first)
    return fail("aws-missing", {
      problem: "the IAM role has no registry to pull from",
      allowed: "at least one of ecr(…) and ecrPublic(…)",
      remedy: "name the registry and its repositories",
    });
  const stray = grants.find(({ partition }) => partition.name !== first.partition.name);
  return stray
    ? fail("aws-mismatch", otherPartition("a registry", stray.partition.name, first.partition.name))
    : first.partition;
}

export function pullRoleDescription(
  stated: string | undefined,
  trusts: readonly AwsFederatedTrust[],
  wildcards: readonly ReasonedWildcard[],
): string {
  const purpose = stated ?? `Pulls container images for ${namedSubjects(trusts)}`;
  return describedRole(
    purpose,
    wildcards.map(({ pattern, reason }) => ({ what: `Wildcard ${pattern}`, reason })),
  );
}

/** A role and what it pulls, if no one is known to handle the repository owner's part. */
export interface OpenPull {
  readonly grant: PrivateEcrGrant;
  readonly roleArn: string;
}

/**
 * What the owners of repositories in other accounts must add to their repository policies, one text per account.
 *
 * If the roles' account is unknown, a second account among the grants is certainly another account.
 */
export function ownerWarnings(pulls: readonly OpenPull[], roleAccount: string | undefined): string[] {
  const accounts = grouped(pulls, ({ grant }) => grant.account);
  if (roleAccount === undefined && accounts.size < 2) return [];
  return [...accounts]
    .filter(([account]) => account !== roleAccount)
    .map(([account, open]) => {
      const byRole = [...grouped(open, ({ roleArn }) => roleArn)];
      const pulled = byRole.map(([roleArn, each]) => ({
        role: isLate(roleArn) ? LATE_ROLE : roleArn,
        arns: each.flatMap(({ grant }) => repositoryArns(grant)).join(", "),
      }));
      const [first] = pulled;
      const isOne = pulled.length === 1;
      const statement = JSON.stringify(repositoryPullStatement([(isOne && first?.role) || ANY_ROLE]));
      const is = roleAccount === undefined ? "may be" : "is";
      const what = isOne
        ? `${first?.arns} ${is} in another account than the IAM role`
        : `account ${account} ${is} not the account of ${pulled.length} IAM roles that pull from it (${listed(pulled)})`;
      return (
        `${what}: the owner must add this statement to each repository's policy: ${statement}; ` +
        'declare it with ownerPolicy: { provider } or a SharedRegistry, or state ownerPolicy: "elsewhere" once the owner has added it'
      );
    });
}

const LATE_ROLE = "<ARN of the IAM role, known after apply>";
const ANY_ROLE = "<ARNs of its IAM roles>";
const LISTED_MAX = 10;

function listed(pulled: readonly { readonly role: string; readonly arns: string }[]): string {
  const shown = pulled.slice(0, LISTED_MAX).map(({ role, arns }) => `${role}: ${arns}`);
  const more = pulled.length - shown.length;
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}
