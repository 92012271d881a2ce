import { fail } from "../../errors";
import { compareVersions, minorOf, parseVersion } from "../../model/version";

/**
 * Annotation of `CloudCredential/cluster`, by which an administrator says that the credentials for an upgrade exist.
 *
 * Source: openshift/cloud-credential-operator, condition `MissingUpgradeableAnnotation`.
 */
export const UPGRADEABLE_TO = "cloudcredential.openshift.io/upgradeable-to";

/**
 * The annotation's value, `4.23.0`. The operator compares major and minor alone, and wants a greater one than the
 * cluster's.
 *
 * Throws `version-invalid` or `late-value`; `upgradeable-to-not-newer` where the cluster's version is given.
 */
export function upgradeableTo(version: string, clusterVersion?: string): string {
  const { major, minor, patch = 0 } = parseVersion("version to upgrade to", version);
  if (clusterVersion !== undefined) {
    const from = minorOf("version of the cluster", clusterVersion);
    if (compareVersions(`${major}.${minor}`, from) <= 0)
      return fail("upgradeable-to-not-newer", version, clusterVersion);
  }
  return `${major}.${minor}.${patch}`;
}
