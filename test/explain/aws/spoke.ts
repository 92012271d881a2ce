/* Terraform with an EKS cluster that a role enters, and questions about it. */

import type { SpokeQuestion, SpokeReading } from "../../../lib/explain/cloud";
import { type Known, known } from "../../../lib/model/known";
import { ARN, type ReadTerraform, limited } from "./read";

/** The server of the cluster. */
export const SERVER = "https://ABC.gr7.eu-west-1.eks.amazonaws.com";
/** An access policy. */
export const VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy";

/** How the plugin is called, by default as it must be. */
export interface Call {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly server?: Known<string>;
  readonly recorded?: boolean;
  readonly arn?: Known<string>;
  readonly isWhole?: boolean;
}

/** What is said of the way into the cluster. */
export function asked(read: ReadTerraform, call: Call = {}): SpokeReading {
  const { args = ["--cluster-name", "spoke"], env = {}, server = known(SERVER), recorded = false } = call;
  const { arn = known(ARN), isWhole = true } = call;
  const account = {
    key: "hub/fc",
    annotations: new Map([["eks.amazonaws.com/role-arn", arn]]),
    patch: undefined,
    pullSecrets: [],
    source: undefined,
    documents: [],
  };
  const bound = [
    ["Group", "deployers"],
    ["User", "deployer"],
  ].map(([kind = "", name = ""]) => ({
    kind,
    name: known(name),
    role: "ClusterRole d",
    rules: undefined,
    source: { file: "s.yaml", path: "" },
  }));
  const question: SpokeQuestion = {
    spoke: "spoke",
    server,
    args: args.map((each) => known(each)),
    env: new Map(Object.entries(env).map(([name, value]) => [name, known(value)])),
    recorded,
    account,
    identity: undefined as never,
    project: undefined,
    projectNumber: undefined,
    rbac: { bound, authenticators: [], refused: [], isWhole },
    impersonates: undefined,
  };
  return read.cloud.spokes.read(question);
}

/** The association of the policy, changed. */
export const policyOf = (more: object = {}): object => ({
  aws_eks_access_policy_association: {
    view: {
      cluster_name: "spoke",
      principal_arn: ARN,
      policy_arn: VIEW,
      access_scope: [{ type: "cluster" }],
      ...more,
    },
  },
});

/** The cluster with an entry for the role, and a policy of it. */
export function stack(
  entry: object | null = {},
  more: object = policyOf(),
  cluster: object = {},
  provider: object = limited(),
): object {
  const access_config = [{ authentication_mode: "API" }];
  return {
    provider,
    resource: {
      aws_iam_role: { web: { name: "web", assume_role_policy: "{}" } },
      aws_eks_cluster: { spoke: { name: "spoke", access_config, ...cluster } },
      ...(entry && {
        aws_eks_access_entry: { entry: { cluster_name: "spoke", principal_arn: ARN, ...entry } },
      }),
      ...more,
    },
  };
}
