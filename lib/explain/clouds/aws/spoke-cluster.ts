/*
 * How an EKS cluster learns who enters. Source: awsdocs/amazon-eks-user-guide,
 * latest/ug/manage-access/k8s-access/setting-up-access-entries.adoc; the aws provider leaves the mode to EKS, which
 * takes CONFIG_MAP.
 */

import { authenticationModeIssues } from "../../../rules/fleet/access-checks";
import { type Answer, type Evidence, broken, seen } from "../../answer";
import { own, text } from "../../facts/access";
import { type Terraform, type TerraformResource, isLateText } from "../../facts/terraform";
import { LATE_TEXT, knownBlocks } from "../../facts/terraform-values";

/** What a client sees that an EKS cluster does not know. */
export const UNAUTHORIZED = "Unauthorized: the server has asked for the client to provide credentials";

/** A cluster that takes no entries; `undefined` where nothing speaks against it: EKS refuses to make an entry there. */
export function modeAnswer(
  resource: TerraformResource | undefined,
  cluster: string,
  terraform: Terraform,
): Answer | undefined {
  const mode = resource ? modeOf(resource, terraform) : "";
  if (!resource || mode === "" || isLateText(mode)) return undefined;
  const [issue] = authenticationModeIssues(cluster, mode);
  return (
    issue && broken(`${issue.problem}: ${mode}`, issue.remedy, UNAUTHORIZED, seen("cluster", resource.source))
  );
}

/** The answer where nothing lets a role in. */
export function withoutEntry(cluster: string, label: string, evidence: readonly Evidence[]): Answer {
  return broken(
    `EKS cluster ${cluster} has no access entry for ${label}`,
    "declare an aws_eks_access_entry of type STANDARD for the role",
    UNAUTHORIZED,
    ...evidence,
  );
}

/** Whether the ConfigMap aws-auth may name roles: in every mode but API. */
export function readsConfigMap(resource: TerraformResource, terraform: Terraform): boolean {
  return modeOf(resource, terraform) !== "API";
}

/** The mode as it is written; empty where none is. */
function modeOf({ values, scope }: TerraformResource, terraform: Terraform): string {
  const written = knownBlocks(own(values, "access_config"));
  const [access] = written ?? [];
  const mode = written === undefined ? LATE_TEXT : text(own(access, "authentication_mode"));
  return terraform.resolve(mode, scope);
}
