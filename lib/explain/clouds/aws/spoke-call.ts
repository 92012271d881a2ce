/*
 * Which EKS cluster and which role the plugins for AWS are called for.
 */

import { type Answer, unknown } from "../../answer";
import { type TerraformResource, isLateText } from "../../facts/terraform";
import type { SpokeQuestion, SpokeReading } from "../cloud-spokes";
import { otherKindOfCluster } from "../server-reference";
import { flagOf } from "../plugin-flags";
import { ROLE_VARIABLE } from "./webhook-pods";

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
  return assumedBy(question) ?? ownRole(question);
}

/** The role of the controller itself: one that the plugin is told, else that of the service account. */
function ownRole({ env, annotations }: SpokeQuestion): string {
  return env.get(ROLE_VARIABLE) || (annotations.get(ROLE_ANNOTATION) ?? "");
}

/** What keeps anybody from saying who enters; `undefined` where nothing does. */
export function otherCredentials({ args }: SpokeQuestion): Answer | undefined {
  return flagOf(args, "--profile") === undefined
    ? undefined
    : unknown(
        "the plugin takes the credentials of a profile of AWS's configuration files, which is not judged here",
        "remove --profile",
      );
}

/** Whether the controller may enter as the role that the plugin assumes; `undefined` where it enters as its own. */
export function assumption(question: SpokeQuestion): Answer | undefined {
  const assumed = assumedBy(question);
  return assumed === undefined || assumed === ownRole(question) ? undefined : assumes(assumed);
}

/** A server that is no EKS cluster's, or of which nothing says it. */
export function otherServer(
  { server, recorded, spoke }: SpokeQuestion,
  served: TerraformResource | undefined,
): Answer | undefined {
  const other = otherKindOfCluster(served, "aws_eks_cluster", "EKS");
  if (other || served || recorded || isLateText(server) || HOST.test(server)) return other;
  return unknown(
    `whether the server of ${spoke}, ${server}, is an EKS cluster's is not known`,
    "write the endpoint of the cluster, or a reference to it, into the profile",
  );
}

/** Endpoints of EKS clusters, those of both address families too. */
const HOST =
  /^https:\/\/[^/]+(?:\.eks\.amazonaws\.com(?:\.cn)?|\.eks-cluster\.[a-z0-9-]+\.(?:api\.aws|api\.amazonwebservices\.com\.cn))(?::443)?\/?$/i;

/** The role that the plugin assumes; `undefined` where it assumes none. */
function assumedBy({ args, env }: SpokeQuestion): string | undefined {
  return flagOf(args, "--role-arn", "--role", "-r") ?? env.get("DEFAULT_ROLE");
}

/** The answer for a role that is assumed. */
function assumes(role: string): Answer {
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
