/*
 * Which EKS cluster and which role the plugins for AWS are called for.
 */

import { type Answer, unknown } from "../../answer";
import { isLateText } from "../../facts/terraform";
import type { SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { flagOf } from "../plugin-flags";

/** The annotation of a service account that names its role. */
export const ROLE_ANNOTATION = "eks.amazonaws.com/role-arn";

/** The cluster's name, as the plugin is told it: EKS checks that the signed request names it. */
export function clusterOf({ args, env }: SpokeQuestion): string | undefined {
  return (
    flagOf(args, "--cluster-name", "--cluster-id", "-i") ?? env.get("KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID")
  );
}

/** The role that enters: one that the plugin assumes, else the controller's own. */
export function roleOf(question: SpokeQuestion): string {
  return assumedBy(question) ?? question.annotations.get(ROLE_ANNOTATION) ?? "";
}

/** The role that the plugin assumes; `undefined` where it assumes none. */
export function assumedBy({ args, env }: SpokeQuestion): string | undefined {
  return flagOf(args, "--role-arn", "--role", "-r") ?? env.get("DEFAULT_ROLE");
}

/** The answer for a role that is assumed. */
export function assumes(role: string): Answer {
  return unknown(
    `the plugin assumes the role ${isLateText(role) ? "that Terraform tells" : role}, and whether the controller's own role may is not judged here`,
    "give the access entry to the controller's own role",
  );
}

/** The answer where cluster or role is not known. */
export function notKnown(cluster: string | undefined, arn: string): Answer {
  const what = arn === "" ? "the role that enters" : "the name of the EKS cluster";
  return unknown(
    `${what} is not known${cluster === undefined ? "" : `, the plugin is told the cluster ${cluster}`}`,
    "see the checks before",
  );
}

/** What a spoke says where nobody is known to enter. */
export function open(answer: Answer): SpokeReading {
  return {
    admitted: answer,
    authorized: unknown("who enters is not known", "see the check before"),
    warnings: [],
  };
}
