/*
 * Access policies of EKS. Source: awsdocs/amazon-eks-user-guide, latest/ug/manage-access/k8s-access/access-policy-reference.adoc.
 */

/** Access policies that EKS has for people and programs; the others are for nodes and services of AWS. */
export type EksAccessPolicyName =
  | "AmazonEKSAdminPolicy"
  | "AmazonEKSAdminViewPolicy"
  | "AmazonEKSClusterAdminPolicy"
  | "AmazonEKSEditPolicy"
  | "AmazonEKSViewPolicy";

/** The names of access policies for people and programs, sorted. */
export const EKS_ACCESS_POLICIES: readonly EksAccessPolicyName[] = [
  "AmazonEKSAdminPolicy",
  "AmazonEKSAdminViewPolicy",
  "AmazonEKSClusterAdminPolicy",
  "AmazonEKSEditPolicy",
  "AmazonEKSViewPolicy",
];
