/*
 * Tags of Azure resources. Source of the limits: learn.microsoft.com, "Use tags to organize your Azure resources".
 */

import { fail } from "../../errors";
import { isLate } from "../../model/late";
import { terraformText } from "../terraform-text";

/** Tags as a caller passes them. */
export type Tags = Readonly<Record<string, string>>;

const NAME_MAX = 512;
const VALUE_MAX = 256;
const NAME = /^[^<>%&\\?/]+$/;

export function checkedTags(tags: Tags | undefined): Tags {
  if (tags === undefined) return {};
  for (const [name, value] of Object.entries(tags))
    if (!isName(name) || !isValue(value))
      fail("azure-invalid", {
        problem: "the tag is not valid in Azure",
        value: { [name]: value },
        allowed: "names of 1 to 512 characters without < > % & \\ ? /, each with a value of at most 256",
        remedy: "correct the tag",
      });
  return tags;
}

/** Tags as an argument of a resource, absent if there are none; written as texts, not as Terraform templates. */
export function tagsArgument(tags: Tags | undefined): {
  /**
   * The tags.
   *
   * @defaultValue - none
   */
  readonly tags?: Record<string, string>;
} {
  const entries = Object.entries(checkedTags(tags));
  if (entries.length === 0) return {};
  return {
    tags: Object.fromEntries(entries.map(([name, value]) => [terraformText(name), terraformText(value)])),
  };
}

function isName(name: string): boolean {
  return isLate(name) || (name.length <= NAME_MAX && NAME.test(name));
}

function isValue(value: unknown): boolean {
  return typeof value === "string" && (isLate(value) || value.length <= VALUE_MAX);
}

/**
 * The tag by which `ccoctl azure` recognises what it created for a cluster. Source:
 * openshift/cloud-credential-operator, pkg/cmd/provisioning/azure/create_oidc_issuer.go.
 */
export function ccoctlTags(clusterName: string): Tags {
  return { [`openshift.io_cloud-credential-operator_${clusterName}`]: "owned" };
}
