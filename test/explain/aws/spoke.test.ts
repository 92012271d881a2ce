/*
 * EKS clusters as spokes. Source: awsdocs/amazon-eks-user-guide, latest/ug/manage-access/k8s-access.
 */

import { describe, expect, it } from "vitest";
import { type Known, known, orElse } from "../../../lib/model/known";
import type { SpokeQuestion, SpokeReading } from "../../../lib/explain/cloud";
import { ACCOUNT, ARN, OTHER, type ReadTerraform, aws, limited } from "./read";

const SERVER = "https://ABC.gr7.eu-west-1.eks.amazonaws.com";
const VIEW = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy";

interface Call {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly server?: Known<string>;
  readonly recorded?: boolean;
  readonly arn?: Known<string>;
  readonly isWhole?: boolean;
}

function asked(read: ReadTerraform, call: Call = {}): SpokeReading {
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

const policyOf = (more: object = {}): object => ({
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
function stack(
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

const statuses = ({ admitted, authorized }: SpokeReading): readonly string[] => [
  admitted.status,
  authorized.status,
];

describe("an access entry", () => {
  it.each<[string, object, readonly string[]]>([
    ["for the role", stack(), ["pass", "pass"]],
    ["for the role by reference", stack({ principal_arn: "${aws_iam_role.web.arn}" }), ["pass", "pass"]],
    [
      "for the cluster by reference",
      stack({ cluster_name: "${aws_eks_cluster.spoke.name}" }),
      ["pass", "pass"],
    ],
    ["for another role", stack({ principal_arn: `${ARN}2` }), ["fail", "unknown"]],
    ["for nodes", stack({ type: "EC2_LINUX" }), ["fail", "unknown"]],
    ["of a type known only after apply", stack({ type: "${var.type}" }), ["unknown", "unknown"]],
    ["of a cluster known only after apply", stack({ cluster_name: "${var.name}" }), ["unknown", "unknown"]],
    ["for a role known only after apply", stack({ principal_arn: "${var.role}" }), ["unknown", "unknown"]],
    ["of another cluster", stack({ cluster_name: "other" }), ["fail", "unknown"]],
    ["of another region", stack({ region: "us-east-1" }), ["fail", "unknown"]],
    ["with a group that EKS keeps", stack({ kubernetes_groups: ["system:masters"] }), ["fail", "pass"]],
    ["with a group that is bound", stack({ kubernetes_groups: ["deployers"] }, {}), ["pass", "pass"]],
    ["with a group that is not", stack({ kubernetes_groups: ["others"] }, {}), ["pass", "fail"]],
    [
      "with groups known only after apply",
      stack({ kubernetes_groups: "${var.groups}" }, {}),
      ["pass", "unknown"],
    ],
    ["with a user that is bound", stack({ user_name: "deployer" }, {}), ["pass", "pass"]],
    ["with a user that is not bound", stack({ user_name: "hub" }, {}), ["pass", "fail"]],
    ["with a user known only after apply", stack({ user_name: "${var.user}" }, {}), ["pass", "unknown"]],
    ["with neither policy nor group", stack({}, {}), ["pass", "fail"]],
    ["that is missing", stack(null, {}), ["fail", "unknown"]],
    [
      "that is missing, where the ConfigMap counts",
      stack(null, {}, { access_config: [] }),
      ["unknown", "unknown"],
    ],
    [
      "where the cluster takes none",
      stack({}, policyOf(), { access_config: [{ authentication_mode: "CONFIG_MAP" }] }),
      ["fail", "pass"],
    ],
  ])("%s", (_, document, expected) => {
    expect(statuses(asked(aws(document)))).toEqual(expected);
  });

  // An account that is not known is not the same as another one.
  it("of a role in an account that is not known is not certainly the role's", () => {
    const entry = stack(
      { principal_arn: "${aws_iam_role.web.arn}" },
      policyOf(),
      {},
      { aws: { region: "eu-west-1" } },
    );
    expect(statuses(asked(aws(entry)))).toEqual(["unknown", "unknown"]);
    const read = aws(entry);
    const late = { ...policyOf({ principal_arn: "${aws_iam_role.web.arn}" }) };
    const both = aws(
      stack({ principal_arn: "${aws_iam_role.web.arn}" }, late, {}, { aws: { region: "eu-west-1" } }),
    );
    expect(orElse(read.text("${aws_iam_role.web.arn}"), () => "late")).toBe("late");
    expect(statuses(asked(both, { arn: both.text("${aws_iam_role.web.arn}") }))).toEqual(["pass", "pass"]);
  });

  it("of the role's name in another account is not the role's", () => {
    expect(statuses(asked(aws(stack()), { arn: known(ARN.replace(ACCOUNT, OTHER)) }))).toEqual([
      "fail",
      "unknown",
    ]);
  });
});

describe("an access policy", () => {
  it.each<[string, object, string, string]>([
    ["that is known", {}, "pass", "AmazonEKSViewPolicy"],
    ["that is not known here", { policy_arn: VIEW.replace("View", "Odd") }, "unknown", "is not known here"],
    [
      "of another partition",
      { policy_arn: VIEW.replace("arn:aws:", "arn:aws-cn:") },
      "unknown",
      "is not known here",
    ],
    [
      "of a scope that EKS does not know",
      { access_scope: [{ type: "world" }] },
      "unknown",
      "is not known here",
    ],
    ["of no namespace", { access_scope: [{ type: "namespace" }] }, "unknown", "is not known here"],
    ["of a namespace", { access_scope: [{ type: "namespace", namespaces: ["a"] }] }, "pass", ""],
    ["for another role", { principal_arn: `${ARN}2` }, "fail", "neither access policies nor groups"],
  ])("%s", (_, more, status, reason) => {
    const { authorized } = asked(aws(stack({}, policyOf(more))));
    expect(authorized).toMatchObject({ status, reason: expect.stringContaining(reason) as string });
  });

  it("warns of what is wide, and of entries that are not tied to their role", () => {
    const wide = policyOf({ policy_arn: VIEW.replace("View", "ClusterAdmin") });
    const ids = (document: object): readonly string[] => asked(aws(document)).warnings.map(({ id }) => id);
    expect(ids(stack({}, wide))).toEqual(["access-entry-untied", "wide-policy"]);
    const tied = { lifecycle: { replace_triggered_by: ["${aws_iam_role.web.unique_id}"] } };
    expect(ids(stack(tied))).toEqual([]);
  });
});

describe("a call of the plugin", () => {
  it.each<[string, Call, string, string]>([
    ["without a cluster", { args: [] }, "unknown", "the name of the EKS cluster is not known"],
    ["with a template", { args: ["--cluster-name", "{{x}}"] }, "unknown", "is not known"],
    ["without a role", { arn: known("") }, "unknown", "the role that enters is not known"],
    [
      "by the variable",
      { args: [], env: { KUBERNETES_AWS_AUTHENTICATOR_CLUSTER_ID: "spoke" } },
      "pass",
      "has an access entry",
    ],
    [
      "with a profile",
      { args: ["--cluster-name=spoke", "--profile", "x"] },
      "unknown",
      "a profile in the AWS configuration files",
    ],
    [
      "with another role",
      { args: ["--cluster-name=spoke", "--role-arn", `${ARN}2`] },
      "fail",
      "no access entry",
    ],
    [
      "with its own role",
      { args: ["--cluster-name=spoke", "--role-arn", ARN] },
      "pass",
      "has an access entry",
    ],
    [
      "with the role of its variable",
      { env: { AWS_ROLE_ARN: ARN }, arn: known("x") },
      "pass",
      "has an access entry",
    ],
    [
      "to a server that is not EKS's",
      { server: known("https://10.0.0.1") },
      "unknown",
      "is an EKS cluster's is not known",
    ],
    ["to a server that is recorded", { server: known("https://10.0.0.1"), recorded: true }, "pass", ""],
    ["in another region", { server: known(SERVER.replace("eu-west-1", "us-east-1")) }, "unknown", "was read"],
  ])("%s", (_, call, status, reason) => {
    const { admitted } = asked(aws(stack()), call);
    expect(admitted).toMatchObject({ status, reason: expect.stringContaining(reason) as string });
  });

  it("that assumes a role which has an entry is not judged to the end", () => {
    const assumed = asked(aws(stack({ principal_arn: `${ARN}2` }, policyOf({ principal_arn: `${ARN}2` }))), {
      args: ["--cluster-name", "spoke", "-r", `${ARN}2`],
    });
    expect(assumed.admitted).toMatchObject({
      status: "unknown",
      reason: expect.stringContaining("assumes the role") as string,
    });
  });

  it("for another cluster than the profile leads to", () => {
    const read = aws({
      ...stack(),
      data: {
        aws_eks_cluster: { other: { name: "other", endpoint: "https://o.gr7.eu-west-1.eks.amazonaws.com" } },
      },
    });
    const { admitted } = asked(read, { server: read.text("${data.aws_eks_cluster.other.endpoint}") });
    expect(admitted).toMatchObject({
      status: "fail",
      reason: expect.stringContaining("leads to other") as string,
    });
  });
});

it("a controller with an association of EKS Pod Identity is not judged", () => {
  const association = { cluster_name: "hub", namespace: "hub", service_account: "fc", role_arn: ARN };
  const { spokes } = aws({ resource: { aws_eks_pod_identity_association: { fc: association } } }).cloud;
  const account = {
    key: "hub/fc",
    annotations: new Map(),
    patch: undefined,
    pullSecrets: [],
    source: undefined,
    documents: [],
  };
  expect(spokes.native?.(account)?.status).toBe("unknown");
  expect(spokes.native?.({ ...account, key: "hub/other" })).toBeUndefined();
});
