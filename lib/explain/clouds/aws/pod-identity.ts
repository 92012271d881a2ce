/*
 * Identities that EKS gives to pods of its own clusters, without a token for the hub's issuer. Source:
 * awsdocs/amazon-eks-user-guide, latest/ug/manage-access/aws-access/pod-identities.adoc.
 */

import { type Answer, seen, unknown } from "../../answer";
import type { ServiceAccountFact } from "../../facts/kubernetes-facts";
import type { Terraform } from "../../facts/terraform";

/** The answer for a service account with an association; `undefined` for one without. */
export function podIdentity({ key }: ServiceAccountFact, terraform: Terraform): Answer | undefined {
  const found = terraform
    .ofType("aws_eks_pod_identity_association")
    .find(
      (each) => `${terraform.text(each, "namespace")}/${terraform.text(each, "service_account")}` === key,
    );
  return (
    found &&
    unknown(
      `EKS Pod Identity gives ${key} a role, which is not judged here`,
      "see that the association is of the hub, that the role trusts pods.eks.amazonaws.com with sts:AssumeRole and sts:TagSession, and that the spoke has an access entry for it; what is judged here is a role for tokens of the hub's issuer, named by eks.amazonaws.com/role-arn on the service account",
      seen("EKS Pod Identity association", found.source),
    )
  );
}
