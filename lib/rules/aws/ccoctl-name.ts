/*
 * The `--name` that the `ccoctl aws` command was given, and what it writes it into
 * (openshift/cloud-credential-operator, pkg/cmd/provisioning/aws).
 */

import { fail } from "../../errors";
import { literal } from "../../model/late";

const TAG_PREFIX = "openshift.io/cloud-credential-operator/";

/** With the prefix before it within the 128 characters of a tag's key and of a comment of CloudFront. */
const CCOCTL_NAME = /^[A-Za-z0-9._-]{1,89}$/;

/** Returns the `--name` that ccoctl was given; throws `aws-ccoctl-name-invalid` or `late-value`. */
export function ccoctlNameOf(name: string): string {
  const given: unknown = literal(name, "ccoctlName");
  return typeof given === "string" && CCOCTL_NAME.test(given)
    ? given
    : fail("aws-ccoctl-name-invalid", given);
}

/** What ccoctl tags everything of a cluster with, also to find it again. */
export function ccoctlTags(clusterName: string): Readonly<Record<string, string>> {
  return { [`${TAG_PREFIX}${clusterName}`]: "owned", Name: clusterName };
}

/** What ccoctl calls the cluster in comments of CloudFront. */
export function ccoctlComment(clusterName: string): string {
  return `${TAG_PREFIX}${clusterName}`;
}
