/*
 * The kubelet's entry for the ECR image credential provider, as far as AWS decides it.
 */

import { fail } from "../../errors";
import { Duration } from "../../model/duration";
import type { CredentialProviderEnv, ImageCredentialProvider } from "../../model/image-credential-provider";
import { ecrMatchImages, ecrPublicHost } from "./ecr-host";
import { partitionOf } from "./partitions";
import { ecrRoleAnnotation } from "./pull-annotation";
import type { EcrGrant, PublicEcrGrant } from "./pull-permissions";

const CACHE_HOURS = 12;

/**
 * The entry for all grants of a cluster: patterns only for the partition and the kinds of host in use.
 *
 * Throws `aws-public-region-missing` or `aws-public-region-conflict`.
 */
export function ecrCredentialProvider(
  grants: readonly EcrGrant[],
  audience: string,
  region: string | undefined,
): ImageCredentialProvider {
  return {
    plugin: "ecr",
    name: "ecr-credential-provider",
    matchImages: [...new Set(grants.flatMap(patternsOf))].sort(),
    // Only used when the plugin's answer has no duration; half of a login's twelve hours is what it answers itself.
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

/**
 * A warning where only some registries are FIPS hosts.
 *
 * The plugin does not look at the host: AWS_USE_FIPS_ENDPOINT switches all its calls of STS and ECR, and a region
 * without FIPS endpoints would then fail, so it is set only where every registry of the entry has them.
 */
export function fipsWarning(grants: readonly EcrGrant[]): string | undefined {
  const fips = grants.filter(isFips).length;
  return fips === 0 || fips === grants.length ? undefined : FIPS_MIXED;
}

const FIPS_MIXED =
  "only some of the registries are FIPS hosts, but one image credential provider serves them all and has one switch for its own calls: " +
  "images come from the FIPS hosts, while STS and ECR are called at their usual endpoints; " +
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

/** With a token the plugin calls STS in the region of the image's host; a host of ECR Public has none. */
function regionForPublic(grants: readonly EcrGrant[], stated: string | undefined): CredentialProviderEnv[] {
  const open = grants.filter((grant): grant is PublicEcrGrant => grant.kind === "public");
  if (open.length === 0) return [];
  const regions = [...new Set(open.map(({ region }) => region ?? stated))].filter(
    (region) => region !== undefined,
  );
  const [region] = regions;
  if (region === undefined) return fail("aws-public-region-missing");
  if (regions.length > 1) return fail("aws-public-region-conflict", regions.sort());
  const { name } = partitionOf(region);
  if (name !== "aws") return fail("aws-partition-mismatch", "the region for ECR Public", name, "aws");
  return [{ name: "AWS_REGION", value: region }];
}
