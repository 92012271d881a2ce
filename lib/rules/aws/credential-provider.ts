/*
 * The kubelet's entry for the ECR image credential provider, as far as AWS decides it.
 */

import { fail } from "../../errors";
import { Duration } from "../../model/duration";
import type { CredentialProviderEnv, ImageCredentialProvider } from "../../model/image-credential-provider";
import { ecrMatchImages, ecrPublicHosts } from "./ecr-host";
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
    env: environment(grants, region),
    audience,
    cacheType: "ServiceAccount",
    annotationKeys: [ecrRoleAnnotation],
    needs: ["tokens"],
  };
}

function patternsOf(grant: EcrGrant): readonly string[] {
  return grant.kind === "public" ? ecrPublicHosts : [ecrMatchImages(grant.partition, grant)];
}

/** With a token the plugin calls STS in the region of the image's host; a host of ECR Public has none. */
function environment(grants: readonly EcrGrant[], stated: string | undefined): CredentialProviderEnv[] {
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
