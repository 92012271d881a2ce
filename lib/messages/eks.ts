import type { Problem } from "./problem";

/** Refusals of EKS clusters that controllers enter: names, access entries and what they allow. */
export const eksMessages = {
  "aws-eks-cluster-name-invalid": (value: unknown): Problem => ({
    problem: "name of the EKS cluster is missing, or not one that EKS accepts",
    value,
    allowed: "1 to 100 letters, digits, - and _, beginning with a letter or digit, known at synth",
    remedy: "use the name that `aws eks list-clusters` prints",
  }),
  "aws-eks-access-empty": (): Problem => ({
    problem: "access entries of the EKS cluster would let the controllers in, and allow them nothing",
    allowed: "at least one entry in `accessPolicies` or `kubernetesGroups`",
    remedy:
      "name an access policy, for example AmazonEKSEditPolicy in the namespaces that are needed; or a group that RBAC on the cluster gives rights to",
  }),
  "aws-eks-policy-twice": (value: string): Problem => ({
    problem: "access policy is given twice, and EKS associates each with an access entry once",
    value,
    allowed: "each access policy once, for the whole cluster or for a list of namespaces",
    remedy: "put the namespaces of both into one list",
  }),
  "aws-eks-namespaces-empty": (value: string): Problem => ({
    problem: "access policy is limited to an empty list of namespaces",
    value,
    allowed: "at least one namespace; without `namespaces` it counts in the whole cluster",
    remedy: "name the namespaces, or leave the access policy out",
  }),
  "aws-eks-group-invalid": (value: unknown): Problem => ({
    problem: "Kubernetes group is not one that an access entry can have",
    value,
    allowed: "1 to 253 characters, not beginning with system:",
    remedy: "use a group of your own, for example fleet-controllers, and bind it on the cluster",
  }),
  "aws-eks-entry-twice": (value: string, cluster: string): Problem => ({
    problem: `two controllers enter EKS cluster ${cluster} as one IAM role, which can have one access entry there`,
    value,
    allowed: "an IAM role of its own for each service account",
    remedy: "declare the identities with workloadRoles(), which makes one role per service account",
  }),
};
