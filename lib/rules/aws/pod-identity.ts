/*
 * EKS Pod Identity: the trust of roles that EKS hands to service accounts itself. Sources: EKS user guide, "Create IAM role
 * with trust policy required by EKS Pod Identity" and "Enable or disable session tags"; aws/amazon-eks-pod-identity-webhook.
 */

import { fail } from "../../errors";
import type { Issuer } from "../../model/issuer";
import { isLate } from "../../model/late";
import type { Subject } from "../../model/subject";
import { accountId, parseRoleArn } from "./arn";
import { isEksIssuer } from "./cluster";
import { otherPartition, partitionOf } from "./partitions";
import { type PolicyStatement, policyDocument, policyText } from "./policy-document";
import { identityStatements } from "./statement";

/** Who assumes the roles. */
export const POD_IDENTITY_SERVICE = "pods.eks.amazonaws.com";

/** What its trust must allow: the session is tagged in the same call, which fails as a whole without the right to. */
export const POD_IDENTITY_ACTIONS = ["sts:AssumeRole", "sts:TagSession"] as const;

/** Audience of the tokens that the agent exchanges: pkg/containercredentials of the webhook. */
export const POD_IDENTITY_AUDIENCE = "pods.eks.amazonaws.com";

/** The greatest length of an association's `policy`. Source: AWS containers blog, "Session policies for Amazon EKS Pod Identity". */
export const SESSION_POLICY_MAX = 2048;

/** The cluster to which associations belong. */
export interface PodIdentityPlace {
  /** Account of cluster and role: EKS accepts no role of another account. */
  readonly account: string;
  readonly region: string;
}

/** ARN of the EKS cluster, as in the session tag `eks-cluster-arn`. */
export function eksClusterArn({ account, region }: PodIdentityPlace, cluster: string): string {
  return `arn:${partitionOf(region).name}:eks:${region}:${accountId(account)}:cluster/${cluster}`;
}

/** Admits a service account by the tags that only EKS can set, or without tags every association of the cluster. */
export function podIdentityTrust(
  place: PodIdentityPlace,
  cluster: string,
  { namespace, name }: Subject,
  isTagged: boolean,
): PolicyStatement {
  const clusterArn = eksClusterArn(place, cluster);
  return {
    Effect: "Allow",
    Principal: { Service: POD_IDENTITY_SERVICE },
    Action: POD_IDENTITY_ACTIONS,
    Condition: {
      StringEquals: isTagged
        ? {
            "aws:RequestTag/eks-cluster-arn": clusterArn,
            "aws:RequestTag/kubernetes-namespace": namespace,
            "aws:RequestTag/kubernetes-service-account": name,
          }
        : { "aws:SourceAccount": place.account, "aws:SourceArn": clusterArn },
    },
  };
}

/** What a role needs to be exchanged for a target role, whose trust policy must admit it. */
export function targetRight(targetRoleArn: string): PolicyStatement {
  return { Effect: "Allow", Action: POD_IDENTITY_ACTIONS, Resource: targetRoleArn };
}

/** Refuses a target role that EKS cannot assume with a role of the region's partition; a late ARN is not checked. */
export function checkTargetRole(targetRoleArn: string, region: string): void {
  if (isLate(targetRoleArn)) return;
  const [{ partition }, own] = [parseRoleArn(targetRoleArn), partitionOf(region).name];
  if (partition !== own) fail("aws-mismatch", otherPartition("the target role", partition, own));
}

/** Returns the text of an association's `policy`; refuses one that EKS refuses. */
export function sessionPolicyText(statements: readonly PolicyStatement[], isTagged: boolean): string {
  if (isTagged)
    fail("aws-conflict", {
      problem: "EKS accepts no session policy beside session tags",
      value: "policy",
      allowed: "`policy` together with `disableSessionTags: true`",
      remedy: "set `disableSessionTags: true`, or leave `policy` out",
    });
  return policyText(policyDocument(identityStatements(statements, "policy")));
}

/** Returns the complete place; throws where EKS Pod Identity does not exist, and for clusters other than EKS. */
export function podIdentityPlace(
  { account, region }: Partial<PodIdentityPlace>,
  issuer: Issuer | undefined,
): PodIdentityPlace {
  if (account === undefined || region === undefined)
    return fail("aws-missing", {
      problem: "EKS Pod Identity needs account and region of the cluster, which the trust policy names",
      value: { account, region },
      allowed: "both, literal",
      remedy: "state `account` and `region` together with `podIdentity`",
    });
  // EKS user guide for the China regions, "EKS Pod Identities".
  if (partitionOf(region).name === "aws-cn")
    fail("aws-unsupported", {
      problem: "EKS Pod Identity is not available in the China regions",
      value: region,
      allowed: "a region of another partition",
      remedy: "remove `podIdentity`: there the webhook for IAM roles for service accounts is available",
    });
  if (issuer && !issuer.late && !isEksIssuer(issuer))
    fail("aws-unsupported", {
      problem: "EKS Pod Identity works only on EKS clusters, but the issuer is not an EKS cluster's",
      value: issuer.url,
      allowed: "https://oidc.eks.<region>.amazonaws.com/id/<id>",
      remedy: "remove `podIdentity`: with the pod identity webhook, the roles trust the issuer's tokens",
    });
  return { account, region };
}
